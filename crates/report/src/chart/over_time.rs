//! Draws figures over time, with the steps between their levels.

use super::layout::{Layout, SAMPLE};
use super::pen::Pen;
use super::style::Role;
use super::text::{escaped, width};
use super::{Axis, Chart, Marks, Point, Scale, Series, Style, describe::describe, svg};
use crate::date;

/// The height above the plot for the numbers of steps.
const ABOVE: f64 = 22.0;
const NUMBER_SIZE: f64 = 11.5;
const RING: f64 = 6.5;

/// A chart of figures over time.
#[derive(Debug, Clone, PartialEq)]
pub struct OverTime {
    /// Its name for screen readers.
    pub title: String,
    /// The unit of the figures.
    pub unit: String,
    /// The lines, most important first; the first is drawn on top.
    pub lines: Vec<Timed>,
}

/// A line over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// The line, over seconds since 1970.
    pub series: Series,
    /// The steps to another level.
    pub steps: Vec<Step>,
}

/// A step of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its number in the surrounding page.
    pub number: usize,
    /// The first figure of the new level.
    pub at: (f64, f64),
    /// The tooltip.
    pub words: String,
}

/// Draws `history` as a standalone SVG document of `size` pixels: only the plot, because title,
/// legend and a table of the same are in the surrounding page.
pub fn over_time_to_svg(history: &OverTime, style: &Style, size: (f64, f64)) -> String {
    let axis = |label: &str, marks| Axis { label: label.to_owned(), scale: Scale::Linear, marks };
    let chart = Chart {
        title: history.title.clone(),
        subtitle: String::new(),
        x: axis("time (UTC)", Marks::Times),
        y: axis(&history.unit, Marks::Numbers),
        series: history.lines.iter().map(|line| line.series.clone()).collect(),
        note: String::new(),
    };
    let layout = Layout::plain(&chart, size, ABOVE);
    let mut pen = Pen::bare(style, size, &history.title, &description(history, &chart));
    let steps = placed(history, &layout);
    rules(&mut pen, &steps, &layout);
    pen.text.push_str(&svg::plot(&chart, &layout, style));
    for step in &steps {
        let stroke = pen.paint(&[("stroke", Role::Ink)]);
        pen.push(format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.2}\" r=\"{RING}\" fill=\"none\" stroke-width=\"1.5\" \
             {stroke}><title>{}</title></circle>",
            step.x,
            step.y,
            escaped(&format!("{}: {}", step.step.number, step.step.words)),
        ));
    }
    pen.end()
}

/// Draws a sample of a line for a legend beside charts; screen readers ignore it.
pub fn sample_to_svg(look: usize, style: &Style) -> String {
    let mut pen = Pen::new(style);
    pen.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cpb-chart sample\" width=\"{SAMPLE}\" \
         height=\"12\" viewBox=\"0 0 {SAMPLE} 12\" aria-hidden=\"true\">"
    ));
    pen.sample(look, (0.0, 6.0));
    pen.end()
}

fn description(history: &OverTime, chart: &Chart) -> String {
    let mut words = describe(chart);
    for line in &history.lines {
        for step in &line.steps {
            let when = date::utc(step.at.0 as i64);
            words.push_str(&format!(" Step {} at {when}: {}.", step.number, step.words));
        }
    }
    words
}

struct Placed<'a> {
    step: &'a Step,
    look: usize,
    x: f64,
    y: f64,
}

/// Returns the steps from left to right.
fn placed<'a>(history: &'a OverTime, layout: &Layout) -> Vec<Placed<'a>> {
    let of_line = |line: &'a Timed| {
        line.steps.iter().map(|step| Placed {
            step,
            look: line.series.look,
            x: layout.x(step.at.0),
            y: layout.y(step.at.1),
        })
    };
    let mut steps: Vec<Placed> = history.lines.iter().flat_map(of_line).collect();
    steps.retain(|it| it.x.is_finite() && it.y.is_finite());
    steps.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.step.number.cmp(&b.step.number)));
    steps
}

/// Draws a rule at each step, with its number above; steps that are too close share one.
fn rules(pen: &mut Pen, steps: &[Placed], layout: &Layout) {
    let mut from = 0;
    while from < steps.len() {
        let near = |step: &&Placed| step.x - steps[from].x < 2.0 * RING;
        let count = steps[from..].iter().take_while(near).count();
        let group = &steps[from..from + count];
        for step in group {
            let stroke = pen.paint(&[("stroke", Role::Line(step.look))]);
            pen.push(format_args!(
                "<path d=\"M{:.1} {:.1}V{:.1}\" fill=\"none\" stroke-dasharray=\"2 3\" {stroke}/>",
                step.x,
                layout.top - 4.0,
                layout.bottom
            ));
        }
        let words = numbers(group);
        let half = width(&words, NUMBER_SIZE) / 2.0;
        let middle = (group[0].x + group[count - 1].x) / 2.0;
        let x = middle.clamp(half, (layout.right - half).max(half));
        let more = "text-anchor=\"middle\" font-weight=\"600\"";
        pen.text(&words, (x, layout.top - 8.0), NUMBER_SIZE, Role::Ink, more);
        from += count;
    }
}

/// Formats the numbers of steps: `3`, `3–5`, or `3, 7`.
fn numbers(steps: &[Placed]) -> String {
    let mut numbers: Vec<usize> = steps.iter().map(|it| it.step.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers[..] {
        [first, .., last] if last - first + 1 == numbers.len() => format!("{first}–{last}"),
        _ => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// A point of a line over time.
impl Point {
    /// Creates the point of a run that began `seconds` after 1970.
    pub fn at_time(seconds: i64, figure: cpb_model::Figure) -> Self {
        Self {
            x: seconds as f64,
            y: figure.estimate,
            interval: figure.interval.map(|interval| (interval.low, interval.high)),
            is_bound: figure.upper_bound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Theme;
    use roxmltree::Document;

    fn line(label: &str, values: &[f64], steps: &[(usize, usize)]) -> Timed {
        let point = |(day, y): (usize, &f64)| Point {
            x: 86_400.0 * day as f64,
            y: *y,
            interval: None,
            is_bound: false,
        };
        let points: Vec<Point> = values.iter().enumerate().map(point).collect();
        let steps = steps.iter().map(|&(number, place)| Step {
            number,
            at: (points[place].x, points[place].y),
            words: "openssl <3.0> → 3.5".to_owned(),
        });
        let steps = steps.collect();
        Timed { series: Series { label: label.to_owned(), look: 0, points }, steps }
    }

    fn drawn(lines: Vec<Timed>, theme: Theme) -> String {
        let style = Style { theme, ..Style::default() };
        let history = OverTime { title: "sha256 & co".to_owned(), unit: "c/B".to_owned(), lines };
        over_time_to_svg(&history, &style, (600.0, 240.0))
    }

    #[test]
    fn steps_are_numbered_marked_and_told() {
        let values = [5.0, 5.0, 5.0, 6.0, 6.0, 4.0];
        let lines = vec![line("a", &values, &[(1, 3), (3, 5)]), line("b", &values, &[(2, 3)])];
        let svg = drawn(lines, Theme::OfPage);
        let document = Document::parse(&svg).unwrap();
        let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
        assert!(texts.contains(&"1–2") && texts.contains(&"3"), "{texts:?}");
        let rings = document.descendants().filter(|node| node.has_tag_name("circle")).count();
        assert_eq!(rings, 3);
        let description = document.descendants().find(|node| node.has_tag_name("desc")).unwrap();
        let words = "Step 3 at 1970-01-06 00:00 UTC: openssl <3.0> → 3.5.";
        assert!(description.text().unwrap().contains(words));
        assert!(!svg.contains("<style") && !svg.contains("style="), "a page's policy forbids it");
    }

    #[test]
    fn odd_lines_are_drawn_all_the_same() {
        for values in [&[][..], &[1.0], &[f64::NAN, 1.0], &[1e300, 0.0], &[-1.0, 1.0]] {
            let svg = drawn(vec![line("a", values, &[])], Theme::Light);
            assert!(Document::parse(&svg).is_ok(), "{svg}");
            assert!(!svg.contains("NaN") && !svg.contains("=\"inf"), "{svg}");
        }
        let svg = drawn(vec![line("a", &[f64::NAN, 1e300], &[(1, 0), (2, 1)])], Theme::Light);
        assert!(!svg.contains("\"NaN"), "{svg}");
    }
}
