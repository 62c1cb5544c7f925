//! Shows the figures of a fleet run's nodes side by side.

use super::status;
use crate::commands::fleet::look::Looked;
use cpb_figures::{Group, Unit, groups};
use cpb_fleet::Fleet;
use cpb_model::{Figure, SCHEMA};
use cpb_report::number::{estimate, percent, unit};
use cpb_report::{
    Cell, Document, Fields, Libraries, Rows, Section, Source, Style, Table, labels, left, right,
};
use cpb_store::Machine;
use serde_json::json;

/// With more nodes than this, a table has no column for each.
const FEW: usize = 6;

/// The figures of a fleet run.
pub(crate) struct Report<'a> {
    fleet: &'a Fleet,
    nodes: &'a [Looked],
    kinds: Vec<Kind<'a>>,
}

/// The nodes of one kind of machine.
struct Kind<'a> {
    machine: Machine,
    nodes: Vec<&'a str>,
    works: Vec<Work>,
}

/// One workload of the report.
struct Work {
    title: String,
    unit: Unit,
    rows: Vec<Row>,
}

/// An implementation, with the figure of each node.
struct Row {
    label: String,
    figures: Vec<Option<Figure>>,
}

impl<'a> Report<'a> {
    pub(crate) fn of(fleet: &'a Fleet, nodes: &'a [Looked]) -> Self {
        let mut kinds: Vec<Kind<'a>> = Vec::new();
        for node in nodes {
            let Some(measured) = &node.measured else { continue };
            let machine = Machine::of(&measured.run.host);
            let place = kinds.iter().position(|kind| kind.machine.id == machine.id);
            let place = place.unwrap_or_else(|| {
                kinds.push(Kind { machine, nodes: Vec::new(), works: Vec::new() });
                kinds.len() - 1
            });
            kinds[place].nodes.push(&node.node);
        }
        for kind in &mut kinds {
            let count = kind.nodes.len();
            let runs = nodes.iter().filter(|it| kind.nodes.contains(&it.node.as_str()));
            for (column, run) in runs.filter_map(|it| Some(&it.measured.as_ref()?.run)).enumerate()
            {
                let libraries = Libraries::of(run);
                for group in groups(&run.records) {
                    let work = work(&mut kind.works, &group);
                    for (row, label) in group.rows.iter().zip(labels(&group, &libraries)) {
                        work.row(label, count).figures[column] = row.figure;
                    }
                }
            }
        }
        Self { fleet, nodes, kinds }
    }

    fn foot(&self) -> Section {
        let lost = self.nodes.iter().filter(|node| node.measured.is_none());
        let lines: Vec<Cell> = lost
            .map(|node| Cell::new(format!("{}: {}", node.node, node.became), Style::Caution))
            .collect();
        let heading = if lines.is_empty() { "" } else { "Without figures" };
        Section { heading: heading.to_owned(), before: lines, ..Section::default() }
    }
}

/// Returns the work of `group` among `works`, added if it is missing.
fn work<'w>(works: &'w mut Vec<Work>, group: &Group) -> &'w mut Work {
    let title = group.title();
    let is_same = |it: &Work| it.title == title && it.unit == group.unit;
    let place = works.iter().position(is_same).unwrap_or_else(|| {
        works.push(Work { title, unit: group.unit, rows: Vec::new() });
        works.len() - 1
    });
    &mut works[place]
}

impl Work {
    fn row(&mut self, label: String, nodes: usize) -> &mut Row {
        let place = self.rows.iter().position(|row| row.label == label).unwrap_or_else(|| {
            self.rows.push(Row { label, figures: vec![None; nodes] });
            self.rows.len() - 1
        });
        &mut self.rows[place]
    }
}

impl Row {
    /// Returns figures that are not bounds, with the indices of their nodes, in rising order.
    fn sure(&self) -> Vec<(usize, Figure)> {
        let figures = self.figures.iter().enumerate();
        let sure = figures.filter_map(|(place, it)| Some((place, (*it)?)));
        let mut sure: Vec<_> = sure.filter(|(_, figure)| !figure.upper_bound).collect();
        sure.sort_by(|(_, a), (_, b)| a.estimate.total_cmp(&b.estimate));
        sure
    }

    /// Returns (largest − smallest) ÷ smallest.
    fn spread(&self) -> Option<f64> {
        let sure = self.sure();
        match (sure.first(), sure.last()) {
            (Some((_, least)), Some((_, most))) if sure.len() > 1 && least.estimate > 0.0 => {
                Some(most.estimate / least.estimate - 1.0)
            }
            _ => None,
        }
    }

    /// Returns the cells after the label: one per node, or a summary if there are many.
    fn cells(&self, nodes: &[&str]) -> Vec<Cell> {
        let shown = |figure: Option<Figure>| figure.map_or_else(|| "–".to_owned(), estimate);
        let spread = self.spread().map(percent).unwrap_or_default();
        if nodes.len() <= FEW {
            let figures = self.figures.iter().map(|figure| shown(*figure).into());
            return figures.chain([spread.into()]).collect();
        }
        let sure = self.sure();
        let at = |place: usize| sure.get(place).map(|(_, figure)| *figure);
        let most = sure.last().map_or("", |(place, _)| nodes[*place]);
        vec![
            sure.len().to_string().into(),
            shown(at(0)).into(),
            shown(at(sure.len() / 2)).into(),
            shown(sure.last().map(|(_, figure)| *figure)).into(),
            spread.into(),
            most.into(),
        ]
    }
}

impl Kind<'_> {
    fn section(&self) -> Section {
        let mut columns = vec![left("")];
        if self.nodes.len() <= FEW {
            columns.extend(self.nodes.iter().map(|node| right(*node)));
            columns.push(right("apart"));
        } else {
            columns.extend(["nodes", "least", "middle", "most", "apart"].map(right));
            columns.push(left("most on"));
        }
        let mut table = Table::new(columns);
        for (index, work) in self.works.iter().enumerate() {
            if index != 0 {
                table.blank();
            }
            table.title(format!("{}, {}", work.title, unit(work.unit)));
            for row in &work.rows {
                let label = Cell::from(row.label.as_str());
                table.row([label].into_iter().chain(row.cells(&self.nodes)).collect());
            }
        }
        let Machine { id, architecture, cpu, cpu_id, hypervisor } = &self.machine;
        let virtual_machine = hypervisor.as_ref().map(|name| format!("virtual machine ({name})"));
        let parts =
            [cpu.as_ref().or(Some(architecture)), cpu_id.as_ref(), virtual_machine.as_ref()];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        let heading = format!("{id} · {} · {}", parts.join(" · "), self.nodes.join(", "));
        Section { heading, table, ..Section::default() }
    }
}

impl Document for Report<'_> {
    fn command(&self) -> &'static str {
        "fleet report"
    }

    fn sections(&self) -> Vec<Section> {
        let about = format!("{} · suite {}", self.fleet.name, self.fleet.suite);
        let head = Section { before: vec![about.into()], ..Section::default() };
        let after = "apart: how far the largest lies above the smallest, without bounds (≤)";
        let after = Section { after: vec![Cell::new(after, Style::Faint)], ..Section::default() };
        let kinds = self.kinds.iter().map(Kind::section);
        [head].into_iter().chain(kinds).chain([after, self.foot()]).collect()
    }

    fn rows(&self) -> Rows<'_> {
        let figures = self.kinds.iter().flat_map(|kind| {
            let rows =
                kind.works.iter().flat_map(|work| work.rows.iter().map(move |it| (work, it)));
            rows.flat_map(move |(work, row)| {
                let figures = row.figures.iter().zip(&kind.nodes);
                figures
                    .map(move |(figure, &node)| Part { node, of: Ok((kind, work, row, *figure)) })
            })
        });
        let lost = self.nodes.iter().filter(|node| node.measured.is_none());
        let lost = lost.map(|it| Part { node: &it.node, of: Err(it.became.to_string()) });
        Part::fields().rows(figures.chain(lost))
    }

    fn data(&self) -> serde_json::Value {
        let node = |looked: &Looked| {
            let run = looked.measured.as_ref().map(|measured| {
                let mut run = measured.run.clone();
                run.forget_raw();
                run
            });
            json!({ "status": status::node(looked), "measured": run })
        };
        let nodes: Vec<_> = self.nodes.iter().map(node).collect();
        json!({ "schema": SCHEMA, "fleet": self.fleet, "nodes": nodes })
    }

    fn runs(&self) -> Vec<Source<'_>> {
        let measured = self.nodes.iter().filter_map(|node| Some((node, node.measured.as_ref()?)));
        measured.map(|(node, measured)| Source { name: &node.node, run: &measured.run }).collect()
    }
}

/// A row on one node, or why it has none.
struct Part<'a> {
    node: &'a str,
    of: Result<(&'a Kind<'a>, &'a Work, &'a Row, Option<Figure>), String>,
}

impl<'a> Part<'a> {
    fn fields() -> Fields<'a, Self> {
        Fields::<Self>::new()
            .data_only("node", |it| it.node.to_owned())
            .data_only("machine", |it| Some(it.of.as_ref().ok()?.0.machine.id.clone()))
            .data_only("work", |it| Some(it.of.as_ref().ok()?.1.title.clone()))
            .data_only("unit", |it| Some(unit(it.of.as_ref().ok()?.1.unit)))
            .data_only("row", |it| Some(it.of.as_ref().ok()?.2.label.clone()))
            .data_only("estimate low high", |it| it.of.as_ref().ok()?.3)
            .data_only("upper_bound", |it| Some(it.of.as_ref().ok()?.3?.upper_bound))
            .data_only("reason", |it| it.of.as_ref().err().cloned())
    }
}
