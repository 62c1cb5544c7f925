//! `cpb import`: runs from elsewhere.

use crate::arguments::StoreArgument;
use crate::cli_error::{CliError, WRONG_USE, store_status};
use crate::{input, output, saved};
use clap::Args;
use cpb_folders::database::{self, ImportCounts};
use cpb_model::{Run, harmless};
use cpb_report::date;
use cpb_report::number::grouped;
use cpb_store::{Store, StoreError};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

/// Save runs from files, such as those of another machine
///
/// Takes what cpb export or --format json wrote, and SUPERCOP's database (the file data of its
/// folder bench), of which each machine and day becomes a run; and prints the number that
/// each run has here. A run that is here already is refused.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let mut import = Import { argument: &arguments.store, store: None, status: 0 };
    for path in &arguments.files {
        match import.file(path) {
            Ok(()) => {}
            Err(Stop::File(reason)) => {
                output::complain(&reason);
                import.status = import.status.max(WRONG_USE);
            }
            Err(Stop::All) => break,
            Err(Stop::CliError(fault)) => return Err(fault),
        }
    }
    Ok(import.status)
}

struct Import<'a> {
    argument: &'a StoreArgument,
    /// The store, opened with the first valid run, so that it is not created in vain.
    store: Option<Store>,
    status: u8,
}

/// The reason to stop.
enum Stop {
    /// A problem with this file.
    File(String),
    /// A problem with the store, which applies to every file and was already reported.
    All,
    CliError(CliError),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::File(error.to_string())
    }
}

impl Import<'_> {
    fn file(&mut self, path: &Path) -> Result<(), Stop> {
        let name = harmless(&path.display().to_string()).into_owned();
        let unreadable = |error: io::Error| Stop::File(format!("cannot read '{name}': {error}"));
        let mut text = input::stream(path).map_err(unreadable)?;
        if !is_database(&mut text).map_err(unreadable)? {
            let run =
                saved::read_from(path, text).map_err(|fault| Stop::File(fault.to_string()))?;
            return self.save(&run, &name);
        }
        let command = ["cpb".to_owned(), "import".to_owned(), name.clone()];
        let mut runs = 0_u64;
        let tally = database::read(text, &command, &mut |run| {
            runs += 1;
            self.save(&run, &described(&run))
        });
        let tally = tally.map_err(|stop| match stop {
            Stop::File(reason) => Stop::File(format!("cannot read '{name}': {reason}")),
            other => other,
        })?;
        if runs == 0 {
            return Err(Stop::File(format!(
                "'{name}' is not a run: it is neither JSON that cpb wrote nor SUPERCOP's database \
                 with figures{}",
                first_wrong(&tally)
            )));
        }
        tell(&name, &tally);
        Ok(())
    }

    /// Saves a run, and prints its number and name.
    fn save(&mut self, run: &Run, name: &str) -> Result<(), Stop> {
        let store = match &mut self.store {
            Some(store) => store,
            none => none.insert(saved::open_or_create(self.argument).map_err(Stop::CliError)?),
        };
        match store.save(run) {
            Ok(number) => output::print(&format!("{number} {name}\n"))
                .map_err(|error| Stop::CliError(error.into())),
            Err(error) => self.refused(name, &error),
        }
    }

    fn refused(&mut self, name: &str, error: &StoreError) -> Result<(), Stop> {
        output::complain(&format!("'{name}': {error}"));
        self.status = self.status.max(store_status(error));
        if error.is_machine_failure() { Err(Stop::All) } else { Ok(()) }
    }
}

/// Whether it begins with something other than JSON.
fn is_database(text: &mut impl BufRead) -> io::Result<bool> {
    let begins = text.fill_buf()?.iter().find(|byte| !byte.is_ascii_whitespace());
    Ok(!matches!(begins, None | Some(b'{' | b'[' | b'"')))
}

/// Describes a run: machine, day and number of rows.
fn described(run: &Run) -> String {
    let host = run.host.cpu.as_deref().unwrap_or_default();
    let day: String = date::timestamp(run.started).chars().take(10).collect();
    format!("{host} {day}, {} rows", grouped(run.records.len() as u64))
}

/// Reports how many lines were imported.
fn tell(name: &str, tally: &ImportCounts) {
    let ImportCounts { lines, used, left_out, wrong, .. } = *tally;
    let [all, used, left_out, bad] = [lines, used, left_out, wrong].map(grouped);
    output::inform(&format!(
        "'{name}': {all} lines; {used} with cycles became figures, {left_out} were left out, since cpb does not measure that"
    ));
    if wrong != 0 {
        output::warn(&format!(
            "'{name}': {bad} lines are not as SUPERCOP writes them, and left out{}",
            first_wrong(tally)
        ));
    }
}

/// Describes the first wrong lines.
fn first_wrong(tally: &ImportCounts) -> String {
    let named = tally.named.iter().map(|(line, reason)| format!("line {line}: {reason}"));
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!(": {}", named.join("; ")) }
}
