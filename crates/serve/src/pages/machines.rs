//! Makes the list of machines.

use super::overview::machine_list;
use super::{Answer, Context, Page, Refusal};
use crate::markup::html;
use crate::words;

pub(super) const PAGE: Page =
    Page { path: "/machines", menu: "/machines", parameters: &[], answer };

const MOST: usize = 1000;

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let machines = context.machines()?;
    let more = machines.len().saturating_sub(MOST);
    let more = (more > 0).then(|| {
        html!("<p class=\"note\">" (words::counted(more, "machine")) " that ran longer ago are not shown.</p>\n")
    });
    let main = html!(
        "<h1>Machines</h1>\n<p class=\"lede\">" (words::counted(machines.len(), "machine"))
        ": kinds of CPU under a hypervisor or none, which decides the cycles of a call.</p>\n"
        (words::progress(context.findings, context.mark))
        (machine_list(context, &machines, MOST)) (more)
    );
    Ok(Answer::Page { title: "Machines".to_owned(), main })
}
