//! `cpb fleet again`.

use super::look::states;
use super::root::Named;
use super::submit::submit;
use crate::cli_error::{CliError, NOT_MEASURED};
use crate::output;
use clap::Args;
use cpb_fleet::{Node, Slurm, State};

/// Retry the nodes of a fleet run that have no figures
///
/// Submits the same sbatch file for the nodes that ended without a run, or could not be asked
/// before. Those that wait or run are left alone, and so is what was measured.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    named: Named,
}

pub(super) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let (mut fleet, folder) = arguments.named.find()?;
    let states = states(&fleet, &folder)?;
    let is_open = |state: State| state != State::Done && !state.is_going_on();
    let open: Vec<usize> = (0..states.len()).filter(|&it| is_open(states[it].state)).collect();
    if open.is_empty() {
        let going = states.iter().filter(|it| it.state.is_going_on()).count();
        output::inform(&match going {
            0 => format!("all nodes of {} are done", fleet.name),
            _ => format!(
                "{going} of {} nodes are waiting or running; none is left to retry",
                states.len()
            ),
        });
        return Ok(0);
    }
    let there = Slurm.nodes(&fleet.partition)?;
    let mut places = Vec::new();
    for place in open {
        let member = &mut fleet.nodes[place];
        let node = there.iter().find(|node| node.name == member.name);
        let absent = match node {
            Some(node) => Node::unavailable(node),
            None => Some(format!("it is no longer in partition '{}'", fleet.partition)),
        };
        match &absent {
            Some(reason) => output::warn(&format!("{} is left out: {reason}", member.name)),
            None => places.push(place),
        }
        // A task that ended there has its own reason.
        if states[place].state == State::Absent {
            member.absent = absent;
        }
    }
    if places.is_empty() {
        fleet.write(&folder)?;
        output::complain("none of these nodes can run anything now");
        return Ok(NOT_MEASURED);
    }
    submit(&mut fleet, &folder, &places)?;
    Ok(0)
}
