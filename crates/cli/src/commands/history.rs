//! `cpb history`: figures over time.

use crate::arguments::{self, StoreArgument, unknown};
use crate::cli_error::CliError;
use crate::export::{Exporting, Format};
use crate::{output, saved};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use cpb_engine::selection::{self, Key};
use cpb_history::{Changes, History, HistorySegment, SavedRuns, Timeline};
use cpb_model::{Contract, Estimator, Lengths, Offer};
use cpb_report::number::counted;
use cpb_store::{Name, RunEntry, Series, Store, lane};
use std::collections::BTreeSet;

/// List the saved runs, or a primitive's figures in them
///
/// Without a SELECTOR, lists the saved runs. With one (as for cpb run), shows
/// the figures of each implementation from run to run, with the change to the
/// one before; of each machine (see cpb machines) and clock apart. A key with
/// parameters, such as aes-128-gcm/seal+aad=13, means that workload alone. A
/// library's new version or build continues its history; builds that are
/// measured side by side have one each, by name or path. With --changes, the
/// runs since which an implementation costs more or less than before, and what
/// else changed then: version, commit, build, path, kernel and the like.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What was measured.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// Only of this library, as for cpb run.
    #[arg(long, value_name = "LABEL", requires = "selectors")]
    library: Option<String>,
    /// Only of this backend.
    #[arg(long, value_name = "NAME", requires = "selectors")]
    backend: Option<String>,
    /// Only of this machine, by its name or the start of it (cpb machines lists
    /// them).
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    machine: Option<String>,
    /// Only the last N runs (of each implementation).
    #[arg(long, value_name = "N", value_parser = arguments::runs, allow_negative_numbers = true)]
    last: Option<u32>,
    /// Show only where figures stepped and stayed.
    #[arg(long, requires = "selectors")]
    changes: bool,
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let mut store = saved::open(&arguments.store)?;
    if store.find(Name::Latest { before: 0 })?.is_none() {
        output::inform("no runs are saved yet");
    }
    if arguments.selectors.is_empty() {
        let runs = arguments.of_machine(store.runs()?)?;
        exporter.write(&SavedRuns(last(&runs, arguments.last)))?;
        return Ok(0);
    }
    let series = arguments.series(&store)?;
    let primitives = series.iter().map(|it| it.workload.primitive.as_str()).collect();
    let runs = arguments.of_machine(store.runs_of(&primitives)?)?;
    renew(&mut store, &runs);
    let timeline = Timeline::of(arguments.of_machine(store.runs_of(&primitives)?)?);
    let mut stretches: Vec<HistorySegment> = Vec::new();
    for series in &series {
        stretches.extend(timeline.stretches(series, store.history(series)?));
    }
    stretches.retain(|it| arguments.library.as_deref().is_none_or(|label| it.series.has(label)));
    if stretches.is_empty() && !timeline.runs().is_empty() {
        return Err(nothing());
    }
    for HistorySegment { entries, .. } in &mut stretches {
        entries.drain(..entries.len() - last(entries, arguments.last).len());
    }
    if arguments.changes {
        exporter.write(&Changes::of(&stretches))?;
    } else {
        exporter.write(&History(&stretches))?;
    }
    Ok(0)
}

/// Recomputes figures of an earlier estimator in those `runs`, once for all histories. If that is
/// impossible, they form histories of their own.
fn renew(store: &mut Store, runs: &[RunEntry]) {
    let earlier = runs.iter().filter(|run| run.estimator.is_none()).map(|run| run.number);
    match store.renew_figures(&earlier.collect::<Vec<i64>>()) {
        Ok(0) => {}
        Ok(count) => output::inform(&format!(
            "the figures of {} were recomputed from their raw samples: {}, as all figures are now",
            counted(count, "saved run"),
            Estimator::CURRENT.describe()
        )),
        Err(error) => {
            output::warn(&format!(
                "earlier figures cannot be recomputed, and are shown apart: {error}"
            ));
        }
    }
}

fn last<T>(all: &[T], count: Option<u32>) -> &[T] {
    let skipped = count.map_or(0, |count| all.len().saturating_sub(count as usize));
    &all[skipped..]
}

impl Arguments {
    /// Returns those of `runs` that are of the requested machine.
    fn of_machine(&self, mut runs: Vec<RunEntry>) -> Result<Vec<RunEntry>, CliError> {
        let Some(machine) = self.machine.as_deref().filter(|_| !runs.is_empty()) else {
            return Ok(runs);
        };
        let is_of =
            |run: &RunEntry| run.machine_id.as_ref().is_some_and(|id| id.starts_with(machine));
        if !runs.iter().any(is_of) {
            let known = runs.iter().filter_map(|run| run.machine_id.as_deref());
            return Err(unknown("machine", machine, known.collect::<BTreeSet<&str>>()));
        }
        runs.retain(is_of);
        Ok(runs)
    }

    fn series(&self, store: &Store) -> Result<Vec<Series>, CliError> {
        let all: Vec<(Series, Offer)> =
            store.series()?.into_iter().map(|it| (it.clone(), offer(&it))).collect();
        for selector in &self.selectors {
            if selector.contains('/') {
                let key = Key::parse(selector).map_err(CliError::Usage)?;
                if !key.lengths.is_empty() {
                    let key = key.workload;
                    return Err(usage!("a history is of all lengths; leave them out: '{key}'"));
                }
            }
            if !all.iter().any(|it| is_meant(selector, it)) {
                if selection::may_be_absent(selector) || all.is_empty() {
                    return Err(not_measured!("no saved run has '{selector}'"));
                }
                let words = selection::vocabulary(all.iter().map(|(_, offer)| offer));
                return Err(unknown("selector", selector, words.iter().map(String::as_str)));
            }
        }
        let known = |kind: &str, asked: Option<&str>, name: fn(&Series) -> &str| {
            let mut names: Vec<&str> = all.iter().map(|(series, _)| name(series)).collect();
            names.sort_unstable();
            names.dedup();
            match asked.filter(|asked| !names.contains(asked)) {
                Some(asked) => Err(unknown(kind, asked, names)),
                None => Ok(()),
            }
        };
        let (library, backend) = (self.library.as_deref(), self.backend.as_deref());
        known("library", library.map(lane).as_deref(), |series| &series.library)?;
        known("backend", backend, |series| &series.backend)?;
        let chosen: Vec<Series> = all
            .into_iter()
            .filter(|it @ (series, _)| {
                selection::together(&self.selectors, |selector| is_meant(selector, it))
                    && library.is_none_or(|library| series.library == lane(library))
                    && backend.is_none_or(|backend| series.backend == backend)
            })
            .map(|(series, _)| series)
            .collect();
        if chosen.is_empty() { Err(nothing()) } else { Ok(chosen) }
    }
}

/// Whether `selector` means a series. A key with parameters means only that workload.
fn is_meant(selector: &str, (series, offer): &(Series, Offer)) -> bool {
    let key = Key::of(selector).map(|key| key.workload);
    let Some(key) = key.filter(|key| key.contract != Contract::Keyed || selector.contains('+'))
    else {
        return selection::matches(selector, offer);
    };
    key == series.workload
}

fn nothing() -> CliError {
    usage!("no saved run has that with this library and backend; leave one of them out")
}

/// Represents a series as an offer, for selectors.
fn offer(series: &Series) -> Offer {
    let workload = &series.workload;
    Offer {
        spelling: series.spelling.clone(),
        backend: series.backend.clone(),
        default_backend: false,
        ..Offer::new(&workload.primitive, workload.operation, Lengths::default())
    }
}
