//! Makes the document of `cpb recursive`: a row per setting.

use super::scaling;
use crate::benchmark_mt::rates::{RateOptions, Unit, core_hertz, cycles_of, rate_of, uplift};
use cpb_model::{Record, Run, Verification};
use cpb_report::number::{counted, estimate, five_digits, half_width, percent};
use cpb_report::{
    Case, Cell, Document, Fields, Outcome, Rows, Section, Style, Value, failure, header, left,
    right,
};

/// Throughput, as the result of `command`.
pub struct ThroughputDocument<'a> {
    /// The command that measured or loaded it.
    pub command: &'static str,
    pub run: &'a Run,
    pub shown: RateOptions,
    /// The text below, if it is shown over threads.
    pub scaling: Option<String>,
    /// The heading above it.
    pub title: Option<Cell>,
}

impl Document for ThroughputDocument<'_> {
    fn command(&self) -> &'static str {
        self.command
    }

    fn sections(&self) -> Vec<Section> {
        let Self { run, shown, .. } = self;
        let (table, after) = match &self.scaling {
            Some(best) => (scaling::table(run, shown), scaling::legend(shown, best)),
            None => {
                let fields = fields(run, shown);
                (fields.table_with_notes(&run.records, |row| failure(row)), legend(run, shown))
            }
        };
        let before = self.title.iter().cloned().chain(header(run)).collect();
        vec![Section { before, table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        fields(self.run, &self.shown).rows(self.run.records.iter())
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

/// Returns the rate of the fastest row with one lane in as many threads.
fn one_lane(run: &Run, row: &Record) -> Option<f64> {
    let same = run
        .records
        .iter()
        .filter(|it| it.setup.lanes == 1 && it.setup.threads == row.setup.threads);
    same.filter_map(rate_of).max_by(f64::total_cmp)
}

fn fields<'a>(run: &'a Run, shown: &'a RateOptions) -> Fields<'a, &'a Record> {
    const BESIDES: [&str; 3] =
        ["cycles_per_byte", "cycles_per_hash_stated", "cycles_per_byte_stated"];
    let six = |value: Option<f64>| value.map(|value| Value::Number(value, 6));
    let fastest = run.records.iter().filter_map(rate_of).max_by(f64::total_cmp);
    let is_best =
        move |it: &Record| run.records.len() > 1 && fastest.is_some() && rate_of(it) == fastest;
    let emphasised = move |it: &Record, text: Option<String>| {
        let style = if is_best(it) { Style::Good } else { Style::Strong };
        text.map(|text| Cell::new(text, style))
    };
    let number = |heading: String| right(heading).format(five_digits).missing("–");
    let faint = |heading| right(heading).style(Style::Faint).missing("–");
    let unit = shown.rate_unit();
    let per_clock = number(format!("{unit}/0.1GHz")).rank(2);
    Fields::<&Record>::new()
        .table_only(left("").style(Style::Good), move |it| if is_best(it) { "★" } else { "" })
        .field("backend", left("backend"), |it| it.subject.backend.clone())
        .field("lanes", right("lanes"), |it| it.setup.lanes)
        .field("threads", right("threads"), |it| it.setup.threads)
        .naming()
        .data_only("iterations", |it| {
            it.concurrent.as_ref().and_then(|it| it.iterations).unwrap_or_default()
        })
        .data_only("repetitions", |it| repetitions(it))
        .data_only("hashes_per_second", |it| rate_of(it).map(|rate| format!("{rate:.0}")))
        .data_only("unit", move |_| unit)
        .data_only("rate", move |it| six(rate_of(it).map(|rate| shown.rate(rate))))
        .shown_as(right(unit).missing("–"), move |it| {
            emphasised(it, rate_of(it).map(|rate| five_digits(shown.rate(rate))))
        })
        .data_only("rate_per_100mhz", move |it| six(shown.rate_per_clock(it)))
        .when(shown.unit != Unit::Cpb, |fields| {
            fields.shown_as(per_clock, |it| shown.rate_per_clock(it))
        })
        .data_only("uplift", move |it| {
            Some(format!("{:.4}", rate_of(it)? / one_lane(run, it)? - 1.0))
        })
        .shown_as(right("uplift").rank(1), move |it| {
            uplift(it, one_lane(run, it)).map(|share| format!("{:+.1} %", share * 100.0))
        })
        .data_only("cycles_per_hash", move |it| six(cycles_of(it).map(|it| it.estimate)))
        .shown_as(right("c/hash").missing("–"), move |it| {
            emphasised(it, cycles_of(it).map(estimate))
        })
        .table_only(faint("±"), |it| cycles_of(it).map(half_width))
        .data_only("cycles_low", move |it| six(Some(cycles_of(it)?.interval?.low)))
        .data_only("cycles_high", move |it| six(Some(cycles_of(it)?.interval?.high)))
        .data_only("spread", move |it| six(spread(it)))
        .shown_as(faint("spread").rank(3), |it| spread(it).map(percent))
        .data_only("core_ghz", move |it| six(core_hertz(it).map(|hertz| hertz / 1e9)))
        .each(
            BESIDES.into_iter().zip(shown.cycles_headings()).enumerate(),
            |fields, (place, (name, heading))| {
                fields.field(name, number(heading), move |it| six(shown.cycles_besides(it)[place]))
            },
        )
        .data_only("verified", |it| Some(it.verification.as_ref()?.name()))
        .shown_as(left("verified"), |it| verified(it))
        .data_only("error", |it| Some(it.failure.as_ref()?.reason.clone()))
        .data_only("cycles_state", |it| {
            Some(if cycles_of(it)?.upper_bound { "bound" } else { "measured" })
        })
}

/// Returns the spread of the repetitions' cycles.
fn spread(row: &Record) -> Option<f64> {
    row.points.first()?.between_rounds
}

fn repetitions(row: &Record) -> usize {
    row.concurrent.as_ref().map_or(0, |it| it.rounds.len())
}

/// Describes what the last values were checked against.
fn verified(row: &Record) -> Cell {
    match &row.verification {
        Some(Verification::KnownAnswer) => Cell::new("✓ known values", Style::Good),
        Some(Verification::Reference { with }) => Cell::new(format!("✓ {with}"), Style::Good),
        Some(_) | None => Cell::new("unverified", Style::Caution),
    }
}

fn legend(run: &Run, shown: &RateOptions) -> Vec<Cell> {
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
