//! Draws horizontal bars as SVG.

use super::Style;
use super::layout::{LABEL_SIZE, MARGIN, SUBTITLE_SIZE, TITLE_SIZE};
use super::pen::{Head, Pen};
use super::style::Role;
use super::text::{shortened, width};
use crate::number::five_digits;

const TOP: f64 = MARGIN + 58.0;
const ROW: f64 = 28.0;
const BAR: f64 = 16.0;
const GAP: f64 = 12.0;
const LONGEST_LABEL: f64 = 320.0;
/// Room for the figure after the longest bar.
const FIGURE: f64 = 70.0;
/// System fonts may be wider than ours by this factor.
const FONT_SLACK: f64 = 1.1;

/// A bar chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The title above the bars, and its name for screen readers.
    pub title: String,
    /// The subtitle, with the unit.
    pub subtitle: String,
    /// The bars, from top to bottom.
    pub bars: Vec<Bar>,
}

/// A bar from zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The label before it.
    pub label: String,
    /// Its length and figure, or why there is none.
    pub value: Result<f64, String>,
    /// The interval; drawn as a whisker.
    pub interval: Option<(f64, f64)>,
    /// Whether the value is only an upper bound; drawn pale, with ≤.
    pub upper_bound: bool,
    /// The number of its line colour, modulo the number of colours.
    pub colour: usize,
}

/// Draws `bars` as a standalone SVG document.
pub fn bars_to_svg(bars: &Bars, style: &Style) -> String {
    let place = BarLayout::of(bars, style);
    let size = (
        (place.left + place.room + FIGURE + MARGIN).ceil(),
        TOP + ROW * bars.bars.len() as f64 + MARGIN / 2.0,
    );
    let fitting = |text: &str, font: f64| shortened(text, font, size.0 - 2.0 * MARGIN);
    let head = Head {
        size,
        title: &bars.title,
        description: &description(bars),
        shown: [&fitting(&bars.title, TITLE_SIZE * 1.05), &fitting(&bars.subtitle, SUBTITLE_SIZE)],
    };
    let mut pen = Pen::document(style, &head);
    for (index, bar) in bars.bars.iter().enumerate() {
        let middle = TOP + ROW * (index as f64 + 0.5);
        let label = shortened(&bar.label, LABEL_SIZE, LONGEST_LABEL);
        let end = "text-anchor=\"end\"";
        pen.text(&label, (place.left - GAP, middle + 4.4), LABEL_SIZE, Role::Ink, end);
        match &bar.value {
            Ok(value) if value.is_finite() => draw(&mut pen, bar, *value, &place, middle),
            other => {
                let reason = other.clone().map_or_else(|reason| reason, |value| value.to_string());
                let reason = shortened(&reason, LABEL_SIZE, place.room);
                let slanted = "font-style=\"italic\"";
                pen.text(&reason, (place.left, middle + 4.4), LABEL_SIZE, Role::Faint, slanted);
            }
        }
    }
    pen.end()
}

/// The geometry of the bars.
struct BarLayout {
    left: f64,
    room: f64,
    largest: f64,
}

impl BarLayout {
    fn of(bars: &Bars, style: &Style) -> Self {
        let labels = bars.bars.iter().map(|bar| width(&bar.label, LABEL_SIZE));
        let left = MARGIN + labels.fold(0.0, f64::max).min(LONGEST_LABEL) * FONT_SLACK + GAP;
        let room = style.plot_width.max(200.0) - FIGURE;
        let ends = |bar: &Bar| [bar.value.clone().ok(), bar.interval.map(|(_, high)| high)];
        let ends = bars.bars.iter().flat_map(ends).flatten().filter(|end| end.is_finite());
        Self { left, room, largest: ends.fold(f64::MIN_POSITIVE, f64::max) }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (value / self.largest).clamp(0.0, 1.0) * self.room
    }
}

/// Draws a bar with its whisker and figure.
fn draw(pen: &mut Pen, bar: &Bar, value: f64, place: &BarLayout, middle: f64) {
    let mut end = place.x(value);
    let pale = if bar.upper_bound { " fill-opacity=\"0.4\"" } else { "" };
    let fill = pen.paint(&[("fill", Role::Line(bar.colour))]);
    pen.push(format_args!(
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"2\"{pale} {fill}/>",
        place.left,
        middle - BAR / 2.0,
        end - place.left,
    ));
    let finite = |(low, high): &(f64, f64)| low.is_finite() && high.is_finite();
    if let Some((low, high)) = bar.interval.filter(finite) {
        let (from, to) = (place.x(low), place.x(high));
        end = end.max(to);
        let stroke = pen.paint(&[("stroke", Role::Ink)]);
        pen.push(format_args!(
            "<path d=\"M{from:.1} {middle:.1}H{to:.1}M{from:.1} {:.1}v6M{to:.1} {:.1}v6\" \
             fill=\"none\" stroke-width=\"1.5\" {stroke}/>",
            middle - 3.0,
            middle - 3.0,
        ));
    }
    let mark = if bar.upper_bound { "≤ " } else { "" };
    let words = format!("{mark}{}", five_digits(value));
    pen.text(&words, (end + 8.0, middle + 4.4), LABEL_SIZE, Role::Ink, "");
}

fn description(bars: &Bars) -> String {
    let words: Vec<String> = bars
        .bars
        .iter()
        .map(|bar| match &bar.value {
            Ok(value) => {
                let at_most = if bar.upper_bound { "at most " } else { "" };
                format!("{}: {at_most}{}.", bar.label, five_digits(*value))
            }
            Err(reason) => format!("{}: no figure, {reason}.", bar.label),
        })
        .collect();
    format!("{}. {}", bars.subtitle, words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use roxmltree::Document;

    fn bars(values: &[Result<f64, &str>]) -> Bars {
        let bars = values.iter().enumerate().map(|(index, value)| Bar {
            label: format!("library <{index}>"),
            value: value.map_err(str::to_owned),
            interval: value.ok().map(|value| (value * 0.9, value * 1.1)),
            upper_bound: false,
            colour: index,
        });
        Bars {
            title: "sha256 & co".to_owned(),
            subtitle: "cycles per byte".to_owned(),
            bars: bars.collect(),
        }
    }

    #[test]
    fn bars_are_as_long_as_their_values_and_failures_say_why() {
        let svg = bars_to_svg(&bars(&[Ok(2.0), Ok(4.0), Err("SIGILL")]), &Style::default());
        let document = Document::parse(&svg).unwrap();
        let widths: Vec<f64> = document
            .descendants()
            .filter(|node| node.attribute("rx").is_some())
            .map(|node| node.attribute("width").unwrap().parse().unwrap())
            .collect();
        assert_eq!(widths.len(), 2);
        assert!((widths[1] / widths[0] - 2.0).abs() < 0.01, "{widths:?}");
        for text in ["sha256 & co", "library <2>", "SIGILL", "2.0000", "4.0000"] {
            let mut texts = document.descendants().filter_map(|node| node.text());
            assert!(texts.any(|found| found == text), "{text}");
        }
        let description = document.descendants().find(|node| node.has_tag_name("desc")).unwrap();
        assert!(description.text().unwrap().contains("library <2>: no figure, SIGILL."));
    }

    #[test]
    fn odd_values_are_drawn_all_the_same() {
        for values in [&[][..], &[Ok(0.0)], &[Ok(-3.0), Ok(1.0)], &[Ok(f64::NAN)], &[Ok(1e300)]] {
            let svg = bars_to_svg(&bars(values), &Style::default());
            assert!(Document::parse(&svg).is_ok(), "{svg}");
            assert!(!svg.contains("=\"NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
