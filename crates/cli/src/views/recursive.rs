//! `cpb recursive`: a row for each setting.

use crate::commands::recursive::Unit;
use crate::fault::Fault;
use crate::views::header;
use crate::views::run_table::half_width;
use cpb_model::{Run, Throughput, Verification};
use cpb_report::number::{estimate, five_digits, percent, significant};
use cpb_report::{Align, Cell, Column, Style, Table, write_csv};

/// The column of the CSV before which further cycles stand.
const BESIDES: usize = 15;
/// A hash is one block of SHA-256.
pub(crate) const BLOCK_BYTES: f64 = 64.0;

/// What figures are told in.
pub(crate) struct Shown {
    pub(crate) unit: Unit,
    /// The clock as the user states it.
    pub(crate) gigahertz: Option<f64>,
}

impl Shown {
    /// The unit of throughput; cycles have none, and go by hashes.
    pub(crate) fn rate_unit(&self) -> &'static str {
        match self.unit {
            Unit::Mh | Unit::Cpb => "MH/s",
            Unit::Mb => "MB/s",
            Unit::Mib => "MiB/s",
        }
    }

    /// Hashes a second in this unit.
    pub(crate) fn rate(&self, hashes_per_second: f64) -> f64 {
        match self.unit {
            Unit::Mh | Unit::Cpb => hashes_per_second / 1e6,
            Unit::Mb => hashes_per_second * BLOCK_BYTES / 1e6,
            Unit::Mib => hashes_per_second * BLOCK_BYTES / f64::from(1 << 20),
        }
    }

    /// The clock to relate rates to: as stated, else as measured.
    fn clock(&self, row: &Throughput) -> Option<f64> {
        self.gigahertz.or_else(|| Some(core_hertz(row)? / 1e9))
    }

    fn rate_per_clock(&self, row: &Throughput) -> Option<f64> {
        let rate = row.hashes_per_second?.estimate;
        Some(self.rate(rate) / (self.clock(row)? * 10.0))
    }

    /// Cycles of a hash at the stated clock, by the wall clock of all threads,
    /// on as many CPUs as they had.
    fn stated_cycles(&self, row: &Throughput) -> Option<f64> {
        let cpus: std::collections::BTreeSet<&usize> = row.cpus.iter().collect();
        let cores = cpus.len().max(1) as f64;
        Some(self.gigahertz? * 1e9 * cores / row.hashes_per_second?.estimate)
    }

    /// What is told in cycles besides those per hash, under [`Unit::Cpb`] only.
    pub(crate) fn cycles_besides(&self, row: &Throughput) -> Vec<Option<f64>> {
        if self.unit != Unit::Cpb {
            return Vec::new();
        }
        let per_byte = |cycles: f64| cycles / BLOCK_BYTES;
        let mut cycles = vec![row.cycles_per_hash.map(|figure| per_byte(figure.estimate))];
        if self.gigahertz.is_some() {
            let stated = self.stated_cycles(row);
            cycles.extend([stated, stated.map(per_byte)]);
        }
        cycles
    }

    /// The headings of [`Shown::cycles_besides`].
    pub(crate) fn cycles_headings(&self) -> Vec<String> {
        let mut headings = Vec::new();
        if self.unit == Unit::Cpb {
            headings.push("c/B".to_owned());
            if let Some(gigahertz) = self.gigahertz {
                headings.push(format!("c/hash at {gigahertz:.2} GHz"));
                headings.push("c/B".to_owned());
            }
        }
        headings
    }
}

pub(crate) fn text(run: &Run, shown: &Shown) -> String {
    let mut table = Table::new(columns(shown));
    let fastest = run.throughput.iter().filter_map(rate_of).max_by(f64::total_cmp);
    for row in &run.throughput {
        let is_best = run.throughput.len() > 1 && rate_of(row) == fastest && fastest.is_some();
        add(&mut table, row, one_lane(run, row), shown, is_best);
    }
    format!("{}\n{}\n{}", header::text(run), table.render(), legend(run, shown))
}

pub(crate) fn csv(run: &Run, shown: &Shown) -> Result<(), Fault> {
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
    let rows = run.throughput.iter().map(|row| fields(row, one_lane(run, row), shown));
    Ok(write_csv(&mut std::io::stdout().lock(), &heading, rows)?)
}

/// `1 lane`, `2 lanes`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

pub(crate) fn rate_of(row: &Throughput) -> Option<f64> {
    row.hashes_per_second.map(|figure| figure.estimate)
}

/// The rate of the fastest row with one lane in as many threads.
fn one_lane(run: &Run, row: &Throughput) -> Option<f64> {
    let same =
        run.throughput.iter().filter(|other| other.lanes == 1 && other.threads == row.threads);
    same.filter_map(rate_of).max_by(f64::total_cmp)
}

/// The median core clock over the repetitions, in Hz.
fn core_hertz(row: &Throughput) -> Option<f64> {
    let seen: Vec<f64> = row.repetitions.iter().filter_map(|run| run.core_hertz).collect();
    cpb_stats::median_of(&seen)
}

fn columns(shown: &Shown) -> Vec<Column> {
    let right = |heading: String| Column { heading, align: Align::Right };
    let left = |heading: &str| Column { heading: heading.to_owned(), align: Align::Left };
    let unit = shown.rate_unit();
    let mut columns =
        vec![left(""), left("backend"), right("lanes".into()), right("threads".into())];
    columns.push(right(unit.to_owned()));
    if shown.unit != Unit::Cpb {
        columns.push(right(format!("{unit}/0.1GHz")));
    }
    columns.push(right("uplift".into()));
    columns.extend(["c/hash", "±", "spread"].map(|heading| right(heading.into())));
    columns.extend(shown.cycles_headings().into_iter().map(right));
    columns.push(left("verified"));
    columns
}

fn add(table: &mut Table, row: &Throughput, one_lane: Option<f64>, shown: &Shown, is_best: bool) {
    let mark = Cell::new(if is_best { "★" } else { "" }, Style::Good);
    let mut cells: Vec<Cell> = vec![
        mark,
        row.subject.backend.as_str().into(),
        row.lanes.to_string().into(),
        row.threads.to_string().into(),
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
    cells.push(uplift(row, one_lane).map_or_else(Cell::default, Cell::from));
    let cycles = row.cycles_per_hash;
    cells.push(match cycles {
        Some(figure) => Cell::new(estimate(figure), strong),
        None => Cell::new("–", Style::Faint),
    });
    cells.push(Cell::new(cycles.map_or_else(|| "–".to_owned(), half_width), Style::Faint));
    let spread = row.between_repetitions.map_or_else(|| "–".to_owned(), percent);
    cells.push(Cell::new(spread, Style::Faint));
    cells.extend(shown.cycles_besides(row).into_iter().map(|value| number(value, Style::Plain)));
    cells.push(verified(row));
    table.row(cells);
}

/// What the last values were compared with.
fn verified(row: &Throughput) -> Cell {
    match &row.verification {
        Some(Verification::KnownAnswer) => Cell::new("✓ known values", Style::Good),
        Some(Verification::Reference { with }) => Cell::new(format!("✓ {with}"), Style::Good),
        Some(_) | None => Cell::new("unverified", Style::Caution),
    }
}

fn uplift(row: &Throughput, one_lane: Option<f64>) -> Option<String> {
    let share = rate_of(row)? / one_lane? - 1.0;
    (row.lanes != 1).then(|| format!("{:+.1} %", share * 100.0))
}

fn fields(row: &Throughput, one_lane: Option<f64>, shown: &Shown) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|v| significant(v, 6)).unwrap_or_default();
    let cycles = row.cycles_per_hash;
    let interval = cycles.and_then(|figure| figure.interval);
    let uplift = rate_of(row).zip(one_lane).map(|(rate, one)| rate / one - 1.0);
    let mut fields = vec![
        row.subject.backend.clone(),
        row.lanes.to_string(),
        row.threads.to_string(),
        row.iterations.to_string(),
        row.repetitions.len().to_string(),
        rate_of(row).map(|rate| format!("{rate:.0}")).unwrap_or_default(),
        shown.rate_unit().to_owned(),
        number(rate_of(row).map(|rate| shown.rate(rate))),
        number(shown.rate_per_clock(row)),
        uplift.map(|share| format!("{share:.4}")).unwrap_or_default(),
        number(cycles.map(|figure| figure.estimate)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(row.between_repetitions),
        number(core_hertz(row).map(|hertz| hertz / 1e9)),
        row.verification.as_ref().map(|how| how.name().to_owned()).unwrap_or_default(),
        row.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default(),
        cycles.map_or("", |it| if it.upper_bound { "bound" } else { "measured" }).to_owned(),
    ];
    fields.splice(BESIDES..BESIDES, shown.cycles_besides(row).into_iter().map(number));
    fields
}

fn legend(run: &Run, shown: &Shown) -> String {
    let repetitions = run.throughput.iter().map(|row| row.repetitions.len()).max().unwrap_or(0);
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
    text.lines().map(|line| Style::Faint.paint(line) + "\n").collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use cpb_model::{Figure, Method, Operation, Repetition, Subject};

    /// A row of so many hashes a second at 4 GHz.
    pub(crate) fn row(lanes: usize, threads: usize, hashes_per_second: f64) -> Throughput {
        let figure = |estimate| Some(Figure::new(estimate, None));
        Throughput {
            subject: Subject {
                primitive: "recursive-sha256".to_owned(),
                operation: Operation::Iterate,
                library: "native".to_owned(),
                spelling: "recursive-sha256".to_owned(),
                backend: "portable".to_owned(),
                default_backend: true,
                row: None,
            },
            method: Method::Throughput,
            lanes,
            loops: Vec::new(),
            threads,
            cpus: (0..threads).collect(),
            iterations: 10_000_000,
            verification: Some(Verification::KnownAnswer),
            hashes_per_second: figure(hashes_per_second),
            cycles_per_hash: figure(4e9 * threads as f64 / hashes_per_second),
            between_repetitions: None,
            repetitions: vec![Repetition {
                seconds: 1.0,
                cycles: None,
                core_hertz: Some(4e9),
                samples: 1,
                rejected: 0,
                busy: 0,
                upper_bound: false,
            }],
            failure: None,
        }
    }

    #[test]
    fn units_count_64_bytes_to_a_hash() {
        let shown = |unit| Shown { unit, gigahertz: None };
        assert_eq!(shown(Unit::Mh).rate(50e6), 50.0);
        assert_eq!(shown(Unit::Mb).rate(50e6), 3200.0);
        assert_eq!(shown(Unit::Mib).rate(1_048_576.0), 64.0);
    }

    #[test]
    fn the_stated_clock_is_honoured() {
        let row = row(4, 2, 100e6);
        let measured = Shown { unit: Unit::Mh, gigahertz: None };
        assert_eq!(measured.rate_per_clock(&row), Some(2.5));
        assert_eq!(measured.stated_cycles(&row), None);
        let stated = Shown { unit: Unit::Mh, gigahertz: Some(5.0) };
        assert_eq!(stated.rate_per_clock(&row), Some(2.0));
        assert_eq!(stated.stated_cycles(&row), Some(100.0));
    }

    #[test]
    fn uplift_is_over_one_lane() {
        assert_eq!(uplift(&row(2, 1, 57.19e6), Some(42.42e6)).as_deref(), Some("+34.8 %"));
        assert_eq!(uplift(&row(1, 1, 42.42e6), Some(42.42e6)), None);
        assert_eq!(uplift(&row(2, 1, 57.19e6), None), None);
    }
}
