//! Tests saved runs in a database of a PostgreSQL server.

use crate::interrupt::is_hangup_ignored;
use crate::program::{Called, Folder, call, command, send, skipped, spawn, until, wait};
use crate::server::{Server, shared};
use crate::store::{parse, unsaved};
use rustix::process::Signal;
use std::process::Command;
use std::time::{Duration, Instant};

/// A run that takes a tenth of a second.
const QUICK: &str = "run sha3-256 --library native --backend portable --sizes 64 --precision 99% \
                     --max-time 120";

/// A user of a database, who has files of their own.
struct User {
    home: Folder,
    store: String,
}

impl User {
    fn of(store: String) -> Self {
        Self { home: Folder::new(), store }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = command();
        command.env("XDG_DATA_HOME", self.home.path("")).env("HOME", self.home.path(""));
        for variable in ["PGPASSWORD", "PGPASSFILE", "PGSSLMODE", "PGHOST"] {
            command.env_remove(variable);
        }
        command.env("CPB_STORE", &self.store).args(line.split_whitespace());
        command
    }

    fn cpb(&self, line: &str) -> Called {
        call(&mut self.command(line))
    }

    fn succeeds(&self, line: &str) -> Called {
        let called = self.cpb(line).ends(0, &[]);
        assert!(!called.stderr.contains("error"), "{line}: {}", called.stderr);
        called
    }

    fn fails(&self, line: &str, words: &[&str]) {
        self.cpb(line).ends(2, words);
    }

    /// Returns how many runs wait in the user's own file, which `history` lists below a header.
    fn kept(&self) -> usize {
        let own = format!("history --format csv --store {}", self.home.word("cpb/runs.sqlite"));
        self.succeeds(&own).stdout.lines().count() - 1
    }

    /// Returns the UUIDs of the runs in the store.
    fn ids(&self) -> Vec<String> {
        let listed = self.succeeds("history --format csv").stdout;
        listed.lines().skip(1).filter_map(|line| Some(line.split(',').nth(1)?.to_owned())).collect()
    }
}

#[test]
fn every_command_that_takes_a_store_takes_a_database() {
    let Some(server) = shared() else { return };
    let user = User::of(server.database());
    user.fails("history", &["no runs are saved yet", "schema 'cpb'"]);
    let printed = user.succeeds(QUICK).ends(0, &["saved as run 1"]);
    user.succeeds(QUICK);
    let shown = user.succeeds("show 1").stdout;
    assert!(shown.ends_with(&printed.stdout), "{shown}");
    user.succeeds("label 1 base");
    user.fails("label 2 base", &["label of run 1"]);
    user.succeeds("history").shows(&["base"]);
    user.succeeds("history sha3-256").shows(&["sha3-256 (hash)"]);
    user.succeeds("history sha3-256 --changes");
    let machines = user.succeeds("machines --format csv").stdout;
    let machine = machines.lines().nth(1).and_then(|line| line.split(',').next()).expect("one");
    let short = &machine[..4];
    assert_eq!(user.ids().len(), 2);
    let listed = user.succeeds(&format!("history --machine {short} --format csv")).stdout;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    user.fails("history --machine zz", &["unknown machine 'zz'", machine]);
    user.succeeds("compare base latest --format json");
    let gate = user.cpb("gate --baseline base --tolerance 90% --max-time 60");
    assert!([0, 1, 3].contains(&gate.status), "{}", gate.stderr);
    user.succeeds(&format!("report base latest --html {}", user.home.word("x.html")));
    user.succeeds(&format!("plot base -o {}", user.home.word("x.svg")));
    let file = user.home.word("base.json");
    user.succeeds(&format!("export base --output {file}"));
    user.fails(&format!("import {file}"), &["is already saved here, as run 1"]);
    user.succeeds("delete base");
    user.fails("show base", &["there is no run 'base'"]);
    user.succeeds(&format!("import {file}"));
    let there = user.succeeds("show latest~1 --format json --raw").run();
    let exported = parse(&std::fs::read_to_string(&file).expect("it is written"));
    assert!([there.id.clone(), user.ids().concat()].iter().any(|ids| ids.contains(&exported.id)));
    assert_eq!(user.kept(), 0, "all was sent");
}

#[test]
fn a_password_is_shown_and_kept_nowhere() {
    let Some(server) = shared() else { return };
    let name = server.name();
    let make = format!(
        "CREATE ROLE secretive LOGIN PASSWORD 'hush/@:x'; GRANT guarded TO secretive;
         GRANT CREATE ON DATABASE {name} TO secretive"
    );
    let _ = server.psql("postgres", "CREATE ROLE guarded");
    server.psql("postgres", &make).expect("a role");
    let here = server.folder().display();
    let plain = format!("postgres://secretive@/{name}?host={here}");
    let user = User::of(format!("postgres://secretive:hush%2F%40%3Ax@/{name}?host={here}"));
    // The password may be in the command line, too, though it should not be.
    let line = format!("{QUICK} --store {}", user.store);
    let mut told = vec![user.succeeds(&line)];
    for line in [
        "history",
        "history --format json",
        "history --format csv",
        "show",
        "show --format json",
        "export latest",
        "report latest",
        "machines",
        "show nothing",
        "history --nothing",
    ] {
        told.push(user.cpb(line));
    }
    for wrong in ["", "x", "?sslmode=x", "?sslmode=prefer", "?host=/nowhere", "?x=y"] {
        let store = user.store.replace(&format!("{name}?host={here}"), &format!("nowhere{wrong}"));
        told.push(user.cpb(&format!("history --store {store}")));
        told.push(user.cpb(&format!("history --store={store}")));
    }
    let page = user.home.word("x.html");
    user.succeeds(&format!("report latest --html {page}"));
    let page = std::fs::read_to_string(page).expect("a page");
    let with_config = |text: &str, line: &str| -> Called {
        let config = user.home.writes("config.toml", text);
        let mut command = user.command(line);
        command.env("CPB_CONFIG", config).env_remove("CPB_STORE");
        call(&mut command)
    };
    let right = format!("store = \"{}\"", user.store);
    told.push(with_config(&right, "config"));
    told.push(with_config(&right, "config --format json"));
    told.push(with_config(&right, "history --help"));
    assert!(with_config(&right, "history").stdout.contains("run sha3-256"));
    told.push(with_config(&format!("{right}\nprecision = \"{}\"", user.store), "history"));
    told.push(with_config(&format!("store = \"{}?sslmode=x\"", user.store), "history"));
    let told = told.iter().flat_map(|called| [&called.stdout, &called.stderr]);
    for text in told.chain([&page]) {
        assert!(!text.contains("hush"), "{text}");
    }
    // Here the password is in the file for it.
    let user = User::of(plain);
    user.fails("history", &["wants a password", "~/.pgpass", "PGPASSWORD"]);
    let pass = user.home.writes(".pgpass", "other:*:*:*:x\n*:*:*:secretive:hush/@\\:x\n");
    set_mode(&pass, 0o644);
    user.fails("history", &["others may read", "chmod 600"]);
    set_mode(&pass, 0o600);
    user.succeeds("history");
    let with = |name: &str, value: &str| {
        std::fs::remove_file(&pass).unwrap_or_default();
        call(user.command("history").env(name, value)).status == 0
    };
    assert!(with("PGPASSWORD", "hush/@:x"));
    assert!(!with("PGPASSWORD", "wrong"));
    let file = user.home.writes("elsewhere", "*:*:*:*:hush/@:x");
    set_mode(&file, 0o600);
    assert!(with("PGPASSFILE", &file));
}

fn set_mode(file: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).expect("ours");
}

#[test]
fn what_cannot_be_sent_is_kept_and_sent_later() {
    let Some(server) = shared() else { return };
    let name = server.name();
    server.psql("postgres", &format!("DROP DATABASE {name}")).expect("it was made");
    let user = User::of(server.address(&name));
    let later = "the next command that reaches that store sends it";
    user.succeeds(QUICK).ends(0, &["no database", "is kept as run 1", later]);
    // A run that was not measured here stays in its file, and this is reported as a failure.
    let file = user.home.writes("run.json", unsaved());
    user.fails(&format!("import {file}"), &["no database"]);
    assert_eq!(user.kept(), 1);
    server.psql("postgres", &format!("CREATE DATABASE {name}")).expect("it is made");
    let called = user.succeeds("history --format csv").ends(0, &["was sent, and is run 1 of"]);
    assert_eq!(called.stdout.lines().count(), 2);
    let run = user.succeeds("show 1 --raw --format json").run();
    assert!(run.records[0].points.iter().all(|point| !point.raw.is_empty()));
    assert_eq!(user.kept(), 0);
    assert_eq!(user.succeeds("history").stderr, "");
}

/// A silent server costs the documented seconds, or those until a signal; and the run is kept
/// however cpb ends meanwhile.
#[test]
fn a_silent_server_costs_no_run_and_no_patience() {
    let Some(server) = shared() else { return };
    let name = server.name();
    let user = User::of(format!("{}&connect_timeout=3", server.address(&name)));
    user.succeeds(QUICK);
    // Another client's transaction does not end.
    let locked = name.clone();
    std::thread::spawn(move || {
        server.psql(&locked, "BEGIN; LOCK TABLE cpb.runs; SELECT pg_sleep(600)")
    });
    let locks = "SELECT pid FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND \
                 relation = 'cpb.runs'::regclass";
    let holder = loop {
        match server.psql(&name, locks) {
            Ok(holder) if !holder.is_empty() => break holder,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let start = Instant::now();
    user.succeeds(QUICK).ends(0, &["is kept as run"]);
    assert!(start.elapsed() < Duration::from_secs(30));
    let mut signals = vec![Signal::TERM, Signal::INT, Signal::KILL];
    match is_hangup_ignored() {
        true => skipped("a silent server and SIGHUP: it is ignored here"),
        false => signals.push(Signal::HUP),
    }
    for (kept, &signal) in (1..).zip(&signals) {
        let mut command = user.command(QUICK);
        command.env("CPB_STORE", format!("{}&connect_timeout=600", server.address(&name)));
        let mut child = spawn(&mut command);
        until(|| user.kept() > kept);
        send(signal, &child);
        let start = Instant::now();
        child.wait().expect("ours");
        assert!(start.elapsed() < Duration::from_secs(5), "{signal:?} did not end it");
    }
    server.psql(&name, &format!("SELECT pg_terminate_backend({holder})")).expect("it ends");
    assert_eq!(user.ids().len(), 2 + signals.len());
}

#[test]
fn a_few_kills_lose_nothing() {
    kill_writers(3);
    kill_servers(3);
}

/// `CPB_KILLS` sets how many writers and servers are killed.
#[test]
#[ignore = "takes minutes"]
fn many_kills_lose_nothing() {
    let kills = std::env::var("CPB_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    kill_writers(kills);
    kill_servers(kills);
}

/// Kills writers at any moment: a run reported as saved exists, and no run exists only in
/// part.
fn kill_writers(kills: u32) {
    let Some(server) = shared() else { return };
    let user = User::of(server.database());
    let template = unsaved();
    let mut first = parse(&template);
    let (mut done, mut there) = (Vec::new(), 0);
    let file = user.home.writes("first.json", &template);
    let start = Instant::now();
    user.succeeds(&format!("import {file}"));
    let usual = start.elapsed();
    for kill in 0..kills {
        first.id = format!("00000000-0000-4000-8000-{kill:012}");
        let text = serde_json::to_string(&first).expect("JSON");
        let file = user.home.writes("run.json", text);
        let mut child = spawn(&mut user.command(&format!("import {file}")));
        // Some are killed before they began, some after they ended.
        std::thread::sleep(usual * (kill * 67 % 200) / 100);
        let _ = child.kill();
        let output = child.wait_with_output().expect("it ended");
        if !output.stdout.is_empty() {
            done.push(first.id.clone());
        }
    }
    let ids = user.cpb("history --format csv").stdout;
    for id in &done {
        assert_eq!(ids.matches(id.as_str()).count(), 1, "{id} was saved");
    }
    for number in user.cpb("history --format csv").stdout.lines().skip(1) {
        let number = number.split(',').next().expect("a number");
        let run = user.succeeds(&format!("show {number} --raw --format json")).run();
        assert_eq!(run.records, first.records);
        there += 1;
    }
    assert!(there > done.len(), "the first is there, too");
    let done = done.len();
    report(&format!("{kills} writers killed: {done} said that they saved, {there} runs there"));
}

/// Kills the server at any moment while runs end: each run exists once, or is kept and sent
/// later.
fn kill_servers(kills: u32) {
    let Some(server) = Server::start("") else { return };
    let user = User::of(server.database());
    let mut ids = Vec::new();
    let mut kept = 0;
    for kill in 0..kills {
        let child = spawn(&mut user.command(&format!("{QUICK} --format json")));
        std::thread::sleep(Duration::from_millis(300 + u64::from(kill * 137 % 500)));
        server.kill();
        let called = wait(child).ends(0, &[]);
        kept += u32::from(called.stderr.contains("is kept as run"));
        ids.push(called.run().id);
        server.wait();
    }
    let mut there = user.ids();
    ids.sort();
    there.sort();
    assert_eq!(there, ids);
    for id in &ids {
        let run = user.succeeds(&format!("show {id} --raw --format json")).run();
        assert!(run.records[0].points.iter().all(|point| !point.raw.is_empty()));
    }
    report(&format!(
        "{kills} kills of the server: {} runs measured, {} there, {kept} of them kept meanwhile",
        ids.len(),
        there.len()
    ));
}

/// Prints a line even if the test passes.
fn report(words: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(format!("\n{words}\n").as_bytes());
}
