//! `cpb primitive` as table and CSV, and its list of names.

use crate::arguments::Format;
use crate::commands::primitive::{Chosen, Request};
use crate::fault::Fault;
use crate::primitives::Name;
use crate::views::primitive_json::json_text;
use cpb_model::{Point, Record, Run};
use cpb_report::number::{five_digits, half_width, rate};
use cpb_report::{Align, Cell, Column, Style, Table, write_csv};

/// What was asked for, and what came out.
pub(crate) struct View<'a> {
    pub(crate) request: &'a Request,
    pub(crate) chosen: &'a [Chosen],
    pub(crate) run: &'a Run,
}

/// The list of names.
pub(crate) fn list(names: &[&Name], format: Format) -> Result<(), Fault> {
    let backend = |name: &Name| match &name.offer {
        Ok(offer) => offer.backend.clone(),
        Err(_) => name.backend.clone().unwrap_or_default(),
    };
    let fields = |name: &Name| {
        let reason = name.offer.as_ref().err().cloned().unwrap_or_default();
        let operation = name.member.operation.name().to_owned();
        [name.name.clone(), name.member.primitive.to_owned(), operation, backend(name), reason]
    };
    let header = ["name", "primitive", "operation", "backend", "unavailable"];
    match format {
        Format::Csv => {
            let rows = names.iter().map(|name| fields(name));
            write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?;
        }
        Format::Table => {
            let left = |heading: &str| column(heading, Align::Left);
            let mut table = Table::new(header[..4].iter().map(|h| left(h)).collect());
            for name in names {
                let [called, primitive, operation, backend, reason] = fields(name);
                let called = Cell::new(called, Style::Strong);
                let mut cells = vec![called, primitive.into(), operation.into()];
                if reason.is_empty() {
                    cells.push(backend.into());
                    table.row(cells);
                } else {
                    table.note(cells, Cell::new(reason, Style::Faint));
                }
            }
            crate::output::print(&table.render())?;
        }
        Format::Json => {
            let entries: Vec<serde_json::Value> = names
                .iter()
                .map(|name| {
                    serde_json::json!({
                        "name": name.name,
                        "primitive": name.member.primitive,
                        "operation": name.member.operation,
                        "backend": backend(name),
                        "unavailable": name.offer.as_ref().err(),
                    })
                })
                .collect();
            crate::output::print(&json_text(&serde_json::json!({ "primitives": entries }))?)?;
        }
    }
    Ok(())
}

impl View<'_> {
    pub(crate) fn print(&self, format: Format) -> Result<(), Fault> {
        match format {
            Format::Json => Ok(crate::output::print(&self.json()?)?),
            Format::Csv => self.csv(),
            Format::Table => Ok(crate::output::print(&self.table())?),
        }
    }

    pub(crate) fn csv(&self) -> Result<(), Fault> {
        let header = [
            "name",
            "primitive",
            "operation",
            "backend",
            "parameters",
            "repeats_time",
            "repeats_warm",
            "nanoseconds_per_call",
            "median",
            "interval_low",
            "interval_high",
            "state",
            "spread",
            "cycles_per_call",
            "cycles_per_byte",
            "megabytes_per_second",
            "calls",
            "counter",
            "verified",
            "error",
        ];
        let rows = self.results().map(|result| {
            let Chosen { name, parameters, .. } = result.chosen;
            let parameters: Vec<String> =
                parameters.iter().map(|(p, value)| format!("{}={value}", p.name())).collect();
            let mut row = vec![
                name.name.clone(),
                name.member.primitive.to_owned(),
                name.member.operation.name().to_owned(),
                result.backend().unwrap_or_default().to_owned(),
                parameters.join(" "),
                self.request.repeats.repeats_time.to_string(),
                self.request.repeats.repeats_warm.to_string(),
            ];
            match result.figures() {
                Ok(figures) => {
                    let text = |value: Option<f64>| value.map(five_digits).unwrap_or_default();
                    let interval = figures.interval;
                    row.extend([
                        five_digits(figures.nanoseconds),
                        text(figures.median),
                        text(interval.map(|interval| interval[0])),
                        text(interval.map(|interval| interval[1])),
                        if figures.upper_bound { "bound" } else { "measured" }.to_owned(),
                        text(figures.spread),
                        five_digits(figures.cycles),
                        text(figures.per_byte(figures.cycles)),
                        text(figures.megabytes_per_second()),
                        figures.calls.to_string(),
                        self.counter().unwrap_or_default().to_owned(),
                        result.verified().unwrap_or_default().to_owned(),
                        String::new(),
                    ]);
                }
                Err(reason) => {
                    row.resize(header.len() - 1, String::new());
                    row.push(reason);
                }
            }
            row
        });
        Ok(write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?)
    }

    pub(crate) fn table(&self) -> String {
        let mut columns = vec![column("name", Align::Left), column("backend", Align::Left)];
        columns.extend(
            ["ns/call", "±", "c/call", "c/B", "MB/s"].map(|heading| column(heading, Align::Right)),
        );
        columns.push(column("verified", Align::Left));
        let mut table = Table::new(columns);
        for result in self.results() {
            let name = Cell::new(result.chosen.name.name.as_str(), Style::Strong);
            let mut cells = vec![name, result.backend().unwrap_or_default().into()];
            match (result.figures(), result.point()) {
                (Ok(figures), Some(point)) => {
                    let at_most = |digits: String| match figures.upper_bound {
                        true => format!("≤ {digits}"),
                        false => digits,
                    };
                    cells.extend([
                        at_most(five_digits(figures.nanoseconds)).into(),
                        Cell::new(half_width(point.cycles_per_call), Style::Faint),
                        at_most(five_digits(figures.cycles)).into(),
                        figures
                            .per_byte(figures.cycles)
                            .map(|cycles| at_most(five_digits(cycles)))
                            .unwrap_or_default()
                            .into(),
                        figures
                            .megabytes_per_second()
                            .map(|speed| rate(speed, figures.upper_bound))
                            .unwrap_or_default()
                            .into(),
                        result.verified().unwrap_or_default().into(),
                    ]);
                    table.row(cells);
                }
                (Err(reason), _) => table.note(cells, Cell::new(reason, Style::Bad)),
                (Ok(_), None) => {}
            }
        }
        format!("{}\n{}", crate::views::header::text(self.run), table.render())
    }

    /// What was chosen, with the record of each that could run.
    pub(crate) fn results(&self) -> impl Iterator<Item = Outcome<'_>> {
        let mut records = self.run.records.iter();
        self.chosen.iter().map(move |chosen| Outcome {
            chosen,
            record: chosen.name.offer.as_ref().ok().and_then(|_| records.next()),
        })
    }

    pub(crate) fn counter(&self) -> Option<&str> {
        let calibration = self.run.clock.as_ref()?.calibrations.first()?;
        Some(&calibration.counter)
    }
}

pub(crate) struct Outcome<'a> {
    pub(crate) chosen: &'a Chosen,
    pub(crate) record: Option<&'a Record>,
}

impl Outcome<'_> {
    fn backend(&self) -> Option<&str> {
        self.record.map(|record| record.subject.backend.as_str())
    }

    pub(crate) fn verified(&self) -> Option<&'static str> {
        Some(self.record?.verification.as_ref()?.name())
    }

    fn point(&self) -> Option<&Point> {
        self.record?.points.first()
    }

    /// The figures, or why there are none.
    pub(crate) fn figures(&self) -> Result<Figures, String> {
        let failure = self.record.and_then(|record| record.failure.as_ref());
        match (&self.chosen.name.offer, failure, self.point()) {
            (Err(reason), ..) => Err(reason.clone()),
            (_, Some(failure), _) => Err(failure.reason.clone()),
            (_, _, Some(point)) => Ok(Figures::of(self.chosen.bytes, point)),
            (_, _, None) => Err("it was not measured".to_owned()),
        }
    }
}

/// The figures of one name; times in nanoseconds per call.
pub(crate) struct Figures {
    bytes: u64,
    pub(crate) nanoseconds: f64,
    pub(crate) median: Option<f64>,
    pub(crate) interval: Option<[f64; 2]>,
    pub(crate) upper_bound: bool,
    /// Relative, between processes.
    pub(crate) spread: Option<f64>,
    pub(crate) cycles: f64,
    pub(crate) calls: u64,
    pub(crate) processes: u32,
}

impl Figures {
    fn of(bytes: u64, point: &Point) -> Self {
        let cycles = point.cycles_per_call.estimate;
        let nanoseconds_per_cycle = point.nanoseconds_per_call / cycles;
        let interval = point.cycles_per_call.interval;
        Self {
            bytes,
            nanoseconds: point.nanoseconds_per_call,
            median: point.median.map(|median| median * nanoseconds_per_cycle),
            interval: interval.map(|i| [i.low, i.high].map(|end| end * nanoseconds_per_cycle)),
            upper_bound: point.cycles_per_call.upper_bound,
            spread: point.between_rounds,
            cycles,
            calls: point.samples * point.calls_per_sample,
            processes: point.rounds,
        }
    }

    /// Nothing per byte where there are none.
    pub(crate) fn per_byte(&self, cost: f64) -> Option<f64> {
        (self.bytes != 0).then(|| cost / self.bytes as f64)
    }

    pub(crate) fn megabytes_per_second(&self) -> Option<f64> {
        (self.bytes != 0).then(|| self.bytes as f64 / self.nanoseconds * 1e3)
    }
}

fn column(heading: &str, align: Align) -> Column {
    Column { heading: heading.to_owned(), align }
}
