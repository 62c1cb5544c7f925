//! Tests `cpb serve`: where it listens, which requests it answers, how it ends.
//! `crates/serve` tests the content of its pages, `tests/page` their appearance.

use crate::program::{Called, command};
use crate::store::{LibrarySet, unsaved};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// Makes a store with a run.
fn shelf() -> LibrarySet {
    let shelf = LibrarySet::new();
    let file = shelf.path("run.json");
    std::fs::write(&file, unsaved()).expect("our folder");
    let called = shelf.cpb(&format!("import {}", file.display()));
    assert_eq!(called.status, 0, "{}", called.stderr);
    shelf
}

/// Starts the server, and waits until it prints host and port.
fn serving(line: &str) -> (Child, String) {
    let mut serve = command();
    serve.args(line.split_whitespace());
    started(serve)
}

fn started(mut serve: Command) -> (Child, String) {
    let mut child =
        serve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cpb starts");
    let mut address = String::new();
    let stdout = child.stdout.as_mut().expect("piped");
    BufReader::new(stdout).read_line(&mut address).expect("it says where it is");
    assert!(address.trim().ends_with("Ctrl-C stops the server"), "{address}");
    let address = address.split(' ').next().unwrap_or_default();
    let address = address.strip_prefix("http://").and_then(|it| it.strip_suffix('/'));
    (child, address.expect("an address").to_owned())
}

fn end(child: Child, signal: &str) -> Called {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().expect("kill is there").success());
    child.wait_with_output().expect("it ends").into()
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
    for signal in ["-INT", "-TERM"] {
        let (child, address) = serving(&shelf.line("serve --listen 127.0.0.1:0"));
        assert!(get(&address, "/").contains("1 run of 1 machine"));
        assert!(get(&address, "/run/1").contains("id=\"data\""));
        // A silent client does not keep the server running.
        let _silent = TcpStream::connect(&address).expect("it listens");
        let called = end(child, signal);
        assert_eq!(called.status, 0, "{signal}: {}", called.stderr);
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
    let called = end(child, "-INT");
    assert!(called.stderr.contains("there is no password"), "{}", called.stderr);
}

#[test]
fn what_cannot_be_served_is_refused() {
    let shelf = shelf();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let told = |line: &str, words: &[&str]| {
        let called = shelf.cpb(line);
        assert_eq!((called.status, called.stdout.as_str()), (2, ""), "{line}: {}", called.stderr);
        for word in words {
            assert!(called.stderr.contains(word), "{line}: '{word}': {}", called.stderr);
        }
    };
    let free = format!("--listen 127.0.0.1:{}", address.port() + 1);
    told(&format!("serve --listen {address}"), &["is taken by another program", &free]);
    let empty = LibrarySet::new();
    let called = empty.cpb("serve");
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("no runs are saved yet"), "{}", called.stderr);
}

#[test]
fn who_has_no_runs_yet_sees_how_to_get_some() {
    let home = tempfile::tempdir().expect("a folder of our own");
    let mut serve = command();
    serve.env("XDG_DATA_HOME", home.path()).args(["serve", "--listen", "127.0.0.1:0"]);
    let (child, address) = started(serve);
    let page = get(&address, "/");
    assert!(page.contains("<pre>cpb run sha256</pre>"), "{page}");
    let called = end(child, "-INT");
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stderr.contains("cpb run sha256, in another terminal"), "{}", called.stderr);
}
