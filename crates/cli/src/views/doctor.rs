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
            ([], notes) => {
                let say = if notes == 1 { "note says" } else { "notes say" };
                let words = format!(
                    "verdict: figures from this machine can be trusted; {notes} {say} what may \
                     widen their intervals"
                );
                Cell::new(words, Style::Good)
            }
            (bad, _) => {
                let words = "verdict: do not trust figures from this machine as it is now: ";
                Cell::new(words.to_owned() + &bad.join(", "), Style::Bad)
            }
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
            .data_only("status", |it| shown(it.status).2)
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
            words: match &finding.remedy {
                Some(remedy) => format!("{}; {remedy}", finding.finding),
                None => finding.finding.clone(),
            },
        };
        self.all().map(case).collect()
    }
}

fn add(table: &mut Table, finding: &Finding) {
    let (mark, style, _) = shown(finding.status);
    let cells =
        |mark: &str, topic: &str| vec![Cell::new(mark, style), Cell::new(topic, Style::Plain)];
    table.note(cells(mark, &finding.topic), finding.finding.as_str().into());
    if let Some(remedy) = &finding.remedy {
        table.note(cells("", ""), Cell::new(format!("→ {remedy}"), Style::Faint));
    }
}

/// Returns mark, style and word of a status.
fn shown(status: Status) -> (&'static str, Style, &'static str) {
    match status {
        Status::Good => ("✓", Style::Good, "good"),
        Status::Note => ("·", Style::Caution, "note"),
        Status::Bad => ("✗", Style::Bad, "bad"),
    }
}
