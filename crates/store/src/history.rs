//! Reads lists of runs, series and machines, and histories.

use crate::database::{Row, Value, all, number, values};
use crate::series::setup_of;
use crate::{Build, Machine, Series, State, Store, StoreError, from_json};
use cpb_model::{Figure, Interval, NotAWorkload, harmless};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A run, as in lists.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEntry {
    /// Its number in this store.
    pub number: i64,
    /// Its UUID.
    pub id: String,
    /// Its label, if it has one.
    pub label: Option<String>,
    /// Seconds since 1970 at the start.
    pub started: i64,
    /// Wall-clock seconds it took.
    pub seconds: f64,
    /// Version of cpb.
    pub version: String,
    /// Revision of cpb's sources, if known.
    pub revision: Option<String>,
    /// The CPU.
    pub machine: String,
    /// The machine's name, as in [`Machine`]; absent if the run does not record it.
    pub machine_id: Option<String>,
    /// The clock's name; absent if none was calibrated.
    pub clock: Option<String>,
    /// The kernel's release; absent if the run does not record it.
    pub kernel: Option<String>,
    /// The revision of the CPU's microcode; absent if the run does not record it.
    pub microcode: Option<String>,
    /// The command line.
    pub command: Vec<String>,
    /// The name of the estimator of its figures; absent for the first one.
    pub estimator: Option<String>,
    /// Number of records.
    pub records: i64,
    /// Number of records without figures.
    pub failures: i64,
}

impl RunEntry {
    /// Returns the cpb that measured it: `0.1.0 (83b1d5a)`.
    pub fn program(&self) -> String {
        match &self.revision {
            Some(revision) => format!("{} ({revision})", self.version),
            None => self.version.clone(),
        }
    }
}

/// A figure of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The run's number.
    pub run: i64,
    /// The build of the library that was measured.
    pub build: Arc<Build>,
    /// The figure, in the series' unit.
    pub figure: Figure,
}

/// The confidence of all saved intervals.
const CONFIDENCE: f64 = 0.95;

/// The memory limit for the texts of a list; a thousand runs take a megabyte.
const MOST_TEXT: usize = 64 << 20;

/// The most primitives whose runs are listed one primitive at a time.
const MOST_PRIMITIVES: usize = 8;

/// If more than one in this many runs is wanted, all are listed.
const FEW_OF_MANY: i64 = 8;

/// The columns of a [`RunEntry`].
macro_rules! list_of_runs {
    () => {
        "SELECT runs.number, runs.id, label, started, seconds, version, revision, runs.machine,
                clock, command, records, failures, machines.id, states.kernel, states.microcode,
                runs.estimator
         FROM runs LEFT JOIN states ON states.run = runs.number
                   LEFT JOIN machines ON machines.number = states.machine"
    };
}
pub(crate) use list_of_runs;

/// The columns of a [`Series`].
macro_rules! list_of_series {
    ($which:literal) => {
        concat!(
            "SELECT number, workload, lengths, method, library, spelling, backend, unit, setup
             FROM series ",
            $which,
            " ORDER BY primitive, workload, setup, library, backend, spelling, method, lengths"
        )
    };
}

/// Reads texts from rows, made harmless, up to a limit.
pub(crate) struct Texts {
    left: Cell<usize>,
}

impl Texts {
    pub(crate) fn new() -> Self {
        Self { left: Cell::new(MOST_TEXT) }
    }

    pub(crate) fn text(&self, row: &dyn Row, column: usize) -> Result<String, String> {
        Ok(self.optional(row, column)?.unwrap_or_default())
    }

    pub(crate) fn optional(&self, row: &dyn Row, column: usize) -> Result<Option<String>, String> {
        let Some(text) = row.text(column)? else { return Ok(None) };
        let left = self.left.get().checked_sub(text.len() + size_of::<RunEntry>());
        self.left.set(left.ok_or("more is listed than cpb saves")?);
        Ok(Some(harmless(text).into_owned()))
    }
}

impl Store {
    /// Returns every run by start, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs(&self) -> Result<Vec<RunEntry>, StoreError> {
        // Sorted here: PostgreSQL would sort so many long rows on disk.
        let mut runs = self.listed(list_of_runs!(), &[])?;
        sort(&mut runs);
        Ok(runs)
    }

    /// Returns the runs with a figure of one of `primitives`, in the same order. With many
    /// thousands of runs, listing all takes longer than reading their figures.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs_of(&self, primitives: &BTreeSet<&str>) -> Result<Vec<RunEntry>, StoreError> {
        // Then listing all is not slower.
        if primitives.len() > MOST_PRIMITIVES {
            return self.runs();
        }
        let mut numbers = HashSet::new();
        for primitive in primitives {
            let query = "SELECT DISTINCT run FROM figures WHERE series IN
                             (SELECT number FROM series WHERE primitive = $1)";
            numbers
                .extend(all(self.database(), query, &values![*primitive], |row| row.integer(0))?);
        }
        // One by one, each costs as much as several in a list.
        let count = number(self.database(), "SELECT count(*) FROM runs", &[])?.unwrap_or(0);
        if numbers.len() as i64 > count / FEW_OF_MANY {
            let mut runs = self.runs()?;
            runs.retain(|run| numbers.contains(&run.number));
            return Ok(runs);
        }
        let mut runs = Vec::new();
        for primitive in primitives {
            let query = concat!(
                list_of_runs!(),
                " WHERE runs.number IN (SELECT run FROM figures WHERE series IN
                      (SELECT number FROM series WHERE primitive = $1))"
            );
            runs.extend(self.listed(query, &values![*primitive])?);
        }
        sort(&mut runs);
        runs.dedup_by_key(|run| run.number);
        Ok(runs)
    }

    pub(crate) fn listed(
        &self,
        query: &'static str,
        parameters: &[Value<'_>],
    ) -> Result<Vec<RunEntry>, StoreError> {
        let texts = Texts::new();
        all(self.database(), query, parameters, |row| {
            let command = texts.text(row, 9)?;
            Ok(RunEntry {
                number: row.integer(0)?,
                id: texts.text(row, 1)?,
                label: texts.optional(row, 2)?,
                started: row.integer(3)?,
                seconds: row.real(4)?.unwrap_or_default(),
                version: texts.text(row, 5)?,
                revision: texts.optional(row, 6)?,
                machine: texts.text(row, 7)?,
                clock: texts.optional(row, 8)?,
                // Only shown: what is not a list of words counts as one word.
                command: from_json(command.as_bytes()).unwrap_or_else(|_| vec![command]),
                records: row.integer(10)?,
                failures: row.integer(11)?,
                machine_id: texts.optional(row, 12)?,
                kernel: texts.optional(row, 13)?,
                microcode: texts.optional(row, 14)?,
                estimator: texts.optional(row, 15)?,
            })
        })
    }

    /// Returns every series, by primitive, workload, library and backend.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn series(&self) -> Result<Vec<Series>, StoreError> {
        self.listed_series(list_of_series!(""), &[])
    }

    /// Returns the series of one primitive, in the same order.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn series_of(&self, primitive: &str) -> Result<Vec<Series>, StoreError> {
        self.listed_series(list_of_series!("WHERE primitive = $1"), &values![primitive])
    }

    fn listed_series(
        &self,
        query: &'static str,
        parameters: &[Value<'_>],
    ) -> Result<Vec<Series>, StoreError> {
        let texts = Texts::new();
        all(self.database(), query, parameters, |row| {
            Ok(Series {
                number: row.integer(0)?,
                workload: texts.text(row, 1)?.parse().map_err(|it: NotAWorkload| it.to_string())?,
                lengths: texts.text(row, 2)?,
                method: texts.text(row, 3)?,
                library: texts.text(row, 4)?,
                spelling: texts.text(row, 5)?,
                backend: texts.text(row, 6)?,
                unit: texts.text(row, 7)?,
                setup: setup_of(&texts.text(row, 8)?)?,
            })
        })
    }

    /// Returns every machine with its states, each in order of first occurrence.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn machines(&self) -> Result<Vec<(Machine, Vec<State>)>, StoreError> {
        let texts = Texts::new();
        let mut machines: Vec<(Machine, Vec<State>)> = Vec::new();
        self.database().rows(
            "SELECT machines.id, architecture, cpu, cpu_id, hypervisor, kernel, microcode, cpus,
                    count(DISTINCT boot), count(*), min(started), max(started)
             FROM states JOIN runs ON runs.number = states.run
                         JOIN machines ON machines.number = states.machine
             GROUP BY machines.id, architecture, cpu, cpu_id, hypervisor, kernel, microcode, cpus
             ORDER BY min(started), machines.id, max(started), kernel, microcode, cpus",
            &[],
            &mut |row| {
                let (machine, state) = read_state(&texts, row)?;
                match machines.iter_mut().find(|(known, _)| known.id == machine.id) {
                    Some((_, states)) => states.push(state),
                    None => machines.push((machine, vec![state])),
                }
                Ok(())
            },
        )?;
        Ok(machines)
    }

    /// Returns the figures of a series, by the number of the run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history(&self, series: &Series) -> Result<Vec<Reading>, StoreError> {
        self.history_within(series, i64::MIN..=i64::MAX)
    }

    /// Works like [`Store::history`], for the runs in `numbers`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history_within(
        &self,
        series: &Series,
        numbers: RangeInclusive<i64>,
    ) -> Result<Vec<Reading>, StoreError> {
        let texts = Texts::new();
        // Most runs have the build of the run before.
        let last: RefCell<Arc<Build>> = RefCell::default();
        all(
            self.database(),
            "SELECT figures.run, estimate, low, high, version, path, digest, revision
             FROM figures LEFT JOIN builds ON builds.run = figures.run AND builds.number = build
             WHERE series = $1 AND figures.run BETWEEN $2 AND $3
             ORDER BY figures.run, position",
            &values![series.number, *numbers.start(), *numbers.end()],
            |row| {
                let estimate = row.real(1)?.unwrap_or(f64::NAN);
                let figure = match [row.real(2)?, row.real(3)?] {
                    [Some(low), Some(high)] => {
                        Figure::new(estimate, Some(Interval { low, high, confidence: CONFIDENCE }))
                    }
                    // An upper bound only has an upper end.
                    [None, Some(_)] => Figure::at_most(estimate),
                    _ => Figure::new(estimate, None),
                };
                let mut last = last.borrow_mut();
                if !is_build(row, &last)? {
                    *last = Arc::new(Build {
                        version: texts.text(row, 4)?,
                        path: texts.text(row, 5)?,
                        digest: texts.text(row, 6)?,
                        revision: texts.text(row, 7)?,
                    });
                }
                Ok(Reading { run: row.integer(0)?, build: Arc::clone(&last), figure })
            },
        )
    }
}

fn read_state(texts: &Texts, row: &dyn Row) -> Result<(Machine, State), String> {
    let machine = Machine {
        id: texts.text(row, 0)?,
        architecture: texts.text(row, 1)?,
        cpu: texts.optional(row, 2)?,
        cpu_id: texts.optional(row, 3)?,
        hypervisor: texts.optional(row, 4)?,
    };
    let state = State {
        kernel: texts.optional(row, 5)?,
        microcode: texts.optional(row, 6)?,
        cpus: row.integer(7)?,
        boots: row.integer(8)?,
        runs: row.integer(9)?,
        first: row.integer(10)?,
        last: row.integer(11)?,
    };
    Ok((machine, state))
}

/// Whether `row` of a history has this build.
fn is_build(row: &dyn Row, build: &Build) -> Result<bool, String> {
    let Build { version, path, digest, revision } = build;
    for (column, known) in (4..).zip([version, path, digest, revision]) {
        if row.text(column)?.unwrap_or_default() != known {
            return Ok(false);
        }
    }
    Ok(true)
}

fn sort(runs: &mut [RunEntry]) {
    runs.sort_by_key(|run| (run.started, run.number));
}
