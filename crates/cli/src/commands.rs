//! One file for each command.

/// Declares commands of files that each have `Arguments`, with the text of the help, and `execute`.
macro_rules! subcommands {
    ($visibility:vis $($Name:ident: $file:ident,)*) => {
        #[derive(Debug, clap::Subcommand)]
        $visibility enum Command {
            $($Name($file::Arguments),)*
        }

        impl Command {
            $visibility fn execute(&self) -> Result<u8, CliError> {
                match self {
                    $(Command::$Name(arguments) => $file::execute(arguments),)*
                }
            }
        }
    };
}

pub(crate) mod bench;
mod chain;
mod compare;
mod completions;
mod config;
mod delete;
pub(crate) mod doctor;
mod export;
pub(crate) mod fleet;
mod gate;
mod history;
mod import;
mod label;
mod links;
mod list;
mod machines;
mod man;
pub(crate) mod milo;
mod path;
mod plot;
mod primitive;
pub(crate) mod recursive;
mod report;
mod run;
mod scale;
mod serve;
mod show;
pub(crate) mod slope;

use crate::cli_error::CliError;
use cpb_engine::LibrarySpec;

/// Declares the commands of `cpb`, in the groups and the order of its help.
macro_rules! commands {
    ($($title:literal { $($Name:ident: $file:ident,)* })*) => {
        /// The groups of commands, by purpose.
        pub(crate) const GROUPS: &[(&str, &[&str])] = &[$(($title, &[$(stringify!($file)),*]),)*];

        subcommands! { pub(crate) $($($Name: $file,)*)* }
    };
}

commands! {
    "Measure" {
        Run: run,
        Scale: scale,
        Path: path,
    }
    "Compare" {
        Compare: compare,
        Gate: gate,
    }
    "Look at" {
        History: history,
        Show: show,
        Report: report,
        Plot: plot,
        Serve: serve,
    }
    "This machine" {
        List: list,
        Doctor: doctor,
    }
    "Saved runs" {
        Label: label,
        Export: export,
        Import: import,
        Delete: delete,
        Machines: machines,
    }
    "Many machines" {
        Fleet: fleet,
    }
    "Set up" {
        Config: config,
        Completions: completions,
        Man: man,
    }
    "Old tools" {
        Slope: slope,
        Primitive: primitive,
        Bench: bench,
        Recursive: recursive,
        Chain: chain,
        Links: links,
    }
}

impl Command {
    /// Sets the libraries to measure if none is named.
    pub(crate) fn usually_with(&mut self, libraries: Vec<LibrarySpec>) {
        if let Command::Run(arguments) = self {
            arguments.usual_libraries = libraries;
        }
    }
}
