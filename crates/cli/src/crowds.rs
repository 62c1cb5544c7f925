//! Calls that many make at once: what `cpb scale` asks for, and `run` and `compare` with
//! `--threads`.

use crate::arguments::Saving;
use crate::cli_error::CliError;
use crate::commands::recursive::choice;
use crate::export::Exporter;
use crate::interrupt::Interrupt;
use crate::library_set::LibrarySet;
use crate::measurement_context::{MeasurementContext, RunOutput};
use crate::output;
use crate::progress::Bar;
use crate::sampling::{self, Time};
use crate::selection::Selection;
use crate::time_budget;
use cpb_engine::{Company, Plan, Rounds, Row, Sampling, ScalePlan, Size};
use cpb_model::{Host, Run};
use cpb_oldtools::CalledAs;
use cpb_report::ScaleDocument;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Rounds where nobody asks for another number.
pub(crate) const ROUNDS: u32 = 7;
/// The message length where nobody asks for another.
const USUAL_SIZE: usize = 1024;
/// For how long calls are made at most, and at least; and what it takes to begin.
const LONGEST: Duration = Duration::from_millis(250);
const SHORTEST: Duration = Duration::from_millis(20);
const BEGINNING: Duration = Duration::from_millis(40);
/// Of the time that calls are made for, so much is added by the warm-up.
const WARM_UP: f64 = 0.2;
/// What finding libraries, verifying, and starting processes may take of all.
const REST: f64 = 0.25;

/// An entry of `--threads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    Count(usize),
    /// As many as there are CPUs.
    All,
}

/// Reads an entry of `--threads`.
pub(crate) fn threads(text: &str) -> Result<Threads, String> {
    match text.to_ascii_lowercase().as_str() {
        "all" => Ok(Threads::All),
        number => choice::threads(number)
            .map(Threads::Count)
            .map_err(|reason| format!("{reason}; or all")),
    }
}

/// One thread, and the numbers of threads asked for, each once; where nobody asks 1, 2, 4 and
/// so on, and all.
pub(crate) fn sizes(asked: &[Threads], host: &Host) -> Vec<Size> {
    let cpus = host.cores.len().max(1);
    let count = |threads: &Threads| match threads {
        Threads::Count(count) => *count,
        Threads::All => cpus,
    };
    let mut counts: Vec<usize> = asked.iter().map(count).collect();
    if counts.is_empty() {
        counts = choice::thread_counts(cpus);
    }
    counts.push(1);
    counts.sort_unstable();
    counts.dedup();
    counts.into_iter().map(|threads| Size { threads, ..Size::ONE }).collect()
}

/// What the other threads do beside one that is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Beside {
    /// The same, and all are measured.
    Same,
    Memory,
    /// Calls of the same library, by selectors.
    Calls(Vec<String>),
}

impl Beside {
    /// `same`, `memory`, or selectors.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] => Err("what stands beside is same, memory, or a selector, not nothing".to_owned()),
            ["same"] => Ok(Beside::Same),
            ["memory"] => Ok(Beside::Memory),
            _ => Ok(Beside::Calls(words)),
        }
    }

    /// Whether there is such a thing on `shelf`.
    pub(crate) fn check(&self, shelf: &LibrarySet) -> Result<(), CliError> {
        match self {
            Beside::Same | Beside::Memory => Ok(()),
            Beside::Calls(selectors) => company(selectors).select(shelf).map(|_| ()),
        }
    }

    /// Each of `rows` with what is done beside it. Rows of a library that has none of that are
    /// left out, and it is said.
    pub(crate) fn with(
        &self,
        rows: Vec<Row>,
        shelf: &LibrarySet,
    ) -> Result<Vec<(Row, Company)>, CliError> {
        let mut found = Vec::new();
        for row in rows {
            match self.company(&row, shelf)? {
                Some(company) => found.push((row, company)),
                None => {
                    let (library, called) = (&row.subject.library, self.called());
                    output::inform(&format!("{library} has no {called} to put beside"));
                }
            }
        }
        if found.is_empty() {
            let called = self.called();
            return Err(CliError::NotMeasured(format!(
                "none of the libraries has {called} beside what was selected; see cpb list"
            )));
        }
        Ok(found)
    }

    /// What is done beside `row`, where its library has it.
    pub(crate) fn company(
        &self,
        row: &Row,
        shelf: &LibrarySet,
    ) -> Result<Option<Company>, CliError> {
        let selectors = match self {
            Beside::Same => return Ok(Some(Company::Same)),
            Beside::Memory => return Ok(Some(Company::Memory)),
            Beside::Calls(selectors) => selectors,
        };
        let selection = company(selectors);
        let own = selection.select(shelf)?.into_iter();
        let own = own.filter(|(label, _)| *label == row.subject.library);
        let mut found = own.filter_map(|(label, offer)| {
            let length = selection.lengths(offer).last().copied()?;
            Some(selection.row_at(&label, offer, vec![length]))
        });
        Ok(found.next().map(|other| Company::Calls(Box::new(other))))
    }

    fn called(&self) -> String {
        match self {
            Beside::Same | Beside::Memory => String::new(),
            Beside::Calls(selectors) => selectors.join(" "),
        }
    }
}

/// What `selectors` mean beside a row.
fn company(selectors: &[String]) -> Selection {
    Selection {
        selectors: selectors.to_vec(),
        backends: vec!["default".to_owned()],
        sizes: vec![USUAL_SIZE],
        ..Selection::default()
    }
}

/// A row for every length of everything that `selection` means; where it says no length, the
/// usual ones are `usual`.
pub(crate) fn rows(
    selection: &Selection,
    usual: &[usize],
    shelf: &LibrarySet,
) -> Result<Vec<Row>, CliError> {
    let mut rows = Vec::new();
    for (label, offer) in selection.select(shelf)? {
        for asked in selection.of_keys(offer) {
            let is_usual = asked.sizes.is_empty() && !offer.operation.is_public_key();
            let sized = if is_usual { Selection { sizes: usual.to_vec(), ..asked } } else { asked };
            let lengths = sized.lengths(offer).into_iter();
            rows.extend(lengths.map(|length| sized.row_at(&label, offer, vec![length])));
        }
    }
    Ok(rows)
}

/// What many shall do at once.
pub(crate) struct Crowds {
    pub(crate) rows: Vec<(Row, Company)>,
    /// So many rows are measured next to each other; more than one where they are compared.
    pub(crate) abreast: usize,
    pub(crate) sizes: Vec<Size>,
    /// A CPU for each thread; none where they are not pinned.
    pub(crate) cpus: Vec<usize>,
    pub(crate) shares_keys: bool,
    pub(crate) rounds: u32,
    /// How narrow intervals shall be, where that was asked for.
    pub(crate) precision: Option<f64>,
    /// What orders are drawn by.
    pub(crate) seed: u64,
}

impl Crowds {
    /// Of `rows` by so many `sizes`, each thread on a core of its own as far as there are any.
    pub(crate) fn on(host: &Host, sizes: Vec<Size>, rows: Vec<(Row, Company)>) -> Self {
        let most = sizes.iter().map(|size| size.all()).max().unwrap_or(1);
        let cpus = cpb_host::spread(host, most);
        Self {
            rows,
            abreast: 1,
            sizes,
            cpus,
            shares_keys: false,
            rounds: ROUNDS,
            precision: None,
            seed: 0,
        }
    }

    /// Measures them in `max_time`, or in as much as they need, until `stop` is set.
    pub(crate) fn measure(
        self,
        invocation: MeasurementContext,
        shelf: &LibrarySet,
        max_time: Option<Duration>,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Run {
        let Self { rows, abreast, sizes, cpus, shares_keys, rounds, precision, seed } = self;
        let (rows, company): (Vec<Row>, Vec<Company>) = rows.into_iter().unzip();
        let jobs = (rows.len() * sizes.len()).saturating_mul(rounds as usize);
        let max_time = max_time.unwrap_or_else(|| time_budget::SCALE.of(jobs));
        sampling::announce(&rows, Time::AtMost(max_time), "--max-time makes");
        let budget = invocation.left_of(max_time);
        let sampling = Sampling {
            samples: 0,
            batch: sampling::BATCH,
            warm_up: Duration::ZERO,
            limit: None,
            rounds: Rounds::Fixed(rounds),
            budget,
            budget_is_maximum: true,
            timeout,
        };
        let plan = Plan { seed, ..invocation.plan(shelf, rows, sampling) };
        let time = time_for_each(budget, jobs);
        let plan =
            ScalePlan { plan, company, abreast, sizes, cpus, shares_keys, time, rounds, precision };
        invocation.scale(&plan, stop, Bar::within(max_time))
    }
}

/// For how long each of so many jobs makes calls.
fn time_for_each(budget: Duration, jobs: usize) -> Duration {
    let share = budget.mul_f64((1.0 - REST) / jobs.max(1) as f64);
    share.saturating_sub(BEGINNING).mul_f64(1.0 / (1.0 + WARM_UP)).clamp(SHORTEST, LONGEST)
}

/// Prints `run` as what `command` found, saves it, and returns the exit status.
pub(crate) fn end(
    command: &'static str,
    run: &Run,
    exporter: Exporter,
    saving: &Saving,
    complete: bool,
    stop: &Interrupt,
) -> Result<u8, CliError> {
    let warns = !exporter.holds_warnings();
    let printed = exporter.write(&ScaleDocument { command, run, title: None });
    let called_as = CalledAs::Cpb;
    RunOutput { saving, samples: None, called_as, warns, complete }.end(run, printed, stop)
}

/// Where nothing is left of what was selected.
pub(crate) fn check_any<T>(rows: &[T]) -> Result<(), CliError> {
    if rows.is_empty() {
        return Err(CliError::NotMeasured(
            "none of the libraries and backends asked for has what was selected at such a \
             length; see cpb list"
                .to_owned(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_are_numbers_or_all() {
        assert_eq!((threads("4"), threads("ALL")), (Ok(Threads::Count(4)), Ok(Threads::All)));
        for wrong in ["0", "-1", "x", "", "4097", "1.5"] {
            assert!(threads(wrong).unwrap_err().contains("or all"), "{wrong}");
        }
    }

    #[test]
    fn what_stands_beside_is_something() {
        assert_eq!(Beside::parse(" memory "), Ok(Beside::Memory));
        let selectors = ["aes-128-gcm", "seal"].map(str::to_owned).to_vec();
        assert_eq!(Beside::parse("aes-128-gcm seal"), Ok(Beside::Calls(selectors)));
        assert!(Beside::parse("  ").unwrap_err().contains("not nothing"));
    }

    #[test]
    fn one_thread_is_always_there_and_no_number_twice() {
        let host = cpb_host::describe();
        let counts = |asked: &[Threads]| -> Vec<usize> {
            sizes(asked, &host).into_iter().map(|size| size.threads).collect()
        };
        assert_eq!(counts(&[Threads::Count(4), Threads::Count(2), Threads::Count(4)]), [1, 2, 4]);
        assert_eq!(counts(&[Threads::Count(1)]), [1]);
        let all = counts(&[]);
        assert_eq!((all[0], all.last()), (1, Some(&host.cores.len().max(1))));
    }

    #[test]
    fn calls_are_made_for_longer_where_there_is_time() {
        let seconds = Duration::from_secs;
        assert_eq!(time_for_each(seconds(60), 14), LONGEST);
        assert_eq!(time_for_each(seconds(1), 1000), SHORTEST);
        let between = time_for_each(seconds(10), 50);
        assert!(SHORTEST < between && between < LONGEST, "{between:?}");
    }
}
