//! Finds where an unknown primitive was measured before: in a file that a saved run names.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::saved;
use cpb_engine::LibrarySpec;
use cpb_store::{Store, StoreError, StoreLocation};
use std::collections::BTreeSet;

/// Returns `fault`, extended by how to measure a selector again that was measured before in one of
/// the user's own files.
pub(crate) fn instead_of(
    fault: CliError,
    selectors: &[String],
    argument: &StoreArgument,
) -> CliError {
    let CliError::Usage(_) = fault else { return fault };
    // The error already says what is wrong; an unreadable store adds nothing.
    let found = open(argument).and_then(|store| {
        selectors.iter().find_map(|selector| before(&store, selector).ok().flatten())
    });
    found.map_or(fault, CliError::Usage)
}

/// Opens the store, but no server: a misspelled word is not worth waiting for one.
fn open(argument: &StoreArgument) -> Option<Store> {
    match saved::place(argument).ok()? {
        place @ StoreLocation::File(_) => Store::open(&place).ok(),
        StoreLocation::Server(_) => None,
    }
}

/// Returns the file in which the newest run found `selector`.
fn before(store: &Store, selector: &str) -> Result<Option<String>, StoreError> {
    let primitive = selector.to_ascii_lowercase();
    let series = store.series_of(&primitive)?;
    let Some(newest) = store.runs_of(&BTreeSet::from([&primitive[..]]))?.pop() else {
        return Ok(None);
    };
    let libraries = store.describe(newest.number)?.libraries;
    let is_its = |label: &str| series.iter().any(|series| series.has(label));
    let specs = libraries.iter().filter(|it| is_its(&it.label)).flat_map(|it| it.label.parse());
    Ok(specs.filter_map(|spec| describe(selector, &spec)).next())
}

/// Describes how to measure it again; `None` for a library without a file of its own.
fn describe(selector: &str, spec: &LibrarySpec) -> Option<String> {
    let path = spec.path.as_ref()?;
    let file = path.display().to_string();
    let option = if path.is_dir() { "--folder" } else { "--library" };
    let is_named_so = file.parse().is_ok_and(|named: LibrarySpec| named == *spec);
    let value = if is_named_so || path.is_dir() { file.clone() } else { spec.label() };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/=+-:".contains(c);
    let value = if value.chars().all(is_plain) { value } else { format!("'{value}'") };
    let again = match path.exists() {
        true => format!(": cpb run {selector} {option} {value}"),
        false => ", which is not there now".to_owned(),
    };
    Some(format!("unknown selector '{selector}': measured before from {file}{again}"))
}
