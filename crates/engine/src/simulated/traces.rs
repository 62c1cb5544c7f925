//! Recorded noise of a busy virtual machine, through the gate and the summary.
//! `traces/README.md` says what was recorded, and what the truth is.

use crate::Row;
use cpb_figures::{Cell, Gate, add_round, agree, cycles_per_operation};
use cpb_model::{Calibration, Contract, CycleSource, Figure, Fit, GateLoop, RawRound, Samples};
use cpb_stats::Histogram;
use std::io::Read;

/// Rounds that the samples of a burst are dealt out to.
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

/// A recorded workload: its length as it stands in the file, how many calls the
/// work is, and the cycles of one on a quiet core.
struct Length {
    length: u64,
    calls: u64,
    truth: f64,
    tolerance: f64,
}

struct Recording {
    name: &'static str,
    lengths: [Length; 2],
}

fn recordings() -> [Recording; 6] {
    let recording = |name, short: (u64, u64, f64), long: (u64, f64)| Recording {
        name,
        lengths: [
            Length { length: short.0, calls: short.1, truth: short.2, tolerance: 0.002 },
            Length { length: long.0, calls: 1, truth: long.1, tolerance: 0.001 },
        ],
    };
    [
        recording("sha3-256", (1024, 2, 10_731.0), (8192, 71_974.0)),
        recording("sha256", (1024, 2, 4_039.0), (8192, 22_734.0)),
        recording("chacha20-poly1305", (1024, 8, 2_112.0), (16_384, 15_091.0)),
        recording("adds", (500, 1, 2_295.0), (4000, 18_140.0)),
        recording("aes-128-gcm", (1024, 8, 1_481.0), (16_384, 9_706.0)),
        recording("muls", (500, 1, 4_008.0), (4000, 32_008.0)),
    ]
}

/// The machine that was recorded.
fn calibration() -> Calibration {
    Calibration {
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
    }
}

/// The pieces that are kept, or the whole recording where that is at hand.
fn lines(name: &str, folder: Option<&str>) -> Option<Vec<Line>> {
    let text = match folder {
        Some(folder) => std::fs::read_to_string(format!("{folder}/{name}.csv")).ok()?,
        None => {
            let packed: &[u8] = match name {
                "aes-128-gcm" => include_bytes!("traces/aes-128-gcm.csv.gz"),
                "sha256" => include_bytes!("traces/sha256.csv.gz"),
                "chacha20-poly1305" => include_bytes!("traces/chacha20-poly1305.csv.gz"),
                "adds" => include_bytes!("traces/adds.csv.gz"),
                _ => return None,
            };
            let mut text = String::new();
            flate2::read::GzDecoder::new(packed).read_to_string(&mut text).ok()?;
            text
        }
    };
    let mut rows = text.lines();
    let header: Vec<&str> = rows.next()?.split(',').collect();
    let column = |name: &str| header.iter().position(|&it| it == name);
    let columns = ["burst", "bracket", "probe_before", "work", "probe_after", "length"].map(column);
    let parse = |row: &str| {
        let fields: Vec<&str> = row.split(',').collect();
        let number = |index: Option<usize>| fields.get(index?)?.parse().ok();
        let [burst, bracket, probe_before, work, probe_after, length] = columns.map(number);
        Some(Line {
            burst: burst?,
            bracket: bracket?,
            probe_before: probe_before?,
            work: work?,
            probe_after: probe_after?,
            length: length?,
        })
    };
    rows.map(parse).collect()
}

/// What quiet is by all probes of the recording, as if remembered.
fn gate(lines: &[Line]) -> Gate {
    let calibration = calibration();
    let mut histogram = Histogram::default();
    for pair in lines.windows(2) {
        let brackets = (pair[0].bracket, pair[1].bracket);
        if pair[0].burst == pair[1].burst && agree(&calibration, brackets) {
            let cycles = cycles_per_operation(&calibration, pair[0].probe_before, brackets);
            cycles.into_iter().for_each(|cycles| histogram.add(cycles));
        }
    }
    Gate { quiet: histogram.lowest_line().map(|line| line.centre), ..Gate::default() }
}

/// What became of a length in a burst.
struct Replayed {
    burst: u64,
    length: u64,
    quiet: usize,
    quiet_share: f64,
    figure: Figure,
    error: f64,
}

/// Every burst of a recording.
fn replay(recording: &Recording, lines: &[Line]) -> Vec<Replayed> {
    let gate = gate(lines);
    let mut replayed = Vec::new();
    for burst in lines.chunk_by(|a, b| a.burst == b.burst) {
        for length in &recording.lengths {
            let mut cell = Cell::default();
            let (mut quiet, mut all) = (0, 0);
            for samples in rounds(burst, length) {
                quiet += gate.states(&calibration(), &samples).filter(|it| it.is_quiet()).count();
                all += samples.ticks.len();
                let round =
                    RawRound { calibration: 0, overhead_ticks: 55.0, position: None, samples };
                add_round(std::slice::from_mut(&mut cell), &[calibration()], gate, &[round]);
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

/// The samples of one length, dealt out in turn: a quiet stretch is as long as
/// many of them, and would else lie in one round.
fn rounds(lines: &[Line], length: &Length) -> Vec<Samples> {
    let mut rounds = vec![Samples { calls: length.calls, ..Samples::default() }; ROUNDS];
    let of_length = lines.windows(2).filter(|pair| pair[0].length == length.length);
    let agreeing =
        of_length.filter(|pair| agree(&calibration(), (pair[0].bracket, pair[1].bracket)));
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
    Row { line, ..Row::new("x", &offer, Contract::Keyed, vec![length]) }
}

#[test]
fn recorded_bursts_are_right_or_bounds() {
    let folder = std::env::var("CPB_TRACES").ok();
    let mut seen = 0;
    for recording in recordings() {
        let Some(lines) = lines(recording.name, folder.as_deref()) else { continue };
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
            // The pieces that are kept are a sixth of a burst, with fewer samples.
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
    assert!(seen >= 32, "{seen} recordings");
}
