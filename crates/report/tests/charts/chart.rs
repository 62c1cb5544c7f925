//! Tests charts as SVG and PNG.

use cpb_report::chart::{Axis, Chart, Marks, Point, Scale, Series, Style, Theme, to_svg};
use proptest::prelude::*;
use roxmltree::{Document, Node};

fn chart(labels: &[&str]) -> Chart {
    let series = labels.iter().enumerate().map(|(index, label)| Series {
        label: (*label).to_owned(),
        look: index,
        points: (4..=21).map(|power| point(power, 4.0 + index as f64)).collect(),
    });
    Chart {
        title: "SHA-256".to_owned(),
        subtitle: "a machine".to_owned(),
        x: Axis {
            label: "Message length".to_owned(),
            scale: Scale::Logarithmic,
            marks: Marks::Bytes,
        },
        y: Axis {
            label: "Cycles per byte".to_owned(),
            scale: Scale::FromZero,
            marks: Marks::Numbers,
        },
        series: series.collect(),
        note: String::new(),
    }
}

fn point(power: i32, cost: f64) -> Point {
    let x = 2f64.powi(power);
    let y = cost + 300.0 / x;
    Point { x, y, interval: Some((y * 0.98, y * 1.02)), is_bound: false }
}

fn themed(theme: Theme) -> Style {
    Style { theme, ..Style::default() }
}

fn texts(document: &Document) -> Vec<String> {
    let elements = document.descendants().filter(|node| node.has_tag_name("text"));
    elements.filter_map(|node| node.text()).map(str::to_owned).collect()
}

fn number(node: &Node, attribute: &str) -> f64 {
    node.attribute(attribute).and_then(|text| text.parse().ok()).expect("a number")
}

#[test]
fn an_svg_is_well_formed_and_says_what_it_is() {
    let svg = to_svg(&chart(&["openssl", "nettle"]), &Style::default());
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    let by_identifier = |attribute: &str| {
        let identifier = root.attribute(attribute).unwrap();
        let mut named = document.descendants().filter(|n| n.attribute("id") == Some(identifier));
        named.next().unwrap().text().unwrap().to_owned()
    };
    assert_eq!(by_identifier("aria-labelledby"), "SHA-256");
    let description = by_identifier("aria-describedby");
    assert!(description.contains("2 lines"), "{description}");
    assert!(description.contains("openssl: from 22.750 at 16 B to 4.0001 at 2 MiB."));
    for text in ["SHA-256", "a machine", "Cycles per byte", "openssl", "nettle", "16 B", "2 MiB"] {
        assert!(texts(&document).iter().any(|other| other == text), "{text}");
    }
    assert!(!svg.contains("href") && !svg.contains("url("), "nothing from elsewhere");
}

#[test]
fn only_the_automatic_theme_has_css_and_it_falls_back_to_light() {
    let chart = chart(&["openssl"]);
    let [automatic, light, dark] =
        [Theme::Automatic, Theme::Light, Theme::Dark].map(|theme| to_svg(&chart, &themed(theme)));
    assert!(
        automatic.contains("prefers-color-scheme:dark") && automatic.contains("var(--cpb-ink)")
    );
    for fixed in [&light, &dark] {
        assert!(
            !fixed.contains("<style") && !fixed.contains("var(") && !fixed.contains("fill-ink")
        );
    }
    let fills = |svg: &str| -> Vec<(Option<String>, Option<String>)> {
        let document = Document::parse(svg).unwrap();
        let painted = document.descendants().filter(|node| !node.has_tag_name("style"));
        let owned = |value: Option<&str>| value.map(str::to_owned);
        painted
            .filter(Node::is_element)
            .map(|node| (owned(node.attribute("fill")), owned(node.attribute("stroke"))))
            .collect()
    };
    assert_eq!(fills(&automatic), fills(&light));
    assert_ne!(fills(&light), fills(&dark));
}

#[test]
fn labels_keep_apart_and_inside() {
    let names: Vec<String> =
        (0..24).map(|n| format!("a library of many words, algorithm {n}, mode enc")).collect();
    let mut chart = chart(&names.iter().map(String::as_str).collect::<Vec<_>>());
    // All lines end at the same point.
    for series in &mut chart.series {
        series.points = (4..=21).map(|power| point(power, 4.0)).collect();
    }
    let svg = to_svg(&chart, &Style::default());
    let document = Document::parse(&svg).unwrap();
    let (width, height) =
        (number(&document.root_element(), "width"), number(&document.root_element(), "height"));
    let labels = document
        .descendants()
        .filter(|node| node.has_tag_name("text") && names.iter().any(|n| node.text() == Some(n)));
    let mut places: Vec<f64> = labels
        .map(|label| {
            assert!(number(&label, "x") + 200.0 < width);
            number(&label, "y")
        })
        .collect();
    assert_eq!(places.len(), 24);
    places.sort_by(f64::total_cmp);
    assert!(places[0] > 0.0 && places[23] < height);
    for pair in places.windows(2) {
        assert!(pair[1] - pair[0] > 15.0, "{places:?}");
    }
}

#[test]
fn odd_charts_are_drawn_all_the_same() {
    let empty = chart(&[]);
    let svg = to_svg(&empty, &Style::default());
    assert!(texts(&Document::parse(&svg).unwrap()).contains(&"Nothing to show".to_owned()));
    let points: [&[(f64, f64)]; 6] = [
        &[],
        &[(16.0, 5.0)],
        &[(f64::NAN, 5.0), (16.0, f64::INFINITY), (0.0, 1.0)],
        &[(16.0, 0.0), (32.0, 0.0)],
        &[(16.0, -5.0), (1e300, 1e300)],
        &[(16.0, 1e-300), (32.0, 1e99)],
    ];
    for scale in [Scale::Linear, Scale::FromZero, Scale::Logarithmic] {
        for points in points {
            let mut chart = chart(&["one"]);
            chart.y.scale = scale;
            let all = points.iter();
            chart.series[0].points = all
                .map(|(x, y)| Point {
                    x: *x,
                    y: *y,
                    interval: Some((f64::NAN, *y)),
                    is_bound: false,
                })
                .collect();
            let svg = to_svg(&chart, &Style::default());
            assert!(Document::parse(&svg).is_ok(), "{points:?}");
            assert!(!svg.contains("NaN\"") && !svg.contains("inf"), "{points:?}\n{svg}");
            #[cfg(feature = "png")]
            png::is_drawn(&chart);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_words_make_well_formed_xml(title in ".*", label in any::<String>(), axis in any::<String>()) {
        let mut chart = chart(&[&label]);
        chart.title = title.clone();
        chart.x.label = axis;
        let svg = to_svg(&chart, &Style::default());
        let document = Document::parse(&svg).unwrap();
        let shown = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
        if title.chars().all(|c| !c.is_control() && c < '\u{fffe}') {
            prop_assert_eq!(shown.text().unwrap_or_default(), title);
        }
    }

    #[test]
    fn any_numbers_make_numbers(values in prop::collection::vec((any::<f64>(), any::<f64>()), 0..8)) {
        for scale in [Scale::Linear, Scale::FromZero, Scale::Logarithmic] {
            let mut chart = chart(&["a"]);
            (chart.x.scale, chart.y.scale) = (scale, scale);
            chart.series[0].points =
                values.iter().map(|(x, y)| Point { x: *x, y: *y, interval: None, is_bound: false }).collect();
            let svg = to_svg(&chart, &themed(Theme::Light));
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf "), "{}", svg);
        }
    }
}

#[cfg(feature = "png")]
mod png {
    use super::{chart, themed};
    use cpb_report::chart::{Chart, Style, Theme, to_png};
    use resvg::tiny_skia::Pixmap;

    pub(super) fn is_drawn(chart: &Chart) {
        let small = Style { pixel_ratio: 0.25, ..Style::default() };
        assert!(to_png(chart, &small).is_ok(), "{chart:?}");
    }

    #[test]
    fn a_png_shows_lines_and_text_in_its_theme() {
        for (theme, page, line) in [
            (Theme::Automatic, [255, 255, 255], [0x21, 0x52, 0xe0]),
            (Theme::Light, [255, 255, 255], [0x21, 0x52, 0xe0]),
            (Theme::Dark, [0x15, 0x18, 0x1d], [0x3d, 0x86, 0xff]),
        ] {
            let picture = to_png(&chart(&["openssl", "nettle"]), &themed(theme)).unwrap();
            let picture = Pixmap::decode_png(&picture).unwrap();
            let colour = |x: u32, y: u32| {
                let pixel = picture.pixel(x, y).unwrap();
                [pixel.red(), pixel.green(), pixel.blue()]
            };
            assert_eq!(colour(2, 2), page);
            let count = |x: std::ops::Range<u32>,
                         y: std::ops::Range<u32>,
                         wanted: &dyn Fn([u8; 3]) -> bool| {
                x.flat_map(|x| y.clone().map(move |y| (x, y)))
                    .filter(|(x, y)| wanted(colour(*x, *y)))
                    .count()
            };
            let (width, height) = (picture.width(), picture.height());
            // This is the plotting area, with its first line.
            let of_line = count(200..width / 2, height / 4..height - 150, &|found| found == line);
            assert!(of_line > 500, "{theme:?}: {of_line} pixels of the line");
            // These are the title, and the labels at the right.
            let title = count(40..300, 40..90, &|found| found != page);
            assert!(title > 500, "{theme:?}: {title} pixels of the title");
            let labels = count(width - 150..width - 40, 150..height - 100, &|found| found != page);
            assert!(labels > 200, "{theme:?}: {labels} pixels of labels");
        }
    }

    #[test]
    fn a_png_too_large_for_memory_is_refused() {
        let style = Style { pixel_ratio: 1e6, ..Style::default() };
        let refused = to_png(&chart(&["openssl"]), &style).unwrap_err().to_string();
        assert!(refused.contains("pixels cannot be made"), "{refused}");
    }
}
