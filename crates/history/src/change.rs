//! Finds the steps at which figures changed their level, and what else changed then.

use crate::{HistoryPoint, HistorySegment};
use cpb_stats::change_points::{Observation, Step, change_points};

/// Half the width of a 95 % interval, in standard errors.
const STANDARD_ERRORS: f64 = 1.96;

/// A step of a history, with the runs before and after it.
pub struct Change<'a> {
    pub step: Step,
    /// The last point of the level before.
    pub before: &'a HistoryPoint<'a>,
    /// The first point of the new level.
    pub after: &'a HistoryPoint<'a>,
    /// Circumstances that changed between both: what, then and now.
    pub circumstances: Vec<(&'static str, [String; 2])>,
}

impl<'a> HistorySegment<'a> {
    /// Returns its steps, oldest first.
    pub fn changes(&'a self) -> Vec<Change<'a>> {
        let observed: Vec<Observation> = self.entries.iter().map(observation).collect();
        let change = |step: Step| {
            let (before, after) = (&self.entries[step.place - 1], &self.entries[step.place]);
            Change { step, before, after, circumstances: circumstances(before, after) }
        };
        change_points(&observed).into_iter().map(change).collect()
    }
}

impl Change<'_> {
    /// Returns the relative change; above 0 it became slower.
    pub fn relative(&self) -> f64 {
        self.step.after / self.step.before - 1.0
    }

    /// Describes what else changed: `library 3.0.2 → 3.5.0, kernel 6.1 → 6.18`.
    pub fn describe(&self) -> String {
        let word = |(what, [then, now]): &(&str, [String; 2])| format!("{what} {then} → {now}");
        let words: Vec<String> = self.circumstances.iter().map(word).collect();
        if words.is_empty() { "nothing else that is saved".to_owned() } else { words.join(", ") }
    }
}

fn observation(entry: &HistoryPoint<'_>) -> Observation {
    let figure = entry.reading.figure;
    Observation {
        value: figure.estimate,
        relative_error: figure.relative_half_width().unwrap_or(0.0) / STANDARD_ERRORS,
        is_upper_bound: figure.upper_bound,
    }
}

/// The digits shown of a commit and of a build's digest.
const SHORT: usize = 10;

/// Returns what differs between two runs besides the figure.
fn circumstances(
    before: &HistoryPoint<'_>,
    after: &HistoryPoint<'_>,
) -> Vec<(&'static str, [String; 2])> {
    let of = |entry: &HistoryPoint<'_>| {
        let (run, build) = (entry.run, &entry.reading.build);
        let known = |text: &str| match text {
            "" => "unknown".to_owned(),
            text => text.to_owned(),
        };
        let short = |text: &str| known(text.get(..SHORT).unwrap_or(text));
        let text = |text: &Option<String>| known(text.as_deref().unwrap_or_default());
        [
            ("library", build.version.clone()),
            ("commit", short(&build.revision)),
            ("build", short(&build.digest)),
            ("path", known(&build.path)),
            ("cpb", run.program()),
            ("kernel", text(&run.kernel)),
            ("microcode", text(&run.microcode)),
        ]
    };
    let both = of(before).into_iter().zip(of(after));
    let differ = both.filter(|((_, then), (_, now))| then != now);
    differ.map(|((what, then), (_, now))| (what, [then, now])).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::Timeline;
    use cpb_figures::testing::figure;
    use cpb_store::{Build, Reading, RunEntry, Series};

    pub(crate) fn series() -> Series {
        Series {
            number: 1,
            workload: "sha256/hash".parse().expect("a key"),
            setup: Default::default(),
            lengths: "1024 to 16384 B".to_owned(),
            method: "slope".to_owned(),
            library: "openssl".to_owned(),
            spelling: "SHA256".to_owned(),
            backend: "default".to_owned(),
            unit: "c/B".to_owned(),
        }
    }

    pub(crate) fn run(number: i64, started: i64) -> RunEntry {
        RunEntry {
            number,
            id: format!("00000000-0000-4000-8000-{number:012}"),
            label: None,
            started,
            seconds: 1.0,
            version: "0.1.0".to_owned(),
            revision: None,
            machine: "A CPU".to_owned(),
            machine_id: Some("135c13dcaa0a".to_owned()),
            clock: Some("amd64-tsc+chain".to_owned()),
            kernel: Some("6.1".to_owned()),
            microcode: None,
            command: Vec::new(),
            estimator: Some("low-rounds".to_owned()),
            records: 1,
            failures: 0,
        }
    }

    pub(crate) fn reading(run: i64, estimate: f64) -> Reading {
        let build = Build { version: "3.0".to_owned(), ..Build::default() };
        Reading { run, build: build.into(), figure: figure(estimate) }
    }

    #[test]
    fn a_step_says_what_else_changed() {
        let mut runs: Vec<RunEntry> = (1..=12).map(|number| run(number, number)).collect();
        runs[6..].iter_mut().for_each(|run| run.kernel = Some("6.18".to_owned()));
        let (timeline, series) = (Timeline::of(runs), series());
        let mut readings: Vec<Reading> =
            (1..=12).map(|number| reading(number, if number < 7 { 5.0 } else { 6.0 })).collect();
        let build = Build { version: "3.5".to_owned(), ..Build::default() };
        readings[6..].iter_mut().for_each(|it| it.build = build.clone().into());
        let stretches = timeline.stretches(&series, readings);
        let changes = stretches[0].changes();
        let [change] = &changes[..] else { panic!("{} steps", changes.len()) };
        assert_eq!((change.before.run.number, change.after.run.number), (6, 7));
        assert!((change.relative() - 0.2).abs() < 1e-9);
        assert_eq!(change.describe(), "library 3.0 → 3.5, kernel 6.1 → 6.18");
    }

    /// A shared library rebuilt from ten commits, of which the seventh made it slower.
    #[test]
    fn the_slow_commit_among_ten_rebuilds_is_named() {
        let timeline = Timeline::of((1..=10).map(|number| run(number, number)).collect());
        let series = Series { library: "mine=…".to_owned(), ..series() };
        let readings = (1..=10_u8).map(|commit| {
            let build = Build {
                version: "1.0".to_owned(),
                path: "/home/me/libmine.so".to_owned(),
                digest: format!("{commit:x}").repeat(64),
                revision: format!("{commit:x}").repeat(40),
            };
            let level = if commit < 7 { 5.0 } else { 5.5 };
            Reading { build: build.into(), ..reading(commit.into(), level) }
        });
        let stretches = timeline.stretches(&series, readings.collect());
        let [stretch] = &stretches[..] else { panic!("{} stretches", stretches.len()) };
        let changes = stretch.changes();
        let [change] = &changes[..] else { panic!("{} steps", changes.len()) };
        assert_eq!(
            change.describe(),
            "commit 6666666666 → 7777777777, build 6666666666 → 7777777777"
        );
    }
}
