//! `cpb compare`: a line for each workload, and one for all.

mod csv;

use crate::comparison::{Length, Line, Outcome};
use crate::document::{self, Case, Document};
use crate::views::{header, layout};
use cpb_figures::{CONFIDENCE, Known, LengthPair, Ratio, RowPair, RunComparison, verdict_name};
use cpb_model::{Axis, Run};
use cpb_report::html::{Paired, Source};
use cpb_report::number::{bytes, percent};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, left, right, write_json};
use cpb_stats::{Layout, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;

impl Document for Outcome {
    fn command(&self) -> &'static str {
        "compare"
    }

    fn sections(&self) -> Vec<Section> {
        let lengths = shown_lengths(self);
        let mut table = Table::new(columns(self, &lengths));
        if let Some(both) = self.lines.iter().find_map(Line::primitives) {
            table.title(both);
        }
        for line in &self.lines {
            add(&mut table, line, &lengths);
        }
        if let Some(sum) = self.sum.filter(|_| self.lines.len() > 1) {
            table.blank();
            let name = format!("all {} (geometric mean)", self.summed);
            let short = format!("all {}", self.summed);
            let mut cells = vec![Cell::new(name, Style::Strong).or(short)];
            cells.resize(1 + lengths.len(), Cell::default());
            cells.extend(ratio(&sum));
            cells.push(Cell::new(verdict_name(sum.verdict), style(sum.verdict)));
            table.row(cells);
        }
        vec![Section { before: head(self), table, after: legend(self), ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        csv::rows(&self.lines)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let value = json!({
            "schema": cpb_model::SCHEMA,
            "kind": "comparison",
            "a": self.names[0],
            "b": self.names[1],
            "paired": self.is_paired,
            "precision": self.precision,
            "confidence": CONFIDENCE,
            "sum": comparison(self.sum),
            "workloads": self.lines.iter().map(line).collect::<Vec<_>>(),
            "only_a": self.only[0],
            "only_b": self.only[1],
            "run": self.run(),
        });
        write_json(output, &value)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        let runs = self.halves.as_ref().map_or(&self.runs[..], |halves| &halves[..]);
        runs.iter().zip(&self.names).map(|(run, name)| Source { name, run }).collect()
    }

    fn paired(&self) -> Option<Paired> {
        let row = |(place, line): (usize, &Line)| RowPair {
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

    /// A line each: what is slower failed, and what nobody can tell is unknown.
    fn cases(&self) -> Vec<Case> {
        let case = |line: &Line| Case {
            name: line.name(),
            outcome: match (&line.failure, line.verdict()) {
                (Some(_), _) => document::Outcome::Unknown,
                (None, Verdict::Slower) => document::Outcome::Failed,
                (None, _) => document::Outcome::Passed,
            },
            words: line.failure.clone().unwrap_or_else(|| {
                let ratio = line.ratio.map(|it| format!("{:.4}, ", it.value)).unwrap_or_default();
                format!("{ratio}{}{}", verdict_name(line.verdict()), of_layout(line))
            }),
        };
        self.lines.iter().map(case).collect()
    }
}

fn length_pair(length: &Length) -> LengthPair {
    LengthPair { length: length.length, cycles: length.cycles, ratio: length.ratio }
}

/// A few lengths fit beside each other; derivations have lengths of their own.
fn shown_lengths(outcome: &Outcome) -> Vec<usize> {
    let messages = outcome.lines.iter().filter(|line| has_bytes(line));
    let lengths: BTreeSet<usize> =
        messages.flat_map(|line| line.lengths.iter().map(|length| length.length)).collect();
    lengths.into_iter().collect()
}

fn has_bytes(line: &Line) -> bool {
    line.workload.operation.row().axis == Axis::Bytes
}

fn columns(outcome: &Outcome, lengths: &[usize]) -> Vec<Column> {
    let mut columns = vec![left("").whole()];
    let last = lengths.len().saturating_sub(1);
    columns.extend(lengths.iter().enumerate().map(|(place, &length)| {
        let column = right(bytes(length));
        match outcome.asked {
            true => column.asked(),
            false => column.rank(if place == 0 || place == last { 1 } else { 2 }),
        }
    }));
    columns.push(right("B ÷ A"));
    let interval = right("95 % interval");
    columns.push(if outcome.asked { interval.rank(1) } else { interval });
    columns.push(left(format!("verdict ±{}", percent(outcome.precision))));
    columns
}

fn add(table: &mut Table, line: &Line, lengths: &[usize]) {
    let mut cells = vec![Cell::from(line.short_name())];
    if let Some(failure) = &line.failure {
        table.note(cells, Cell::new(failure.as_str(), Style::Bad));
        return;
    }
    cells.extend(lengths.iter().map(|wanted| {
        let length = line.lengths.iter().find(|it| has_bytes(line) && it.length == *wanted);
        length.map_or_else(Cell::default, |length| {
            let cell = |it: Ratio| Cell::new(marked(&it), style(it.verdict));
            length.ratio.map_or_else(|| plain(length).into(), cell)
        })
    }));
    let verdict = line.verdict();
    match &line.ratio {
        Some(it) => cells.extend(ratio(it)),
        None => cells.extend([Cell::default(), Cell::default()]),
    }
    let neighbour = if line.beside_neighbour { ", beside a busy neighbour" } else { "" };
    let name = format!(
        "{}{}{neighbour}{}",
        verdict_name(verdict),
        contradictions(line, verdict),
        of_layout(line)
    );
    cells.push(Cell::new(name, style(verdict)));
    table.row(cells);
}

/// Lengths that say something else than their line.
fn contradictions(line: &Line, verdict: Verdict) -> String {
    let of = |wanted: Verdict| -> Vec<String> {
        let says = |l: &&Length| l.ratio.is_some_and(|ratio| ratio.verdict == wanted);
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

/// What the ratio is beside that at some positions alone: of the line, else of the first length
/// of which that is known.
fn of_layout(line: &Line) -> String {
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

fn is_a_difference(line: &Line) -> bool {
    [Verdict::Faster, Verdict::Slower].contains(&line.verdict())
}

fn ratio(ratio: &Ratio) -> [Cell; 2] {
    let strong = if ratio.verdict == Verdict::CannotTell { Style::Plain } else { Style::Strong };
    let interval = match ratio.interval {
        Some(interval) => format!("{:.4} to {:.4}", interval.low, interval.high),
        None if ratio.known == Known::About => "–".to_owned(),
        None => "bound".to_owned(),
    };
    [Cell::new(marked(ratio), strong), Cell::new(interval, Style::Faint)]
}

/// A ratio of which nothing more is known, as far as the figures tell one.
fn plain(length: &Length) -> String {
    let [a, b] = length.cycles.map(|figure| figure.estimate);
    let ratio = |known: Known| format!("{}{:.4}", known.mark(), b / a);
    Known::of(length.cycles).map_or_else(|| "–".to_owned(), ratio)
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

fn head(outcome: &Outcome) -> Vec<Cell> {
    let mut lines = outcome.run().map(header::lines).unwrap_or_default();
    for ((side, name), label) in ["A", "B"].iter().zip(&outcome.names).zip(&outcome.labels) {
        let what = outcome.run().zip(label.as_ref()).and_then(|(run, label)| library(run, label));
        let what = what.unwrap_or_default();
        lines.push(format!("{side}: {name}{what}").into());
    }
    lines
}

/// Version and file of a library of `run`.
fn library(run: &Run, label: &str) -> Option<String> {
    let library = run.libraries.iter().find(|library| library.label == label)?;
    let path = library.path.as_ref().map(|path| format!(", {path}")).unwrap_or_default();
    Some(format!("  {}{path}", library.version))
}

fn legend(outcome: &Outcome) -> Vec<Cell> {
    let rounds = outcome.lines.iter().filter(|l| l.failure.is_none()).map(|line| line.rounds);
    let how = match (outcome.is_paired, rounds.clone().min(), rounds.max()) {
        (true, Some(fewest), Some(most)) if fewest != most => {
            format!("measured next to each other in {fewest} to {most} pairs of processes")
        }
        (true, Some(rounds), _) => {
            let pairs = if rounds == 1 { "pair" } else { "pairs" };
            format!("measured next to each other in {rounds} {pairs} of processes")
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
    let is_of_layout = |line: &Line| of_layout(line).contains("layout");
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

fn line(line: &Line) -> Value {
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
        "comparison": comparison(line.ratio),
        "layout": by_layout(line.layout.as_ref()),
        "at_all_positions": line.at_all_positions,
        "lengths": line.lengths.iter().map(|length| json!({
            "length": length.length,
            "cycles_a": length.cycles[0].estimate,
            "cycles_b": length.cycles[1].estimate,
            "upper_bound_a": length.cycles[0].upper_bound,
            "upper_bound_b": length.cycles[1].upper_bound,
            "comparison": comparison(length.ratio),
            "layout": by_layout(length.layout.as_ref()),
            "rounds": length.rounds,
        })).collect::<Vec<_>>(),
        "failure": line.failure,
    })
}

fn by_layout(layout: Option<&Layout>) -> Value {
    layout.map_or(Value::Null, |layout| {
        let at = |(position, factor): &(u8, f64)| json!({"position": position, "factor": factor});
        json!({
            "positions": layout.positions,
            "at": layout.at.iter().map(at).collect::<Vec<_>>(),
        })
    })
}

fn comparison(ratio: Option<Ratio>) -> Value {
    ratio.map_or(Value::Null, |it| {
        json!({
            "ratio": it.value,
            "low": it.interval.map(|interval| interval.low),
            "high": it.interval.map(|interval| interval.high),
            "verdict": verdict_name(it.verdict),
            "state": it.known.name(),
        })
    })
}
