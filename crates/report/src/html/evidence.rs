//! Describes the machine, and whether its figures can be trusted.

use super::section::section;
use super::trust::trust;
use super::window;
use crate::chart::escaped;
use crate::number::{gigahertz, grouped, significant};
use crate::{Libraries, Section, Source, date, number, paths, resources};
use cpb_model::{ClockSummary, CycleSource, Run};

/// Returns the summaries of all runs as HTML.
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
                summary(place, source.run)
            )
        })
        .collect()
}

/// Describes the machine in one line.
pub(super) fn machine(run: &Run) -> String {
    run.host.cpu.clone().unwrap_or_else(|| run.host.architecture.clone())
}

fn summary(place: usize, run: &Run) -> String {
    let trust = trust(run);
    let sentence = format!(
        "<p class=\"verdict {}\"><strong>{}</strong>: {}.</p>",
        trust.level.name(),
        escaped(&trust.verdict),
        escaped(&trust.reasons.join("; "))
    );
    let warnings = match run.warnings.len() {
        0 => String::new(),
        1 => "1 warning, ".to_owned(),
        more => format!("{more} warnings, "),
    };
    format!(
        "{sentence}<details class=\"evidence\"><summary>{warnings}machine, method, libraries</summary>\
         {}{}{}{}</details>{}",
        self::warnings(run),
        particulars(run),
        run.clock.as_ref().map(|clock| window::picture(clock, place)).unwrap_or_default(),
        libraries(run),
        paths(run)
    )
}

/// Lists the code that traced calls ran.
fn paths(run: &Run) -> String {
    let libraries = Libraries::of(run);
    let found = [paths::section(run, &libraries, true), resources::section(run, &libraries)];
    let page = found.into_iter().flatten().map(|found| {
        let caption = found.heading.clone();
        let table = section(&Section { heading: String::new(), ..found }, &caption);
        format!("<details class=\"evidence\"><summary>{caption}</summary>{table}</details>")
    });
    page.collect()
}

fn warnings(run: &Run) -> String {
    if run.warnings.is_empty() {
        return String::new();
    }
    let items: String =
        run.warnings.iter().map(|warning| format!("<li>{}</li>", escaped(warning))).collect();
    format!("<h3>Warnings</h3><ul class=\"warnings\">{items}</ul>")
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
        "<h3>Libraries</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Libraries\"><table><thead><tr><th scope=\"col\">library</th>\
         <th scope=\"col\">version</th><th scope=\"col\">file</th><th scope=\"col\">code path</th>\
         </tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

/// Lists all other facts about the machine and the run.
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
        let (low, high) = clock.core_hertz_range;
        let range = format!("{:.3} to {:.3}", low / 1e9, high / 1e9);
        facts.push(("Core clock", Some(format!("{} ({range})", gigahertz(clock.core_hertz)))));
        facts.push(("Counter", Some(clock.name.clone())));
        facts.push(("Core cycles", cycle_source(clock)));
        let (kept, dropped) = (grouped(clock.samples), grouped(clock.rejected));
        facts.push(("Samples", Some(format!("{kept} taken, {dropped} dropped"))));
        facts.push(("Quiet core", clock.quiet.map(number::quiet)));
        facts.push((
            "Instructions, misses",
            clock.no_events.as_ref().map(|reason| format!("not counted: {reason}")),
        ));
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
        "<h3>Machine and method</h3><dl class=\"facts\">{rows}<div class=\"wide\">\
         <dt>Command</dt><dd><code>{}</code></dd></div></dl>",
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
        assert!(html.contains("The row can be trusted") && html.contains("1 row failed"), "{html}");
        assert!(html.contains("±1.0 %"), "{html}");
    }
}
