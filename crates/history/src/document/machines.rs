//! Makes the document of the machines of saved runs.

use cpb_model::SCHEMA;
use cpb_report::Document;
use cpb_report::{Cell, Fields, Rows, Section, Style, Value, left, right};
use cpb_store::{Machine, State};
use serde_json::json;

/// Each machine with its states.
pub struct SavedMachines<'a>(pub &'a [(Machine, Vec<State>)]);

impl Document for SavedMachines<'_> {
    fn command(&self) -> &'static str {
        "machines"
    }

    fn sections(&self) -> Vec<Section> {
        let fields = of_state();
        let mut table = fields.table();
        for (machine, states) in self.0 {
            table.blank();
            table.title(machine.id.clone());
            table.note(Vec::new(), Cell::new(about(machine), Style::Faint));
            states.iter().for_each(|state| table.row(fields.cells(&state)));
        }
        vec![table.into()]
    }

    fn rows(&self) -> Rows<'_> {
        let all =
            self.0.iter().flat_map(|(it, states)| states.iter().map(move |state| (it, state)));
        let of_machine = Fields::<(&Machine, &State)>::new().with(of_machine(), |it| it.0);
        of_machine.with(of_state(), |it| it.1).ordered(ORDER).rows(all)
    }

    fn data(&self) -> serde_json::Value {
        let machines = self.0.iter().map(|(machine, states)| {
            let mut all = of_machine().json(&machine);
            all.insert("states".to_owned(), of_state().array(states));
            serde_json::Value::from(all)
        });
        json!({ "schema": SCHEMA, "machines": machines.collect::<Vec<_>>() })
    }
}

const ORDER: &str = "machine architecture cpu cpu_id hypervisor kernel microcode cpus boots runs \
                     first last";

fn of_machine<'a>() -> Fields<'a, &'a Machine> {
    Fields::<&Machine>::new()
        .data_only("machine", |it| it.id.clone())
        .data_only("architecture", |it| it.architecture.clone())
        .data_only("cpu", |it| it.cpu.clone())
        .data_only("cpu_id", |it| it.cpu_id.clone())
        .data_only("hypervisor", |it| it.hypervisor.clone())
}

fn of_state<'a>() -> Fields<'a, &'a State> {
    Fields::<&State>::new()
        .field("runs", right("runs"), |it| it.runs)
        .field("first", left("first (UTC)"), |it| Value::Time(it.first))
        .field("last", left("last (UTC)"), |it| Value::Time(it.last))
        .field("kernel", left("kernel").missing("?"), |it| it.kernel.clone())
        .field("microcode", left("microcode").rank(1).missing("?"), |it| it.microcode.clone())
        .field("cpus", right("CPUs").rank(2), |it| it.cpus)
        .data_only("boots", |it| it.boots)
        // Older runs do not record it.
        .shown_as(right("boots").rank(3).missing("?"), |it| (it.boots != 0).then_some(it.boots))
}

/// Describes what identifies a machine.
fn about(machine: &Machine) -> String {
    let hypervisor = match &machine.hypervisor {
        Some(name) => format!("virtual machine ({name})"),
        None => "no hypervisor".to_owned(),
    };
    let parts = [machine.cpu.as_ref(), machine.cpu_id.as_ref(), Some(&machine.architecture)];
    let parts = parts.into_iter().flatten().cloned().chain([hypervisor]);
    parts.collect::<Vec<_>>().join(" · ")
}
