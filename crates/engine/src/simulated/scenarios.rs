//! Tests the results of cpb on simulated machines, where the truth is known.

use super::workers::{Cost, SimulatedMachine};
use crate::measure::{compare_verified, measure_verified};
use crate::plan::{ClockChoice, Plan, Rounds, Row, Sampling};
use crate::verification::Verified;
use crate::workers::Workers;
use crate::{Fit, LibrarySpec, Pair, Pairing, QuietMemory};
use cpb_model::{Contract, Figure, Parameters, Record, Verification};
use cpb_simulated::{Execution, Noise, SimulatedCpu};
use cpb_stats::{Finding, Question, Verdict};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The number of simulated runs of each scenario; `CPB_SIMULATIONS` overrides it.
const RUNS: u64 = 20;

const SHA3: Cost = Cost { per_call: 1000.0, per_byte: 8.5, susceptibility: 0.6 };
const AES: Cost = Cost { per_call: 300.0, per_byte: 0.55, susceptibility: 0.1 };
const CHACHA: Cost = Cost { per_call: 500.0, per_byte: 0.85, susceptibility: 1.1 };
/// A call of 16 KiB takes 1 ms, longer than most quiet stretches.
const SLOW: Cost = Cost { per_call: 1000.0, per_byte: 250.0, susceptibility: 0.6 };
/// A call of 16 KiB takes 10 ms.
const SLOWEST: Cost = Cost { per_call: 1000.0, per_byte: 2500.0, susceptibility: 0.6 };

/// The distance of a figure from the mean of all processes, in standard deviations. A figure is
/// the mean of the processes from the 5th to the 45th percentile: (φ(z₀.₀₅) − φ(z₀.₄₅)) ÷ 0.4 for
/// a normal distribution.
const LOW_PROCESSES: f64 = 0.7317;

struct Scenario {
    name: &'static str,
    noise: Noise,
    cost: Cost,
}

fn scenarios() -> Vec<Scenario> {
    let quiet = |quiet_share: f64| Noise { quiet_share, ..Noise::default() };
    let gapless = |quiet_share: f64| Noise { load: (0.03, 1.0), ..quiet(quiet_share) };
    let coarse = |quiet_share: f64| Noise { step_ticks: 26, ..quiet(quiet_share) };
    let restless = |quiet_share: f64| Noise {
        hertz: (3.2e9, 4e9),
        interruptions: 1000.0,
        ..coarse(quiet_share)
    };
    let two = |quiet_share: f64| Noise { cpus: 2, ..restless(quiet_share) };
    let scenario = |name, noise, cost| Scenario { name, noise, cost };
    vec![
        scenario("quiet", quiet(1.0), SHA3),
        scenario("quiet, coarse counter", coarse(1.0), AES),
        scenario("quiet, clock steps and interruptions", restless(1.0), CHACHA),
        scenario("70 % quiet", quiet(0.7), SHA3),
        scenario("70 % quiet, two CPUs, restless", two(0.7), AES),
        scenario("30 % quiet", quiet(0.3), CHACHA),
        scenario("30 % quiet, no gap above quiet", gapless(0.3), SHA3),
        scenario("30 % quiet, two CPUs, restless", two(0.3), SHA3),
        scenario("10 % quiet", quiet(0.1), SHA3),
        scenario("10 % quiet, coarse counter", coarse(0.1), CHACHA),
        scenario("10 % quiet, no gap above quiet", gapless(0.1), AES),
        scenario("3 % quiet", quiet(0.03), SHA3),
        scenario("3 % quiet, two CPUs, restless", two(0.03), CHACHA),
        scenario("1 % quiet", quiet(0.01), SHA3),
        scenario("1 % quiet, coarse counter", coarse(0.01), AES),
        scenario("quiet, calls of 10 ms", quiet(1.0), SLOWEST),
        scenario("85 % quiet, calls of 1 ms", quiet(0.85), SLOW),
        scenario("60 % quiet, calls of 1 ms", quiet(0.6), SLOW),
        scenario("85 % quiet, calls of 10 ms", quiet(0.85), SLOWEST),
        scenario("60 % quiet, calls of 10 ms", quiet(0.6), SLOWEST),
        scenario("never quiet", quiet(0.0), SHA3),
        scenario("never quiet, always half busy", Noise { load: (1.0, 1.0), ..quiet(0.0) }, CHACHA),
        scenario("never quiet, always a little", Noise { load: (0.13, 0.14), ..quiet(0.0) }, SHA3),
    ]
}

impl Scenario {
    /// Returns the correct figure if the mean cost over all processes is `cost`.
    fn truth(&self, cost: f64) -> f64 {
        cost * (1.0 - LOW_PROCESSES * self.noise.between_processes)
    }
}

/// The results of a scenario's runs.
#[derive(Debug, Default)]
struct Outcome {
    figures: u32,
    bounds: u32,
    /// Relative errors of figures that are not bounds.
    errors: Vec<f64>,
    covered: u32,
    /// The number of bounds that were below the truth.
    broken_bounds: u32,
    /// The number of figures from runs that report quiet as not proven.
    unproven: u32,
    seconds: f64,
}

impl Outcome {
    fn see(&mut self, figure: Figure, truth: f64, is_unproven: bool) {
        let error = figure.estimate / truth - 1.0;
        if figure.upper_bound {
            self.bounds += 1;
            self.broken_bounds += u32::from(error < -0.002);
            return;
        }
        if is_unproven {
            self.unproven += 1;
            return;
        }
        self.figures += 1;
        self.errors.push(error);
        let covers = figure.interval.is_some_and(|it| (it.low..=it.high).contains(&truth));
        self.covered += u32::from(covers);
    }

    fn share(&self, of: u32) -> f64 {
        f64::from(of) / f64::from(self.figures + self.bounds + self.unproven)
    }

    fn bias(&self) -> f64 {
        cpb_stats::mean(&self.errors).unwrap_or(0.0)
    }

    fn worst(&self) -> f64 {
        self.errors.iter().map(|error| error.abs()).fold(0.0, f64::max)
    }

    fn coverage(&self) -> f64 {
        f64::from(self.covered) / f64::from(self.figures.max(1))
    }
}

const LENGTHS: [usize; 5] = [64, 1024, 2048, 8192, 16_384];

fn plan(seed: u64) -> Plan {
    let offer = super::offer();
    let library = LibrarySpec::installed("openssl");
    let line = Some((Fit::Robust, LENGTHS[1..].to_vec()));
    let row = Row {
        line,
        ..Row::new(
            &library.label(),
            &offer,
            Contract::Keyed,
            Parameters::default(),
            LENGTHS.to_vec(),
        )
    };
    Plan {
        libraries: vec![library],
        offers: Vec::new(),
        others: Vec::new(),
        rows: vec![row],
        sampling: Sampling {
            samples: 20,
            batch: Duration::from_micros(10),
            warm_up: Duration::from_micros(200),
            limit: Some(Duration::from_millis(20)),
            rounds: Rounds::Until { precision: 0.001, coarse: None, at_least: 8, at_most: 40 },
            budget: Duration::from_secs(20),
            budget_is_maximum: false,
            timeout: Duration::from_secs(20),
        },
        clock: ClockChoice::default(),
        cpus: Vec::new(),
        memory: QuietMemory::default(),
        seed,
    }
}

fn run(scenario: &Scenario, seed: u64) -> (Record, bool, f64) {
    carried_out(&plan(seed), scenario)
}

fn carried_out(plan: &Plan, scenario: &Scenario) -> (Record, bool, f64) {
    let stop = AtomicBool::new(false);
    let execution = Execution::new(SimulatedCpu::default(), scenario.noise, plan.seed);
    let cost = scenario.cost;
    let mut machine = SimulatedMachine { execution, costs: Rc::new(move |_, _, _, _| cost) };
    let verified = Verified { rows: vec![Ok(Verification::KnownAnswer)], libraries: Vec::new() };
    let workers = Workers::new(plan, &plan.libraries, &mut machine);
    let left = plan.sampling.budget;
    let (mut measured, _) = measure_verified(plan, verified, workers, left, &stop, &mut |_| {});
    let seconds = machine.execution.borrow().now().as_secs_f64();
    let is_unproven = measured.clock.and_then(|it| it.quiet).is_some_and(|it| it.is_unproven());
    (measured.records.remove(0), is_unproven, seconds)
}

fn outcome(scenario: &Scenario, runs: u64) -> Outcome {
    let mut outcome = Outcome::default();
    for seed in 0..runs {
        let (record, is_unproven, seconds) = run(scenario, seed);
        assert_eq!(record.failure, None, "{}", scenario.name);
        for (point, length) in record.points.iter().zip(LENGTHS) {
            outcome.see(
                point.cycles_per_call,
                scenario.truth(scenario.cost.of(length)),
                is_unproven,
            );
        }
        let line = record.line.expect("a line was asked for");
        outcome.see(line.cycles_per_byte, scenario.truth(scenario.cost.per_byte), is_unproven);
        outcome.seconds += seconds / runs as f64;
    }
    outcome
}

/// The promise: beside neighbours a figure is right, or a bound, or its run reports that quiet is
/// not proven.
#[test]
fn figures_are_right_or_bounds_on_every_machine() {
    let asked = std::env::var("CPB_SIMULATIONS").ok().and_then(|runs| runs.parse().ok());
    let runs = asked.unwrap_or(RUNS);
    let scenarios = scenarios();
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            scenarios.iter().map(|scenario| scope.spawn(move || outcome(scenario, runs))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no run fails")).collect()
    });
    // A few runs of one scenario say little about the coverage of intervals.
    let least_coverage = if runs >= 200 { 0.93 } else { 0.85 };
    let (mut covered, mut figures) = (0, 0);
    for (Scenario { name, .. }, outcome) in scenarios.iter().zip(&outcomes) {
        println!(
            "{name:40} bias {:+.3} %  worst {:.3} %  covered {:5.1} %  bounds {:5.1} %  not proven {:5.1} %  {:.2} s",
            outcome.bias() * 100.0,
            outcome.worst() * 100.0,
            outcome.coverage() * 100.0,
            outcome.share(outcome.bounds) * 100.0,
            outcome.share(outcome.unproven) * 100.0,
            outcome.seconds
        );
    }
    for (Scenario { name, noise, cost }, outcome) in scenarios.iter().zip(&outcomes) {
        // Calls that cannot avoid interruptions are marked as such; beside neighbours most figures
        // are bounds.
        let is_long = cost.per_byte > 100.0;
        if !is_long {
            (covered, figures) = (covered + outcome.covered, figures + outcome.figures);
        }
        assert!(outcome.worst() <= 0.005, "{name}: a figure is off by {}", outcome.worst());
        assert_eq!(outcome.broken_bounds, 0, "{name}: bounds below the truth");
        if noise.quiet_share >= 0.01 {
            assert!(outcome.bias().abs() <= 0.001, "{name}: bias {}", outcome.bias());
            let coverage = outcome.coverage();
            assert!(is_long || coverage >= least_coverage, "{name}: covers {coverage}");
            let has_few_bounds = outcome.figures > 9 * outcome.bounds;
            assert!(is_long || has_few_bounds, "{name}: bounds where there was quiet");
        } else {
            assert_eq!(outcome.figures, 0, "{name}: figures where there was no quiet");
            // A permanent neighbour with a constant load gives a sharp level.
            let is_constant = 1.0 + noise.load.1 <= 1.02 * (1.0 + noise.load.0);
            assert_eq!(outcome.unproven != 0, is_constant, "{name}");
        }
    }
    let coverage = f64::from(covered) / f64::from(figures);
    assert!(coverage >= 0.93, "intervals cover {coverage}");
}

/// The second library of the comparison.
const CANDIDATE: &str = "gcrypt";

/// Compares two libraries, the second of which costs `slower` times as much.
fn verdict(noise: Noise, slower: f64, seed: u64) -> (Option<Finding>, bool) {
    let pair = compared(noise, slower, None, seed);
    (pair.findings.finding, pair.is_quiet)
}

/// Does the same, with a library and a position at which its calls cost more.
fn compared(noise: Noise, slower: f64, layout: Option<(&'static str, u8, f64)>, seed: u64) -> Pair {
    let sides = ["openssl", CANDIDATE].map(LibrarySpec::installed);
    let mut plan = plan(seed);
    let row = plan.rows.remove(0);
    plan.rows = sides.iter().map(|side| of_library(&row, side)).collect();
    plan.libraries = sides.to_vec();
    let budget = Duration::from_secs(20);
    let pairing =
        Pairing { plan, sides: vec![sides], question: Question::Difference, precision: 0.005 };
    let execution = Execution::new(SimulatedCpu::default(), noise, seed);
    let costs = move |library: &LibrarySpec, position: u8, _: &_, _: &_| {
        let is_there = |it: &(&str, u8, f64)| library.name == it.0 && position == it.1;
        let slower = if library.name == CANDIDATE { slower } else { 1.0 };
        SHA3.times(slower * layout.filter(is_there).map_or(1.0, |(_, _, factor)| factor))
    };
    let mut machine = SimulatedMachine { execution, costs: Rc::new(costs) };
    let rows = vec![Ok(Verification::KnownAnswer), Ok(Verification::KnownAnswer)];
    let verified = Verified { rows, libraries: Vec::new() };
    let stop = AtomicBool::new(false);
    let libraries = pairing.libraries();
    let workers = Workers::new(&pairing.plan, &libraries, &mut machine);
    let (mut compared, _) =
        compare_verified(&pairing, verified, workers, budget, &stop, &mut |_| {});
    compared.pairs.remove(0)
}

fn of_library(row: &Row, library: &LibrarySpec) -> Row {
    let mut row = row.clone();
    row.subject.library = library.label();
    row
}

/// A comparison learns what quiet is as it proceeds, and finds the planted difference.
#[test]
fn comparisons_are_right_beside_neighbours() {
    const RUNS: u64 = 3;
    for quiet_share in [1.0, 0.3, 0.03] {
        let noise = Noise { quiet_share, step_ticks: 26, cpus: 2, ..Noise::default() };
        for (slower, expected) in [(1.0, Verdict::NoDifference), (1.03, Verdict::Slower)] {
            for seed in 0..RUNS {
                let (finding, is_quiet) = verdict(noise, slower, seed);
                let finding = finding.expect("there are rounds");
                let name = format!("{quiet_share} {slower} {seed}: {finding:?}");
                assert_eq!((finding.verdict, is_quiet), (expected, true), "{name}");
                assert!((finding.comparison.ratio / slower - 1.0).abs() < 0.002, "{name}");
            }
        }
    }
    let busy = Noise { quiet_share: 0.0, ..Noise::default() };
    assert!(!verdict(busy, 1.0, 0).1, "a core that was never quiet is called so");
}

/// A position at which one side costs more is not a difference of code, however large; it is
/// reported as layout if there are enough rounds.
#[test]
fn a_slow_position_is_called_layout_and_no_difference_of_code() {
    let noise = Noise { between_processes: 0.004, ..Noise::default() };
    let mut told = 0;
    for seed in 0..4 {
        for (slower, side, effect, wrong) in [
            (1.0, CANDIDATE, 1.09, [Verdict::Slower, Verdict::Faster]),
            (1.03, "openssl", 1.0 / 1.09, [Verdict::NoDifference, Verdict::Faster]),
        ] {
            let Pair { findings, .. } = compared(noise, slower, Some((side, 4, 1.09)), seed);
            let verdict = findings.finding.map(|finding| finding.verdict);
            assert!(verdict.is_some_and(|it| !wrong.contains(&it)), "{slower}: {verdict:?}");
            let Some(layout) = findings.layout else { continue };
            let &[(position, factor)] = &layout.at[..] else { panic!("{layout:?}") };
            assert!(position == 4 && (factor / effect - 1.0).abs() < 0.01, "{layout:?}");
            told += 1;
        }
        assert_eq!(compared(noise, 1.03, None, seed).findings.layout, None);
    }
    assert!(told >= 4, "told {told} times of 8");
}

/// A slope of two samples on a coarse counter may come out as zero or negative, which no cost is:
/// such a row gets further rounds, and fails if these do not help.
#[test]
fn a_slope_that_cannot_be_is_measured_again() {
    const PLANNED: u32 = 1;
    let slope = |per_byte: f64, seed: u64| {
        let mut plan = plan(seed);
        plan.sampling.samples = 2;
        plan.sampling.rounds = Rounds::Fixed(PLANNED);
        plan.rows[0].lengths = (16..=4112).step_by(64).collect();
        plan.rows[0].line = Some((Fit::LeastSquares, plan.rows[0].lengths.clone()));
        let noise = Noise { step_ticks: 26, hertz: (3.2e9, 4e9), ..Noise::default() };
        let cost = Cost { per_call: 1000.0, per_byte, susceptibility: 0.0 };
        carried_out(&plan, &Scenario { name: "slope", noise, cost }).0
    };
    let mut again = 0;
    for seed in 0..RUNS {
        let record = slope(0.00003, seed);
        match (&record.line, &record.failure) {
            (Some(line), None) => assert!(line.cycles_per_byte.estimate > 0.0, "{line:?}"),
            (_, failure) => assert!(failure.is_some(), "neither a slope nor a failure"),
        }
        again += u32::from(record.points.first().is_some_and(|point| point.rounds > PLANNED));
    }
    assert!(again > 0, "no slope had to be measured again");
    let falls = slope(-0.2, 0).failure.expect("no cost falls");
    assert!(falls.reason.contains("--repetitions"), "{falls:?}");
}
