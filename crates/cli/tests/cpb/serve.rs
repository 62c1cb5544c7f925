//! Tests `cpb serve`: where it listens, which requests it answers, how it ends.
//! `crates/serve` tests the content of its pages, `tests/page` their appearance.

use crate::program::{self, Called, Folder, command, send, wait};
use crate::store::unsaved;
use rustix::process::Signal;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;

/// Makes a store with a run.
fn shelf() -> Folder {
    let shelf = Folder::new();
    shelf.succeeds(&format!("import {}", shelf.writes("run.json", unsaved())));
    shelf
}

/// Starts the server, and waits until it prints host and port.
fn serving(line: &str) -> (Child, String) {
    program::serving(command().args(line.split_whitespace()))
}

fn end(child: Child, signal: Signal) -> Called {
    send(signal, &child);
    wait(child)
}

fn get(address: &str, page: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = format!("GET {page} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

#[test]
fn it_says_where_it_is_and_ends_in_order() {
    let shelf = shelf();
    for signal in [Signal::INT, Signal::TERM] {
        let (child, address) = serving(&shelf.line("serve --listen 127.0.0.1:0"));
        assert!(get(&address, "/").contains("1 run of 1 machine"));
        assert!(get(&address, "/run/1").contains("id=\"data\""));
        // A silent client does not keep the server running.
        let _silent = TcpStream::connect(&address).expect("it listens");
        let called = end(child, signal).ends(0, &[]);
        assert!(!called.stderr.contains("password"), "{}", called.stderr);
        assert!(TcpStream::connect(&address).is_err());
    }
}

#[test]
fn whoever_may_read_is_told_where_that_is_more_than_this_machine() {
    let shelf = shelf();
    let (child, address) = serving(&shelf.line("serve --listen 0.0.0.0:0"));
    let port = address.rsplit(':').next().expect("a port");
    assert!(get(&format!("127.0.0.1:{port}"), "/machines").contains("200 OK"));
    end(child, Signal::INT).ends(0, &["there is no password"]);
}

#[test]
fn what_cannot_be_served_is_refused() {
    let shelf = shelf();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let free = format!("--listen 127.0.0.1:{}", address.port() + 1);
    let line = format!("serve --listen {address}");
    shelf.cpb(&line).fails(2, &["is taken by another program", &free]);
    Folder::new().cpb("serve").fails(2, &["no runs are saved yet"]);
}

#[test]
fn who_has_no_runs_yet_sees_how_to_get_some() {
    let home = Folder::new();
    let mut serve = command();
    serve.env("XDG_DATA_HOME", home.path("")).args(["serve", "--listen", "127.0.0.1:0"]);
    let (child, address) = program::serving(&mut serve);
    let page = get(&address, "/");
    assert!(page.contains("<pre>cpb run sha256</pre>"), "{page}");
    end(child, Signal::INT).ends(0, &["cpb run sha256, in another terminal"]);
}
