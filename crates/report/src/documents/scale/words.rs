//! Describes how far a workload scales, and what limits it.

use crate::Style;
use crate::number::counted;
use cpb_figures::scaling::{Bottleneck, BottleneckShare, EvidenceSource, Scaled, Verdict};
use cpb_model::{Concurrent, Figure, Interval, Record};

/// From this share of the loss on, a bottleneck counts as the only one.
const MOST: f64 = 0.8;

/// Describes a measured row.
pub(super) fn of(row: &Scaled) -> String {
    let Some(verdict) = &row.verdict else {
        return "one thread alone and more than one were not both measured".to_owned();
    };
    let Verdict { stops_at, told_by, causes, .. } = verdict;
    if let Some(what) = row.beside() {
        return beside_others(row, what, verdict);
    }
    let threads_of_one = || row.records.iter().filter(|record| record.setup.processes == 1);
    let Some(threads) = *stops_at else {
        let has_efficiency =
            |it: &&Record| found(Some(it)).is_some_and(|it| it.efficiency.is_some());
        let last = threads_of_one().filter(has_efficiency).max_by_key(|it| it.setup.threads);
        let threads = counted(last.map_or(1, |record| record.setup.threads), "thread");
        let last = found(last);
        return match told_by {
            EvidenceSource::Nothing => {
                format!("cannot tell whether it scales to {threads}: {}", open(last))
            }
            EvidenceSource::Calls | EvidenceSource::Cycles => {
                format!("scales to {threads}{}", kept(last, *told_by))
            }
        };
    };
    let stopped = found(threads_of_one().find(|record| record.setup.threads == threads));
    let mut parts =
        vec![format!("stops scaling at {}{}", counted(threads, "thread"), kept(stopped, *told_by))];
    if causes.is_empty() {
        parts.push("the figures do not tell why".to_owned());
    }
    parts.extend(causes.iter().map(cause));
    parts.extend(beside(threads, verdict, stopped));
    parts.join("; ")
}

fn found(record: Option<&Record>) -> Option<&Concurrent> {
    record?.concurrent.as_ref()
}

/// Describes the remaining efficiency per thread, by the evidence.
fn kept(found: Option<&Concurrent>, told_by: EvidenceSource) -> String {
    match told_by {
        EvidenceSource::Calls | EvidenceSource::Nothing => {
            format!(": {} of one thread on each CPU", efficiency(found))
        }
        EvidenceSource::Cycles => format!(
            ", by its cycles: a call takes {} times those of one thread; calls a second, {}, are too \
             disturbed to tell",
            slowdown(found),
            between(found.and_then(|it| it.efficiency), percent)
        ),
    }
}

/// Describes why nothing can be concluded.
fn open(found: Option<&Concurrent>) -> String {
    format!(
        "calls a second are {} of one thread on each CPU, and cycles {} times; more --rounds, or a \
         quieter machine, would tell",
        between(found.and_then(|it| it.efficiency), percent),
        slowdown(found)
    )
}

fn slowdown(found: Option<&Concurrent>) -> String {
    between(found.and_then(|it| it.slowdown), |value| format!("{value:.2}"))
}

/// Formats the interval of a figure, as far as there is one.
fn between(figure: Option<Figure>, word: impl Fn(f64) -> String) -> String {
    match figure {
        None => "–".to_owned(),
        Some(Figure { interval: Some(Interval { low, high, .. }), .. }) => {
            format!("{} to {}", word(low), word(high))
        }
        Some(Figure { estimate, .. }) => word(estimate),
    }
}

/// Describes one thread beside a background load.
fn beside_others(row: &Scaled, what: &str, verdict: &Verdict) -> String {
    let Verdict { stops_at, told_by, causes, .. } = verdict;
    let most = row.records.iter().map(|record| record.setup.all()).max().unwrap_or(1);
    let threads = stops_at.unwrap_or(most);
    let found = found(row.records.iter().find(|record| record.setup.all() == threads));
    let how = match told_by {
        EvidenceSource::Calls => format!("{} of what it makes alone", efficiency(found)),
        EvidenceSource::Cycles => {
            format!("a call takes {} times its cycles alone", slowdown(found))
        }
        EvidenceSource::Nothing => format!("nobody can tell: {}", open(found)),
    };
    let begins = format!("beside {} of {what}: {how}", counted(threads - 1, "thread"));
    let causes = causes.iter().map(cause).collect::<Vec<_>>().join("; ");
    if causes.is_empty() { begins } else { format!("{begins}; {causes}") }
}

/// Returns the style of the description.
pub(super) fn style(row: &Scaled) -> Style {
    match &row.verdict {
        Some(Verdict {
            stops_at: None,
            told_by: EvidenceSource::Calls | EvidenceSource::Cycles,
            ..
        }) => Style::Good,
        _ => Style::Caution,
    }
}

/// Formats the bottlenecks: `locks 0.93 clock 0.07`.
pub(super) fn causes(row: &Scaled) -> String {
    let causes = row.verdict.iter().flat_map(|verdict| &verdict.causes);
    let named = causes.map(|BottleneckShare { what, share }| format!("{} {share:.2}", what.name()));
    named.collect::<Vec<_>>().join(" ")
}

fn efficiency(found: Option<&Concurrent>) -> String {
    let efficiency = found.and_then(|it| it.efficiency);
    efficiency.map_or_else(|| "–".to_owned(), |efficiency| percent(efficiency.estimate))
}

fn cause(BottleneckShare { what, share }: &BottleneckShare) -> String {
    let why = match what {
        Bottleneck::Locks => "locks: threads wait for each other",
        Bottleneck::Cpus => "CPUs: threads wait for one that something else runs on",
        Bottleneck::Smt => "shared cores (SMT): hardware threads of one core take from each other",
        Bottleneck::Clock => "clock: cores run slower together than alone",
        Bottleneck::Memory => {
            "memory: a call takes more cycles, for caches, memory, or data that \
                          all write"
        }
    };
    format!("{:.0} % of what is lost to {why}", share * 100.0)
}

/// Describes what as many processes show, which share the machine but nothing in the library.
fn beside(threads: usize, verdict: &Verdict, stopped: Option<&Concurrent>) -> Option<String> {
    let Verdict { told_by, causes, processes, .. } = verdict;
    let is_open =
        |cause: &BottleneckShare| matches!(cause.what, Bottleneck::Locks | Bottleneck::Memory);
    let Some(reached) = *processes else {
        return causes.iter().any(is_open).then(|| {
            format!("--processes {threads} tells what the library does from a limit of the machine")
        });
    };
    let of_threads = match told_by {
        EvidenceSource::Cycles => 1.0 / stopped?.slowdown?.estimate,
        EvidenceSource::Calls | EvidenceSource::Nothing => stopped?.efficiency?.estimate,
    };
    // The loss of processes, which share nothing in the library, is due to the machine.
    let of_library = (reached - of_threads) / (1.0 - of_threads);
    let who = match of_library {
        most if most > MOST => {
            "it is what threads share in the library, not the machine".to_owned()
        }
        little if little < 1.0 - MOST => {
            "it is not what threads share in the library, but the machine or the kernel".to_owned()
        }
        some => format!(
            "{:.0} % of what is lost is for what threads share in the library, the rest for the \
             machine",
            some * 100.0
        ),
    };
    Some(format!("{threads} processes reach {}: {who}", percent(reached)))
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::record;
    use cpb_model::{Method, Setup};

    /// Describes one thread, and two with this efficiency.
    fn said(efficiency: f64, verdict: Verdict) -> (String, Style, String) {
        let interval = |low, high| Some(Interval { low, high, confidence: 0.95 });
        let at = |threads, efficiency| Record {
            setup: Setup { threads, ..Setup::default() },
            method: Method::Throughput,
            concurrent: Some(Concurrent {
                efficiency: Some(Figure::new(efficiency, None)),
                slowdown: Some(Figure::new(1.6, interval(1.5, 1.75))),
                ..Concurrent::default()
            }),
            ..record("sha256", "locked", 1.0)
        };
        let records = [at(1, 1.0), at(2, efficiency)];
        let row = Scaled { records: &records, verdict: Some(verdict) };
        (of(&row), style(&row), causes(&row))
    }

    fn locks(processes: Option<f64>) -> Verdict {
        let causes = vec![BottleneckShare { what: Bottleneck::Locks, share: 0.97 }];
        Verdict { stops_at: Some(2), told_by: EvidenceSource::Calls, causes, processes }
    }

    #[test]
    fn a_lock_is_called_one() {
        let words = said(0.41, locks(Some(0.985))).0;
        assert!(words.starts_with("stops scaling at 2 threads: 41.0 % of one"), "{words}");
        assert!(words.contains("97 % of what is lost to locks"), "{words}");
        assert!(words.contains("2 processes reach 98.5 %: it is what threads share"), "{words}");
        let words = said(0.41, locks(None)).0;
        assert!(words.contains("--processes 2 tells"), "{words}");
        let words = said(0.41, locks(Some(0.42))).0;
        assert!(words.contains("but the machine or the kernel"), "{words}");
        let words = said(0.35, locks(Some(0.64))).0;
        assert!(words.contains("45 % of what is lost is for what threads share"), "{words}");
        assert_eq!(said(0.41, locks(None)).2, "locks 0.97");
    }

    fn scales(told_by: EvidenceSource) -> Verdict {
        Verdict { stops_at: None, told_by, causes: Vec::new(), processes: None }
    }

    #[test]
    fn what_scales_says_how_far() {
        let told = |told_by| said(0.992, scales(told_by));
        let (words, style, _) = told(EvidenceSource::Calls);
        assert_eq!(words, "scales to 2 threads: 99.2 % of one thread on each CPU");
        assert_eq!(style, Style::Good);
        let words = told(EvidenceSource::Cycles).0;
        assert!(words.starts_with("scales to 2 threads, by its cycles: a call"), "{words}");
        assert_eq!(told(EvidenceSource::Nothing).1, Style::Caution);
    }

    #[test]
    fn what_cycles_tell_says_so_and_what_nobody_can_tell_too() {
        let verdict = Verdict { told_by: EvidenceSource::Cycles, ..locks(Some(0.99)) };
        let words = said(0.8, verdict).0;
        let begins = "stops scaling at 2 threads, by its cycles: a call takes 1.50 to 1.75 times";
        assert!(words.starts_with(begins), "{words}");
        assert!(words.contains("2 processes reach 99.0 %: it is what threads share"), "{words}");
        let words = said(0.8, scales(EvidenceSource::Nothing)).0;
        assert!(words.starts_with("cannot tell whether it scales to 2 threads: "), "{words}");
    }
}
