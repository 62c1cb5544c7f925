//! Defines the options of drawing: colours, markers, dashes, and sizes.
//!
//! The eight line colours differ by at least 0.10 in OKLab, also as seen by protanopes and
//! deuteranopes, and have a contrast of at least 3 : 1 to their page (WCAG 2.2, 1.4.11).

/// Selects the colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// An SVG follows its reader's `prefers-color-scheme`, by CSS variables
    /// (`--cpb-page`, `--cpb-ink`, … on `.cpb-chart`) that a page around it can
    /// set, too; light where CSS is not understood. A PNG is light.
    #[default]
    Automatic,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// The style sheet of the surrounding page, with the classes and variables of
    /// [`html::style`](crate::html::style).
    OfPage,
}

/// Options of drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    pub theme: Theme,
    /// The prefix of all XML identifiers: letters, digits and hyphens, unique among the charts of
    /// an HTML page.
    pub identifier: String,
    /// Width of the plotting area in CSS pixels.
    pub plot_width: f64,
    /// Minimal height of the plotting area in CSS pixels.
    pub plot_height: f64,
    /// Pixels of a PNG per CSS pixel.
    pub pixel_ratio: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            theme: Theme::Automatic,
            identifier: "cpb".to_owned(),
            plot_width: 680.0,
            plot_height: 380.0,
            pixel_ratio: 2.0,
        }
    }
}

/// The number of distinct lines; further ones look like the first.
pub const LOOKS: usize = COLOURS * DASHES.len();

/// The number of line colours.
pub(crate) const COLOURS: usize = 8;
const DASHES: [&str; 3] = ["", "6 3", "2 3"];

/// Names what a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Page,
    Ink,
    Faint,
    Grid,
    Line(usize),
}

const PAPERS: [Role; 4] = [Role::Page, Role::Ink, Role::Faint, Role::Grid];

const LIGHT: [&str; 4] = ["#ffffff", "#1b1f24", "#59616b", "#e4e7eb"];
const DARK: [&str; 4] = ["#15181d", "#e8eaed", "#a2abb6", "#2c323a"];

const LIGHT_LINES: [&str; COLOURS] =
    ["#2152e0", "#d2761a", "#2f9c97", "#8a3f86", "#0a4a12", "#8f86f5", "#7a6400", "#1c1f4d"];
const DARK_LINES: [&str; COLOURS] =
    ["#3d86ff", "#ff9a1f", "#19c7a0", "#c065a6", "#b5f25a", "#a9a9ff", "#9a7a2f", "#a5f3fb"];

impl Role {
    /// Returns the role's name in classes and variables.
    fn name(self) -> String {
        match self {
            Role::Page => "page".to_owned(),
            Role::Ink => "ink".to_owned(),
            Role::Faint => "faint".to_owned(),
            Role::Grid => "grid".to_owned(),
            Role::Line(series) => format!("line-{}", series % COLOURS),
        }
    }

    fn colour(self, dark: bool) -> &'static str {
        let papers = if dark { DARK } else { LIGHT };
        match self {
            Role::Page => papers[0],
            Role::Ink => papers[1],
            Role::Faint => papers[2],
            Role::Grid => papers[3],
            Role::Line(series) if dark => DARK_LINES[series % COLOURS],
            Role::Line(series) => LIGHT_LINES[series % COLOURS],
        }
    }
}

/// Returns attributes that paint properties (`fill`, `stroke`) of an element.
///
/// An element has only one class attribute, so all its paints must be in one call.
pub(super) fn paint(theme: Theme, paints: &[(&str, Role)]) -> String {
    let mut attributes: Vec<String> = paints
        .iter()
        .map(|(property, role)| format!("{property}=\"{}\"", role.colour(theme == Theme::Dark)))
        .collect();
    if matches!(theme, Theme::Automatic | Theme::OfPage) {
        let classes = paints.iter().map(|(property, role)| format!("{property}-{}", role.name()));
        attributes.push(format!("class=\"{}\"", classes.collect::<Vec<_>>().join(" ")));
    }
    attributes.join(" ")
}

/// Returns the style sheet of the automatic theme.
///
/// The attributes of [`paint`] are the light theme, which a renderer without CSS variables keeps,
/// since it does not know `@supports` either.
pub(super) fn style_sheet() -> String {
    let classes = classes();
    format!(
        "@supports (fill:var(--cpb-ink)) {{\n\
         .cpb-chart{{color-scheme:light dark;background:var(--cpb-page);{}}}\n\
         @media (prefers-color-scheme:dark){{.cpb-chart{{{}}}}}\n{classes}}}\n",
        variables(false),
        variables(true),
    )
}

/// Returns the rules of the classes that [`paint`] uses.
pub(crate) fn classes() -> String {
    roles()
        .flat_map(|role| ["fill", "stroke"].map(|property| (property, role.name())))
        .map(|(property, name)| {
            format!(".cpb-chart .{property}-{name}{{{property}:var(--cpb-{name})}}\n")
        })
        .collect()
}

/// Returns the colours as CSS variables: `--cpb-page:#ffffff;--cpb-ink:…`.
pub(crate) fn variables(dark: bool) -> String {
    roles().map(|role| format!("--cpb-{}:{};", role.name(), role.colour(dark))).collect()
}

fn roles() -> impl Iterator<Item = Role> {
    PAPERS.into_iter().chain((0..COLOURS).map(Role::Line))
}

/// Returns the paths of all markers around the origin.
pub(crate) fn shapes() -> [String; COLOURS] {
    std::array::from_fn(|series| marker(series, 0.0, 0.0))
}

/// Returns the dash patterns of lines.
pub(crate) fn dash_patterns() -> [&'static str; DASHES.len()] {
    DASHES
}

/// Returns the dash pattern of a line; empty for a solid one.
pub(super) fn dashes(series: usize) -> &'static str {
    DASHES[series / COLOURS % DASHES.len()]
}

/// Whether markers are filled, as those of solid lines are.
pub(super) fn is_filled(series: usize) -> bool {
    dashes(series).is_empty()
}

/// Returns the path of a marker around `(x, y)`.
pub(super) fn marker(series: usize, x: f64, y: f64) -> String {
    // The shapes shift against the colours from one dash pattern to the next.
    let outline: &[(f64, f64)] = match (series + series / COLOURS) % COLOURS {
        0 => return format!("M{:.1} {y:.1}a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0z", x - 3.8),
        1 => &[(-3.4, -3.4), (3.4, -3.4), (3.4, 3.4), (-3.4, 3.4)],
        2 => &[(0.0, -4.8), (4.5, 3.3), (-4.5, 3.3)],
        3 => &[(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)],
        4 => &[(0.0, 4.8), (4.5, -3.3), (-4.5, -3.3)],
        5 => &PLUS,
        6 => &[(-2.2, -4.6), (2.2, -4.6), (2.2, 4.6), (-2.2, 4.6)],
        _ => &[(-4.8, -2.2), (4.8, -2.2), (4.8, 2.2), (-4.8, 2.2)],
    };
    let corners: Vec<String> =
        outline.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx, y + dy)).collect();
    format!("M{}z", corners.join("L"))
}

const PLUS: [(f64, f64); 12] = [
    (-1.7, -4.8),
    (1.7, -4.8),
    (1.7, -1.7),
    (4.8, -1.7),
    (4.8, 1.7),
    (1.7, 1.7),
    (1.7, 4.8),
    (-1.7, 4.8),
    (-1.7, 1.7),
    (-4.8, 1.7),
    (-4.8, -1.7),
    (-1.7, -1.7),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_differ_until_they_repeat() {
        let look = |series| (Role::Line(series).colour(false), dashes(series));
        let marked = |series| (Role::Line(series).colour(true), marker(series, 0.0, 0.0));
        for a in 0..LOOKS {
            for b in 0..a {
                assert_ne!(look(a), look(b));
                assert_ne!(marked(a), marked(b));
            }
        }
        assert_eq!(look(0), look(LOOKS));
    }

    #[test]
    fn lines_and_text_stand_out_from_the_page() {
        for dark in [false, true] {
            let page = luminance(Role::Page.colour(dark));
            let contrast = |role: Role| {
                let other = luminance(role.colour(dark));
                (page.max(other) + 0.05) / (page.min(other) + 0.05)
            };
            assert!(contrast(Role::Ink) > 12.0 && contrast(Role::Faint) > 4.5);
            for series in 0..COLOURS {
                assert!(contrast(Role::Line(series)) >= 3.0, "{series} dark: {dark}");
            }
        }
    }

    fn luminance(colour: &str) -> f64 {
        let channel = |from: usize| {
            let value = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }
}
