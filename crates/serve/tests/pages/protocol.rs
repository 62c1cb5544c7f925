//! Tests the HTTP protocol of the pages.

use crate::client::Running;
use crate::filled;
use cpb_serve::{ServeError, Server};
use cpb_store::StoreLocation;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

pub fn what_a_reader_has_is_not_sent_again(place: &StoreLocation) {
    let mut store = filled(place, 6);
    let server = Running::over(place);
    for address in ["/", "/runs?text=epyc", "/primitive/sha256", "/run/1", "/compare?a=1&b=2"] {
        let first = server.get(address);
        let tag = first.header("etag").expect("a tag").to_owned();
        let again = server.ask("GET", address, &[("If-None-Match", &tag)]);
        assert_eq!((again.status, again.body.len()), (304, 0), "{address}");
        assert_eq!(again.header("etag"), Some(tag.as_str()));
        let other = server.ask("GET", address, &[("If-None-Match", "W/\"other\"")]);
        assert_eq!((other.status, other.text()), (200, first.text()), "{address}");
        // A label changes the list of runs.
        store.label(3, &format!("after{}", address.len()), true).unwrap();
        server.get(address);
        server.site.wait_for_survey();
        let now = server.ask("GET", address, &[("If-None-Match", &tag)]);
        assert_eq!(now.status, 200, "{address}");
        assert_ne!(now.header("etag"), Some(tag.as_str()));
    }
    let style = server.get("/style.css");
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
    let tag = style.header("etag").unwrap().to_owned();
    assert_eq!(server.ask("GET", "/style.css", &[("If-None-Match", &tag)]).status, 304);
}

pub fn a_store_that_is_gone_is_told(place: &StoreLocation) {
    drop(filled(place, 1));
    let server = Running::over(place);
    assert_eq!(server.get("/runs").status, 200);
    match place {
        StoreLocation::File(path) => {
            std::fs::write(path, "SQLite format 3\0 and nothing else").unwrap();
        }
        StoreLocation::Server(_) => {
            let name = place.to_string();
            let name = name.split(['/', '?']).nth(3).expect("a database").to_owned();
            let shared = crate::server::shared().expect("it was there");
            shared.psql(&name, "DROP SCHEMA cpb CASCADE").expect("it is ours");
        }
    }
    let answer = server.get("/runs");
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.header("retry-after").is_some());
    let text = answer.text();
    let is_told = ["damaged", "there is no schema"].iter().any(|words| text.contains(words));
    assert!(text.contains("No answer") && is_told, "{text}");
}

fn over_a_file(test: impl Fn(&Running)) {
    let folder = tempfile::TempDir::new().unwrap();
    let place = folder.path().join("runs.sqlite").into();
    drop(filled(&place, 6));
    test(&Running::over(&place));
}

#[test]
fn every_answer_is_protected() {
    over_a_file(|server| {
        for address in ["/", "/style.css", "/run/1", "/nothing", "/runs?x=1"] {
            let answer = server.get(address);
            let policy = answer.header("content-security-policy").expect("a policy");
            assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
            assert!(policy.contains("frame-ancestors 'none'"), "{address}: {policy}");
            for (name, value) in [
                ("x-content-type-options", "nosniff"),
                ("x-frame-options", "DENY"),
                ("referrer-policy", "no-referrer"),
                ("cross-origin-resource-policy", "same-origin"),
                ("cache-control", "no-cache"),
            ] {
                assert_eq!(answer.header(name), Some(value), "{address}");
            }
        }
        // Our own pages have no script, and only the style of its file.
        for address in ["/", "/changes", "/primitive/sha256", "/compare?a=1&b=2", "/run/1/rows"] {
            let page = server.page(address);
            for inline in ["<script", "<style", " style=", " onclick=", "http://", "https://"] {
                let own_names = page.replace("http://www.w3.org/2000/svg", "");
                assert!(!own_names.contains(inline), "{address}: {inline}");
            }
        }
    });
}

#[test]
fn only_reading_is_allowed() {
    over_a_file(|server| {
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"] {
            let answer = server.ask(method, "/runs", &[]);
            assert_eq!(answer.status, 405, "{method}");
            assert_eq!(answer.header("allow"), Some("GET,HEAD"), "{method}");
            assert!(answer.text().contains("only be read"), "{method}");
        }
        for address in ["/", "/style.css", "/run/1", "/nothing"] {
            let whole = server.get(address);
            let head = server.ask("HEAD", address, &[]);
            assert_eq!((head.status, head.body.len()), (whole.status, 0), "{address}");
            assert_eq!(head.header("etag"), whole.header("etag"), "{address}");
            assert_eq!(head.header("content-type"), whole.header("content-type"), "{address}");
        }
    });
}

#[test]
fn pages_are_compressed_for_those_who_can() {
    over_a_file(|server| {
        for address in ["/", "/run/1", "/style.css", "/nothing"] {
            let plain = server.get(address);
            assert_eq!(plain.header("content-encoding"), None);
            let packed = server.ask("GET", address, &[("Accept-Encoding", "gzip, deflate, br")]);
            assert_eq!(packed.header("content-encoding"), Some("gzip"), "{address}");
            assert!(packed.header("vary").is_some_and(|it| it.contains("accept-encoding")));
            let mut text = String::new();
            flate2::read::GzDecoder::new(&packed.body[..]).read_to_string(&mut text).unwrap();
            assert_eq!(text, plain.text(), "{address}");
            assert!(packed.body.len() < plain.body.len(), "{address}");
        }
    });
}

#[test]
fn pages_of_others_get_nothing_by_our_address() {
    over_a_file(|server| {
        for (host, status) in [
            ("evil.example", 421),
            ("evil.example:8377", 421),
            ("localhost.evil.example", 421),
            ("192.168.0.1", 421),
            ("", 421),
            ("<script>", 421),
            ("localhost", 200),
            ("LocalHost:1", 200),
            ("[::1]:8377", 200),
            ("bench.example", 200),
        ] {
            for address in ["/runs", "/style.css", "/nothing"] {
                let status = if status == 200 && address == "/nothing" { 404 } else { status };
                let answer = server.ask("GET", address, &[("Host", host)]);
                assert_eq!(answer.status, status, "{host} {address}");
                assert!(!answer.text().contains("<script>"), "{host}");
            }
        }
        let absolute = server.send(
            "GET http://evil.example/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        );
        assert_eq!(absolute.status, 421);
        let old = server.send("GET /runs HTTP/1.0\r\n\r\n");
        assert_eq!(old.status, 421, "who says no host may mean any");
    });
}

#[test]
fn many_ask_at_once_and_all_are_answered() {
    over_a_file(|server| {
        std::thread::scope(|scope| {
            for place in 0..40 {
                scope.spawn(move || {
                    let address = ["/", "/primitive/sha256", "/run/1", "/changes"][place % 4];
                    assert_eq!(server.get(address).status, 200);
                });
            }
        });
    });
}

/// Others must be served in a third of the time that the server grants to a silent
/// client.
#[test]
fn who_says_half_of_it_or_never_reads_does_not_keep_others_waiting() {
    const PATIENCE: Duration = Duration::from_secs(10);
    over_a_file(|server| {
        let whole = format!("GET /run/1 HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
        // There are so many requests in the last case that the responses exceed the
        // sockets' buffers.
        for (what, said) in [
            ("nothing", String::new()),
            ("half a request", whole[..whole.len() / 2].to_owned()),
            ("a request", whole.clone()),
            ("many requests", whole.repeat(100)),
        ] {
            let silent: Vec<TcpStream> = (0..300)
                .map(|_| {
                    let mut stream = TcpStream::connect(server.address).expect("it listens");
                    stream.set_nonblocking(true).unwrap();
                    let _ = stream.write_all(said.as_bytes());
                    stream
                })
                .collect();
            let start = Instant::now();
            let mut other = TcpStream::connect(server.address).expect("it listens");
            other.set_read_timeout(Some(PATIENCE)).unwrap();
            other.write_all(whole.as_bytes()).unwrap();
            let answered = other.read(&mut [0; 12]);
            println!("300 who say {what} and wait: {:.3} s", start.elapsed().as_secs_f64());
            assert!(answered.is_ok_and(|bytes| bytes == 12), "{what}");
            drop(silent);
        }
    });
}

#[test]
fn where_it_cannot_listen_it_says_why() {
    let taken = Server::listen("127.0.0.1:0", Vec::new()).unwrap();
    let port = taken.address().port();
    let told =
        |address: &str| Server::listen(address, Vec::new()).err().expect("refused").to_string();
    let again = told(&format!("127.0.0.1:{port}"));
    assert!(again.contains("is taken") && again.contains("--listen 127.0.0.1:"), "{again}");
    for wrong in
        ["", "8377", "127.0.0.1", "127.0.0.1:99999", "no.such.host.invalid:80", "1.2.3.4:1"]
    {
        let refused = told(wrong);
        assert!(refused.contains("HOST:PORT") || refused.contains("root"), "{wrong}: {refused}");
    }
    assert!(matches!(Server::listen("x", Vec::new()), Err(ServeError::NoAddress { .. })));
    assert!(taken.is_of_this_machine());
}
