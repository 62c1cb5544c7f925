//! Sides whose calls are made by many threads at once.

use super::pairs::Pairs;
use super::{Arguments, seed};
use crate::comparison::{self, Length, Line, Outcome};
use crate::crowds::{self, Beside, Crowds};
use crate::fault::Fault;
use crate::invocation::Invocation;
use crate::shelf::Shelf;
use crate::side::Live;
use cpb_figures::{CONFIDENCE, Ratio, scaling};
use cpb_model::{Crowd, CrowdRound, Failure, Figure, Scaling};
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
        sides: &[Live; 2],
        names: [String; 2],
        invocation: Invocation,
        shelf: &Shelf,
        stop: &AtomicBool,
    ) -> Result<(Outcome, bool), Fault> {
        let Pairs { rows, only, complete } = Pairs::of(shelf, sides, &self.selection(), true)?;
        let rows = Beside::Same.with(rows, shelf)?;
        let sizes = crowds::sizes(&self.threads, invocation.host());
        let crowds = Crowds {
            abreast: 2,
            rounds: ROUNDS,
            seed: seed(),
            ..Crowds::on(invocation.host(), sizes, rows)
        };
        let run = crowds.measure(invocation, shelf, self.max_time, self.machine.timeout, stop);
        let pairs: Vec<Pair<'_>> = run.scaling.as_chunks().0.iter().flat_map(pairs).collect();
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
        let outcome = Outcome {
            names,
            labels: sides.each_ref().map(|side| Some(side.spec.label())),
            is_paired: true,
            precision: self.precision,
            asked: !self.sizes.is_empty(),
            sum: verdicts.all.map(Ratio::from),
            summed: verdicts.lines.iter().filter(|line| line.finding.is_some()).count(),
            lines,
            only,
            halves: Some(comparison::halves(&run)),
            runs: vec![run],
            measured: Some(0),
        };
        Ok((outcome, complete))
    }
}

/// Both sides of a line: so many threads of a row.
struct Pair<'a> {
    rows: &'a [Scaling; 2],
    threads: usize,
    /// Absent where a side has none.
    cycles: Option<[Figure; 2]>,
    /// Of the rounds that both were measured in, and whether these were beside no neighbour; or
    /// why there are none.
    rounds: Result<(Rounds, bool), String>,
}

/// The sides of each number of threads; of none where a side was not measured at all.
fn pairs(rows: &[Scaling; 2]) -> Vec<Pair<'_>> {
    let [a, b] = rows;
    if a.failure.is_some() || b.failure.is_some() {
        let reason = rows.iter().find_map(|row| told(row, row.failure.as_ref()));
        let rounds = Err(reason.unwrap_or_default());
        return vec![Pair { rows, threads: 1, cycles: None, rounds }];
    }
    let crowds = a.crowds.iter().zip(&b.crowds);
    crowds
        .map(|(ours, theirs)| {
            let failure =
                told(a, ours.failure.as_ref()).or_else(|| told(b, theirs.failure.as_ref()));
            Pair {
                rows,
                threads: ours.threads,
                cycles: ours.cycles_per_call.zip(theirs.cycles_per_call).map(<[Figure; 2]>::from),
                rounds: failure.map_or_else(|| common(ours, theirs), Err),
            }
        })
        .collect()
}

fn told(row: &Scaling, failure: Option<&Failure>) -> Option<String> {
    failure.map(|failure| format!("{}: {}", row.subject.library, failure.reason))
}

/// What a call cost both in each round in which it was measured of both: of those beside no
/// neighbour, where these are enough.
fn common(ours: &Crowd, theirs: &Crowd) -> Result<(Rounds, bool), String> {
    let costs = |(round, other): &(&CrowdRound, &CrowdRound)| {
        Some((round.round as usize, [round.cycles_per_call?, other.cycles_per_call?]))
    };
    let quiet = scaling::quiet(&ours.rounds, &theirs.rounds);
    let is_quiet = quiet.len() >= scaling::ENOUGH;
    let both =
        if is_quiet { quiet } else { scaling::beside(&ours.rounds, &theirs.rounds).collect() };
    let (numbers, costs): (Vec<usize>, Vec<[f64; 2]>) = both.iter().filter_map(costs).unzip();
    if numbers.is_empty() {
        return Err("no round of both sides told its cycles".to_owned());
    }
    Ok((Rounds { numbers, by_length: vec![costs], ..Rounds::default() }, is_quiet))
}

impl Pair<'_> {
    /// The line that `found` makes of it.
    fn line(self, found: &verdicts::Line) -> Line {
        let [a, b] = self.rows;
        let ratio = found.finding.map(Ratio::from);
        let (rounds, is_quiet, failure) = match self.rounds {
            Ok((rounds, is_quiet)) => (rounds, is_quiet, None),
            Err(reason) => (Rounds::default(), true, Some(reason)),
        };
        let costs = rounds.by_length.into_iter().next().unwrap_or_default();
        let count = costs.len();
        let length = self.cycles.map(|cycles| Length {
            length: a.parameters.length(),
            cycles,
            ratio,
            layout: None,
            rounds: costs,
        });
        Line {
            workload: a.workload(),
            against: None,
            libraries: [a.subject.library.clone(), b.subject.library.clone()],
            whose: String::new(),
            backends: [a.subject.backend.clone(), b.subject.backend.clone()],
            threads: Some(self.threads),
            ratio,
            layout: None,
            at_all_positions: false,
            lengths: length.into_iter().collect(),
            rounds: count,
            beside_neighbour: !is_quiet,
            failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::TimeShares;

    fn crowd(cycles: &[(u32, Option<f64>)]) -> Crowd {
        let round = |&(round, cycles_per_call): &(u32, Option<f64>)| CrowdRound {
            round,
            calls_per_second: 1.0,
            slowest: 1.0,
            time: TimeShares::default(),
            cycles_per_call,
            core_hertz: None,
            probe_cycles: None,
            samples: 1,
            rejected: 0,
        };
        Crowd { rounds: cycles.iter().map(round).collect(), ..Crowd::of_threads(2) }
    }

    #[test]
    fn only_rounds_of_both_count() {
        let ours = crowd(&[(0, Some(100.0)), (1, None), (3, Some(101.0)), (4, Some(99.0))]);
        let theirs = crowd(&[(0, Some(50.0)), (1, Some(51.0)), (2, Some(52.0)), (4, Some(49.0))]);
        let (rounds, is_quiet) = common(&ours, &theirs).unwrap();
        assert_eq!((rounds.numbers, is_quiet), (vec![0, 4], false));
        assert_eq!(rounds.by_length, [[[100.0, 50.0], [99.0, 49.0]]]);
        assert!(common(&ours, &crowd(&[(2, Some(1.0))])).unwrap_err().contains("no round"));
    }
}
