//! Sides whose calls are made by many threads at once.

use super::Arguments;
use super::pairs::Pairs;
use crate::cli_error::CliError;
use crate::comparison::{Length, Line, Outcome};
use crate::crowds::{self, Beside, Crowds};
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
use crate::side::LibrarySide;
use cpb_engine::Start;
use cpb_figures::scaling::{self, Scaled};
use cpb_figures::{CONFIDENCE, Ratio};
use cpb_model::{ConcurrentRound, Record, Run};
use cpb_stats::verdicts::{self, words};
use cpb_stats::{Family, Question, Rounds, Verdicts};
use std::sync::atomic::AtomicBool;

/// Rounds of both sides at every number of threads.
const ROUNDS: u32 = 20;

impl Arguments {
    /// Measures both sides of each line next to each other, at one thread and as many as were
    /// asked for.
    pub(super) fn measure_crowds(
        &self,
        sides: &[LibrarySide; 2],
        names: [String; 2],
        invocation: MeasurementContext,
        shelf: &LibrarySet,
        stop: &AtomicBool,
    ) -> Result<(Outcome, bool), CliError> {
        let Pairs { rows, only, complete } = Pairs::of(shelf, sides, &self.selection(), true)?;
        let rows = Beside::Same.with(rows, shelf)?;
        let sizes = crowds::sizes(&self.threads, invocation.host());
        let crowds = Crowds {
            abreast: 2,
            rounds: ROUNDS,
            seed: Start::now().since_epoch(),
            ..Crowds::on(invocation.host(), sizes, rows)
        };
        let run = crowds.measure(invocation, shelf, self.max_time, self.machine.timeout, stop);
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
            words: words(rounds.iter().map(|_| 1)),
            looks: 1,
        };
        let verdicts = Verdicts::look(&family, &rounds);
        let lines = pairs.into_iter().zip(&verdicts.lines).map(|(pair, found)| pair.line(found));
        let lines: Vec<Line> = lines.collect();
        let sum = verdicts.all.map(Ratio::from);
        let outcome = self.outcome(sides, names, only, (run, halves), (lines, sum));
        Ok((outcome, complete))
    }
}

/// Both sides of a line: so many threads of a row.
struct Pair<'a> {
    records: [&'a Record; 2],
    /// Of the rounds that both were measured in, and whether these were beside no neighbour; or
    /// why there are none.
    rounds: Result<(Rounds, bool), String>,
}

/// The sides of each number of threads; of one where a side was not measured at all.
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

/// What a call cost both in each round in which it was measured of both: of those beside no
/// neighbour, where these are enough.
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
    /// The line that `found` makes of it.
    fn line(self, found: &verdicts::Line) -> Line {
        let [a, b] = self.records;
        let ratio = found.finding.map(Ratio::from);
        let (rounds, is_quiet, failure) = match self.rounds {
            Ok((rounds, is_quiet)) => (rounds, is_quiet, None),
            Err(reason) => (Rounds::default(), true, Some(reason)),
        };
        let costs = rounds.by_length.into_iter().next().unwrap_or_default();
        let count = costs.len();
        let length = a.points.first().zip(b.points.first()).map(|(ours, theirs)| Length {
            length: ours.parameters.length(),
            cycles: [ours.cycles_per_call, theirs.cycles_per_call],
            ratio,
            layout: None,
            rounds: costs,
        });
        Line {
            threads: Some(a.setup.threads),
            ratio,
            lengths: length.into_iter().collect(),
            rounds: count,
            beside_neighbour: !is_quiet,
            failure,
            ..Line::of_records(a, b)
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
