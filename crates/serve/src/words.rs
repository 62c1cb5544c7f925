//! What things are called on every page, and where their names lead.

use crate::markup::{Html, html};
use crate::page_request::{address, encoded};
use crate::survey::Findings;
use cpb_report::date;
use cpb_report::number::grouped;
use cpb_store::{Machine, Mark, RunEntry, Series};

/// Digits of a machine's name that tell it from others.
const SHORT: usize = 6;

/// A link.
pub(crate) fn link(address: &str, words: &str) -> Html {
    html!("<a href=\"" (address) "\">" (words) "</a>")
}

/// A run's number, which leads to its page.
pub(crate) fn run(number: i64) -> Html {
    link(&format!("/run/{number}"), &number.to_string())
}

/// A machine's name, which leads to its page.
pub(crate) fn machine(id: &str) -> Html {
    if id.is_empty() {
        return html!("unknown");
    }
    let short: String = id.chars().take(SHORT).collect();
    let address = format!("/machine/{}", encoded(id));
    html!("<a href=\"" (address) "\"><code>" (short) "</code></a>")
}

/// A CPU's name and the machine's.
pub(crate) fn machine_with_cpu(cpu: &str, id: &str) -> Html {
    let name = cpu.split(" · ").next().unwrap_or_default();
    html!((name) " " (machine(id)))
}

/// Where all of so many changes are; nothing where there are none.
pub(crate) fn all_changes(count: usize, address: &str) -> Option<Html> {
    let words = || format!("All of {}", counted(count, "change"));
    (count != 0).then(|| html!("<p class=\"more\">" (link(address, &words())) "</p>\n"))
}

/// `AMD EPYC, virtual machine (KVM)`.
pub(crate) fn about(machine: &Machine) -> String {
    let name = machine.cpu.clone().unwrap_or_else(|| machine.architecture.clone());
    match &machine.hypervisor {
        Some(hypervisor) => format!("{name}, virtual machine ({hypervisor})"),
        None => name,
    }
}

/// A primitive, which leads to its page.
pub(crate) fn primitive(name: &str, machine: &str) -> Html {
    link(&primitive_address(name, &[("machine", machine)]), name)
}

pub(crate) fn primitive_address(name: &str, parameters: &[(&str, &str)]) -> String {
    address(&format!("/primitive/{}", encoded(name)), parameters)
}

/// A library, which leads to its page.
pub(crate) fn library(label: &str) -> Html {
    link(&format!("/library/{}", encoded(label)), label)
}

/// `openssl avx2`.
pub(crate) fn implementation(series: &Series) -> String {
    match series.backend.as_str() {
        "default" | "" => series.library.clone(),
        backend => format!("{} {backend}", series.library),
    }
}

/// What is done, by which contract, and of which lengths: `hash, 1024 to 16384 B`.
pub(crate) fn workload(series: &Series) -> String {
    format!("{}, {}", series.workload.operation.name(), series.describe())
}

/// `2026-11-21 22:10`, on one line; on phones the day alone.
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

/// A change, above 0 where it became slower: `+4.21 %`.
pub(crate) fn change(relative: f64) -> Html {
    let words = format!("{:+.2} %", relative * 100.0).replace('-', "−");
    let what = if relative < 0.0 { "faster" } else { "slower" };
    if relative < 0.0 {
        html!("<span class=\"good strong\">" (words) " <span class=\"unseen\">" (what) "</span></span>")
    } else {
        html!("<span class=\"bad strong\">" (words) " <span class=\"unseen\">" (what) "</span></span>")
    }
}

/// `12 345`.
pub(crate) fn count(number: impl TryInto<u64>) -> String {
    number.try_into().map_or_else(|_| "?".to_owned(), grouped)
}

/// `1 run`, `12 345 runs`.
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

/// A run's label, or else what was called.
pub(crate) fn called(run: &RunEntry) -> Html {
    let command = command(&run.command);
    match &run.label {
        Some(label) => html!("<b>" (label) "</b> <span class=\"faint\">" (command) "</span>"),
        None => html!("<span class=\"faint\">" (command) "</span>"),
    }
}

/// The command line, by the program's name instead of its path.
pub(crate) fn command(words: &[String]) -> String {
    let Some((program, rest)) = words.split_first() else { return String::new() };
    let name = program.rsplit('/').next().unwrap_or(program);
    [name].into_iter().chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// That there is more to find, where there is.
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

/// `text` as a sentence begins.
pub(crate) fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|it| it.to_uppercase().to_string()).unwrap_or_default();
    first + characters.as_str()
}
