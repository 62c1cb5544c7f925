//! Tests what every design may rely on, with a design of a few lines and an executor that returns
//! prepared results.

use super::budget::Budget;
use crate::measured::Measured;
use crate::plan::Row;
use crate::progress::Progress;
use crate::schedule::design::{Design, Round, Time};
use crate::schedule::driver::drive;
use crate::schedule::executor::Executor;
use crate::schedule::rows::{Rows, Seen};
use crate::schedule::scheduler::Scheduler;
use crate::selftest;
use crate::simulated::offer;
use cpb_figures::QuietCriterion;
use cpb_model::{Contract, Failure, FailureKind, Parameters, Verification};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Measures rows, in these units, until each has `enough` results.
struct UntilEnough {
    rows: Vec<Row>,
    units: Vec<Vec<usize>>,
    enough: u32,
    brought: Vec<Vec<&'static str>>,
    whole_rounds: u32,
    /// Whether loops of known cycles run after each round.
    is_checked: bool,
}

/// The job of every such loop.
const LOOP: usize = 99;

impl Design for UntilEnough {
    type Job = usize;
    type Taken = &'static str;

    fn row(&self, row: usize) -> &Row {
        &self.rows[row]
    }

    fn round(&mut self, rows: &mut Rows, _seen: Seen<'_>, time: Time) -> Option<Round> {
        let mut units = self.units.clone();
        let lacks = |row: &usize| rows.states[*row].rounds < self.enough && !rows.has_failed(*row);
        units.retain(|unit| time == Time::Left && unit.iter().all(lacks));
        Some(Round { number: self.whole_rounds, units, to_come: 0, sure: 0 })
    }

    fn job(&self, row: usize, _round: u32) -> usize {
        row
    }

    fn take(&mut self, rows: &mut Rows, unit: Vec<(usize, &'static str)>, _seen: Seen<'_>) {
        for (row, taken) in unit {
            rows.states[row].rounds += 1;
            self.brought[row].push(taken);
        }
    }

    fn end_round(&mut self, _rows: &mut Rows, _seen: Seen<'_>, _is_over: bool) {
        self.whole_rounds += 1;
    }

    fn known_loop(&self, _row: &Row, _calls: Option<u64>) -> Option<usize> {
        self.is_checked.then_some(LOOP)
    }
}

/// The time for all jobs, which is over once none is scripted.
const TIME: Duration = Duration::from_secs(6);

/// Returns the results listed here, in turn: `crash` and `noise` are failures.
struct Scripted {
    script: VecDeque<&'static str>,
    asked: Vec<(usize, u64)>,
    rounds: u32,
}

impl Executor for Scripted {
    type Job = usize;
    type Taken = &'static str;

    fn seen(&self) -> Seen<'_> {
        let now = if self.script.is_empty() { TIME } else { Duration::ZERO };
        Seen { now, gate: QuietCriterion::default(), calibrations: &[] }
    }

    fn run(
        &mut self,
        job: &usize,
        patience: Duration,
        _progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<&'static str, Failure> {
        self.asked.push((*job, patience.as_secs()));
        let failed = |kind| Err(Failure { kind, reason: "as written".to_owned() });
        match self.script.pop_front() {
            Some("crash") => failed(FailureKind::Crashed),
            None | Some("noise") => failed(FailureKind::NotMeasured),
            Some(brought) => Ok(brought),
        }
    }

    fn end_round(&mut self) {
        self.rounds += 1;
    }

    fn stolen_and_total(&self) -> Option<(u64, u64)> {
        None
    }

    fn finish(self) -> Measured {
        Measured::default()
    }
}

/// Measures rows in these units until each has `enough` results; `told` gets the progress as text.
fn driven(
    units: &[&[usize]],
    enough: u32,
    script: &[&'static str],
    stop_before: Option<u64>,
) -> (Scheduler<UntilEnough>, Scripted, Vec<String>) {
    driven_beside(units, enough, script, stop_before, false)
}

/// Does the same with or without loops of known cycles.
fn driven_beside(
    units: &[&[usize]],
    enough: u32,
    script: &[&'static str],
    stop_before: Option<u64>,
    is_checked: bool,
) -> (Scheduler<UntilEnough>, Scripted, Vec<String>) {
    let count = units.iter().map(|unit| unit.len()).sum();
    let row = |row: usize| {
        Row::new(&row.to_string(), &offer(), Contract::Keyed, Parameters::default(), vec![1])
    };
    let design = UntilEnough {
        rows: (0..count).map(row).collect(),
        units: units.iter().map(|unit| unit.to_vec()).collect(),
        enough,
        brought: vec![Vec::new(); count],
        whole_rounds: 0,
        is_checked,
    };
    let verdicts = vec![Ok(Verification::KnownAnswer); count];
    let mut scheduler = Scheduler::new(design, verdicts, Budget::maximum(Some(TIME)));
    let mut executor =
        Scripted { script: script.iter().copied().collect(), asked: Vec::new(), rounds: 0 };
    let (stop, told) = (AtomicBool::new(false), RefCell::new(Vec::new()));
    drive(&mut scheduler, &mut executor, &stop, &mut |progress| match progress {
        Progress::Job { row, done, expected } => {
            stop.fetch_or(stop_before == Some(done), Ordering::Relaxed);
            told.borrow_mut().push(format!("{} {done}/{expected}", row.subject.library));
        }
        Progress::Failed { row, .. } => {
            told.borrow_mut().push(format!("{} failed", row.subject.library));
        }
        _ => {}
    });
    (scheduler, executor, told.into_inner())
}

#[test]
fn rounds_go_on_until_the_design_wants_no_more() {
    let (scheduler, executor, told) = driven(&[&[0], &[1]], 2, &["a", "b", "c", "d", "e"], None);
    assert_eq!(scheduler.design.brought, [["a", "c"], ["b", "d"]]);
    // Six seconds are shared by the remaining jobs of a round.
    assert_eq!(executor.asked, [(0, 3), (1, 6), (0, 3), (1, 6)]);
    assert_eq!((executor.rounds, scheduler.design.whole_rounds), (2, 2));
    assert_eq!(told, ["0 0/2", "1 1/2", "0 2/4", "1 3/4"]);
}

#[test]
fn a_unit_counts_whole_or_not_at_all_and_a_crash_costs_its_row_alone() {
    let script = ["a", "crash", "b", "c", "d"];
    let (scheduler, executor, told) = driven(&[&[0, 1], &[2]], 2, &script, None);
    assert_eq!(scheduler.design.brought, [vec![], vec![], vec!["b", "c"]]);
    assert!(scheduler.rows.has_failed(1) && !scheduler.rows.has_failed(0));
    assert_eq!(executor.asked, [(0, 2), (1, 3), (2, 6), (2, 6)]);
    assert_eq!(told, ["0 0/3", "1 1/3", "1 failed", "2 2/3", "2 3/4"]);
}

#[test]
fn noise_is_passing_until_a_row_has_lost_more_rounds_than_it_has() {
    let (scheduler, _, told) = driven(&[&[0]], 2, &["noise", "a", "noise", "b", "c"], None);
    assert_eq!(scheduler.design.brought, [["a", "b"]]);
    assert!(!told.contains(&"0 failed".to_owned()));
    let (scheduler, ..) = driven(&[&[0]], 2, &["noise", "noise", "a"], None);
    assert!(scheduler.rows.has_failed(0));
}

#[test]
fn where_time_is_up_or_the_user_ends_it_the_round_is_not_whole() {
    let (scheduler, executor, _) = driven(&[&[0], &[1]], 2, &["a", "b", "c"], None);
    assert_eq!((executor.rounds, scheduler.design.whole_rounds), (2, 1));
    assert!(!scheduler.rows.is_interrupted);
    let (scheduler, executor, _) = driven(&[&[0], &[1]], 2, &["a", "b", "c", "d", "e"], Some(2));
    assert_eq!(scheduler.design.brought, [vec!["a", "c"], vec!["b"]]);
    assert_eq!((executor.rounds, scheduler.design.whole_rounds), (2, 1));
    assert!(scheduler.rows.is_interrupted);
}

#[test]
fn loops_of_known_cycles_follow_each_of_the_first_rounds_that_are_whole() {
    let loops = selftest::loops().count();
    let asked = |rounds: u32, script: &[&'static str], stop_before| {
        let (_, executor, _) = driven_beside(&[&[0]], rounds, script, stop_before, true);
        executor.asked.into_iter().map(|(job, _)| job).collect::<Vec<_>>()
    };
    // Failures are left out.
    let round = [&["a"][..], &vec!["crash"; loops]].concat();
    let with_loops = [vec![0], vec![LOOP; loops]].concat();
    assert_eq!(asked(6, &round.repeat(6), None), [with_loops.repeat(5), vec![0]].concat());
    // They do not run once time is up, nor after the user's interruption.
    assert_eq!(asked(2, &["a"], None), [0]);
    assert_eq!(asked(2, &round.repeat(2), Some(0)), [0]);
}
