//! `cpb compare` for people: a line for each workload, and one for all.

use crate::comparison::{Length, Line, Outcome, verdict_name};
use crate::views::header;
use cpb_model::{Axis, Run};
use cpb_report::number::{bytes, percent};
use cpb_report::{Align, Cell, Column, Style, Table};
use cpb_stats::{Comparison, Finding, Verdict};
use std::collections::BTreeSet;

pub(crate) fn text(outcome: &Outcome) -> String {
    let lengths = shown_lengths(outcome);
    let mut table = Table::new(columns(outcome, &lengths));
    for line in &outcome.lines {
        add(&mut table, line, &lengths);
    }
    if let Some(sum) = outcome.sum.filter(|_| outcome.lines.len() > 1) {
        table.blank();
        let ratios = outcome.lines.iter().filter(|line| line.finding.is_some()).count();
        let name = format!("all {ratios} (geometric mean)");
        let mut cells = vec![Cell::new(name, Style::Strong)];
        cells.resize(1 + lengths.len(), Cell::default());
        cells.extend(ratio(&sum));
        cells.push(Cell::new(verdict_name(sum.verdict), style(sum.verdict)));
        table.row(cells);
    }
    format!("{}\n{}\n{}", head(outcome), table.render(), legend(outcome))
}

/// A few lengths fit beside each other; derivations have lengths of their own.
fn shown_lengths(outcome: &Outcome) -> Vec<usize> {
    let messages = outcome.lines.iter().filter(|line| has_bytes(line));
    let lengths: BTreeSet<usize> =
        messages.flat_map(|line| line.lengths.iter().map(|length| length.length)).collect();
    lengths.into_iter().collect()
}

fn has_bytes(line: &Line) -> bool {
    line.operation.row().axis == Axis::Bytes
}

fn columns(outcome: &Outcome, lengths: &[usize]) -> Vec<Column> {
    let column = |heading: &str, align| Column { heading: heading.to_owned(), align };
    let mut columns = vec![column("", Align::Left)];
    columns.extend(lengths.iter().map(|&length| column(&bytes(length), Align::Right)));
    columns.push(column("B ÷ A", Align::Right));
    columns.push(column("95 % interval", Align::Right));
    columns.push(column(&format!("B is (± {})", percent(outcome.precision)), Align::Left));
    columns
}

fn add(table: &mut Table, line: &Line, lengths: &[usize]) {
    let mut cells = vec![Cell::from(line.name())];
    if let Some(failure) = &line.failure {
        table.note(cells, Cell::new(failure.as_str(), Style::Bad));
        return;
    }
    cells.extend(lengths.iter().map(|wanted| {
        let length = line.lengths.iter().find(|it| has_bytes(line) && it.length == *wanted);
        length.map_or_else(Cell::default, |length| {
            let plain = length.cycles[1] / length.cycles[0];
            let ratio = length.finding.map_or(plain, |finding| finding.comparison.ratio);
            let style = length.finding.map_or(Style::Plain, |finding| style(finding.verdict));
            Cell::new(format!("{ratio:.4}"), style)
        })
    }));
    let verdict = line.verdict();
    match &line.finding {
        Some(finding) => cells.extend(ratio(finding)),
        None => cells.extend([Cell::default(), Cell::default()]),
    }
    let neighbour = if line.beside_neighbour { ", beside a busy neighbour" } else { "" };
    let name = format!("{}{}{neighbour}", verdict_name(verdict), contradictions(line, verdict));
    cells.push(Cell::new(name, style(verdict)));
    table.row(cells);
}

/// Lengths that say something else than their line.
fn contradictions(line: &Line, verdict: Verdict) -> String {
    let of = |wanted: Verdict| -> Vec<String> {
        let says = |l: &&Length| l.finding.is_some_and(|finding| finding.verdict == wanted);
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

fn ratio(finding: &Finding) -> [Cell; 2] {
    let strong = if finding.verdict == Verdict::CannotTell { Style::Plain } else { Style::Strong };
    let Comparison { ratio, interval } = finding.comparison;
    [
        Cell::new(format!("{ratio:.4}"), strong),
        Cell::new(format!("{:.4} to {:.4}", interval.low, interval.high), Style::Faint),
    ]
}

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Faster => Style::Good,
        Verdict::Slower => Style::Bad,
        Verdict::NoDifference => Style::Plain,
        Verdict::CannotTell => Style::Caution,
    }
}

fn head(outcome: &Outcome) -> String {
    let mut lines = outcome.run.as_ref().map(header::text).unwrap_or_default();
    for (side, name) in ["A", "B"].iter().zip(&outcome.names) {
        let what = outcome.run.as_ref().and_then(|run| library(run, name)).unwrap_or_default();
        lines.push_str(&format!("{side}: {name}{what}\n"));
    }
    lines
}

/// Version and file of a side that was measured now.
fn library(run: &Run, name: &str) -> Option<String> {
    let without_backend = |name: &str| match name.find(['=', ';']) {
        Some(end) => {
            let head = name[..end].split(':').next().unwrap_or_default();
            format!("{head}{}", &name[end..])
        }
        None => name.split(':').next().unwrap_or_default().to_owned(),
    };
    let library = run.libraries.iter().find(|library| library.label == without_backend(name))?;
    let path = library.path.as_ref().map(|path| format!(", {path}")).unwrap_or_default();
    Some(Style::Faint.paint(&format!("  {}{path}", library.version)))
}

fn legend(outcome: &Outcome) -> String {
    let rounds = outcome.lines.iter().filter(|l| l.failure.is_none()).map(|line| line.rounds);
    let how = match (outcome.is_paired, rounds.clone().min(), rounds.max()) {
        (true, Some(fewest), Some(most)) if fewest != most => {
            format!("measured next to each other in {fewest} to {most} pairs of processes")
        }
        (true, Some(rounds), _) => {
            format!("measured next to each other in {rounds} pairs of processes")
        }
        _ => "measured apart: what changed in between is in the ratio, too".to_owned(),
    };
    let open = |verdict: Verdict| verdict == Verdict::CannotTell;
    let has_open = outcome.lines.iter().any(|line| line.failure.is_none() && open(line.verdict()))
        || outcome.sum.is_some_and(|sum| open(sum.verdict));
    let remedy = match (outcome.is_paired, has_open) {
        (true, true) => format!(
            "a difference is told once it is known to {} or a tenth of itself: --max-time gives \
             it longer, a larger --precision asks for less\n",
            percent(outcome.precision / 2.0)
        ),
        _ => String::new(),
    };
    let text = format!(
        "cycles of B over cycles of A: below 1, B is faster · a line is the geometric mean over \
         its lengths\n{how}\n{remedy}"
    );
    text.lines().map(|line| Style::Faint.paint(line) + "\n").collect()
}
