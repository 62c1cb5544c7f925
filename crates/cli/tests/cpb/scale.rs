//! Tests `cpb scale`, which measures calls at once. Only planted figures are tested,
//! because the load of this machine decides all others.

use crate::program::{
    Called, Folder, SHARED, call, command, compile, cpb, on_this_machine, refused, says, succeeds,
};
use cpb_figures::scaling::Scaled;
use cpb_model::{FailureKind, Operation, Record, Run};
use serde_json::Value;
use std::process::Command;

/// A library of hashes, with and without a lock, some of which fail in a second thread.
struct Toy(Folder);

impl Toy {
    fn new() -> Self {
        let folder = Folder::new();
        compile("tests/cpb/scale/provider.c", &folder.path("libtoy.so"), &SHARED);
        Self(folder)
    }

    fn library(&self) -> String {
        format!("--library toy={}", self.0.word("libtoy.so"))
    }

    /// Returns the command line that measures `what` in one round, with enough time for a
    /// busy machine.
    fn line(&self, what: &str) -> String {
        format!("scale {what} {} --rounds 1 --max-time 600 --format json", self.library())
    }
}

/// Returns the records of each row, by the number of threads.
fn rows(called: &Called) -> Vec<Vec<Record>> {
    let run: Run = called.run();
    let rows = Scaled::of(&run.records, &run.host);
    assert_eq!(rows.iter().map(|row| row.records.len()).sum::<usize>(), run.records.len());
    rows.iter().map(|row| row.records.to_vec()).collect()
}

fn is_there(record: &Record) -> bool {
    record.failure.is_none() && record.is_measured()
}

fn is_measured(record: &Record) -> bool {
    is_there(record) && record.concurrent.as_ref().is_some_and(|it| it.rounds.len() == 1)
}

#[test]
fn every_size_of_every_row_is_measured() {
    let toy = Toy::new();
    let rows = rows(&succeeds(&toy.line("toy-free toy-locked --threads 1,2 --processes 2")));
    let names: Vec<&str> = rows.iter().map(|row| row[0].subject.primitive.as_str()).collect();
    assert_eq!(names, ["toy-free", "toy-locked"]);
    for row in &rows {
        let setups = row.iter().map(|it| &it.setup);
        let sizes: Vec<_> = setups.map(|it| (it.processes, it.threads)).collect();
        assert_eq!(sizes, [(1, 1), (1, 2), (2, 1)]);
        for record in row {
            assert!(is_measured(record), "{record:?}");
            let found = record.concurrent.as_ref().expect("measured");
            assert!(found.efficiency.is_some() && found.time.is_some(), "{record:?}");
        }
    }
}

#[test]
fn all_formats_show_what_was_measured_and_show_prints_it_again() {
    let toy = Toy::new();
    let run: Run = toy.0.succeeds(&toy.line("toy-free --threads 2")).run();
    let again: Run = toy.0.succeeds("show latest --format json").run();
    assert_eq!(again.records, run.records);
    let table = toy.0.succeeds("show latest").stdout;
    says(&table, &["toy-free (hash, 1 KiB)", "1 thread ", "2 threads ", "calls/s", "efficiency"]);
    let verdicts = ["scales to 2 threads", "stops scaling", "cannot tell"];
    assert!(verdicts.iter().any(|it| table.contains(it)), "{table}");
    let csv = toy.0.succeeds("show latest --format csv").stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("primitive,operation,library,backend"), "{csv}");
    assert_eq!(lines.len(), 3, "{csv}");
    assert!(lines[2].contains(",1024,false,1,2,"), "{csv}");
    toy.0.succeeds("show latest --format markdown").shows(&["| 2 threads |"]);
}

#[test]
fn a_second_thread_that_goes_wrong_costs_its_line_only() {
    on_this_machine();
    let toy = Toy::new();
    let what = "toy-crash toy-exit toy-leave toy-unwind toy-disagree toy-free --threads 1,2";
    let rows = rows(&cpb(&toy.line(what)).ends(1, &[]));
    let records = |primitive: &str| {
        rows.iter().find(|row| row[0].subject.primitive == primitive).expect("a row").as_slice()
    };
    for (primitive, kind, words) in [
        ("toy-crash", FailureKind::Crashed, "SIGSEGV"),
        ("toy-exit", FailureKind::Crashed, "exited by itself with status 7"),
        ("toy-leave", FailureKind::Crashed, "a thread that made the calls left by itself"),
        ("toy-unwind", FailureKind::Crashed, ""),
        ("toy-disagree", FailureKind::WrongAnswer, "put out what they do not alone"),
    ] {
        let [one, two] = records(primitive) else { panic!("{primitive} has two sizes") };
        assert!(is_measured(one), "{primitive}: {one:?}");
        let failure = two.failure.as_ref().expect(primitive);
        assert_eq!(failure.kind, kind, "{primitive}: {}", failure.reason);
        assert!(failure.reason.contains(words), "{primitive}: {}", failure.reason);
        // A failed record still states what was to be measured.
        assert!(!two.is_measured() && two.setup.threads == 2 && two.workload == one.workload);
    }
    assert!(records("toy-free").iter().all(is_measured));
}

#[test]
fn a_thread_that_never_returns_is_given_up() {
    on_this_machine();
    let toy = Toy::new();
    let line = toy.line("toy-hang --threads 2 --timeout 2");
    let rows = rows(&cpb(&line).ends(1, &[]));
    let failure = rows[0][1].failure.as_ref().expect("it hangs");
    assert_eq!(failure.kind, FailureKind::Hung, "{}", failure.reason);
    assert!(failure.reason.contains("no answer in"), "{}", failure.reason);
}

#[test]
fn threads_may_be_more_than_cpus_and_cpus_may_be_one() {
    on_this_machine();
    let toy = Toy::new();
    let cpu = cpb_host::allowed_cpus()[0].to_string();
    let line = toy.line("toy-free toy-locked --threads 1,2,16 --processes 3");
    let program = command().get_program().to_owned();
    let words = ["-c", &cpu].into_iter().map(Into::into).chain([program]);
    let mut taskset = Command::new("taskset");
    taskset.args(words).args(line.split_whitespace());
    taskset.envs(command().get_envs().filter_map(|(name, value)| Some((name, value?))));
    let called = call(&mut taskset).ends(0, &[]);
    for row in rows(&called) {
        assert_eq!(row.len(), 4);
        for record in &row {
            assert!(is_measured(record), "{record:?}");
            assert!(record.concurrent.as_ref().is_some_and(|it| it.time.is_some()), "{record:?}");
            let mut cpus = record.concurrent.iter().flat_map(|it| &it.cpus);
            assert!(cpus.all(|it| it.to_string() == cpu), "{record:?}");
        }
    }
}

#[test]
fn keys_are_shared_where_a_library_lets_threads() {
    on_this_machine();
    let line = "scale ed25519 sha256 --library openssl --threads 2 --share key --rounds 1 \
                --max-time 600 --format json";
    let rows = rows(&cpb(line).ends(1, &[]));
    assert!(rows.len() > 2 && rows.iter().flatten().all(|it| it.setup.shares_keys));
    for row in &rows {
        let operation = row[0].subject.operation;
        if operation == Operation::Sign || operation == Operation::Verify {
            assert!(row.len() == 2 && row.iter().all(is_measured), "{row:?}");
        } else if operation == Operation::Hash || operation == Operation::Keygen {
            assert!(row.len() == 2 && row.iter().all(|it| it.concurrent.is_none()), "{row:?}");
            let mut reasons = row.iter().map(|it| &it.failure.as_ref().expect("it failed").reason);
            let words = "no keys that threads could share";
            assert!(reasons.all(|reason| reason.contains(words)), "{row:?}");
        }
    }
}

#[test]
fn one_thread_is_measured_beside_others_that_do_something_else() {
    on_this_machine();
    let toy = Toy::new();
    for (beside, words) in [("memory", "memory traffic"), ("toy-locked", "toy-locked hash, 1024 B")]
    {
        let called = succeeds(&toy.line(&format!("toy-free --threads 1,3 --beside {beside}")));
        let rows = rows(&called);
        let [row] = &rows[..] else { panic!("one row: {rows:?}") };
        let of = |it: &Record| (it.setup.threads, it.setup.others, it.setup.beside.clone());
        let sizes: Vec<_> = row.iter().map(of).collect();
        assert_eq!(sizes, [(1, 0, None), (1, 2, Some(words.to_owned()))]);
        assert!(row.iter().all(is_measured), "{row:?}");
        // Only the threads of the row are counted.
        let slowest = row[1].concurrent.as_ref().and_then(|it| it.slowest);
        assert!(slowest.is_some_and(|slowest| (slowest - 1.0).abs() < 1e-9));
    }
    let table = toy.line("toy-free --threads 2 --beside memory").replace("json", "table");
    succeeds(&table).shows(&["1 beside 1", "beside 1 thread of memory"]);
}

#[test]
fn a_suite_says_what_other_threads_do() {
    let toy = Toy::new();
    let text = "name = \"mine\"\nabout = \"for a test\"\n[[select]]\nwhat = [\"toy-free\"]\n\
                sizes = [64, 100]\n[[select]]\nwhat = [\"toy-locked\"]\nsizes = [64]\n\
                beside = \"memory\"\n[[select]]\nwhat = [\"toy-locked\"]\nsizes = [64]\n\
                beside = \"toy-free hash\"\n";
    let suite = toy.0.writes("mine.toml", text);
    let size = |mut row: Vec<Record>| {
        let last = row.pop().filter(|_| row.len() == 1).expect("two sizes");
        assert!(is_there(&last), "{last:?}");
        let (bytes, setup) = (last.parameters().message_bytes, last.setup);
        (last.subject.primitive, bytes, setup.beside, setup.threads, setup.others)
    };
    let of = |line: &str| Vec::from_iter(rows(&succeeds(line)).into_iter().map(size));
    let row = |name: &str, bytes, beside: Option<&str>, threads, others| {
        (name.to_owned(), bytes, beside.map(str::to_owned), threads, others)
    };
    let expected = [
        row("toy-free", 64, None, 2, 0),
        row("toy-free", 100, None, 2, 0),
        row("toy-locked", 64, Some("memory traffic"), 1, 1),
        row("toy-locked", 64, Some("toy-free hash, 1024 B"), 1, 1),
    ];
    assert_eq!(of(&toy.line(&format!("--suite {suite} --threads 2"))), expected);
    let library = toy.library();
    let measured = format!("run --suite {suite} {library} --max-time 600 --format json");
    assert_eq!(of(&format!("{measured} --threads 2")), expected);
    cpb(&format!("{measured} --precision 99%")).ends(0, &["what other threads do: --threads"]);
    refused(&format!("scale --suite {suite} toy-free {library}"), &["cannot be used with"]);
    toy.0.writes("mine.toml", text.replace("toy-free hash", "toy-fre hash"));
    let wrong = ["line 13, column 10", "'toy-fre'", "'toy-free'"];
    refused(&format!("scale --suite {suite} {library}"), &wrong);
}

#[test]
fn run_has_threads_make_the_calls_of_all_its_lengths() {
    let toy = Toy::new();
    let line = format!("run toy-free {} --threads 2 --sizes 16,64", toy.library());
    let rows = rows(&succeeds(&format!("{line} --max-time 600 --format json")));
    let lengths: Vec<&[usize]> = rows.iter().map(|row| row[0].lengths.as_slice()).collect();
    assert_eq!(lengths, [[16], [64]]);
    assert!(rows.iter().flatten().all(is_there));
}

#[test]
fn compare_has_a_line_for_each_number_of_threads() {
    on_this_machine();
    let toy = Toy::new();
    let library = format!("toy={}", toy.0.word("libtoy.so"));
    let line = format!("compare {library} {library} toy-free toy-crash --sizes 64 --threads 2");
    let line = format!("{line} --max-time 10 --precision 90% --format json");
    let document: Value = cpb(&line).ends(1, &[]).json();
    let workloads = document["workloads"].as_array().expect("lines");
    let line = |it: &Value| {
        let failure = it["failure"].as_str().unwrap_or_default().to_owned();
        (it["primitive"].clone(), it["threads"].clone(), it["rounds"] != 0, failure)
    };
    let lines: Vec<_> = workloads.iter().map(line).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (primitive, threads, has_rounds, failure) in lines {
        let crashes = primitive == "toy-crash" && threads == 2;
        assert_eq!((has_rounds, failure.contains("SIGSEGV")), (!crashes, crashes), "{failure}");
    }
    toy.0.succeeds(&format!("run toy-free --sizes 64 --quick {}", toy.library()));
    toy.0.cpb("compare latest native --threads 2").fails(2, &["'latest'", "a library"]);
}
