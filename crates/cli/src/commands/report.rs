//! `cpb report`: runs as a page, as charts, as a table.

mod past;

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::destination::{Destination, Output, STANDARD};
use crate::{machines, output, saved};
use clap::{ArgGroup, Args};
use cpb_figures::{Group, groups};
use cpb_model::{Run, harmless};
use cpb_report::chart::{Bar, Bars, Style, bars_to_svg, to_svg};
use cpb_report::curves::{self, Quantity};
use cpb_report::html::{self, PageContext};
use cpb_report::{Colours, Libraries, Section, Source, labels, number};
use std::path::{Path, PathBuf};

/// Write saved runs as a page, as charts or as a table
///
/// The page is one file that needs no network: whether the figures can be
/// trusted, the runs compared to the first of them, who is fastest at what,
/// ranking and curves of every primitive, how samples lie, and every row with
/// where its figure comes from. What it shows can be saved as CSV and JSON.
#[derive(Debug, Args)]
#[command(group(
    ArgGroup::new("destination").multiple(true).args(["html", "svg", "markdown"])
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
    /// On the page, draw the figures of the first run through all saved runs of its machine,
    /// where they stepped from one level to another.
    #[arg(long, requires = "html")]
    history: bool,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let standard = |path: &Option<PathBuf>| path.as_ref().is_some_and(|it| it == STANDARD);
    if standard(&arguments.html) && standard(&arguments.markdown) {
        return Err(usage!(
            "only one of --html and --markdown can go to standard output; give the other a file"
        ));
    }
    let html = arguments.html.as_deref().map(Output::new).transpose()?;
    let markdown = arguments.markdown.as_deref().map(Output::new).transpose()?;
    if let Some(folder) = &arguments.svg {
        make_folder(folder)?;
    }
    let runs: Vec<(String, Run)> = arguments
        .runs
        .iter()
        .map(|name| {
            let shown = harmless(&short(name, &arguments.runs)).into_owned();
            Ok((shown, saved::load(&arguments.store, name)?))
        })
        .collect::<Result<_, CliError>>()?;
    // A missing run is reported first.
    if html.is_none() && markdown.is_none() && arguments.svg.is_none() {
        return Err(usage!("say what to write: --html FILE, --svg DIR or --markdown"));
    }
    machines::warn_of_other_machines(&runs);
    if let Some(place) = html {
        let sources: Vec<Source> = runs.iter().map(|(name, run)| Source { name, run }).collect();
        let past = match (arguments.history, runs.first()) {
            (true, Some((_, run))) => Some(past::of(&saved::open(&arguments.store)?, run)?),
            _ => None,
        };
        let surroundings = PageContext { past: past.as_ref(), ..PageContext::default() };
        place.write(html::page_among(&sources, None, &surroundings).as_bytes())?;
    }
    if let Some(folder) = &arguments.svg {
        write_charts(folder, &runs)?;
    }
    if let Some(place) = markdown {
        let tables: Vec<Section> = runs.iter().map(|(_, run)| cpb_report::matrix(run)).collect();
        place.write(cpb_report::markdown(&tables).as_bytes())?;
    }
    Ok(0)
}

/// Shortens a run's name to its file name without extension, if that is still unique.
fn short(name: &str, all: &[String]) -> String {
    let stem =
        |name: &str| Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let own = stem(name);
    match all.iter().filter(|other| stem(other) == own).count() {
        1 => own.unwrap_or_else(|| name.to_owned()),
        _ => name.to_owned(),
    }
}

/// Writes two files per primitive; with several runs, the names begin with the run's number.
fn write_charts(folder: &Path, runs: &[(String, Run)]) -> Result<(), CliError> {
    let mut written = 0;
    for (number, (_, run)) in runs.iter().enumerate() {
        let number = if runs.len() > 1 { format!("{}-", number + 1) } else { String::new() };
        let libraries = Libraries::of(run);
        let names: Vec<String> =
            run.records.iter().map(|row| libraries.short_name(&row.subject.library)).collect();
        let colours = Colours::of(names.iter().map(String::as_str));
        for group in groups(&run.records) {
            let words = [group.workload.operation.name().to_owned()];
            let words = words.into_iter().chain(group.modifiers()).collect::<Vec<_>>();
            let words = words.join("-").replace(' ', "-");
            let name = format!("{number}{}-{words}", group.workload.primitive);
            let file = |kind: &str| folder.join(format!("{}-{kind}.svg", plain(&name)));
            put(&file("bars"), &bars_to_svg(&bars(run, &group, &colours), &Style::default()))?;
            written += 1;
            let records = group.rows.iter().map(|row| row.record);
            let curves = curves::of(run, records);
            if !curves.is_empty() {
                let chart = curves::chart(&curves, &colours, Quantity::CyclesPerByte, true, None);
                put(&file("curves"), &to_svg(&chart, &Style::default()))?;
                written += 1;
            }
        }
    }
    output::inform(&format!("wrote {written} charts into {}", folder.display()));
    Ok(())
}

fn bars(run: &Run, group: &Group, colours: &Colours) -> Bars {
    let libraries = Libraries::of(run);
    let rows = group.rows.iter().zip(labels(group, &libraries));
    let bars = rows.map(|(row, label)| Bar {
        label,
        value: row.figure.map(|figure| figure.estimate).ok_or_else(|| {
            let failure = row.record.failure.as_ref();
            failure.map_or_else(|| "not measured".to_owned(), |failure| failure.reason.clone())
        }),
        interval: row.figure.and_then(|figure| figure.interval).map(|i| (i.low, i.high)),
        upper_bound: row.figure.is_some_and(|figure| figure.upper_bound),
        colour: colours.of_library(&libraries.short_name(&row.record.subject.library)),
    });
    let machine = run.host.cpu.as_deref().map(|cpu| format!(", {cpu}")).unwrap_or_default();
    Bars {
        title: group.title(),
        subtitle: format!("{}{machine}", number::unit(group.unit)),
        bars: bars.collect(),
    }
}

/// Makes `name` usable as part of a file name.
fn plain(name: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn make_folder(folder: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| usage!("cannot make the folder '{}': {error}", folder.display()))
}

fn put(path: &Path, text: &str) -> Result<(), CliError> {
    Destination::new(path)?.put(text)
}
