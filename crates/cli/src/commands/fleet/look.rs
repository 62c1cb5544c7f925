//! Finds the outcome of each node, and saves runs that are not in the store yet.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::{output, saved};
use cpb_fleet::{Fleet, NodeFiles, Slurm, State, Task, TaskOutcome, became};
use cpb_model::{Quiet, Run};
use cpb_store::{Store, StoreError, StoreLocation};
use std::io::ErrorKind;
use std::path::Path;

/// A node, with its outcome.
pub(crate) struct Looked {
    pub(crate) node: String,
    pub(crate) became: TaskOutcome,
    pub(crate) measured: Option<Measured>,
}

/// What a node measured.
pub(crate) struct Measured {
    pub(crate) run: Run,
    /// Its number in the store; `None` if it could not be saved.
    pub(crate) number: Option<i64>,
}

impl Measured {
    pub(crate) fn failures(&self) -> usize {
        self.run.records.iter().filter(|record| record.failure.is_some()).count()
    }

    pub(crate) fn quiet(&self) -> Option<Quiet> {
        self.run.clock.as_ref()?.quiet
    }
}

/// Returns the state of each node of `fleet`, in order.
pub(super) fn states(fleet: &Fleet, folder: &Path) -> Result<Vec<TaskOutcome>, CliError> {
    let files: Vec<NodeFiles> =
        (0..fleet.nodes.len()).map(|place| fleet.files(folder, place)).collect::<Result<_, _>>()?;
    let queued =
        if is_all_done(fleet, &files) { Vec::new() } else { Slurm.queued(&fleet.job_name())? };
    let of = |tasks: &[Task], place: usize| {
        let job = fleet.submission(place)?.job;
        // A job listed twice was restarted: the last line counts.
        tasks.iter().rev().find(|task| task.job == job && task.index == place).cloned()
    };
    let is_explained = |place: usize| files[place].run.is_some() || of(&queued, place).is_some();
    let open = |place: &usize| fleet.submission(*place).is_some() && !is_explained(*place);
    let open = (0..fleet.nodes.len()).filter(open);
    let mut jobs: Vec<u64> = open.filter_map(|it| Some(fleet.submission(it)?.job)).collect();
    jobs.dedup();
    let accounted = if jobs.is_empty() { None } else { Slurm.accounted(&jobs)? };
    let accounted = accounted.unwrap_or_default();
    let state = |(place, files): (usize, &NodeFiles)| match fleet.submission(place) {
        Some(submission) => {
            let (queued, accounted) = (of(&queued, place), of(&accounted, place));
            became(files, submission.job, queued.as_ref(), accounted.as_ref())
        }
        None => TaskOutcome {
            state: State::Absent,
            words: fleet.nodes[place].absent.clone().unwrap_or_default(),
            since: None,
            seconds: None,
            attempts: 0,
        },
    };
    Ok(files.iter().enumerate().map(state).collect())
}

/// Returns the states, with what the nodes measured.
pub(super) fn look(fleet: &Fleet, folder: &Path) -> Result<Vec<Looked>, CliError> {
    let states = states(fleet, folder)?;
    let mut saving = Saving::of(fleet)?;
    let mut looked = Vec::new();
    for (place, mut became) in states.into_iter().enumerate() {
        let node = fleet.nodes[place].name.clone();
        let mut measured = None;
        if let Some(file) = fleet.files(folder, place)?.run {
            match saved::read_file(&file) {
                Ok(run) => {
                    let number = saving.number(&run, &Fleet::node_folder(folder, &node));
                    measured = Some(Measured { run, number });
                }
                // A failure of one node does not affect the others.
                Err(fault) => {
                    became.state = State::Failed;
                    became.words = fault.to_string();
                }
            }
        }
        looked.push(Looked { node, became, measured });
    }
    Ok(looked)
}

fn is_all_done(fleet: &Fleet, files: &[NodeFiles]) -> bool {
    let is_done = |(place, files): (usize, &NodeFiles)| {
        files.run.is_some() || fleet.submission(place).is_none()
    };
    files.iter().enumerate().all(is_done)
}

/// Saves the runs that the nodes did not save.
struct Saving {
    store: StoreArgument,
    open: Option<Store>,
    /// Whether the store was unreachable, which was reported.
    has_failed: bool,
}

impl Saving {
    fn of(fleet: &Fleet) -> Result<Self, CliError> {
        let store = Some(StoreLocation::parse(fleet.store.as_ref()).map_err(StoreError::from)?);
        Ok(Self { store: StoreArgument { store }, open: None, has_failed: false })
    }

    /// Returns the number of `run` in the store; saves it if necessary.
    fn number(&mut self, run: &Run, folder: &Path) -> Option<i64> {
        let mark = NodeFiles::stored_path(folder);
        let noted = match cpb_host::files::read_text(&mark, 1 << 10) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                output::warn(&format!("cannot read '{}': {error}", mark.display()));
                return None;
            }
            read => read.ok().and_then(|text| text.split_whitespace().next()?.parse().ok()),
        };
        if noted.is_some() || self.has_failed {
            return noted;
        }
        match self.save(run) {
            Ok(number) => {
                if let Err(error) = cpb_host::files::write(&mark, &format!("{number} run.json\n")) {
                    output::warn(&format!("cannot write '{}': {error}", mark.display()));
                }
                Some(number)
            }
            Err(fault) => {
                self.has_failed = true;
                output::warn(&format!(
                    "runs are not saved yet, and stay in the fleet run's folder: {fault}"
                ));
                None
            }
        }
    }

    fn save(&mut self, run: &Run) -> Result<i64, CliError> {
        let store = match &mut self.open {
            Some(store) => store,
            none => none.insert(saved::open_or_create(&self.store)?),
        };
        match store.save(run) {
            // Its node sent it, but could not record that.
            Err(StoreError::Present { number }) => Ok(number),
            saved => Ok(saved?),
        }
    }
}
