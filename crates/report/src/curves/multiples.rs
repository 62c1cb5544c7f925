//! Makes a panel for each of many primitives.

use super::names::plain;
use super::{Curve, Quantity, chart};
use crate::chart::{Chart, Multiples};
use crate::{Colours, group_by};
use std::collections::HashMap;

/// The most lines of several primitives that one chart can hold.
const MOST_TOGETHER: usize = 8;

/// Makes a panel of `curves` for each subject; `None` if one chart is enough, because they are few
/// or of one subject.
pub fn multiples(
    curves: &[Curve],
    colours: &Colours,
    quantity: Quantity,
    logarithmic: bool,
    title: Option<&str>,
) -> Option<Multiples> {
    let subjects = by_subject(curves);
    if subjects.len() < 2 || curves.len() <= MOST_TOGETHER {
        return None;
    }
    let charts = subjects
        .iter()
        .map(|(subject, curves)| chart(curves, colours, quantity, logarithmic, Some(subject)));
    let mut panels: Vec<Chart> = charts.collect();
    let libraries =
        subjects.iter().flat_map(|(_, curves)| curves).map(|it| it.name.library.as_str());
    one_look_for_one_label(&mut panels, &libraries.collect::<Vec<_>>(), colours);
    let machines = panels.iter().map(|panel| panel.subtitle.as_str());
    let machine = machines.clone().next().filter(|first| machines.clone().all(|it| it == *first));
    let first = panels.first()?;
    let what = format!("{} over {}", first.y.label, first.x.label.to_lowercase());
    let axes = match logarithmic {
        true => "both axes logarithmic",
        false => "message length logarithmic",
    };
    let note = panels.iter().map(|panel| panel.note.as_str()).find(|note| !note.is_empty());
    let subtitle = match title {
        None => vec![axes, machine.unwrap_or_default()],
        Some(_) => vec![what.as_str(), axes, machine.unwrap_or_default()],
    };
    let subtitle: Vec<&str> = subtitle.into_iter().filter(|part| !part.is_empty()).collect();
    Some(Multiples {
        title: title.map_or_else(|| what.clone(), str::to_owned),
        subtitle: subtitle.join(", "),
        note: note.unwrap_or_default().to_owned(),
        panels,
    })
}

/// Groups curves by subject, in order of first occurrence.
fn by_subject(curves: &[Curve]) -> Vec<(String, Vec<Curve>)> {
    let subjects = group_by(curves.iter().cloned(), |curve| plain(&curve.name.subject()));
    subjects.into_iter().map(|curves| (curves[0].name.subject(), curves)).collect()
}

/// Gives lines with equal labels the same look; `libraries` are those of each line, panel by panel.
fn one_look_for_one_label(panels: &mut [Chart], libraries: &[&str], colours: &Colours) {
    let mut labels: Vec<(String, &str)> = Vec::new();
    let lines = panels.iter().flat_map(|panel| &panel.series);
    for (series, library) in lines.zip(libraries) {
        if !labels.iter().any(|(label, _)| *label == series.label) {
            labels.push((series.label.clone(), library));
        }
    }
    let looks = colours.looks(labels.iter().map(|(_, library)| *library));
    let looks: HashMap<String, usize> =
        labels.into_iter().map(|(label, _)| label).zip(looks).collect();
    for series in panels.iter_mut().flat_map(|panel| &mut panel.series) {
        series.look = looks.get(&series.label).copied().unwrap_or(series.look);
    }
}
