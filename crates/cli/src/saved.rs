//! Saved runs: in the store, and in files.

use crate::arguments::{Saving, StoreArgument};
use crate::fault::Fault;
use crate::{input, output};
use cpb_engine::Spool;
use cpb_model::{RawRounds, Run, SCHEMA};
use cpb_oldtools::CalledAs;
use cpb_report::number::counted;
use cpb_store::{Name, Place, Store, StoreError, default_path, from_json};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;

/// Labels beyond which only the nearest is named.
const FEW: usize = 12;

/// What became of a run that was to be saved.
#[must_use]
pub(crate) enum Saved {
    /// It was not to be.
    NotAsked,
    /// There is no figure in it.
    Empty,
    /// Under this number.
    As(i64),
    /// It could not be sent, and is in the user's own file until it can.
    Kept {
        number: i64,
        own: Place,
        reason: StoreError,
    },
    Failed(String),
}

impl Saved {
    /// Tells it, once the results are printed. A run that could not be saved
    /// is a warning, no failure: it was measured. The old tools' names print
    /// what those print.
    pub(crate) fn tell(&self, called_as: CalledAs) {
        match self {
            Saved::Failed(reason) => output::warn(&format!("this run is not saved: {reason}")),
            Saved::Kept { number, own, reason } => output::warn(&format!(
                "{reason}\nThis run is kept as run {number} of '{own}', and sent by the next command \
                 that reaches that store."
            )),
            Saved::As(number) if called_as == CalledAs::Cpb => {
                output::inform(&format!("saved as run {number}"));
            }
            Saved::Empty if called_as == CalledAs::Cpb => {
                output::inform("not saved: nothing was measured");
            }
            Saved::As(_) | Saved::Empty | Saved::NotAsked => {}
        }
    }
}

/// Saves `run` with `samples`, unless it shall not be, or has no figure.
pub(crate) fn save(saving: &Saving, run: &Run, samples: Option<&Spool>) -> Saved {
    if saving.no_save {
        return Saved::NotAsked;
    }
    if !has_figures(run) {
        return Saved::Empty;
    }
    let place = match place(&saving.store) {
        Ok(place) => place,
        Err(error) => return Saved::Failed(error.to_string()),
    };
    let raw = |record: usize| match samples {
        Some(spool) => spool.samples(record),
        None => Ok(run.records[record].raw()),
    };
    let saved = Store::open_or_create(&place).and_then(|mut store| {
        let number = store.save_with(run, raw)?;
        send_waiting(&mut store);
        Ok(number)
    });
    match saved {
        Ok(number) => Saved::As(number),
        Err(reason) if reason.is_of_the_way() => match keep(&place, run, raw) {
            Ok((number, own)) => Saved::Kept { number, own, reason },
            Err(error) => Saved::Failed(format!("{reason}\nNor can it be kept: {error}")),
        },
        Err(error) => Saved::Failed(error.to_string()),
    }
}

/// Keeps `run` in the user's own file, to be sent to `place`.
fn keep(
    place: &Place,
    run: &Run,
    raw: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
) -> Result<(i64, Place), StoreError> {
    let own = Place::File(default_path()?);
    let number = Store::open_or_create(&own)?.keep_for(place, run, raw)?;
    Ok((number, own))
}

/// The store, which must be there.
pub(crate) fn open(argument: &StoreArgument) -> Result<Store, Fault> {
    let place = place(argument)?;
    let mut store = match Store::open(&place) {
        // What waits for it is its first.
        Err(StoreError::Missing { .. }) if own_for(&place).is_some() => {
            Store::open_or_create(&place)?
        }
        opened => opened?,
    };
    send_waiting(&mut store);
    Ok(store)
}

/// The store, made where there is none.
pub(crate) fn open_or_create(argument: &StoreArgument) -> Result<Store, Fault> {
    let mut store = Store::open_or_create(&place(argument)?)?;
    send_waiting(&mut store);
    Ok(store)
}

/// The user's own file, where runs wait in it for `place`.
fn own_for(place: &Place) -> Option<Store> {
    let path = match place {
        Place::Server(_) => default_path().ok().filter(|path| path.exists())?,
        Place::File(_) => return None,
    };
    let waiting = Store::open(&Place::File(path)).and_then(|own| {
        let count = own.waiting_for(place)?;
        Ok((count > 0).then_some(own))
    });
    waiting.unwrap_or_else(|error| {
        output::warn(&format!("runs may wait to be sent to '{place}': {error}"));
        None
    })
}

/// Sends the runs that could not be sent before.
fn send_waiting(store: &mut Store) {
    let Some(mut own) = own_for(store.place()) else { return };
    loop {
        match own.send_one(store) {
            Ok(None) => return,
            Ok(Some(sent)) => output::inform(&format!(
                "run {} of '{}' could be sent now, and is run {} of '{}'",
                sent.kept_as,
                own.place(),
                sent.number,
                store.place()
            )),
            Err(error) => {
                let waiting = own.waiting_for(store.place()).unwrap_or(0);
                output::warn(&format!(
                    "{} in '{}' cannot be sent yet: {error}",
                    counted(waiting, "run"),
                    own.place()
                ));
                return;
            }
        }
    }
}

/// The run that `name` means, with its raw samples where it has them: a run of
/// the store by number (`17`, `#17`), label, UUID, or as `latest` (`latest~2`),
/// or else a JSON file that cpb wrote. What has a `/` in it or ends in `.json`
/// is always a file.
pub(crate) fn load(argument: &StoreArgument, name: &str) -> Result<Run, Fault> {
    let is_path = name.contains('/') || name.to_ascii_lowercase().ends_with(".json");
    if is_path {
        return read(Path::new(name));
    }
    let is_word = matches!(Name::parse(name), Name::Word(_));
    let stored = open(argument).and_then(|store| {
        let number = find(&store, name)?;
        Ok(store.load(number)?)
    });
    match stored {
        Err(_) if is_word && Path::new(name).is_file() => read(Path::new(name)),
        stored => stored,
    }
}

/// The number of the run of `store` that `name` means.
pub(crate) fn find(store: &Store, name: &str) -> Result<i64, Fault> {
    match store.find(Name::parse(name))? {
        Some(number) => Ok(number),
        None => Err(unknown(store, name)?),
    }
}

/// The run in the JSON file at `path`.
pub(crate) fn read(path: &Path) -> Result<Run, Fault> {
    let name = path.display();
    let mut file = input::open(path)
        .map_err(|error| Fault::Usage(format!("cannot read the run '{name}': {error}")))?;
    parse(&mut file).map_err(|reason| Fault::Usage(format!("'{name}' is not a run: {reason}")))
}

/// The same, of which some was looked at already: of a pipe nothing comes twice.
pub(crate) fn read_from(path: &Path, text: BufReader<File>) -> Result<Run, Fault> {
    let name = path.display();
    let unreadable =
        |error: io::Error| Fault::Usage(format!("cannot read the run '{name}': {error}"));
    if input::check(path).map_err(unreadable)? == input::Kind::File {
        return read(path);
    }
    let mut all = input::piped(text).map_err(unreadable)?;
    parse(&mut all).map_err(|reason| Fault::Usage(format!("'{name}' is not a run: {reason}")))
}

fn has_figures(run: &Run) -> bool {
    run.records.iter().any(|record| !record.points.is_empty())
        || run.throughput.iter().any(|row| row.hashes_per_second.is_some())
        || run.scaling.iter().flat_map(|row| &row.crowds).any(|it| it.calls_per_second.is_some())
}

/// Where runs are saved.
pub(crate) fn place(argument: &StoreArgument) -> Result<Place, StoreError> {
    argument.store.clone().map_or_else(|| default_path().map(Place::File), Ok)
}

/// No run is called `name`: what the nearest one is, and the latest.
fn unknown(store: &Store, name: &str) -> Result<Fault, StoreError> {
    let runs = store.runs()?;
    let labels: Vec<&str> = runs.iter().filter_map(|run| run.label.as_deref()).collect();
    let wanted = name.to_lowercase();
    let likeness = |label: &str| strsim::jaro_winkler(&label.to_lowercase(), &wanted);
    let nearest = labels.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let mut text = format!("there is no run '{name}'.");
    if let Some(nearest) = nearest.filter(|nearest| likeness(nearest) > 0.7) {
        text.push_str(&format!(" Did you mean '{nearest}'?"));
    }
    match runs.last() {
        None => text.push_str(" No runs are saved yet."),
        Some(latest) => {
            text.push_str(&format!(" The latest of {} is run {}", runs.len(), latest.number));
            if !labels.is_empty() && labels.len() <= FEW {
                text.push_str(&format!("; labels: {}", labels.join(", ")));
            }
            text.push_str("; cpb history lists all. A file is named with a / or .json.");
        }
    }
    Ok(Fault::Usage(text))
}

fn parse(json: &mut (impl Read + Seek)) -> Result<Run, String> {
    /// What every shape has.
    #[derive(Deserialize)]
    struct Shape {
        schema: u32,
    }
    let shape: Shape = from_json(&mut *json).map_err(|error| match error.is_io() {
        true => error.to_string(),
        false => format!("{error}; give JSON that cpb wrote"),
    })?;
    if !(1..=SCHEMA).contains(&shape.schema) {
        return Err(format!(
            "it has version {} of the shape, this cpb reads versions 1 to {SCHEMA}; use the cpb that \
             wrote it, or a newer one",
            shape.schema
        ));
    }
    json.rewind().map_err(|error| error.to_string())?;
    let run: Run = from_json(json).map_err(|error| error.to_string())?;
    if !run.id.is_empty() && uuid::Uuid::parse_str(&run.id).is_err() {
        return Err(format!("its id '{}' is no UUID", run.id));
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn other_files_and_other_shapes_are_told_as_such() {
        let parse = |text: &str| parse(&mut Cursor::new(text.to_owned()));
        assert!(parse("x").unwrap_err().contains("JSON"));
        assert!(parse("{}").unwrap_err().contains("schema"));
        assert!(parse(r#"{"schema": 99}"#).unwrap_err().contains("version 99"));
    }
}
