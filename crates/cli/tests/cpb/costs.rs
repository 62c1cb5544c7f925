//! Tests the costs of calls besides cycles, with calls whose costs are known.

#![cfg(all(target_os = "linux", any(target_arch = "aarch64", target_arch = "x86_64")))]

use crate::path::{DEEP, Traced, path, records};
use crate::program::{cpb, succeeds};
use cpb_model::ObjectsUse;

#[test]
fn lines_of_tables_are_counted() {
    let Some(traced) = Traced::new(&["-fno-tree-vectorize"]) else { return };
    let lines =
        |primitive: &str| traced.call(primitive, "--resources").data_lines.expect("all are known");
    // Each call reads the provider's own data, such as the function's address.
    let none = lines("traced-exact");
    assert!(none < 8, "{none}");
    assert_eq!(lines("traced-box"), none + 4);
    assert_eq!(lines("traced-line"), none + 1);
}

#[test]
fn objects_and_first_use_are_known() {
    let Some(traced) = Traced::new(&[]) else { return };
    let library = &traced.library;
    let line = format!("path traced-exact --library {library} --sizes 64 --resources");
    let found = records(&succeeds(&format!("{line} --format json")));
    // The call has two pointers; the schedule is freed again.
    let objects = path(&found[0]).objects.expect("objects");
    assert_eq!(objects, ObjectsUse { allocations: 2, peak_bytes: 1016, kept_bytes: 16 });
    let costs = found[0].costs.as_ref().expect("costs");
    let first_use = costs.first_use.as_ref().expect("a first use");
    let parts: Vec<&str> = first_use.parts().map(|(name, _)| name).collect();
    assert_eq!(parts, ["load", "find", "objects", "first call"]);
    assert_eq!((first_use.processes, first_use.length), (8, 64));
    assert!(first_use.load.is_some_and(|load| load.minor_faults > 0.0), "{first_use:?}");
    assert!(first_use.parts().all(|(_, spent)| spent.nanoseconds.estimate > 0.0));
    assert_eq!(costs.file_bytes, path(&found[0]).calls[0].modules.iter().find_map(|it| it.bytes));
    let objects = "objects 16 bytes, by 2 allocations";
    succeeds(&line).shows(&["first use ", ": load ", "first call ", objects]);
    succeeds(&format!("{line} --format csv"))
        .shows(&[",objects_kept_bytes,", ",load_nanoseconds,"]);
    // cpb's own kernels are not loaded, and their memory cannot be distinguished from cpb's
    // own.
    let native = "path sha256 --library native --backend portable --sizes 64 --resources";
    let found = records(&succeeds(&format!("{native} --format json")));
    let costs = found[0].costs.as_ref().expect("costs");
    let first_use = costs.first_use.as_ref().expect("a first use");
    assert_eq!((first_use.load, first_use.find, costs.file_bytes), (None, None, None));
    assert_eq!(path(&found[0]).objects, None);
}

#[test]
fn a_first_use_with_a_wrong_result_is_none() {
    let Some(traced) = Traced::new(&[]) else { return };
    let library = &traced.library;
    let line = format!("path traced-wrong --library {library} --sizes 64 --resources");
    let found = records(&cpb(&format!("{line} --format json")));
    let costs = found[0].costs.as_ref().expect("costs");
    let reason = costs.no_first_use.as_ref().expect("a reason");
    assert!(costs.first_use.is_none() && reason.contains("something else"), "{reason}");
    cpb(&line).shows(&["first use not measured: wrong answer"]);
}

#[test]
fn the_stack_of_a_call_that_is_too_long_to_trace_is_what_it_writes_to() {
    let Some(traced) = Traced::new(&[]) else { return };
    let library = &traced.library;
    let line = format!("path traced-deep --library {library} --sizes 64 --resources");
    let written = |more: &str| {
        let found = records(&cpb(&format!("{line} --format json {more}")));
        let costs = found[0].costs.clone().expect("costs");
        costs.stacks.first().map(|it| it.bytes)
    };
    assert_eq!(written(""), None);
    let deep = written("--instructions 10").expect("a stack");
    // What making no call writes is subtracted, which is more where frames are larger.
    let least = DEEP - if cfg!(target_arch = "aarch64") { 96 } else { 64 };
    assert!((least..DEEP + 64).contains(&deep), "{deep}");
    let table = cpb(&format!("{line} --instructions 10")).stdout;
    let told = format!("{:03}", deep % 1000);
    assert!(table.lines().any(|line| line.contains("≥ 4") && line.contains(&told)), "{table}");
}
