//! Collects the findings of the threads.

use super::verdict::{FirstWrong, Verdict};
use crate::{LineSet, Segment};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counts and findings to which all threads add.
#[derive(Default)]
pub(super) struct Tally {
    segments: AtomicU64,
    iterations: AtomicU64,
    /// Iterations in total, as far as known.
    expected: AtomicU64,
    findings: Mutex<Findings>,
}

#[derive(Default)]
struct Findings {
    wrong: LineSet,
    first: Option<FirstWrong>,
}

impl Tally {
    pub(super) fn add_segments(&self, segments: u64) {
        self.segments.fetch_add(segments, Ordering::Relaxed);
    }

    pub(super) fn add_iterations(&self, iterations: u64) {
        self.iterations.fetch_add(iterations, Ordering::Relaxed);
    }

    pub(super) fn expect_iterations(&self, iterations: u64) {
        self.expected.store(iterations, Ordering::Relaxed);
    }

    pub(super) fn note_wrong(&self, segment: Segment, end: [u8; 32]) {
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.wrong.insert(segment.line);
        if findings.first.as_ref().is_none_or(|first| segment.line < first.segment.line) {
            findings.first = Some(FirstWrong { segment, end });
        }
    }

    /// Returns the iterations so far, and in total as far as known.
    pub(super) fn progress(&self) -> (u64, u64) {
        let iterations = self.iterations.load(Ordering::Relaxed);
        (iterations, self.expected.load(Ordering::Relaxed).max(iterations))
    }

    /// Returns the findings as a verdict without other content.
    pub(super) fn into_verdict(self) -> Verdict {
        let findings = self.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        Verdict {
            segments: self.segments.into_inner(),
            iterations: self.iterations.into_inner(),
            wrong: findings.wrong,
            first_wrong: findings.first,
            ..Verdict::default()
        }
    }
}
