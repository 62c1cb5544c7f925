//! Guides every command that measures: options become a plan, the plan a run; the run is printed
//! and saved, and its warnings are reported.

use crate::arguments::{self, Machine, Saving};
use crate::cli_error::{CliError, NOT_MEASURED};
use crate::interrupt::{self, Interrupt};
use crate::library_set::LibrarySet;
use crate::progress::Bar;
use crate::sampling::{self, Time};
use crate::{output, run_record, saved, time_budget};
use cpb_engine::{
    ClockChoice, Compared, LibrarySpec, Measured, Pairing, Plan, Progress, QuietMemory, Rounds,
    Row, SampleFile, Sampling, ScalePlan, Start, describe_host, measure, measure_pairs,
    measure_scaling, recursive,
};
use cpb_model::{Host, Run};
use cpb_oldtools::CalledAs;
use cpb_stats::Question;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The largest share of a time limit for printing and saving, as its divisor.
const SHARE_FOR_SAVING: u32 = 20;

/// The machine, the clock and the CPUs of a command's measurement.
pub(crate) struct MeasurementContext {
    start: Start,
    host: Host,
    clock: ClockChoice,
    cpus: Vec<usize>,
}

impl MeasurementContext {
    /// Creates it from these options.
    pub(crate) fn on(machine: &Machine) -> Result<Self, CliError> {
        Self::begin(machine.counter.as_deref(), machine.cpu_mhz, machine.cpu)
    }

    /// Creates it for the requested CPU and counter, after checking that both work.
    pub(crate) fn begin(
        counter: Option<&str>,
        megahertz: Option<f64>,
        cpu: Option<usize>,
    ) -> Result<Self, CliError> {
        let start = Start::now();
        let host = describe_host();
        let clock = arguments::clock(counter, megahertz)?;
        let mut cpus = arguments::cpus(cpu, &host)?;
        // Nothing looks for a quiet core then, so concurrent runs would all use the same one.
        if QuietMemory::of(&host).assumes_quiet() && !cpus.is_empty() {
            let first = std::process::id() as usize % cpus.len();
            cpus.rotate_left(first);
        }
        Ok(Self { start, host, clock, cpus })
    }

    /// Returns the plan that measures `rows` of `libraries`.
    pub(crate) fn plan(&self, libraries: &LibrarySet, rows: Vec<Row>, sampling: Sampling) -> Plan {
        let measured: HashSet<&str> = rows.iter().map(|row| &*row.subject.primitive).collect();
        // Nothing of another primitive is asked when rows are verified.
        let offers = libraries.offers().filter(|(_, it)| measured.contains(&*it.primitive));
        Plan {
            libraries: libraries.usable(),
            offers: offers.map(|(label, offer)| (label, offer.clone())).collect(),
            others: libraries.others().to_vec(),
            rows,
            sampling,
            clock: self.clock.clone(),
            cpus: self.cpus.clone(),
            memory: QuietMemory::of(&self.host),
            seed: 0,
        }
    }

    /// Returns what is left of `time` for measuring. Printing and saving the results takes about as
    /// long as finding the libraries took.
    pub(crate) fn left_of(&self, time: Duration) -> Duration {
        let elapsed = self.start.elapsed();
        time.saturating_sub(elapsed + elapsed.min(time / SHARE_FOR_SAVING))
    }

    /// Measures, while `watch` receives the progress and `bar` shows it.
    pub(crate) fn run(
        self,
        plan: &Plan,
        stop: &AtomicBool,
        bar: Bar,
        watch: impl Fn(&Bar, Progress<'_>),
    ) -> (Run, SampleFile) {
        let (measured, samples) = measure(plan, stop, &mut |progress| watch(&bar, progress));
        (self.record(plan, measured), samples)
    }

    /// Measures both sides of each pair of `rows`, for at most `max_time`, until the question about
    /// them is decided.
    pub(crate) fn compare(
        self,
        libraries: &LibrarySet,
        rows: Vec<Row>,
        sides: Vec<[LibrarySpec; 2]>,
        (question, precision): (Question, f64),
        (max_time, timeout): (Option<Duration>, Duration),
        stop: &AtomicBool,
    ) -> (Compared, Run, SampleFile) {
        let by_itself = time_budget::COMPARE.of(sides.len());
        let time = max_time.map_or(Time::About(by_itself), Time::AtMost);
        sampling::announce(&rows, time, "--max-time makes");
        let time = (max_time.map(|time| self.left_of(time)), by_itself);
        // The comparison decides the number of rounds.
        let rounds = Rounds::Fixed(1);
        let sampling = sampling::of_rows(sampling::SAMPLES_OF_PAIRS, rounds, time, timeout);
        // The seed differs every time, so that no order of sides repeats.
        let seed = Start::now().since_epoch();
        let plan = Plan { seed, ..self.plan(libraries, rows, sampling) };
        let pairing = Pairing { plan, sides, question, precision };
        let bar = Bar::of(max_time);
        let tell = &mut |progress: Progress<'_>| bar.tell(progress);
        let (mut compared, samples) = measure_pairs(&pairing, stop, tell);
        let run = self.record(&pairing.plan, std::mem::take(&mut compared.measured));
        (compared, run, samples)
    }

    /// Measures concurrent calls.
    pub(crate) fn scale(self, plan: &ScalePlan, stop: &AtomicBool, bar: Bar) -> Run {
        let tell = &mut |progress: Progress<'_>| bar.tell(progress);
        let measured = measure_scaling(plan, &self.host, stop, tell);
        let (seed, precision) = (plan.plan.seed, plan.precision);
        run_record::of(&self.start, self.host, seed, precision, measured)
    }

    /// Measures recursive SHA-256.
    pub(crate) fn recursive(self, plan: &recursive::Plan, stop: &AtomicBool) -> Run {
        let bar = Bar::of(plan.max_time);
        let tell = &mut |progress: Progress<'_>| bar.tell(progress);
        let measured = recursive::measure(plan, &self.host, stop, tell);
        run_record::of(&self.start, self.host, 0, None, measured)
    }

    /// Returns the clock.
    pub(crate) fn clock(&self) -> &ClockChoice {
        &self.clock
    }

    /// Returns the machine.
    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the run record of what `plan` measured.
    fn record(self, plan: &Plan, measured: Measured) -> Run {
        run_record::assemble(&self.start, self.host, plan, measured)
    }
}

/// What happens to a measured run besides printing it.
pub(crate) struct RunOutput<'a> {
    pub(crate) saving: &'a Saving,
    pub(crate) samples: Option<&'a SampleFile>,
    pub(crate) called_as: CalledAs,
    /// Whether warnings about the machine go to standard error.
    pub(crate) warns: bool,
    /// Whether everything requested was available.
    pub(crate) complete: bool,
}

impl RunOutput<'_> {
    /// Saves `run`, whatever became of printing it, and returns the exit status.
    pub(crate) fn end(
        &self,
        run: &Run,
        printed: Result<(), CliError>,
        stop: &Interrupt,
    ) -> Result<u8, CliError> {
        self.tell(run, printed)?;
        Ok(self.status(run, stop))
    }

    /// Saves `run`, and reports its warnings.
    pub(crate) fn tell(&self, run: &Run, printed: Result<(), CliError>) -> Result<(), CliError> {
        saved::save(self.saving, run, self.samples).tell(self.called_as);
        printed?;
        if self.warns {
            run.warnings.iter().for_each(|warning| output::warn(warning));
        }
        Ok(())
    }

    /// Returns the exit status.
    pub(crate) fn status(&self, run: &Run, stop: &Interrupt) -> u8 {
        let all_measured = run.records.iter().all(|record| record.failure.is_none());
        let is_whole = all_measured && self.complete;
        interrupt::status(stop, if is_whole { 0 } else { NOT_MEASURED })
    }
}
