//! `cpb recursive`: a row for each setting.

use crate::document::{Case, Document, Outcome};
use crate::views::{header, scaling};
use cpb_model::{Record, Run, Verification};
use cpb_oldtools::benchmark_mt::rates::{Shown, Unit, core_hertz, cycles_of, rate_of, uplift};
use cpb_report::number::{counted, estimate, five_digits, half_width, percent, significant};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, left, right};

/// The column of the CSV before which further cycles stand.
const BESIDES: usize = 15;

/// Throughput, as what `command` found.
pub(crate) struct ThroughputDocument<'a> {
    pub(crate) command: &'static str,
    pub(crate) run: &'a Run,
    pub(crate) shown: Shown,
    /// Whether it is shown over threads, and what is said below that.
    pub(crate) scaling: Option<String>,
    /// What stands above it.
    pub(crate) title: Option<Cell>,
}

impl Document for ThroughputDocument<'_> {
    fn command(&self) -> &'static str {
        self.command
    }

    fn sections(&self) -> Vec<Section> {
        let Self { run, shown, .. } = self;
        let (table, after) = match &self.scaling {
            Some(best) => (scaling::table(run, shown), scaling::legend(shown, best)),
            None => (table(run, shown), legend(run, shown)),
        };
        let before = self.title.iter().cloned().chain(header::lines(run)).collect();
        vec![Section { before, table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        let (run, shown) = (self.run, &self.shown);
        let heading = [
            "backend",
            "lanes",
            "threads",
            "iterations",
            "repetitions",
            "hashes_per_second",
            "unit",
            "rate",
            "rate_per_100mhz",
            "uplift",
            "cycles_per_hash",
            "cycles_low",
            "cycles_high",
            "spread",
            "core_ghz",
            "verified",
            "error",
            "cycles_state",
        ];
        let mut heading: Vec<String> = heading.map(str::to_owned).to_vec();
        let besides = ["cycles_per_byte", "cycles_per_hash_stated", "cycles_per_byte_stated"];
        let besides = besides.into_iter().take(shown.cycles_headings().len());
        heading.splice(BESIDES..BESIDES, besides.map(str::to_owned));
        let rows = run.records.iter().map(|row| fields(row, one_lane(run, row), shown));
        Rows::new(heading, rows)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }

    fn cases(&self) -> Vec<Case> {
        let case = |row: &Record| {
            let failure = row.failure.as_ref().map(|failure| failure.reason.clone());
            let setup = &row.setup;
            let (threads, lanes) = (counted(setup.threads, "thread"), counted(setup.lanes, "lane"));
            Case {
                name: format!("{}, {threads}, {lanes}", row.subject.backend),
                outcome: if failure.is_some() { Outcome::Unknown } else { Outcome::Passed },
                words: failure.unwrap_or_default(),
            }
        };
        self.run.records.iter().map(case).collect()
    }
}

fn table(run: &Run, shown: &Shown) -> Table {
    let mut table = Table::new(columns(shown));
    let fastest = run.records.iter().filter_map(rate_of).max_by(f64::total_cmp);
    for row in &run.records {
        let is_best = run.records.len() > 1 && rate_of(row) == fastest && fastest.is_some();
        add(&mut table, row, one_lane(run, row), shown, is_best);
    }
    table
}

/// The rate of the fastest row with one lane in as many threads.
fn one_lane(run: &Run, row: &Record) -> Option<f64> {
    let same = run
        .records
        .iter()
        .filter(|it| it.setup.lanes == 1 && it.setup.threads == row.setup.threads);
    same.filter_map(rate_of).max_by(f64::total_cmp)
}

fn columns(shown: &Shown) -> Vec<Column> {
    let unit = shown.rate_unit();
    let mut columns = vec![left(""), left("backend")];
    columns.extend(["lanes", "threads", unit].map(right));
    if shown.unit != Unit::Cpb {
        columns.push(right(format!("{unit}/0.1GHz")).rank(2));
    }
    columns.push(right("uplift").rank(1));
    columns.extend(["c/hash", "±"].map(right));
    columns.push(right("spread").rank(3));
    columns.extend(shown.cycles_headings().into_iter().map(right));
    columns.push(left("verified"));
    columns
}

fn add(table: &mut Table, row: &Record, one_lane: Option<f64>, shown: &Shown, is_best: bool) {
    let mark = Cell::new(if is_best { "★" } else { "" }, Style::Good);
    let mut cells: Vec<Cell> = vec![
        mark,
        row.subject.backend.as_str().into(),
        row.setup.lanes.to_string().into(),
        row.setup.threads.to_string().into(),
    ];
    if let Some(failure) = &row.failure {
        table.note(cells, Cell::new(failure.reason.as_str(), Style::Bad));
        return;
    }
    let strong = if is_best { Style::Good } else { Style::Strong };
    let number = |value: Option<f64>, style| match value {
        Some(value) => Cell::new(five_digits(value), style),
        None => Cell::new("–", Style::Faint),
    };
    cells.push(number(rate_of(row).map(|rate| shown.rate(rate)), strong));
    if shown.unit != Unit::Cpb {
        cells.push(number(shown.rate_per_clock(row), Style::Plain));
    }
    let uplift = uplift(row, one_lane).map(|share| format!("{:+.1} %", share * 100.0));
    cells.push(uplift.map_or_else(Cell::default, Cell::from));
    let cycles = cycles_of(row);
    cells.push(match cycles {
        Some(figure) => Cell::new(estimate(figure), strong),
        None => Cell::new("–", Style::Faint),
    });
    cells.push(Cell::new(cycles.map_or_else(|| "–".to_owned(), half_width), Style::Faint));
    let spread = spread(row).map_or_else(|| "–".to_owned(), percent);
    cells.push(Cell::new(spread, Style::Faint));
    cells.extend(shown.cycles_besides(row).into_iter().map(|value| number(value, Style::Plain)));
    cells.push(verified(row));
    table.row(cells);
}

/// How far the repetitions' cycles are apart.
fn spread(row: &Record) -> Option<f64> {
    row.points.first()?.between_rounds
}

fn repetitions(row: &Record) -> usize {
    row.concurrent.as_ref().map_or(0, |it| it.rounds.len())
}

/// What the last values were compared with.
fn verified(row: &Record) -> Cell {
    match &row.verification {
        Some(Verification::KnownAnswer) => Cell::new("✓ known values", Style::Good),
        Some(Verification::Reference { with }) => Cell::new(format!("✓ {with}"), Style::Good),
        Some(_) | None => Cell::new("unverified", Style::Caution),
    }
}

fn fields(row: &Record, one_lane: Option<f64>, shown: &Shown) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|v| significant(v, 6)).unwrap_or_default();
    let cycles = cycles_of(row);
    let iterations = row.concurrent.as_ref().and_then(|it| it.iterations).unwrap_or_default();
    let interval = cycles.and_then(|figure| figure.interval);
    let uplift = rate_of(row).zip(one_lane).map(|(rate, one)| rate / one - 1.0);
    let mut fields = vec![
        row.subject.backend.clone(),
        row.setup.lanes.to_string(),
        row.setup.threads.to_string(),
        iterations.to_string(),
        repetitions(row).to_string(),
        rate_of(row).map(|rate| format!("{rate:.0}")).unwrap_or_default(),
        shown.rate_unit().to_owned(),
        number(rate_of(row).map(|rate| shown.rate(rate))),
        number(shown.rate_per_clock(row)),
        uplift.map(|share| format!("{share:.4}")).unwrap_or_default(),
        number(cycles.map(|figure| figure.estimate)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(spread(row)),
        number(core_hertz(row).map(|hertz| hertz / 1e9)),
        row.verification.as_ref().map(|how| how.name().to_owned()).unwrap_or_default(),
        row.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default(),
        cycles.map_or("", |it| if it.upper_bound { "bound" } else { "measured" }).to_owned(),
    ];
    fields.splice(BESIDES..BESIDES, shown.cycles_besides(row).into_iter().map(number));
    fields
}

fn legend(run: &Run, shown: &Shown) -> Vec<Cell> {
    let repetitions = run.records.iter().map(repetitions).max().unwrap_or(0);
    let clock = match shown.gigahertz {
        Some(gigahertz) => format!("at the stated {gigahertz:.2} GHz"),
        None => "at the measured clock".to_owned(),
    };
    let clock = match shown.unit {
        Unit::Cpb => String::new(),
        _ => format!("; per 0.1 GHz {clock}"),
    };
    let text = format!(
        "{}: all threads, by the wall clock{clock} · uplift: over the fastest one \
         lane\nc/hash: core cycles of one core for a hash, ± its 95 % interval, spread (max − min) \
         ÷ median · {} each\n",
        shown.rate_unit(),
        counted(repetitions, "run"),
    );
    text.lines().map(|line| Cell::new(line, Style::Faint)).collect()
}
