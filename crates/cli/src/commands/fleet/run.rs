//! `cpb fleet run`.

use super::nightly;
use super::root::Root;
use super::run_folder::{OwnSuite, label, new_folder, text, write_folder};
use super::submit::{now, submit};
use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::commands::Command;
use crate::{output, saved};
use clap::{Args, Parser};
use cpb_fleet::{Constraint, Fleet, Member, Slurm, Wanted, choose, is_time_limit};
use cpb_store::StoreLocation;
use std::path::{Path, PathBuf};

/// Submit a suite to nodes of Slurm, a node each
///
/// Every node of the partition that --constraint means, or --nodes of them, is taken for itself.
/// There cpb doctor --strict looks first: a node that is unfit measures nothing. Else the suite
/// is measured, and the run left as a file in the fleet run's folder and saved in the store. A
/// node that fails is begun again by Slurm; for all others there is cpb fleet again. Prints the
/// name of the fleet run.
///
/// What Slurm's site wants to know beyond that, sbatch takes from SBATCH_ACCOUNT, SBATCH_QOS and
/// so on.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The suite: a name, or a file.
    #[arg(value_name = "SUITE")]
    suite: String,
    /// The partition.
    #[arg(long, value_name = "NAME")]
    partition: String,
    /// Run on this many nodes, idle ones first, instead of on all.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    nodes: Option<usize>,
    /// Only on nodes with these features: zen4, 'zen4&big', 'zen3|zen4'.
    #[arg(long, value_name = "FEATURES",
          value_parser = |text: &str| Constraint::parse(text).map_err(|error| error.to_string()))]
    constraint: Option<Constraint>,
    /// Slurm's limit for a node, as 90 (minutes) or 1:30:00; without it, the partition's.
    #[arg(long, value_name = "TIME", value_parser = time_limit, allow_negative_numbers = true)]
    time: Option<String>,
    /// Submit it every night at this time of the cluster's clock.
    #[arg(long, value_name = "HH:MM", num_args = 0..=1, require_equals = true,
          default_missing_value = "02:00", value_parser = nightly::time_of_day)]
    nightly: Option<String>,
    /// Measure on nodes that cpb doctor finds unfit, too.
    #[arg(long)]
    unfit_too: bool,
    /// cpb on the nodes, where it is not where this one is.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    #[command(flatten)]
    root: Root,
    #[command(flatten)]
    store: StoreArgument,
    /// More options for cpb run.
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

pub(super) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let suite = OwnSuite::check(&arguments.suite)?;
    arguments.check_options()?;
    let (store, nodes_store) = arguments.store()?;
    let root = arguments.root.path()?;
    let program = arguments.program()?;
    let nodes = arguments.nodes()?;
    if let Some(at) = &arguments.nightly {
        let words = |suite: &str| arguments.words(suite, &root, &program, &store);
        let asked = nightly::NightlyOptions {
            label: format!("{}-{}", label(&arguments.suite), arguments.partition),
            partition: &arguments.partition,
            at,
            program: &program,
            suite: &suite,
            called: &arguments.suite,
        };
        return nightly::submit(&root, &asked, words);
    }
    let (name, folder) = new_folder(&root, &label(&arguments.suite))?;
    let mut fleet = Fleet {
        schema: Fleet::SCHEMA,
        name,
        suite: arguments.suite.clone(),
        has_own_suite: suite.0.is_some(),
        created: now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        partition: arguments.partition.clone(),
        constraint: arguments.constraint.as_ref().map(ToString::to_string),
        time: arguments.time.clone(),
        program,
        store,
        nodes_store,
        unfit_too: arguments.unfit_too,
        options: arguments.options.clone(),
        nodes,
        submissions: Vec::new(),
    };
    let submitted = write_folder(&fleet, &folder, &suite).and_then(|()| {
        let there = fleet.nodes.iter().enumerate().filter(|(_, node)| node.absent.is_none());
        let places: Vec<usize> = there.map(|(place, _)| place).collect();
        submit(&mut fleet, &folder, &places)
    });
    if let Err(fault) = submitted {
        // A run that was never submitted leaves nothing.
        let _ = std::fs::remove_dir_all(&folder);
        return Err(fault);
    }
    for Member { name, absent } in &fleet.nodes {
        if let Some(reason) = absent {
            output::warn(&format!("{name} is left out: {reason}"));
        }
    }
    output::inform("cpb fleet status tells how far it is");
    output::print(&format!("{}\n", fleet.name))?;
    Ok(0)
}

impl Arguments {
    /// Checks now what cpb run would reject on every node.
    fn check_options(&self) -> Result<(), CliError> {
        let own = ["cpb", "run", "--suite", &self.suite, "--raw", "--no-save", "--format", "json"];
        let own = own.into_iter().chain(["--output", "measured.json"]);
        let words = own.chain(self.options.iter().map(String::as_str));
        match crate::Arguments::try_parse_from(words) {
            Ok(crate::Arguments { command: Command::Run(run), .. }) => match run.relative_path() {
                None => Ok(()),
                Some(path) => Err(usage!(
                    "what stands after -- runs in folders on the nodes: give '{}' as an absolute path",
                    path.display()
                )),
            },
            Ok(_) => Err(usage!("what stands after -- is for cpb run")),
            Err(error) => {
                let text = error.to_string();
                let first = text.split("\n\n").next().unwrap_or_default();
                let reason = match error.use_stderr() {
                    true => first.strip_prefix("error: ").unwrap_or(first),
                    false => "it would only print its help",
                };
                Err(usage!("cpb run does not take what stands after --: {reason}"))
            }
        }
    }

    /// Returns where runs are saved, and whether the nodes save them. A file on a network file
    /// system is locked reliably only by the node that reads it, so nodes do not write to one.
    fn store(&self) -> Result<(String, bool), CliError> {
        match saved::place(&self.store)? {
            StoreLocation::Server(address) if address.has_password() => Err(usage!(
                "the address of the store, '{address}', has a password, which every user of Slurm \
                 could read; leave it out, and put it into ~/.pgpass, where the nodes find it"
            )),
            StoreLocation::Server(address) => {
                if std::env::var_os("PGPASSWORD").is_some() {
                    output::inform(
                        "PGPASSWORD is not passed to the nodes; put the password into ~/.pgpass",
                    );
                }
                Ok((address.to_string(), true))
            }
            StoreLocation::File(path) => {
                let path = std::path::absolute(&path).unwrap_or(path);
                Ok((text(&path)?, false))
            }
        }
    }

    fn program(&self) -> Result<String, CliError> {
        let path = match &self.program {
            Some(path) if path.is_absolute() => path.clone(),
            Some(path) => {
                return Err(usage!(
                    "--program is the absolute path of cpb on the nodes, not '{}'",
                    path.display()
                ));
            }
            None => std::env::current_exe().map_err(|error| {
                not_measured!("cpb cannot find its own file: {error}; give --program")
            })?,
        };
        text(&path)
    }

    fn nodes(&self) -> Result<Vec<Member>, CliError> {
        let there = Slurm.nodes(&self.partition)?;
        let wanted = Wanted {
            partition: &self.partition,
            constraint: self.constraint.as_ref(),
            nodes: self.nodes,
        };
        Ok(choose(&wanted, &there)?)
    }

    /// Returns the arguments without --nightly, for the suite at `suite`.
    fn words(
        &self,
        suite: &str,
        root: &Path,
        program: &str,
        store: &str,
    ) -> Result<Vec<String>, CliError> {
        let mut words: Vec<String> = vec![suite.to_owned()];
        let mut option = |name: &str, value: Option<String>| {
            words.extend(value.map(|value| format!("--{name}={value}")));
        };
        option("partition", Some(self.partition.clone()));
        option("nodes", self.nodes.map(|count| count.to_string()));
        option("constraint", self.constraint.as_ref().map(ToString::to_string));
        option("time", self.time.clone());
        option("program", Some(program.to_owned()));
        option("folder", Some(text(root)?));
        option("store", Some(store.to_owned()));
        words.extend(self.unfit_too.then(|| "--unfit-too".to_owned()));
        if !self.options.is_empty() {
            words.push("--".to_owned());
            words.extend(self.options.iter().cloned());
        }
        Ok(words)
    }
}

fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number >= 1);
    number.ok_or_else(|| format!("a number of nodes is a whole number from 1 on, not '{text}'"))
}

fn time_limit(text: &str) -> Result<String, String> {
    match is_time_limit(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "a limit of Slurm's is minutes, as 90, or 90:00, 1:30:00, 2-12:00:00, not '{text}'"
        )),
    }
}
