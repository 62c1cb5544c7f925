//! Verifies results first in a run: every row runs once, and its output is judged.

pub(crate) mod answers;
mod keys;
mod lengths;

use crate::discovery::look_for;
use crate::failures::{interrupted, no_time, not_run};
use crate::file_digest::file_digest;
use crate::implementation::Implementation;
use crate::plan::Plan;
use crate::plan::library::LibrarySpec;
use crate::selftest;
use crate::workers::machine::Worker as _;
use crate::workers::process::Worker;
use crate::workers::protocol::{Accept, AcceptanceReply, Check, KeyProof};
use crate::workers::time_limits::Bounds;
use answers::{Answer, Evidence};
use cpb_model::{CallSpec, Failure, LibraryBuild, Offer, Operation, Verification};
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

    /// Whether it is cpb's own, about which no library decides.
    fn is_self_test(&self) -> bool {
        self.spec.library() == selftest::NAME
    }
}

/// Calls that are the same for several implementations.
struct Group {
    primitive: String,
    operation: Operation,
    workloads: Vec<CallSpec>,
    evidence: Evidence,
}

/// Runs and judges every row, until `stop` is set or time is up, and reports progress to `told`:
/// how many are done, and their total.
pub(crate) fn verify(
    plan: &Plan,
    bounds: Bounds,
    stop: &AtomicBool,
    told: &mut dyn FnMut(u64, u64),
) -> Verified {
    let (mut rows, groups) = rows(plan);
    rows.sort_by_key(|row| row.group);
    let expected = rows.len() as u64;
    let mut checking = Checking::new(plan, bounds);
    let (mut subjects, mut done) = (Vec::new(), 0);
    // If time is short, some rows are verified with all who can tell, instead of all with nobody.
    for members in rows.chunk_by_mut(|one, other| one.group == other.group) {
        let number = members[0].group;
        let group = &groups[number];
        let is_over = bounds.are_over();
        let check = |checking: &mut Checking<'_>, subject: &mut Subject<'_>| {
            let no_more = stop.load(Ordering::Relaxed).then(interrupted);
            // Even within a group workers may answer too late.
            let is_late = is_over || bounds.are_long_over();
            match no_more.or_else(|| is_late.then(no_time)) {
                Some(reason) => subject.outputs = Err(reason),
                None => checking.check(subject, group),
            }
        };
        for row in &mut *members {
            told(done, expected);
            check(&mut checking, row);
            done += 1;
        }
        if members.iter().any(|row| row.outputs.is_ok() && !row.is_self_test()) {
            let mut witnesses = checking.witnesses(group, number);
            witnesses.iter_mut().for_each(|witness| check(&mut checking, witness));
            subjects.extend(witnesses);
        }
    }
    subjects.extend(rows);
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
    /// The implementations of the rows.
    measured: HashSet<(&'a str, Implementation)>,
    /// The labels of the plan's other libraries, and what they offer of the rows' primitives; `None`
    /// if nothing depended on them so far.
    others: Vec<(String, Option<Vec<Offer>>)>,
}

impl<'a> Checking<'a> {
    fn new(plan: &'a Plan, bounds: Bounds) -> Self {
        let subjects = plan.rows.iter().map(|row| &row.subject);
        let measured =
            subjects.map(|it| (it.library.as_str(), Implementation::of_subject(it))).collect();
        let (workers, libraries) = (HashMap::new(), Vec::new());
        let others = plan.others.iter().map(|spec| (spec.label(), None)).collect();
        Self { plan, bounds, workers, libraries, measured, others }
    }

    /// Looks for those other libraries whose outputs may be this evidence, unless time is up.
    fn look_for(&mut self, evidence: Evidence) {
        if self.bounds.are_long_over() {
            return;
        }
        let Self { plan, bounds, others, .. } = self;
        let wanted = |(spec, (_, offers)): &(&LibrarySpec, &mut (String, Option<Vec<Offer>>))| {
            offers.is_none() && evidence.asks(spec.library())
        };
        let (specs, others): (Vec<LibrarySpec>, Vec<_>) = plan
            .others
            .iter()
            .zip(others)
            .filter(wanted)
            .map(|(spec, (_, offers))| (spec.clone(), offers))
            .unzip();
        let primitives: HashSet<&str> =
            plan.rows.iter().map(|row| &*row.subject.primitive).collect();
        for (offers, found) in others.into_iter().zip(look_for(&specs, bounds.to_start())) {
            let mut its = found.contents.map(|(_, offers)| offers).unwrap_or_default();
            its.retain(|offer| primitives.contains(&*offer.primitive));
            *offers = Some(its);
        }
    }

    /// Iterates over what is known to be offered, by the plan's libraries and by others, with their
    /// labels.
    fn offers(&self) -> impl Iterator<Item = (&str, &Offer)> {
        let of_plan = self.plan.offers.iter().map(|(label, offer)| (label.as_str(), offer));
        of_plan.chain(self.others.iter().flat_map(|(label, offers)| {
            offers.iter().flatten().map(move |offer| (label.as_str(), offer))
        }))
    }

    fn spec(&self, label: &str) -> Option<&'a LibrarySpec> {
        let mut all = self.plan.libraries.iter().chain(&self.plan.others);
        all.find(|spec| spec.label() == label)
    }

    /// Returns implementations that are not measured, whose outputs decide about those in `group`
    /// that are.
    fn witnesses(&mut self, group: &Group, number: usize) -> Vec<Subject<'a>> {
        self.look_for(group.evidence);
        let offers = self.offers().filter(|(_, offer)| {
            offer.primitive == group.primitive
                && offer.operation == group.operation
                && offer.unavailable.is_none()
        });
        let witness = |(label, offer): (&str, &Offer)| {
            let spec = self.spec(label)?;
            let implementation = Implementation::of_offer(offer);
            let is_one = group.evidence.includes(spec.library(), &offer.backend);
            let is_measured = self.measured.contains(&(label, implementation.clone()));
            (is_one && !is_measured).then(|| Subject::new(spec, implementation, number))
        };
        offers.filter_map(witness).collect()
    }

    /// Runs the calls of the subject's `group` once each.
    fn check(&mut self, subject: &mut Subject<'_>, group: &Group) {
        let label = subject.spec.label();
        let check = Check {
            implementation: subject.implementation.clone(),
            workloads: group.workloads.clone(),
            case_bytes: keys::case_bytes(self.offers(), &label, &group.primitive),
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
        let spec = self.spec(label).ok_or_else(not_run)?;
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

/// Returns the plan's rows as subjects, with their groups.
fn rows(plan: &Plan) -> (Vec<Subject<'_>>, Vec<Group>) {
    let specs: HashMap<String, &LibrarySpec> =
        plan.libraries.iter().map(|spec| (spec.label(), spec)).collect();
    let mut groups: Vec<Group> = Vec::new();
    let mut index: HashMap<(String, Operation, Vec<CallSpec>), usize> = HashMap::new();
    let mut subjects = Vec::new();
    for (row_index, row) in plan.rows.iter().enumerate() {
        let Some(spec) = specs.get(&row.subject.library) else { continue };
        let (primitive, operation) = (row.subject.primitive.clone(), row.subject.operation);
        let workloads = row.checks();
        let key = (primitive.clone(), operation, workloads.clone());
        let group = *index.entry(key).or_insert_with(|| {
            let evidence = Evidence::of(&primitive, operation);
            groups.push(Group { primitive, operation, workloads, evidence });
            groups.len() - 1
        });
        let implementation = Implementation::of_subject(&row.subject);
        subjects
            .push(Subject { row: Some(row_index), ..Subject::new(spec, implementation, group) });
    }
    (subjects, groups)
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
        let judged = answers::judge(group.evidence, &given);
        for (subject, verdict) in members.iter().zip(judged) {
            if let Some(row) = subject.row {
                let is_proved_by_others =
                    group.operation.is_public_key() && group.evidence == Evidence::Agreement;
                let verdict = match &subject.outputs {
                    Ok(_) if is_proved_by_others => {
                        let opinions = keys::opinions(checking, group, subject, subjects);
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
                    verdict.map_err(|failure| lengths::explained(checking, subject, failure));
            }
        }
    }
    verdicts
}
