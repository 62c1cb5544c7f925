//! Tests servers that do not exist or reject us, and connections that end.

use crate::sample::run;
use crate::server::{Server, shared};
use cpb_store::{Store, StoreError, StoreLocation};
use std::os::unix::net::UnixListener;
use std::time::Duration;
use tempfile::TempDir;

pub(crate) fn place(address: &str) -> StoreLocation {
    StoreLocation::parse(address.as_ref()).expect("an address")
}

/// Opening must fail within its time limit, with these words, without the password.
fn unreachable(address: &str, words: &[&str]) {
    for open in [Store::open, Store::open_or_create] {
        let error = open(&place(address)).err().expect("it is refused");
        let text = error.to_string();
        assert!(matches!(error, StoreError::Unreachable { .. }), "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{words:?}: {text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn no_server_is_told() {
    let folder = TempDir::new().unwrap();
    let here = folder.path().display();
    unreachable(
        &format!("postgres://a:secret@/b?host={here}"),
        &["no server answers at", ".s.PGSQL.5432", "start it"],
    );
    unreachable("postgres://a:secret@127.0.0.1:1/b", &["127.0.0.1:1", "refused"]);
}

#[test]
fn a_silent_server_is_not_waited_for() {
    let folder = TempDir::new().unwrap();
    let _listens = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
    let here = folder.path().display();
    unreachable(
        &format!("postgres://a:secret@/b?host={here}&connect_timeout=1"),
        &["has not answered for 1 s"],
    );
}

#[test]
fn wrong_names_and_passwords_are_told() {
    let Some(server) = shared() else { return };
    let name = server.name();
    let here = server.folder().display();
    let make = "CREATE ROLE guarded LOGIN PASSWORD 'secret'";
    server.psql("postgres", make).unwrap();
    server.psql("postgres", &format!("ALTER DATABASE {name} OWNER TO guarded")).unwrap();
    unreachable(
        &format!("postgres://cpb:secret@/nowhere?host={here}"),
        &["no database 'nowhere'", "createdb nowhere"],
    );
    unreachable(
        &format!("postgres://guarded:secretx@/{name}?host={here}"),
        &["the password of guarded is wrong", ".pgpass"],
    );
    unreachable(
        &format!("postgres://guarded@/{name}?host={here}"),
        &["wants a password", ".pgpass", "PGPASSWORD"],
    );
    unreachable(&format!("postgres://nobody1@/{name}?host={here}"), &["nobody1"]);
    let right = place(&format!("postgres://guarded:secret@/{name}?host={here}"));
    Store::open_or_create(&right).unwrap().save(&run(1)).unwrap();
}

#[test]
fn tls_is_what_was_asked_for() {
    let folder = TempDir::new().unwrap();
    let Some(certificate) = certificate(&folder) else { return };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let on_port = format!("listen_addresses = '127.0.0.1'\nport = {port}");
    let plain = |mode: &str| format!("postgres://cpb@127.0.0.1:{port}/postgres?{mode}");
    let Some(server) = Server::start_with(port, &on_port, &[]) else { return };
    unreachable(&plain(""), &["has no TLS", "sslmode=disable"]);
    Store::open_or_create(&place(&plain("sslmode=disable"))).unwrap();
    drop(server);
    let settings = format!("{on_port}\nssl = on");
    let server = Server::start_with(port, &settings, &certificate).expect("as before");
    let [authority, other] = ["root.crt", "other.crt"].map(|name| folder.path().join(name));
    let named = |mode: &str, host: &str, root: &std::path::Path| {
        let root = root.display();
        format!("postgres://cpb@{host}:{port}/postgres?sslmode={mode}&sslrootcert={root}")
    };
    for right in [
        plain("sslmode=require"),
        named("verify-ca", "127.0.0.1", &authority),
        named("verify-full", "localhost", &authority),
        named("require", "localhost", &authority),
    ] {
        let mut store =
            Store::open_or_create(&place(&right)).unwrap_or_else(|e| panic!("{right}: {e}"));
        store.save(&run(1)).map_or_else(
            |error| assert!(matches!(error, StoreError::Present { .. }), "{error}"),
            |number| assert_eq!(number, 1),
        );
    }
    unreachable(&named("verify-full", "127.0.0.1", &authority), &["TLS failed", "certificate"]);
    unreachable(&named("verify-ca", "127.0.0.1", &other), &["TLS failed", "certificate"]);
    unreachable(&named("require", "127.0.0.1", &other), &["TLS failed", "certificate"]);
    let nothing = folder.path().join("none");
    unreachable(&named("verify-ca", "127.0.0.1", &nothing), &["cannot be read", "none"]);
    drop(server);
}

/// Makes a certificate for `localhost` with its key, signed by an authority, and
/// another authority.
fn certificate(folder: &TempDir) -> Option<[std::path::PathBuf; 2]> {
    let script = "
        openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.crt -days 2 -subj /CN=root
        openssl req -x509 -newkey rsa:2048 -nodes -keyout x.key -out other.crt -days 2 -subj /CN=other
        openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=localhost
        printf 'subjectAltName=DNS:localhost' > names
        openssl x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial \
                -out server.crt -days 2 -extfile names";
    let made = std::process::Command::new("bash")
        .args(["-ec", script])
        .current_dir(folder.path())
        .stderr(std::process::Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !made {
        use std::io::Write;
        let words = "\nskipped: TLS of PostgreSQL: there is no openssl to make a certificate\n";
        let _ = std::io::stderr().write_all(words.as_bytes());
    }
    made.then(|| ["server.crt", "server.key"].map(|name| folder.path().join(name)))
}

#[test]
fn a_lost_connection_leaves_nothing_half_done() {
    let Some(server) = shared() else { return };
    let name = server.name();
    let place = place(&server.address(&name));
    let mut store = Store::open_or_create(&place).unwrap();
    store.save(&run(1)).unwrap();
    let end = format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    );
    // The connection ends within a run: samples are read after the figures were sent.
    let cut = run(2);
    let lost = store.save_with(&cut, |position| {
        server.psql("postgres", &end).unwrap();
        Ok(cut.records[position].raw())
    });
    assert!(matches!(lost, Err(StoreError::Io { .. })), "{lost:?}");
    assert!(matches!(store.runs(), Err(StoreError::Io { .. })));
    let mut store = Store::open(&place).unwrap();
    assert_eq!(store.runs().unwrap().len(), 1);
    let number = store.save(&cut).unwrap();
    assert_eq!(store.load(number).unwrap(), cut);
}

#[test]
fn a_killed_server_has_every_run_that_was_saved() {
    let Some(server) = Server::start("") else { return };
    let place = place(&server.database());
    let mut store = Store::open_or_create(&place).ok();
    for number in 0..12 {
        if number % 4 == 3 {
            std::thread::scope(|scope| {
                scope.spawn(|| server.kill());
            });
        }
        let run = run(number);
        // Whether the reply or the run was lost, it is sent again until it arrives.
        loop {
            let opened = store.take().map_or_else(|| Store::open(&place), Ok);
            match opened.and_then(|mut it| it.save(&run).map(|number| (it, number))) {
                Ok((it, _)) => {
                    store = Some(it);
                    break;
                }
                Err(StoreError::Present { .. }) => break,
                Err(error) => {
                    assert!(error.is_transfer_failure(), "{error}");
                    server.wait();
                }
            }
        }
    }
    let store = Store::open(&place).unwrap();
    let entries = store.runs().unwrap();
    assert_eq!(entries.len(), 12);
    for (number, entry) in (0..).zip(entries) {
        assert!(store.load(entry.number).unwrap() == run(number), "{number}");
    }
}

#[test]
fn who_is_in_a_hurry_does_not_wait_for_a_statement() {
    let Some(server) = shared() else { return };
    let name = server.name();
    let place = place(&server.address(&name));
    Store::open_or_create(&place).unwrap().save(&run(1)).unwrap();
    let hurried = Store::open_within(&place, Duration::from_millis(100)).unwrap();
    assert_eq!(hurried.runs().unwrap().len(), 1);
    std::thread::scope(|scope| {
        let lock = "BEGIN; LOCK TABLE cpb.runs; SELECT pg_sleep(600)";
        scope.spawn(|| server.psql(&name, lock));
        let locked = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'
                      AND relation = 'cpb.runs'::regclass AND granted";
        while server.psql(&name, locked).as_deref() != Ok("1") {
            std::thread::sleep(Duration::from_millis(20));
        }
        let refused = hurried.runs();
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()";
        server.psql(&name, end).unwrap();
        assert!(matches!(refused, Err(StoreError::Busy { .. })), "{refused:?}");
    });
}
