//! Finds the folder of fleet runs, and the fleet run that is meant.

use crate::cli_error::CliError;
use clap::{Args, ValueHint};
use cpb_fleet::{Fleet, FleetError};
use cpb_host::Home;
use std::path::PathBuf;

/// Where fleet runs are.
#[derive(Debug, Clone, Args)]
pub(super) struct Root {
    /// The folder of fleet runs, on a file system that the nodes share [default:
    /// $XDG_DATA_HOME/cpb/fleet, or ~/.local/share/cpb/fleet].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) folder: Option<PathBuf>,
}

/// Which fleet run.
#[derive(Debug, Clone, Args)]
pub(super) struct Named {
    /// Which fleet run; without it the latest.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    root: Root,
}

impl Root {
    /// Returns the absolute path of the folder.
    pub(super) fn path(&self) -> Result<PathBuf, CliError> {
        let folder = self.folder.clone().or_else(|| Some(Home::Data.folder()?.join("fleet")));
        let folder = folder.ok_or_else(|| {
            usage!("no folder for fleet runs: set HOME, or name one with --folder")
        })?;
        std::path::absolute(&folder)
            .map_err(|error| usage!("'{}' is not a folder: {error}", folder.display()))
    }
}

impl Named {
    /// Returns the fleet run, and its folder.
    pub(super) fn find(&self) -> Result<(Fleet, PathBuf), CliError> {
        let folder = Fleet::find(&self.root.path()?, self.name.as_deref())?;
        Ok((Fleet::read(&folder)?, folder))
    }
}

/// Problems of the site are wrong use, which the user can mend; failures of files and jobs are not.
impl From<FleetError> for CliError {
    fn from(error: FleetError) -> Self {
        match error {
            FleetError::Refused { .. }
            | FleetError::Unexpected { .. }
            | FleetError::File { .. }
            | FleetError::NoNodes(_) => not_measured!("{error}"),
            _ => usage!("{error}"),
        }
    }
}
