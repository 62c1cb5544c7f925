//! What a comparison found, whichever way its sides were measured.

use cpb_engine::Compared;
use cpb_model::{Contract, Operation, Parameters, Record, Run};
use cpb_stats::{Comparison, Verdict};

/// What all words about a comparison are trusted with together.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Two sides compared.
pub(crate) struct Outcome {
    /// Baseline and candidate, as the user called them.
    pub(crate) names: [String; 2],
    /// Whether both were measured now, next to each other.
    pub(crate) is_paired: bool,
    pub(crate) precision: f64,
    pub(crate) lines: Vec<Line>,
    /// Over all lines that have a ratio.
    pub(crate) sum: Option<Comparison>,
    /// What only one of the sides has.
    pub(crate) only: [Vec<String>; 2],
    /// What was measured now; absent between saved runs.
    pub(crate) run: Option<Run>,
}

/// One workload, or one over several lengths.
pub(crate) struct Line {
    pub(crate) primitive: String,
    pub(crate) operation: Operation,
    pub(crate) contract: Contract,
    /// What each side calls its implementation: backend, or spelling.
    pub(crate) backends: [String; 2],
    pub(crate) aad_bytes: usize,
    pub(crate) comparison: Option<Comparison>,
    pub(crate) lengths: Vec<Length>,
    /// Rounds of the pair; 0 where the sides were measured apart.
    pub(crate) rounds: usize,
    pub(crate) failure: Option<String>,
}

/// A length of a line.
pub(crate) struct Length {
    /// Bytes of the message, or iterations.
    pub(crate) length: usize,
    /// Cycles per call of both sides.
    pub(crate) cycles: [f64; 2],
    pub(crate) comparison: Option<Comparison>,
    /// Cycles per call of both sides in each round.
    pub(crate) rounds: Vec<[f64; 2]>,
}

impl Line {
    pub(crate) fn verdict(&self, precision: f64) -> Verdict {
        self.comparison.map_or(Verdict::CannotTell, |comparison| comparison.verdict(precision))
    }

    /// A name that tells it from the others: `aes-128-gcm seal`.
    pub(crate) fn name(&self) -> String {
        let mut name = format!("{} {}", self.primitive, self.operation.name());
        if self.contract != Contract::Keyed {
            name.push_str(&format!(" {}", self.contract.name()));
        }
        name
    }

    fn of_records([a, b]: &[Record; 2]) -> Self {
        let failure = a.failure.as_ref().map(|failure| (a, failure));
        let failure = failure.or_else(|| b.failure.as_ref().map(|failure| (b, failure)));
        Self {
            primitive: a.subject.primitive.clone(),
            operation: a.subject.operation,
            contract: a.contract,
            backends: [a.subject.backend.clone(), b.subject.backend.clone()],
            aad_bytes: a.points.first().map_or(0, |point| point.parameters.aad_bytes),
            comparison: None,
            lengths: Vec::new(),
            rounds: 0,
            failure: failure
                .map(|(side, failure)| format!("{}: {}", side.subject.library, failure.reason)),
        }
    }
}

/// The lines of sides that were measured next to each other.
pub(crate) fn paired(compared: &Compared) -> Vec<Line> {
    let line = |pair: &cpb_engine::Pair| {
        let [a, b] = &pair.records;
        let points = a.points.iter().zip(&b.points);
        let lengths =
            points.zip(&pair.rounds).enumerate().map(|(index, ((a, b), rounds))| Length {
                length: length(&a.parameters),
                cycles: [a.cycles_per_call.estimate, b.cycles_per_call.estimate],
                comparison: pair.by_length.get(index).copied().flatten(),
                rounds: rounds.clone(),
            });
        Line {
            comparison: pair.comparison,
            lengths: lengths.collect(),
            rounds: pair.rounds.first().map_or(0, Vec::len),
            ..Line::of_records(&pair.records)
        }
    };
    compared.pairs.iter().map(line).collect()
}

/// The line of two records that were measured apart, at the lengths both have.
pub(crate) fn unpaired(a: &Record, b: &Record, wanted: &[usize]) -> Option<Line> {
    let line = Line::of_records(&[a.clone(), b.clone()]);
    if line.failure.is_some() {
        return Some(line);
    }
    let mut lengths = Vec::new();
    for point in &a.points {
        let other = b.points.iter().find(|other| other.parameters == point.parameters);
        let Some(other) = other else { continue };
        let (ours, theirs) = (point.cycles_per_call, other.cycles_per_call);
        lengths.push(Length {
            length: length(&point.parameters),
            cycles: [ours.estimate, theirs.estimate],
            comparison: of_figures(ours, theirs, CONFIDENCE),
            rounds: Vec::new(),
        });
    }
    if lengths.iter().any(|length| wanted.contains(&length.length)) {
        lengths.retain(|length| wanted.contains(&length.length));
    }
    let comparisons: Option<Vec<Comparison>> = lengths.iter().map(|l| l.comparison).collect();
    let comparison = comparisons.and_then(|all| mean(&all));
    (!lengths.is_empty()).then_some(Line { comparison, lengths, ..line })
}

/// Figures of sides that were measured apart. `None` where one has no interval.
pub(crate) fn of_figures(
    a: cpb_model::Figure,
    b: cpb_model::Figure,
    confidence: f64,
) -> Option<Comparison> {
    let side = |figure: cpb_model::Figure| {
        let cpb_model::Interval { low, high, confidence } = figure.interval?;
        Some((figure.estimate, cpb_stats::Interval { low, high, confidence }))
    };
    Comparison::unpaired(side(a)?, side(b)?, confidence)
}

/// The geometric mean of ratios that were measured apart. What disturbed one may
/// have disturbed all, so widths are averaged and do not shrink with their
/// number.
pub(crate) fn mean(comparisons: &[Comparison]) -> Option<Comparison> {
    let mean = |value: fn(&Comparison) -> f64| {
        let values: Vec<f64> = comparisons.iter().map(value).collect();
        cpb_stats::geometric_mean(&values)
    };
    let interval = cpb_stats::Interval {
        low: mean(|comparison| comparison.interval.low)?,
        high: mean(|comparison| comparison.interval.high)?,
        confidence: CONFIDENCE,
    };
    Some(Comparison { ratio: mean(|comparison| comparison.ratio)?, interval })
}

/// Bytes of the message, or iterations where there is none.
pub(crate) fn length(parameters: &Parameters) -> usize {
    let iterations = parameters.iterations.and_then(|count| usize::try_from(count).ok());
    iterations.unwrap_or(parameters.message_bytes)
}

pub(crate) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::NoDifference => "no difference",
        Verdict::CannotTell => "cannot tell",
    }
}
