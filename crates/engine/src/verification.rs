//! The first act of a run: every row runs once, and what comes out is judged.

pub(crate) mod answers;

use crate::plan::Plan;
use crate::plan::library::LibrarySpec;
use crate::workers::process::{Bounds, Worker};
use crate::workers::protocol::{Check, Implementation};
use answers::Witness;
use cpb_model::{Failure, FailureKind, LibraryId, Operation, Verification, Workload};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// What became of each row of the plan.
pub(crate) struct Verified {
    pub(crate) rows: Vec<Result<Verification, Failure>>,
    /// The libraries that could be opened.
    pub(crate) libraries: Vec<LibraryId>,
}

/// Something to run once.
struct Subject<'a> {
    spec: &'a LibrarySpec,
    implementation: Implementation,
    group: usize,
    /// The row of the plan; `None` for one that only bears witness.
    row: Option<usize>,
    outputs: Result<Vec<String>, Failure>,
}

/// Workloads that are the same for all that do them.
struct Group {
    primitive: String,
    operation: Operation,
    workloads: Vec<Workload>,
}

/// Runs and judges every row, until `stop` is set or time is up; `told` hears how many
/// are done, and of how many.
pub(crate) fn verify(
    plan: &Plan,
    bounds: Bounds,
    stop: &AtomicBool,
    told: &mut dyn FnMut(u64, u64),
) -> Verified {
    let (mut subjects, groups) = rows(plan);
    subjects.extend(witnesses(plan, &groups));
    // Whoever has no time for all of them has it for some with all their witnesses.
    subjects.sort_by_key(|subject| subject.group);

    let mut libraries = Vec::new();
    let mut workers: HashMap<String, Worker> = HashMap::new();
    let expected = subjects.len() as u64;
    let (mut group, mut is_late) = (None, false);
    for (done, subject) in subjects.iter_mut().enumerate() {
        if group.replace(subject.group) != Some(subject.group) {
            is_late = bounds.are_over();
        }
        let no_more = stop.load(Ordering::Relaxed).then(interrupted);
        if let Some(reason) = no_more.or_else(|| is_late.then(no_time)) {
            subject.outputs = Err(reason);
            continue;
        }
        told(done as u64, expected);
        let label = subject.spec.label();
        if !workers.contains_key(&label) {
            match Worker::start(subject.spec, false, bounds) {
                Ok((worker, id, _)) => {
                    if !libraries.contains(&id) {
                        libraries.push(id);
                    }
                    workers.insert(label.clone(), worker);
                }
                Err(failure) => {
                    subject.outputs = Err(failure);
                    continue;
                }
            }
        }
        let Some(worker) = workers.get_mut(&label) else { continue };
        subject.outputs = worker.check(Check {
            implementation: subject.implementation.clone(),
            workloads: groups[subject.group].workloads.clone(),
        });
        if worker.is_gone() {
            workers.remove(&label);
        }
    }
    Verified { rows: judge(plan, &groups, &subjects), libraries }
}

/// The rows of the plan, and the groups they fall into.
fn rows(plan: &Plan) -> (Vec<Subject<'_>>, Vec<Group>) {
    let specs: HashMap<String, &LibrarySpec> =
        plan.libraries.iter().map(|spec| (spec.label(), spec)).collect();
    let mut groups: Vec<Group> = Vec::new();
    let mut index: HashMap<(String, Operation, Vec<Workload>), usize> = HashMap::new();
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
        subjects.push(Subject {
            spec,
            implementation: Implementation::of_subject(&row.subject),
            group,
            row: Some(row_index),
            outputs: Err(not_run()),
        });
    }
    (subjects, groups)
}

/// Implementations that are not measured, and can vouch for those that are.
fn witnesses<'a>(plan: &'a Plan, groups: &[Group]) -> Vec<Subject<'a>> {
    let specs: HashMap<String, &LibrarySpec> =
        plan.libraries.iter().map(|spec| (spec.label(), spec)).collect();
    let measured: HashSet<(&str, Implementation)> = plan
        .rows
        .iter()
        .map(|row| (row.subject.library.as_str(), Implementation::of_subject(&row.subject)))
        .collect();
    let mut subjects = Vec::new();
    for (label, offer) in &plan.witnesses {
        let Some(spec) = specs.get(label) else { continue };
        let implementation = Implementation::of_offer(offer);
        let is_measured = measured.contains(&(label.as_str(), implementation.clone()));
        if is_measured || offer.unavailable.is_some() {
            continue;
        }
        let alike = groups.iter().enumerate().filter(|(_, group)| {
            group.primitive == offer.primitive && group.operation == offer.operation
        });
        subjects.extend(alike.map(|(group, _)| Subject {
            spec,
            implementation: implementation.clone(),
            group,
            row: None,
            outputs: Err(not_run()),
        }));
    }
    subjects
}

fn judge(
    plan: &Plan,
    groups: &[Group],
    subjects: &[Subject<'_>],
) -> Vec<Result<Verification, Failure>> {
    let mut verdicts: Vec<Result<Verification, Failure>> =
        plan.rows.iter().map(|_| Err(not_run())).collect();
    let mut members: Vec<Vec<&Subject<'_>>> = groups.iter().map(|_| Vec::new()).collect();
    for subject in subjects {
        members[subject.group].push(subject);
    }
    for (group, members) in groups.iter().zip(members) {
        let witnesses: Vec<Witness<'_>> = members
            .iter()
            .map(|subject| Witness {
                library: &subject.spec.name,
                backend: &subject.implementation.backend,
                outputs: subject.outputs.as_deref().ok(),
            })
            .collect();
        let judged = answers::judge(&group.primitive, group.operation, &witnesses);
        for (subject, verdict) in members.iter().zip(judged) {
            if let Some(row) = subject.row {
                verdicts[row] = match &subject.outputs {
                    Ok(_) => verdict,
                    Err(failure) => Err(failure.clone()),
                };
            }
        }
    }
    verdicts
}

/// There was no time for it before Ctrl-C.
pub(crate) fn interrupted() -> Failure {
    Failure { kind: FailureKind::NotMeasured, reason: "interrupted".to_owned() }
}

/// Its turn did not come in time.
#[must_use]
pub fn no_time() -> Failure {
    let reason = "no time was left for it; give more with --max-time, or select less";
    Failure { kind: FailureKind::NotMeasured, reason: reason.to_owned() }
}

pub(crate) fn not_run() -> Failure {
    Failure {
        kind: cpb_model::FailureKind::NotMeasured,
        reason: "its library is not part of the run".to_owned(),
    }
}
