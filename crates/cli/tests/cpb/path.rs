//! Tests which code is reported for calls whose code is known.

#![cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64")))]

use crate::program::{
    Called, Folder, SHARED, call, command, compile, cpb, interrupted, on_this_machine, says,
    skipped, succeeds, version_of,
};
use cpb_model::{CodePath, HeapUse, Record, TracedCall};
use std::process::Command;
use std::sync::LazyLock;

/// The classes of the providers' vectors and their AES.
const VECTORS: &str = if IS_ARM { "NEON" } else { "SSE2" };
const AES: &str = if IS_ARM { "AES" } else { "AES-NI" };
/// The bytes of the instruction that another call has in addition.
const MORE_BYTES: u64 = if IS_ARM { 4 } else { 7 };
/// The bytes of stack of the call that uses much of it; on x86-64 with the return address.
pub(crate) const DEEP: u64 = if IS_ARM { 4096 } else { 4104 };
const IS_ARM: bool = cfg!(target_arch = "aarch64");

/// A folder with a library whose calls are traced.
pub(crate) struct Traced {
    folder: Folder,
    pub(crate) library: String,
}

impl Traced {
    /// Builds the library. Where the system does not allow tracing, it prints a line, once for
    /// each test, and returns `None`.
    pub(crate) fn new(flags: &[&str]) -> Option<Self> {
        can_trace()?;
        let folder = Folder::new();
        let library = library(&folder, "traced", flags);
        Some(Self { folder, library })
    }

    /// Traces the call of 64 bytes of `primitive`, with further words on the command line.
    pub(crate) fn call(&self, primitive: &str, more: &str) -> TracedCall {
        let library = &self.library;
        let line = format!("path {primitive} --library {library} --sizes 64 --format json {more}");
        let records = records(&cpb(&line));
        assert_eq!(records.len(), 1, "{records:?}");
        path(&records[0]).calls[0].clone()
    }
}

fn library(folder: &Folder, name: &str, flags: &[&str]) -> String {
    let file = folder.path(&format!("{name}.so"));
    compile("tests/cpb/providers/traced.c", &file, &[&SHARED, flags].concat());
    format!("{name}={}", file.display())
}

pub(crate) fn records(called: &Called) -> Vec<Record> {
    called.run().records
}

pub(crate) fn path(record: &Record) -> &CodePath {
    record.path.as_ref().expect("a path")
}

fn has(flag: &str) -> bool {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_list = |line: &str| line.starts_with("flags") || line.starts_with("Features");
    about.lines().any(|line| is_list(line) && line.split(' ').any(|it| it == flag))
}

/// Returns something where the system allows tracing; prints a line where it does not.
fn can_trace() -> Option<()> {
    static REASON: LazyLock<Option<String>> = LazyLock::new(|| {
        let called =
            cpb("path sha256 --library native --backend portable --sizes 64 --format json");
        path(&records(&called)[0]).calls[0].not_traced.clone()
    });
    let reason = REASON.as_deref().filter(|reason| reason.contains("the system forbids it"));
    reason.iter().for_each(|reason| skipped(format!("tracing: {reason}")));
    reason.is_none().then_some(())
}

#[test]
fn instructions_classes_and_bytes_of_code_are_counted_exactly() {
    let Some(library) = Traced::new(&[]) else { return };
    let traced = library.call("traced-exact", "");
    let function = traced.functions.iter().find(|it| it.name == "traced_exact").expect("it ran");
    assert_eq!((function.instructions, function.after.as_ref()), (302, None));
    assert_eq!(traced.classes.get(VECTORS), Some(&100));
    assert_eq!(traced.classes.len(), 1, "{:?}", traced.classes);
    let words = format!("traced_exact, {VECTORS}");
    assert_eq!((traced.words.as_str(), traced.vector_bits), (words.as_str(), 128));
    let module = &traced.modules[function.module];
    assert!(module.file.ends_with("traced.so"), "{module:?}");
    assert!(module.build_id.as_ref().is_none_or(|id| id.len() >= 16), "{module:?}");
    // The additional instructions are the provider's loop, and its caller.
    assert!((302..352).contains(&traced.instructions), "{}", traced.instructions);
    let more = library.call("traced-more", "");
    let differences =
        [more.instructions - traced.instructions, more.code_bytes - traced.code_bytes];
    assert_eq!(differences, [1, MORE_BYTES]);
    let sum: u64 = traced.functions.iter().map(|it| it.instructions).sum();
    assert_eq!(sum, traced.instructions);
    if !has(if IS_ARM { "sve" } else { "avx2" }) {
        return skipped("this CPU has no wider vectors");
    }
    let wide = library.call("traced-wide", "");
    if IS_ARM {
        assert_eq!(wide.words, format!("traced_wide, SVE-{}", wide.vector_bits));
        assert!(wide.vector_bits >= 128, "{}", wide.vector_bits);
    } else {
        assert_eq!((wide.words.as_str(), wide.vector_bits), ("traced_wide, AVX2", 256));
    }
}

#[cfg(target_arch = "aarch64")]
#[test]
fn exclusive_stores_succeed_and_are_counted() {
    let Some(traced) = Traced::new(&[]) else { return };
    let traced = traced.call("traced-exclusive", "--resources");
    let function = traced.functions.iter().find(|it| it.name == "traced_exclusive");
    assert_eq!(function.map(|it| it.instructions), Some(62));
}

#[test]
fn a_library_built_without_an_instruction_set_takes_another_path_and_is_warned_of() {
    let Some(()) = can_trace() else { return };
    if !has("aes") {
        return skipped("this CPU has no instructions for AES");
    }
    let folder = Folder::new();
    let with = library(&folder, "with", &["-DWITH_AES"]);
    let without = library(&folder, "without", &[]);
    let line = format!("path aes-toy --library {with} --library {without} --format json");
    let found = records(&succeeds(&line));
    let [with_aes, without_aes] = &found[..] else { panic!("two rows: {found:?}") };
    let words = |record| path(record).words().expect("traced").to_owned();
    assert_eq!(words(with_aes), format!("traced_aes, {AES}"));
    assert_eq!(words(without_aes), "traced_aes, no vectors");
    assert_eq!(path(with_aes).calls[1].classes.get(AES), Some(&64));
    assert_eq!(path(with_aes).unused, [""; 0]);
    let unused = format!("{AES} not used: without.so is built without it");
    assert_eq!(path(without_aes).unused, [unused]);
    assert!(!path(with_aes).is_same_code(path(without_aes)));
    // The file has the code, and the report names the variable that selected another path.
    let told = format!("path aes-toy --library {without};OPENSSL_ia32cap=0 --format json");
    let unused = format!("{AES} not used: OPENSSL_ia32cap=0 is set");
    assert_eq!(path(&records(&succeeds(&told))[0]).unused, [unused]);
    succeeds(&line.replace(" --format json", "")).shows(&["is built without it"]);
}

#[test]
fn calls_of_the_c_library_and_of_the_system_are_counted() {
    let Some(traced) = Traced::new(&[]) else { return };
    let traced = traced.call("traced-calls", "");
    let calls = |name: &str| traced.calls.get(name).copied();
    let counts = ["malloc", "calloc", "realloc", "free", "syscall"].map(calls);
    assert_eq!(counts, [2, 1, 1, 3, 3].map(Some));
    assert_eq!(traced.system_calls.iter().collect::<Vec<_>>(), [(&"getppid".to_owned(), &3)]);
}

#[test]
fn the_stack_and_the_heap_of_a_call_are_known() {
    let Some(traced) = Traced::new(&[]) else { return };
    let library = &traced.library;
    // The provider itself keeps little on the stack around the call.
    let deep = traced.call("traced-deep", "").stack_bytes.expect("one stack");
    assert!((DEEP..DEEP + 64).contains(&deep), "{deep}");
    let flat = traced.call("traced-exact", "");
    let heap = |allocations, peak_bytes| Some(HeapUse { allocations, peak_bytes });
    assert!(flat.stack_bytes.is_some_and(|it| it < 72), "{:?}", flat.stack_bytes);
    assert_eq!(flat.heap, heap(0, 0));
    // The first blocks have 65 and 66 bytes, both allocated at once; the third has 100,
    // which grow to 110.
    assert_eq!(traced.call("traced-calls", "").heap, heap(4, 131));
    let cut = traced.call("traced-calls", "--instructions 5");
    assert!(cut.is_cut, "{cut:?}");
    assert_eq!(cut.heap, heap(4, 131));
    let line = format!("path traced-deep --library {library} --sizes 64 --resources");
    succeeds(&line).shows(&["What a call costs besides cycles"]);
    let file = std::fs::metadata(traced.folder.path("traced.so")).expect("a file").len();
    let bytes = traced.call("traced-exact", "").modules.iter().find_map(|it| it.bytes);
    assert_eq!(bytes, Some(file));
}

#[test]
fn another_path_at_another_length_is_told_and_a_longer_loop_is_none() {
    let Some(traced) = Traced::new(&["-fno-tree-vectorize"]) else { return };
    let library = &traced.library;
    let line = format!("path traced-lengths --library {library} --sizes 64,128,1024,2048");
    let found = records(&succeeds(&format!("{line} --format json")));
    let changed: Vec<bool> = path(&found[0]).calls.iter().map(TracedCall::is_changed).collect();
    assert_eq!(changed, [false, false, true, false]);
    let table = succeeds(&line).shows(&["another path than at 128 B"]).stdout;
    assert_eq!(table.matches("another path").count(), 1, "{table}");
}

#[test]
fn backends_that_are_the_same_code_are_said_to_be() {
    let Some(traced) = Traced::new(&["-fno-tree-vectorize"]) else { return };
    let one = &traced.library;
    // The second file has the same functions at other addresses, and is linked again.
    let other = library(&traced.folder, "again", &["-fno-tree-vectorize", "-DWITH_AES"]);
    let line = format!("path traced-twice --library {one} --library {other}");
    let found = records(&succeeds(&format!("{line} --format json")));
    assert_eq!(found.len(), 6);
    let is_same = |a: usize, b: usize| path(&found[a]).is_same_code(path(&found[b]));
    assert!(is_same(0, 1) && is_same(0, 3) && is_same(2, 5));
    assert!(!is_same(0, 2) && !is_same(1, 5));
    let table = succeeds(&line).shows(&["same code as traced one"]).stdout;
    assert_eq!(table.matches("same code as").count(), 4, "{table}");
}

#[test]
fn what_cannot_be_followed_is_said_with_its_reason_and_never_hangs() {
    let Some(traced) = Traced::new(&[]) else { return };
    let library = &traced.library;
    for (primitive, words) in [
        ("traced-thread", "starts a thread or a process"),
        ("traced-signal", "SIGUSR1 came in the midst of the call"),
        ("traced-wait", "did not go on"),
        ("traced-crash", "SIGSEGV"),
    ] {
        let reason = traced.call(primitive, "").not_traced.expect(primitive);
        assert!(reason.contains(words), "{primitive}: {reason}");
    }
    let line = format!("path traced-thread traced-exact --library {library} --sizes 64");
    cpb(&line)
        .ends(1, &[])
        .shows(&["not traced: the call starts", &format!("traced_exact, {VECTORS}")]);
}

#[test]
fn of_a_long_call_the_first_instructions_are_told() {
    let Some(traced) = Traced::new(&[]) else { return };
    let traced = traced.call("traced-long", "--instructions 1000");
    assert!(traced.is_cut && traced.not_traced.is_none());
    assert!((900..1100).contains(&traced.instructions), "{}", traced.instructions);
    assert!(traced.words.starts_with("long_call, "), "{}", traced.words);
}

#[test]
fn ctrl_c_ends_a_trace_with_what_was_finished() {
    let Some(traced) = Traced::new(&[]) else { return };
    let library = &traced.library;
    let line = format!("path traced-long --library {library} --sizes 64,65,66,67,68,69,70,71");
    interrupted(&format!("{line} --instructions 1000000000"), b"").ends(130, &["interrupted"]);
}

#[test]
fn where_ptrace_is_forbidden_that_is_said() {
    let folder = Folder::new();
    let library = library(&folder, "traced", &[]);
    let jail = folder.path("no_ptrace");
    compile("tests/cpb/providers/no_ptrace.c", &jail, &[""; 0]);
    let line = format!("path traced-exact --library {library} --sizes 64 --format json");
    let free = command();
    let mut jailed = Command::new(jail);
    jailed.arg(free.get_program()).args(line.split(' '));
    jailed.envs(free.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let called = call(&mut jailed).ends(1, &[]);
    let reason = path(&records(&called)[0]).calls[0].not_traced.clone().expect("a reason");
    assert!(reason.contains("the system forbids it (ptrace: EPERM"), "{reason}");
    assert!(reason.contains("SYS_PTRACE"), "{reason}");
}

#[test]
fn a_run_tells_the_path_beside_its_figures_and_keeps_it() {
    let Some(()) = can_trace() else { return };
    let quick = "--library native --backend portable --sizes 64 --precision 90% --max-time 60";
    let store = Folder::new();
    store
        .succeeds(&format!("run sha256 --path {quick}"))
        .shows(&["Which code ran", "cpb_kernels::sha256::portable"]);
    store.succeeds("show").shows(&["Which code ran"]);
    let exported = records(&store.succeeds("export latest"));
    let lengths: Vec<usize> = path(&exported[0]).calls.iter().map(|it| it.length).collect();
    assert_eq!(lengths, exported[0].lengths);
    store.succeeds("show --format html").shows(&["<summary>Which code ran</summary>"]);
    let without = store.succeeds(&format!("run sha256 {quick} --format json"));
    assert!(records(&without)[0].path.is_none());
}

#[test]
fn a_path_is_remembered_as_long_as_the_build_is_the_same() {
    let Some(()) = can_trace() else { return };
    on_this_machine();
    let folder = Folder::new();
    let build = |flags: &[&str]| library(&folder, "traced", &[&["-Wl,--build-id"], flags].concat());
    let library = build(&[]);
    let run = |more: &str| {
        let line = format!("run traced-twice --backend one --library {library} --sizes 64 {more}");
        succeeds(&format!("{line} --precision 90% --max-time 30 --no-save")).stdout
    };
    assert!(!run("").contains("Which code ran"));
    succeeds(&format!("path traced-twice --backend one --library {library}"));
    let remembered = run("");
    says(&remembered, &["Which code ran", "an earlier trace of the same builds", "short_message"]);
    assert!(!run("--path").contains("earlier trace"));
    build(&["-DWITH_AES"]);
    assert!(!run("").contains("Which code ran"));
}

#[test]
fn what_is_switched_off_by_the_environment_is_another_path_of_openssl() {
    let Some(()) = can_trace() else { return };
    let Some(version) = version_of("openssl") else {
        return skipped("OpenSSL is not installed");
    };
    if !has("aes") || version.starts_with("1.") {
        return skipped("this CPU has no instructions for AES, or OpenSSL is old");
    }
    // AES-NI and PCLMULQDQ are bits 57 and 33 of the first word.
    let off = if IS_ARM { "OPENSSL_armcap=0" } else { "OPENSSL_ia32cap=~0x200000200000000" };
    let line =
        format!("path aes-128-gcm seal --library openssl --library openssl;{off} --format json");
    let found = records(&succeeds(&line));
    let [usual, without] = &found[..] else { panic!("two rows: {found:?}") };
    let uses = |record, class: &str| path(record).calls[1].classes.contains_key(class);
    let clmul = if IS_ARM { "PMULL" } else { "PCLMULQDQ" };
    assert!(uses(usual, AES) || uses(usual, "VAES"), "{:?}", usual.path);
    assert!(!uses(without, AES) && !uses(without, clmul), "{:?}", without.path);
    let told = &path(without).unused;
    assert!(told.iter().any(|it| it.contains(off)), "{told:?}");
}
