//! Extracts figures for benchmark trackers, each under a name that is stable from run to run.

use crate::Document;
use crate::document::row_name;
use crate::number::bytes;
use cpb_figures::per_byte;
use cpb_model::{Axis, Caches, Figure, LibraryBuild, Point, Record, Run};
use std::collections::HashMap;

/// A figure that can be tracked. Upper bounds are excluded: no tracker can represent them, and they
/// would look like a slowdown.
pub(super) struct Tracked<'a> {
    /// A name that is unique in the run, and the same in every run of the same command.
    pub(super) name: String,
    pub(super) run: &'a Run,
    pub(super) record: &'a Record,
    /// The unit of work that the cycles are for.
    pub(super) per: Per,
    pub(super) figure: Figure,
    /// Its point; `None` for a line through several.
    pub(super) point: Option<&'a Point>,
}

impl<'a> Tracked<'a> {
    /// Returns the library of the figure.
    pub(super) fn library(&self) -> Option<&'a LibraryBuild> {
        let label = &self.record.subject.library;
        self.run.libraries.iter().find(|id| id.label == *label)
    }
}

/// Names the unit of work that cycles are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Per {
    Byte,
    Iteration,
    Call,
}

impl Per {
    /// Returns the unit, such as `cycles/byte`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Per::Byte => "cycles/byte",
            Per::Iteration => "cycles/iteration",
            Per::Call => "cycles/call",
        }
    }

    /// Returns the unit of work of a record's line.
    fn of_line(record: &Record) -> Self {
        match record.subject.axis() {
            Axis::Iterations => Per::Iteration,
            Axis::Bytes | Axis::Calls => Per::Byte,
        }
    }
}

/// Whether there is any such figure.
pub(super) fn has_any(document: &dyn Document) -> bool {
    !all(document).is_empty()
}

/// Returns every trackable figure of a document about a single run: a row's line, or else each of
/// its points. Empty for several runs.
pub(super) fn all(document: &dyn Document) -> Vec<Tracked<'_>> {
    let runs = document.runs();
    let [source] = &runs[..] else { return Vec::new() };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<Tracked<'_>> = of_run(source.run).collect();
    all.retain(|it| !it.figure.upper_bound && it.figure.estimate.is_finite());
    for tracked in &mut all {
        let times = seen.entry(tracked.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            tracked.name = format!("{} ({times})", tracked.name);
        }
    }
    all
}

fn of_run(run: &Run) -> impl Iterator<Item = Tracked<'_>> {
    let measured = run.records.iter().filter(|record| record.failure.is_none());
    measured.flat_map(move |record| {
        let line = record.line.as_ref().map(|line| Tracked {
            name: row_name(record),
            run,
            record,
            per: Per::of_line(record),
            figure: line.cycles_per_byte,
            point: None,
        });
        let points = record.points.iter().filter(|_| record.line.is_none());
        let points = points.map(move |point| of_point(run, record, point));
        line.into_iter().chain(points)
    })
}

fn of_point<'a>(run: &'a Run, record: &'a Record, point: &'a Point) -> Tracked<'a> {
    let length = point.parameters.message_bytes;
    let mut name = row_name(record);
    if let Some(iterations) = point.parameters.iterations {
        name = format!("{name} {iterations} iterations");
    } else if record.subject.axis() == Axis::Bytes || length != 0 {
        name = format!("{name} {}", bytes(length));
    }
    let is_warm = point.parameters.caches == Caches::Warm;
    let by_the_byte = record.subject.axis() == Axis::Bytes && length != 0 && is_warm;
    let (per, figure) =
        if by_the_byte { (Per::Byte, per_byte(point)) } else { (Per::Call, point.cycles_per_call) };
    Tracked { name, run, record, per, figure, point: Some(point) }
}
