//! Builds folders of sources, each of which is measured as a library.

use crate::cli_error::CliError;
use crate::interrupt::Interrupt;
use crate::progress::Bar;
use crate::{arguments, output};
use clap::Args;
use cpb_engine::LibrarySpec;
use cpb_folders::{Built, Compiler, FolderError, Request, usual_compilers};
use cpb_report::number::counted;
use std::path::PathBuf;
use std::time::Duration;

/// Which folders, and how they are built.
#[derive(Debug, Args)]
#[command(next_help_heading = "Folders of sources")]
pub(crate) struct Folders {
    /// Build, check and measure all implementations in this folder: of a SUPERCOP tree, or
    /// of an operation, a primitive or an implementation in one. May be given several times.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Vec<PathBuf>,
    /// Build them with this compiler and its flags, such as 'clang -O2'. May be given
    /// several times [default: gcc and clang, if installed, at -O3 and at -O2].
    #[arg(long, value_name = "COMMAND", requires = "folder", value_parser = compiler)]
    compiler: Vec<Compiler>,
    /// Give up on a compilation or a check after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    build_timeout: Duration,
    /// Keep at most this many bytes of builds for later runs, the most recently used first.
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = arguments::room,
          allow_negative_numbers = true)]
    build_cache: u64,
}

fn compiler(text: &str) -> Result<Compiler, String> {
    text.parse()
}

/// The built folders, which exist as long as this lives.
#[derive(Debug, Default)]
pub(crate) struct BuiltFolders(Vec<(PathBuf, Built)>);

impl Folders {
    /// Builds all of them, and reports how many there are.
    pub(crate) fn build(&self, stop: &Interrupt) -> Result<BuiltFolders, CliError> {
        self.build_only(&[], stop)
    }

    /// Works like [`Self::build`], but builds only `selectors`, if all of them are names in a tree
    /// (`crypto_hash/sha256`).
    pub(crate) fn build_only(
        &self,
        selectors: &[String],
        stop: &Interrupt,
    ) -> Result<BuiltFolders, CliError> {
        let is_name = |selector: &String| selector.starts_with("crypto_") && selector.contains('/');
        let only = if selectors.iter().all(is_name) { selectors.to_vec() } else { Vec::new() };
        if self.folder.is_empty() {
            return Ok(BuiltFolders::default());
        }
        if !cpb_libraries::LOADS_LIBRARIES {
            return Err(not_measured!(
                "this cpb is a static program, which cannot load what it builds; use cpb for linux-gnu"
            ));
        }
        let compilers =
            if self.compiler.is_empty() { usual_compilers() } else { self.compiler.clone() };
        if compilers.is_empty() {
            return Err(not_measured!(
                "there is neither gcc nor clang to build a folder with; install one, or name \
                 another with --compiler"
            ));
        }
        let built = self.folder.iter().map(|folder| {
            let request = Request {
                folder: folder.clone(),
                only: only.clone(),
                compilers: compilers.clone(),
                patience: self.build_timeout,
                most_kept: self.build_cache,
            };
            let bar = Bar::new();
            let tell = |progress: cpb_folders::Progress| {
                let (done, expected) = (progress.done as u64, progress.expected as u64);
                bar.at(done, expected, format!("building {}", progress.name));
            };
            let built = cpb_folders::build(&request, stop, &tell);
            drop(bar);
            let built = built.map_err(fault)?;
            output::inform(&describe(&built));
            Ok((folder.clone(), built))
        });
        built.collect::<Result<_, _>>().map(BuiltFolders)
    }
}

impl BuiltFolders {
    /// Returns them as libraries.
    pub(crate) fn libraries(&self) -> impl Iterator<Item = LibrarySpec> {
        self.0.iter().map(|(folder, built)| {
            LibrarySpec::built(&built.name, folder.clone(), built.index.to_path_buf())
        })
    }
}

fn fault(error: FolderError) -> CliError {
    match error {
        FolderError::Unreadable { .. }
        | FolderError::NoImplementations(_)
        | FolderError::OtherArchitectures { .. } => usage!("{error}"),
        FolderError::NoCompiler(_) | FolderError::Cache(_) => not_measured!("{error}"),
    }
}

fn describe(built: &Built) -> String {
    let Built { name, implementations, skipped, builds, failed, .. } = built;
    let others = skipped.architectures;
    let others = (others != 0).then(|| format!("{others} for other architectures"));
    let crates = (skipped.crates != 0).then(|| counted(skipped.crates, "Rust crate"));
    let skipped: Vec<String> = others.into_iter().chain(crates).collect();
    let skipped = match &skipped[..] {
        [] => String::new(),
        skipped => format!("; skipped: {}", skipped.join(", ")),
    };
    let (found, right) = (counted(*implementations, "implementation"), builds - failed);
    format!("{name}: {found}, {right} of {builds} builds correct{skipped}")
}
