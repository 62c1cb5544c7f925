//! Identifies machines, whose figures belong together, and their states at each run.

use crate::StoreError;
use crate::database::{Database, all, values};
use crate::document::{DESCRIPTION, unpack_of};
use cpb_model::{Host, Run};
use uuid::Uuid;

/// The UUID namespace for machine names (RFC 9562 section 5.5).
const MACHINES: Uuid = Uuid::from_u128(0x0a6f_6e0c_3a52_4d0e_8f4d_51b0_7d3c_9e27);

/// Hexadecimal digits of a machine's name; among a thousand machines, the chance that two share one
/// is one in a hundred million.
const DIGITS: usize = 12;

/// A machine, identified by what decides the cycles of a call: the kind of CPU and the hypervisor.
/// Kernel, microcode and boot are states of it, which change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Twelve hexadecimal digits, equal in every store.
    pub id: String,
    /// Architecture, such as `x86_64`.
    pub architecture: String,
    /// The CPU's marketing name.
    pub cpu: Option<String>,
    /// Maker, family, model and stepping, or the ARM part.
    pub cpu_id: Option<String>,
    /// The hypervisor's name, if there is one.
    pub hypervisor: Option<String>,
}

/// The state of a machine during some runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The revision of the CPU's microcode.
    pub microcode: Option<String>,
    /// CPUs that cpb was allowed to use.
    pub cpus: i64,
    /// The number of boots between those runs, as far as known.
    pub boots: i64,
    /// Number of runs.
    pub runs: i64,
    /// Seconds since 1970 at the start of the first of them.
    pub first: i64,
    /// Seconds since 1970 at the start of the last of them.
    pub last: i64,
}

impl Machine {
    /// Identifies the machine described by `host`.
    pub fn of(host: &Host) -> Self {
        let identity =
            serde_json::json!([host.architecture, host.cpu, host.cpu_id, host.hypervisor]);
        let id = Uuid::new_v5(&MACHINES, identity.to_string().as_bytes()).simple().to_string();
        Self {
            id: id.chars().take(DIGITS).collect(),
            architecture: host.architecture.clone(),
            cpu: host.cpu.clone(),
            cpu_id: host.cpu_id.clone(),
            hypervisor: host.hypervisor.clone(),
        }
    }
}

/// Inserts the machine's state at `run`.
pub(crate) fn insert_state(
    database: &dyn Database,
    run: i64,
    host: &Host,
) -> Result<(), StoreError> {
    let machine = Machine::of(host);
    database.execute(
        "INSERT INTO machines (id, architecture, cpu, cpu_id, hypervisor)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
        &[values![
            &machine.id,
            &machine.architecture,
            machine.cpu.as_ref(),
            machine.cpu_id.as_ref(),
            machine.hypervisor.as_ref(),
        ]
        .into()],
    )?;
    database.execute(
        "INSERT INTO states (run, machine, kernel, microcode, boot, cpus)
         VALUES ($1, (SELECT number FROM machines WHERE id = $2), $3, $4, $5, $6)",
        &[values![
            run,
            &machine.id,
            host.kernel.as_ref(),
            host.microcode.as_ref(),
            host.boot.as_ref(),
            host.allowed_cpus.len() as i64,
        ]
        .into()],
    )?;
    Ok(())
}

/// Inserts the states of all runs of a store that has none yet, from their descriptions. Runs with
/// a damaged description are skipped.
pub(crate) fn fill_states(database: &dyn Database) -> Result<(), StoreError> {
    let runs = all(database, "SELECT run FROM documents ORDER BY run", &[], |row| row.integer(0))?;
    for run in runs {
        if let Ok(described) = unpack_of::<Run>(database, DESCRIPTION, run) {
            insert_state(database, run, &described.host)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_the_same_in_every_store_and_state() {
        let host = |cpu: &str, kernel: &str| Host {
            architecture: "x86_64".to_owned(),
            cpu: Some(cpu.to_owned()),
            kernel: Some(kernel.to_owned()),
            microcode: Some(kernel.to_owned()),
            boot: Some(kernel.to_owned()),
            ..Host::default()
        };
        let id = |host: &Host| Machine::of(host).id;
        // A constant, since stores contain it.
        assert_eq!(id(&host("A CPU", "6.1")), "135c13dcaa0a");
        assert_eq!(id(&host("A CPU", "6.1")), id(&host("A CPU", "6.18")));
        assert_ne!(id(&host("A CPU", "6.1")), id(&host("Another", "6.1")));
        let guest = Host { hypervisor: Some("KVM".to_owned()), ..host("A CPU", "6.1") };
        assert_ne!(id(&host("A CPU", "6.1")), id(&guest));
        // An absent value differs from an empty text.
        let nameless = Host { cpu: None, ..host("", "6.1") };
        assert_ne!(id(&host("", "6.1")), id(&nameless));
    }
}
