//! One file for each command.

pub(crate) mod bench;
mod chain;
mod compare;
mod completions;
mod config;
mod delete;
pub(crate) mod doctor;
mod export;
mod gate;
mod history;
mod import;
mod label;
mod links;
mod list;
mod man;
pub(crate) mod milo;
mod plot;
mod primitive;
pub(crate) mod recursive;
mod report;
mod run;
mod show;
pub(crate) mod slope;

use crate::fault::Fault;
use clap::Subcommand;
use cpb_engine::LibrarySpec;

/// The commands of `cpb`, in the order of its help. Their files have `Arguments`, with
/// the words of the help, and `execute`.
macro_rules! commands {
    ($($Name:ident: $file:ident,)*) => {
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $($Name($file::Arguments),)*
        }

        impl Command {
            pub(crate) fn execute(&self) -> Result<u8, Fault> {
                match self {
                    $(Command::$Name(arguments) => $file::execute(arguments),)*
                }
            }
        }
    };
}

commands! {
    Run: run,
    Bench: bench,
    Slope: slope,
    Recursive: recursive,
    Chain: chain,
    Compare: compare,
    Gate: gate,
    Plot: plot,
    Report: report,
    Doctor: doctor,
    List: list,
    History: history,
    Show: show,
    Label: label,
    Export: export,
    Import: import,
    Delete: delete,
    Primitive: primitive,
    Links: links,
    Config: config,
    Completions: completions,
    Man: man,
}

impl Command {
    /// Of the libraries, measures these where none is named.
    pub(crate) fn usually_with(&mut self, libraries: Vec<LibrarySpec>) {
        if let Command::Run(arguments) = self {
            arguments.usual_libraries = libraries;
        }
    }
}
