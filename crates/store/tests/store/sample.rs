//! Makes a run to save.

use cpb_figures::testing;
use cpb_model::{
    Calibration, ClockSummary, Failure, FailureKind, Figure, Fit, FitRange, Host, Interval,
    LibraryBuild, Line, Method, Parameters, Point, RawRound, RawRounds, Record, Run, Samples,
};

/// Makes a run with a line, trials with samples, and a failure. Run
/// `number` started that many minutes later than run 0, and is that many percent
/// slower.
pub(crate) fn run(number: u32) -> Run {
    Run {
        id: format!("00000000-0000-4000-8000-{number:012}"),
        revision: Some("abc1234".to_owned()),
        command: vec!["/a/cpb".to_owned(), "run".to_owned()],
        started: 1_700_000_000 + u64::from(number) * 60,
        seconds: 0.1 + 0.2,
        host: Host {
            architecture: "x86_64".to_owned(),
            cpu: Some("A CPU".to_owned()),
            ..Host::default()
        },
        clock: Some(clock()),
        libraries: vec![LibraryBuild {
            label: "openssl".to_owned(),
            name: "openssl".to_owned(),
            version: "3.0.2".to_owned(),
            banner: "OpenSSL 3.0.2".to_owned(),
            ..LibraryBuild::default()
        }],
        warnings: vec!["the clock moved".to_owned()],
        ..testing::run(vec![
            line_record("sha256", 1.0 + f64::from(number) / 100.0),
            trial_record("sha3-256"),
            failed_record("aes-128-gcm"),
        ])
    }
}

fn clock() -> ClockSummary {
    ClockSummary {
        name: "amd64-tsc+chain".to_owned(),
        calibrations: vec![Calibration {
            counter: "amd64-tsc".to_owned(),
            ticks_per_second: 2.6e9 + 1.0 / 3.0,
            overhead_ticks: 54.3,
            bracket_links: 10_000,
            probe_operations: 0,
            chain_ratio: 3.000_1,
            core_hertz: 4.1e9,
            chain_hertz: None,
            ..testing::calibration(26)
        }],
        core_hertz: 4.0e9,
        core_hertz_range: (3.9e9, 4.1e9),
        samples: 100,
        rejected: 3,
        ..ClockSummary::default()
    }
}

fn record(primitive: &str, method: Method) -> Record {
    Record { method, points: Vec::new(), line: None, ..testing::record(primitive, "openssl", 1.0) }
}

fn line_record(primitive: &str, factor: f64) -> Record {
    let lengths = vec![1024, 16_384];
    let figure = |estimate: f64| {
        let (low, high) = (estimate * 0.999, estimate * 1.001);
        Figure::new(estimate, Some(Interval { low, high, confidence: 0.95 }))
    };
    Record {
        points: [64, 1024, 16_384].into_iter().map(|b| point(b, factor, false)).collect(),
        line: Some(Line {
            fitted: Some(FitRange { fit: Fit::Robust, lengths }),
            cycles_per_byte: figure(2.0 * factor),
            cycles_per_call: Some(figure(100.0)),
            misfit: None,
        }),
        ..record(primitive, Method::Slope)
    }
}

fn trial_record(primitive: &str) -> Record {
    Record {
        points: vec![point(64, 1.0, true), point(4096, 1.0, true)],
        ..record(primitive, Method::Trials)
    }
}

fn failed_record(primitive: &str) -> Record {
    let failure = Failure { kind: FailureKind::Crashed, reason: "SIGSEGV".to_owned() };
    Record { failure: Some(failure), ..record(primitive, Method::Slope) }
}

fn point(bytes: usize, factor: f64, raw: bool) -> Point {
    let cycles = (bytes as f64).mul_add(2.0 * factor, 100.0);
    let round = |calibration| RawRound {
        calibration,
        overhead_ticks: 54.3,
        position: Some(5),
        samples: Samples {
            calls: 7,
            ticks: (0..40).map(|i| 20_000 + 26 * (i * 7 % 11)).collect(),
            before: vec![17_940; 40],
            after: vec![17_966; 40],
            rejected: 1,
            ..Samples::default()
        },
    };
    Point {
        parameters: Parameters::of_message(bytes),
        cycles_per_call: Figure::new(cycles / 3.0 * 3.0, None),
        nanoseconds_per_call: cycles / 4.1,
        between_rounds: Some(0.001),
        low_quantile: cycles * 0.99,
        minimum: cycles * 0.98,
        calls_per_sample: 7,
        samples: 80,
        rejected: 2,
        rounds: 2,
        raw: if raw { [round(0), round(0)].into_iter().collect() } else { RawRounds::default() },
        ..testing::record("", "", factor).points.remove(0)
    }
}
