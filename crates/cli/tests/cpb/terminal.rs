//! Tests text from files, stores and providers, as it reaches a terminal and a pipe.

use crate::program::{
    Called, Folder, LITTLE_MEMORY, call, command, on_this_machine, provider, succeeds, under,
};
use crate::store::unsaved;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;

/// Sets a title, clears the screen, reverses the reading direction, colours by a single
/// control character, begins a line, and is a formula.
const PAYLOAD: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\nFAKE ROW\r=1";

/// Returns which effects of `PAYLOAD` are in the output.
fn acting(output: &str) -> Vec<&'static str> {
    const ACTS: [(&str, &str); 8] = [
        ("\u{1b}]", "a title"),
        ("\u{1b}[2J", "a cleared screen"),
        ("\u{7}", "a bell"),
        ("\u{202e}", "a turned direction"),
        ("\u{9b}", "a C1 control"),
        ("\nFAKE ROW", "a row"),
        ("\rFAKE ROW", "a row"),
        ("FAKE ROW\r=1", "a carriage return"),
    ];
    ACTS.iter().filter(|(text, _)| output.contains(text)).map(|(_, what)| *what).collect()
}

/// Calls cpb with a terminal as its output, and returns all output.
fn on_terminal(words: &[&str], environment: &[(&str, &str)]) -> String {
    on_terminal_as("cpb", words, environment)
}

/// Does the same under another program name.
fn on_terminal_as(name: &str, words: &[&str], environment: &[(&str, &str)]) -> String {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("it is ours");
    let path = ptsname(&terminal, Vec::new()).expect("a name");
    let path = path.to_str().expect("plain");
    let inside = File::options().read(true).write(true).open(path).expect("it opens");
    let mut child = command()
        .arg0(name)
        .args(words)
        .envs(environment.iter().copied())
        .env("TERM", "xterm")
        .stdout(inside.try_clone().expect("another"))
        .stderr(inside)
        .spawn()
        .expect("cpb starts");
    let mut terminal = File::from(terminal);
    let reader = std::thread::spawn(move || {
        let (mut all, mut block) = (Vec::new(), [0; 4096]);
        // Reading fails once no process has it open.
        while let Ok(read @ 1..) = terminal.read(&mut block) {
            all.extend_from_slice(&block[..read]);
        }
        all
    });
    child.wait().expect("it ends");
    String::from_utf8(reader.join().expect("it reads")).expect("UTF-8")
}

fn through_pipes(words: &[&str], environment: &[(&str, &str)]) -> Called {
    call(command().args(words).envs(environment.iter().copied()))
}

/// Checks that no output of `words` has an effect, on a terminal or in pipes.
fn is_harmless(words: &[&str], environment: &[(&str, &str)]) {
    let terminal = on_terminal(words, environment).replace("\r\n", "\n");
    let Called { stdout, stderr, .. } = through_pipes(words, environment);
    for (text, whence) in [(&terminal, "terminal"), (&stdout, "stdout"), (&stderr, "stderr")] {
        assert_eq!(acting(text), [""; 0], "{words:?}, {whence}");
    }
}

/// Appends `PAYLOAD` to every free text in `value`.
fn poison(value: &mut Value, key: &str) {
    const WORDS: &str = "id estimator gate_loop certainty reason quiet operation contract method kind \
                         verification alignment fit cycle_source";
    match value {
        Value::String(text) if WORDS.split(' ').all(|it| it != key) => text.push_str(PAYLOAD),
        Value::Array(list) => list.iter_mut().for_each(|value| poison(value, key)),
        Value::Object(map) => map.iter_mut().for_each(|(key, value)| poison(value, key)),
        _ => {}
    }
}

fn run(folder: &Folder) -> String {
    let mut run: Value = serde_json::from_str(&unsaved()).expect("JSON");
    run["warnings"] = json!(["a warning"]);
    run["records"][0]["subject"]["row"] =
        json!({"group": "hash", "algorithm": "SHA3", "mode": "x"});
    let mut failed = run["records"][0].clone();
    failed["points"] = json!([]);
    failed["failure"] = json!({"kind": "crashed", "reason": "it crashed"});
    failed["subject"]["primitive"] = json!("=cmd|'/c calc'!A1");
    run["records"].as_array_mut().expect("rows").push(failed);
    for record in run["records"].as_array_mut().expect("rows") {
        // Before workloads existed, the subject stated this.
        record.as_object_mut().expect("a row").remove("workload");
    }
    poison(&mut run, "");
    folder.writes("hostile.json", run.to_string())
}

/// Appends the payload to every text of a store.
fn poison_texts(store: &str) {
    let database = rusqlite::Connection::open(store).expect("it opens");
    for column in ["id", "label", "version", "revision", "machine", "clock", "command"] {
        let change = format!("UPDATE runs SET {column} = {column} || ?1");
        database.execute(&change, [PAYLOAD]).expect("ours");
    }
    database.execute("UPDATE runs SET label = ?1", [PAYLOAD]).expect("ours");
    for column in ["id", "architecture", "cpu", "cpu_id", "hypervisor"] {
        let change = format!("UPDATE machines SET {column} = coalesce({column}, '') || ?1");
        database.execute(&change, [PAYLOAD]).expect("ours");
    }
    database.execute("UPDATE states SET kernel = ?1, microcode = ?1", [PAYLOAD]).expect("ours");
    for column in ["primitive", "library", "spelling", "backend", "workload", "unit"] {
        let change = format!("UPDATE series SET {column} = {column} || ?1");
        database.execute(&change, [PAYLOAD]).expect("ours");
    }
}

#[test]
fn no_text_of_a_file_or_a_store_acts() {
    let folder = Folder::new();
    let (file, store) = (run(&folder), folder.word("runs.sqlite"));
    let stored = ["import", &file, "--store", &store];
    is_harmless(&stored, &[]);
    let name = format!("x{PAYLOAD}");
    let broken = json!({ "schema": 1, "id": PAYLOAD }).to_string();
    let broken = folder.writes("broken.json", broken);
    let raw = folder.writes("raw.csv", "1\u{1b}[2J\u{202e}\u{9b},2,3\n");
    let chain = folder.writes("chain.jsonl", format!("{{\"start{PAYLOAD}\n"));
    let fleet = folder.word("fleet");
    std::fs::create_dir(&fleet).expect("ours");
    let about = json!({
        "schema": 1, "name": name, "suite": name, "has_own_suite": false, "created": 0,
        "version": name, "partition": name, "constraint": name, "time": null, "program": name,
        "store": name, "nodes_store": false, "unfit_too": false, "options": [name],
        "nodes": [{"name": "a", "absent": name}], "submissions": [],
    });
    folder.writes("fleet/fleet.json", about.to_string());
    let odd = folder.word(&format!("a{}.json", PAYLOAD.replace('/', "")));
    std::fs::copy(&file, &odd).expect("ours");
    for words in [
        &["show", &file][..],
        &["show", &file, "--format", "csv"],
        &["show", &file, "--format", "json"],
        &["export", &file, "--format", "csv"],
        &["export", &file],
        &["report", &file, "--markdown"],
        &["report", &file, "--html", "-"],
        &["report", &odd, "--html", "-"],
        &["plot", &file, "-o", "-"],
        &["plot", &file, "-o", "-", "--only", "nothing"],
        &["compare", &file, &file],
        &["compare", &file, &file, "--format", "csv"],
        &["gate", "--baseline", &file, "--other-machine", "--no-save", "--max-time", "1"],
        &["show", &broken],
        &["plot", &broken, "-o", "-"],
        &["plot", &raw, "-o", "-"],
        &["import", &odd, &broken, "--store", &store],
        &["show", &name, "--store", &store],
        &["history", "--store", &store],
        &["history", "--store", &store, "--format", "csv"],
        &["history", "--store", &store, "--format", "json"],
        &["history", "hash", "--store", &store],
        &["history", "nothing", "--store", &store],
        &["label", "1", &name, "--store", &store],
        &["run", &name],
        &["run", "--format", &name],
        &["run", "--sizes", &name],
        &[&format!("--{name}")],
        &[&format!("run --format={name}").replace(' ', "")],
        &["run", &format!("--sizes={name}")],
        &[&name],
        &["chain", "verify", &chain, "--format", "json"],
        &["fleet", "status", &fleet, "--format", "json"],
        &["fleet", "report", &fleet, "--format", "json"],
    ] {
        is_harmless(words, &[]);
    }
    poison_texts(&store);
    for words in [
        &["history", "--store", &store][..],
        &["history", "--store", &store, "--format", "csv"],
        &["history", "hash", "--store", &store],
        &["history", "nothing", "--store", &store],
        &["history", "--machine", "nothing", "--store", &store],
        &["machines", "--store", &store],
        &["machines", "--store", &store, "--format", "csv"],
        &["machines", "--store", &store, "--format", "json"],
        &["show", "nothing", "--store", &store],
    ] {
        is_harmless(words, &[]);
    }
}

#[test]
fn what_was_said_is_kept_and_shown_as_escapes() {
    let folder = Folder::new();
    let file = run(&folder);
    let run: Value = succeeds(&format!("show {file} --format json")).json();
    assert_eq!(
        run["records"][0]["subject"]["library"],
        "native\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{202e}\\u{9b}31m\\nFAKE ROW\\r=1"
    );
}

/// During a long run, a terminal shows what is known so far; files and pipes get only the
/// end.
#[test]
fn a_terminal_shows_figures_before_the_end() {
    on_this_machine();
    let run = "run sha256 --library native --precision 0.0001% --max-time 3 --no-save";
    let words: Vec<&str> = run.split(' ').collect();
    let terminal = on_terminal(&words, &[]);
    let (before, end) = terminal.split_once("cycles per byte of long messages").expect("a legend");
    assert!(before.contains("so far") && before.contains("left at most"), "{before}");
    assert!(!end.contains("so far"), "{end}");
    let Called { stdout, stderr, .. } = through_pipes(&words, &[]);
    assert!(!stdout.contains("so far") && !stderr.contains("so far"), "{stdout}{stderr}");
}

/// The same holds for calls at once.
#[test]
fn a_terminal_shows_how_it_scales_before_the_end() {
    on_this_machine();
    let words = "scale sha256 --library native --threads 2 --rounds 4 --no-save";
    let words: Vec<&str> = words.split(' ').collect();
    let terminal = on_terminal(&words, &[]);
    let (before, end) = terminal.split_once("calls/s: of all").expect("a legend");
    assert!(before.contains("so far") && before.contains("sha256 (hash, 2 threads)"), "{before}");
    assert!(!end.contains("so far"), "{end}");
}

#[test]
fn no_cell_of_csv_is_a_formula() {
    let folder = Folder::new();
    let file = run(&folder);
    let csv = succeeds(&format!("show {file} --format csv")).stdout;
    assert!(csv.contains("\n'=cmd|'/c calc'!A1"), "{csv}");
    assert!(csv.lines().all(|line| !line.starts_with('=')), "{csv}");
}

#[test]
fn no_text_of_a_provider_acts() {
    let folder = Folder::new();
    let library = provider("hostile", &folder);
    let measured =
        ["run", "--library", &library, "--precision", "99%", "--max-time", "20", "--no-save"];
    let csv = [&measured[..], &["--format", "csv"]].concat();
    let json = [&measured[..], &["--format", "json"]].concat();
    for words in [
        &measured[..],
        &csv,
        &json,
        &["list", "--library", &library],
        &["list", "--libraries", "--library", &library],
        &["slope", "--library", &library, "--repetitions", "2", "--no-save"],
    ] {
        is_harmless(words, &[]);
        is_harmless(words, &[("HOSTILE_REASON", "1")]);
    }
    // Its names are escaped once, and still select its own implementation.
    through_pipes(&json, &[]).ends(0, &[]).shows(&["acting-hash\\\\u{1b}]0;owned"]);
}

#[test]
fn a_provider_that_floods_its_pipe_costs_its_row_only() {
    let folder = Folder::new();
    let library = provider("hostile", &folder);
    let line = format!("run * --library {library} --precision 99% --max-time 20 --no-save");
    let mut limited = under(LITTLE_MEMORY, &line);
    limited.env("HOSTILE_FLOOD", "1");
    let called = call(&mut limited).ends(1, &[]);
    let words = "the library wrote to the worker's output";
    assert!(called.stderr.contains(words), "{}", called.stderr);
    assert!(called.stdout.contains(words), "{}", called.stdout);
}

#[test]
fn milos_json_is_one_line_on_a_terminal_too() {
    let words = "benchmark --repeats-time=2 primitive codec-base-16-encode --bytes-size=16";
    let words: Vec<&str> = words.split(' ').collect();
    let output = on_terminal_as("milo", &words, &[]);
    assert!(output.contains(r#"{"benchmark":{"primitive":{"codec-base-16-encode":{"#), "{output}");
}
