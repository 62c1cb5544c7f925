//! Evaluates a comparison of several lines after a number of rounds: the verdicts on every line,
//! each of its lengths and all lines together, and which lines need more rounds.

use crate::overall::over_all;
use crate::rounds::Layout;
use crate::{Comparison, Family, Finding, Question, Rounds, Verdict};

/// The verdicts from the rounds so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdicts {
    /// One per line; empty for a line that failed.
    pub lines: Vec<Line>,
    /// All lines together. Absent without lines, or while one of them has too few rounds.
    pub all: Option<Finding>,
}

/// The verdicts on one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// Over all lengths: the ratio of the geometric means of their costs. Absent if there are too
    /// few rounds.
    pub finding: Option<Finding>,
    /// The same for each length.
    pub by_length: Vec<Option<Finding>>,
    /// Whether the ratio over all lengths differs at some positions; the finding then covers only
    /// the other positions.
    pub layout: Option<Layout>,
    /// The same for each length.
    pub layout_by_length: Vec<Option<Layout>>,
}

/// Returns the number of verdicts in a comparison of lines with these numbers of lengths: one for
/// each line, one for each of its lengths if there are several, and one for all lines if there are
/// several.
pub fn verdict_count(lengths: impl IntoIterator<Item = usize>) -> usize {
    let each: Vec<usize> =
        lengths.into_iter().map(|count| if count > 1 { 1 + count } else { 1 }).collect();
    each.iter().sum::<usize>() + usize::from(each.len() > 1)
}

impl Verdicts {
    /// Evaluates all `lines`; `None` stands for one that failed.
    pub fn look(family: &Family, lines: &[Option<Rounds>]) -> Self {
        let paired = |costs: &[[f64; 2]]| family.judge(|at| Comparison::paired(costs, at));
        // A difference at only some positions is not caused by the code.
        let judged = |costs: &[[f64; 2]], positions: &[u8]| {
            let layout = Layout::of(costs, positions, family.precision);
            let elsewhere = layout.as_ref().map(|layout| layout.elsewhere(costs, positions));
            match elsewhere.and_then(|costs| paired(&costs)) {
                Some(finding) => (Some(finding), layout),
                None => (paired(costs), None),
            }
        };
        let line = |rounds: &Option<Rounds>| {
            let Some(rounds) = rounds else { return Line::default() };
            let positions = &rounds.positions;
            let (finding, layout) = judged(&rounds.costs(), positions);
            let (by_length, layout_by_length) = match rounds.by_length.as_slice() {
                [_] => (vec![finding], vec![layout.clone()]),
                several => several.iter().map(|costs| judged(costs, positions)).unzip(),
            };
            Line { finding, by_length, layout, layout_by_length }
        };
        let sound: Vec<&Rounds> = lines.iter().flatten().collect();
        let all = family.judge(|at| over_all(&sound, at));
        Self { lines: lines.iter().map(line).collect(), all }
    }

    /// Returns the undecided lines, which need more rounds, among those that did not fail. For
    /// [`Question::Difference`], a line is undecided over all its lengths; if no line is undecided
    /// but all together are, every line is returned.
    pub fn undecided(&self, family: &Family, has_failed: impl Fn(usize) -> bool) -> Vec<usize> {
        let open = |finding: Option<Finding>| {
            finding.is_none_or(|finding| finding.verdict == Verdict::CannotTell)
        };
        let is_open = |line: &Line| match family.question {
            Question::Difference => open(line.finding),
            Question::CostsMore => {
                line.by_length.is_empty() || line.by_length.iter().any(|it| open(*it))
            }
        };
        let sound: Vec<usize> = (0..self.lines.len()).filter(|&line| !has_failed(line)).collect();
        let undecided: Vec<usize> =
            sound.iter().copied().filter(|&line| is_open(&self.lines[line])).collect();
        let asks_of_all = family.question == Question::Difference && sound.len() > 1;
        match undecided.as_slice() {
            [] if asks_of_all && open(self.all) => sound,
            _ => undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::looks::LOOKS;

    const FAMILY: Family = Family {
        question: Question::Difference,
        precision: 0.005,
        confidence: 0.95,
        verdicts: 9,
        looks: 8,
    };

    /// Makes rounds in which the candidate's cost varies around `ratio` by `spread`, at two
    /// lengths.
    fn line(ratio: f64, spread: f64) -> Option<Rounds> {
        let costs: Vec<[f64; 2]> = (0..LOOKS[1])
            .map(|round| [100.0, 100.0 * (ratio + spread * (round % 3) as f64 - spread)])
            .collect();
        Some(Rounds {
            numbers: (0..LOOKS[1]).collect(),
            by_length: vec![costs.clone(), costs],
            ..Rounds::default()
        })
    }

    fn verdicts(lines: &[Option<Rounds>]) -> (Vec<Option<Verdict>>, Option<Verdict>, Vec<usize>) {
        let verdicts = Verdicts::look(&FAMILY, lines);
        let verdict = |finding: Option<Finding>| finding.map(|finding| finding.verdict);
        let undecided = verdicts.undecided(&FAMILY, |line| lines[line].is_none());
        let of_lines = verdicts.lines.iter().map(|line| verdict(line.finding)).collect();
        (of_lines, verdict(verdicts.all), undecided)
    }

    #[test]
    fn words_are_lines_lengths_and_all() {
        assert_eq!(verdict_count([]), 0);
        assert_eq!(verdict_count([1]), 1);
        assert_eq!(verdict_count([3]), 4);
        assert_eq!(verdict_count([1, 1]), 3);
        assert_eq!(verdict_count([3; 9]), 37);
    }

    #[test]
    fn undecided_lines_go_on_and_decided_ones_rest() {
        use Verdict::{CannotTell, NoDifference, Slower};
        let lines = [line(1.0, 0.001), line(1.2, 0.001), line(1.02, 0.1), None];
        let (of_lines, _, undecided) = verdicts(&lines);
        assert_eq!(of_lines, [Some(NoDifference), Some(Slower), Some(CannotTell), None]);
        assert_eq!(undecided, [2]);
    }

    #[test]
    fn all_lines_go_on_where_only_their_sum_is_undecided() {
        // Each line is known to a tenth of itself; opposite signs leave a mean that is not.
        let lines = [line(1.3, 0.02), line(1.0 / 1.3, 0.012), None];
        let (of_lines, all, undecided) = verdicts(&lines);
        assert_eq!(of_lines, [Some(Verdict::Slower), Some(Verdict::Faster), None]);
        assert_eq!(all, Some(Verdict::CannotTell));
        assert_eq!(undecided, [0, 1]);
    }

    #[test]
    fn equal_lines_are_equal_together_and_a_line_alone_is_all() {
        let (_, all, undecided) = verdicts(&[line(1.0, 0.001), line(1.001, 0.002)]);
        assert_eq!((all, undecided), (Some(Verdict::NoDifference), Vec::new()));
        let alone = Verdicts::look(&FAMILY, &[line(1.2, 0.001)]);
        assert_eq!(alone.all, alone.lines[0].finding);
        assert_eq!(alone.lines[0].by_length.len(), 2);
    }

    #[test]
    fn a_gate_goes_on_until_each_length_is_decided() {
        let gate = Family { question: Question::CostsMore, precision: 0.02, ..FAMILY };
        let mut one_is_open = line(1.0, 0.001);
        let open = line(1.02, 0.001).unwrap().by_length.remove(0);
        one_is_open.as_mut().unwrap().by_length[1] = open;
        let lines = [line(1.0, 0.001), one_is_open, line(1.3, 0.02), None];
        let undecided = Verdicts::look(&gate, &lines).undecided(&gate, |it| lines[it].is_none());
        assert_eq!(undecided, [1]);
    }

    #[test]
    fn without_rounds_nothing_is_said_and_all_is_wanted() {
        let empty = Some(Rounds { by_length: vec![Vec::new(); 2], ..Rounds::default() });
        let (of_lines, all, undecided) = verdicts(&[empty, None]);
        assert_eq!((of_lines, all, undecided), (vec![None, None], None, vec![0]));
        assert_eq!(Verdicts::look(&FAMILY, &[]).undecided(&FAMILY, |_| false), Vec::<usize>::new());
    }
}
