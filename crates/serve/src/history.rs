//! Shows figures over time: a chart, its legend, its steps, and a table.

use crate::markup::{Html, html};
use crate::table::{Column, cell, heads, scrolled, table};
use crate::words;
use cpb_history::{Change, HistoryPoint, HistorySegment};
use cpb_model::{Figure, Interval};
use cpb_report::Colours;
use cpb_report::chart::{
    LOOKS, OverTime, Point, Series, Step, Style, Theme, Timed, over_time_to_svg, sample_to_svg,
};
use cpb_report::number::{estimate, factor, five_digits, half_width};
use std::collections::BTreeMap;

/// The most lines of a chart that can be distinguished.
const MOST_LINES: usize = 12;
/// The most runs in the table of all figures.
const MOST_RUNS: usize = 200;
/// The sizes of charts for desktops and phones.
const WIDE: (f64, f64) = (1168.0, 320.0);
const NARROW: (f64, f64) = (344.0, 260.0);

/// Counters over a page.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) sections: usize,
    /// Steps are numbered consecutively.
    steps: usize,
}

/// The lines of a chart, the currently fastest first.
pub(crate) struct Lines<'a> {
    lines: Vec<Line<'a>>,
    /// The number of lines that do not fit.
    left_out: usize,
    machine: &'a str,
    scale: Scale,
}

/// States what the vertical axis of a chart shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Figures,
    /// Changes relative to the start of each line, so that small steps of all lines are visible.
    Change,
}

struct Line<'a> {
    stretch: &'a HistorySegment<'a>,
    label: String,
    look: usize,
    /// Its steps, with their numbers.
    changes: Vec<(usize, Change<'a>)>,
}

impl<'a> Lines<'a> {
    /// Creates the lines of histories with one workload and one unit.
    pub(crate) fn of(group: &[&'a HistorySegment<'a>], machine: &'a str, scale: Scale) -> Self {
        let mut group = group.to_vec();
        let last = |stretch: &HistorySegment<'_>| {
            stretch.entries.last().map_or(f64::INFINITY, |it| it.reading.figure.estimate)
        };
        group.sort_by(|a, b| last(a).total_cmp(&last(b)));
        let left_out = group.len().saturating_sub(MOST_LINES);
        group.truncate(MOST_LINES);
        let colours = Colours::of(group.iter().map(|it| it.series.library.as_str()));
        let looks = colours.looks(group.iter().map(|it| it.series.library.as_str()));
        let labels = labels(&group);
        let lines = group.into_iter().zip(labels).zip(looks).map(|((stretch, label), look)| Line {
            stretch,
            label,
            look: look % LOOKS,
            changes: Vec::new(),
        });
        Self { lines: lines.collect(), left_out, machine, scale }
    }

    /// Shows everything, with `identifier` as the prefix of HTML IDs.
    pub(crate) fn shown(mut self, identifier: &str, title: &str, told: &mut Told) -> Html {
        self.number_steps(told);
        let left_out = (self.left_out > 0).then(|| {
            html!(
                "<p class=\"note small\">The " (self.lines.len()) " fastest; "
                (words::counted(self.left_out, "other")) " have no place here: choose a library.</p>\n"
            )
        });
        html!((self.chart(identifier, title))(self.newest(title))(left_out)(self.steps(title))(
            self.all(title)
        ))
    }

    /// Finds the steps, and numbers them by time.
    fn number_steps(&mut self, told: &mut Told) {
        let mut all: Vec<(i64, usize, Change<'a>)> = Vec::new();
        for (place, line) in self.lines.iter().enumerate() {
            let changes = line.stretch.changes();
            all.extend(changes.into_iter().map(|it| (it.after.run.started, place, it)));
        }
        all.sort_by_key(|(started, place, _)| (*started, *place));
        for (_, place, change) in all {
            told.steps += 1;
            self.lines[place].changes.push((told.steps, change));
        }
    }

    fn chart(&self, identifier: &str, title: &str) -> Html {
        let timed = |line: &Line<'_>| {
            let shown = |figure: Figure| match self.scale {
                Scale::Figures => figure,
                Scale::Change => from(figure, beginning(line.stretch)),
            };
            let point =
                |it: &HistoryPoint<'_>| Point::at_time(it.run.started, shown(it.reading.figure));
            let step = |(number, change): &(usize, Change<'_>)| {
                let (relative, words) = (change.relative() * 100.0, change.describe());
                let at = point(change.after);
                let words = format!("{}, {relative:+.2} %, {words}", line.label);
                Step { number: *number, at: (at.x, at.y), words }
            };
            let points = line.stretch.entries.iter().map(point).collect();
            Timed {
                series: Series { label: line.label.clone(), look: line.look, points },
                steps: line.changes.iter().map(step).collect(),
            }
        };
        let unit = match self.scale {
            Scale::Figures => self.lines.first().map_or("", |line| &line.stretch.series.unit),
            Scale::Change => "% from where the line begins",
        };
        let unit = unit.to_owned();
        let lines = self.lines.iter().map(timed).collect();
        let history = OverTime { title: format!("{title} over time"), unit, lines };
        let drawn = |of: &'static str, size| {
            let identifier = format!("{identifier}-{of}");
            let style = Style { theme: Theme::OfPage, identifier, ..Style::default() };
            let svg = Html::of_report(over_time_to_svg(&history, &style, size));
            html!("<div class=\"over-time " (of) "\">" (svg) "</div>\n")
        };
        html!((drawn("wide", WIDE))(drawn("narrow", NARROW)))
    }

    /// Makes the table of the newest figures, which is also the chart's legend.
    fn newest(&self, title: &str) -> Html {
        const COLUMNS: [Column; 8] = [
            Column::text("implementation"),
            Column::number("newest"),
            Column::number("±"),
            Column::number("×"),
            Column::number("since the first"),
            Column::rare_number("steps"),
            Column::rare("library's version"),
            Column::whole("measured"),
        ];
        let best = self.lines.first().and_then(|line| line.stretch.entries.last());
        let best = best.map(|it| it.reading.figure.estimate);
        let row = |line: &Line<'_>| {
            let [first, last] = ends(line.stretch)?;
            let style = Style { theme: Theme::OfPage, ..Style::default() };
            let sample = Html::of_report(sample_to_svg(line.look, &style));
            let figure = last.reading.figure;
            let times = best.map(|best| factor(figure.estimate / best, figure.upper_bound));
            let since = figure.estimate / first.reading.figure.estimate - 1.0;
            let library = &line.stretch.series.library;
            let address = crate::page_request::address(
                &format!("/library/{}", crate::page_request::encoded(library)),
                &[("machine", self.machine)],
            );
            let steps: Vec<String> = line.changes.iter().map(|it| it.0.to_string()).collect();
            Some(vec![
                html!((sample)(words::link(&address, &line.label))),
                html!("<b>" (estimate(figure)) "</b>"),
                html!("<span class=\"faint\">" (half_width(figure)) "</span>"),
                cell(times),
                cell(plain_change(since)),
                cell(steps.join(", ")),
                cell(&last.reading.build.version),
                html!((words::minute(last.run.started)) " " (words::run(last.run.number))),
            ])
        };
        let rows = self.lines.iter().filter_map(row).collect();
        table(&format!("Newest figures of {title}"), &COLUMNS, rows, "No figures.")
    }

    fn steps(&self, title: &str) -> Option<Html> {
        const COLUMNS: [Column; 8] = [
            Column::number("step"),
            Column::text("implementation"),
            Column::whole("since"),
            Column::number("run"),
            Column::number("change"),
            Column::rare_number("before"),
            Column::rare_number("after"),
            Column::text("what else changed"),
        ];
        let mut all: Vec<(&Line<'_>, &(usize, Change<'_>))> = self
            .lines
            .iter()
            .flat_map(|line| line.changes.iter().map(move |it| (line, it)))
            .collect();
        all.sort_by_key(|(_, (number, _))| *number);
        let row = |(line, (number, change)): &(&Line<'_>, &(usize, Change<'_>))| {
            let (before, after) = (change.before.run.number, change.after.run.number);
            vec![
                cell(*number),
                cell(&line.label),
                words::minute(change.after.run.started),
                words::run(after),
                words::compared(change.relative(), before, after),
                cell(five_digits(change.step.before)),
                cell(five_digits(change.step.after)),
                html!("<span class=\"faint\">" (change.describe()) "</span>"),
            ]
        };
        let rows: Vec<Vec<Html>> = all.iter().map(row).collect();
        if rows.is_empty() {
            return None;
        }
        let caption = format!("Steps of {title}");
        Some(html!("<h3 class=\"over\">Steps</h3>\n"(table(&caption, &COLUMNS, rows, ""))))
    }

    /// Makes the table of all figures, newest run first.
    fn all(&self, title: &str) -> Html {
        let mut runs: BTreeMap<(i64, i64), Vec<Option<&HistoryPoint<'_>>>> = BTreeMap::new();
        for (place, line) in self.lines.iter().enumerate() {
            for entry in &line.stretch.entries {
                let none = || vec![None; self.lines.len()];
                let key = (entry.run.started, entry.run.number);
                runs.entry(key).or_insert_with(none)[place] = Some(entry);
            }
        }
        let labels = self.lines.iter().map(|line| line.label.as_str());
        let heads = heads(["run"], labels);
        let row = |((started, number), entries): (&(i64, i64), &Vec<Option<&HistoryPoint<'_>>>)| {
            let figure = |entry: &Option<&HistoryPoint<'_>>| {
                let figure = entry.map(|entry| estimate(entry.reading.figure));
                html!("<td class=\"number\">" (figure) "</td>")
            };
            let label = entries.iter().flatten().next().and_then(|it| it.run.label.as_ref());
            let figures: Html = entries.iter().map(figure).collect();
            html!(
                "<tr><th scope=\"row\" class=\"whole\">" (words::run(*number)) " "
                (words::minute(*started)) " <b>" (label) "</b></th>" (figures) "</tr>\n"
            )
        };
        let rows: Html = runs.iter().rev().take(MOST_RUNS).map(row).collect();
        let left_out = runs.len().saturating_sub(MOST_RUNS);
        let left_out = (left_out > 0).then(|| {
            html!("<p class=\"note small\">" (words::counted(left_out, "earlier run")) " not listed.</p>\n")
        });
        let caption = format!("Every figure of {title}");
        html!(
            "<details><summary>Every figure</summary>\n" (scrolled(&caption, &heads, &rows))
            (left_out) "</details>\n"
        )
    }
}

/// Returns the start of a line: the median of its first few figures.
fn beginning(stretch: &HistorySegment<'_>) -> f64 {
    const FEW: usize = 5;
    let first = stretch.entries.iter().take(FEW);
    let mut first: Vec<f64> = first.map(|it| it.reading.figure.estimate).collect();
    first.sort_by(f64::total_cmp);
    first.get(first.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the difference of `figure` from `level`, in percent.
fn from(figure: Figure, level: f64) -> Figure {
    let percent = |value: f64| (value / level - 1.0) * 100.0;
    let interval =
        figure.interval.map(|it| Interval { low: percent(it.low), high: percent(it.high), ..it });
    Figure { estimate: percent(figure.estimate), interval, ..figure }
}

fn ends<'a>(stretch: &'a HistorySegment<'a>) -> Option<[&'a HistoryPoint<'a>; 2]> {
    Some([stretch.entries.first()?, stretch.entries.last()?])
}

/// Formats a change that may be chance: `+4.21 %`.
fn plain_change(relative: f64) -> String {
    format!("{:+.2} %", relative * 100.0).replace('-', "−")
}

/// Returns labels that distinguish the lines: implementation, and spelling or clock if necessary.
fn labels(group: &[&HistorySegment<'_>]) -> Vec<String> {
    let name = |stretch: &HistorySegment<'_>| {
        words::implementation(&stretch.series.library, &stretch.series.backend)
    };
    let spelled =
        |stretch: &HistorySegment<'_>| format!("{} {}", name(stretch), stretch.series.spelling);
    let clocked = |stretch: &HistorySegment<'_>| {
        let before = if stretch.is_first_estimator() { ", as figures were before" } else { "" };
        format!("{}, {}{before}", spelled(stretch), stretch.clock.unwrap_or("no clock"))
    };
    let words: [&dyn Fn(&HistorySegment<'_>) -> String; 2] = [&name, &spelled];
    let label = |stretch: &&HistorySegment<'_>| {
        let is_unique = |of: &&dyn Fn(&HistorySegment<'_>) -> String| {
            group.iter().filter(|other| of(other) == of(stretch)).count() == 1
        };
        words.into_iter().find(is_unique).map_or_else(|| clocked(stretch), |of| of(stretch))
    };
    group.iter().map(label).collect()
}
