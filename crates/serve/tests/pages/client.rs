//! Sends requests to a server, as a browser does.

use cpb_serve::{Server, Site};
use cpb_store::StoreLocation;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// A server that runs until this is dropped.
pub struct Running {
    pub address: SocketAddr,
    pub site: Arc<Site>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A response.
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Running {
    /// Starts a server over the store at `place`, and waits until all of it is
    /// surveyed.
    pub fn over(place: &StoreLocation) -> Self {
        let running = Self::before_survey(place);
        running.site.wait_for_survey();
        running
    }

    /// Starts a server, and waits only until it answers.
    pub fn before_survey(place: &StoreLocation) -> Self {
        let site = Site::open(place, |_| {}).expect("a store");
        let server = Server::listen("127.0.0.1:0", vec!["Bench.example".to_owned()]);
        let server = server.expect("a port is free");
        let (address, stop) = (server.address(), Arc::new(AtomicBool::new(false)));
        let (of_server, until) = (Arc::clone(&site), Arc::clone(&stop));
        let run = move || server.run(&of_server, &until).expect("it serves");
        Self { address, site, stop, thread: Some(std::thread::spawn(run)) }
    }

    pub fn get(&self, address: &str) -> Answer {
        self.ask("GET", address, &[])
    }

    /// Returns the body of a page, which must exist.
    pub fn page(&self, address: &str) -> String {
        let answer = self.get(address);
        assert_eq!(answer.status, 200, "{address}: {}", answer.text());
        answer.text()
    }

    pub fn ask(&self, method: &str, address: &str, headers: &[(&str, &str)]) -> Answer {
        let mut lines = String::new();
        if !headers.iter().any(|(name, _)| *name == "Host") {
            lines.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            lines.push_str(&format!("{name}: {value}\r\n"));
        }
        self.send(&format!("{method} {address} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n"))
    }

    pub fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut all = Vec::new();
        stream.read_to_end(&mut all).expect("it answers");
        let end = all.windows(4).position(|part| part == b"\r\n\r\n").expect("headers");
        let headers = String::from_utf8(all[..end].to_vec()).expect("text");
        let status = headers.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
        let mut body = all[end + 4..].to_vec();
        if headers.to_lowercase().contains("transfer-encoding: chunked") {
            body = without_chunks(&body);
        }
        Answer { status, headers, body }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        }
    }
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("UTF-8")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.headers.lines().skip(1).filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(it, _)| it.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }
}

fn without_chunks(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let end = body.windows(2).position(|part| part == b"\r\n").expect("a length");
        let length = std::str::from_utf8(&body[..end]).expect("text");
        let length = usize::from_str_radix(length, 16).expect("a number");
        if length == 0 {
            return all;
        }
        all.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 4 + length..];
    }
}
