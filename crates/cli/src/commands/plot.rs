//! `cpb plot`: curves over the message length.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::destination::{Output, STANDARD};
use crate::{input, output, saved};
use clap::{Args, ValueEnum};
use cpb_report::chart::{self, LOOKS, PngError, Style};
use cpb_report::curves::{self, Curve, Curves};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Draw curves over the message length
///
/// Reads results that cpb printed with `--format json`, raw files of bench-slopes
/// (LIBRARY_results_for_GROUP_ALGORITHM_MODE_on_MACHINE.csv), and saved runs by
/// number, label or as `latest` (cpb history). Each
/// implementation becomes a line; what all have in common becomes the title.
/// Many lines of several primitives become a small chart for each primitive.
/// Intervals, where the results have them, become bands.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Results, raw files or saved runs, in any mixture; - for standard input.
    #[arg(value_name = "FILE|RUN", required = true)]
    files: Vec<PathBuf>,
    /// What to draw.
    #[arg(long, value_enum, default_value_t = Quantity::CyclesPerByte)]
    quantity: Quantity,
    /// Speed at a clock of N GHz [default: the measured clock; 2 where a raw
    /// file is among the files, as those hold cycles only].
    #[arg(long, value_name = "N", value_parser = gigahertz, allow_negative_numbers = true)]
    at_ghz: Option<f64>,
    /// Where to write: a file that ends in .svg or .png; - for SVG on standard
    /// output.
    #[arg(long, short, value_name = "FILE", default_value = "plot.svg")]
    output: PathBuf,
    /// Title instead of what the lines have in common.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Only lines whose library, algorithm, mode, backend or machine contains
    /// this, in whatever case (several: any of them).
    #[arg(long, value_name = "TEXT", value_delimiter = ',')]
    only: Vec<String>,
    /// Logarithmic vertical axis (cycles always have one).
    #[arg(long)]
    log_y: bool,
    /// Colours; auto follows the reader's own in an SVG and is light in a PNG.
    #[arg(long, value_enum, default_value_t = Theme::Auto)]
    theme: Theme,
    #[command(flatten)]
    store: StoreArgument,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Quantity {
    /// Cycles of a call over its bytes.
    CyclesPerByte,
    /// Cycles of a call.
    Cycles,
    /// MiB/s.
    Speed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Theme {
    Auto,
    Light,
    Dark,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let is_png = is_png(&arguments.output)?;
    if arguments.at_ghz.is_some() && arguments.quantity != Quantity::Speed {
        return Err(usage!("--at-ghz is for --quantity speed: cycles need no clock"));
    }
    let place = Output::new(&arguments.output)?;
    let mut curves = Vec::new();
    for file in &arguments.files {
        let mut found = arguments.read(file)?;
        found.notes.dedup();
        found.notes.iter().for_each(|note| output::warn(&format!("{}: {note}", file.display())));
        curves.extend(found.curves);
    }
    keep_only(&mut curves, &arguments.only)?;
    let (quantity, logarithmic) = match arguments.quantity {
        Quantity::CyclesPerByte => (curves::Quantity::CyclesPerByte, arguments.log_y),
        Quantity::Cycles => (curves::Quantity::Cycles, true),
        Quantity::Speed => (curves::Quantity::speed(arguments.at_ghz, &curves), arguments.log_y),
    };
    let theme = match arguments.theme {
        Theme::Auto => chart::Theme::Automatic,
        Theme::Light => chart::Theme::Light,
        Theme::Dark => chart::Theme::Dark,
    };
    let style = Style { theme, ..Style::default() };
    let title = arguments.title.as_deref();
    let picture = drawn(&curves, (quantity, logarithmic), title, &style, is_png);
    place.write(&picture.map_err(|error| usage!("{error}; try an .svg"))?)?;
    Ok(0)
}

/// Draws one chart, or one for each of many primitives.
fn drawn(
    curves: &[Curve],
    (quantity, logarithmic): (curves::Quantity, bool),
    title: Option<&str>,
    style: &Style,
    is_png: bool,
) -> Result<Vec<u8>, PngError> {
    let colours = curves::colours(curves);
    if let Some(many) = curves::multiples(curves, &colours, quantity, logarithmic, title) {
        return match is_png {
            true => chart::multiples_to_png(&many, style),
            false => Ok(chart::multiples_to_svg(&many, style).into_bytes()),
        };
    }
    if curves.len() > LOOKS {
        output::warn(&format!(
            "{} lines, but only {LOOKS} styles: later lines look like earlier ones. Choose with --only.",
            curves.len()
        ));
    }
    let one = curves::chart(curves, &colours, quantity, logarithmic, title);
    match is_png {
        true => chart::to_png(&one, style),
        false => Ok(chart::to_svg(&one, style).into_bytes()),
    }
}

/// Whether the file, or standard output, gets a PNG instead of SVG.
fn is_png(path: &Path) -> Result<bool, CliError> {
    match path.extension().map(OsStr::to_ascii_lowercase) {
        _ if path.as_os_str() == STANDARD => Ok(false),
        Some(extension) if extension == "svg" => Ok(false),
        Some(extension) if extension == "png" => Ok(true),
        _ => Err(usage!(
            "'{}' is not a chart: end it in .svg or .png, or give - for SVG on standard output",
            path.display()
        )),
    }
}

impl Arguments {
    fn read(&self, file: &Path) -> Result<Curves, CliError> {
        let usage = |error: curves::CurvesError| usage!("{error}");
        if file.as_os_str() == STANDARD {
            let content = input::piped(std::io::stdin().lock())
                .map_err(|error| usage!("cannot read standard input: {error}"))?;
            return curves::parse(Path::new("standard input"), content).map_err(usage);
        }
        match file.to_str().filter(|_| is_name(file)) {
            Some(name) => self.of_run(name),
            None => {
                let content = input::open(file)
                    .map_err(|error| usage!("cannot read '{}': {error}", file.display()))?;
                curves::parse(file, content).map_err(usage)
            }
        }
    }

    /// Returns the curves of the saved run that `name` means.
    fn of_run(&self, name: &str) -> Result<Curves, CliError> {
        let run = saved::load(&self.store, name)?;
        let curves = curves::of(&run, &run.records);
        if curves.is_empty() {
            return Err(usage!("run '{name}' has no figure over a message length"));
        }
        Ok(Curves { curves, notes: Vec::new() })
    }
}

/// Whether this can only be a saved run: neither an existing file nor a path.
fn is_name(file: &Path) -> bool {
    file.components().count() == 1 && file.extension().is_none() && !file.exists()
}

/// Keeps the curves that match one of `patterns`; all if there are none.
fn keep_only(curves: &mut Vec<Curve>, patterns: &[String]) -> Result<(), CliError> {
    for pattern in patterns {
        if !curves.iter().any(|curve| curve.name.matches(pattern)) {
            let names: Vec<String> = curves.iter().map(|curve| curve.name.in_full()).collect();
            let names = names.join(", ");
            return Err(usage!("no line has '{pattern}' in its name. There are: {names}."));
        }
    }
    if !patterns.is_empty() {
        curves.retain(|curve| patterns.iter().any(|pattern| curve.name.matches(pattern)));
    }
    Ok(())
}

fn gigahertz(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|number| (0.001..=1000.0).contains(number)).ok_or_else(|| {
        format!("a clock is a number of GHz from 0.001 to 1000, as 2 or 4.3, not '{text}'")
    })
}
