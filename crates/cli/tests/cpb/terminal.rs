//! Tests text from files, stores and providers, as it reaches a terminal and a pipe.

use crate::program::{
    Called, Folder, LITTLE_MEMORY, call, command, on_this_machine, provider, succeeds, under,
};
use crate::store::unsaved;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;

/// Sets a title, clears the screen, reverses the reading direction, colours by a single
/// control character, begins a line, and is a formula.
const PAYLOAD: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\u{9b}31m\nFAKE ROW\r=1";

/// Command lines that read a test's files and store, for which words in capitals stand.
const LINES: &str = include_str!("terminal/lines.txt");

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
fn on_terminal(words: &[impl AsRef<OsStr>], environment: &[(&str, &str)]) -> String {
    on_terminal_as("cpb", words, environment)
}

/// Does the same under another program name.
fn on_terminal_as(name: &str, words: &[impl AsRef<OsStr>], environment: &[(&str, &str)]) -> String {
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

fn through_pipes(words: &[impl AsRef<OsStr>], environment: &[(&str, &str)]) -> Called {
    call(command().args(words).envs(environment.iter().copied()))
}

/// Checks that no output of `words` has an effect, on a terminal or in pipes.
fn is_harmless(words: &[impl AsRef<OsStr> + Debug], environment: &[(&str, &str)]) {
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
    let names = [
        ("FILE", &file),
        ("ODD", &odd),
        ("BROKEN", &broken),
        ("RAW", &raw),
        ("CHAIN", &chain),
        ("FLEET", &fleet),
        ("STORE", &store),
        ("NAME", &name),
    ];
    let filled = |word: &str| {
        let with =
            |(name, value): &(&str, &String)| Some(word.strip_suffix(name)?.to_owned() + value);
        names.iter().find_map(with).unwrap_or_else(|| word.to_owned())
    };
    let lines: Vec<Vec<String>> =
        LINES.lines().map(|line| line.split(' ').map(filled).collect()).collect();
    lines.iter().for_each(|words| is_harmless(words, &[]));
    poison_texts(&store);
    let of_store = lines.iter().filter(|words| words.contains(&store));
    of_store.for_each(|words| is_harmless(words, &[]));
}

#[test]
fn what_was_said_is_kept_and_shown_as_escapes() {
    let folder = Folder::new();
    let file = run(&folder);
    let run: Value = succeeds(&format!("show {file} --format json")).json();
    let escaped = "native\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{202e}\\u{9b}31m\\nFAKE ROW\\r=1";
    assert_eq!(run["records"][0]["subject"]["library"], escaped);
}

/// Checks that a terminal shows what is known so far during a long call, with `words`, and that
/// files and pipes get only the end.
fn shows_figures_before(end: &str, line: &str, words: &str) {
    on_this_machine();
    let line: Vec<&str> = line.split(' ').collect();
    let terminal = on_terminal(&line, &[]);
    let (before, end) = terminal.split_once(end).expect("a legend");
    assert!(before.contains("so far") && before.contains(words), "{before}");
    assert!(!end.contains("so far"), "{end}");
    let piped = through_pipes(&line, &[]).all();
    assert!(!piped.contains("so far"), "{piped}");
}

#[test]
fn a_terminal_shows_figures_before_the_end() {
    let run = "run sha256 --library native --precision 0.0001% --max-time 3 --no-save";
    shows_figures_before("cycles per byte of long messages", run, "left at most");
}

#[test]
fn a_terminal_shows_how_it_scales_before_the_end() {
    let scale = "scale sha256 --library native --backend portable --threads 2 --rounds 2 --no-save";
    shows_figures_before("calls/s: of all", scale, "sha256 (hash, 2 threads)");
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
    let words = ["the library wrote to the worker's output"];
    call(&mut limited).ends(1, &words).shows(&words);
}

#[test]
fn milos_json_is_one_line_on_a_terminal_too() {
    let words = "benchmark --repeats-time=2 primitive codec-base-16-encode --bytes-size=16";
    let words: Vec<&str> = words.split(' ').collect();
    let output = on_terminal_as("milo", &words, &[]);
    assert!(output.contains(r#"{"benchmark":{"primitive":{"codec-base-16-encode":{"#), "{output}");
}
