//! `cpb report`: runs as a page, as charts, as a table.

use crate::arguments::StoreArgument;
use crate::fault::Fault;
use crate::{output, saved};
use clap::{ArgGroup, Args};
use cpb_model::{RawRound, Run};
use cpb_report::chart::{Bar, Bars, Style, bars_to_svg, to_svg};
use cpb_report::curves::{self, Quantity};
use cpb_report::html::{self, Source};
use cpb_report::ranking::{Group, groups};
use std::path::{Path, PathBuf};

/// Stands for standard output.
const STANDARD: &str = "-";

/// Saved runs as one HTML page, as SVG charts, as a Markdown table
///
/// The page is one file that needs no network: ranking and curves of every
/// primitive, fixed cost against slope, the runs compared to the first of
/// them, how samples lie, and every row with where
/// its figure comes from.
#[derive(Debug, Args)]
#[command(group(
    ArgGroup::new("destination").required(true).multiple(true).args(["html", "svg", "markdown"])
))]
pub(crate) struct Arguments {
    /// Saved runs, by number, label, latest or file; later ones are compared
    /// with the first.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    /// Write a page; - for standard output.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the bars and the curves of every primitive into this folder.
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Write a table for a README [default: to standard output].
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true,
          default_missing_value = STANDARD)]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let standard = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| is_standard(path));
    if standard(&arguments.html) && standard(&arguments.markdown) {
        return Err(Fault::Usage(
            "only one of --html and --markdown can go to standard output; give the other a file"
                .to_owned(),
        ));
    }
    let runs: Vec<(String, Run)> = arguments
        .runs
        .iter()
        .map(|name| Ok((short(name, &arguments.runs), saved::load(&arguments.store, name)?)))
        .collect::<Result<_, Fault>>()?;
    if let Some(path) = &arguments.html {
        let sources: Vec<Source> =
            runs.iter().map(|(name, run)| Source { name, run, cycles: &cycles }).collect();
        write(path, &html::page(&sources))?;
    }
    if let Some(folder) = &arguments.svg {
        write_charts(folder, &runs)?;
    }
    if let Some(path) = &arguments.markdown {
        let tables: Vec<String> = runs.iter().map(|(_, run)| cpb_report::markdown(run)).collect();
        write(path, &tables.join("\n"))?;
    }
    Ok(0)
}

/// A run's name without folder and extension, where that is still its own.
fn short(name: &str, all: &[String]) -> String {
    let stem =
        |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let own = stem(name);
    match all.iter().filter(|other| stem(other) == own).count() {
        1 => own.unwrap_or_else(|| name.to_owned()),
        _ => name.to_owned(),
    }
}

fn cycles(run: &Run, round: &RawRound) -> Option<Vec<f64>> {
    cpb_engine::cycles_of_kept(run.clock.as_ref()?, round)
}

/// Two files for each primitive; where there are several runs, their number
/// stands first.
fn write_charts(folder: &Path, runs: &[(String, Run)]) -> Result<(), Fault> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Fault::Usage(format!("cannot make the folder '{}': {error}", folder.display()))
    })?;
    let mut written = 0;
    for (number, (_, run)) in runs.iter().enumerate() {
        let number = if runs.len() > 1 { format!("{}-", number + 1) } else { String::new() };
        for group in groups(run) {
            let name = format!("{number}{}-{}", group.primitive, group.operation.name());
            let file = |kind: &str| folder.join(format!("{}-{kind}.svg", plain(&name)));
            put(&file("bars"), &bars_to_svg(&bars(run, &group), &Style::default()))?;
            written += 1;
            let records = group.rows.iter().map(|row| row.record);
            let curves = curves::of(run, records);
            if !curves.is_empty() {
                let chart = curves::chart(&curves, Quantity::CyclesPerByte, true, None);
                put(&file("curves"), &to_svg(&chart, &Style::default()))?;
                written += 1;
            }
        }
    }
    output::inform(&format!("wrote {written} charts into {}", folder.display()));
    Ok(())
}

fn bars(run: &Run, group: &Group) -> Bars {
    let mut libraries: Vec<&str> = Vec::new();
    for record in &run.records {
        if !libraries.contains(&record.subject.library.as_str()) {
            libraries.push(&record.subject.library);
        }
    }
    let colour = |library: &str| libraries.iter().position(|other| *other == library);
    let bars = group.rows.iter().map(|row| Bar {
        label: row.label.clone(),
        value: row.figure.map(|figure| figure.estimate).ok_or_else(|| {
            let failure = row.record.failure.as_ref();
            failure.map_or_else(|| "not measured".to_owned(), |failure| failure.reason.clone())
        }),
        interval: row.figure.and_then(|figure| figure.interval).map(|i| (i.low, i.high)),
        colour: colour(&row.record.subject.library).unwrap_or(0),
    });
    let machine = run.host.cpu.as_deref().map(|cpu| format!(", {cpu}")).unwrap_or_default();
    Bars {
        title: format!("{} {}", group.primitive, group.operation.name()),
        subtitle: format!("{}{machine}", group.unit.words()),
        bars: bars.collect(),
    }
}

/// `name` as part of a file's name.
fn plain(name: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

fn write(path: &Path, text: &str) -> Result<(), Fault> {
    if is_standard(path) {
        return Ok(output::print(text)?);
    }
    put(path, text)?;
    output::inform(&format!("wrote {}", path.display()));
    Ok(())
}

fn put(path: &Path, text: &str) -> Result<(), Fault> {
    std::fs::write(path, text)
        .map_err(|error| Fault::Usage(format!("cannot write '{}': {error}", path.display())))
}
