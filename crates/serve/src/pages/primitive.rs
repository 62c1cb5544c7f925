//! Makes the page of a primitive over time, on one machine.

use super::changes::{library_field, machine_field};
use super::{Answer, Context, Page, Refusal, primitives};
use crate::form::{Field, form};
use crate::history::{Lines, Scale, Told};
use crate::markup::{Html, html};
use crate::words;
use cpb_history::{HistorySegment, Timeline};
use cpb_report::group_by;
use cpb_store::{Series, lane};

pub(super) const PAGE: Page = Page {
    path: "/primitive/{name}",
    menu: "/primitives",
    parameters: &["machine", "library", "text", "runs", "until", "scale"],
    answer,
};

/// The default number of runs shown, and the maximum.
const RUNS: i64 = 200;
const MOST_RUNS: i64 = 2000;
/// The most series that are read; if there are more, the reader must select a
/// library.
const MOST_SERIES: usize = 400;
/// The choices of what charts show.
const SCALES: [&str; 2] = ["figures", "change"];

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let (asked, store) = (context.asked, context.store);
    let name = asked.name.as_str();
    let all = store.series_of(name)?;
    if all.is_empty() {
        return Err(primitives::absent(name, &store.series()?));
    }
    let runs = asked.number("runs", [3, MOST_RUNS], RUNS)?;
    let until = asked.number("until", [-1, i64::MAX], -1)?;
    let until = (until >= 0).then_some(until);
    let machine = match asked.text("machine") {
        "" => usual_machine(context, name)?,
        machine => machine.to_owned(),
    };
    let timeline = Timeline::of(store.last_runs_of(name, &machine, until, runs)?);
    let (library, text) = (asked.text("library"), asked.text("text"));
    let mut chosen = all.clone();
    chosen.retain(|series| is_meant(series, library, text));
    let left_out = chosen.len().saturating_sub(MOST_SERIES);
    chosen.truncate(MOST_SERIES);
    let mut stretches = stretches(context, &timeline, &chosen)?;
    stretches.retain(|it| library.is_empty() || it.series.has(library));
    let groups = groups(&stretches);
    let scale = match asked.choice("scale", &SCALES)? {
        "change" => Scale::Change,
        _ => Scale::Figures,
    };
    let mut told = Told::default();
    let section = |group: &Vec<&HistorySegment<'_>>| section(group, &machine, scale, &mut told);
    let sections: Html = groups.iter().map(section).collect();
    let sections = match groups.is_empty() {
        true => html!("<p class=\"nothing\">None of these runs has a figure of it.</p>\n"),
        false => sections,
    };
    let left_out = (left_out > 0).then(|| {
        html!(
            "<p class=\"note\">" (words::count(left_out)) " of its " (words::counted(all.len(), "implementation"))
            " are not shown; choose a library, or say more of their names.</p>\n"
        )
    });
    let fields = fields(context, &machine, &all)?;
    let main = html!(
        "<h1>" (name) "</h1>\n<p class=\"lede\">" (lede(context, &timeline, &machine)?) "</p>\n"
        (form(&format!("/primitive/{}", crate::page_request::encoded(name)), "Figures to show", &fields, "Show"))
        (left_out) (sections) (earlier(context, &timeline))
    );
    Ok(Answer::Page { title: name.to_owned(), main })
}

/// Returns the machine on which it was measured last.
fn usual_machine(context: &Context<'_>, name: &str) -> Result<String, Refusal> {
    let all =
        context.findings.of_machine("").filter(|(series, _)| series.workload.primitive == name);
    if let Some((_, brief)) = all.max_by_key(|(_, brief)| brief.last) {
        return Ok(brief.machine_id.clone());
    }
    let newest = context.store.last_runs_of(name, "", None, 1)?;
    Ok(newest.first().and_then(|run| run.machine_id.clone()).unwrap_or_default())
}

fn is_meant(series: &Series, library: &str, text: &str) -> bool {
    let Series { workload, library: own, backend, spelling, .. } = series;
    (library.is_empty() || *own == lane(library))
        && words::are_in(text, &[workload.operation.name(), own, backend, spelling])
}

fn fields<'a>(
    context: &Context<'a>,
    machine: &'a str,
    all: &'a [Series],
) -> Result<Vec<Field<'a>>, Refusal> {
    let asked = context.asked;
    let (library, text) = (asked.text("library"), asked.text("text"));
    Ok(vec![
        machine_field(context, machine, false)?,
        library_field(all, library),
        Field::Text { name: "text", label: "Text", value: text, hint: "hash, avx2 …" },
        Field::Choice {
            name: "scale",
            label: "Chart",
            value: asked.choice("scale", &SCALES)?,
            of: SCALES.map(|it| (it.to_owned(), it.to_owned())).into(),
        },
        Field::Text { name: "runs", label: "Runs", value: asked.text("runs"), hint: "200" },
    ])
}

fn stretches<'a>(
    context: &Context<'_>,
    timeline: &'a Timeline,
    series: &'a [Series],
) -> Result<Vec<HistorySegment<'a>>, Refusal> {
    let numbers = || timeline.runs().iter().map(|run| run.number);
    let (Some(first), Some(last)) = (numbers().min(), numbers().max()) else {
        return Ok(Vec::new());
    };
    let mut stretches = Vec::new();
    for series in series {
        let readings = context.store.history_within(series, first..=last)?;
        stretches.extend(timeline.stretches(series, readings));
    }
    Ok(stretches)
}

/// Groups segments whose figures fit in one chart.
fn groups<'a, 'b>(stretches: &'b [HistorySegment<'a>]) -> Vec<Vec<&'b HistorySegment<'a>>> {
    let mut groups = group_by(stretches, |stretch| {
        let Series { workload, setup, lengths, unit, .. } = &stretch.series;
        (workload, setup, lengths, unit)
    });
    // The group with the most figures comes first.
    let readings =
        |group: &[&HistorySegment<'_>]| group.iter().map(|it| it.entries.len()).sum::<usize>();
    groups.sort_by_key(|group| std::cmp::Reverse(readings(group)));
    groups
}

fn section(group: &[&HistorySegment<'_>], machine: &str, scale: Scale, told: &mut Told) -> Html {
    let series = &group[0].series;
    let title = words::workload(series);
    let lines = Lines::of(group, machine, scale);
    let identifier = format!("group-{}", told.sections);
    told.sections += 1;
    html!(
        "<section class=\"card\" aria-labelledby=\"" (&identifier) "\">\n<div class=\"heading\"><h2 id=\""
        (&identifier) "\">" (title) "</h2><span>" (unit(&series.unit, scale)) "</span></div>\n"
        (lines.shown(&identifier, &format!("{} {}", series.workload.primitive, words::workload(series)), told))
        "</section>\n"
    )
}

/// Spells out a unit: `cycles per byte`.
fn unit(unit: &str, scale: Scale) -> String {
    match unit {
        _ if scale == Scale::Change => "change since the first, %".to_owned(),
        "c/B" => "cycles per byte".to_owned(),
        "c/call" => "cycles per call".to_owned(),
        other => other.to_owned(),
    }
}

fn lede(context: &Context<'_>, timeline: &Timeline, machine: &str) -> Result<Html, Refusal> {
    let machines = context.machines()?;
    let known = machines.iter().find(|(it, _)| it.id == machine);
    let about =
        known.map_or_else(|| "a machine that is not known".to_owned(), |it| words::about(&it.0));
    let [first, last] = [timeline.runs().first(), timeline.runs().last()];
    let Some((first, last)) = first.zip(last) else {
        return Ok(html!("On " (about) " nothing of it was measured."));
    };
    Ok(html!(
        (words::counted(timeline.runs().len(), "run")) " on " (about) " " (words::machine(machine))
        ", " (words::day(first.started)) " to " (words::day(last.started))
    ))
}

/// Returns links to the runs before those shown, and back to the latest.
fn earlier(context: &Context<'_>, timeline: &Timeline) -> Option<Html> {
    let asked = context.asked;
    let limit = asked.number("runs", [3, MOST_RUNS], RUNS).unwrap_or(RUNS);
    let first = timeline.runs().first().filter(|_| timeline.runs().len() as i64 >= limit);
    let path = format!("/primitive/{}", crate::page_request::encoded(&asked.name));
    let before = first.map(|run| {
        let address = asked.with(&path, ("until", &run.number.to_string()));
        html!("<a rel=\"prev\" href=\"" (address) "\">Earlier runs</a>")
    });
    let latest = (!asked.text("until").is_empty()).then(|| {
        let address = asked.with(&path, ("until", ""));
        html!("<a rel=\"next\" href=\"" (address) "\">Latest runs</a>")
    });
    if before.is_none() && latest.is_none() {
        return None;
    }
    Some(html!("<nav class=\"parts\" aria-label=\"Other runs\">" (before) " " (latest) "</nav>\n"))
}
