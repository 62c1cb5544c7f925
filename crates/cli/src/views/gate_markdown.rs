//! `cpb gate` as Markdown, for the summary of a CI job.

use crate::verdict::Verdict;
use crate::views::gate_table::{cells_of, reason, summary};
use cpb_figures::Status;

/// Rows that are fine, of which no more than these are shown.
const MOST_FINE: usize = 20;

pub(crate) fn text(verdict: &Verdict) -> String {
    let mut text = format!(
        "### cpb gate\n\n{}\n\n| | row | length | then | now | ratio | interval |\n\
         |---|---|---:|---:|---:|---:|---|\n",
        summary(verdict)
    );
    let fine = verdict.rows.iter().filter(|row| row.status >= Status::Within).count();
    let shown = verdict.rows.len() - fine + fine.min(MOST_FINE);
    for row in &verdict.rows[..shown] {
        let cells = cells_of(row).map_or_else(
            || format!(" {} | | | |", cell(&reason(row))),
            |cells| cells.map(|figure| format!(" {figure} |")).concat(),
        );
        text.push_str(&format!("| {} | {} |{cells}\n", row.status.name(), cell(&row.name)));
    }
    if shown < verdict.rows.len() {
        text.push_str(&format!("\n{} more within tolerance\n", verdict.rows.len() - shown));
    }
    text
}

/// Text that cannot end its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
