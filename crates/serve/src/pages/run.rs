//! Makes the pages of a run: that of `cpb report`, and its figures in a plain
//! table.

use super::{Answer, Context, Page, Refusal};
use crate::markup::{Html, html};
use crate::words;
use cpb_history::command_line;
use cpb_report::html::{PageContext, page_among, section};
use cpb_report::{Source, date, matrix, number};

pub(super) const PAGE: Page = Page { path: "/run/{name}", menu: "/runs", parameters: &[], answer };

pub(super) const ROWS: Page =
    Page { path: "/run/{name}/rows", menu: "/runs", parameters: &[], answer: rows };

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let number = context.run(&context.asked.name)?;
    let run = context.store.load(number)?;
    let plain = format!("/run/{number}/rows");
    let links = [("/", "Dashboard"), (plain.as_str(), "Plain table")];
    let surroundings = PageContext { links: &links, plain: Some(&plain), past: None };
    let name = format!("run {number}");
    Ok(Answer::Report(page_among(&[Source { name: &name, run: &run }], None, &surroundings)))
}

fn rows(context: &Context<'_>) -> Result<Answer, Refusal> {
    let number = context.run(&context.asked.name)?;
    let mut run = context.store.load(number)?;
    run.forget_raw();
    let title = format!("Run {number}");
    let facts = [
        ("Started", date::utc(run.started)),
        ("Took", format!("{} s", number::significant(run.seconds, 3))),
        ("CPU", run.host.cpu.clone().unwrap_or_else(|| run.host.architecture.clone())),
        ("Kernel", run.host.kernel.clone().unwrap_or_else(|| "unknown".to_owned())),
        ("cpb", run.version.clone()),
        ("Command", command_line(&run.command)),
    ];
    let fact = |(term, value): &(&'static str, String)| html!("<div><dt>" (*term) "</dt><dd>" (value) "</dd></div>");
    let facts: Html = facts.iter().map(fact).collect();
    let main = html!(
        "<h1>" (title) "</h1>\n<p class=\"lede\">"
        (words::link(&format!("/run/{number}"), "The same with charts, evidence and samples"))
        "</p>\n<dl class=\"facts\">" (facts) "</dl>\n"
        (words::warnings(&run.warnings))
        (Html::of_report(section(&matrix(&run), "Figures of the run")))
    );
    Ok(Answer::Page { title, main })
}
