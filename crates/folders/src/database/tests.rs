use super::*;
use cpb_model::{Operation, Security, Verification};

const HASH: &str = "20260330 host amd64 20260401 crypto_hash sha256/constbranchindex";

fn read_all(text: &[u8]) -> (Vec<Run>, ImportCounts) {
    let mut runs = Vec::new();
    let mut take = |run| {
        runs.push(run);
        Ok::<(), io::Error>(())
    };
    let tally = read(text, &["cpb".to_owned()], &mut take).unwrap();
    (runs, tally)
}

fn about(begin: &str, path: &str) -> String {
    format!(
        "{begin} try 12/34 ok 1000 2 3000000000 {path} gcc_-O3\n{begin} fromcompiler x y z\n\
         {begin} implementation {path} -\n{begin} cpuid AuthenticAMD-1\n\
         {begin} cpucycles_persecond 2000000000\n{begin} cpucycles_implementation amd64-tsc\n\
         {begin} compiler /usr/bin/gcc_-O3_-fwrapv 12.2.0\n"
    )
}

#[test]
fn lines_become_a_run_of_records() {
    let mut text = about(HASH, "crypto_hash/sha256/ref");
    // The same length comes twice, in two loops: eight timings of 1000 to 1007.
    text += &format!("{HASH} cycles 64 1002 -2-1+0+1\n{HASH} cycles 64 1005 -1+0+1+2\n");
    text += &format!("{HASH} cycles 63 900 +0+0\n{HASH} cycles 0 500 +0\n{HASH} bytes - 7\n");
    let sign = HASH.replace("crypto_hash sha256", "crypto_sign ed25519");
    text += &about(&sign, "crypto_sign/ed25519/other/fast").replace(" ok ", " unknown ");
    for length in [0, 37, 59, 74] {
        text += &format!("{sign} cycles {length} {length}000\n");
    }
    text += &format!("{sign} keypair_cycles - 300\n{sign} forged_cycles - 300\n");
    let (runs, tally) = read_all(text.as_bytes());
    let [run] = &runs[..] else { panic!("one run: {runs:?}") };
    // 63 bytes, the other three lengths of signatures, and unknown keywords are left
    // out.
    assert_eq!((tally.wrong, tally.used, tally.left_out), (0, 5, 5));
    assert_eq!(run.started, 1_775_001_600);
    assert_eq!((run.host.architecture.as_str(), run.host.cpu.as_deref()), ("x86_64", Some("host")));
    assert_eq!(run.host.cpu_id.as_deref(), Some("AuthenticAMD-1"));
    let clock = run.clock.as_ref().unwrap();
    assert_eq!((clock.name.as_str(), clock.core_hertz), ("amd64-tsc", 2e9));
    assert_eq!(run.libraries[0].version, "20260330");

    let hash = &run.records[0];
    assert_eq!(hash.subject.backend, "ref@gcc-O3-fwrapv");
    assert_eq!(hash.subject.security, Some(Security::ConstBranchIndex));
    assert_eq!(hash.verification, Some(Verification::KnownAnswer));
    // Of 33 to 64 bytes only the longest is kept.
    let lengths: Vec<usize> = hash.points.iter().map(|it| it.parameters.message_bytes).collect();
    assert_eq!(lengths, [0, 64]);
    let point = &hash.points[1];
    assert_eq!((point.cycles_per_call.estimate, point.cycles_per_call.interval), (1003.5, None));
    assert_eq!(point.quartiles, Some([1001.5, 1003.5, 1005.5]));
    assert_eq!((point.minimum, point.samples, point.nanoseconds_per_call), (1000.0, 8, 501.75));

    let rest: Vec<_> = run.records[1..]
        .iter()
        .map(|record| {
            let point = record.points.last().unwrap();
            let bytes = point.parameters.message_bytes;
            (record.subject.operation, bytes, point.cycles_per_call.estimate, point.quartiles)
        })
        .collect();
    assert_eq!(rest, [(Operation::Keygen, 0, 300.0, None), (Operation::Sign, 59, 59_000.0, None)],);
    assert_eq!(run.records[1].subject.backend, "other/fast@gcc-O3-fwrapv");
    assert!(matches!(run.records[1].verification, Some(Verification::Unverified { .. })));
}

#[test]
fn machines_and_days_are_runs_of_their_own() {
    let begin = |day: &str| HASH.replace("20260401", day);
    let whole = |day: &str| {
        let begin = begin(day);
        format!("{}{begin} cycles 64 1000\n", about(&begin, "crypto_hash/sha256/ref"))
    };
    let text = [whole("20060401"), whole("20260401"), whole("20060401")].concat();
    let (runs, tally) = read_all(text.as_bytes());
    assert_eq!(
        runs.iter().map(|run| run.started).collect::<Vec<_>>(),
        [1_143_849_600, 1_775_001_600]
    );
    assert_eq!((tally.lines, tally.wrong, tally.named[0].0), (24, 8, 17));
    assert!(tally.named[0].1.contains("sort the file"), "{:?}", tally.named);
    let (runs, tally) = read_all(whole("20261301").as_bytes());
    assert_eq!((runs.len(), tally.wrong), (0, 8));
}

#[test]
fn what_is_wrong_is_counted_and_the_rest_kept() {
    let right = format!("{}{HASH} cycles 64 1000\n", about(HASH, "crypto_hash/sha256/ref"));
    let mut text = b"# a heading\n\xff\xfe\n".to_vec();
    text.extend(right.as_bytes());
    text.extend(vec![b'x'; 3 << 20]);
    text.extend(b"\nlast words");
    let (runs, tally) = read_all(&text);
    assert_eq!((runs.len(), tally.lines, tally.used, tally.wrong), (1, 12, 1, 4));
    let lines: Vec<u64> = tally.named.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 2, 11, 12]);
    assert!(tally.named[2].1.contains("more than"), "{:?}", tally.named);
    // Without the clock's rate there is no time, and no figure.
    let (runs, tally) = read_all(right.replace("persecond", "perhour").as_bytes());
    assert_eq!((runs.len(), tally.wrong), (0, 1));
    assert!(tally.named[0].1.contains("cpucycles_persecond"), "{:?}", tally.named);
    let (runs, tally) = read_all(
        format!(
            "{right}{HASH} implementation crypto_hash/sha256/ref -\n\
                                          {HASH} compiler gcc_-O3_-fwrapv 12\n{HASH} cycles 1 1\n"
        )
        .as_bytes(),
    );
    assert_eq!((runs[0].records.len(), tally.wrong), (1, 1));
    assert!(tally.named[0].1.contains("measured before"), "{:?}", tally.named);
}

#[test]
fn nothing_at_all_is_no_run() {
    assert_eq!(read_all(b""), (Vec::new(), ImportCounts::default()));
}
