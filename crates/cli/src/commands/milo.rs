//! `milo`: takes milo's arguments, in milo's order.

use crate::arguments::{Saving, nearest};
use crate::cli_error::CliError;
use crate::commands::primitive;
use crate::export::Exporting;
use crate::{output, refusal};
use clap::{CommandFactory, Parser};
use cpb_oldtools::CalledAs;
use cpb_oldtools::milo::arguments::{Arguments, Benchmark, Command, VERSION, What};
use cpb_oldtools::milo::places::{self, Ignored};
use std::ffi::OsString;

pub(crate) fn execute(words: &[OsString]) -> Result<u8, CliError> {
    let heeded = places::heeded(words);
    heeded.ignored.iter().for_each(|ignored| output::warn(&ignored_warning(ignored)));
    let arguments = match Arguments::try_parse_from(&heeded.words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let (command, status) = (Arguments::command(), CalledAs::Milo.wrong_use());
            return Ok(refusal::tell(error, &command, &heeded.words, status));
        }
    };
    let Command::Benchmark(Benchmark { repeats, what: What::Primitive(primitive) }) =
        arguments.command
    else {
        return Ok(output::print(&format!("{VERSION}\n")).map(|()| 0)?);
    };
    primitive::execute(&primitive::Arguments {
        expression: primitive.expression,
        sizes: primitive.sizes,
        repeats,
        advanced: arguments.advanced,
        verbose: arguments.verbose,
        max_time: None,
        exporting: Exporting::default(),
        counter: None,
        cpu: None,
        saving: Saving::default(),
        as_milo: true,
    })
}

/// Formats the warning about a word that milo ignores. A script with too many words keeps working
/// as before.
fn ignored_warning(ignored: &Ignored) -> String {
    let nearest = match ignored {
        Ignored::Unknown { option, .. } => nearest(option, &places::options()),
        _ => None,
    };
    let hint = nearest.map(|known| format!(" Did you mean '--{known}'?"));
    format!("{ignored}{}", hint.unwrap_or_default())
}
