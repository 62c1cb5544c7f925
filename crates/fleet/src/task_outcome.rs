//! Determines the outcome of a node.

use crate::{NodeFiles, Step, Task};
use std::fmt;

cpb_model::named! {
    /// The state of a node.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum State {
        /// Its run exists.
        Done = "done",
        /// Slurm will start it.
        Waits = "waits",
        /// It is running.
        Runs = "runs",
        /// The doctor found that its figures could not be trusted.
        Unfit = "unfit",
        /// It exceeded Slurm's time limit.
        TimedOut = "timed out",
        NodeFailed = "node failed",
        /// It ran out of memory.
        OutOfMemory = "out of memory",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// A program failed.
        Failed = "failed",
        /// The node was unavailable.
        Absent = "absent",
        /// Neither the files nor Slurm say.
        Unknown = "unknown",
    }
}

impl State {
    /// Whether it will proceed without intervention.
    pub fn is_going_on(self) -> bool {
        matches!(self, State::Waits | State::Runs)
    }
}

/// The outcome of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskOutcome {
    pub state: State,
    /// The reason, or the current step; may be empty.
    pub words: String,
    /// Seconds since 1970 at the start of the last attempt.
    pub since: Option<i64>,
    /// Seconds from then to the end; absent while it runs.
    pub seconds: Option<i64>,
    /// Number of attempts.
    pub attempts: usize,
}

/// Describes the state with its reason.
impl fmt::Display for TaskOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.state.name())?;
        if self.words.is_empty() { Ok(()) } else { write!(f, ": {}", self.words) }
    }
}

/// Determines the outcome from a node's files and, for its last submission `job`, from the
/// controller's `queued` task and the `accounted` one.
pub fn became(
    files: &NodeFiles,
    job: u64,
    queued: Option<&Task>,
    accounted: Option<&Task>,
) -> TaskOutcome {
    let steps: Vec<&Step> = files.steps.iter().filter(|step| step.job == job).collect();
    let taken_up = files.steps.iter().rposition(|step| step.word == "doctor");
    let last = files.steps.last();
    let (state, words) = if files.run.is_some() {
        (State::Done, String::new())
    } else {
        let ended = queued.into_iter().chain(accounted).find_map(ending);
        match queued.filter(|task| ended.is_none() || is_active(task)) {
            Some(task) => going_on(task, &steps),
            None => of_the_end(files, &steps, ended),
        }
    };
    let start = queued.or(accounted).and_then(|task| task.start).filter(|_| state != State::Waits);
    let since = match (state, taken_up) {
        (State::Waits, _) => None,
        (State::Done, Some(place)) => Some(files.steps[place].at),
        (_, Some(place)) if files.steps[place].job == job => Some(files.steps[place].at),
        _ => start,
    };
    let ended = match state {
        State::Done => last.map(|step| step.at),
        _ if state.is_going_on() => None,
        _ => {
            let of_slurm = queued.into_iter().chain(accounted).find_map(|task| task.end);
            of_slurm.or(steps.last().map(|step| step.at))
        }
    };
    let seconds = since.zip(ended).map(|(since, ended)| (ended - since).max(0));
    TaskOutcome { state, words, since, seconds, attempts: files.attempts() }
}

/// Whether the task waits or runs.
fn is_active(task: &Task) -> bool {
    const ACTIVE: &str = "PENDING CONFIGURING RUNNING COMPLETING SUSPENDED STOPPED SIGNALING \
                          STAGE_OUT RESIZING REQUEUED REQUEUE_HOLD REQUEUE_FED";
    ACTIVE.split(' ').any(|active| active == task.state)
}

/// Returns how a task ended according to Slurm; `None` if it has not, or Slurm does not know.
fn ending(task: &Task) -> Option<(State, String)> {
    let because = |words: &str| match task.reason.as_str() {
        "" | "None" => words.to_owned(),
        reason => format!("{words} ({reason})"),
    };
    Some(match task.state.as_str() {
        "TIMEOUT" => (State::TimedOut, "Slurm's limit was reached; --time gives more".to_owned()),
        "DEADLINE" => (State::TimedOut, "its deadline had come".to_owned()),
        "NODE_FAIL" | "BOOT_FAIL" => (State::NodeFailed, because("the node went away")),
        "OUT_OF_MEMORY" => (State::OutOfMemory, "the node has not enough memory".to_owned()),
        // The queue's reason is why it waited, not why it ended.
        "CANCELLED" if task.reason.starts_with("by ") => {
            (State::Cancelled, because("ended by scancel"))
        }
        "CANCELLED" => (State::Cancelled, "ended by scancel".to_owned()),
        "PREEMPTED" => (State::Cancelled, "another job took its place".to_owned()),
        "REVOKED" => (State::Cancelled, "another cluster has it".to_owned()),
        "SPECIAL_EXIT" => (State::Failed, because("held by its special exit")),
        "FAILED" | "COMPLETED" => (State::Failed, String::new()),
        _ => return None,
    })
}

fn going_on(task: &Task, steps: &[&Step]) -> (State, String) {
    if matches!(task.state.as_str(), "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "CONFIGURING") {
        let words = match task.reason.as_str() {
            "Resources" => "the node is in use".to_owned(),
            "Priority" => "other jobs come first".to_owned(),
            "BeginTime" => "Slurm begins it again soon".to_owned(),
            "JobHeldUser" => format!("held; scontrol release {} lets it begin", task.job),
            "" | "None" => "for Slurm".to_owned(),
            reason => reason.to_owned(),
        };
        let again =
            if steps.is_empty() { "" } else { "again, since its node failed or it was requeued: " };
        return (State::Waits, format!("{again}{words}"));
    }
    let doing = match steps.last().map(|step| step.word.as_str()) {
        None => "begins",
        Some("doctor") => "the doctor looks at it",
        Some("run") => "measures",
        Some("measured" | "store" | "done") => "saves",
        Some("unfit" | "failed" | "astray") => "ends",
        Some("signal") => "was asked to end",
        Some(_) => "",
    };
    (State::Runs, doing.to_owned())
}

/// Returns why it ended without a run: by its own steps, or else by Slurm.
fn of_the_end(
    files: &NodeFiles,
    steps: &[&Step],
    ended: Option<(State, String)>,
) -> (State, String) {
    let complaint = || {
        let words = files.complaint.as_deref();
        words.map(|words| format!(": {words}")).unwrap_or_default()
    };
    let own = steps.iter().rev().find(|step| step.word != "signal").map(|step| {
        let more = step.more.as_str();
        match step.word.as_str() {
            "unfit" => {
                let words = files.doctor.clone();
                Some((
                    State::Unfit,
                    words.unwrap_or_else(|| format!("cpb doctor says so{}", complaint())),
                ))
            }
            "astray" => Some((State::Failed, format!("Slurm began it on another node, {more}"))),
            "failed" => Some((State::Failed, failed(more) + &complaint())),
            _ => None,
        }
    });
    let is_asked_to_end = steps.last().is_some_and(|step| step.word == "signal")
        || steps.iter().any(|step| step.word == "failed" && step.more.ends_with(" 143"));
    match (own.flatten(), ended) {
        (Some(unfit @ (State::Unfit, _)), _) => unfit,
        (_, Some(ended @ (state, _))) if state != State::Failed => ended,
        (own, _) if is_asked_to_end && own.as_ref().is_none_or(|it| it.1.contains("143")) => (
            State::Failed,
            "it was asked to end (a limit, or scancel); Slurm no longer tells which".to_owned(),
        ),
        (Some(own), _) => own,
        (None, Some(_)) if steps.is_empty() => (
            State::Failed,
            "it ended before its first step: is the fleet's folder there on that node, and \
             writable?"
                .to_owned(),
        ),
        (None, Some(_)) => (State::Failed, format!("it ended in the middle{}", complaint())),
        (None, None) if steps.is_empty() => {
            (State::Unknown, "Slurm does not know it, and it left nothing".to_owned())
        }
        (None, None) => {
            (State::Unknown, "it ended in the middle; Slurm no longer tells why".to_owned())
        }
    }
}

/// Parses `doctor 127`: the program and its exit status.
fn failed(more: &str) -> String {
    let (what, status) = more.split_once(' ').unwrap_or((more, "?"));
    match status {
        "126" | "127" => format!("cpb cannot be run on that node (status {status})"),
        "132" => format!("cpb {what}: this CPU lacks an instruction (status 132)"),
        "137" => format!("cpb {what} was killed (status 137)"),
        _ => format!("cpb {what} ended with status {status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(steps: &str) -> NodeFiles {
        let step = |(at, words): (usize, &str)| {
            let (word, more) = words.split_once(' ').unwrap_or((words, ""));
            let (word, more) = (word.to_owned(), more.to_owned());
            Step { at: 100 + 10 * at as i64, job: 7, word, more }
        };
        let words = steps.split(',').filter(|it| !it.is_empty());
        NodeFiles { steps: words.enumerate().map(step).collect(), ..NodeFiles::default() }
    }

    fn task(state: &str) -> Task {
        let (state, reason) = state.split_once(' ').unwrap_or((state, ""));
        let (state, reason) = (state.to_owned(), reason.to_owned());
        Task { job: 7, index: 0, state, reason, start: Some(95), end: None }
    }

    fn told(steps: &str, queued: &str, accounted: &str) -> (State, String) {
        let task = |state: &str| (!state.is_empty()).then(|| task(state));
        let became = became(&files(steps), 7, task(queued).as_ref(), task(accounted).as_ref());
        (became.state, became.words)
    }

    #[test]
    fn each_end_has_its_reason() {
        use State::*;
        for (steps, queued, accounted, state, words) in [
            ("", "PENDING Resources", "", Waits, "the node is in use"),
            ("", "PENDING ReqNodeNotAvail", "", Waits, "ReqNodeNotAvail"),
            ("doctor,run", "PENDING BeginTime", "NODE_FAIL", Waits, "again, since its node failed"),
            ("doctor", "RUNNING None", "", Runs, "doctor"),
            ("doctor,run", "RUNNING None", "NODE_FAIL", Runs, "measures"),
            ("doctor,unfit", "FAILED NonZeroExitCode", "", Unfit, "cpb doctor says so"),
            ("doctor,unfit", "", "", Unfit, "cpb doctor says so"),
            ("doctor,run", "TIMEOUT TimeLimit", "", TimedOut, "--time gives more"),
            ("doctor,run,failed run 143", "", "TIMEOUT", TimedOut, "limit"),
            ("doctor,run,failed run 143,signal TERM", "", "", Failed, "no longer tells which"),
            ("doctor,run,signal TERM", "", "CANCELLED by 0", Cancelled, "scancel (by 0)"),
            ("doctor,run", "NODE_FAIL None", "", NodeFailed, "went away"),
            ("doctor,run", "", "OUT_OF_MEMORY", OutOfMemory, "memory"),
            ("doctor,failed doctor 127", "FAILED x", "", Failed, "cannot be run on that node"),
            ("doctor,run,failed run 2", "", "", Failed, "cpb run ended with status 2"),
            ("astray n9", "FAILED x", "", Failed, "another node, n9"),
            ("", "FAILED x", "", Failed, "before its first step"),
            ("doctor,run", "", "COMPLETED", Failed, "in the middle"),
            ("doctor,run", "", "", Unknown, "no longer tells"),
            ("", "", "", Unknown, "left nothing"),
        ] {
            let (told_state, told_words) = told(steps, queued, accounted);
            assert_eq!(told_state, state, "{steps} {queued} {accounted}: {told_words}");
            assert!(told_words.contains(words), "{steps} {queued} {accounted}: {told_words}");
        }
    }

    #[test]
    fn why_it_waited_is_no_reason_that_it_ended() {
        let (_, words) = told("doctor", "CANCELLED BeginTime", "");
        assert_eq!(words, "ended by scancel");
    }

    #[test]
    fn steps_of_an_earlier_submission_tell_nothing_of_this_one() {
        let mut before = files("doctor,unfit");
        before.steps.iter_mut().for_each(|step| step.job = 3);
        before.doctor = Some("steal: 3 %".to_owned());
        let waits = task("PENDING None");
        assert_eq!(became(&before, 7, Some(&waits), None).words, "for Slurm");
        assert_eq!(became(&before, 7, None, None).state, State::Unknown);
        assert_eq!(became(&before, 3, None, None).words, "steal: 3 %");
        assert_eq!(became(&before, 7, Some(&waits), None).attempts, 1);
    }

    #[test]
    fn what_has_a_run_is_done_whatever_slurm_says() {
        let done =
            NodeFiles { run: Some("run.json".into()), ..files("doctor,run,doctor,run,measured") };
        let failed = task("NODE_FAIL");
        let became = became(&done, 7, Some(&failed), None);
        assert_eq!((became.state, became.attempts), (State::Done, 2));
        assert_eq!((became.since, became.seconds), (Some(120), Some(20)));
    }

    #[test]
    fn times_are_of_the_last_attempt() {
        let ended = Task { end: Some(160), ..task("TIMEOUT") };
        let told = became(&files("doctor,run"), 7, Some(&ended), None);
        assert_eq!((told.since, told.seconds), (Some(100), Some(60)));
        let told = became(&files(""), 7, Some(&ended), None);
        assert_eq!((told.since, told.seconds), (Some(95), Some(65)));
        let told = became(&files("doctor"), 7, Some(&task("RUNNING")), None);
        assert_eq!((told.since, told.seconds), (Some(100), None));
    }
}
