//! The machine, and what speaks for and against its figures.

use super::Source;
use crate::chart::escaped;
use crate::number::{gigahertz, grouped, percent, significant};
use crate::{date, number};
use cpb_figures::stands_for;
use cpb_model::{ClockSummary, CycleSource, Record, Run, Verification};

/// The summaries of all runs, as HTML.
pub(super) fn summaries(sources: &[Source]) -> String {
    let heading = |place: usize, name: &str| match sources.len() {
        0 | 1 => String::new(),
        _ => format!("<h3>Run {}: {}</h3>", place + 1, escaped(name)),
    };
    sources
        .iter()
        .enumerate()
        .map(|(place, source)| {
            format!(
                "<div class=\"run\">{}{}</div>\n",
                heading(place, source.name),
                summary(source.run)
            )
        })
        .collect()
}

/// The machine in one line.
pub(super) fn machine(run: &Run) -> String {
    run.host.cpu.clone().unwrap_or_else(|| run.host.architecture.clone())
}

fn summary(run: &Run) -> String {
    format!("{}{}{}{}", tiles(run), warnings(run), libraries(run), particulars(run))
}

/// The few figures that decide whether to believe the rest.
fn tiles(run: &Run) -> String {
    let mut tiles = String::new();
    let mut tile = |term: &str, value: &str, note: &str| {
        tiles.push_str(&format!(
            "<div><dt>{term}</dt><dd>{}<small>{}</small></dd></div>",
            escaped(value),
            escaped(note)
        ));
    };
    match &run.clock {
        None => tile("Core clock", "unknown", "no clock could be calibrated"),
        Some(clock) => {
            let (low, high) = clock.core_hertz_range;
            let drift = (high - low) / clock.core_hertz;
            let note = format!("{:.3} to {:.3}, {} apart", low / 1e9, high / 1e9, percent(drift));
            tile("Core clock", &gigahertz(clock.core_hertz), &note);
            let dropped = clock.rejected;
            let taken = (clock.samples + dropped).max(1) as f64;
            let value =
                if dropped == 0 { "none".to_owned() } else { percent(dropped as f64 / taken) };
            tile("Samples dropped", &value, &format!("{} kept", grouped(clock.samples)));
        }
    }
    let measured: Vec<&Record> = run.records.iter().filter(|row| row.failure.is_none()).collect();
    let mut widths: Vec<f64> =
        measured.iter().filter_map(|row| stands_for(row)?.1.relative_half_width()).collect();
    widths.sort_by(f64::total_cmp);
    let asked = measured.iter().filter(|row| row.precise.is_some()).count();
    let reached = measured.iter().filter(|row| row.precise == Some(true)).count();
    let note = match asked {
        0 => "half-width of the 95 % interval".to_owned(),
        _ => format!("{reached} of {asked} rows as precise as asked"),
    };
    let middle = widths.get(widths.len() / 2);
    tile(
        "Median interval",
        &middle.map_or_else(|| "–".to_owned(), |w| format!("±{}", percent(*w))),
        &note,
    );
    let verified = measured
        .iter()
        .filter(|row| !matches!(row.verification, None | Some(Verification::Unverified { .. })))
        .count();
    let failed = run.records.len() - measured.len();
    let note = match failed {
        0 => "none failed".to_owned(),
        _ => format!("{failed} failed, each with its reason below"),
    };
    tile("Results verified", &format!("{verified} of {}", measured.len()), &note);
    format!("<dl class=\"tiles\">{tiles}</dl>")
}

fn warnings(run: &Run) -> String {
    if run.warnings.is_empty() {
        return "<p class=\"calm\">No warnings.</p>".to_owned();
    }
    let items: String =
        run.warnings.iter().map(|warning| format!("<li>{}</li>", escaped(warning))).collect();
    let many = if run.warnings.len() == 1 { "Warning" } else { "Warnings" };
    format!("<div class=\"warnings\"><h4>{many}</h4><ul>{items}</ul></div>")
}

fn libraries(run: &Run) -> String {
    if run.libraries.is_empty() {
        return String::new();
    }
    let rows: String = run
        .libraries
        .iter()
        .map(|library| {
            let path = library.path.as_deref().unwrap_or("part of cpb");
            let code_path = library.code_path.as_deref().unwrap_or("–");
            let cell = |text: &str| format!("<td class=\"path\">{}</td>", escaped(text));
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td>{}{}</tr>",
                escaped(&library.label),
                escaped(&library.version),
                cell(path),
                cell(code_path)
            )
        })
        .collect();
    format!(
        "<details><summary>Libraries <span>{}</span></summary><div class=\"scroll\" tabindex=\"0\" \
         role=\"region\" aria-label=\"Libraries\"><table><thead><tr><th scope=\"col\">library</th>\
         <th scope=\"col\">version</th><th scope=\"col\">file</th><th scope=\"col\">code path</th>\
         </tr></thead><tbody>{rows}</tbody></table></div></details>",
        run.libraries.len()
    )
}

/// Everything else that is known of the machine and the run.
fn particulars(run: &Run) -> String {
    let host = &run.host;
    let mut facts: Vec<(&str, Option<String>)> = vec![
        ("CPU", host.cpu.clone()),
        ("Model", host.cpu_id.clone()),
        ("Architecture", Some(host.architecture.clone()).filter(|name| !name.is_empty())),
        ("Extensions used", Some(host.features.join(" ")).filter(|names| !names.is_empty())),
        ("Hypervisor", host.hypervisor.clone()),
        ("Stolen time", run.steal.map(|steal| stolen(steal.share))),
        ("System", host.system.clone()),
        ("Kernel", host.kernel.clone()),
        ("Turbo", host.turbo.map(on)),
        ("Hardware threads", host.smt.map(on)),
        ("Measured on", Some(run.cpu.map_or("not pinned".to_owned(), |cpu| format!("CPU {cpu}")))),
        ("Load at the start", host.load.map(|load| significant(load, 3))),
    ];
    if let Some(clock) = &run.clock {
        facts.push(("Counter", Some(clock.name.clone())));
        facts.push(("Core cycles", cycle_source(clock)));
        facts.push(("Brackets disagreed", Some(format!("{} samples", grouped(clock.rejected)))));
        facts.push(("Quiet core", clock.quiet.map(number::quiet)));
        facts.push((
            "Workers",
            Some(format!("{} processes", clock.workers.max(clock.calibrations.len() as u64))),
        ));
    }
    let revision = run.revision.as_ref().map(|revision| format!(", {revision}"));
    facts.push(("cpb", Some(format!("{}{}", run.version, revision.unwrap_or_default()))));
    facts.push(("Started", Some(date::utc(run.started))));
    facts.push(("Took", Some(format!("{:.1} s", run.seconds))));
    let rows: String = facts
        .into_iter()
        .filter_map(|(term, value)| Some((term, value?)))
        .map(|(term, value)| format!("<div><dt>{term}</dt><dd>{}</dd></div>", escaped(&value)))
        .collect();
    format!(
        "<details><summary>Machine and method</summary><dl class=\"facts\">{rows}<div class=\"wide\">\
         <dt>Command</dt><dd><code>{}</code></dd></div></dl></details>",
        escaped(&run.command.join(" "))
    )
}

fn stolen(share: f64) -> String {
    if share == 0.0 { "none".to_owned() } else { number::percent(share) }
}

fn on(is_on: bool) -> String {
    if is_on { "on" } else { "off" }.to_owned()
}

fn cycle_source(clock: &ClockSummary) -> Option<String> {
    Some(match clock.calibrations.first()?.cycle_source {
        CycleSource::Counted => "counted by the processor".to_owned(),
        CycleSource::Chain => {
            "from a chain of known cycles before and after every sample".to_owned()
        }
        CycleSource::StatedClock { megahertz } => {
            format!("time at a stated clock of {megahertz} MHz, not measured")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{failed, record, run};

    #[test]
    fn all_that_a_user_named_is_escaped() {
        let mut run = run(vec![record("sha256", "a", 5.0), failed("sha256", "b", "SIGILL")]);
        run.warnings = vec!["<b>noise</b>".to_owned()];
        run.command = vec!["cpb".to_owned(), "--library=<i>\"&".to_owned()];
        run.host.cpu = Some("<u>".to_owned());
        let source = Source { name: "<s>", run: &run };
        let html = summaries(&[source, source]);
        for tag in ["<b>", "<i>", "<u>", "<s>"] {
            assert!(!html.contains(tag), "{tag}");
            assert!(html.contains(&escaped(tag)), "{tag}");
        }
        assert!(html.contains("1 of 1") && html.contains("1 failed"), "{html}");
        assert!(html.contains("±1.0 %"), "{html}");
    }
}
