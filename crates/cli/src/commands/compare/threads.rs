//! Compares sides whose calls are made by many threads at once.

use super::Arguments;
use super::pairs::Pairs;
use crate::cli_error::CliError;
use crate::comparison::{ComparedLength, ComparedRow, Comparison};
use crate::concurrency::{self, OtherThreads, ScaleRequest};
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
use crate::side::LibrarySide;
use cpb_engine::Start;
use cpb_figures::scaling::{self, Scaled};
use cpb_figures::{CONFIDENCE, Ratio};
use cpb_model::{ConcurrentRound, Record, Run};
use cpb_stats::verdicts::{self, verdict_count};
use cpb_stats::{Family, Question, Rounds, Verdicts};
use std::sync::atomic::AtomicBool;

/// Rounds of both sides for every number of threads.
const ROUNDS: u32 = 20;

impl Arguments {
    /// Measures both sides of each row next to each other, with one thread and the requested
    /// numbers.
    pub(super) fn measure_concurrently(
        &self,
        sides: &[LibrarySide; 2],
        names: [String; 2],
        invocation: MeasurementContext,
        libraries: &LibrarySet,
        stop: &AtomicBool,
    ) -> Result<(Comparison, bool), CliError> {
        let Pairs { rows, only, complete } = Pairs::of(libraries, sides, &self.selection(), true)?;
        let rows = OtherThreads::Same.with(rows, libraries)?;
        let sizes = concurrency::sizes(&self.threads, invocation.host());
        let request = ScaleRequest {
            abreast: 2,
            rounds: ROUNDS,
            seed: Start::now().since_epoch(),
            ..ScaleRequest::on(invocation.host(), sizes, rows)
        };
        let run = request.measure(invocation, libraries, self.max_time, self.machine.timeout, stop);
        let rows = Scaled::of(&run.records, &run.host);
        let pairs: Vec<Pair<'_>> = rows.as_chunks().0.iter().flat_map(pairs).collect();
        let half = |side: usize| Run {
            records: pairs.iter().map(|pair| pair.records[side].clone()).collect(),
            ..run.without_records()
        };
        let halves = [0, 1].map(half);
        let rounds: Vec<Option<Rounds>> =
            pairs.iter().map(|pair| Some(pair.rounds.clone().ok()?.0)).collect();
        let family = Family {
            question: Question::Difference,
            precision: self.precision,
            confidence: CONFIDENCE,
            verdicts: verdict_count(rounds.iter().map(|_| 1)),
            looks: 1,
        };
        let verdicts = Verdicts::look(&family, &rounds);
        let lines = pairs.into_iter().zip(&verdicts.lines).map(|(pair, found)| pair.line(found));
        let lines: Vec<ComparedRow> = lines.collect();
        let sum = verdicts.all.map(Ratio::from);
        let outcome = self.comparison(sides, names, only, (run, halves), (lines, sum));
        Ok((outcome, complete))
    }
}

/// Both sides of a row with one number of threads.
struct Pair<'a> {
    records: [&'a Record; 2],
    /// The common rounds, and whether they had no neighbour; or why there are none.
    rounds: Result<(Rounds, bool), String>,
}

/// Returns the sides for each number of threads, or one pair if a side was not measured.
fn pairs<'a>(rows: &[Scaled<'a>; 2]) -> Vec<Pair<'a>> {
    let [a, b] = rows;
    let is_void = rows.iter().any(|row| row.failure().is_some());
    let both = a.records.iter().zip(b.records).take(if is_void { 1 } else { usize::MAX });
    let pair = |(a, b): (&'a Record, &'a Record)| {
        let failure = [a, b].into_iter().find_map(|record| {
            let failure = record.failure.as_ref()?;
            Some(format!("{}: {}", record.subject.library, failure.reason))
        });
        let rounds = failure.map_or_else(|| common([a, b].map(rounds)), Err);
        Pair { records: [a, b], rounds }
    };
    both.map(pair).collect()
}

fn rounds(record: &Record) -> &[ConcurrentRound] {
    record.concurrent.as_ref().map_or(&[], |it| &it.rounds)
}

/// Returns the cost per call of both sides in each common round; only of rounds without a
/// neighbour, if these are enough.
fn common([ours, theirs]: [&[ConcurrentRound]; 2]) -> Result<(Rounds, bool), String> {
    let costs = |(round, other): &(&ConcurrentRound, &ConcurrentRound)| {
        Some((round.round as usize, [round.cycles_per_call?, other.cycles_per_call?]))
    };
    let quiet = scaling::quiet(ours, theirs);
    let is_quiet = quiet.len() >= scaling::ENOUGH;
    let both = if is_quiet { quiet } else { scaling::beside(ours, theirs).collect() };
    let (numbers, costs): (Vec<usize>, Vec<[f64; 2]>) = both.iter().filter_map(costs).unzip();
    if numbers.is_empty() {
        return Err("no round of both sides told its cycles".to_owned());
    }
    Ok((Rounds { numbers, by_length: vec![costs], ..Rounds::default() }, is_quiet))
}

impl Pair<'_> {
    /// Creates the row from its findings.
    fn line(self, found: &verdicts::Line) -> ComparedRow {
        let [a, b] = self.records;
        let ratio = found.finding.map(Ratio::from);
        let (rounds, is_quiet, failure) = match self.rounds {
            Ok((rounds, is_quiet)) => (rounds, is_quiet, None),
            Err(reason) => (Rounds::default(), true, Some(reason)),
        };
        let costs = rounds.by_length.into_iter().next().unwrap_or_default();
        let count = costs.len();
        let length = a.points.first().zip(b.points.first()).map(|(ours, theirs)| ComparedLength {
            length: ours.parameters.length(),
            cycles: [ours.cycles_per_call, theirs.cycles_per_call],
            ratio,
            layout: None,
            rounds: costs,
        });
        ComparedRow {
            threads: Some(a.setup.threads),
            ratio,
            lengths: length.into_iter().collect(),
            rounds: count,
            beside_neighbour: !is_quiet,
            failure,
            ..ComparedRow::of_records(a, b)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(cycles: &[(u32, Option<f64>)]) -> Vec<ConcurrentRound> {
        let round = |&(round, cycles_per_call): &(u32, Option<f64>)| ConcurrentRound {
            round,
            cycles_per_call,
            ..ConcurrentRound::default()
        };
        cycles.iter().map(round).collect()
    }

    #[test]
    fn only_rounds_of_both_count() {
        let ours = rounds(&[(0, Some(100.0)), (1, None), (3, Some(101.0)), (4, Some(99.0))]);
        let theirs = rounds(&[(0, Some(50.0)), (1, Some(51.0)), (2, Some(52.0)), (4, Some(49.0))]);
        let (found, is_quiet) = common([&ours, &theirs]).unwrap();
        assert_eq!((found.numbers, is_quiet), (vec![0, 4], false));
        assert_eq!(found.by_length, [[[100.0, 50.0], [99.0, 49.0]]]);
        let other = rounds(&[(2, Some(1.0))]);
        assert!(common([&ours, &other]).unwrap_err().contains("no round"));
    }
}
