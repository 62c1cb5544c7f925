//! Makes the page around the data.

use super::data::{data, embedded};
use super::evidence::{machine, summaries};
use super::{Past, past};
use crate::chart::{COLOURS, classes, escaped, variables};
use crate::{Paired, Source};
use crate::{date, number};
use cpb_figures::scaling::Scaled;

/// Landmarks and headings, with placeholders `{…}`.
const SKELETON: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
macro_rules! scripts {
    ($($name:literal)+) => { [$(include_str!(concat!("assets/", $name, ".js"))),+] };
}

/// The scripts, in the order in which they depend on each other.
const SCRIPTS: [&str; 16] = scripts! {
    "dom" "number" "data" "scale" "chart" "ranking" "card" "samples" "details" "winners" "table"
    "compare" "filter" "save" "theme" "main"
};

/// The script for concurrent calls, and its replacement for pages without such.
const SCALING: &str = include_str!("assets/scaling.js");
const NO_SCALING: &str = "const scaling = { show() {} };\n";

/// Makes a page of `sources`, with each later one compared with the first: by figures, or by
/// `paired` if they were measured next to each other.
pub fn page(sources: &[Source], paired: Option<&Paired>) -> String {
    page_among(sources, paired, &PageContext::default())
}

/// Works like [`page`], as part of a site.
pub fn page_among(
    sources: &[Source],
    paired: Option<&Paired>,
    surroundings: &PageContext,
) -> String {
    let machines: Vec<String> = sources.iter().map(|source| machine(source.run)).collect();
    let same = machines.windows(2).all(|pair| pair[0] == pair[1]);
    let title = match &machines[..] {
        [first, ..] if same => first.clone(),
        all => all.join(" and "),
    };
    let has_scaling =
        sources.iter().any(|it| !Scaled::of(&it.run.records, &it.run.host).is_empty());
    let [before @ .., main] = &SCRIPTS;
    let scaling = if has_scaling { SCALING } else { NO_SCALING };
    let script = [&before.concat(), scaling, main].concat();
    let of_past = surroundings.past.map(|_| classes()).unwrap_or_default();
    let parts = [
        ("{title}", escaped(&title)),
        ("{links}", links(surroundings.links) + surroundings.past.map_or("", |_| past::LINK)),
        ("{past}", surroundings.past.map(past::section).unwrap_or_default()),
        ("{plain}", surroundings.plain.map(plain).unwrap_or_default()),
        ("{lede}", escaped(&lede(sources))),
        ("{style}", format!("{}{of_past}{STYLE}", colours())),
        ("{summary}", summaries(sources)),
        ("{data}", embedded(&data(sources, paired))),
        ("{script}", format!("(() => {{\n\"use strict\";\n{script}}})();\n")),
    ];
    filled(SKELETON, &parts)
}

/// The surroundings of a page.
#[derive(Clone, Copy, Default)]
pub struct PageContext<'a> {
    /// Links with their texts, before those to the page's own sections.
    pub links: &'a [(&'a str, &'a str)],
    /// The address of the figures without a script, if there is one.
    pub plain: Option<&'a str>,
    /// The rows of its first run over earlier ones.
    pub past: Option<&'a Past>,
}

fn links(links: &[(&str, &str)]) -> String {
    let link = |(address, words): &(&str, &str)| {
        format!("<a href=\"{}\">{}</a>\n", escaped(address), escaped(words))
    };
    links.iter().map(link).collect()
}

fn plain(address: &str) -> String {
    format!(" <a href=\"{}\">The figures as a plain table</a>.", escaped(address))
}

/// Fills the placeholders of `skeleton`. Inserted text is not searched for placeholders again.
fn filled(skeleton: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = skeleton;
    while let Some((place, (name, part))) =
        parts.iter().filter_map(|part| Some((rest.find(part.0)?, part))).min_by_key(|found| found.0)
    {
        page.push_str(&rest[..place]);
        page.push_str(part);
        rest = &rest[place + name.len()..];
    }
    page + rest
}

fn lede(sources: &[Source]) -> String {
    let records = sources.iter().flat_map(|source| &source.run.records);
    let mut libraries: Vec<&str> = records.map(|it| it.subject.library.as_str()).collect();
    let rows = libraries.len();
    libraries.sort_unstable();
    libraries.dedup();
    let rows = counted(rows, "row", "rows");
    let of = counted(libraries.len(), "library", "libraries");
    match sources {
        [only] => format!("{rows} of {of}, measured {}", date::utc(only.run.started)),
        _ => format!("{} runs, {rows} of {of}", sources.len()),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", number::grouped(count as u64), if count == 1 { one } else { many })
}

/// Returns the style sheet for pages of the same site: colours and rules, including those of charts
/// with the theme [`OfPage`](crate::chart::Theme::OfPage).
pub fn style() -> String {
    format!("{}{}{STYLE}", colours(), classes())
}

/// Returns the colours of charts as CSS variables: light, or dark if the reader's system is, or as
/// the page's switch says.
fn colours() -> String {
    let (light, dark) = (variables(false), variables(true));
    let lines: String = (0..COLOURS)
        .map(|line| format!(".line-{line}{{--line:var(--cpb-line-{line})}}\n"))
        .collect();
    format!(
        ":root{{color-scheme:light;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n\
         @media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}\n{lines}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::{record, run};

    #[test]
    fn a_page_loads_nothing_and_has_everything() {
        let mut evil = record("sha256", "</script><img src=x>", 5.0);
        evil.subject.backend = "{script}{data}".to_owned();
        let mut run = run(vec![evil]);
        run.host.cpu = Some("{style}<h1>".to_owned());
        let page = page(&[Source { name: "a", run: &run }], None);
        assert!(page.starts_with("<!doctype html>"));
        assert!(page.contains("default-src 'none'"));
        for outside in ["http://", "https://", "@import", "<img", "url("] {
            let own_names = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!own_names.contains(outside), "{outside}");
        }
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(page.contains("<h1>{style}&lt;h1&gt;</h1>"));
        assert!(page.contains("{script}{data}"));
    }

    #[test]
    fn scripts_hold_nothing_that_ends_them() {
        for script in SCRIPTS.into_iter().chain([SCALING, NO_SCALING]) {
            assert!(!script.contains("</") && !script.contains("<!--"));
            assert!(!script.contains("innerHTML") && !script.contains("eval("));
        }
    }
}
