//! Makes the page that compares two runs by their figures, as `cpb compare` does.

use super::{Answer, Context, Page, Refusal};
use crate::form::{Field, form};
use crate::markup::{Html, html};
use crate::table::{Column, table};
use crate::words;
use cpb_figures::{
    Ratio, RatioBound, RowPair, RunComparison, USUAL_LENGTHS, USUAL_PRECISION, compare,
    verdict_name,
};
use cpb_history::command_line;
use cpb_model::{Record, Run};
use cpb_report::html::{PageContext, page_among};
use cpb_report::number::{bytes, percent};
use cpb_report::{Source, date, differences};

pub(super) const PAGE: Page =
    Page { path: "/compare", menu: "/compare", parameters: &["a", "b", "verdict"], answer };

pub(super) const REPORT: Page =
    Page { path: "/compare/report", menu: "/compare", parameters: &["a", "b"], answer: report };

/// The most rows that are shown; a run has thousands at most.
const MOST_ROWS: usize = 2000;
/// The most rows to name of those that only one run has.
const NAMED: usize = 8;

const VERDICTS: [&str; 5] = ["", "slower", "faster", "no difference", "cannot tell"];

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let asked = context.asked;
    let [a, b] = ["a", "b"].map(|side| asked.text(side));
    let verdict = asked.choice("verdict", &VERDICTS)?;
    let hint = "17, a label, latest~1";
    let choices = VERDICTS.iter().map(|it| ((*it).to_owned(), (*it).to_owned()));
    let mut choices: Vec<(String, String)> = choices.collect();
    choices[0].1 = "all".to_owned();
    let fields = [
        Field::Text { name: "a", label: "A, the baseline", value: a, hint },
        Field::Text { name: "b", label: "B", value: b, hint },
        Field::Choice { name: "verdict", label: "verdict", value: verdict, of: choices },
    ];
    let form = form(PAGE.path, "Runs to compare", &fields, "Compare");
    if a.is_empty() && b.is_empty() {
        let main = html!(
            "<h1>Compare</h1>\n<p class=\"lede\">Two runs, by their numbers, labels, or as latest and "
            "latest~1. " (words::link("/runs", "All runs")) "</p>\n" (form)
        );
        return Ok(Answer::Page { title: "Compare".to_owned(), main });
    }
    let numbers = sides(context)?;
    let runs = loaded(context, numbers)?;
    let title = format!("Run {} and run {}", numbers[0], numbers[1]);
    let compared = compared([&runs[0], &runs[1]]);
    let report = format!("/compare/report?a={}&b={}", numbers[0], numbers[1]);
    let notes = words::warnings(&differences(&runs[0], &runs[1]));
    let main = html!(
        "<h1>" (&title) "</h1>\n"
        "<dl class=\"facts sides\">" (side("A", numbers[0], &runs[0])) (side("B", numbers[1], &runs[1]))
        "</dl>\n" (notes) (together(&compared)) (form)
        (rows([&runs[0], &runs[1]], &compared, verdict))
        (only([&runs[0], &runs[1]], &compared))
        "<p class=\"note\">A ratio below 1 means that B takes less time. The runs were measured at "
        "different times; differences below 1 % may be chance. "
        (words::link(&report, "The same with charts")) "</p>\n"
    );
    Ok(Answer::Page { title, main })
}

fn report(context: &Context<'_>) -> Result<Answer, Refusal> {
    let numbers = sides(context)?;
    let runs = loaded(context, numbers)?;
    let names = numbers.map(|number| format!("run {number}"));
    let sources = [0, 1].map(|side| Source { name: &names[side], run: &runs[side] });
    let plain = format!("/compare?a={}&b={}", numbers[0], numbers[1]);
    let links = [("/", "Dashboard"), (plain.as_str(), "Plain table")];
    let surroundings = PageContext { links: &links, plain: Some(&plain), past: None };
    Ok(Answer::Report(page_among(&sources, None, &surroundings)))
}

/// Returns the numbers of both runs.
fn sides(context: &Context<'_>) -> Result<[i64; 2], Refusal> {
    let side = |side: &str| match context.asked.text(side) {
        "" => Err(Refusal::Wrong(format!(
            "a comparison has two sides, and '{side}' is missing: a and b are runs, by number, \
             label, or as latest"
        ))),
        name => context.run(name),
    };
    Ok([side("a")?, side("b")?])
}

fn loaded(context: &Context<'_>, numbers: [i64; 2]) -> Result<[Run; 2], Refusal> {
    let load = |number| -> Result<Run, Refusal> {
        let mut run = context.store.load(number)?;
        cpb_figures::renew(&mut run);
        run.forget_raw();
        Ok(run)
    };
    Ok([load(numbers[0])?, load(numbers[1])?])
}

fn compared(runs: [&Run; 2]) -> RunComparison {
    let all = runs.map(|run| (0..run.records.len()).collect::<Vec<usize>>());
    compare(runs, [&all[0], &all[1]], &USUAL_LENGTHS, USUAL_PRECISION)
}

fn side(side: &'static str, number: i64, run: &Run) -> Html {
    let cpu = run.host.cpu.as_deref().unwrap_or(&run.host.architecture);
    let kernel = run.host.kernel.as_deref().unwrap_or("unknown");
    html!(
        "<div><dt>" (side) "</dt><dd>" (words::link(&format!("/run/{number}"), &format!("Run {number}")))
        ", " (date::utc(run.started)) "<br>" (cpu) ", Linux " (kernel) "<br><code>"
        (command_line(&run.command)) "</code></dd></div>"
    )
}

fn together(compared: &RunComparison) -> Option<Html> {
    let all = compared.all.as_ref()?;
    let verdict = verdict_name(all.verdict);
    let mean = format!("B ÷ A is {}{:.4}", all.known.mark(), all.value);
    let interval = all.interval.map(|it| format!(" ({:.4} to {:.4})", it.low, it.high));
    let class = class(verdict);
    Some(html!(
        "<p class=\"verdict " (class) "\"><strong>" (words::capital(verdict)) "</strong>: " (mean)
        (interval.unwrap_or_default()) ", the geometric mean of "
        (words::counted(compared.counted, "row")) ".</p>\n"
    ))
}

fn rows(runs: [&Run; 2], compared: &RunComparison, verdict: &str) -> Html {
    const COLUMNS: [Column; 6] = [
        Column::text("row"),
        Column::text("implementation"),
        Column::rare("by length"),
        Column::number("B ÷ A"),
        Column::rare("95 % interval"),
        Column::whole("verdict"),
    ];
    let said = |row: &RowPair| row.ratio.map_or("cannot tell", |ratio| verdict_name(ratio.verdict));
    let mut shown: Vec<&RowPair> = compared.rows.iter().collect();
    shown.retain(|row| verdict.is_empty() || said(row) == verdict);
    // Different rows come first, the largest difference before the others.
    let order = |row: &RowPair| {
        let place = VERDICTS.iter().position(|it| *it == said(row)).unwrap_or(VERDICTS.len());
        let distance = row.ratio.map_or(0.0, |ratio| ratio.value.ln().abs());
        (place, -distance)
    };
    shown.sort_by(|a, b| {
        let (a, b) = (order(a), order(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let left_out = shown.len().saturating_sub(MOST_ROWS);
    let row = |row: &&RowPair| {
        let [a, b] = [0, 1].map(|side| &runs[side].records[row.places[side]]);
        let failure = [a, b].into_iter().find_map(|record| record.failure.as_ref());
        let verdict = match failure {
            Some(failure) => html!("<span class=\"bad\">" (&failure.reason) "</span>"),
            None => html!("<span class=\"" (class(said(row))) "\">" (said(row)) "</span>"),
        };
        let interval = row.ratio.as_ref().and_then(|ratio| ratio.interval);
        vec![
            html!((words::primitive(&a.subject.primitive, "")) " " (called(a))),
            html!((implementation(a, b))),
            html!("<span class=\"faint\">" (by_length(row)) "</span>"),
            html!("<b>" (row.ratio.as_ref().map(marked)) "</b>"),
            html!("<span class=\"faint\">" (interval.map(|it| format!("{:.4} to {:.4}", it.low, it.high))) "</span>"),
            verdict,
        ]
    };
    let rows = shown.iter().take(MOST_ROWS).map(row).collect();
    let table =
        table("Rows that both runs have", &COLUMNS, rows, "The runs have no such row in common.");
    let more = (left_out > 0).then(
        || html!("<p class=\"note\">" (words::counted(left_out, "more row")) " not shown.</p>\n"),
    );
    let precision = percent(USUAL_PRECISION);
    html!((table) (more) "<p class=\"note small\">Costs within ± " (precision) " are no difference.</p>\n")
}

fn by_length(row: &RowPair) -> String {
    let part = |length: &cpb_figures::LengthPair| {
        let ratio = length.ratio.as_ref().map(marked).or_else(|| {
            let [a, b] = length.cycles.map(|figure| figure.estimate);
            Some(format!("{}{:.4}", RatioBound::of(length.cycles)?.mark(), b / a))
        });
        ratio.map(|ratio| format!("{}: {ratio}", bytes(length.length)))
    };
    let parts: Vec<String> = row.lengths.iter().filter_map(part).collect();
    if parts.len() > 1 { parts.join(", ") } else { String::new() }
}

fn marked(ratio: &Ratio) -> String {
    format!("{}{:.4}", ratio.known.mark(), ratio.value)
}

/// Describes the work of a row: `seal, oneshot`.
fn called(record: &Record) -> String {
    let operation = record.workload.operation.name().to_owned();
    [vec![operation], record.workload.modifiers(), record.setup.modifiers()].concat().join(", ")
}

fn implementation(a: &Record, b: &Record) -> String {
    let [a, b] = [a, b].map(|it| (it.subject.library.as_str(), it.subject.backend.as_str()));
    let name = |(library, backend)| words::implementation(library, backend);
    if a == b { name(a) } else { format!("{} → {}", name(a), name(b)) }
}

fn only(runs: [&Run; 2], compared: &RunComparison) -> Html {
    let side = |side: usize| {
        let places = &compared.only[side];
        let name = |place: &usize| {
            let subject = &runs[side].records[*place].subject;
            format!("{} {} of {}", subject.primitive, subject.operation.name(), subject.library)
        };
        let named: Vec<String> = places.iter().take(NAMED).map(name).collect();
        let more = match places.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {} more", words::count(more)),
        };
        let letter = ["A", "B"][side];
        let words = format!("Only {letter} has: {}{more}.", named.join(", "));
        (!places.is_empty()).then(|| html!("<p class=\"note\">" (words) "</p>\n"))
    };
    html!((side(0))(side(1)))
}

fn class(verdict: &str) -> &'static str {
    match verdict {
        "faster" => "good",
        "slower" => "bad",
        "cannot tell" => "caution",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_stats::Verdict;

    #[test]
    fn every_verdict_can_be_asked_for() {
        use Verdict::{CannotTell, Faster, NoDifference, Slower};
        for verdict in [Slower, Faster, NoDifference, CannotTell] {
            assert!(VERDICTS.contains(&verdict_name(verdict)), "{}", verdict_name(verdict));
        }
    }
}
