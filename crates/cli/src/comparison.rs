//! Holds the result of a comparison, however its sides were measured.

use cpb_engine::Pair;
use cpb_figures::{LibraryNames, Ratio, RowPair, RunComparison};
use cpb_model::{Axis, Figure, Operation, Record, Run, Setup, Workload};
use cpb_report::number::bytes;
use cpb_stats::{Layout, Verdict};
use std::collections::HashMap;

/// The result of comparing two sides.
pub(crate) struct Comparison {
    /// Baseline and candidate, as the user named them.
    pub(crate) names: [String; 2],
    /// The labels of libraries that were measured now.
    pub(crate) labels: [Option<String>; 2],
    /// Whether both were measured now, next to each other.
    pub(crate) is_paired: bool,
    pub(crate) precision: f64,
    /// Whether lengths were requested, so that none of them is left out.
    pub(crate) asked: bool,
    pub(crate) lines: Vec<ComparedRow>,
    /// The ratio over all rows, or over those that count, and their number.
    pub(crate) sum: Option<Ratio>,
    pub(crate) summed: usize,
    /// What only one of the sides has.
    pub(crate) only: [Vec<String>; 2],
    /// The compared runs: a single one in which both sides were measured next to each other, or one
    /// per side.
    pub(crate) runs: Vec<Run>,
    /// The part of a single run that belongs to each side.
    pub(crate) halves: Option<[Run; 2]>,
    /// The index of the run that was measured now; `None` between saved runs.
    pub(crate) measured: Option<usize>,
}

impl Comparison {
    /// Returns the run that was measured now.
    pub(crate) fn run(&self) -> Option<&Run> {
        self.runs.get(self.measured?)
    }
}

/// A row: one workload, at one or several lengths.
pub(crate) struct ComparedRow {
    pub(crate) workload: Workload,
    /// B's workload, if that is another primitive.
    pub(crate) against: Option<Workload>,
    /// The libraries of both sides, and, if rows are of several libraries, what distinguishes this
    /// one.
    pub(crate) libraries: [String; 2],
    pub(crate) whose: String,
    /// The name of each side's implementation: backend, or spelling.
    pub(crate) backends: [String; 2],
    pub(crate) setup: Setup,
    /// The number of concurrent threads, if that distinguishes rows.
    pub(crate) threads: Option<usize>,
    pub(crate) ratio: Option<Ratio>,
    /// The deviating ratio at some positions of the libraries, if there is one; `ratio` is then
    /// that of the others.
    pub(crate) layout: Option<Layout>,
    /// Whether the sides differ at every position of their libraries.
    pub(crate) at_all_positions: bool,
    pub(crate) lengths: Vec<ComparedLength>,
    /// Rounds of the pair; 0 if the sides were measured apart.
    pub(crate) rounds: usize,
    /// Whether most of them had a busy neighbour on the core's other hardware thread, so that the
    /// ratio may differ on a quiet core.
    pub(crate) beside_neighbour: bool,
    pub(crate) failure: Option<String>,
}

/// One length of a row.
pub(crate) struct ComparedLength {
    /// Bytes of the message, or iterations.
    pub(crate) length: usize,
    /// Cycles per call of both sides.
    pub(crate) cycles: [Figure; 2],
    pub(crate) ratio: Option<Ratio>,
    pub(crate) layout: Option<Layout>,
    /// Cycles per call of both sides in each round.
    pub(crate) rounds: Vec<[f64; 2]>,
}

impl ComparedRow {
    pub(crate) fn verdict(&self) -> Verdict {
        self.ratio.map_or(Verdict::CannotTell, |ratio| ratio.verdict)
    }

    /// Whether its calls have messages. An iteration of recursive SHA-256 has the output of the one
    /// before.
    pub(crate) fn has_bytes(&self) -> bool {
        let operation = self.workload.operation;
        let is_fed = |it: &ComparedLength| it.length != 0 || operation != Operation::Iterate;
        operation.row().axis == Axis::Bytes && self.lengths.iter().all(is_fed)
    }

    /// Returns B's workload.
    pub(crate) fn workload_b(&self) -> &Workload {
        self.against.as_ref().unwrap_or(&self.workload)
    }

    /// Returns both primitives, if they differ: `aes-128-gcm vs chacha20-poly1305`.
    pub(crate) fn primitives(&self) -> Option<String> {
        let other = self.against.as_ref()?;
        Some(format!("{} vs {}", self.workload.primitive, other.primitive))
    }

    /// Returns a name that distinguishes it from others: `aes-128-gcm seal`.
    pub(crate) fn name(&self) -> String {
        self.primitives().map(|both| both + " ").unwrap_or_default() + &self.short_name()
    }

    /// Returns the name below a title that already has both primitives: `seal`.
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
            None => {
                self.setup.modifiers().iter().for_each(|word| name.push_str(&format!(", {word}")));
            }
            Some(1) => name.push_str(", 1 thread"),
            Some(threads) => name.push_str(&format!(", {threads} threads")),
        }
        name
    }

    pub(crate) fn of_records(a: &Record, b: &Record) -> Self {
        let failed = |side: &Record| {
            Some(format!("{}: {}", side.subject.library, side.failure.as_ref()?.reason))
        };
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
            failure: failed(a).or_else(|| failed(b)),
        }
    }
}

/// Splits `run`, whose records alternate between the sides.
pub(crate) fn halves(run: &Run) -> [Run; 2] {
    [0, 1].map(|side| Run {
        records: run.records.iter().skip(side).step_by(2).cloned().collect(),
        ..run.without_records()
    })
}

/// Returns the rows of sides measured next to each other.
pub(crate) fn paired(run: &Run, pairs: &[Pair]) -> Vec<ComparedRow> {
    let line = |([a, b], pair): (&[Record; 2], &Pair)| {
        let points = a.points.iter().zip(&b.points);
        let lengths =
            points.zip(&pair.rounds).enumerate().map(|(index, ((a, b), rounds))| ComparedLength {
                length: a.parameters.length(),
                cycles: [a.cycles_per_call, b.cycles_per_call],
                ratio: pair.findings.by_length.get(index).copied().flatten().map(Ratio::from),
                layout: pair.findings.layout_by_length.get(index).cloned().flatten(),
                rounds: rounds.clone(),
            });
        ComparedRow {
            ratio: pair.findings.finding.map(Ratio::from),
            layout: pair.findings.layout.clone(),
            at_all_positions: pair.at_all_positions,
            lengths: lengths.collect(),
            rounds: pair.rounds.first().map_or(0, Vec::len),
            beside_neighbour: !pair.is_quiet,
            ..ComparedRow::of_records(a, b)
        }
    };
    run.records.as_chunks().0.iter().zip(pairs).map(line).collect()
}

/// Returns the rows of two runs measured apart.
pub(crate) fn unpaired([a, b]: [&Run; 2], compared: &RunComparison) -> Vec<ComparedRow> {
    let line = |row: &RowPair| {
        let [ours, theirs] = row.places;
        let lengths = row.lengths.iter().map(|length| ComparedLength {
            length: length.length,
            cycles: length.cycles,
            ratio: length.ratio,
            layout: None,
            rounds: Vec::new(),
        });
        ComparedRow {
            ratio: row.ratio,
            lengths: lengths.collect(),
            ..ComparedRow::of_records(&a.records[ours], &b.records[theirs])
        }
    };
    let mut lines: Vec<ComparedRow> = compared.rows.iter().map(line).collect();
    let [ours, theirs] = [a, b].map(LibraryNames::of_run);
    if !(ours.is_one() && theirs.is_one()) {
        // Sides with several libraries have the same name on both.
        for (line, row) in lines.iter_mut().zip(&compared.rows) {
            line.whose = format!(", {}", ours.name(&a.records[row.places[0]].subject));
        }
    }
    tell_apart(&mut lines, |line| format!(", {}", line.libraries[0]));
    tell_apart(&mut lines, |line| format!("{} {}", line.whose, line.backends[0]));
    lines
}

/// Adds `whose` to rows with equal names.
fn tell_apart(lines: &mut [ComparedRow], whose: impl Fn(&ComparedRow) -> String) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in &*lines {
        *counts.entry(line.name()).or_default() += 1;
    }
    for line in lines.iter_mut().filter(|line| counts[&line.name()] > 1) {
        line.whose = whose(line);
    }
}
