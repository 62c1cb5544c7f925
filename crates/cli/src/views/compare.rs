//! Shows the result of `cpb compare`: a row per workload, and one over all.

use crate::comparison::{ComparedLength, ComparedRow, Comparison};
use cpb_figures::{
    CONFIDENCE, LengthPair, Ratio, RatioBound, RowPair, RunComparison, verdict_name,
};
use cpb_model::Run;
use cpb_report::number::{bytes, counted, percent};
use cpb_report::{
    Case, Cell, Document, Fields, Paired, Rows, Section, Source, Style, header, layout, left, right,
};
use cpb_stats::{Layout, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Document for Comparison {
    fn command(&self) -> &'static str {
        "compare"
    }

    fn sections(&self) -> Vec<Section> {
        let lengths = shown_lengths(self);
        let fields = fields(self, &lengths);
        let mut table = fields.table();
        if let Some(both) = self.lines.iter().find_map(ComparedRow::primitives) {
            table.title(both);
        }
        for line in &self.lines {
            let failure = line.failure.as_ref().map(|it| Cell::new(it.as_str(), Style::Bad));
            fields.add(&mut table, &Part { line, length: None }, failure);
        }
        if let Some(sum) = self.sum.filter(|_| self.lines.len() > 1) {
            table.blank();
            let name = format!("all {} (geometric mean)", self.summed);
            let short = format!("all {}", self.summed);
            let mut cells = vec![Cell::new(name, Style::Strong).or(short)];
            cells.resize(1 + lengths.len(), Cell::default());
            cells.extend([marked_cell(&sum), interval(&sum)]);
            cells.push(Cell::new(verdict_name(sum.verdict), style(sum.verdict)));
            table.row(cells);
        }
        vec![Section { before: head(self), table, after: legend(self), ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        let whole = self.lines.iter().map(|line| Part { line, length: None });
        let parts = whole.flat_map(|whole| {
            let lengths = whole.line.lengths.iter();
            let lengths = lengths.map(move |length| Part { length: Some(length), ..whole });
            [whole].into_iter().chain(lengths)
        });
        fields(self, &[]).rows(parts)
    }

    fn data(&self) -> Value {
        json!({
            "schema": cpb_model::SCHEMA,
            "kind": "comparison",
            "a": self.names[0],
            "b": self.names[1],
            "paired": self.is_paired,
            "precision": self.precision,
            "confidence": CONFIDENCE,
            "sum": self.sum.map(comparison),
            "workloads": self.lines.iter().map(line).collect::<Vec<_>>(),
            "only_a": self.only[0],
            "only_b": self.only[1],
            "run": self.run(),
        })
    }

    fn runs(&self) -> Vec<Source<'_>> {
        let runs = self.halves.as_ref().map_or(&self.runs[..], |halves| &halves[..]);
        runs.iter().zip(&self.names).map(|(run, name)| Source { name, run }).collect()
    }

    fn paired(&self) -> Option<Paired> {
        let row = |(place, line): (usize, &ComparedRow)| RowPair {
            places: [place; 2],
            ratio: line.ratio,
            lengths: line.lengths.iter().map(length_pair).collect(),
        };
        self.halves.as_ref()?;
        let compared = RunComparison {
            rows: self.lines.iter().enumerate().map(row).collect(),
            all: self.sum,
            counted: self.summed,
            ..RunComparison::default()
        };
        Some(Paired { compared, precision: self.precision, only: self.only.clone() })
    }

    /// Returns a case per row: slower rows failed, and undecided ones are unknown.
    fn cases(&self) -> Vec<Case> {
        let case = |line: &ComparedRow| Case {
            name: line.name(),
            outcome: match (&line.failure, line.verdict()) {
                (Some(_), _) => cpb_report::Outcome::Unknown,
                (None, Verdict::Slower) => cpb_report::Outcome::Failed,
                (None, _) => cpb_report::Outcome::Passed,
            },
            words: line.failure.clone().unwrap_or_else(|| {
                let ratio = line.ratio.map(|it| format!("{:.4}, ", it.value)).unwrap_or_default();
                format!("{ratio}{}{}", verdict_name(line.verdict()), of_layout(line))
            }),
        };
        self.lines.iter().map(case).collect()
    }
}

fn length_pair(length: &ComparedLength) -> LengthPair {
    LengthPair { length: length.length, cycles: length.cycles, ratio: length.ratio }
}

/// Returns the lengths that get columns: a few fit side by side; derivations have lengths of their
/// own.
fn shown_lengths(outcome: &Comparison) -> Vec<usize> {
    let messages = outcome.lines.iter().filter(|line| line.has_bytes());
    let lengths: BTreeSet<usize> =
        messages.flat_map(|line| line.lengths.iter().map(|length| length.length)).collect();
    lengths.into_iter().collect()
}

/// A row over all its lengths, or one of these.
#[derive(Clone, Copy)]
struct Part<'a> {
    line: &'a ComparedRow,
    length: Option<&'a ComparedLength>,
}

impl Part<'_> {
    fn ratio(&self) -> Option<Ratio> {
        self.length.map_or(self.line.ratio, |length| length.ratio)
    }

    fn of_ratio(&self, value: fn(&Ratio) -> Option<f64>) -> Option<String> {
        Some(format!("{:.6}", value(&self.ratio()?)?))
    }
}

/// Returns the fields of a row: in tables with columns for these `lengths`, in data with one entry
/// per length.
fn fields<'a>(outcome: &Comparison, lengths: &[usize]) -> Fields<'a, Part<'a>> {
    let last = lengths.len().saturating_sub(1);
    let length = |(place, &length): (usize, &usize)| {
        let column = right(bytes(length));
        match outcome.asked {
            true => (column.asked(), length),
            false => (column.rank(if place == 0 || place == last { 1 } else { 2 }), length),
        }
    };
    let verdict = left(format!("verdict ±{}", percent(outcome.precision)));
    Fields::<Part>::new()
        .table_only(left("").whole(), |it| it.line.short_name())
        .naming()
        .data_only("primitive", |it| it.line.workload.primitive.clone())
        .data_only("operation", |it| it.line.workload.operation.name())
        .data_only("contract", |it| it.line.workload.contract.name())
        .data_only("aad_bytes", |it| it.line.workload.aad)
        .data_only("backend_a", |it| it.line.backends[0].clone())
        .data_only("backend_b", |it| it.line.backends[1].clone())
        .data_only("length", |it| {
            it.length.map_or_else(|| "all".to_owned(), |it| it.length.to_string())
        })
        .data_only("cycles_a", |it| Some(it.length?.cycles[0]))
        .data_only("cycles_b", |it| Some(it.length?.cycles[1]))
        .each(lengths.iter().enumerate().map(length), |fields, (column, length)| {
            fields.table_only(column, move |it| at(it.line, length))
        })
        .data_only("ratio", |it| it.of_ratio(|it| Some(it.value)))
        .shown_as(right("B ÷ A"), |it| it.line.ratio.as_ref().map(marked_cell))
        .data_only("ratio_low", |it| it.of_ratio(|it| Some(it.interval?.low)))
        .data_only("ratio_high", |it| it.of_ratio(|it| Some(it.interval?.high)))
        .table_only(right("95 % interval").rank(u8::from(outcome.asked)), |it| {
            it.line.ratio.as_ref().map(interval)
        })
        .data_only("verdict", |it| Some(verdict_name(it.ratio()?.verdict)))
        .shown_as(verdict, |it| verdict_cell(it.line))
        .data_only("rounds", |it| it.line.rounds)
        .data_only("error", |it| it.line.failure.clone())
        .data_only("beside_neighbour", |it| it.line.beside_neighbour)
        .data_only("state_a", |it| Some(it.length?.cycles[0].state()))
        .data_only("state_b", |it| Some(it.length?.cycles[1].state()))
        .data_only("ratio_state", |it| Some(it.ratio()?.known.name()))
        .data_only("threads", |it| it.line.threads)
        .data_only("library_a", |it| it.line.libraries[0].clone())
        .data_only("library_b", |it| it.line.libraries[1].clone())
        .data_only("workload", |it| it.line.workload.to_string())
        .data_only("workload_b", |it| it.line.workload_b().to_string())
        .data_only("setup", |it| it.line.setup.modifiers().join(", "))
}

/// Returns the cell of a row at one length.
fn at(line: &ComparedRow, wanted: usize) -> Option<Cell> {
    let length = line.lengths.iter().find(|it| line.has_bytes() && it.length == wanted)?;
    let cell = |it: Ratio| Cell::new(marked(&it), style(it.verdict));
    Some(length.ratio.map_or_else(|| plain(length).into(), cell))
}

fn verdict_cell(line: &ComparedRow) -> Cell {
    let verdict = line.verdict();
    let neighbour = if line.beside_neighbour { ", beside a busy neighbour" } else { "" };
    let (name, but) = (verdict_name(verdict), contradictions(line, verdict));
    let words = format!("{name}{but}{neighbour}{}", of_layout(line));
    Cell::new(words, style(verdict))
}

/// Lists lengths whose verdict differs from the row's.
fn contradictions(line: &ComparedRow, verdict: Verdict) -> String {
    let of = |wanted: Verdict| -> Vec<String> {
        let says = |l: &&ComparedLength| l.ratio.is_some_and(|ratio| ratio.verdict == wanted);
        line.lengths.iter().filter(says).map(|length| bytes(length.length)).collect()
    };
    let parts: Vec<String> = [Verdict::Faster, Verdict::Slower]
        .into_iter()
        .filter(|&wanted| wanted != verdict)
        .map(|wanted| (wanted, of(wanted)))
        .filter(|(_, lengths)| !lengths.is_empty())
        .map(|(wanted, lengths)| format!("{} at {}", verdict_name(wanted), lengths.join(", ")))
        .collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}

/// Describes the ratio at deviating positions: of the row, or else of the first length that has
/// one.
fn of_layout(line: &ComparedRow) -> String {
    let told = |layout: &Layout| format!(", {}", layout::of_ratio(layout));
    let mut lengths = line.lengths.iter();
    let length = lengths.find_map(|length| Some((length.layout.as_ref()?, length.length)));
    match (&line.layout, length) {
        (Some(layout), _) => told(layout),
        (None, Some((layout, length))) => format!("{} at {}", told(layout), bytes(length)),
        (None, None) if line.at_all_positions && is_a_difference(line) => {
            ", at all positions".to_owned()
        }
        (None, None) => String::new(),
    }
}

fn is_a_difference(line: &ComparedRow) -> bool {
    [Verdict::Faster, Verdict::Slower].contains(&line.verdict())
}

fn marked_cell(ratio: &Ratio) -> Cell {
    let strong = if ratio.verdict == Verdict::CannotTell { Style::Plain } else { Style::Strong };
    Cell::new(marked(ratio), strong)
}

fn interval(ratio: &Ratio) -> Cell {
    let interval = match ratio.interval {
        Some(interval) => format!("{:.4} to {:.4}", interval.low, interval.high),
        None if ratio.known == RatioBound::About => "–".to_owned(),
        None => "bound".to_owned(),
    };
    Cell::new(interval, Style::Faint)
}

/// Formats a plain ratio, as far as the figures allow.
fn plain(length: &ComparedLength) -> String {
    let [a, b] = length.cycles.map(|figure| figure.estimate);
    let ratio = |known: RatioBound| format!("{}{:.4}", known.mark(), b / a);
    RatioBound::of(length.cycles).map_or_else(|| "–".to_owned(), ratio)
}

fn marked(ratio: &Ratio) -> String {
    format!("{}{:.4}", ratio.known.mark(), ratio.value)
}

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Faster => Style::Good,
        Verdict::Slower => Style::Bad,
        Verdict::NoDifference => Style::Plain,
        Verdict::CannotTell => Style::Caution,
    }
}

fn head(outcome: &Comparison) -> Vec<Cell> {
    let mut lines = outcome.run().map(header).unwrap_or_default();
    for ((side, name), label) in ["A", "B"].iter().zip(&outcome.names).zip(&outcome.labels) {
        let what = outcome.run().zip(label.as_ref()).and_then(|(run, label)| library(run, label));
        let what = what.unwrap_or_default();
        lines.push(format!("{side}: {name}{what}").into());
    }
    lines
}

/// Returns version and file of a library of `run`.
fn library(run: &Run, label: &str) -> Option<String> {
    let library = run.libraries.iter().find(|library| library.label == label)?;
    let path = library.path.as_ref().map(|path| format!(", {path}")).unwrap_or_default();
    Some(format!("  {}{path}", library.version))
}

fn legend(outcome: &Comparison) -> Vec<Cell> {
    let rounds = outcome.lines.iter().filter(|l| l.failure.is_none()).map(|line| line.rounds);
    let how = match (outcome.is_paired, rounds.clone().min(), rounds.max()) {
        (true, Some(fewest), Some(most)) if fewest != most => {
            format!("measured next to each other in {fewest} to {most} pairs of processes")
        }
        (true, Some(rounds), _) => {
            format!("measured next to each other in {} of processes", counted(rounds, "pair"))
        }
        _ => "measured at different times; differences below 1 % may be chance".to_owned(),
    };
    let open = |verdict: Verdict| verdict == Verdict::CannotTell;
    let has_open = outcome.lines.iter().any(|line| line.failure.is_none() && open(line.verdict()))
        || outcome.sum.is_some_and(|sum| open(sum.verdict));
    let remedy = match (outcome.is_paired, has_open) {
        (true, true) => format!(
            "a verdict needs the ratio to {}, or to a tenth of the difference: give a longer --max-time, or a larger --precision\n",
            percent(outcome.precision / 2.0)
        ),
        _ => String::new(),
    };
    let is_of_layout = |line: &ComparedRow| of_layout(line).contains("layout");
    let layout = if outcome.lines.iter().any(is_of_layout) {
        "layout: a difference by where libraries lie in memory, not by their code; the ratio is that at the other positions\n"
    } else {
        ""
    };
    let other = match outcome.lines.iter().any(|line| line.against.is_some()) {
        true => "two primitives, not one: which is cheaper, not which is faster at the same\n",
        false => "",
    };
    let text = format!(
        "{other}cycles of B over cycles of A: below 1, B is faster · a line is the geometric mean over \
         its lengths\n{how}\n{layout}{remedy}"
    );
    text.lines().map(|line| Cell::new(line, Style::Faint)).collect()
}

fn line(line: &ComparedRow) -> Value {
    json!({
        "workload": line.workload,
        "workload_b": line.workload_b(),
        "primitive": line.workload.primitive,
        "operation": line.workload.operation,
        "contract": line.workload.contract,
        "aad_bytes": line.workload.aad,
        "setup": line.setup,
        "threads": line.threads,
        "library_a": line.libraries[0],
        "library_b": line.libraries[1],
        "backend_a": line.backends[0],
        "backend_b": line.backends[1],
        "rounds": line.rounds,
        "beside_neighbour": line.beside_neighbour,
        "comparison": line.ratio.map(comparison),
        "layout": line.layout.as_ref().map(by_layout),
        "at_all_positions": line.at_all_positions,
        "lengths": line.lengths.iter().map(|length| json!({
            "length": length.length,
            "cycles_a": length.cycles[0].estimate,
            "cycles_b": length.cycles[1].estimate,
            "upper_bound_a": length.cycles[0].upper_bound,
            "upper_bound_b": length.cycles[1].upper_bound,
            "comparison": length.ratio.map(comparison),
            "layout": length.layout.as_ref().map(by_layout),
            "rounds": length.rounds,
        })).collect::<Vec<_>>(),
        "failure": line.failure,
    })
}

fn by_layout(layout: &Layout) -> Value {
    let at = |(position, factor): &(u8, f64)| json!({"position": position, "factor": factor});
    json!({"positions": layout.positions, "at": layout.at.iter().map(at).collect::<Vec<_>>()})
}

fn comparison(it: Ratio) -> Value {
    json!({
        "ratio": it.value,
        "low": it.interval.map(|interval| interval.low),
        "high": it.interval.map(|interval| interval.high),
        "verdict": verdict_name(it.verdict),
        "state": it.known.name(),
    })
}
