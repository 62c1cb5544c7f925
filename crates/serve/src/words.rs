//! Names objects the same way on every page, with links to their pages.

use crate::markup::{Html, html};
use crate::page_request::{address, encoded};
use crate::survey::Findings;
use cpb_history::command_line;
use cpb_report::date;
use cpb_report::number::grouped;
use cpb_store::{Machine, Mark, RunEntry, Series};

/// The number of digits of a machine's name that distinguish it from others.
const SHORT: usize = 6;

/// Makes a link.
pub(crate) fn link(address: &str, words: &str) -> Html {
    html!("<a href=\"" (address) "\">" (words) "</a>")
}

/// Makes a run's number, with a link to its page.
pub(crate) fn run(number: i64) -> Html {
    link(&format!("/run/{number}"), &number.to_string())
}

/// Makes a machine's name, with a link to its page.
pub(crate) fn machine(id: &str) -> Html {
    if id.is_empty() {
        return html!("unknown");
    }
    let short: String = id.chars().take(SHORT).collect();
    let address = format!("/machine/{}", encoded(id));
    html!("<a href=\"" (address) "\"><code>" (short) "</code></a>")
}

/// Makes a CPU's name, with that of the machine.
pub(crate) fn machine_with_cpu(cpu: &str, id: &str) -> Html {
    let name = cpu.split(" · ").next().unwrap_or_default();
    html!((name) " " (machine(id)))
}

/// Makes a link to the list of all changes; `None` if there are none.
pub(crate) fn all_changes(count: usize, address: &str) -> Option<Html> {
    let words = || format!("All of {}", counted(count, "change"));
    (count != 0).then(|| html!("<p class=\"more\">" (link(address, &words())) "</p>\n"))
}

/// Describes a machine: `AMD EPYC, virtual machine (KVM)`.
pub(crate) fn about(machine: &Machine) -> String {
    let name = machine.cpu.clone().unwrap_or_else(|| machine.architecture.clone());
    match &machine.hypervisor {
        Some(hypervisor) => format!("{name}, virtual machine ({hypervisor})"),
        None => name,
    }
}

/// Makes a primitive's name, with a link to its page.
pub(crate) fn primitive(name: &str, machine: &str) -> Html {
    link(&primitive_address(name, &[("machine", machine)]), name)
}

pub(crate) fn primitive_address(name: &str, parameters: &[(&str, &str)]) -> String {
    address(&format!("/primitive/{}", encoded(name)), parameters)
}

/// Makes a library's name, with a link to its page.
pub(crate) fn library(label: &str) -> Html {
    link(&format!("/library/{}", encoded(label)), label)
}

/// Describes an implementation: `openssl avx2`.
pub(crate) fn implementation(library: &str, backend: &str) -> String {
    match backend {
        "default" | "" => library.to_owned(),
        backend => format!("{library} {backend}"),
    }
}

/// Describes operation, contract and lengths: `hash, 1024 to 16384 B`.
pub(crate) fn workload(series: &Series) -> String {
    format!("{}, {}", series.workload.operation.name(), series.describe())
}

/// Formats a time on one line: `2026-11-21 22:10`; on phones only the day.
pub(crate) fn minute(seconds: i64) -> Html {
    let text = date::to_the_minute(seconds);
    let (day, minute) = text.split_once(' ').unwrap_or((&text, ""));
    html!("<time>" (day) "<span class=\"rare\"> " (minute) "</span></time>")
}

pub(crate) fn day(seconds: i64) -> Html {
    let minute = date::to_the_minute(seconds);
    let day = minute.split(' ').next().unwrap_or_default();
    html!("<time>" (day) "</time>")
}

/// Formats a change, which is positive if it became slower: `+4.21 %`.
pub(crate) fn change(relative: f64) -> Html {
    let words = format!("{:+.2} %", relative * 100.0).replace('-', "−");
    let (look, what) = if relative < 0.0 { ("good", "faster") } else { ("bad", "slower") };
    html!(
        "<span class=\"" (look) " strong\">" (words) " <span class=\"unseen\">" (what) "</span></span>"
    )
}

/// Makes a change, with a link to the comparison of the runs before and after it.
pub(crate) fn compared(relative: f64, before: i64, after: i64) -> Html {
    let address = format!("/compare?a={before}&b={after}");
    html!(
        "<a class=\"bare\" href=\"" (address) "\" title=\"Compare both runs\">"
        (change(relative)) "</a>"
    )
}

/// Whether every word of `text` is in one of `parts`, in any case.
pub(crate) fn are_in(text: &str, parts: &[&str]) -> bool {
    let all = parts.join(" ").to_lowercase();
    text.to_lowercase().split_whitespace().all(|word| all.contains(word))
}

/// Formats a number: `12 345`.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    number.try_into().map_or_else(|_| "?".to_owned(), grouped)
}

/// Formats a number of things: `1 run`, `12 345 runs`.
pub(crate) fn counted(number: impl TryInto<u64> + Copy, what: &str) -> String {
    let plural = match number.try_into() {
        Ok(1) => what.to_owned(),
        _ => match what.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{what}s"),
        },
    };
    format!("{} {plural}", count(number))
}

/// Returns a run's label, or else its command.
pub(crate) fn called(run: &RunEntry) -> Html {
    let command = command_line(&run.command);
    match &run.label {
        Some(label) => html!("<b>" (label) "</b> <span class=\"faint\">" (command) "</span>"),
        None => html!("<span class=\"faint\">" (command) "</span>"),
    }
}

/// Says that the survey is not complete, if that is so.
pub(crate) fn progress(findings: &Findings, mark: &Mark) -> Option<Html> {
    if !findings.are_behind(mark) {
        return None;
    }
    let (done, all) = findings.progress;
    let words = match &findings.mark {
        Some(_) => "New runs are being read; reload to see what they changed.".to_owned(),
        None if all == 0 => "The store is being read; reload for changes.".to_owned(),
        None => format!(
            "The store is being read: {} of {}. Reload for more.",
            count(done),
            counted(all, "series").replace("seriess", "series")
        ),
    };
    Some(html!("<p class=\"verdict caution\" role=\"status\">" (words) "</p>\n"))
}

/// Makes a list of what a reader must know of figures, if there is something.
pub(crate) fn warnings(all: &[String]) -> Option<Html> {
    let all: Html = all.iter().map(|warning| html!("<li>" (warning) "</li>")).collect();
    (!all.is_empty()).then(|| html!("<ul class=\"warnings\">" (all) "</ul>\n"))
}

/// Makes the first letter of `text` a capital.
pub(crate) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|it| it.to_uppercase().to_string()).unwrap_or_default();
    first + characters.as_str()
}
