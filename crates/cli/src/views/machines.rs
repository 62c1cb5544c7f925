//! The machines that saved runs are of.

use crate::document::Document;
use cpb_model::SCHEMA;
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, date, write_json};
use cpb_store::{Machine, State};
use serde_json::json;
use std::io::Write;

/// Each machine with its states.
pub(crate) struct SavedMachines<'a>(pub(crate) &'a [(Machine, Vec<State>)]);

impl Document for SavedMachines<'_> {
    fn command(&self) -> &'static str {
        "machines"
    }

    fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(vec![
            Column::right("runs"),
            Column::left("first (UTC)"),
            Column::left("last (UTC)"),
            Column::left("kernel"),
            Column::left("microcode").rank(1),
            Column::right("CPUs").rank(2),
            Column::right("boots").rank(3),
        ]);
        for (machine, states) in self.0 {
            table.blank();
            table.title(machine.id.clone());
            table.note(Vec::new(), Cell::new(about(machine), Style::Faint));
            for state in states {
                let unknown =
                    |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
                table.row(vec![
                    state.runs.to_string().into(),
                    date::to_the_minute(state.first).into(),
                    date::to_the_minute(state.last).into(),
                    unknown(&state.kernel).into(),
                    unknown(&state.microcode).into(),
                    state.cpus.to_string().into(),
                    // Runs that were saved before do not tell.
                    if state.boots == 0 { "?".into() } else { state.boots.to_string().into() },
                ]);
            }
        }
        vec![table.into()]
    }

    fn rows(&self) -> Rows<'_> {
        let all =
            self.0.iter().flat_map(|(it, states)| states.iter().map(move |state| (it, state)));
        Rows::of(COLUMNS, all)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let machines = self.0.iter().map(|(machine, states)| {
            let states = states.iter().map(|state| {
                json!({
                    "kernel": state.kernel,
                    "microcode": state.microcode,
                    "cpus": state.cpus,
                    "boots": state.boots,
                    "runs": state.runs,
                    "first": state.first,
                    "last": state.last,
                })
            });
            json!({
                "machine": machine.id,
                "architecture": machine.architecture,
                "cpu": machine.cpu,
                "cpu_id": machine.cpu_id,
                "hypervisor": machine.hypervisor,
                "states": states.collect::<Vec<_>>(),
            })
        });
        let machines: Vec<_> = machines.collect();
        write_json(output, &json!({ "schema": SCHEMA, "machines": machines }))
    }
}

/// What identifies it, in words.
fn about(machine: &Machine) -> String {
    let hypervisor = match &machine.hypervisor {
        Some(name) => format!("virtual machine ({name})"),
        None => "no hypervisor".to_owned(),
    };
    let parts = [machine.cpu.as_ref(), machine.cpu_id.as_ref(), Some(&machine.architecture)];
    let parts = parts.into_iter().flatten().cloned().chain([hypervisor]);
    parts.collect::<Vec<_>>().join(" · ")
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&(&Machine, &State)) -> String);

const COLUMNS: [Field; 12] = [
    ("machine", |(machine, _)| machine.id.clone()),
    ("architecture", |(machine, _)| machine.architecture.clone()),
    ("cpu", |(machine, _)| machine.cpu.clone().unwrap_or_default()),
    ("cpu_id", |(machine, _)| machine.cpu_id.clone().unwrap_or_default()),
    ("hypervisor", |(machine, _)| machine.hypervisor.clone().unwrap_or_default()),
    ("kernel", |(_, state)| state.kernel.clone().unwrap_or_default()),
    ("microcode", |(_, state)| state.microcode.clone().unwrap_or_default()),
    ("cpus", |(_, state)| state.cpus.to_string()),
    ("boots", |(_, state)| state.boots.to_string()),
    ("runs", |(_, state)| state.runs.to_string()),
    ("first", |(_, state)| date::timestamp(state.first)),
    ("last", |(_, state)| date::timestamp(state.last)),
];
