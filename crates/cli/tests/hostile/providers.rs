//! Tests providers that crash, hang, fork, flood and lie, in every function of the
//! interface: each costs only its own rows.
//!
//! By default a share of them runs; all with `CPB_HOSTILE_ALL=1`.

use crate::calling::{Call, Survived, chosen, left_behind, make, marked, survive};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The places where a provider is called.
const PLACES: &str = "load entry code_path count implementation prepare run output release";
/// What the provider does in that function.
const ACTS: &str = "\
    segv abort exit0 exit3 ill fpe overflow spin stop deaf group close hush read fork forkexit daemon \
    daemonexit rawfork rawdaemon rawdaemonexit parent parentstop stdout stderr words pipes lines";
const TEXTS: &str = "\
    name version code_path primitive spelling backend row_group row_algorithm row_mode";
const TEXT_LIES: &str = "null empty bytes escape wild nan long";
const NUMBERS: &str = "\
    operation is_default key_bytes nonce_bytes tag_bytes granularity block_bytes output_bytes \
    digest_bytes role";
/// cpb must allocate these lengths itself, unlike those it passes on, so only
/// feasible ones are tried.
const NUMBER_LIES: &str = "0 7 9 65536";
const LIES: &str = "\
    abi=0 abi=1 abi=4294967295 entry=null entry=wild without=code_path without=count \
    without=implementation without=prepare without=run without=output without=release count=most \
    count=many count=more count=none twice implementation=null implementation=wild \
    length=twisted length=above length=wide length=twice length=most length=many length=18 \
    length=null length=wild prepare=null prepare=silent prepare=two prepare=open prepare=bytes \
    prepare=escape run=lazy run=slow output=refused output=null output=none output=most \
    output=large output=wild output=other output=nobody output=moody";

fn modes() -> Vec<String> {
    let each = |names: &str, mark: &str, lies: &str| -> Vec<String> {
        let with = |name: &str| lies.split(' ').map(|lie| format!("{name}{mark}{lie}")).collect();
        names.split(' ').flat_map::<Vec<String>, _>(with).collect()
    };
    let (acts, texts) = (each(PLACES, ":", ACTS), each(TEXTS, "=", TEXT_LIES));
    let lies = LIES.split(' ').map(str::to_owned).collect();
    [acts, texts, each(NUMBERS, "=", NUMBER_LIES), lies].concat()
}

/// Compiles the provider, in a folder of its own.
fn provider() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder of our own");
    let file = folder.path().join("libhostile.so");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-shared", "-fPIC", "-w", "-I"])
        .arg(here.join("../../shims"))
        .arg(here.join("tests/hostile/provider.c"))
        .arg("-o")
        .arg(&file)
        .status();
    assert!(built.expect("a C compiler").success());
    (folder, file)
}

fn call(provider: &Path, mode: &str, line: &str) -> Call {
    let line = line.replace("MINE", &format!("mine={}", provider.display()));
    let words = line.split_whitespace().map(OsString::from).collect();
    // Other libraries that could check its answers would take of its time.
    let alone = ("CPB_CROSS_CHECKS", "none".to_owned());
    Call { words, variables: vec![("CPB_HOSTILE", mode.to_owned()), alone] }
}

/// The command line tried with each provider: a run; others follow.
const RUN: &str = "run * --library MINE --sizes 64 --precision 99% --max-time 120 --timeout 1 \
                   --no-save --format json";
const OTHERS: [&str; 4] = [
    "list --library MINE --timeout 1",
    "list --libraries --library MINE --format csv --timeout 1",
    "slope --library MINE --sizes 64,128 --repetitions 2 --timeout 1 --no-save --csv",
    "compare MINE MINE --sizes 64 --max-time 20 --timeout 1 --precision 90%",
];

#[test]
fn every_provider_is_survived() {
    let (folder, provider) = provider();
    let both = |(index, mode): (usize, String)| {
        [(mode.clone(), RUN), (mode, OTHERS[index % OTHERS.len()])]
    };
    let calls: Vec<(String, &str)> = modes().into_iter().enumerate().flat_map(both).collect();
    assert!(calls.len() >= 2 * 130);
    make(&chosen(calls, 24), folder.path(), |(mode, line), place| {
        // Here others are asked what they have of it, as users' calls do.
        let mut call = call(&provider, mode, line);
        call.variables.push(("CPB_CROSS_CHECKS", "all".to_owned()));
        survive(&call, place).map(|survived| survived.status)
    });
}

/// A provider that does nothing wrong is measured, so the failures above come from
/// what it was told to do.
#[test]
fn a_provider_that_behaves_is_measured() {
    let (folder, provider) = provider();
    for mode in ["", "run:nothing"] {
        let survived = survive(&call(&provider, mode, RUN), folder.path()).expect("it is harmless");
        assert_eq!(survived.status, 0, "{}", survived.stderr);
    }
}

/// No code of a provider runs at unloading, because it is never unloaded.
#[test]
fn no_provider_is_unloaded() {
    let (folder, provider) = provider();
    for (place, is_done) in [("load", true), ("unload", false)] {
        let mark = folder.path().join("called");
        let _ = std::fs::remove_file(&mark);
        let survived = survive(&call(&provider, &format!("{place}:mark"), RUN), folder.path());
        assert_eq!(survived.expect("it is harmless").status, 0, "{place}");
        assert_eq!(mark.exists(), is_done, "{place}");
    }
}

#[test]
fn each_fault_is_named() {
    let (folder, provider) = provider();
    for (mode, words) in [
        ("run:segv", "SIGSEGV"),
        ("run:exit3", "exited by itself with status 3"),
        ("run:spin", "no answer in"),
        ("run:hush", "closed its output and did not end"),
        ("load:forkexit", "exited by itself with status 7"),
        ("run:daemonexit", "exited by itself with status 7"),
        ("run:rawdaemonexit", "exited by itself with status 7"),
        ("run:parent", "SIGKILL"),
        ("run:parentstop", "no answer in"),
        ("prepare:pipes", "wrote to the worker's output"),
        ("prepare:lines", "wrote to the worker's output"),
        ("count=most", "it states 18446744073709551615 implementations"),
        ("abi=1", "ersion 1"),
        ("prepare=silent", "no reason given"),
        ("length=twisted", "states 8 as the usual length of its digest, from 9 to 7"),
        ("length=twice", "two lengths of its digest"),
        ("length=null", "a null pointer to them"),
        ("length=most", "18446744073709551615 lengths"),
        ("role=13", "a length of role 13, which hash has not"),
        ("digest_bytes=0", "no length of its digest"),
        ("output=other", "put out role 13 in place of its digest"),
    ] {
        let place = folder.path().join(mode.replace([':', '='], "-"));
        std::fs::create_dir_all(&place).expect("ours");
        let survived = survive(&call(&provider, mode, RUN), &place).expect(mode);
        assert_eq!(survived.status, 1, "{mode}: {}", survived.stderr);
        assert!(survived.stderr.contains(words), "{mode}: {}", survived.stderr);
    }
}

/// Once time is up, no worker is started for the remaining rows.
#[test]
fn a_provider_of_myriads_is_given_up_in_time() {
    let (folder, provider) = provider();
    let line = "run * --library MINE --sizes 64 --max-time 5 --no-save";
    let survived =
        survive(&call(&provider, "count=myriads", line), folder.path()).expect("it ends");
    let stderr = survived.stderr;
    assert!(stderr.contains("rows were not measured, since no time was left"), "{stderr}");
    let killed = stderr.matches("time was up before it answered, worker killed").count();
    assert!(killed < 100, "{killed} workers were killed");
}

/// A longer `--timeout` would not help where `--max-time` is over.
#[test]
fn a_provider_that_is_not_heard_in_time_needs_more_time() {
    let (folder, provider) = provider();
    let line = "run * --library MINE --sizes 64 --max-time 1 --no-save";
    let survived = survive(&call(&provider, "count:spin", line), folder.path()).expect("it ends");
    let remedy = "time was up before it answered, worker killed; give more --max-time";
    assert!(survived.stderr.contains(remedy), "{}", survived.stderr);
}

/// A library's output is quoted as the library's, and shortened.
#[test]
fn a_library_s_words_are_quoted() {
    let (folder, provider) = provider();
    let quoted = format!(
        "mine={} says: \\u{{1b}}]0;gone\\u{{7}}\\u{{1b}}[2J\\u{{202e}}\u{fffd}\n",
        provider.display()
    );
    for place in ["load", "prepare"] {
        let list = "list --library MINE";
        let (line, workers) = if place == "prepare" { (RUN, 100) } else { (list, 1) };
        let mode = format!("{place}:words");
        let Survived { status, stderr } =
            survive(&call(&provider, &mode, line), folder.path()).expect("it only talks");
        assert_eq!(status, 0, "{stderr}");
        assert!(stderr.contains(&quoted.repeat(20)), "{place}: {stderr}");
        assert!(stderr.matches(&quoted).count() <= 20 * workers, "{place}: {stderr}");
        assert!(stderr.contains(" says: (what else it says is not shown)\n"), "{place}: {stderr}");
        assert!(!stderr.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{place}: {stderr}");
    }
}

/// Killing cpb leaves no worker behind, nor what its library started.
#[test]
fn nothing_outlives_a_parent_that_is_killed() {
    let (folder, provider) = provider();
    let modes = "prepare:fork prepare:daemon prepare:rawfork prepare:rawdaemon run:spin run:deaf \
                 run:stop";
    for mode in modes.split(' ') {
        let mark = folder.path().join(mode.replace(':', "-")).display().to_string();
        let line = "run * --library MINE --sizes 64 --precision 0.0001% --max-time 60 --no-save";
        let Call { words, variables } = call(&provider, mode, line);
        let start_cpb = || {
            Command::new(env!("CARGO_BIN_EXE_cpb"))
                .args(&words)
                .envs(variables.clone())
                .env("CPB_HOSTILE_MARK", &mark)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("cpb starts")
        };
        let mut child = start_cpb();
        // Other processes of the group are seen repeatedly: workers that hang in a
        // call, or that appear and end with what their library starts. On a busy
        // machine cpb may give up the row before.
        let start = Instant::now();
        let mut seen = 0;
        while seen < 10 {
            assert!(start.elapsed() < Duration::from_secs(60), "{mode}: seen {seen} times only");
            if child.try_wait().expect("it is ours").is_some() {
                (child, seen) = (start_cpb(), 0);
            }
            std::thread::sleep(Duration::from_millis(50));
            seen += usize::from(marked(&mark).len() > 1);
        }
        child.kill().expect("it runs");
        child.wait().expect("it ended");
        assert_eq!(left_behind(&mark), Vec::<u32>::new(), "{mode}");
    }
}
