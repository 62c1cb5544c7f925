//! Tests what belongs to one series, and what varies along it.

use crate::keeping::made;
use crate::sample::run;
use cpb_model::{
    Alignment, Caches, Contract, Fit, LibraryBuild, Method, Operation, Record, Run, Workload,
};
use cpb_store::{Build, Store, StoreLocation};
use std::collections::BTreeSet;

/// Makes a run with one row, of a library with this label.
fn of(number: u32, label: &str, change: impl FnOnce(&mut LibraryBuild)) -> Run {
    let mut run = run(number);
    run.records.truncate(1);
    run.records[0].subject.library = label.to_owned();
    run.libraries[0].label = label.to_owned();
    change(&mut run.libraries[0]);
    run
}

/// Returns the library of each series, and its builds in order.
fn builds(store: &Store) -> Vec<(String, Vec<Build>)> {
    let builds =
        |series| store.history(series).unwrap().iter().map(|it| (*it.build).clone()).collect();
    store.series().unwrap().iter().map(|it| (it.library.clone(), builds(it))).collect()
}

fn build(version: &str, path: &str, digest: &str, revision: &str) -> Build {
    let [version, path, digest, revision] = [version, path, digest, revision].map(str::to_owned);
    Build { version, path, digest, revision }
}

pub(crate) fn a_rebuild_an_upgrade_and_a_checkout_continue_their_series(place: &StoreLocation) {
    let mut store = made(place);
    let file = "/usr/lib/libcrypto.so.3".to_owned();
    for (number, version) in [(1, "3.0.2"), (2, "3.5.0")] {
        let upgrade = of(number, "openssl", |it| {
            it.version = version.to_owned();
            it.path = Some(file.clone());
        });
        store.save(&upgrade).unwrap();
    }
    for (number, commit) in [(3, "aaaa"), (4, "bbbb")] {
        let rebuild = of(number, "openssl=./libcrypto.so", |it| {
            it.path = Some("/home/me/libcrypto.so".to_owned());
            it.digest = Some(number.to_string());
            it.commit = Some(commit.to_owned());
        });
        store.save(&rebuild).unwrap();
    }
    let checkout = of(5, "cccccccccc:openssl=/tmp/cpb-git-Ab12/b/libcrypto.so", |_| ());
    store.save(&checkout).unwrap();
    for (number, path) in [(6, "/opt/1.so"), (7, "/opt/2.so")] {
        store.save(&of(number, &format!("new:openssl={path};X=1"), |_| ())).unwrap();
    }
    let wanted = [
        (
            "new:openssl;X=1",
            vec![build("3.0.2", "/opt/1.so", "", ""), build("3.0.2", "/opt/2.so", "", "")],
        ),
        ("openssl", vec![build("3.0.2", &file, "", ""), build("3.5.0", &file, "", "")]),
        (
            "openssl=…",
            vec![
                build("3.0.2", "./libcrypto.so", "3", "aaaa"),
                build("3.0.2", "./libcrypto.so", "4", "bbbb"),
                build("3.0.2", "b/libcrypto.so", "", "cccccccccc"),
            ],
        ),
    ];
    assert_eq!(builds(&store), wanted.map(|(library, all)| (library.to_owned(), all)));
}

pub(crate) fn builds_of_one_run_have_readings_of_their_own(place: &StoreLocation) {
    let mut store = made(place);
    let mut both = of(1, "openssl=/a.so", |_| ());
    let other = of(1, "openssl=/b.so", |it| it.version = "3.5.0".to_owned());
    both.records.extend(other.records);
    both.libraries.extend(other.libraries);
    // A library is measured even if the run does not describe it.
    both.records.extend(of(1, "nobody=/c.so", |_| ()).records);
    store.save(&both).unwrap();
    let wanted = [
        ("nobody=…", vec![build("", "/c.so", "", "")]),
        ("openssl=…", vec![build("3.0.2", "/a.so", "", ""), build("3.5.0", "/b.so", "", "")]),
    ];
    assert_eq!(builds(&store), wanted.map(|(library, all)| (library.to_owned(), all)));
}

pub(crate) fn rows_that_differ_in_one_thing_are_different_series(place: &StoreLocation) {
    let mut store = made(place);
    let line = |change: fn(&mut Record)| {
        let mut record = run(1).records.remove(0);
        change(&mut record);
        record
    };
    let fitted = |record: &mut Record, change: fn(&mut cpb_model::FitRange)| {
        change(record.line.as_mut().and_then(|it| it.fitted.as_mut()).unwrap());
    };
    let mut records = vec![
        line(|_| ()),
        line(|it| it.workload.primitive = "sha512".to_owned()),
        line(|it| it.workload.operation = Operation::Xof),
        line(|it| it.workload.contract = Contract::Oneshot),
        line(|it| it.workload.aad = 13),
        line(|it| it.workload.key = Some(64)),
        line(|it| it.workload.nonce = Some(64)),
        line(|it| it.workload.output = Some(64)),
        line(|it| it.workload.alignment = Alignment::Unaligned),
        line(|it| it.workload.caches = Caches::Evicted),
        line(|it| it.method = Method::Calls),
        line(|it| it.subject.library = "openssl;X=1".to_owned()),
        line(|it| it.subject.library = "openssl=/x".to_owned()),
        line(|it| it.subject.library = "new:openssl=/x".to_owned()),
        line(|it| it.subject.library = "gcrypt".to_owned()),
        line(|it| it.subject.spelling = "SHA2-256".to_owned()),
        line(|it| it.subject.backend = "avx2".to_owned()),
    ];
    let (mut lengths, mut fit) = (line(|_| ()), line(|_| ()));
    fitted(&mut lengths, |it| it.lengths = vec![64, 16_384]);
    fitted(&mut fit, |it| it.fit = Fit::LeastSquares);
    records.extend([lengths, fit]);
    let count = records.len();
    // A field added to either must be considered here.
    let Workload {
        primitive: _,
        operation: _,
        contract: _,
        aad: _,
        key: _,
        nonce: _,
        output: _,
        alignment: _,
        caches: _,
    } = records[0].workload.clone();
    for number in [1, 2] {
        store.save(&Run { records: records.clone(), ..run(number) }).unwrap();
    }
    let series = store.series().unwrap();
    assert_eq!(series.len(), count);
    let keys: BTreeSet<String> = series.iter().map(|it| it.workload.to_string()).collect();
    assert_eq!(keys.len(), 10);
    for record in &records {
        let [of_it] = &series.iter().filter(|it| it.is_of(record)).collect::<Vec<_>>()[..] else {
            panic!("{record:?}")
        };
        assert_eq!(store.history(of_it).unwrap().len(), 2);
    }
}
