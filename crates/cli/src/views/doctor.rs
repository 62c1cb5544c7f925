//! `cpb doctor`: what was found, by what it is about.

use crate::commands::doctor::findings::{Finding, Status};
use crate::document::{Case, Document, Outcome};
use cpb_model::SCHEMA;
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, write_json};
use serde_json::json;
use std::io::Write;

/// Findings, group by group.
pub(crate) struct Findings(pub(crate) Vec<(&'static str, Vec<Finding>)>);

impl Findings {
    fn all(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().flat_map(|(_, findings)| findings)
    }
}

impl Document for Findings {
    fn command(&self) -> &'static str {
        "doctor"
    }

    fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(vec![Column::left(""); 2]);
        for (index, (title, findings)) in self.0.iter().enumerate() {
            if index != 0 {
                table.blank();
            }
            table.title(*title);
            for finding in findings {
                add(&mut table, finding);
            }
        }
        vec![table.into()]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(COLUMNS, self.all())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let findings: Vec<&Finding> = self.all().collect();
        write_json(output, &json!({ "schema": SCHEMA, "findings": findings }))
    }

    fn cases(&self) -> Vec<Case> {
        let case = |finding: &Finding| Case {
            name: finding.topic.clone(),
            outcome: if finding.status == Status::Bad { Outcome::Failed } else { Outcome::Passed },
            words: [Some(&finding.finding), finding.remedy.as_ref()]
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join("; "),
        };
        self.all().map(case).collect()
    }
}

const COLUMNS: [(&str, fn(&&Finding) -> String); 4] = [
    ("topic", |it| it.topic.clone()),
    ("status", |it| word(it.status).to_owned()),
    ("finding", |it| it.finding.clone()),
    ("remedy", |it| it.remedy.clone().unwrap_or_default()),
];

fn add(table: &mut Table, finding: &Finding) {
    let (mark, style) = match finding.status {
        Status::Good => ("✓", Style::Good),
        Status::Note => ("·", Style::Caution),
        Status::Bad => ("✗", Style::Bad),
    };
    let cells =
        |mark: &str, topic: &str| vec![Cell::new(mark, style), Cell::new(topic, Style::Plain)];
    table.note(cells(mark, &finding.topic), finding.finding.as_str().into());
    if let Some(remedy) = &finding.remedy {
        table.note(cells("", ""), Cell::new(format!("→ {remedy}"), Style::Faint));
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Good => "good",
        Status::Note => "note",
        Status::Bad => "bad",
    }
}
