//! `cpb links`: the old tools' names.

use crate::cli_error::CliError;
use crate::output;
use clap::Args;
use cpb_oldtools::CalledAs;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// Create drop-in replacements (symlinks) for the older tools
///
/// Called by one of these names, cpb takes that tool's arguments and prints
/// what it prints: its rows, its decimals, its first line.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder to make them in.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let program = std::env::current_exe()
        .map_err(|reason| usage!("cannot tell where cpb itself is: {reason}"))?;
    let mut made = String::new();
    for (name, _) in CalledAs::NAMES {
        let link = arguments.folder.join(name);
        match symlink(&program, &link) {
            Ok(()) => {}
            // Our own links are replaced; anything else is left alone.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && is_ours(&link) => {
                let again = std::fs::remove_file(&link).and_then(|()| symlink(&program, &link));
                again.map_err(|reason| refused(&link, &reason))?;
            }
            Err(reason) => return Err(refused(&link, &reason)),
        }
        let _ = writeln!(made, "{}", link.display());
    }
    Ok(output::print(&made).map(|()| 0)?)
}

/// Whether a link points to some cpb, this one or an older one.
fn is_ours(link: &std::path::Path) -> bool {
    std::fs::read_link(link)
        .is_ok_and(|target| target.file_name().is_some_and(|name| name == "cpb"))
}

fn refused(link: &std::path::Path, reason: &std::io::Error) -> CliError {
    usage!("cannot make the link {}: {reason}", link.display())
}
