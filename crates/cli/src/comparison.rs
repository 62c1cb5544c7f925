//! What a comparison found, whichever way its sides were measured.

use cpb_engine::Compared;
use cpb_model::{Contract, Figure, Operation, Record, Run};
use cpb_stats::standing::words;
use cpb_stats::{Comparison, Family, Finding, Verdict};

/// What each interval is trusted with, and all differences together.
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
    pub(crate) sum: Option<Finding>,
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
    pub(crate) finding: Option<Finding>,
    pub(crate) lengths: Vec<Length>,
    /// Rounds of the pair; 0 where the sides were measured apart.
    pub(crate) rounds: usize,
    /// Whether a neighbour was busy on the core's other hardware thread in most
    /// of them, so that on a quiet core the ratio may be another.
    pub(crate) beside_neighbour: bool,
    pub(crate) failure: Option<String>,
}

/// A length of a line.
pub(crate) struct Length {
    /// Bytes of the message, or iterations.
    pub(crate) length: usize,
    /// Cycles per call of both sides.
    pub(crate) cycles: [f64; 2],
    pub(crate) finding: Option<Finding>,
    /// Cycles per call of both sides in each round.
    pub(crate) rounds: Vec<[f64; 2]>,
}

impl Line {
    pub(crate) fn verdict(&self) -> Verdict {
        self.finding.map_or(Verdict::CannotTell, |finding| finding.verdict)
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
            finding: None,
            lengths: Vec::new(),
            rounds: 0,
            beside_neighbour: false,
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
                length: a.parameters.length(),
                cycles: [a.cycles_per_call.estimate, b.cycles_per_call.estimate],
                finding: pair.findings.by_length.get(index).copied().flatten(),
                rounds: rounds.clone(),
            });
        Line {
            finding: pair.findings.finding,
            lengths: lengths.collect(),
            rounds: pair.rounds.first().map_or(0, Vec::len),
            beside_neighbour: !pair.is_quiet,
            ..Line::of_records(&pair.records)
        }
    };
    compared.pairs.iter().map(line).collect()
}

/// The lines of records that were measured apart, each at the lengths that both
/// have, and what they say together.
pub(crate) fn unpaired(
    pairs: &[(&Record, &Record)],
    wanted: &[usize],
    precision: f64,
) -> (Vec<Line>, Option<Finding>) {
    let lines: Vec<Apart> = pairs.iter().filter_map(|(a, b)| Apart::new(a, b, wanted)).collect();
    let lengths = lines.iter().map(|it| it.figures.len()).filter(|count| *count != 0);
    let family = Family { precision, confidence: CONFIDENCE, words: words(lengths), looks: 1 };
    let sum = family.judge(|confidence| {
        mean(&lines.iter().filter_map(|it| it.ratio(confidence)).collect::<Vec<_>>())
    });
    (lines.into_iter().map(|it| it.judged(&family)).collect(), sum)
}

/// A workload of which two runs have figures.
struct Apart {
    line: Line,
    /// Those of both, and the length they are of.
    figures: Vec<(usize, [Figure; 2])>,
}

impl Apart {
    /// At the lengths that both records have: of those `wanted`, where there are
    /// any. `None` where they have none in common, and none failed.
    fn new(a: &Record, b: &Record, wanted: &[usize]) -> Option<Self> {
        let line = Line::of_records(&[a.clone(), b.clone()]);
        if line.failure.is_some() {
            return Some(Self { line, figures: Vec::new() });
        }
        let mut figures = Vec::new();
        for point in &a.points {
            let other = b.points.iter().find(|other| other.parameters == point.parameters);
            let Some(other) = other else { continue };
            let sides = [point.cycles_per_call, other.cycles_per_call];
            figures.push((point.parameters.length(), sides));
        }
        if figures.iter().any(|(length, _)| wanted.contains(length)) {
            figures.retain(|(length, _)| wanted.contains(length));
        }
        (!figures.is_empty()).then_some(Self { line, figures })
    }

    fn ratio(&self, confidence: f64) -> Option<Comparison> {
        let each = self.figures.iter().map(|(_, [a, b])| of_figures(*a, *b, confidence));
        mean(&each.collect::<Option<Vec<_>>>()?)
    }

    fn judged(self, family: &Family) -> Line {
        let finding = family.judge(|confidence| self.ratio(confidence));
        let length = |(length, sides): (usize, [Figure; 2])| Length {
            length,
            cycles: sides.map(|side| side.estimate),
            finding: family.judge(|confidence| of_figures(sides[0], sides[1], confidence)),
            rounds: Vec::new(),
        };
        let lengths = self.figures.into_iter().map(length).collect();
        Line { finding, lengths, ..self.line }
    }
}

/// Figures of sides that were measured apart. `None` where one has no interval.
pub(crate) fn of_figures(a: Figure, b: Figure, confidence: f64) -> Option<Comparison> {
    let side = |figure: Figure| {
        let cpb_model::Interval { low, high, confidence } = figure.interval?;
        Some((figure.estimate, cpb_stats::Interval { low, high, confidence }))
    };
    Comparison::unpaired(side(a)?, side(b)?, confidence)
}

/// The geometric mean of ratios that were measured apart. What disturbed one may
/// have disturbed all, so widths are averaged and do not shrink with their
/// number.
fn mean(comparisons: &[Comparison]) -> Option<Comparison> {
    let mean = |value: fn(&Comparison) -> f64| {
        let values: Vec<f64> = comparisons.iter().map(value).collect();
        cpb_stats::geometric_mean(&values)
    };
    let interval = cpb_stats::Interval {
        low: mean(|comparison| comparison.interval.low)?,
        high: mean(|comparison| comparison.interval.high)?,
        confidence: comparisons.first()?.interval.confidence,
    };
    Some(Comparison { ratio: mean(|comparison| comparison.ratio)?, interval })
}

pub(crate) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::NoDifference => "no difference",
        Verdict::CannotTell => "cannot tell",
    }
}
