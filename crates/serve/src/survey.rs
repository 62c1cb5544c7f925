//! Finds what takes too long while a reader waits: the machines, library versions and steps of
//! every series. A thread does it when the server starts, and afterwards only for the series of new
//! runs.

use cpb_history::{Change, HistorySegment, Timeline};
use cpb_store::{Machine, Mark, Series, State as MachineState, Store, StoreError, StoreLocation};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The interval at which partial findings are published.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
/// The most steps that are kept, newest first.
const MOST_STEPS: usize = 20_000;
/// The pause after an error.
const PAUSE: Duration = Duration::from_secs(10);

/// The findings about a store.
#[derive(Default)]
pub(crate) struct Findings {
    /// The state of the store that they describe; `None` before the first look.
    pub(crate) mark: Option<Mark>,
    /// A number that changes with the findings.
    pub(crate) generation: u64,
    /// The number of series that were examined, and of all.
    pub(crate) progress: (usize, usize),
    /// The machines with their states.
    pub(crate) machines: Arc<Vec<(Machine, Vec<MachineState>)>>,
    /// The series, in the store's order.
    pub(crate) series: Vec<Arc<SeriesSummary>>,
    /// The steps of all series, newest first.
    pub(crate) steps: Vec<Arc<Stepped>>,
    /// The number of steps that are not kept.
    pub(crate) older_steps: usize,
}

/// A series.
pub(crate) struct SeriesSummary {
    pub(crate) series: Series,
    pub(crate) stretches: Vec<MachineSummary>,
}

/// The figures of a series on one machine with one clock.
pub(crate) struct MachineSummary {
    pub(crate) series: Series,
    pub(crate) machine_id: String,
    pub(crate) readings: usize,
    /// Start and number of the newest run among them.
    pub(crate) last: (i64, i64),
    /// The versions, in the order of their first measurement.
    pub(crate) versions: Vec<Version>,
    steps: Vec<Arc<Stepped>>,
}

/// A library's version in a history.
pub(crate) struct Version {
    pub(crate) name: String,
    /// The start of its first and last run.
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) readings: usize,
    /// The newest figure of that version.
    pub(crate) figure: cpb_model::Figure,
}

/// A step of a history to another level.
pub(crate) struct Stepped {
    pub(crate) series: Series,
    pub(crate) machine: String,
    pub(crate) machine_id: String,
    /// The last run before and the first after it.
    pub(crate) runs: [i64; 2],
    /// The start of the latter.
    pub(crate) started: i64,
    pub(crate) levels: [f64; 2],
    pub(crate) relative: f64,
    /// Describes what else changed.
    pub(crate) words: String,
}

/// Surveys a store as long as it exists.
pub(crate) struct Survey {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    findings: Arc<Findings>,
    /// The state of the store at the last request.
    wanted: Mark,
    is_over: bool,
}

impl Survey {
    pub(crate) fn begin(place: &StoreLocation, mark: Mark, tell: Box<dyn Fn(&str) + Send>) -> Self {
        let findings = Arc::default();
        let state = Mutex::new(State { findings, wanted: mark, is_over: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let (of_thread, place) = (Arc::clone(&shared), place.clone());
        std::thread::spawn(move || of_thread.look_for_ever(&place, &*tell));
        Self { shared }
    }

    /// Returns the current findings, for a request that saw `mark` in the store.
    pub(crate) fn findings(&self, mark: &Mark) -> Arc<Findings> {
        let mut state = self.shared.lock();
        if state.wanted != *mark {
            state.wanted = mark.clone();
            self.shared.changed.notify_all();
        }
        Arc::clone(&state.findings)
    }

    /// Waits until the wanted state is surveyed.
    pub(crate) fn wait(&self) {
        let is_behind = |state: &mut State| {
            !state.is_over && state.findings.mark.as_ref() != Some(&state.wanted)
        };
        drop(self.shared.changed.wait_while(self.shared.lock(), is_behind));
    }
}

impl Drop for Survey {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_for_ever(&self, place: &StoreLocation, tell: &dyn Fn(&str)) {
        loop {
            let is_known = |state: &mut State| {
                !state.is_over && state.findings.mark.as_ref() == Some(&state.wanted)
            };
            let state = self.changed.wait_while(self.lock(), is_known);
            let state = state.unwrap_or_else(PoisonError::into_inner);
            if state.is_over {
                return;
            }
            let (known, wanted) = (Arc::clone(&state.findings), state.wanted.clone());
            drop(state);
            if let Err(error) = self.look(place, &known, &wanted) {
                tell(&format!("the store could not be read, and is tried again soon: {error}"));
                let until_over = |state: &mut State| !state.is_over;
                drop(self.changed.wait_timeout_while(self.lock(), PAUSE, until_over));
            }
        }
    }

    /// Surveys the store's current state, for a request that `wanted` an earlier one.
    fn look(
        &self,
        place: &StoreLocation,
        known: &Findings,
        wanted: &Mark,
    ) -> Result<(), StoreError> {
        let store = Store::open(place)?;
        let mark = store.mark()?;
        let timeline = Timeline::of(store.runs()?);
        let machines = Arc::new(store.machines()?);
        let fresh = fresh(&store, known, &mark, &timeline)?;
        let all = store.series()?;
        let total = all.len();
        let mut found = Vec::with_capacity(total);
        let mut shown = Instant::now();
        for (place, series) in all.into_iter().enumerate() {
            found.push(match fresh.get(&series.number) {
                Some(surveyed) if surveyed.series == series => Arc::clone(surveyed),
                _ => Arc::new(survey(&timeline, series, &store)?),
            });
            if shown.elapsed() > BETWEEN_LOOKS {
                if self.lock().is_over {
                    return Ok(());
                }
                // Earlier findings are complete, and stay until these are.
                if known.mark.is_none() {
                    self.show(None, &machines, &found, (place + 1, total));
                }
                shown = Instant::now();
            }
        }
        let mut state = self.lock();
        // A later request may want a newer state; all others are satisfied.
        if state.wanted == *wanted {
            state.wanted = mark.clone();
        }
        drop(state);
        self.show(Some(mark), &machines, &found, (total, total));
        Ok(())
    }

    fn show(
        &self,
        mark: Option<Mark>,
        machines: &Arc<Vec<(Machine, Vec<MachineState>)>>,
        found: &[Arc<SeriesSummary>],
        progress: (usize, usize),
    ) {
        let briefs = found.iter().flat_map(|it| &it.stretches);
        let mut steps: Vec<Arc<Stepped>> = briefs.flat_map(|it| it.steps.iter().cloned()).collect();
        steps.sort_by_key(|step| std::cmp::Reverse((step.started, step.runs[1])));
        let older_steps = steps.len().saturating_sub(MOST_STEPS);
        steps.truncate(MOST_STEPS);
        let (machines, series) = (Arc::clone(machines), found.to_vec());
        let mut state = self.lock();
        let generation = state.findings.generation + 1;
        state.findings =
            Arc::new(Findings { mark, generation, progress, machines, series, steps, older_steps });
        drop(state);
        self.changed.notify_all();
    }
}

/// Returns the series by number whose figures are unchanged since `known`, which need not be
/// surveyed again: if runs were only added, those without a figure in them.
fn fresh<'a>(
    store: &Store,
    known: &'a Findings,
    mark: &Mark,
    timeline: &Timeline,
) -> Result<HashMap<i64, &'a Arc<SeriesSummary>>, StoreError> {
    let mut series = HashMap::new();
    if let Some(before) = &known.mark {
        let came = timeline.runs().iter().filter(|run| run.number > before.newest).count();
        if mark.runs == before.runs + came as i64 {
            series.extend(known.series.iter().map(|it| (it.series.number, it)));
            for number in store.series_since(before.newest)? {
                series.remove(&number);
            }
        }
    }
    Ok(series)
}

fn survey(timeline: &Timeline, series: Series, store: &Store) -> Result<SeriesSummary, StoreError> {
    let stretches = timeline.stretches(&series, store.history(&series)?);
    let stretches = stretches.iter().map(brief).collect();
    Ok(SeriesSummary { series, stretches })
}

fn brief(stretch: &HistorySegment<'_>) -> MachineSummary {
    let last = stretch.entries.last().map_or((0, 0), |it| (it.run.started, it.run.number));
    MachineSummary {
        series: stretch.series.clone(),
        machine_id: stretch.machine_id.unwrap_or_default().to_owned(),
        readings: stretch.entries.len(),
        last,
        versions: versions(stretch),
        steps: stretch.changes().iter().map(|it| Arc::new(stepped(stretch, it))).collect(),
    }
}

fn versions(stretch: &HistorySegment<'_>) -> Vec<Version> {
    let mut versions: BTreeMap<&str, Version> = BTreeMap::new();
    for entry in &stretch.entries {
        let (name, figure) = (entry.reading.build.version.as_str(), entry.reading.figure);
        let started = entry.run.started;
        let new = || {
            let name = name.to_owned();
            Version { name, first: started, last: started, readings: 0, figure }
        };
        let version = versions.entry(name).or_insert_with(new);
        version.last = started;
        version.figure = figure;
        version.readings += 1;
    }
    let mut versions: Vec<Version> = versions.into_values().collect();
    versions.sort_by_key(|version| version.first);
    versions
}

fn stepped(stretch: &HistorySegment<'_>, change: &Change<'_>) -> Stepped {
    Stepped {
        series: stretch.series.clone(),
        machine: stretch.machine.to_owned(),
        machine_id: stretch.machine_id.unwrap_or_default().to_owned(),
        runs: [change.before.run.number, change.after.run.number],
        started: change.after.run.started,
        levels: [change.step.before, change.step.after],
        relative: change.relative(),
        words: change.describe(),
    }
}

impl Findings {
    /// Whether there is more to find in the store with this `mark`.
    pub(crate) fn are_behind(&self, mark: &Mark) -> bool {
        self.mark.as_ref() != Some(mark)
    }

    /// Counts the steps by a property; those without it do not count.
    pub(crate) fn changes_by<'a>(
        &'a self,
        property: impl Fn(&'a Stepped) -> Option<&'a str>,
    ) -> HashMap<&'a str, usize> {
        let mut changes = HashMap::new();
        for property in self.steps.iter().filter_map(|step| property(step)) {
            *changes.entry(property).or_default() += 1;
        }
        changes
    }

    /// Returns the series of machine `machine`, or of all if it is empty.
    pub(crate) fn of_machine<'a>(
        &'a self,
        machine: &'a str,
    ) -> impl Iterator<Item = (&'a Series, &'a MachineSummary)> {
        let all = self.series.iter();
        let briefs = all.flat_map(|it| it.stretches.iter().map(|brief| (&brief.series, brief)));
        briefs.filter(move |(_, brief)| machine.is_empty() || brief.machine_id == machine)
    }
}
