//! Makes fictitious runs of any size, for tests that depend on size, not on figures.

use cpb_figures::testing;
use cpb_model::{
    Calibration, ClockSummary, Concurrent, Failure, FailureKind, Figure, Host, Interval,
    LibraryBuild, Line, Method, Operation, Parameters, Point, RawRound, Record, Run, Samples,
    Setup, Subject, TimeShares, Verification, Workload,
};

const LIBRARIES: [&str; 8] =
    ["native", "openssl", "gcrypt", "nettle", "botan", "cryptopp", "mine", "openssl=/opt/lib"];
const OPERATIONS: [Operation; 4] =
    [Operation::Hash, Operation::Mac, Operation::Seal, Operation::Open];
const CALLS: u64 = 10;
const BRACKET: u64 = 20_000;

/// The numbers of a run's rows, lengths, rounds and samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) lengths: usize,
    /// Rounds, and samples of each; zero without raw samples.
    pub(crate) raw: (usize, usize),
}

/// Makes a run in which every fiftieth row failed and every seventh is unverified.
pub(crate) fn run(size: Size) -> Run {
    let mut noise = Noise(1);
    Run {
        revision: Some("0123abcd".to_owned()),
        command: vec!["cpb".to_owned(), "run".to_owned(), "</script>".to_owned()],
        seconds: 60.0,
        host: Host { cpu: Some("A <made-up> CPU".to_owned()), ..Host::default() },
        clock: Some(clock()),
        libraries: LIBRARIES.map(library).to_vec(),
        warnings: vec!["a warning, with its remedy".to_owned()],
        ..testing::run((0..size.rows).map(|row| record(size, row, &mut noise)).collect())
    }
}

fn clock() -> ClockSummary {
    let calibration = Calibration {
        counter: "amd64-tsc".to_owned(),
        overhead_ticks: 50.0,
        bracket_links: 10_000,
        probe_operations: 0,
        ..testing::calibration(26)
    };
    ClockSummary {
        name: "amd64-tsc+chain".to_owned(),
        calibrations: vec![calibration],
        core_hertz: 4e9,
        core_hertz_range: (3.9e9, 4.1e9),
        samples: 123_456,
        rejected: 78,
        ..ClockSummary::default()
    }
}

fn library(label: &str) -> LibraryBuild {
    LibraryBuild {
        label: label.to_owned(),
        name: label.to_owned(),
        version: "1.2.3".to_owned(),
        path: Some(format!("/usr/lib/x86_64-linux-gnu/lib{label}.so.1")),
        ..LibraryBuild::default()
    }
}

fn record(size: Size, row: usize, noise: &mut Noise) -> Record {
    let failed = row % 50 == 49;
    let slope = 0.5 + 20.0 * noise.share();
    let group = row / LIBRARIES.len();
    let library = LIBRARIES[row % LIBRARIES.len()];
    let primitive = format!("primitive-{}", group / OPERATIONS.len());
    let operation = OPERATIONS[group % OPERATIONS.len()];
    let base = testing::record(&primitive, library, slope);
    Record {
        workload: Workload { operation, ..base.workload },
        lengths: (0..size.lengths).map(|at| 16 + 64 * at).collect(),
        subject: Subject {
            operation,
            spelling: format!("Primitive_{row}"),
            backend: if library == "native" { "avx512" } else { "default" }.to_owned(),
            ..base.subject
        },
        verification: Some(match row % 7 {
            6 => Verification::Unverified { reason: "no other library has it".to_owned() },
            _ => Verification::Agreement { with: vec!["openssl".to_owned(), "gcrypt".to_owned()] },
        }),
        points: match failed {
            true => Vec::new(),
            false => (0..size.lengths).map(|at| point(size, 16 + 64 * at, slope, noise)).collect(),
        },
        line: (!failed).then(|| Line {
            cycles_per_byte: figure(slope, noise),
            cycles_per_call: Some(figure(300.0, noise)),
            fitted: None,
            misfit: None,
        }),
        precise: Some(!row.is_multiple_of(3)),
        failure: failed.then(|| Failure {
            kind: FailureKind::Crashed,
            reason: format!("SIGSEGV <in> row {row}"),
        }),
        ..base
    }
}

fn point(size: Size, message_bytes: usize, slope: f64, noise: &mut Noise) -> Point {
    let cycles = 300.0 + slope * message_bytes as f64 * (1.0 + 0.01 * noise.share());
    Point {
        parameters: Parameters { message_bytes, ..Parameters::default() },
        cycles_per_call: figure(cycles, noise),
        nanoseconds_per_call: cycles / 4.0 * (1.0 + 0.01 * noise.share()),
        between_rounds: Some(0.01 * noise.share()),
        low_quantile: cycles * 0.99,
        minimum: cycles * (0.97 + 0.01 * noise.share()),
        calls_per_sample: (100_000.0 / cycles) as u64,
        samples: 480,
        rejected: (20.0 * noise.share()) as u64,
        rounds: 12,
        raw: (0..size.raw.0).map(|_| round(size.raw.1, cycles, noise)).collect(),
        ..testing::record("", "", slope).points.remove(0)
    }
}

fn round(count: usize, cycles: f64, noise: &mut Noise) -> RawRound {
    let ticks_per_cycle = BRACKET as f64 / 30_000.0;
    let ticks = |noise: &mut Noise| {
        50 + (cycles * CALLS as f64 * ticks_per_cycle * (1.0 + 0.02 * noise.share())) as u64
    };
    let samples = Samples {
        calls: CALLS,
        ticks: (0..count).map(|_| ticks(noise)).collect(),
        before: vec![BRACKET + 50; count],
        after: vec![BRACKET + 50; count],
        ..Samples::default()
    };
    RawRound { calibration: 0, overhead_ticks: 50.0, position: None, samples }
}

fn figure(estimate: f64, noise: &mut Noise) -> Figure {
    let width = estimate * 0.004 * noise.share();
    let interval = Interval { low: estimate - width, high: estimate + width, confidence: 0.95 };
    Figure::new(estimate, Some(interval))
}

/// Numbers without a pattern, the same in every test.
struct Noise(u64);

impl Noise {
    /// Returns a number from 0 to 1.
    fn share(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Makes a run of calls at once: one library that scales, and one with a lock, which
/// is also measured in processes.
pub(crate) fn scaled() -> Run {
    let size = Size { rows: 1, lengths: 1, raw: (0, 0) };
    let mut noise = Noise(1);
    let mut of = |library: &str, processes: usize, threads: usize, share: f64| {
        let rate = 1_000_000.0 * (processes * threads) as f64 * share;
        let figure = |it: f64| {
            let interval = Interval { low: 0.99 * it, high: 1.01 * it, confidence: 0.95 };
            Some(Figure::new(it, Some(interval)))
        };
        let blocked = Some(1.0 - share);
        let time = TimeShares { user: share, blocked, ..TimeShares::default() };
        let mut record = record(size, 0, &mut noise);
        record.workload.primitive = "sha256".to_owned();
        record.subject.primitive = "sha256".to_owned();
        record.subject.library = library.to_owned();
        record.lengths = vec![1024];
        Record {
            setup: Setup { processes, threads, ..Setup::default() },
            method: Method::Throughput,
            points: vec![point(size, 1024, 4000.0 / share / 1024.0, &mut noise)],
            line: None,
            concurrent: Some(Concurrent {
                calls_per_second: figure(rate),
                efficiency: figure(share),
                time: Some(time),
                ..Concurrent::default()
            }),
            ..record
        }
    };
    let records = vec![
        of("native", 1, 1, 1.0),
        of("native", 1, 2, 0.99),
        of("native", 1, 4, 0.95),
        of("mine", 1, 1, 1.0),
        of("mine", 1, 2, 0.4),
        of("mine", 1, 4, 0.36),
        of("mine", 2, 1, 0.99),
    ];
    Run { records, ..run(Size { rows: 0, lengths: 0, raw: (0, 0) }) }
}
