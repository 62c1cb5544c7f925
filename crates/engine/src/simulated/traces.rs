//! Replays recorded noise of a busy virtual machine through the gate and the
//! summary. `traces/README.md` describes the recordings, and the truth about them.

use crate::plan::Row;
use cpb_figures::{PointSamples, QuietCriterion, add_round, agree, cycles_per_operation};
use cpb_model::{
    Calibration, Certainty, Contract, CycleSource, Figure, Fit, GateLoop, Parameters, RawRound,
    Samples,
};
use cpb_quiet::{LoopTimes, PriorKnowledge, decide};
use cpb_stats::Histogram;
use std::io::Read;

/// The number of rounds over which the samples of a burst are distributed.
const ROUNDS: usize = 10;

/// A line of a recording, in ticks.
#[derive(Debug, Clone, Copy)]
struct Line {
    burst: u64,
    bracket: u64,
    probe_before: u64,
    work: u64,
    probe_after: u64,
    length: u64,
}

/// A recorded workload: its length as written in the file, the number of calls per
/// piece of work, and the cycles of one call on a quiet core.
struct Length {
    length: u64,
    calls: u64,
    truth: f64,
    tolerance: f64,
}

struct Recording {
    name: &'static str,
    /// The pieces in this repository.
    packed: Option<&'static [u8]>,
    machine: Machine,
    lengths: [Length; 2],
}

/// A recorded machine.
#[derive(Clone, Copy)]
enum Machine {
    IceLake,
    Zen4,
    Zen5,
}

impl Machine {
    fn calibration(self) -> Calibration {
        let ice_lake = Calibration {
            counter: "amd64-tsc".to_owned(),
            version: None,
            cycle_source: CycleSource::Chain,
            ticks_per_second: 2.793e9,
            step_ticks: 2,
            overhead_ticks: 55.0,
            bracket_links: 2400,
            gate_loop: GateLoop::Chains,
            probe_operations: 4800,
            multiply_latency: Some(3),
            chain_ratio: 3.0,
            core_hertz: 3.5e9,
            chain_hertz: Some(3.5e9),
        };
        match self {
            Machine::IceLake => ice_lake,
            Machine::Zen4 | Machine::Zen5 => {
                let (overhead_ticks, hertz) =
                    if matches!(self, Machine::Zen4) { (72.0, 3.7e9) } else { (54.0, 3.9e9) };
                Calibration {
                    ticks_per_second: 2.5961e9,
                    step_ticks: 26,
                    overhead_ticks,
                    bracket_links: 2432,
                    probe_operations: 10_240,
                    core_hertz: hertz,
                    chain_hertz: Some(hertz),
                    ..ice_lake
                }
            }
        }
    }

    /// Returns the cycles per instruction of the probe on a quiet core.
    fn quiet(self) -> f64 {
        match self {
            Machine::IceLake => 0.2870,
            Machine::Zen4 => 0.2512,
            Machine::Zen5 => 0.2462,
        }
    }
}

/// Lists recordings with their two lengths, and includes the pieces of those that are `kept` in this
/// repository.
macro_rules! recordings {
    (@kept $name:literal) => {
        Some(include_bytes!(concat!("traces/", $name, ".csv.gz")).as_slice())
    };
    (@elsewhere $name:literal) => {
        None
    };
    ($($machine:ident $place:ident $name:literal:
        $short:literal $calls:literal $truth:literal, $long:literal $truth_of_long:literal;)+) => {
        [$(Recording {
            name: $name,
            packed: recordings!(@$place $name),
            machine: Machine::$machine,
            lengths: [
                Length { length: $short, calls: $calls, truth: $truth, tolerance: 0.002 },
                Length { length: $long, calls: 1, truth: $truth_of_long, tolerance: 0.001 },
            ],
        }),+]
    };
}

fn recordings() -> [Recording; 16] {
    recordings! {
        IceLake elsewhere "sha3-256": 1024 2 10_731.0, 8192 71_974.0;
        IceLake kept "sha256": 1024 2 4_039.0, 8192 22_734.0;
        IceLake kept "chacha20-poly1305": 1024 8 2_112.0, 16_384 15_091.0;
        IceLake kept "adds": 500 1 2_295.0, 4000 18_140.0;
        IceLake kept "aes-128-gcm": 1024 8 1_481.0, 16_384 9_706.0;
        IceLake elsewhere "muls": 500 1 4_008.0, 4000 32_008.0;
        Zen4 kept "zen4/sha256.visited": 1024 2 2_399.0, 8192 16_913.4;
        Zen4 kept "zen4/sha3-256.visited": 1024 2 8_153.8, 8192 59_888.4;
        Zen4 kept "zen4/aes-128-gcm.visited": 1024 8 1_114.3, 16_384 12_557.7;
        Zen4 kept "zen4/chacha20-poly1305.visited": 1024 8 1_838.1, 16_384 16_742.3;
        Zen5 kept "zen5/sha256.idle": 1024 2 2_437.1, 8192 17_064.0;
        Zen5 kept "zen5/sha3-256.idle": 1024 2 7_836.5, 8192 56_576.0;
        Zen5 kept "zen5/aes-128-gcm.idle": 1024 8 1_057.6, 16_384 11_854.0;
        Zen5 kept "zen5/chacha20-poly1305.idle": 1024 8 1_831.7, 16_384 14_515.0;
        Zen5 kept "zen5/sha3-256.beside-adds": 1024 2 7_873.0, 8192 56_741.0;
        Zen5 kept "zen5/sha3-256.beside-mem": 1024 2 7_847.6, 8192 56_622.0;
    }
}

pub(super) fn unpack(packed: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).expect("it was packed");
    text
}

/// Returns these pieces, or the whole recording if it is available in `folder`.
fn lines(recording: &Recording, folder: Option<&str>) -> Option<Vec<Line>> {
    let text = match folder {
        Some(folder) => std::fs::read_to_string(format!("{folder}/{}.csv", recording.name)).ok()?,
        None => unpack(recording.packed?),
    };
    let mut rows = text.lines();
    let header: Vec<&str> = rows.next()?.split(',').collect();
    let column = |name: &str| header.iter().position(|&it| it == name);
    let chains =
        |side: &str| column(&format!("probe_{side}")).or_else(|| column(&format!("w24_{side}")));
    let columns =
        [column("bracket"), chains("before"), column("work"), chains("after"), column("length")];
    let burst = column("burst");
    let parse = |row: &str| {
        let fields: Vec<&str> = row.split(',').collect();
        let number = |index: Option<usize>| fields.get(index?)?.parse().ok();
        let [bracket, probe_before, work, probe_after, length] = columns.map(number);
        Some(Line {
            burst: if burst.is_some() { number(burst)? } else { 0 },
            bracket: bracket?,
            probe_before: probe_before?,
            work: work?,
            probe_after: probe_after?,
            length: length?,
        })
    };
    rows.map(parse).collect()
}

/// Returns the probes' times between brackets that agree.
fn probes(calibration: &Calibration, lines: &[Line]) -> Vec<f64> {
    let probe = |pair: &[Line]| {
        let brackets = (pair[0].bracket, pair[1].bracket);
        let counts = pair[0].burst == pair[1].burst && agree(calibration, brackets);
        counts.then(|| cycles_per_operation(calibration, pair[0].probe_before, brackets)).flatten()
    };
    lines.windows(2).filter_map(probe).collect()
}

/// Returns the criterion for quiet from all probes of the recording, as if
/// remembered.
fn gate(calibration: &Calibration, lines: &[Line]) -> QuietCriterion {
    let mut histogram = Histogram::default();
    probes(calibration, lines).into_iter().for_each(|cycles| histogram.add(cycles));
    QuietCriterion {
        quiet: histogram.lowest_line().map(|line| line.centre),
        ..QuietCriterion::default()
    }
}

/// The result of a length in a burst.
struct Replayed {
    burst: u64,
    length: u64,
    quiet: usize,
    quiet_share: f64,
    figure: Figure,
    error: f64,
}

/// Replays every burst of a recording.
fn replay(recording: &Recording, lines: &[Line]) -> Vec<Replayed> {
    let calibration = recording.machine.calibration();
    let gate = gate(&calibration, lines);
    let mut replayed = Vec::new();
    for burst in lines.chunk_by(|a, b| a.burst == b.burst) {
        for length in &recording.lengths {
            let mut cell = PointSamples::of(&row(length.length as usize).workload);
            let (mut quiet, mut all) = (0, 0);
            for samples in rounds(&calibration, burst, length) {
                quiet += gate.states(&calibration, &samples).filter(|it| it.is_quiet()).count();
                all += samples.ticks.len();
                let round = RawRound {
                    calibration: 0,
                    overhead_ticks: calibration.overhead_ticks,
                    position: None,
                    samples,
                };
                add_round(
                    std::slice::from_mut(&mut cell),
                    std::slice::from_ref(&calibration),
                    gate,
                    &[round],
                );
            }
            let row = row(length.length as usize);
            let point = row.asked(0).figures(&[cell]).0.pop().expect("there are samples");
            let figure = point.cycles_per_call;
            replayed.push(Replayed {
                burst: burst[0].burst,
                length: length.length,
                quiet,
                quiet_share: quiet as f64 / all as f64,
                figure,
                error: figure.estimate / length.truth - 1.0,
            });
        }
    }
    replayed
}

/// Returns the samples of one length, distributed in turn: a quiet stretch has many
/// of them, and would otherwise lie in one round.
fn rounds(calibration: &Calibration, lines: &[Line], length: &Length) -> Vec<Samples> {
    let mut rounds = vec![Samples { calls: length.calls, ..Samples::default() }; ROUNDS];
    let of_length = lines.windows(2).filter(|pair| pair[0].length == length.length);
    let agreeing = of_length.filter(|pair| agree(calibration, (pair[0].bracket, pair[1].bracket)));
    for (index, pair) in agreeing.enumerate() {
        let samples = &mut rounds[index % ROUNDS];
        samples.ticks.push(pair[0].work);
        samples.before.push(pair[0].bracket);
        samples.after.push(pair[1].bracket);
        samples.probe_before.push(pair[0].probe_before);
        samples.probe_after.push(pair[0].probe_after);
    }
    rounds
}

fn row(length: usize) -> Row {
    let offer = super::offer();
    let line = Some((Fit::Robust, vec![length]));
    Row { line, ..Row::new("x", &offer, Contract::Keyed, Parameters::default(), vec![length]) }
}

#[test]
fn recorded_bursts_are_right_or_bounds() {
    let folder = std::env::var("CPB_TRACES").ok();
    let mut seen = 0;
    for recording in recordings() {
        let Some(lines) = lines(&recording, folder.as_deref()) else { continue };
        for replayed in replay(&recording, &lines) {
            let Replayed { burst, length, quiet, quiet_share, figure, error } = replayed;
            let name = format!("{} {length} burst {burst}", recording.name);
            println!(
                "{name:36} quiet {:5.1} %  {:+.3} %  {}",
                quiet_share * 100.0,
                error * 100.0,
                if figure.upper_bound { "bound" } else { "" }
            );
            let expected = recording.lengths.iter().find(|it| it.length == length);
            let Length { truth, tolerance, .. } = expected.expect("a length of the recording");
            // The pieces in this repository are a sixth of a burst, with fewer
            // samples.
            let tolerance = if folder.is_some() { *tolerance } else { 3.0 * tolerance };
            let covers = figure.interval.is_some_and(|it| it.low <= *truth && *truth <= it.high);
            if figure.upper_bound {
                assert!(error > -tolerance, "{name}: a bound below the truth");
                assert!(quiet_share < 0.01 || quiet < 24, "{name}: a bound where there was quiet");
            } else if quiet_share >= 0.01 {
                assert!(error.abs() <= tolerance, "{name}: off by {error}");
            } else {
                assert!(covers || error.abs() <= tolerance, "{name}: off by {error}");
            }
            seen += 1;
        }
    }
    assert!(seen >= 52, "{seen} recordings");
}

/// Whatever the share of quiet, the lowest level of the probes is that of a quiet
/// core.
#[test]
fn recorded_bursts_show_the_line_of_a_quiet_core() {
    let folder = std::env::var("CPB_TRACES").ok();
    let (mut right, mut without) = (0, 0);
    for recording in recordings() {
        let Some(lines) = lines(&recording, folder.as_deref()) else { continue };
        let (calibration, quiet) = (recording.machine.calibration(), recording.machine.quiet());
        for burst in lines.chunk_by(|a, b| a.burst == b.burst) {
            let chains = probes(&calibration, burst);
            let is_quiet = |cycles: &&f64| (*cycles / quiet - 1.0).abs() <= 0.02;
            let share = chains.iter().filter(is_quiet).count() as f64 / chains.len() as f64;
            let learned =
                decide(&LoopTimes { chains, ..LoopTimes::default() }, &PriorKnowledge::default());
            let off = learned.line.map(|line| line / quiet - 1.0);
            let name = format!("{} burst {}", recording.name, burst[0].burst);
            println!("{name:36} quiet {:5.1} %  line off by {off:?}", share * 100.0);
            assert_eq!(learned.certainty, Certainty::Unknown, "{name}");
            match off {
                Some(off) if share >= 0.01 => {
                    assert!(off.abs() <= 0.005, "{name}: off by {off}");
                    right += 1;
                }
                None if share >= 0.01 => panic!("{name}: no line"),
                _ => without += 1,
            }
        }
    }
    println!("{right} bursts are 1 % quiet or more, {without} less");
    assert!(right >= 24, "{right} bursts");
}
