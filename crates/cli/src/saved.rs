//! Saves and loads runs, in the store and in files.

use crate::arguments::{Saving, StoreArgument};
use crate::cli_error::CliError;
use crate::interrupt::Interrupt;
use crate::{input, interrupt, output};
use cpb_engine::SampleFile;
use cpb_model::{RawRounds, Record, Run, SCHEMA};
use cpb_oldtools::CalledAs;
use cpb_report::number::counted;
use cpb_store::{
    Bounded, Limit, Name, Sent, Store, StoreError, StoreLocation, default_path, from_bounded,
};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// With more labels than this, only the nearest is named.
const FEW: usize = 12;

/// The result of saving a run.
#[must_use]
pub(crate) enum Saved {
    /// Saving was not requested.
    NotAsked,
    /// It contains no figure.
    Empty,
    /// It was saved under this number.
    As(i64),
    /// It could not be sent, and is kept in the user's own file until it can.
    Kept {
        number: i64,
        own: StoreLocation,
        reason: StoreError,
    },
    Failed(String),
}

impl Saved {
    /// Reports it, after the results were printed. Failing to save is a warning, since the run was
    /// measured. Under an old tool's name, only what that tool prints is printed.
    pub(crate) fn tell(&self, called_as: CalledAs) {
        match self {
            Saved::Failed(reason) => output::warn(&format!("this run is not saved: {reason}")),
            Saved::Kept { number, own, reason } => output::warn(&format!(
                "{reason}\nThis run is kept as run {number} of '{own}'; the next command that reaches that store sends it."
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

/// Saves `run` with `samples`, unless saving is off or it has no figure.
pub(crate) fn save(saving: &Saving, run: &Run, samples: Option<&SampleFile>) -> Saved {
    save_with(saving, run, |record| match samples {
        Some(spool) => spool.samples(record),
        None => Ok(run.records[record].raw()),
    })
}

/// Works like [`save`], with the raw samples of each record from `raw`.
pub(crate) fn save_with(
    saving: &Saving,
    run: &Run,
    raw: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
) -> Saved {
    if saving.no_save {
        return Saved::NotAsked;
    }
    if !run.records.iter().any(Record::is_measured) {
        return Saved::Empty;
    }
    let place = match place(&saving.store) {
        Ok(place) => place,
        Err(error) => return Saved::Failed(error.to_string()),
    };
    if let StoreLocation::File(_) = place {
        let saved = Store::open_or_create(&place).and_then(|mut store| store.save_with(run, raw));
        return saved.map_or_else(|error| Saved::Failed(error.to_string()), Saved::As);
    }
    // Kept locally first, whatever happens to the server, or to us while waiting for it.
    match keep(&place, run, &raw) {
        Ok((number, own)) => send(&place, own, number),
        Err(error) => {
            let limit = Limit::of(&place, Arc::clone(&interrupt::flag()));
            let sent = Store::open_to_send(&place, &limit);
            let sent = sent.and_then(|mut store| store.save_with(run, raw));
            let reason = |reason| format!("{reason}\nNor can it be kept: {error}");
            sent.map_or_else(|error| Saved::Failed(reason(error)), Saved::As)
        }
    }
}

/// The time to try a store before measuring without it; it is tried again once there is something
/// to save.
const LONGEST_TRIAL: Duration = Duration::from_secs(5);

/// Checks before measuring whether the run can be saved, so that an unreachable server is reported
/// at once.
///
/// # Errors
/// With --require-store, why it cannot be saved.
pub(crate) fn try_store(saving: &Saving, stop: &Interrupt) -> Result<(), CliError> {
    if saving.no_save {
        return Ok(());
    }
    let place = match place(&saving.store) {
        Err(error) if saving.require_store => return Err(error.into()),
        // Reported when it is to be saved.
        Err(_) => return Ok(()),
        Ok(place) => place,
    };
    let tried = match &place {
        StoreLocation::File(_) if saving.require_store => Store::open_or_create(&place).map(drop),
        StoreLocation::File(_) => return Ok(()),
        StoreLocation::Server(_) => {
            let limit = Limit::of(&place, Arc::clone(stop));
            let limit = if saving.require_store { limit } else { limit.at_most(LONGEST_TRIAL) };
            Store::open_to_send(&place, &limit).map(drop)
        }
    };
    if let Err(error) = tried {
        if saving.require_store {
            return Err(error.into());
        }
        let meanwhile = "Measuring anyway: the run is kept until it can be sent.";
        output::warn(&format!("{error}\n{meanwhile}"));
    }
    Ok(())
}

/// Sends what waits in `own` for `place`, including run `kept`.
fn send(place: &StoreLocation, mut own: Store, kept: i64) -> Saved {
    let limit = Limit::of(place, Arc::clone(&interrupt::flag()));
    let mut saved_as = None;
    let sent = send_all(place, &mut own, &limit, &mut |sent| match sent.kept_as == kept {
        true => saved_as = Some(sent.number),
        false => tell_sent(&sent, place),
    });
    match (saved_as, sent) {
        (Some(number), _) => Saved::As(number),
        (None, Err(reason)) => Saved::Kept { number: kept, own: own.place().clone(), reason },
        // Another process sent it, or no server accepts it, which was reported.
        (None, Ok(())) => Saved::NotAsked,
    }
}

/// Saves `run` in the user's own file, to be sent to `place`.
fn keep(
    place: &StoreLocation,
    run: &Run,
    raw: impl Fn(usize) -> io::Result<Vec<RawRounds>>,
) -> Result<(i64, Store), StoreError> {
    let mut own = Store::open_or_create(&StoreLocation::File(default_path()?))?;
    Ok((own.keep_for(place, run, raw)?, own))
}

/// Opens the store, which must exist.
pub(crate) fn open(argument: &StoreArgument) -> Result<Store, CliError> {
    let place = place(argument)?;
    let opened = Store::open(&place);
    // A run that waits for it may be its first.
    let is_reached = matches!(opened, Ok(_) | Err(StoreError::Missing { .. }));
    match is_reached && send_waiting(&place) {
        true => Ok(Store::open(&place)?),
        false => Ok(opened?),
    }
}

/// Opens the store, or creates it.
pub(crate) fn open_or_create(argument: &StoreArgument) -> Result<Store, CliError> {
    let place = place(argument)?;
    let store = Store::open_or_create(&place)?;
    send_waiting(&place);
    Ok(store)
}

/// Opens the user's own file if runs wait in it for `place`.
fn own_for(place: &StoreLocation) -> Option<Store> {
    let path = match place {
        StoreLocation::Server(_) => default_path().ok().filter(|path| path.exists())?,
        StoreLocation::File(_) => return None,
    };
    let waiting = Store::open(&StoreLocation::File(path)).and_then(|own| {
        let count = own.waiting_for(place)?;
        Ok((count > 0).then_some(own))
    });
    waiting.unwrap_or_else(|error| {
        output::warn(&format!("runs may wait to be sent to '{place}': {error}"));
        None
    })
}

/// Sends runs that could not be sent before; returns whether there were any.
fn send_waiting(place: &StoreLocation) -> bool {
    let Some(mut own) = own_for(place) else { return false };
    // A signal ends the process, which loses no run.
    let limit = Limit::of(place, Arc::default());
    let sent = send_all(place, &mut own, &limit, &mut |sent| tell_sent(&sent, place));
    if let Err(error) = sent {
        let waiting = own.waiting_for(place).unwrap_or(0);
        output::warn(&format!(
            "{} in '{}' cannot be sent yet: {error}",
            counted(waiting, "run"),
            own.place()
        ));
    }
    true
}

/// Sends all runs of `own` that are for `place`, and reports each.
fn send_all(
    place: &StoreLocation,
    own: &mut Store,
    limit: &Limit,
    tell: &mut dyn FnMut(Sent),
) -> Result<(), StoreError> {
    let mut server = Store::open_to_send(place, limit)?;
    loop {
        match own.send_one(&mut server) {
            Ok(Some(sent)) => tell(sent),
            Ok(None) => return Ok(()),
            Err(reason @ StoreError::Unfit { .. }) => {
                output::warn(&format!("a run stays in '{}': {reason}", own.place()));
            }
            Err(error) => return Err(error),
        }
    }
}

fn tell_sent(sent: &Sent, place: &StoreLocation) {
    let Sent { kept_as, number, .. } = sent;
    output::inform(&format!("run {kept_as} was sent, and is run {number} of '{place}'"));
}

/// Loads the run that `name` means, with raw samples if it has them: a run of the store by number
/// (`17`, `#17`), label, UUID, or `latest` (`latest~2`), or a JSON file written by cpb. A name with
/// a `/` or ending in `.json` is always a file.
pub(crate) fn load(argument: &StoreArgument, name: &str) -> Result<Run, CliError> {
    if is_path(name) {
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

/// Whether `name` means a file.
pub(crate) fn is_path(name: &str) -> bool {
    name.contains('/') || name.to_ascii_lowercase().ends_with(".json")
}

/// Returns the number of the run in `store` that `name` means.
pub(crate) fn find(store: &Store, name: &str) -> Result<i64, CliError> {
    match store.find(Name::parse(name))? {
        Some(number) => Ok(number),
        None => Err(unknown(store, name)?),
    }
}

/// Reads the run in the JSON file at `path`.
pub(crate) fn read(path: &Path) -> Result<Run, CliError> {
    let name = path.display();
    let mut file =
        input::open(path).map_err(|error| usage!("cannot read the run '{name}': {error}"))?;
    parse(&mut file).map_err(|reason| usage!("'{name}' is not a run: {reason}"))
}

/// Works like [`read`], but does not wait for input if the path is not a file, since the user may
/// have meant something else.
pub(crate) fn read_file(path: &Path) -> Result<Run, CliError> {
    let unreadable = |error| usage!("cannot read '{}': {error}", path.display());
    cpb_host::files::open(path).map_err(unreadable)?;
    read(path)
}

/// Reads the run from `text`, of which some may be buffered already; a pipe can be read only once.
pub(crate) fn read_from(path: &Path, text: BufReader<File>) -> Result<Run, CliError> {
    let name = path.display();
    let unreadable = |error: io::Error| usage!("cannot read the run '{name}': {error}");
    if input::check(path).map_err(unreadable)? == input::Kind::File {
        return read(path);
    }
    let mut all = input::piped(text).map_err(unreadable)?;
    parse(&mut all).map_err(|reason| usage!("'{name}' is not a run: {reason}"))
}

/// Returns where runs are saved.
pub(crate) fn place(argument: &StoreArgument) -> Result<StoreLocation, StoreError> {
    match &argument.store {
        Some(place) => Ok(place.clone()),
        None => Ok(StoreLocation::File(default_path()?)),
    }
}

/// Creates the error that no run is called `name`, with the nearest name and the latest run.
fn unknown(store: &Store, name: &str) -> Result<CliError, StoreError> {
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
    Ok(CliError::Usage(text))
}

fn parse(json: &mut Bounded<impl Read + Seek>) -> Result<Run, String> {
    /// The fields that every shape has.
    #[derive(Deserialize)]
    struct Shape {
        schema: u32,
    }
    cpb_model::impl_from_json!(Shape);
    let read: serde_json::Result<Run> = from_bounded(json);
    // Only a file that cannot be used is read again, to say what it is instead.
    if !read.as_ref().is_ok_and(|run| (1..=SCHEMA).contains(&run.schema)) {
        json.rewind().map_err(|error| error.to_string())?;
        let shape: Shape = from_bounded(json).map_err(|error| match error.is_io() {
            true => error.to_string(),
            false => format!("{error}; give JSON that cpb wrote"),
        })?;
        if !(1..=SCHEMA).contains(&shape.schema) {
            return Err(format!(
                "it is JSON of version {}, and this cpb reads versions 1 to {SCHEMA}; use the cpb that wrote it, or a newer one",
                shape.schema
            ));
        }
    }
    let run = read.map_err(|error| error.to_string())?;
    if !run.id.is_empty() && uuid::Uuid::parse_str(&run.id).is_err() {
        return Err(format!("its id '{}' is not a UUID", run.id));
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn other_files_and_other_shapes_are_told_as_such() {
        let parse = |text: &str| parse(&mut Bounded::new(Cursor::new(text.to_owned())));
        assert!(parse("x").unwrap_err().contains("JSON"));
        assert!(parse("{}").unwrap_err().contains("schema"));
        assert!(parse(r#"{"schema": 99}"#).unwrap_err().contains("version 99"));
    }
}
