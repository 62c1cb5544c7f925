//! Replays recorded loops of two virtual machines through the decision. `windows/README.md`
//! describes the recordings, and the truth about them.

use cpb_model::{Certainty, GateLoop};
use cpb_quiet::{Learned, LoopTimes, PriorKnowledge, WindowTimes, decide};
use flate2::read::GzDecoder;
use std::io::Read;

/// A round counts if its brackets agree this well, relatively.
const AGREE: f64 = 0.01;

/// Square roots per block.
const ROOTS: f64 = 6.0;

/// A recorded machine.
struct Machine {
    /// The timing overhead, in steps of the counter, as all times are.
    overhead: f64,
    /// The model's window beside a neighbour.
    divided: u32,
    /// The block size of the probe, and its cycles on a quiet core.
    gate: (u32, f64),
    /// Loops throughout a round, with cycles per block that they never take alone.
    slower: [(&'static str, u32, f64); 7],
}

static ZEN_5: Machine = Machine {
    overhead: 62.0 / 26.0,
    divided: 217,
    gate: (352, 90.2),
    slower: [
        ("M", 352, 130.0),
        ("V", 320, 130.0),
        ("V", 288, 120.0),
        ("L", 208, 110.0),
        ("L", 192, 100.0),
        ("M", 128, 60.0),
        ("M", 256, 100.0),
    ],
};

static ZEN_4: Machine = Machine {
    overhead: 72.0 / 26.0,
    divided: 201,
    gate: (256, 88.8),
    slower: [
        ("M", 256, 110.0),
        ("V", 128, 105.0),
        ("V", 112, 100.0),
        ("L", 176, 110.0),
        ("L", 160, 105.0),
        ("M", 224, 100.0),
        ("M", 288, 115.0),
    ],
};

/// The recordings of a machine.
macro_rules! recorded {
    ($machine:ident, $name:literal) => {
        Recording::read(&$machine, include_bytes!(concat!("windows/", $name, ".csv.gz")).as_slice())
    };
}

/// A recording: its columns, what each counts, and a line for each round.
struct Recording {
    machine: &'static Machine,
    names: Vec<String>,
    counts: Vec<f64>,
    rounds: Vec<Vec<f64>>,
}

impl Recording {
    fn read(machine: &'static Machine, packed: &[u8]) -> Self {
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text).expect("it was packed");
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default();
        let names = next().split(',').map(str::to_owned).collect();
        let numbers =
            |line: &str| line.split(',').map(|it| it.parse().expect("a number")).collect();
        let counts = numbers(next());
        Self { machine, names, counts, rounds: lines.map(numbers).collect() }
    }

    /// Returns the cycles per instruction of loop `name` in the rounds `of`, by the surrounding
    /// brackets.
    fn cycles(&self, name: &str, of: &[usize]) -> Vec<f64> {
        let column = self.column(name);
        let cycles = |&round: &usize| {
            let steps = self.rounds[round][column] - self.machine.overhead;
            steps * self.cycles_per_step(round) / self.counts[column]
        };
        of.iter().map(cycles).collect()
    }

    /// Works like [`Self::cycles`], for a loop timed at two lengths, without its start.
    fn between_lengths(&self, name: &str, of: &[usize]) -> Vec<f64> {
        let [short, long] = ["short", "long"].map(|it| self.column(&format!("{name}.{it}")));
        let counted = self.counts[long] - self.counts[short];
        let cycles = |&round: &usize| {
            let steps = self.rounds[round][long] - self.rounds[round][short];
            steps * self.cycles_per_step(round) / counted
        };
        of.iter().map(cycles).collect()
    }

    /// Works like [`Self::cycles`], for the blocks of `size` instructions of a loop named `kind`
    /// and its size.
    fn blocks(&self, kind: &str, size: u32, of: &[usize]) -> Vec<f64> {
        let instructions = self.cycles(&format!("{kind}{size}"), of);
        instructions.into_iter().map(|cycles| cycles * f64::from(size)).collect()
    }

    fn column(&self, name: &str) -> usize {
        self.names.iter().position(|it| it == name).unwrap_or_else(|| panic!("no column {name}"))
    }

    fn bracket(&self, round: usize) -> f64 {
        self.rounds[round][self.column("bracket")] - self.machine.overhead
    }

    fn cycles_per_step(&self, round: usize) -> f64 {
        let brackets = f64::midpoint(self.bracket(round), self.bracket(round + 1));
        self.counts[self.column("bracket")] / brackets
    }

    /// Returns rounds whose brackets agree, and in which our load on the other thread was one of
    /// `modes`.
    fn rounds(&self, modes: std::ops::RangeInclusive<f64>) -> Vec<usize> {
        let column = self.column("mode");
        let counts = |round: &usize| {
            let [this, next] = [0, 1].map(|it| self.rounds[round + it][column]);
            let brackets = self.bracket(*round) / self.bracket(round + 1);
            this == next && modes.contains(&this) && (brackets - 1.0).abs() < AGREE
        };
        (0..self.rounds.len() - 1).filter(counts).collect()
    }

    /// Returns the rounds that had a neighbour from beginning to end: loops throughout the round,
    /// and throughout the one before, took longer than they ever do alone.
    fn busy_throughout(&self, of: &[usize]) -> Vec<usize> {
        let is_slow = |round: usize, (kind, size, alone): (&str, u32, f64)| {
            self.blocks(kind, size, &[round])[0] > alone
        };
        let is_busy = |round: &usize| {
            let before = round.saturating_sub(1);
            let slower = self.machine.slower;
            slower.into_iter().all(|it| is_slow(*round, it)) && is_slow(before, slower[0])
        };
        of.iter().copied().filter(is_busy).collect()
    }

    /// Returns the times of the engine's loops in the rounds `of`.
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

/// Returns the decision about the rounds `of` without knowledge of the CPU, and with its model
/// known.
fn verdicts(recording: &Recording, of: &[usize]) -> [Learned; 2] {
    let times = recording.times(of);
    let unknown = PriorKnowledge { fewest_integer_units: 4, ..PriorKnowledge::default() };
    let model = PriorKnowledge { divided_window: Some(recording.machine.divided), ..unknown };
    [unknown, model].map(|known| decide(&times, &known))
}

#[test]
fn a_core_that_is_quiet_or_often_so_is_certain_or_likely() {
    for (name, recording, expected) in [
        ("Zen 5 alone", recorded!(ZEN_5, "zen5.alone"), Certainty::Likely),
        ("Zen 5 visited", recorded!(ZEN_5, "zen5.visited"), Certainty::Certain),
        ("Zen 5 siblings", recorded!(ZEN_5, "zen5.siblings"), Certainty::Certain),
        ("Zen 4 alone", recorded!(ZEN_4, "zen4.alone"), Certainty::Likely),
        ("Zen 4 visited", recorded!(ZEN_4, "zen4.visited"), Certainty::Likely),
    ] {
        let of = recording.rounds(0.0..=8.0);
        let [unknown, model] = verdicts(&recording, &of);
        println!("{name}: {} rounds, {unknown:?}", of.len());
        assert_eq!(unknown.certainty, expected, "{name}: {unknown:?}");
        assert_eq!(model.certainty, Certainty::Certain, "{name}: {model:?}");
        let (size, cycles) = recording.machine.gate;
        for learned in [unknown, model] {
            assert_eq!(learned.gate_loop, GateLoop::Window(size), "{name}");
            let line = learned.line.expect("a line");
            let off = line * f64::from(size) / cycles - 1.0;
            assert!(off.abs() < 0.02, "{name}: {line}");
        }
    }
}

#[test]
fn a_core_beside_a_neighbour_all_the_time_is_neither_certain_nor_likely() {
    let ours = |recording: fn() -> Recording| (1..=8).map(move |mode| (mode, recording()));
    let zen_5 = ours(|| recorded!(ZEN_5, "zen5.siblings"));
    let zen_4 = ours(|| recorded!(ZEN_4, "zen4.siblings"));
    let foreign = (0, recorded!(ZEN_4, "zen4.neighbour"));
    for (mode, recording) in zen_5.chain(zen_4).chain([foreign]) {
        let modes = f64::from(mode)..=f64::from(mode);
        let of = recording.busy_throughout(&recording.rounds(modes));
        let [unknown, model] = verdicts(&recording, &of);
        println!("mode {mode}: {} rounds, {unknown:?}, {:?}", of.len(), model.certainty);
        assert!(of.len() >= 60, "{mode}: {} rounds", of.len());
        assert_eq!(unknown.certainty, Certainty::Unknown, "mode {mode}: {unknown:?}");
        assert_eq!(model.certainty, Certainty::Busy, "mode {mode}: {model:?}");
    }
}
