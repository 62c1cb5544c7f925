//! Simulates whole comparisons: several lines at several lengths share the processes of their
//! rounds, beside neighbours that are busy from time to time. The tests count how often any verdict
//! is wrong, on a line, on one of its lengths or on all lines, and whether intervals hold.
//!
//! `cargo test -p cpb-stats --test stats comparisons -- --nocapture --test-threads 1` prints the tables.

#![allow(clippy::print_stdout, reason = "the figures are wanted")]

use crate::normal;
use cpb_stats::looks::{LOOKS, confidence_of_a_look};
use cpb_stats::verdicts::verdict_count;
use cpb_stats::{Comparison, Family, Finding, Question, Rounds, Verdict, Verdicts, geometric_mean};
use fastrand::Rng;

use Disturbance::{Plus, Times};

const LINES: usize = 9;
const LENGTHS: usize = 3;
const PRECISION: f64 = 0.005;
const CONFIDENCE: f64 = 0.95;
const RUNS: usize = 40;
/// The rounds after which time is up, in turn.
const BUDGETS: [usize; 4] = [10, 22, 50, 112];

enum Disturbance {
    /// The work takes longer by this factor.
    Times(f64),
    /// The work takes longer by this share of the baseline's time.
    Plus(f64),
}

/// The effects of a machine on both sides alike.
#[derive(Clone, Copy)]
struct Machine {
    name: &'static str,
    /// The effect of neighbours on a measurement; `busy` says whether they work during it.
    disturb: fn(rng: &mut Rng, busy: bool) -> Disturbance,
    /// The additional cost of the side that is measured second.
    second: f64,
}

const MACHINES: [Machine; 7] = [
    Machine { name: "quiet", disturb: |_, _| Times(1.0), second: 0.0 },
    Machine {
        name: "long tails",
        disturb: |rng, _| Times(if rng.f64() < 0.1 { 1.0 + exponential(rng, 0.05) } else { 1.0 }),
        second: 0.0,
    },
    Machine {
        name: "cycles are added",
        disturb: |rng, _| Plus(if rng.f64() < 0.1 { exponential(rng, 0.05) } else { 0.0 }),
        second: 0.0,
    },
    Machine {
        name: "one-sided",
        disturb: |rng, _| Times(1.0 + exponential(rng, 0.004)),
        second: 0.0,
    },
    Machine { name: "crowded", disturb: |rng, _| Times(1.0 + exponential(rng, 0.03)), second: 0.0 },
    Machine {
        name: "busy or quiet",
        disturb: |rng, busy| Times(if busy { 1.15 + 0.02 * normal(rng) } else { 1.0 }),
        second: 0.0,
    },
    Machine { name: "second is slower", disturb: |_, _| Times(1.0), second: 0.01 },
];

/// The planted differences: how much more the candidate's lines cost.
const PLANTS: [(&str, [f64; LINES]); 5] = [
    ("equal", [0.0; LINES]),
    ("1 % in all", [0.01; LINES]),
    ("3 % in all", [0.03; LINES]),
    ("10 % in all", [0.1; LINES]),
    ("1, 3, 10 % in three", [0.1, 0.0, 0.03, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0]),
];

/// Returns the costs of both sides of one line in one round, by length.
fn measure(
    rng: &mut Rng,
    machine: &Machine,
    processes: [f64; 2],
    plant: f64,
) -> [[f64; 2]; LENGTHS] {
    let first = rng.usize(..2);
    // Neighbours mostly work for longer than a measurement takes.
    let busy = rng.f64() < 0.15;
    let sides = [0, 1].map(|side| {
        let changes = rng.f64() < 0.03;
        let second = if side == first { 1.0 } else { 1.0 + machine.second };
        let layout = 1.0 + 0.0015 * normal(rng);
        let truth = if side == 1 { 1.0 + plant } else { 1.0 };
        (processes[side] * second * layout * truth, busy != changes)
    });
    [100.0, 1000.0, 10_000.0].map(|length| {
        sides.map(|(side, busy)| {
            let noise = 1.0 + 0.001 * normal(rng);
            match (machine.disturb)(rng, busy) {
                Times(factor) => length * side * factor * noise,
                Plus(share) => length * (side * noise + share),
            }
        })
    })
}

/// Takes up to `budget` simulated rounds of each line, until `judge`, which is called at every look
/// with the rounds so far, leaves no wanted line.
fn look(
    rng: &mut Rng,
    machine: &Machine,
    plants: &[f64; LINES],
    budget: usize,
    mut judge: impl FnMut(&[Option<Rounds>], &mut Vec<usize>),
) -> Vec<Option<Rounds>> {
    let empty = Rounds { by_length: vec![Vec::new(); LENGTHS], ..Rounds::default() };
    let mut lines = vec![Some(empty); LINES];
    let mut wanted: Vec<usize> = (0..LINES).collect();
    let mut rounds = 0;
    for look in LOOKS {
        while rounds < look.min(budget) {
            round(rng, machine, plants, &mut lines, (rounds, &wanted));
            rounds += 1;
        }
        judge(&lines, &mut wanted);
        if wanted.is_empty() || rounds == budget {
            break;
        }
    }
    lines
}

fn round(
    rng: &mut Rng,
    machine: &Machine,
    plants: &[f64; LINES],
    lines: &mut [Option<Rounds>],
    (number, wanted): (usize, &[usize]),
) {
    let processes = [1.0 + 0.001 * normal(rng), 1.0 + 0.001 * normal(rng)];
    for &line in wanted {
        let costs = measure(rng, machine, processes, plants[line]);
        let Some(rounds) = &mut lines[line] else { continue };
        rounds.numbers.push(number);
        for (rounds, cost) in rounds.by_length.iter_mut().zip(costs) {
            rounds.push(cost);
        }
    }
}

/// Does the same as `cpb compare`, with a budget in rounds.
fn compare(rng: &mut Rng, machine: &Machine, plants: &[f64; LINES], budget: usize) -> Verdicts {
    let family = Family {
        question: Question::Difference,
        precision: PRECISION,
        confidence: CONFIDENCE,
        verdicts: verdict_count([LENGTHS; LINES]),
        looks: LOOKS.len(),
    };
    let mut last = None;
    look(rng, machine, plants, budget.max(family.fewest_rounds()), |lines, wanted| {
        let verdicts = last.insert(Verdicts::look(&family, lines));
        *wanted = verdicts.undecided(&family, |_| false);
    });
    last.expect("there are looks")
}

/// Counts the verdicts of all comparisons, and the wrong ones.
#[derive(Default)]
struct Said {
    comparisons: usize,
    /// The number of comparisons with a wrong verdict.
    wrong: usize,
    lines: Ratios,
    lengths: Ratios,
    all: Ratios,
}

#[derive(Default)]
struct Ratios {
    intervals: usize,
    covering: usize,
    told: usize,
    wrong: usize,
}

impl Said {
    fn count(&mut self, verdicts: &Verdicts, plants: &[f64; LINES]) {
        let wrong_before = self.wrong_words();
        for (line, plant) in verdicts.lines.iter().zip(plants) {
            self.lines.count(line.finding, 1.0 + plant);
            line.by_length.iter().for_each(|it| self.lengths.count(*it, 1.0 + plant));
        }
        let mean = geometric_mean(&plants.map(|plant| 1.0 + plant)).expect("positive");
        self.all.count(verdicts.all, mean);
        self.comparisons += 1;
        self.wrong += usize::from(self.wrong_words() > wrong_before);
    }

    fn wrong_words(&self) -> usize {
        self.lines.wrong + self.lengths.wrong + self.all.wrong
    }
}

impl Ratios {
    /// Counts the finding on a ratio that is truly `truth`.
    fn count(&mut self, finding: Option<Finding>, truth: f64) {
        let Some(Finding { comparison, verdict }) = finding else { return };
        self.intervals += 1;
        self.covering += usize::from(comparison.interval.contains(truth));
        self.told += usize::from(verdict != Verdict::CannotTell);
        self.wrong += usize::from(is_wrong(verdict, truth));
    }

    fn coverage(&self) -> f64 {
        share(self.covering, self.intervals)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn is_wrong(verdict: Verdict, truth: f64) -> bool {
    match verdict {
        Verdict::Faster => truth >= 1.0,
        Verdict::Slower => truth <= 1.0,
        Verdict::NoDifference => truth.ln().abs() > PRECISION.ln_1p(),
        Verdict::CannotTell => false,
    }
}

/// Checks that if no line differs, all of them together do not.
fn lines_and_all_agree(verdicts: &Verdicts) -> bool {
    let is_equal = |finding: Option<Finding>| {
        finding.is_some_and(|finding| finding.verdict == Verdict::NoDifference)
    };
    is_equal(verdicts.all) || !verdicts.lines.iter().all(|line| is_equal(line.finding))
}

#[test]
fn words_are_rarely_wrong_and_intervals_hold() {
    println!("{:18}{:22}{:>8}{:>16}{:>24}", "", "", "false", "told", "intervals hold");
    println!(
        "{:18}{:22}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}",
        "machine", "planted", "words", "lines", "all", "lines", "lengths", "all"
    );
    for machine in &MACHINES {
        for (name, plants) in &PLANTS {
            let mut rng = Rng::with_seed(1);
            let mut said = Said::default();
            for run in 0..RUNS {
                let verdicts = compare(&mut rng, machine, plants, BUDGETS[run % BUDGETS.len()]);
                assert!(lines_and_all_agree(&verdicts), "{} {name}: {verdicts:?}", machine.name);
                said.count(&verdicts, plants);
            }
            let wrong = share(said.wrong, said.comparisons);
            let told = [&said.lines, &said.all].map(|it| share(it.told, it.intervals));
            let coverages = [&said.lines, &said.lengths, &said.all].map(Ratios::coverage);
            print!("{:18}{name:22}{wrong:8.3}{:8.3}{:8.3}", machine.name, told[0], told[1]);
            println!("{:8.3}{:8.3}{:8.3}", coverages[0], coverages[1], coverages[2]);
            assert!(wrong <= 0.05, "{} {name}: {wrong}", machine.name);
            let hold = coverages.iter().all(|coverage| *coverage >= 0.93);
            assert!(hold, "{} {name}: {coverages:?}", machine.name);
        }
    }
}

/// Compares as cpb did until this was found to be wrong: each ratio is judged as if it were alone,
/// with a last look when time is up however wide the intervals are, and all lines together from the
/// rounds that all of them have. For each line, this returns the ratio over all lengths, then that
/// of each length; and finally that of all lines.
fn compare_alone(
    rng: &mut Rng,
    machine: &Machine,
    plants: &[f64; LINES],
    budget: usize,
) -> (Vec<Option<Comparison>>, Option<Comparison>) {
    let confidence = confidence_of_a_look(CONFIDENCE);
    let lines = look(rng, machine, plants, budget, |lines, wanted| {
        wanted.retain(|&line| {
            let costs = lines[line].as_ref().map(Rounds::costs).unwrap_or_default();
            let it = Comparison::paired(&costs, confidence);
            it.is_none_or(|it| it.verdict(PRECISION) == Verdict::CannotTell)
        });
    });
    let mut found = Vec::new();
    let mut shared: Vec<Vec<[f64; 2]>> = Vec::new();
    for line in lines.iter().flatten() {
        found.push(Comparison::paired(&line.costs(), confidence));
        let each = 1.0 - (1.0 - confidence) / LENGTHS as f64;
        found.extend(line.by_length.iter().map(|it| Comparison::paired(it, each)));
        shared.push(line.costs());
    }
    let fewest = shared.iter().map(Vec::len).min().unwrap_or(0);
    shared.iter_mut().for_each(|costs| costs.truncate(fewest));
    let all = Rounds { numbers: (0..fewest).collect(), by_length: shared, ..Rounds::default() };
    (found, Comparison::paired(&all.costs(), confidence))
}

/// Returns the verdict of that time, which ignored the width of the interval.
fn verdict_however_wide(it: Option<Comparison>) -> Verdict {
    let Some(it) = it else { return Verdict::CannotTell };
    let (low, high) = (1.0 / (1.0 + PRECISION), 1.0 + PRECISION);
    match it.interval {
        interval if low <= interval.low && interval.high <= high => Verdict::NoDifference,
        interval if interval.high < 1.0 && it.ratio < low => Verdict::Faster,
        interval if interval.low > 1.0 && it.ratio > high => Verdict::Slower,
        _ => Verdict::CannotTell,
    }
}

/// This shows why the rules exist, and proves that the test above can fail.
#[test]
fn ratios_judged_alone_err_far_more_often() {
    let (mut most_wrong, mut most_at_odds) = (0.0_f64, 0.0_f64);
    for machine in &MACHINES {
        let mut rng = Rng::with_seed(1);
        let (mut wrong, mut undecided, mut at_odds) = (0, 0, 0);
        for run in 0..4 * RUNS {
            let budget = BUDGETS[run % BUDGETS.len()];
            let (found, all) = compare_alone(&mut rng, machine, &PLANTS[0].1, budget);
            let said: Vec<Verdict> = found.into_iter().map(verdict_however_wide).collect();
            wrong += usize::from(said.iter().any(|verdict| is_wrong(*verdict, 1.0)));
            let is_undecided = verdict_however_wide(all) == Verdict::CannotTell;
            let mut lines = said.iter().step_by(1 + LENGTHS);
            let are_equal = lines.all(|verdict| *verdict == Verdict::NoDifference);
            undecided += usize::from(is_undecided);
            at_odds += usize::from(is_undecided && are_equal);
        }
        let [wrong, undecided, at_odds] =
            [wrong, undecided, at_odds].map(|count| share(count, 4 * RUNS));
        println!(
            "{:18} false {wrong:.3}, all undecided {undecided:.3}, though every line is equal \
             {at_odds:.3}",
            machine.name
        );
        most_wrong = most_wrong.max(wrong);
        most_at_odds = most_at_odds.max(at_odds);
    }
    assert!(most_wrong > 0.06, "{most_wrong}");
    assert!(most_at_odds > 0.3, "{most_at_odds}");
}

fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * (1.0 - rng.f64()).ln()
}
