//! Verifies results first in a run: every row runs once, and its output is judged.

pub(crate) mod answers;
mod keys;
mod lengths;

use crate::failures::{interrupted, no_time, not_run};
use crate::file_digest::file_digest;
use crate::implementation::Implementation;
use crate::plan::Plan;
use crate::plan::library::LibrarySpec;
use crate::workers::machine::Worker as _;
use crate::workers::process::Worker;
use crate::workers::protocol::{Accept, AcceptanceReply, Check, KeyProof};
use crate::workers::time_limits::Bounds;
use answers::Answer;
use cpb_model::{CallSpec, Failure, LibraryBuild, Operation, Verification};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// The verification of each row of the plan.
pub(crate) struct Verified {
    pub(crate) rows: Vec<Result<Verification, Failure>>,
    /// The libraries that could be opened.
    pub(crate) libraries: Vec<LibraryBuild>,
}

/// An implementation to run once.
struct Subject<'a> {
    spec: &'a LibrarySpec,
    implementation: Implementation,
    group: usize,
    /// Its row in the plan; `None` if it serves only as a cross-check.
    row: Option<usize>,
    outputs: Result<Vec<String>, Failure>,
    /// The proofs of each call of an operation with key pairs.
    keys: Vec<KeyProof>,
    /// Whether whoever built it checked it against published answers.
    is_proved: bool,
}

impl<'a> Subject<'a> {
    fn new(spec: &'a LibrarySpec, implementation: Implementation, group: usize) -> Self {
        let (outputs, keys) = (Err(not_run()), Vec::new());
        Self { spec, implementation, group, row: None, outputs, keys, is_proved: false }
    }
}

/// Calls that are the same for several implementations.
struct Group {
    primitive: String,
    operation: Operation,
    workloads: Vec<CallSpec>,
}

/// Runs and judges every row, until `stop` is set or time is up, and reports progress to `told`:
/// how many are done, and their total.
pub(crate) fn verify(
    plan: &Plan,
    bounds: Bounds,
    stop: &AtomicBool,
    told: &mut dyn FnMut(u64, u64),
) -> Verified {
    let (mut subjects, groups) = rows(plan);
    subjects.extend(cross_checks(plan, &groups));
    // If time is short, some rows are verified with all their cross-checks, instead of all with
    // none.
    subjects.sort_by_key(|subject| subject.group);

    let mut checking = Checking::new(plan, bounds);
    let expected = subjects.len() as u64;
    let (mut group, mut is_late) = (None, false);
    for (done, subject) in subjects.iter_mut().enumerate() {
        if group.replace(subject.group) != Some(subject.group) {
            is_late = bounds.are_over();
        }
        // Even within a group: from here on, workers would answer too late.
        is_late |= bounds.are_long_over();
        let no_more = stop.load(Ordering::Relaxed).then(interrupted);
        if let Some(reason) = no_more.or_else(|| is_late.then(no_time)) {
            subject.outputs = Err(reason);
            continue;
        }
        told(done as u64, expected);
        checking.check(subject, &groups[subject.group]);
    }
    let rows = judge(plan, &groups, &subjects, &mut checking);
    Verified { rows, libraries: checking.libraries }
}

/// Keeps one worker per library while everything is checked.
struct Checking<'a> {
    plan: &'a Plan,
    bounds: Bounds,
    workers: HashMap<String, Worker>,
    /// The libraries that could be opened.
    libraries: Vec<LibraryBuild>,
}

impl<'a> Checking<'a> {
    fn new(plan: &'a Plan, bounds: Bounds) -> Self {
        Self { plan, bounds, workers: HashMap::new(), libraries: Vec::new() }
    }

    /// Runs the calls of the subject's `group` once each.
    fn check(&mut self, subject: &mut Subject<'_>, group: &Group) {
        let label = subject.spec.label();
        let check = Check {
            implementation: subject.implementation.clone(),
            workloads: group.workloads.clone(),
            case_bytes: keys::case_bytes(&self.plan.cross_checks, &label, &group.primitive),
        };
        match self.ask(&label, |worker| worker.check(check)) {
            Ok(checked) => {
                subject.is_proved = checked.iter().all(|checked| checked.is_proved);
                subject.keys = checked.iter().filter_map(|checked| checked.keys.clone()).collect();
                subject.outputs = Ok(checked.into_iter().map(|checked| checked.output).collect());
            }
            Err(failure) => subject.outputs = Err(failure),
        }
    }

    /// Asks the library with this label whether it accepts a case.
    fn accept(&mut self, label: &str, accept: Accept) -> AcceptanceReply {
        self.ask(label, |worker| worker.accept(accept)).unwrap_or(AcceptanceReply::CannotSay)
    }

    fn ask<T>(
        &mut self,
        label: &str,
        ask: impl FnOnce(&mut Worker) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let spec = self.plan.libraries.iter().find(|spec| spec.label() == label);
        let spec = spec.ok_or_else(not_run)?;
        if !self.workers.contains_key(label) {
            let (worker, mut id, _) = Worker::start(spec, false, None, self.bounds)?;
            // Reading large files takes time, which none is left for after the measurement.
            id.digest = id.path.as_deref().and_then(file_digest);
            if !self.libraries.contains(&id) {
                self.libraries.push(id);
            }
            self.workers.insert(label.to_owned(), worker);
        }
        let worker = self.workers.get_mut(label).ok_or_else(not_run)?;
        let answer = ask(worker);
        if worker.is_gone() {
            self.workers.remove(label);
        }
        answer
    }
}

/// Returns the libraries of the plan by label.
fn specs(plan: &Plan) -> HashMap<String, &LibrarySpec> {
    plan.libraries.iter().map(|spec| (spec.label(), spec)).collect()
}

/// Returns the plan's rows as subjects, with their groups.
fn rows(plan: &Plan) -> (Vec<Subject<'_>>, Vec<Group>) {
    let specs = specs(plan);
    let mut groups: Vec<Group> = Vec::new();
    let mut index: HashMap<(String, Operation, Vec<CallSpec>), usize> = HashMap::new();
    let mut subjects = Vec::new();
    for (row_index, row) in plan.rows.iter().enumerate() {
        let Some(spec) = specs.get(&row.subject.library) else { continue };
        let (primitive, operation) = (row.subject.primitive.clone(), row.subject.operation);
        let workloads = row.checks();
        let key = (primitive.clone(), operation, workloads.clone());
        let group = *index.entry(key).or_insert_with(|| {
            groups.push(Group { primitive, operation, workloads });
            groups.len() - 1
        });
        let implementation = Implementation::of_subject(&row.subject);
        subjects
            .push(Subject { row: Some(row_index), ..Subject::new(spec, implementation, group) });
    }
    (subjects, groups)
}

/// Returns implementations that are not measured, to cross-check those that are.
fn cross_checks<'a>(plan: &'a Plan, groups: &[Group]) -> Vec<Subject<'a>> {
    let specs = specs(plan);
    let measured: HashSet<(&str, Implementation)> = plan
        .rows
        .iter()
        .map(|row| (row.subject.library.as_str(), Implementation::of_subject(&row.subject)))
        .collect();
    let mut subjects = Vec::new();
    for (label, offer) in &plan.cross_checks {
        let Some(spec) = specs.get(label) else { continue };
        let implementation = Implementation::of_offer(offer);
        let is_measured = measured.contains(&(label.as_str(), implementation.clone()));
        if is_measured || offer.unavailable.is_some() {
            continue;
        }
        let alike = groups.iter().enumerate().filter(|(_, group)| {
            group.primitive == offer.primitive && group.operation == offer.operation
        });
        let subject = |(group, _)| Subject::new(spec, implementation.clone(), group);
        subjects.extend(alike.map(subject));
    }
    subjects
}

fn judge(
    plan: &Plan,
    groups: &[Group],
    subjects: &[Subject<'_>],
    checking: &mut Checking<'_>,
) -> Vec<Result<Verification, Failure>> {
    let mut verdicts: Vec<Result<Verification, Failure>> =
        plan.rows.iter().map(|_| Err(not_run())).collect();
    let mut members: Vec<Vec<&Subject<'_>>> = groups.iter().map(|_| Vec::new()).collect();
    for subject in subjects {
        members[subject.group].push(subject);
    }
    for (group, members) in groups.iter().zip(members) {
        let given: Vec<Answer<'_>> = members
            .iter()
            .map(|subject| Answer {
                library: subject.spec.library(),
                backend: &subject.implementation.backend,
                outputs: subject.outputs.as_deref().ok(),
            })
            .collect();
        let judged = answers::judge(&group.primitive, group.operation, &given);
        for (subject, verdict) in members.iter().zip(judged) {
            if let Some(row) = subject.row {
                let verdict = match &subject.outputs {
                    Ok(_) if group.operation.is_public_key() => {
                        let opinions = keys::opinions(checking, plan, group, subject, subjects);
                        keys::verdict(group.operation, verdict, &subject.keys, &opinions)
                    }
                    Ok(_) => match verdict {
                        Ok(Verification::Unverified { .. }) if subject.is_proved => {
                            Ok(Verification::KnownAnswer)
                        }
                        verdict => verdict,
                    },
                    Err(failure) => Err(failure.clone()),
                };
                verdicts[row] =
                    verdict.map_err(|failure| lengths::explained(plan, subject, failure));
            }
        }
    }
    verdicts
}
