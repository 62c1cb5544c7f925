//! Builds artificial runs for tests.

use cpb_model::{
    Alignment, Caches, Calibration, Contract, CycleSource, Estimator, Failure, FailureKind, Figure,
    GateLoop, Host, Interval, Line, Method, Operation, Parameters, Point, Record, Run, SCHEMA,
    Setup, Subject, Verification, Workload,
};

/// Creates the calibration of a 2.6 GHz counter with this step, on a 4 GHz core.
#[must_use]
pub fn calibration(step_ticks: u64) -> Calibration {
    Calibration {
        counter: "simulated".to_owned(),
        version: None,
        cycle_source: CycleSource::Chain,
        ticks_per_second: 2.6e9,
        step_ticks,
        overhead_ticks: 60.0,
        bracket_links: 7168,
        gate_loop: GateLoop::default(),
        probe_operations: 40_960,
        multiply_latency: Some(3),
        chain_ratio: 3.0,
        core_hertz: 4e9,
        chain_hertz: Some(4e9),
    }
}

/// Contains, for each field of a workload, a change that makes another workload; the first field
/// is the name.
pub const FIELDS: [fn(&mut Workload); 9] = [
    |it| it.primitive = "md5".to_owned(),
    |it| it.operation = Operation::Xof,
    |it| it.contract = Contract::Oneshot,
    |it| it.aad = 13,
    |it| it.key = Some(64),
    |it| it.nonce = Some(16),
    |it| it.output = Some(64),
    |it| it.alignment = Alignment::Unaligned,
    |it| it.caches = Caches::Evicted,
];

/// Contains, for each field of a setup, a change that makes another setup.
pub const SETUPS: [fn(&mut Setup); 6] = [
    |it| it.processes = 2,
    |it| it.threads = 2,
    |it| it.lanes = 2,
    |it| it.others = 1,
    |it| it.beside = Some("memory traffic".to_owned()),
    |it| it.shares_keys = true,
];

/// Creates a figure with an interval of ±1 %.
#[must_use]
pub fn figure(estimate: f64) -> Figure {
    let (low, high) = (estimate * 0.99, estimate * 1.01);
    Figure::new(estimate, Some(Interval { low, high, confidence: 0.95 }))
}

/// Creates a run that contains only `records`.
#[must_use]
pub fn run(records: Vec<Record>) -> Run {
    Run {
        schema: SCHEMA,
        version: "0.1.0".to_owned(),
        command: vec!["cpb".to_owned(), "run".to_owned()],
        started: 1_790_000_000,
        seconds: 1.5,
        host: Host { cpu: Some("a CPU".to_owned()), ..Host::default() },
        cpu: Some(1),
        records,
        ..Run::default()
    }
}

/// Creates a hash record with this slope in cycles per byte, ±1 %.
#[must_use]
pub fn record(primitive: &str, library: &str, slope: f64) -> Record {
    let point = |message_bytes: usize| Point {
        parameters: Parameters::of_message(message_bytes),
        cycles_per_call: figure(300.0 + slope * message_bytes as f64),
        nanoseconds_per_call: (300.0 + slope * message_bytes as f64) / 4.0,
        between_rounds: Some(0.002),
        low_quantile: 299.0 + slope * message_bytes as f64,
        minimum: 298.0 + slope * message_bytes as f64,
        calls_per_sample: 10,
        samples: 100,
        rejected: 1,
        rounds: 5,
        ..Point::default()
    };
    let parameters = Parameters::default();
    let workload = Workload::with(primitive, Operation::Hash, Contract::Keyed, &parameters);
    Record {
        workload,
        setup: Setup::default(),
        lengths: vec![64, 1024, 16_384],
        subject: Subject {
            primitive: primitive.to_owned(),
            operation: Operation::Hash,
            library: library.to_owned(),
            spelling: primitive.to_uppercase(),
            backend: "default".to_owned(),
            default_backend: true,
            security: None,
            row: None,
        },
        sizes: Default::default(),
        method: Method::Slope,
        estimator: Estimator::CURRENT,
        verification: Some(Verification::KnownAnswer),
        points: [64, 1024, 16_384].map(point).to_vec(),
        line: Some(Line {
            cycles_per_byte: figure(slope),
            cycles_per_call: Some(figure(300.0)),
            fitted: None,
            misfit: None,
        }),
        concurrent: None,
        no_dependence: None,
        path: None,
        costs: None,
        quiet: None,
        precise: Some(true),
        failure: None,
    }
}

/// Makes a [`record`] with upper bounds only.
#[must_use]
pub fn bounded(primitive: &str, library: &str, slope: f64) -> Record {
    let mut record = record(primitive, library, slope);
    let bound = |figure: &mut Figure| *figure = Figure::at_most(figure.estimate);
    record.points.iter_mut().for_each(|point| bound(&mut point.cycles_per_call));
    if let Some(line) = &mut record.line {
        bound(&mut line.cycles_per_byte);
        line.cycles_per_call.iter_mut().for_each(bound);
    }
    record
}

/// Makes a [`record`] that failed.
#[must_use]
pub fn failed(primitive: &str, library: &str, reason: &str) -> Record {
    Record {
        points: Vec::new(),
        line: None,
        failure: Some(Failure { kind: FailureKind::Crashed, reason: reason.to_owned() }),
        ..record(primitive, library, 1.0)
    }
}
