//! Shows the result of `cpb doctor`, by topic.

use crate::commands::doctor::findings::{Finding, Status};
use cpb_model::SCHEMA;
use cpb_report::{Case, Cell, Document, Fields, Outcome, Rows, Section, Style, Table, left};
use serde_json::json;

/// The findings, by group.
pub(crate) struct Findings(pub(crate) Vec<(&'static str, Vec<Finding>)>);

impl Findings {
    fn all(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().flat_map(|(_, findings)| findings)
    }

    /// Whether figures of this machine can be trusted.
    pub(crate) fn is_trusted(&self) -> bool {
        self.all().all(|finding| finding.status != Status::Bad)
    }

    /// Returns the verdict as a sentence.
    fn verdict(&self) -> Cell {
        let with = |status| self.all().filter(move |finding| finding.status == status);
        let bad: Vec<&str> = with(Status::Bad).map(|finding| finding.topic.as_str()).collect();
        match (&bad[..], with(Status::Note).count()) {
            ([], 0) => Cell::new("verdict: figures from this machine can be trusted", Style::Good),
            ([], notes) => Cell::new(
                format!(
                    "verdict: figures from this machine can be trusted; {notes} {} what may \
                     widen their intervals",
                    if notes == 1 { "note says" } else { "notes say" }
                ),
                Style::Good,
            ),
            (bad, _) => Cell::new(
                format!(
                    "verdict: do not trust figures from this machine as it is now: {}",
                    bad.join(", ")
                ),
                Style::Bad,
            ),
        }
    }
}

impl Document for Findings {
    fn command(&self) -> &'static str {
        "doctor"
    }

    fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(vec![left(""); 2]);
        for (index, (title, findings)) in self.0.iter().enumerate() {
            if index != 0 {
                table.blank();
            }
            table.title(*title);
            for finding in findings {
                add(&mut table, finding);
            }
        }
        let marks = "✓ as it should be   · worth knowing, figures hold   ✗ figures suffer";
        let after = vec![self.verdict(), Cell::new(marks, Style::Faint)];
        vec![Section { table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        let fields = Fields::<&Finding>::new()
            .data_only("topic", |it| it.topic.clone())
            .data_only("status", |it| word(it.status))
            .data_only("finding", |it| it.finding.clone())
            .data_only("remedy", |it| it.remedy.clone());
        fields.rows(self.all())
    }

    fn data(&self) -> serde_json::Value {
        let findings: Vec<&Finding> = self.all().collect();
        json!({ "schema": SCHEMA, "verdict": self.verdict().text(), "findings": findings })
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
