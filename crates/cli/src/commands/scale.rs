//! `cpb scale`: the same calls, made by many at once.

use crate::arguments::{self, Saving};
use crate::commands::recursive::choice;
use crate::export::{Exporter, Exporting, Format};
use crate::fault::Fault;
use crate::interrupt;
use crate::invocation::{Ending, Invocation};
use crate::output;
use crate::progress::Bar;
use crate::sampling::{self, Time};
use crate::selection::{self, Selection};
use crate::shelf::{self, Shelf};
use crate::views::scale::ScaleDocument;
use clap::{Args, ValueEnum};
use cpb_engine::{Company, LibrarySpec, Rounds, Row, Sampling, ScalePlan, Size};
use cpb_model::{Contract, Host};
use cpb_oldtools::CalledAs;
use std::time::Duration;

const MOST_ROUNDS: u32 = 1000;
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
/// Where nobody says how long it may take.
const LEAST_TIME: Duration = Duration::from_secs(60);
const TIME_FOR_EACH: Duration = Duration::from_millis(150);
const MOST_PROCESSES: usize = 256;
/// What --beside takes besides selectors.
const SAME: &str = "same";
const MEMORY: &str = "memory";

/// What happens when all cores ask at once
///
/// Threads of one process make the same calls at the same moment, each with objects of its
/// own (--share key: with one key for all): one, then two, four and so on up to all CPUs. It is told how many calls all of them
/// make in a second, against as many times one thread alone; and what for time is lost:
/// locks, shared cores, the clock, memory, as far as the figures can tell. --processes
/// beside tells a lock in a library from a limit of the machine.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to measure: as for cpb run.
    #[arg(value_name = "SELECTOR", required = true)]
    selectors: Vec<String>,
    /// Threads that make calls at once: numbers, all for as many as there are CPUs. One is
    /// always measured, since all are compared with it [default: 1, 2, 4 and so on, and
    /// all].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = threads,
          allow_negative_numbers = true)]
    threads: Vec<Threads>,
    /// Also so many processes of one thread each.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = processes,
          allow_negative_numbers = true)]
    processes: Vec<usize>,
    /// What the other threads do beside one that is measured: same, as this one (and all are
    /// measured); memory, read and write more than caches hold; or calls of the same library:
    /// a selector, as "aes-128-gcm seal".
    #[arg(long, value_name = "WHAT", default_value = "same", conflicts_with_all = ["processes"])]
    beside: String,
    /// Which CPUs threads are kept on.
    #[arg(long, value_enum, default_value = "cores-first")]
    placement: Placement,
    /// What the threads of a process have in common: key objects, where a library lets them.
    #[arg(long, value_enum, default_value = "none")]
    share: Share,
    /// Message lengths in bytes [default: 1024; of signatures 32].
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          allow_negative_numbers = true)]
    size: Vec<usize>,
    /// What one call does.
    #[arg(long, value_enum, default_value = "keyed")]
    contract: ContractArgument,
    /// Measure only these backends [default: each library's own choice].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    backend: Vec<String>,
    /// Measure this library: NAME, NAME=PATH for one build of it, with
    /// ;VARIABLE=VALUE for its environment. May be given several times.
    #[arg(long, value_name = "SPEC", value_parser = shelf::specification)]
    library: Vec<LibrarySpec>,
    /// Time budget for everything; what could not be measured in time says so
    /// [default: 60, or 0.15 for each size of each row and round].
    #[arg(long, value_name = "SECONDS", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// Rounds: in each, every size makes its calls once, in fresh processes.
    #[arg(long, value_name = "N", default_value = "7", value_parser = rounds,
          allow_negative_numbers = true)]
    rounds: u32,
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    machine: ScaleMachine,
    #[command(flatten)]
    saving: Saving,
}

/// Which CPUs threads are kept on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Placement {
    /// A core for each; a core's other hardware threads (SMT) when all cores have one.
    CoresFirst,
    /// All hardware threads of a core before the next core.
    SiblingsFirst,
    /// None: the kernel moves them.
    None,
}

/// What threads have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Share {
    /// Key objects: each thread has contexts of its own for them.
    Key,
    /// Nothing: each thread has objects of its own.
    None,
}

/// What one call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ContractArgument {
    /// Key schedule outside; nonce, tag and finalisation inside.
    Keyed,
    /// Making and keying the context inside, too.
    Oneshot,
}

/// The clock.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clock")]
struct ScaleMachine {
    /// Count with this counter instead of the best one (`cpb doctor` lists
    /// them).
    #[arg(long, value_name = "NAME")]
    counter: Option<String>,
    /// Give up on an operation after this many seconds without an answer.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    timeout: Duration,
}

/// An entry of `--threads`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threads {
    Count(usize),
    /// As many as there are CPUs.
    All,
}

fn threads(text: &str) -> Result<Threads, String> {
    match text.to_ascii_lowercase().as_str() {
        "all" => Ok(Threads::All),
        number => choice::threads(number)
            .map(Threads::Count)
            .map_err(|reason| format!("{reason}; or all")),
    }
}

fn processes(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| (1..=MOST_PROCESSES).contains(count)).ok_or_else(|| {
        format!(
            "the number of processes is a whole number from 1 to {MOST_PROCESSES}, not '{text}'"
        )
    })
}

fn rounds(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|count| (1..=MOST_ROUNDS).contains(count)).ok_or_else(|| {
        format!("the number of rounds is a whole number from 1 to {MOST_ROUNDS}, not '{text}'")
    })
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let stop = interrupt::flag();
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let invocation = Invocation::begin(arguments.machine.counter.as_deref(), None, None)?;
    let timeout = sampling::timeout(arguments.machine.timeout, arguments.max_time);
    let shelf = Shelf::look(&arguments.library, timeout);
    let complete = shelf.report_missing();
    let mut rows = arguments.rows(&shelf)?;
    let company = arguments.company(&shelf, &mut rows)?;
    let host = invocation.host().clone();
    let sizes = arguments.sizes(&host);
    let jobs = u32::try_from(rows.len() * sizes.len()).unwrap_or(u32::MAX);
    let jobs = jobs.saturating_mul(arguments.rounds);
    let max_time = arguments.max_time(jobs);
    sampling::announce(&rows, Time::AtMost(max_time), "--max-time makes");
    let budget = invocation.left_of(max_time);
    let cpus = arguments.placement.cpus(&host, &sizes);
    let sampling = Sampling {
        samples: 0,
        batch: sampling::BATCH,
        warm_up: Duration::ZERO,
        limit: None,
        rounds: Rounds::Fixed(arguments.rounds),
        budget,
        budget_is_maximum: true,
        timeout: arguments.machine.timeout,
    };
    let plan = invocation.plan(&shelf, rows, sampling);
    let time = time_for_each(budget, jobs);
    let shares_keys = arguments.share == Share::Key;
    let rounds = arguments.rounds;
    let plan = ScalePlan { plan, company, sizes, cpus, shares_keys, time, rounds };
    let run = invocation.scale(&plan, &stop, Bar::within(max_time));
    let warns = !exporter.holds_warnings();
    let printed = print(&run, exporter);
    let ending = Ending {
        saving: &arguments.saving,
        samples: None,
        called_as: CalledAs::Cpb,
        warns,
        complete,
    };
    ending.end(&run, printed, &stop)
}

fn print(run: &cpb_model::Run, exporter: Exporter) -> Result<(), Fault> {
    exporter.write(&ScaleDocument { command: "scale", run, title: None })
}

/// For how long each of so many jobs makes calls.
fn time_for_each(budget: Duration, jobs: u32) -> Duration {
    let share = budget.mul_f64(1.0 - REST) / jobs.max(1);
    share.saturating_sub(BEGINNING).mul_f64(1.0 / (1.0 + WARM_UP)).clamp(SHORTEST, LONGEST)
}

impl Placement {
    /// A CPU for each of the threads that `sizes` need.
    fn cpus(self, host: &Host, sizes: &[Size]) -> Vec<usize> {
        let most = sizes.iter().map(|size| size.all()).max().unwrap_or(1);
        match self {
            Placement::CoresFirst => cpb_host::spread(host, most),
            Placement::SiblingsFirst => cpb_host::pack(host, most),
            Placement::None => Vec::new(),
        }
    }
}

impl Arguments {
    fn max_time(&self, jobs: u32) -> Duration {
        self.max_time.unwrap_or_else(|| LEAST_TIME.max(TIME_FOR_EACH.saturating_mul(jobs)))
    }

    /// One thread, the numbers of threads, and the numbers of processes, each once.
    fn sizes(&self, host: &Host) -> Vec<Size> {
        let cpus = host.cores.len().max(1);
        let count = |threads: &Threads| match threads {
            Threads::Count(count) => *count,
            Threads::All => cpus,
        };
        let mut counts: Vec<usize> = self.threads.iter().map(count).collect();
        if counts.is_empty() {
            counts = choice::thread_counts(cpus);
        }
        counts.sort_unstable();
        let threads = counts.into_iter().map(|threads| match self.beside.as_str() {
            SAME => Size { threads, ..Size::ONE },
            _ => Size { others: threads - 1, ..Size::ONE },
        });
        let processes = self.processes.iter().map(|&processes| Size { processes, ..Size::ONE });
        let mut sizes = vec![Size::ONE];
        for size in threads.chain(processes) {
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        sizes
    }

    /// What stands beside each of `rows`; nothing where all threads do the same. Rows of a
    /// library that has none of it are left out.
    fn company(&self, shelf: &Shelf, rows: &mut Vec<Row>) -> Result<Vec<Company>, Fault> {
        match self.beside.as_str() {
            SAME => return Ok(Vec::new()),
            MEMORY => return Ok(rows.iter().map(|_| Company::Memory).collect()),
            _ => {}
        }
        let selection = Selection {
            selectors: self.beside.split_whitespace().map(str::to_owned).collect(),
            backends: vec!["default".to_owned()],
            sizes: vec![USUAL_SIZE],
            ..Selection::default()
        };
        let offers = selection.select(shelf)?;
        let beside = |row: &Row| {
            let own = offers.iter().filter(|(label, _)| *label == row.subject.library);
            let mut found = own.filter_map(|(label, offer)| {
                let length = selection.lengths(offer).last().copied()?;
                Some(selection.row_at(label, offer, vec![length]))
            });
            found.next()
        };
        let mut company = Vec::new();
        rows.retain(|row| {
            let found = beside(row);
            let is_there = found.is_some();
            company.extend(found.map(|row| Company::Calls(Box::new(row))));
            if !is_there {
                let library = &row.subject.library;
                output::inform(&format!("{library} has no {} to put beside", self.beside));
            }
            is_there
        });
        match rows.is_empty() {
            true => Err(Fault::NotMeasured(format!(
                "none of the libraries has {} beside what was selected; see cpb list",
                self.beside
            ))),
            false => Ok(company),
        }
    }

    /// A row for every length of everything selected.
    fn rows(&self, shelf: &Shelf) -> Result<Vec<Row>, Fault> {
        let backends =
            if self.backend.is_empty() { vec!["default".to_owned()] } else { self.backend.clone() };
        let selection = Selection {
            selectors: self.selectors.clone(),
            backends,
            contract: match self.contract {
                ContractArgument::Keyed => Contract::Keyed,
                ContractArgument::Oneshot => Contract::Oneshot,
            },
            sizes: self.size.clone(),
            ..Selection::default()
        };
        let with_usual = Selection { sizes: vec![USUAL_SIZE], ..selection.clone() };
        let mut rows = Vec::new();
        for (label, offer) in selection.select(shelf)? {
            let is_usual = self.size.is_empty() && !offer.operation.is_public_key();
            let sized = if is_usual { &with_usual } else { &selection };
            let lengths = sized.lengths(offer).into_iter();
            rows.extend(lengths.map(|length| sized.row_at(&label, offer, vec![length])));
        }
        if rows.is_empty() {
            return Err(Fault::NotMeasured(
                "none of the libraries and backends asked for has what was selected at such a \
                 length; see cpb list"
                    .to_owned(),
            ));
        }
        selection::in_order(&mut rows);
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_are_numbers_or_all() {
        assert_eq!((threads("4"), threads("ALL")), (Ok(Threads::Count(4)), Ok(Threads::All)));
        for wrong in ["0", "-1", "x", "", "4097", "1.5"] {
            assert!(threads(wrong).unwrap_err().contains("or all"), "{wrong}");
            assert!(processes(wrong).unwrap_err().contains("from 1"), "{wrong}");
            assert!(rounds(wrong).unwrap_err().contains("from 1"), "{wrong}");
        }
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
