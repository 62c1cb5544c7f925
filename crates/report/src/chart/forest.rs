//! Draws forest plots: a row per ratio, with its interval, around 1.

use super::Style;
use super::layout::{LABEL_SIZE, MARGIN};
use super::pen::{Head, Pen};
use super::style::Role;
use super::text::{escaped, shortened, width};
use cpb_figures::RatioBound;

const ROW: f64 = 22.0;
const LONGEST_LABEL: f64 = 360.0;
const TOP: f64 = 78.0;
const TICKS: usize = 5;

/// A forest plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// The title above the chart, and its name for screen readers.
    pub title: String,
    /// The subtitle; empty for none.
    pub subtitle: String,
    /// The ratios, from top to bottom.
    pub marks: Vec<Mark>,
    /// The range of ratios that count as equal; drawn as a band.
    pub neutral: (f64, f64),
}

/// A ratio.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The label before it.
    pub label: String,
    /// The ratio; above zero.
    pub value: f64,
    /// Whether the ratio is only a bound: drawn pale, open towards the other side.
    pub known: RatioBound,
    /// The interval; above zero.
    pub interval: Option<(f64, f64)>,
}

impl Mark {
    /// Returns the ends of the possible range, clipped to the axis.
    fn ends(&self, axis: (f64, f64)) -> (f64, f64) {
        match (self.interval, self.known) {
            (Some(interval), _) => interval,
            (None, RatioBound::AtMost) => (axis.0, self.value),
            (None, RatioBound::AtLeast) => (self.value, axis.1),
            (None, RatioBound::About) => (self.value, self.value),
        }
    }

    /// Describes label, ratio and interval.
    fn describe(&self) -> String {
        let interval = self.interval.map(|(low, high)| format!(" ({low:.4} to {high:.4})"));
        let mark = self.known.mark();
        format!("{}: {mark}{:.4}{}", self.label, self.value, interval.unwrap_or_default())
    }
}

/// Draws `forest` as a standalone SVG document, with a logarithmic axis.
pub fn to_svg(forest: &Forest, style: &Style) -> String {
    let place = ForestLayout::new(forest, style);
    let head = Head {
        size: (place.right + MARGIN, place.bottom + 40.0),
        title: &forest.title,
        description: &describe(forest),
        shown: [&forest.title, &forest.subtitle],
    };
    let mut pen = Pen::document(style, &head);
    axis(&mut pen, forest.neutral, &place);
    for (index, mark) in forest.marks.iter().enumerate() {
        draw(&mut pen, mark, TOP + ROW * (index as f64 + 0.5), &place);
    }
    pen.end()
}

fn axis(pen: &mut Pen, neutral: (f64, f64), place: &ForestLayout) {
    let (from, to) = (place.x(neutral.0), place.x(neutral.1));
    let band = pen.paint(&[("fill", Role::Grid)]);
    pen.push(format_args!(
        "<rect x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\" {band}/>",
        to - from,
        place.bottom - TOP
    ));
    for (value, label) in place.ticks() {
        let x = place.x(value);
        pen.rule((x, TOP), (x, place.bottom), Role::Grid);
        let middle = "text-anchor=\"middle\"";
        pen.text(&label, (x, place.bottom + 18.0), LABEL_SIZE, Role::Faint, middle);
    }
    let one = place.x(1.0);
    pen.rule((one, TOP), (one, place.bottom), Role::Faint);
}

fn draw(pen: &mut Pen, mark: &Mark, y: f64, place: &ForestLayout) {
    let label = shortened(&mark.label, LABEL_SIZE, LONGEST_LABEL);
    pen.text(&label, (MARGIN, y + 4.4), LABEL_SIZE, Role::Ink, "");
    let (low, high) = mark.ends((place.low.exp(), place.high.exp()));
    let pale = match mark.known {
        RatioBound::About => "",
        RatioBound::AtMost | RatioBound::AtLeast => " opacity=\"0.4\"",
    };
    let line = pen.paint(&[("stroke", Role::Line(0))]);
    let dot = pen.paint(&[("fill", Role::Line(0)), ("stroke", Role::Page)]);
    pen.push(format_args!(
        "<g{pale}><title>{}</title>\
         <path d=\"M{:.1} {y:.1}H{:.1}\" stroke-width=\"2\" {line}/>\
         <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" {dot}/></g>",
        escaped(&mark.describe()),
        place.x(low),
        place.x(high),
        place.x(mark.value),
    ));
}

struct ForestLayout {
    left: f64,
    right: f64,
    bottom: f64,
    /// The logarithms of the ends of the axis.
    low: f64,
    high: f64,
}

impl ForestLayout {
    fn new(forest: &Forest, style: &Style) -> Self {
        let labels = forest.marks.iter().map(|mark| width(&mark.label, LABEL_SIZE) * 1.1);
        let left = MARGIN + labels.fold(0.0, f64::max).min(LONGEST_LABEL) + 14.0;
        let interval = |mark: &Mark| mark.interval.unwrap_or((mark.value, mark.value));
        let ends = forest.marks.iter().map(interval).flat_map(|(low, high)| [low, high]);
        let ends = ends.chain([forest.neutral.0, forest.neutral.1]).map(f64::ln);
        let farthest = ends
            .filter(|end| end.is_finite())
            .fold((0.0, 0.0), |(low, high), end| (f64::min(low, end), f64::max(high, end)));
        let room = (farthest.1 - farthest.0).max(0.002) * 0.06;
        Self {
            left,
            right: left + style.plot_width,
            bottom: TOP + ROW * forest.marks.len().max(1) as f64,
            low: farthest.0 - room,
            high: farthest.1 + room,
        }
    }

    fn x(&self, ratio: f64) -> f64 {
        let share = (ratio.ln() - self.low) / (self.high - self.low);
        self.left + share * (self.right - self.left)
    }

    /// Returns round ratios, including 1.
    fn ticks(&self) -> Vec<(f64, String)> {
        let span = self.high.exp() - self.low.exp();
        let rough = span / TICKS as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
        let decimals = usize::try_from(-step.log10().floor() as i64).unwrap_or(0);
        let first = ((self.low.exp() - 1.0) / step).ceil() as i64;
        let last = ((self.high.exp() - 1.0) / step).floor() as i64;
        let values = (first..=last).map(|index| 1.0 + index as f64 * step);
        let values = values.filter(|value| *value > 0.0);
        values.map(|value| (value, format!("{value:.decimals$}"))).collect()
    }
}

fn describe(forest: &Forest) -> String {
    let marks = forest.marks.iter().map(|mark| format!("{}.", mark.describe()));
    format!("Ratios. {}", marks.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forest() -> Forest {
        let mark = |label: &str, value: f64| Mark {
            label: label.to_owned(),
            value,
            known: RatioBound::About,
            interval: Some((value * 0.99, value * 1.01)),
        };
        Forest {
            title: "new & old".to_owned(),
            subtitle: String::new(),
            marks: vec![mark("aes-128-gcm seal", 0.8), mark("sha256 <hash>", 1.002)],
            neutral: (0.995, 1.005),
        }
    }

    #[test]
    fn marks_stand_in_order_within_the_plot() {
        let forest = forest();
        let place = ForestLayout::new(&forest, &Style::default());
        let x: Vec<f64> = [0.792, 0.8, 0.995, 1.0, 1.002].map(|ratio| place.x(ratio)).to_vec();
        assert!(x.is_sorted() && x[0] > place.left && x[4] < place.right);
        let ticks = place.ticks();
        assert!((3..9).contains(&ticks.len()) && ticks.iter().any(|(_, label)| label == "1.00"));
    }

    #[test]
    fn bounds_are_open_to_their_other_side() {
        let mut forest = forest();
        (forest.marks[0].known, forest.marks[0].interval) = (RatioBound::AtMost, None);
        assert_eq!(forest.marks[0].ends((0.5, 2.0)), (0.5, 0.8));
        let svg = to_svg(&forest, &Style::default());
        assert!(svg.contains("<g opacity=\"0.4\"><title>aes-128-gcm seal: ≤ 0.8000</title>"));
    }

    #[test]
    fn the_document_is_well_formed_and_says_everything() {
        let svg = to_svg(&forest(), &Style::default());
        let document = roxmltree::Document::parse(&svg).unwrap();
        let text: String = document.descendants().filter_map(|node| node.text()).collect();
        for words in ["new & old", "sha256 <hash>", "0.8000 (0.7920 to 0.8080)"] {
            assert!(text.contains(words), "{words}");
        }
        assert_eq!(document.descendants().filter(|n| n.has_tag_name("circle")).count(), 2);
        let none = Forest { marks: Vec::new(), ..forest() };
        assert!(roxmltree::Document::parse(&to_svg(&none, &Style::default())).is_ok());
    }
}
