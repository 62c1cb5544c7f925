//! What a comparison found, whichever way its sides were measured.

use cpb_engine::Pair;
use cpb_figures::{LibraryNames, Ratio, RowPair, RunComparison};
use cpb_model::{Axis, Figure, Operation, Record, Run, Setup, Workload};
use cpb_report::number::bytes;
use cpb_stats::{Layout, Verdict};
use std::collections::HashMap;

/// Two sides compared.
pub(crate) struct Outcome {
    /// Baseline and candidate, as the user called them.
    pub(crate) names: [String; 2],
    /// The labels of the libraries that were measured now.
    pub(crate) labels: [Option<String>; 2],
    /// Whether both were measured now, next to each other.
    pub(crate) is_paired: bool,
    pub(crate) precision: f64,
    /// Whether somebody asked for the lengths: then none of them is left out.
    pub(crate) asked: bool,
    pub(crate) lines: Vec<Line>,
    /// Over all lines, or so many of them.
    pub(crate) sum: Option<Ratio>,
    pub(crate) summed: usize,
    /// What only one of the sides has.
    pub(crate) only: [Vec<String>; 2],
    /// The runs it is of: one in which both sides were measured next to each other, or
    /// those of the sides.
    pub(crate) runs: Vec<Run>,
    /// Where that is one, what of it is of each side.
    pub(crate) halves: Option<[Run; 2]>,
    /// Which of them was measured now; none between saved runs.
    pub(crate) measured: Option<usize>,
}

impl Outcome {
    /// What was measured now.
    pub(crate) fn run(&self) -> Option<&Run> {
        self.runs.get(self.measured?)
    }
}

/// One workload, or one over several lengths.
pub(crate) struct Line {
    pub(crate) workload: Workload,
    /// What B does, where that is another primitive.
    pub(crate) against: Option<Workload>,
    /// The libraries of both sides, and where lines are of several, what tells this one's from
    /// the others'.
    pub(crate) libraries: [String; 2],
    pub(crate) whose: String,
    /// What each side calls its implementation: backend, or spelling.
    pub(crate) backends: [String; 2],
    /// How calls are made.
    pub(crate) setup: Setup,
    /// Threads that make the calls at once, where lines are told apart by these.
    pub(crate) threads: Option<usize>,
    pub(crate) ratio: Option<Ratio>,
    /// Where that is another at some positions of the libraries: it is the one of the others.
    pub(crate) layout: Option<Layout>,
    /// Whether the sides differ wherever their libraries lie.
    pub(crate) at_all_positions: bool,
    pub(crate) lengths: Vec<Length>,
    /// Rounds of the pair; 0 where the sides were measured apart.
    pub(crate) rounds: usize,
    /// Whether a neighbour was busy on the core's other hardware thread in most
    /// of them, so that on a quiet core the ratio may be another.
    pub(crate) beside_neighbour: bool,
    pub(crate) failure: Option<String>,
}

/// A length of a line.
pub(crate) struct Length {
    /// Bytes of the message, or iterations.
    pub(crate) length: usize,
    /// Cycles per call of both sides.
    pub(crate) cycles: [Figure; 2],
    pub(crate) ratio: Option<Ratio>,
    pub(crate) layout: Option<Layout>,
    /// Cycles per call of both sides in each round.
    pub(crate) rounds: Vec<[f64; 2]>,
}

impl Line {
    pub(crate) fn verdict(&self) -> Verdict {
        self.ratio.map_or(Verdict::CannotTell, |ratio| ratio.verdict)
    }

    /// Whether its calls have messages. An iteration of recursive SHA-256 has what the one before put
    /// out.
    pub(crate) fn has_bytes(&self) -> bool {
        let operation = self.workload.operation;
        let is_fed = |it: &Length| it.length != 0 || operation != Operation::Iterate;
        operation.row().axis == Axis::Bytes && self.lengths.iter().all(is_fed)
    }

    /// What B does.
    pub(crate) fn workload_b(&self) -> &Workload {
        self.against.as_ref().unwrap_or(&self.workload)
    }

    /// Both primitives, where they are two: `aes-128-gcm vs chacha20-poly1305`.
    pub(crate) fn primitives(&self) -> Option<String> {
        let other = self.against.as_ref()?;
        Some(format!("{} vs {}", self.workload.primitive, other.primitive))
    }

    /// A name that tells it from the others: `aes-128-gcm seal`.
    pub(crate) fn name(&self) -> String {
        self.primitives().map(|both| both + " ").unwrap_or_default() + &self.short_name()
    }

    /// The same below a title that names both primitives: `seal`.
    pub(crate) fn short_name(&self) -> String {
        let title = match self.against {
            Some(_) => self.workload.of_any_primitive().title().trim_start().to_owned(),
            None => self.workload.title(),
        };
        let mut name = title + &self.whose;
        if let (true, [only]) = (self.has_bytes(), &self.lengths[..]) {
            name.push_str(&format!(", {}", bytes(only.length)));
        }
        match self.threads {
            None => self.setup.words().iter().for_each(|word| name.push_str(&format!(", {word}"))),
            Some(1) => name.push_str(", 1 thread"),
            Some(threads) => name.push_str(&format!(", {threads} threads")),
        }
        name
    }

    pub(crate) fn of_records(a: &Record, b: &Record) -> Self {
        let failure = a.failure.as_ref().map(|failure| (a, failure));
        let failure = failure.or_else(|| b.failure.as_ref().map(|failure| (b, failure)));
        Self {
            workload: a.workload.clone(),
            against: (a.workload != b.workload).then(|| b.workload.clone()),
            libraries: [a.subject.library.clone(), b.subject.library.clone()],
            whose: String::new(),
            backends: [a.subject.backend.clone(), b.subject.backend.clone()],
            setup: a.setup.clone(),
            threads: None,
            ratio: None,
            layout: None,
            at_all_positions: false,
            lengths: Vec::new(),
            rounds: 0,
            beside_neighbour: false,
            failure: failure
                .map(|(side, failure)| format!("{}: {}", side.subject.library, failure.reason)),
        }
    }
}

/// What of `run` is of each side, whose records stand in turn.
pub(crate) fn halves(run: &Run) -> [Run; 2] {
    [0, 1].map(|side| Run {
        records: run.records.iter().skip(side).step_by(2).cloned().collect(),
        ..run.without_records()
    })
}

/// The lines of sides that were measured next to each other.
pub(crate) fn paired(run: &Run, pairs: &[Pair]) -> Vec<Line> {
    let line = |([a, b], pair): (&[Record; 2], &Pair)| {
        let points = a.points.iter().zip(&b.points);
        let lengths =
            points.zip(&pair.rounds).enumerate().map(|(index, ((a, b), rounds))| Length {
                length: a.parameters.length(),
                cycles: [a.cycles_per_call, b.cycles_per_call],
                ratio: pair.findings.by_length.get(index).copied().flatten().map(Ratio::from),
                layout: pair.findings.layout_by_length.get(index).cloned().flatten(),
                rounds: rounds.clone(),
            });
        Line {
            ratio: pair.findings.finding.map(Ratio::from),
            layout: pair.findings.layout.clone(),
            at_all_positions: pair.at_all_positions,
            lengths: lengths.collect(),
            rounds: pair.rounds.first().map_or(0, Vec::len),
            beside_neighbour: !pair.is_quiet,
            ..Line::of_records(a, b)
        }
    };
    run.records.as_chunks().0.iter().zip(pairs).map(line).collect()
}

/// The lines of two runs that were measured apart.
pub(crate) fn unpaired([a, b]: [&Run; 2], compared: &RunComparison) -> Vec<Line> {
    let line = |row: &RowPair| {
        let [ours, theirs] = row.places;
        let lengths = row.lengths.iter().map(|length| Length {
            length: length.length,
            cycles: length.cycles,
            ratio: length.ratio,
            layout: None,
            rounds: Vec::new(),
        });
        Line {
            ratio: row.ratio,
            lengths: lengths.collect(),
            ..Line::of_records(&a.records[ours], &b.records[theirs])
        }
    };
    let mut lines: Vec<Line> = compared.rows.iter().map(line).collect();
    let [ours, theirs] = [a, b].map(LibraryNames::of_run);
    if !(ours.is_one() && theirs.is_one()) {
        // Sides of several libraries have the same name on both.
        for (line, row) in lines.iter_mut().zip(&compared.rows) {
            line.whose = format!(", {}", ours.name(&a.records[row.places[0]].subject));
        }
    }
    tell_apart(&mut lines, |line| format!(", {}", line.libraries[0]));
    tell_apart(&mut lines, |line| format!("{} {}", line.whose, line.backends[0]));
    lines
}

/// Has those whose names are the same say `whose` they are.
fn tell_apart(lines: &mut [Line], whose: impl Fn(&Line) -> String) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in &*lines {
        *counts.entry(line.name()).or_default() += 1;
    }
    for line in lines.iter_mut().filter(|line| counts[&line.name()] > 1) {
        line.whose = whose(line);
    }
}
