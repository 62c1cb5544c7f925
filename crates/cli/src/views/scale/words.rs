//! How far a workload scales, and what keeps it, in words.

use super::percent;
use cpb_model::{Blame, Cause, Crowd, Scaling, Verdict};
use cpb_report::Style;
use cpb_report::number::counted;

/// A share of what is lost that is called all of it.
const MOST: f64 = 0.8;

/// What is said of a row that was measured.
pub(super) fn of(row: &Scaling) -> String {
    let Some(verdict) = &row.verdict else {
        return "one thread alone and more than one were not both measured".to_owned();
    };
    let Verdict { stops_at, causes, processes } = verdict;
    if let Some(what) = &row.beside {
        return beside_others(row, what, *stops_at, causes);
    }
    let Some(threads) = *stops_at else {
        let most = row.crowds.iter().filter(|crowd| crowd.processes == 1);
        let most = most.filter(|crowd| crowd.efficiency.is_some());
        let last = most.max_by_key(|crowd| crowd.threads);
        let threads = last.map_or(1, |crowd| crowd.threads);
        return format!(
            "scales to {}: {} of one thread on each CPU",
            counted(threads, "thread"),
            efficiency(last),
        );
    };
    let stopped = row.crowds.iter().find(|crowd| crowd.processes == 1 && crowd.threads == threads);
    let mut parts = vec![format!(
        "stops scaling at {}: {} of one thread on each CPU",
        counted(threads, "thread"),
        efficiency(stopped)
    )];
    if causes.is_empty() {
        parts.push("the figures do not tell why".to_owned());
    }
    parts.extend(causes.iter().map(cause));
    parts.extend(beside(threads, causes, stopped, *processes));
    parts.join("; ")
}

/// The same of one thread that others do something else beside.
fn beside_others(row: &Scaling, what: &str, slowed_at: Option<usize>, causes: &[Cause]) -> String {
    let at = |all: usize| row.crowds.iter().find(|crowd| crowd.all() == all);
    let most = row.crowds.iter().map(Crowd::all).max().unwrap_or(1);
    let threads = slowed_at.unwrap_or(most);
    let begins = format!(
        "beside {} of {what}: {} of what it makes alone",
        counted(threads - 1, "thread"),
        efficiency(at(threads))
    );
    let causes = causes.iter().map(cause).collect::<Vec<_>>().join("; ");
    if causes.is_empty() { begins } else { format!("{begins}; {causes}") }
}

/// How the words stand out.
pub(super) fn style(row: &Scaling) -> Style {
    match &row.verdict {
        Some(Verdict { stops_at: None, .. }) => Style::Good,
        _ => Style::Caution,
    }
}

/// `locks 0.93 clock 0.07`.
pub(super) fn causes(row: &Scaling) -> String {
    let causes = row.verdict.iter().flat_map(|verdict| &verdict.causes);
    let named = causes.map(|Cause { what, share }| format!("{} {share:.2}", what.name()));
    named.collect::<Vec<_>>().join(" ")
}

fn efficiency(crowd: Option<&Crowd>) -> String {
    let efficiency = crowd.and_then(|crowd| crowd.efficiency);
    efficiency.map_or_else(|| "–".to_owned(), |efficiency| percent(efficiency.estimate))
}

fn cause(Cause { what, share }: &Cause) -> String {
    let why = match what {
        Blame::Locks => "locks: threads wait for each other",
        Blame::Cpus => "CPUs: threads wait for one that something else runs on",
        Blame::Smt => "shared cores (SMT): hardware threads of one core take from each other",
        Blame::Clock => "clock: cores run slower together than alone",
        Blame::Memory => {
            "memory: a call takes more cycles, for caches, memory, or data that \
                          all write"
        }
    };
    format!("{:.0} % of what is lost to {why}", share * 100.0)
}

/// What as many processes say: they share the machine, and nothing in the library.
fn beside(
    threads: usize,
    causes: &[Cause],
    stopped: Option<&Crowd>,
    processes: Option<f64>,
) -> Option<String> {
    let is_open = |cause: &Cause| matches!(cause.what, Blame::Locks | Blame::Memory);
    let Some(reached) = processes else {
        return causes.iter().any(is_open).then(|| {
            format!("--processes {threads} tells what the library does from a limit of the machine")
        });
    };
    let of_threads = stopped.and_then(|crowd| crowd.efficiency)?.estimate;
    // What processes lose, which share nothing in the library, is the machine's.
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

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Contract, Figure, Operation, Parameters, Subject};

    fn row(efficiency: f64, verdict: Verdict) -> Scaling {
        let crowd = |threads, efficiency| Crowd {
            processes: 1,
            threads,
            others: 0,
            cpus: Vec::new(),
            shares_cores: false,
            calls_per_second: None,
            efficiency: Some(Figure::new(efficiency, None)),
            cycles_per_call: None,
            slowest: None,
            time: None,
            core_hertz: None,
            probe_cycles: None,
            rounds: Vec::new(),
            failure: None,
        };
        Scaling {
            subject: Subject {
                primitive: "sha256".to_owned(),
                operation: Operation::Hash,
                library: "locked".to_owned(),
                spelling: "sha256".to_owned(),
                backend: "default".to_owned(),
                default_backend: true,
                security: None,
                row: None,
            },
            contract: Contract::Keyed,
            shares_keys: false,
            beside: None,
            parameters: Parameters::default(),
            verification: None,
            crowds: vec![crowd(1, 1.0), crowd(2, efficiency)],
            verdict: Some(verdict),
            failure: None,
        }
    }

    fn locks(processes: Option<f64>) -> Verdict {
        let causes = vec![Cause { what: Blame::Locks, share: 0.97 }];
        Verdict { stops_at: Some(2), causes, processes }
    }

    #[test]
    fn a_lock_is_called_one() {
        let words = of(&row(0.41, locks(Some(0.985))));
        assert!(words.starts_with("stops scaling at 2 threads: 41.0 % of one"), "{words}");
        assert!(words.contains("97 % of what is lost to locks"), "{words}");
        assert!(words.contains("2 processes reach 98.5 %: it is what threads share"), "{words}");
        let words = of(&row(0.41, locks(None)));
        assert!(words.contains("--processes 2 tells"), "{words}");
        let words = of(&row(0.41, locks(Some(0.42))));
        assert!(words.contains("but the machine or the kernel"), "{words}");
        let words = of(&row(0.35, locks(Some(0.64))));
        assert!(words.contains("45 % of what is lost is for what threads share"), "{words}");
        assert_eq!(causes(&row(0.41, locks(None))), "locks 0.97");
    }

    #[test]
    fn what_scales_says_how_far() {
        let verdict = Verdict { stops_at: None, causes: Vec::new(), processes: None };
        let row = row(0.992, verdict);
        assert_eq!(of(&row), "scales to 2 threads: 99.2 % of one thread on each CPU");
        assert_eq!(style(&row), Style::Good);
    }
}
