//! Writes the raw files of bench-slopes: one per row, `bytes,cycles,cycles-per-byte`, with `,bound`
//! after upper bounds.

use super::rows::{RowOptions, algorithm, group_name, mode};
use cpb_model::{Record, Run};
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// The current folder takes no files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "--raw writes into the current folder, and {here} cannot be written: {reason}; change to one \
     that can"
)]
pub struct Unwritable {
    here: String,
    reason: String,
}

/// Checks before measuring that files can be written in the current folder.
///
/// # Errors
/// [`Unwritable`], if they cannot.
pub fn check_writable() -> Result<(), Unwritable> {
    let probe = Path::new(".").join(format!(".cpb-{}", std::process::id()));
    std::fs::File::create_new(&probe).map_err(|reason| unwritable(&reason))?;
    std::fs::remove_file(&probe).map_err(|reason| unwritable(&reason))
}

/// Writes a file for each row into `folder`, and returns their number.
///
/// # Errors
/// [`Unwritable`], if one cannot be written.
pub fn write(
    run: &Run,
    shown: &RowOptions,
    machine: &str,
    folder: &Path,
) -> Result<usize, Unwritable> {
    let mut written = 0;
    for record in run.records.iter().filter(|record| record.failure.is_none()) {
        let name = file_name(record, machine);
        cpb_host::files::write(&folder.join(&name), &contents(record, shown))
            .map_err(|reason| unwritable(&io::Error::other(format!("{name}: {reason}"))))?;
        written += 1;
    }
    Ok(written)
}

fn unwritable(reason: &io::Error) -> Unwritable {
    let here = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    Unwritable { here, reason: reason.to_string() }
}

fn file_name(record: &Record, machine: &str) -> String {
    let library = match record.subject.library.as_str() {
        "gcrypt" => "libgcrypt",
        other => other,
    };
    format!(
        "{library}_results_for_{}_{}_{}_on_{machine}.csv",
        group_name(record),
        algorithm(record),
        mode(record)
    )
    .replace(['\\', '/', ' '], "-")
}

fn contents(record: &Record, shown: &RowOptions) -> String {
    let mut text = String::new();
    for point in &record.points {
        let bytes = point.parameters.message_bytes;
        let cycles = point.cycles_per_call.estimate;
        let per_byte = shown.number(cycles / bytes as f64);
        let is_marked = point.cycles_per_call.upper_bound && shown.old_tool.is_none();
        let bound = if is_marked { ",bound" } else { "" };
        let _ = writeln!(text, "{bytes},{cycles:.0},{per_byte}{bound}");
    }
    text
}
