//! Makes the documents of `cpb primitive`, and of its list of names.

use crate::milo::json;
use crate::milo::names::Name;
use crate::milo::outcome::{Figures, Outcome, View};
use cpb_model::Run;
use cpb_report::number::{five_digits, half_width, rate};
use cpb_report::{Cell, Document, Fields, Rows, Section, Style, WriteError, header, left, right};
use std::io::Write;

/// The list of names.
pub struct Names<'a>(pub &'a [&'a Name]);

impl Document for Names<'_> {
    fn command(&self) -> &'static str {
        "primitive"
    }

    fn sections(&self) -> Vec<Section> {
        let missing = |name: &&Name| {
            let reason = name.offer.as_ref().err();
            reason.map(|reason| Cell::new(reason.as_str(), Style::Faint))
        };
        vec![Self::fields().table_with_notes(self.0.iter().copied(), missing).into()]
    }

    fn rows(&self) -> Rows<'_> {
        Self::fields().rows(self.0.iter().copied())
    }

    fn data(&self) -> serde_json::Value {
        serde_json::json!({ "primitives": Self::fields().array(self.0.iter().copied()) })
    }
}

impl<'a> Names<'a> {
    fn fields() -> Fields<'a, &'a Name> {
        Fields::<&Name>::new()
            .field("name", left("name").style(Style::Strong), |it| it.name.clone())
            .field("primitive", left("primitive"), |it| it.member.primitive)
            .field("operation", left("operation"), |it| it.member.operation.name())
            .naming()
            .field("backend", left("backend"), |it| match &it.offer {
                Ok(offer) => offer.backend.clone(),
                Err(_) => it.backend.clone().unwrap_or_default(),
            })
            .data_only("unavailable", |it| it.offer.as_ref().err().cloned())
    }
}

/// The results under milo's names.
pub struct PrimitiveDocument<'a> {
    pub view: View<'a>,
    /// The compiler that built cpb.
    pub compiler: Option<&'static str>,
    /// Whether the JSON includes command, project and compiler.
    pub verbose: bool,
    /// Whether it is indented, instead of on one line.
    pub indented: bool,
}

impl Document for PrimitiveDocument<'_> {
    fn command(&self) -> &'static str {
        "primitive"
    }

    fn sections(&self) -> Vec<Section> {
        let rows = rows(&self.view).filter(|row| row.figures.is_err() || row.it.point().is_some());
        let table = fields().table_with_notes(rows, |row| {
            let reason = row.figures.as_ref().err();
            reason.map(|reason| Cell::new(reason.as_str(), Style::Bad))
        });
        vec![Section { before: header(self.view.run), ..Section::from(table) }]
    }

    fn rows(&self) -> Rows<'_> {
        fields().rows(rows(&self.view))
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let text = match self.verbose {
            true => json::text(&json::verbose(&self.view, self.compiler), self.indented),
            false => json::text(&json::document(&self.view), self.indented),
        };
        Ok(output.write_all(text?.as_bytes())?)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.view.run)
    }
}

struct Row<'a> {
    view: &'a View<'a>,
    figures: Result<Figures, String>,
    it: Outcome<'a>,
}

fn rows<'a>(view: &'a View<'a>) -> impl Iterator<Item = Row<'a>> {
    view.results().map(move |it| Row { view, figures: it.figures(), it })
}

fn fields<'a>() -> Fields<'a, Row<'a>> {
    fn known<'a>(row: &'a Row<'_>) -> Option<&'a Figures> {
        row.figures.as_ref().ok()
    }
    let at_most = |row: &Row<'_>, value: fn(&Figures) -> Option<f64>| {
        let figures = known(row)?;
        let digits = five_digits(value(figures)?);
        Some(if figures.upper_bound { format!("≤ {digits}") } else { digits })
    };
    let verified = |row: &Row<'_>| Some(row.it.verified().unwrap_or_default().to_owned());
    Fields::<Row>::new()
        .field("name", left("name").style(Style::Strong), |it| it.it.chosen.name.name.clone())
        .data_only("primitive", |it| it.it.chosen.name.member.primitive)
        .data_only("operation", |it| it.it.chosen.name.member.operation.name())
        .field("backend", left("backend"), |it| it.it.backend().map(str::to_owned))
        .naming()
        .data_only("parameters", |it| {
            let parameters = it.it.chosen.parameters.iter();
            let parameters = parameters.map(|(name, value)| format!("{}={value}", name.name()));
            parameters.collect::<Vec<_>>()
        })
        .data_only("repeats_time", |it| it.view.repeats.repeats_time.to_string())
        .data_only("repeats_warm", |it| it.view.repeats.repeats_warm.to_string())
        .data_only("nanoseconds_per_call", |it| Some(known(it)?.nanoseconds))
        .shown_as(right("ns/call"), move |it| at_most(it, |it| Some(it.nanoseconds)))
        .table_only(right("±").style(Style::Faint), |it| {
            Some(half_width(it.it.point()?.cycles_per_call))
        })
        .data_only("median", |it| known(it)?.median)
        .data_only("interval_low", |it| Some(known(it)?.interval?[0]))
        .data_only("interval_high", |it| Some(known(it)?.interval?[1]))
        .data_only("state", |it| Some(if known(it)?.upper_bound { "bound" } else { "measured" }))
        .data_only("spread", |it| known(it)?.spread)
        .data_only("cycles_per_call", |it| Some(known(it)?.cycles))
        .shown_as(right("c/call"), move |it| at_most(it, |it| Some(it.cycles)))
        .data_only("cycles_per_byte", |it| known(it)?.per_byte(known(it)?.cycles))
        .shown_as(right("c/B"), move |it| at_most(it, |it| it.per_byte(it.cycles)))
        .data_only("megabytes_per_second", |it| known(it)?.megabytes_per_second())
        .shown_as(right("MB/s"), |it| {
            Some(rate(known(it)?.megabytes_per_second()?, 4, known(it)?.upper_bound))
        })
        .data_only("calls", |it| Some(known(it)?.calls.to_string()))
        .data_only("counter", |it| known(it).and_then(|_| it.view.counter()).map(str::to_owned))
        .field("verified", left("verified"), move |it| known(it).and_then(|_| verified(it)))
        .data_only("error", |it| it.figures.as_ref().err().cloned())
}
