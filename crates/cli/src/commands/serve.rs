//! `cpb serve`: the dashboard.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
#[cfg(feature = "serve")]
use crate::{interrupt, output, saved};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
#[cfg(feature = "serve")]
use cpb_serve::{ServeError, Server, Site};

/// Show the saved runs in a browser
///
/// A small web server over a store, which it only reads: what became slower or faster, on
/// which machine, by which version of which library or kernel; every run with its charts; two
/// runs compared. Its address is printed; every page has one that can be passed on. Ctrl-C
/// ends it.
///
/// It has no password, so that it answers programs of this machine alone unless --listen
/// says otherwise. For a team, put a web server with passwords or certificates in front of it.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where to listen; port 0 for any that is free.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8377",
          value_parser = NonEmptyStringValueParser::new())]
    listen: String,
    /// Answer requests for this name, too: that of a web server in front (repeatable).
    /// Those for other names are refused; with --listen beyond this machine, once a name is given.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    host: Vec<String>,
    #[command(flatten)]
    store: StoreArgument,
}

/// Reports that this build has no server, and what to do instead.
#[cfg(not(feature = "serve"))]
pub(crate) fn execute(_: &Arguments) -> Result<u8, CliError> {
    Err(usage!(
        "this cpb was built without its dashboard; cargo install --locked --path crates/cli builds \
         all of cpb"
    ))
}

#[cfg(feature = "serve")]
pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    // Runs waiting to be sent are shown too. Users without runs see how to make some.
    let store = match arguments.store.store {
        Some(_) => saved::open(&arguments.store)?,
        None => saved::open_or_create(&arguments.store)?,
    };
    let (place, is_empty) = (store.place().clone(), store.mark()?.runs == 0);
    drop(store);
    let server = Server::listen(&arguments.listen, arguments.host.clone()).map_err(fault)?;
    let stop = interrupt::flag();
    let site = Site::open(&place, output::warn)?;
    if !server.is_of_this_machine() {
        output::warn(&format!(
            "anyone who can reach {} can read all runs: there is no password",
            server.address()
        ));
    }
    let address = server.address();
    output::print(&format!("http://{address}/ · open it in a browser; Ctrl-C stops the server\n"))?;
    if is_empty {
        let first = place.first_run();
        output::inform(&format!("no runs are saved yet: {first}, in another terminal, saves one"));
    }
    server.run(&site, &stop).map_err(fault)?;
    Ok(0)
}

#[cfg(feature = "serve")]
fn fault(error: ServeError) -> CliError {
    match error {
        ServeError::Io(_) => not_measured!("{error}"),
        _ => usage!("{error}"),
    }
}

#[cfg(all(test, not(feature = "serve")))]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    #[test]
    fn a_build_without_it_says_how_to_get_it() {
        let command = Arguments::augment_args(Command::new("serve"));
        let matches = command.get_matches_from(["serve", "--listen", "127.0.0.1:0"]);
        let refused = execute(&Arguments::from_arg_matches(&matches).unwrap());
        let Err(CliError::Usage(reason)) = refused else { panic!("{refused:?}") };
        assert!(reason.contains("cargo install --locked --path crates/cli"), "{reason}");
        assert_eq!(reason.lines().count(), 1);
    }
}
