//! Finds what this machine can and cannot measure, with remedies. Never changes the system.

use crate::warning::{NOTABLE_SELF_TEST, NOTABLE_STEAL};
use cpb_clock::counter::SOURCES;
use cpb_engine::{Expected, Noise, expected};
use cpb_model::{Calibration, Core, CycleSource, Figure, Host, Quiet, Record, Steal};
use serde::Serialize;

/// Names how a finding is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    /// As it should be.
    Good,
    /// Worth knowing, but figures are reliable.
    Note,
    /// Figures are affected.
    Bad,
}

/// A finding, with its remedy if there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// The topic, such as `counter amd64-pmc`.
    pub(crate) topic: String,
    pub(crate) status: Status,
    pub(crate) finding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remedy: Option<String>,
}

impl Finding {
    pub(super) fn new(
        topic: impl Into<String>,
        status: Status,
        finding: impl Into<String>,
    ) -> Self {
        Self { topic: topic.into(), status, finding: finding.into(), remedy: None }
    }

    pub(super) fn good(topic: impl Into<String>, finding: impl Into<String>) -> Self {
        Self::new(topic, Status::Good, finding)
    }

    pub(super) fn note(topic: impl Into<String>, finding: impl Into<String>) -> Self {
        Self::new(topic, Status::Note, finding)
    }

    pub(super) fn bad(topic: impl Into<String>, finding: impl Into<String>) -> Self {
        Self::new(topic, Status::Bad, finding)
    }

    pub(super) fn remedy(mut self, remedy: &str) -> Self {
        self.remedy = Some(remedy.to_owned());
        self
    }
}

/// Reports every counter, with the reason why it cannot be used.
pub(super) fn counters(chosen: Option<&str>) -> Vec<Finding> {
    SOURCES
        .iter()
        .map(|source| {
            let topic = format!("counter {}", source.name);
            match source.open() {
                Ok(_) if chosen == Some(source.name) => {
                    Finding::good(topic, format!("used: {}", source.about))
                }
                Ok(_) => Finding::good(topic, format!("works: {}", source.about)),
                // The texts have the form "reason; remedy".
                Err(reason) => match reason.to_string().split_once("; ") {
                    Some((reason, remedy)) => Finding::note(topic, reason).remedy(remedy),
                    None => Finding::note(topic, reason.to_string()),
                },
            }
        })
        .collect()
}

/// Reports the calibration.
pub(super) fn calibration(calibration: &Calibration) -> Vec<Finding> {
    let nanoseconds = 1e9 / calibration.ticks_per_second;
    let step = calibration.step_ticks as f64 * nanoseconds;
    let nothing = calibration.overhead_ticks * nanoseconds;
    let text = format!("steps of {step:.1} ns, {nothing:.0} ns to time nothing (subtracted)");
    let precision = Finding::good("counter precision", text);
    let ratio = calibration.chain_ratio;
    let chains = match calibration.multiply_latency {
        Some(latency) => {
            let off = (ratio / f64::from(latency) - 1.0).abs();
            let text = format!(
                "a multiply takes {ratio:.4} one-cycle instructions, {:.2} % from {latency}",
                off * 100.0
            );
            if off < 0.005 {
                Finding::good("chain cross-check", text)
            } else {
                Finding::note("chain cross-check", text)
                    .remedy("stop what else runs on this core, on its other hardware thread too")
            }
        }
        None => Finding::bad(
            "chain cross-check",
            format!("a multiply takes {ratio:.4} one-cycle instructions, which is no whole number"),
        )
        .remedy("state the clock with --cpu-mhz"),
    };
    let counter = &calibration.counter;
    let source = match calibration.cycle_source {
        CycleSource::Counted => "counted by the core itself".to_owned(),
        CycleSource::Chain => {
            format!("time by {counter}, turned into core cycles by chains around every sample")
        }
        CycleSource::StatedClock { megahertz } => {
            format!("time by {counter}, times the stated {megahertz} MHz")
        }
    };
    vec![Finding::good("cycles", source), precision, chains]
}

/// Reports how far measured cycles are from those that must hold, and the rates of the core's
/// units.
pub(super) fn self_test(
    records: &[Record],
    calibration: &Calibration,
    quiet: Option<Quiet>,
) -> Vec<Finding> {
    let finding = |record: &Record| {
        let name = record.subject.primitive.as_str();
        let topic = format!("self-test {name}");
        let slope = record.line.as_ref().map(|line| line.cycles_per_byte);
        let latency = calibration.multiply_latency;
        match (&record.failure, slope) {
            (Some(failure), _) => Finding::bad(topic, failure.reason.clone()),
            (None, None) => Finding::bad(topic, "not measured"),
            (None, Some(Figure { estimate, upper_bound: true, .. })) => {
                let why = "since the core was not quiet for long enough";
                Finding::note(topic, format!("not known: at most {estimate:.4} cycles, {why}"))
            }
            (None, Some(slope)) => {
                judged(topic, slope, expected(name, slope.estimate, latency, quiet))
            }
        }
    };
    records.iter().map(finding).collect()
}

/// Judges one self-test against the expected value, if known.
fn judged(topic: String, measured: Figure, expected: Expected) -> Finding {
    let Figure { estimate, .. } = measured;
    let (right, text, is_bound) = match expected {
        Expected::NotKnown => {
            let rate = 1.0 / estimate;
            let text = format!("{estimate:.4} cycles ({rate:.2} a cycle): not known on this CPU");
            return Finding::good(topic, text);
        }
        Expected::Exactly(right) if right.fract() == 0.0 => (right, format!("{right}"), false),
        Expected::Exactly(right) => {
            (right, format!("{right:.4} ({:.2} a cycle)", 1.0 / right), false)
        }
        Expected::AtLeast(least) => (least, format!("{least:.4} or more"), true),
    };
    let is_off = |off: f64| off < -NOTABLE_SELF_TEST || (off > NOTABLE_SELF_TEST && !is_bound);
    let text = format!("{estimate:.4} cycles, must be {text}");
    let finding = if !is_off(estimate / right - 1.0) {
        return Finding::good(topic, format!("passed: {text}"));
    } else if is_off(measured.least_off(right)) {
        Finding::bad(topic, format!("failed: {text}"))
    } else {
        let percent = 100.0 * measured.relative_half_width().unwrap_or_default();
        Finding::note(topic, format!("undecided: {text} (±{percent:.1} %)"))
    };
    finding.remedy("stop other work on this machine and try again")
}

/// Reports the recorded disturbances.
pub(super) fn noise(noise: &Noise) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some((hertz, (low, high))) = noise.core_hertz.zip(noise.core_hertz_range) {
        let range = high / low - 1.0;
        let [gigahertz, low, high] = [hertz, low, high].map(|it| it / 1e9);
        let seconds = noise.seconds;
        let text = format!("{gigahertz:.3} GHz, between {low:.3} and {high:.3} in {seconds:.1} s");
        findings.push(if range < 0.02 {
            Finding::good("core clock", text)
        } else {
            Finding::note("core clock", text).remedy(
                "none needed for cycles; for times, fix the clock (turbo off, one governor)",
            )
        });
    }
    let text = format!(
        "{:.0} interruptions a second, the longest {:.0} µs, {:.2} % of the time lost",
        noise.interruptions_per_second,
        noise.longest_nanoseconds / 1e3,
        noise.lost_share * 100.0
    );
    findings.push(if noise.lost_share < 0.02 {
        Finding::good("interruptions", text)
    } else {
        Finding::note("interruptions", text).remedy("stop other work on this machine")
    });
    findings
}

/// Reports what the system tells about itself.
pub(super) fn system(host: &Host, cpu: Option<usize>, steal: Option<Steal>) -> Vec<Finding> {
    let core = host.cores.iter().find(|core| Some(core.number) == cpu);
    vec![
        pinning(host, cpu),
        governor(core),
        turbo(host),
        siblings(host, core),
        match &host.hypervisor {
            None => Finding::good("hypervisor", "none"),
            Some(name) => Finding::note("hypervisor", format!("runs under {name}")),
        },
        match steal {
            None => Finding::note("steal", "the kernel does not tell"),
            Some(Steal { share }) => {
                let text = format!("{:.2} % of the CPU's time", share * 100.0);
                match share <= NOTABLE_STEAL {
                    true => Finding::good("steal", text),
                    false => Finding::note("steal", text).remedy(
                        "measure later: other guests took it; figures hold, but take longer",
                    ),
                }
            }
        },
        load(host),
    ]
}

fn pinning(host: &Host, cpu: Option<usize>) -> Finding {
    let allowed = cpb_host::allowed_ranges(host);
    match cpu {
        Some(cpu) => Finding::good("CPU", format!("{cpu} of {allowed} (choose with --cpu)")),
        None => Finding::bad("CPU", "not pinned: the kernel does not tell which are allowed")
            .remedy("start cpb with taskset"),
    }
}

fn governor(core: Option<&Core>) -> Finding {
    match core.and_then(|core| core.governor.as_deref()) {
        None => Finding::good("governor", "not visible; the chains follow the clock"),
        Some("performance") => Finding::good("governor", "performance"),
        Some(other) => Finding::note("governor", other)
            .remedy("for steadier times: sudo cpupower frequency-set -g performance"),
    }
}

fn turbo(host: &Host) -> Finding {
    match host.turbo {
        None => Finding::good("turbo", "not visible; the chains follow the clock"),
        Some(false) => Finding::good("turbo", "off"),
        Some(true) => Finding::note("turbo", "on; the chains follow the clock").remedy(
            "for steadier times: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost \
             (Intel: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo)",
        ),
    }
}

fn siblings(host: &Host, core: Option<&Core>) -> Finding {
    let own = core.map(|core| core.number);
    let others = core.iter().flat_map(|core| &core.siblings).filter(|it| Some(**it) != own);
    let others: Vec<String> = others.map(ToString::to_string).collect();
    if !others.is_empty() {
        return Finding::note("SMT", format!("shares its core with CPU {}", others.join(", ")))
            .remedy(
                "keep that CPU idle, or: echo off | sudo tee /sys/devices/system/cpu/smt/control",
            );
    }
    match (host.smt, &host.hypervisor) {
        (_, Some(_)) => {
            Finding::note("SMT", "not visible in a virtual machine; the core is probed instead")
        }
        (Some(true), None) => Finding::note("SMT", "on; which CPUs share a core is not visible"),
        (Some(false) | None, None) => Finding::good("SMT", "off or absent"),
    }
}

fn load(host: &Host) -> Finding {
    match host.load {
        None => Finding::note("load", "the kernel does not tell"),
        Some(load) if load < 0.5 * host.allowed_cpus.len().max(1) as f64 => {
            Finding::good("load", format!("{load:.2}"))
        }
        Some(load) => Finding::note("load", format!("{load:.2}"))
            .remedy("stop other work on this machine; figures hold, but take longer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Interval;

    #[test]
    fn a_self_test_fails_only_where_all_of_its_interval_does() {
        let said = |estimate: f64, half_width: f64, expected| {
            let (low, high) = (estimate - half_width, estimate + half_width);
            let interval = Some(Interval { low, high, confidence: 0.95 });
            let Finding { status, finding, .. } =
                judged("x".to_owned(), Figure::new(estimate, interval), expected);
            (status, finding)
        };
        for (estimate, half_width, expected, status, text) in [
            (3.02, 0.5, Expected::Exactly(3.0), Status::Good, "passed: 3.0200 cycles, must be 3"),
            (3.1, 0.05, Expected::Exactly(3.0), Status::Bad, "failed: 3.1000 cycles, must be 3"),
            (2.9, 0.05, Expected::Exactly(3.0), Status::Bad, "failed: 2.9000 cycles, must be 3"),
            (
                0.26,
                0.013,
                Expected::Exactly(0.25),
                Status::Note,
                "undecided: 0.2600 cycles, must be 0.2500 (4.00 a cycle) (±5.0 %)",
            ),
            (
                1.9,
                0.01,
                Expected::AtLeast(1.5),
                Status::Good,
                "passed: 1.9000 cycles, must be 1.5000 or more",
            ),
            (
                1.4,
                0.01,
                Expected::AtLeast(1.5),
                Status::Bad,
                "failed: 1.4000 cycles, must be 1.5000 or more",
            ),
        ] {
            assert_eq!(said(estimate, half_width, expected), (status, text.to_owned()));
        }
    }
}
