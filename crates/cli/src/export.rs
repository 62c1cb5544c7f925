//! Decides where results go, and in which format.

use crate::cli_error::CliError;
use crate::destination::Destination;
use crate::output;
use anstream::StripStream;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cpb_report::{Document, FORMATS, WriteError, annotations};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) use cpb_report::Format;

/// Returns the parser for names of formats.
fn parser() -> impl TypedValueParser<Value = &'static Format> {
    let value = |format: &&Format| PossibleValue::new(format.name).help(format.about);
    PossibleValuesParser::new(FORMATS.iter().map(value)).try_map(|name| {
        FORMATS.into_iter().find(|format| format.name == name).ok_or("a format's name")
    })
}

/// Prints annotations on standard error, which GitHub's runners read, in a GitHub job.
pub(crate) fn annotate_jobs(document: &dyn Document) {
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|it| it == "true") {
        output::say(&annotations(document));
    }
}

/// The options of every command with results.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Exporting {
    /// How to write results; without it, as the name of --output ends, or as this command
    /// usually does.
    #[arg(long, value_name = "FORMAT", value_parser = parser())]
    format: Option<&'static Format>,
    /// Write results into this file instead of to standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Exporting {
    /// Checks before anything is measured whether the file can be written. The format follows from
    /// the options or the file's name, otherwise it is the `usual` one.
    pub(crate) fn begin(&self, usual: &'static Format) -> Result<Exporter, CliError> {
        let of_file = || self.output.as_deref().and_then(Format::of_file);
        let destination = Destination::optional(self.output.as_ref())?;
        Ok(Exporter { format: self.format.or_else(of_file).unwrap_or(usual), destination })
    }

    /// Whether any of them is given.
    pub(crate) fn is_given(&self) -> bool {
        self.format.is_some() || self.output.is_some()
    }
}

/// The destination of results, with their format.
pub(crate) struct Exporter {
    format: &'static Format,
    destination: Option<Destination>,
}

impl Exporter {
    /// Creates one for a file.
    pub(crate) fn into_file(format: &'static Format, path: &Path) -> Result<Self, CliError> {
        Ok(Self { format, destination: Some(Destination::new(path)?) })
    }

    /// Creates one for standard output.
    pub(crate) fn on_screen(format: &'static Format) -> Self {
        Self { format, destination: None }
    }

    /// Whether the results themselves contain the warnings.
    pub(crate) fn holds_warnings(&self) -> bool {
        self.format == Format::JSON
    }

    /// Whether the results are for people, on standard output.
    pub(crate) fn is_on_screen(&self) -> bool {
        self.format == Format::TABLE && self.destination.is_none()
    }

    /// Writes `document`, and reports it if it went into a file.
    pub(crate) fn write(self, document: &dyn Document) -> Result<(), CliError> {
        let Self { format, destination } = self;
        if !(format.suits)(document) {
            let (command, name) = (document.command(), format.name);
            let suits = FORMATS.iter().filter(|format| (format.suits)(document));
            let suits: Vec<&str> = suits.map(|format| format.name).collect();
            let suits = suits.join(", ");
            return Err(usage!(
                "{name} cannot show what cpb {command} finds; its formats: {suits}"
            ));
        }
        match destination {
            None => {
                let mut output = BufWriter::new(anstream::stdout().lock());
                (format.write)(document, output::room(), &mut output)?;
                output.flush().map_err(WriteError::from)?;
                Ok(())
            }
            Some(destination) => destination.write_with(|file| {
                // A file gets no terminal colours.
                let mut file = BufWriter::new(StripStream::new(file));
                (format.write)(document, None, &mut file)?;
                Ok(file.flush()?)
            }),
        }
    }
}
