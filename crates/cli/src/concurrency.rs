//! Requests concurrent calls: for `cpb scale`, and for `run` and `compare` with `--threads`.

use crate::arguments::Saving;
use crate::cli_error::CliError;
use crate::commands::recursive::choice;
use crate::export::Exporter;
use crate::interrupt::Interrupt;
use crate::library_set::LibrarySet;
use crate::measurement_context::{MeasurementContext, RunOutput};
use crate::progress::Bar;
use crate::sampling::{self, Time};
use crate::selection::Selection;
use crate::{output, time_budget};
use cpb_engine::{BackgroundLoad, Plan, Rounds, Row, Sampling, ScalePlan, Size};
use cpb_model::{Host, Run};
use cpb_oldtools::CalledAs;
use cpb_report::ScaleDocument;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The default number of rounds.
pub(crate) const ROUNDS: u32 = 7;
/// The default message length.
const USUAL_SIZE: usize = 1024;
/// The longest and shortest time in which calls are made, and the time to start.
const LONGEST: Duration = Duration::from_millis(250);
const SHORTEST: Duration = Duration::from_millis(20);
const BEGINNING: Duration = Duration::from_millis(40);
/// The warm-up, relative to the time in which calls are made.
const WARM_UP: f64 = 0.2;
/// The share of the time for finding libraries, verifying, and starting processes.
const REST: f64 = 0.25;

/// An entry of `--threads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    Count(usize),
    /// As many as there are CPUs.
    All,
}

/// Parses an entry of `--threads`.
pub(crate) fn threads(text: &str) -> Result<Threads, String> {
    match text.to_ascii_lowercase().as_str() {
        "all" => Ok(Threads::All),
        number => choice::threads(number)
            .map(Threads::Count)
            .map_err(|reason| format!("{reason}; or all")),
    }
}

/// Returns one thread, and the requested numbers of threads, each once; by default 1, 2, 4 and so
/// on, and all.
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

/// States what the other threads do while one is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OtherThreads {
    /// The same calls, and all threads are measured.
    Same,
    Memory,
    /// Calls of the same library, given by selectors.
    Calls(Vec<String>),
}

impl OtherThreads {
    /// Parses `same`, `memory`, or selectors.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] => Err("what stands beside is same, memory, or a selector, not nothing".to_owned()),
            ["same"] => Ok(OtherThreads::Same),
            ["memory"] => Ok(OtherThreads::Memory),
            _ => Ok(OtherThreads::Calls(words)),
        }
    }

    /// Checks that `libraries` have such calls.
    pub(crate) fn check(&self, libraries: &LibrarySet) -> Result<(), CliError> {
        match self {
            OtherThreads::Same | OtherThreads::Memory => Ok(()),
            OtherThreads::Calls(selectors) => load(selectors).select(libraries).map(|_| ()),
        }
    }

    /// Adds the background load to each of `rows`. Rows of a library without such calls are
    /// dropped, and reported.
    pub(crate) fn with(
        &self,
        rows: Vec<Row>,
        libraries: &LibrarySet,
    ) -> Result<Vec<(Row, BackgroundLoad)>, CliError> {
        let mut found = Vec::new();
        for row in rows {
            match self.load(&row, libraries)? {
                Some(load) => found.push((row, load)),
                None => {
                    let (library, called) = (&row.subject.library, self.called());
                    output::inform(&format!("{library} has no {called} to put beside"));
                }
            }
        }
        if found.is_empty() {
            let called = self.called();
            return Err(not_measured!(
                "none of the libraries has {called} beside what was selected; see cpb list"
            ));
        }
        Ok(found)
    }

    /// Returns the background load beside `row`; `None` if its library has no such calls.
    pub(crate) fn load(
        &self,
        row: &Row,
        libraries: &LibrarySet,
    ) -> Result<Option<BackgroundLoad>, CliError> {
        let selectors = match self {
            OtherThreads::Same => return Ok(Some(BackgroundLoad::Same)),
            OtherThreads::Memory => return Ok(Some(BackgroundLoad::Memory)),
            OtherThreads::Calls(selectors) => selectors,
        };
        let selection = load(selectors);
        let own = selection.select(libraries)?.into_iter();
        let own = own.filter(|(label, _)| *label == row.subject.library);
        let mut found = own.filter_map(|(label, offer)| {
            let length = selection.lengths(offer).last().copied()?;
            Some(selection.row_at(&label, offer, vec![length]))
        });
        Ok(found.next().map(|other| BackgroundLoad::Calls(Box::new(other))))
    }

    fn called(&self) -> String {
        match self {
            OtherThreads::Same | OtherThreads::Memory => String::new(),
            OtherThreads::Calls(selectors) => selectors.join(" "),
        }
    }
}

/// Returns the selection that `selectors` mean as a background load.
fn load(selectors: &[String]) -> Selection {
    Selection {
        selectors: selectors.to_vec(),
        backends: vec!["default".to_owned()],
        sizes: vec![USUAL_SIZE],
        ..Selection::default()
    }
}

/// Returns a row for every length of everything in `selection`; without lengths, those in `usual`.
pub(crate) fn rows(
    selection: &Selection,
    usual: &[usize],
    libraries: &LibrarySet,
) -> Result<Vec<Row>, CliError> {
    let mut rows = Vec::new();
    for (label, offer) in selection.select(libraries)? {
        for asked in selection.of_keys(offer) {
            let is_usual = asked.sizes.is_empty() && !offer.operation.is_public_key();
            let sized = if is_usual { Selection { sizes: usual.to_vec(), ..asked } } else { asked };
            let lengths = sized.lengths(offer).into_iter();
            rows.extend(lengths.map(|length| sized.row_at(&label, offer, vec![length])));
        }
    }
    Ok(rows)
}

/// A request for concurrent calls.
pub(crate) struct ScaleRequest {
    pub(crate) rows: Vec<(Row, BackgroundLoad)>,
    /// The number of rows measured next to each other; more than one to compare them.
    pub(crate) abreast: usize,
    pub(crate) sizes: Vec<Size>,
    /// A CPU for each thread; empty if they are not pinned.
    pub(crate) cpus: Vec<usize>,
    pub(crate) shares_keys: bool,
    pub(crate) rounds: u32,
    /// The requested precision, if any.
    pub(crate) precision: Option<f64>,
    /// The seed of random orders.
    pub(crate) seed: u64,
}

impl ScaleRequest {
    /// Creates a request for `rows` with these `sizes`, with one core per thread as far as there
    /// are any.
    pub(crate) fn on(host: &Host, sizes: Vec<Size>, rows: Vec<(Row, BackgroundLoad)>) -> Self {
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

    /// Measures within `max_time`, or as long as needed, until `stop` is set.
    pub(crate) fn measure(
        self,
        invocation: MeasurementContext,
        libraries: &LibrarySet,
        max_time: Option<Duration>,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Run {
        let Self { rows, abreast, sizes, cpus, shares_keys, rounds, precision, seed } = self;
        let (rows, load): (Vec<Row>, Vec<BackgroundLoad>) = rows.into_iter().unzip();
        let jobs = (rows.len() * sizes.len()).saturating_mul(rounds as usize);
        let max_time = max_time.unwrap_or_else(|| time_budget::SCALE.of(jobs));
        sampling::announce(&rows, Time::AtMost(max_time), "--max-time makes");
        let budget = invocation.left_of(max_time);
        let usual = sampling::of_rows(0, Rounds::Fixed(rounds), (Some(budget), budget), timeout);
        let sampling = Sampling { warm_up: Duration::ZERO, limit: None, ..usual };
        let plan = Plan { seed, ..invocation.plan(libraries, rows, sampling) };
        let time = time_for_each(budget, jobs);
        let plan =
            ScalePlan { plan, load, abreast, sizes, cpus, shares_keys, time, rounds, precision };
        invocation.scale(&plan, stop, Bar::within(max_time))
    }
}

/// Returns for how long each of `jobs` jobs makes calls.
fn time_for_each(budget: Duration, jobs: usize) -> Duration {
    let share = budget.mul_f64((1.0 - REST) / jobs.max(1) as f64);
    share.saturating_sub(BEGINNING).mul_f64(1.0 / (1.0 + WARM_UP)).clamp(SHORTEST, LONGEST)
}

/// Prints `run` as the result of `command`, saves it, and returns the exit status.
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

/// Fails if nothing selected is left.
pub(crate) fn check_any<T>(rows: &[T]) -> Result<(), CliError> {
    if rows.is_empty() {
        return Err(not_measured!(
            "none of the libraries and backends asked for has what was selected at such a \
             length; see cpb list"
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
        assert_eq!(OtherThreads::parse(" memory "), Ok(OtherThreads::Memory));
        let selectors = ["aes-128-gcm", "seal"].map(str::to_owned).to_vec();
        assert_eq!(OtherThreads::parse("aes-128-gcm seal"), Ok(OtherThreads::Calls(selectors)));
        assert!(OtherThreads::parse("  ").unwrap_err().contains("not nothing"));
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
