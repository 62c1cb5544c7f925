//! Reports whether neighbours share the cores, the evidence for it, and whether that holds here.

use super::check::Check;
use super::findings::{Finding, Status};
use crate::warning::REMEDY_AGAINST_NEIGHBOURS;
use cpb_engine::QuietMemory;
use cpb_model::{Certainty, CoreProfile, Host, Quiet, Reason};

/// The accepted differences between two processes: in rates of units, and in the window, whose
/// sizes are a tenth apart.
const LINES_AGREE: f64 = 0.01;
const WINDOWS_AGREE: f64 = 0.11;
/// With a smaller share of quiet time, measuring takes much longer.
const SELDOM_QUIET: f64 = 0.2;

/// Reports whether neighbours share the cores, with the evidence.
pub(super) fn findings(quiet: Option<Quiet>, memory: &QuietMemory) -> Vec<Finding> {
    let Some(quiet) = quiet else { return Vec::new() };
    let reason = quiet.reason.map_or("assumed, as CPB_ASSUME_QUIET asks", Reason::describe);
    let share = format!("{:.1} % of the time", quiet.share * 100.0);
    let (status, text) = match quiet.certainty {
        _ if quiet.is_never() => {
            (Status::Bad, format!("never: {reason}; all figures would be upper bounds"))
        }
        Some(Certainty::Unknown) => (Status::Note, format!("{share}, not proven: {reason}")),
        Some(Certainty::Likely) => (Status::Good, format!("{share}, likely: {reason}")),
        _ if quiet.share < SELDOM_QUIET => (Status::Note, format!("{share}, waited for: {reason}")),
        _ => (Status::Good, format!("{share}: {reason}")),
    };
    let finding = Finding::new("quiet core", status, text);
    let finding = match status {
        Status::Good => finding,
        _ => finding.remedy(REMEDY_AGAINST_NEIGHBOURS),
    };
    let gate = quiet.cycles_per_operation.map(|cycles| {
        let text = format!("{cycles:.4} cycles an instruction of {} when quiet", quiet.gate_loop);
        Finding::good("probe", text)
    });
    let core = quiet.core.map(|core| Finding::good("core", profile(&core)));
    let remembered = memory.file().filter(|_| memory.remembers()).map(|file| {
        let text = format!("remembered in {}", file.display());
        Finding::good("what quiet is", text)
    });
    [Some(finding), core, gate, remembered].into_iter().flatten().collect()
}

/// Reports whether the decision about quiet holds here. Undecided checks are mentioned; only a
/// contradiction is bad.
pub(super) fn check(host: &Host, first: Quiet, check: &Check) -> Vec<Finding> {
    vec![
        two_processes(first, check.second),
        shares(check.shares),
        own_load(host, first, check.other),
    ]
}

fn undecided(topic: &str, why: &str) -> Finding {
    Finding::note(topic, format!("could not be decided: {why}"))
}

fn two_processes(first: Quiet, second: Option<Quiet>) -> Finding {
    const TOPIC: &str = "two processes";
    let is_sure = |quiet: &Quiet| quiet.certainty >= Some(Certainty::Likely);
    let core = |quiet: Quiet| Some(quiet).filter(is_sure).and_then(|quiet| quiet.core);
    let Some((one, other)) = core(first).zip(second.and_then(core)) else {
        return undecided(TOPIC, "quiet was not likely in both");
    };
    let rates = |core: CoreProfile| [core.integers, core.multiplies, core.vectors];
    let off = |(one, other): (f64, f64)| (one / other - 1.0).abs();
    let apart = rates(one).into_iter().zip(rates(other)).map(off).fold(0.0, f64::max);
    let (percent, [first, second]) = (apart * 100.0, [one, other].map(|core| core.window));
    let text = format!("units {percent:.2} % apart or less, windows {first} and {second}");
    let windows = off((first.into(), second.into()));
    match apart <= LINES_AGREE && windows <= WINDOWS_AGREE {
        true => Finding::good(TOPIC, format!("agree: {text}")),
        false => Finding::bad(TOPIC, format!("disagree: {text}")),
    }
}

fn shares(shares: Option<[f64; 2]>) -> Finding {
    const TOPIC: &str = "independent probe";
    let Some([gate, independent]) = shares else {
        return undecided(TOPIC, "the rate of integer instructions was never the same for long");
    };
    let text = format!(
        "quiet {:.1} % of the time by the gate, {:.1} % by the rate of integer instructions",
        gate * 100.0,
        independent * 100.0
    );
    let (less, more) = (gate.min(independent), gate.max(independent));
    if more < SELDOM_QUIET {
        return undecided(TOPIC, &text);
    }
    let (status, word) = match 2.0 * less >= more {
        true => (Status::Good, "agrees"),
        false => (Status::Bad, "contradicts"),
    };
    Finding::new(TOPIC, status, format!("{word}: {text}"))
}

fn own_load(host: &Host, quiet: Quiet, other: Option<(usize, bool)>) -> Finding {
    const TOPIC: &str = "own load";
    let Some((other, slows)) = other else {
        return undecided(TOPIC, "there is no second CPU to put it on");
    };
    let is_sibling = host.hypervisor.is_none()
        && host.cores.iter().any(|core| core.siblings.len() > 1 && core.siblings.contains(&other));
    match (slows, is_sibling) {
        _ if quiet.share < SELDOM_QUIET => undecided(TOPIC, "the core was seldom quiet without it"),
        (true, _) => Finding::good(
            TOPIC,
            format!("on CPU {other} is seen: now it is the core's other thread"),
        ),
        (false, true) => Finding::bad(
            TOPIC,
            format!("is not seen, though the kernel says that CPU {other} shares the core"),
        ),
        (false, false) => {
            Finding::good(TOPIC, format!("on CPU {other} is not felt, as on another core"))
        }
    }
}

/// Describes the core's capabilities.
fn profile(core: &CoreProfile) -> String {
    let mut text = match core.window {
        0 => "no window could be read".to_owned(),
        window => format!(
            "window {window} instructions (integer registers {}, vector registers {})",
            core.integer_window, core.vector_window
        ),
    };
    if let Some(divided) = core.divided_window {
        text += &format!(", beside a neighbour {divided}");
    }
    let CoreProfile { integers, multiplies, vectors, .. } = core;
    text + &format!(
        "; a cycle: {integers:.2} integer, {multiplies:.2} multiply, {vectors:.2} vector"
    )
}
