//! Recorded loops of a Zen 5 virtual machine, through the decision. `traces/README.md` says what was
//! recorded, and what is true of it.

use super::traces::unpack;
use crate::quiet::decision::{Known, Learned, decide};
use crate::quiet::times::{LoopTimes, WindowTimes};
use cpb_model::{Certainty, GateLoop};

/// What timing nothing takes, in steps of the counter, as all times are.
const OVERHEAD: f64 = 62.0 / 26.0;
/// A round counts where its brackets agree so far.
const AGREE: f64 = 0.01;

/// Square roots in a block.
const ROOTS: f64 = 6.0;
/// Cycles of a block of 352 instructions on a quiet core.
const QUIET_BLOCK: f64 = 90.2;
/// Loops all over a round, and cycles of a block that they do not take alone.
const SLOWER: [(&str, u32, f64); 7] = [
    ("M", 352, 130.0),
    ("V", 320, 130.0),
    ("V", 288, 120.0),
    ("L", 208, 110.0),
    ("L", 192, 100.0),
    ("M", 128, 60.0),
    ("M", 256, 100.0),
];

const ALONE: &[u8] = include_bytes!("traces/zen5/windows.alone.csv.gz");
const VISITED: &[u8] = include_bytes!("traces/zen5/windows.visited.csv.gz");
const SIBLINGS: &[u8] = include_bytes!("traces/zen5/windows.siblings.csv.gz");

/// A recording: its columns, what each counts, and a line for each round.
struct Recording {
    names: Vec<String>,
    counts: Vec<f64>,
    rounds: Vec<Vec<f64>>,
}

impl Recording {
    fn read(packed: &[u8]) -> Self {
        let text = unpack(packed);
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default();
        let names = next().split(',').map(str::to_owned).collect();
        let numbers =
            |line: &str| line.split(',').map(|it| it.parse().expect("a number")).collect();
        let counts = numbers(next());
        Self { names, counts, rounds: lines.map(numbers).collect() }
    }

    /// Cycles of an instruction of loop `name`, by the brackets around, in the rounds `of`.
    fn cycles(&self, name: &str, of: &[usize]) -> Vec<f64> {
        let column = self.column(name);
        let cycles = |&round: &usize| {
            let steps = self.rounds[round][column] - OVERHEAD;
            steps * self.cycles_per_step(round) / self.counts[column]
        };
        of.iter().map(cycles).collect()
    }

    /// The same of a loop that was timed at two lengths, without its start.
    fn between_lengths(&self, name: &str, of: &[usize]) -> Vec<f64> {
        let [short, long] = ["short", "long"].map(|it| self.column(&format!("{name}.{it}")));
        let counted = self.counts[long] - self.counts[short];
        let cycles = |&round: &usize| {
            let steps = self.rounds[round][long] - self.rounds[round][short];
            steps * self.cycles_per_step(round) / counted
        };
        of.iter().map(cycles).collect()
    }

    /// The same of the blocks of `size` instructions of a loop that is called `kind` and its size.
    fn blocks(&self, kind: &str, size: u32, of: &[usize]) -> Vec<f64> {
        let instructions = self.cycles(&format!("{kind}{size}"), of);
        instructions.into_iter().map(|cycles| cycles * f64::from(size)).collect()
    }

    fn column(&self, name: &str) -> usize {
        self.names.iter().position(|it| it == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    fn bracket(&self, round: usize) -> f64 {
        self.rounds[round][self.column("bracket")] - OVERHEAD
    }

    fn cycles_per_step(&self, round: usize) -> f64 {
        let brackets = f64::midpoint(self.bracket(round), self.bracket(round + 1));
        self.counts[self.column("bracket")] / brackets
    }

    /// Rounds whose brackets agree, in which our own load on the other thread was one of `modes`.
    fn rounds(&self, modes: std::ops::RangeInclusive<f64>) -> Vec<usize> {
        let column = self.column("mode");
        let counts = |round: &usize| {
            let [this, next] = [0, 1].map(|it| self.rounds[round + it][column]);
            let brackets = self.bracket(*round) / self.bracket(round + 1);
            this == next && modes.contains(&this) && (brackets - 1.0).abs() < AGREE
        };
        (0..self.rounds.len() - 1).filter(counts).collect()
    }

    /// Those of the rounds that a neighbour was there in from beginning to end: loops all over the
    /// round took longer than they ever do alone, and so they did in the round before.
    fn busy_throughout(&self, of: &[usize]) -> Vec<usize> {
        let is_slow = |round: usize, (kind, size, alone): (&str, u32, f64)| {
            self.blocks(kind, size, &[round])[0] > alone
        };
        let is_busy = |round: &usize| {
            let before = round.saturating_sub(1);
            SLOWER.into_iter().all(|it| is_slow(*round, it)) && is_slow(before, SLOWER[0])
        };
        of.iter().copied().filter(is_busy).collect()
    }

    /// What the engine calls loops, in the rounds `of`.
    fn times(&self, of: &[usize]) -> LoopTimes {
        let windows = ["M", "L", "V"].map(|kind| {
            let sizes = self.names.iter().filter_map(|name| name.strip_prefix(kind)?.parse().ok());
            sizes.map(|size| WindowTimes { size, cycles: self.blocks(kind, size, of) }).collect()
        });
        let roots = self.cycles("chain", of).into_iter().map(|root| ROOTS * root);
        LoopTimes {
            units: ["alu", "mul", "vec"].map(|name| self.between_lengths(name, of)),
            chains: self.cycles("w24", of),
            roots: roots.collect(),
            windows,
        }
    }
}

/// What is said of the rounds `of` where nothing is known of the CPU, and where its model is.
fn verdicts(recording: &Recording, of: &[usize]) -> [Learned; 2] {
    let times = recording.times(of);
    let unknown = Known { fewest_integer_units: 4, ..Known::default() };
    let model = Known { divided_window: Some(217), ..unknown };
    [unknown, model].map(|known| decide(&times, &known))
}

#[test]
fn a_core_that_is_quiet_or_often_so_is_certain_or_likely() {
    for (name, packed, expected) in [
        ("alone", ALONE, Certainty::Likely),
        ("visited", VISITED, Certainty::Certain),
        ("siblings", SIBLINGS, Certainty::Certain),
    ] {
        let recording = Recording::read(packed);
        let of = recording.rounds(0.0..=8.0);
        let [unknown, model] = verdicts(&recording, &of);
        println!("{name}: {} rounds, {unknown:?}", of.len());
        assert_eq!(unknown.certainty, expected, "{name}: {unknown:?}");
        assert_eq!(model.certainty, Certainty::Certain, "{name}: {model:?}");
        for learned in [unknown, model] {
            assert_eq!(learned.gate_loop, GateLoop::Window(352), "{name}");
            let line = learned.line.expect("a line");
            assert!((line * 352.0 / QUIET_BLOCK - 1.0).abs() < 0.02, "{name}: {line}");
        }
    }
}

#[test]
fn a_core_beside_a_neighbour_all_the_time_is_neither_certain_nor_likely() {
    let recording = Recording::read(SIBLINGS);
    for mode in 1..=8 {
        let mode = f64::from(mode);
        let of = recording.busy_throughout(&recording.rounds(mode..=mode));
        let [unknown, model] = verdicts(&recording, &of);
        println!("mode {mode}: {} rounds, {unknown:?}", of.len());
        assert!(of.len() >= 60, "{mode}: {} rounds", of.len());
        assert_eq!(unknown.certainty, Certainty::Unknown, "mode {mode}: {unknown:?}");
        assert_eq!(model.certainty, Certainty::Busy, "mode {mode}: {model:?}");
    }
}
