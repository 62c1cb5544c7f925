//! Inserts the data of lists and histories.

use crate::database::{Database, Value, all, number, values};
use crate::document::{DESCRIPTION, RECORDS, unpack_of, whole};
use crate::machine::insert_state;
use crate::series::{figure, lane, path_and_commit, setup_key};
use crate::{Build, StoreError};
use cpb_model::{Estimator, Figure, LibraryBuild, Record, Run};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

/// The longest library version, and path, that histories show, in characters.
const LONGEST_VERSION: usize = 400;
const LONGEST_PATH: usize = 4096;

/// Inserts the list entry of `run`, and returns its number.
pub(crate) fn insert_run(database: &dyn Database, run: &Run, id: &str) -> Result<i64, StoreError> {
    let words = serde_json::Value::from(run.command.as_slice()).to_string();
    let failures = run.records.iter().filter(|record| record.failure.is_some()).count();
    let host = &run.host;
    let machine = [host.cpu.as_deref().unwrap_or(&host.architecture)]
        .into_iter()
        .chain(host.cpu_id.as_deref())
        .collect::<Vec<_>>()
        .join(" · ");
    let inserted = number(
        database,
        "INSERT INTO runs (id, started, seconds, version, revision, machine, clock, command,
                           records, failures, estimator)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING number",
        &values![
            id,
            i64::try_from(run.started).unwrap_or(i64::MAX),
            run.seconds,
            &run.version,
            run.revision.as_deref(),
            &machine,
            run.clock.as_ref().map(|clock| clock.name.as_str()),
            &words,
            run.records.len() as i64,
            failures as i64,
            estimator(run),
        ],
    )?;
    // RETURNING returns a row, or the statement fails.
    let number = inserted.unwrap_or_default();
    insert_state(database, number, host)?;
    Ok(number)
}

/// Returns the name of the estimator of all figures of `run`; `None` for the first one, also if
/// only some figures are of it.
pub(crate) fn estimator(run: &Run) -> Option<&'static str> {
    let mut of_records =
        run.records.iter().filter(|it| !it.points.is_empty()).map(|it| it.estimator);
    let first = of_records.next()?;
    (first != Estimator::default() && of_records.all(|it| it == first)).then(|| first.name())
}

/// Inserts the figure of each record of `run` into its series, with its build.
pub(crate) fn insert_figures(
    database: &dyn Database,
    run: &Run,
    number: i64,
) -> Result<(), StoreError> {
    let mut places = HashMap::new();
    for (place, library) in run.libraries.iter().enumerate() {
        places.entry(library.label.as_str()).or_insert(place);
    }
    let mut unnamed = run.libraries.len();
    let figures: Vec<Inserted<'_>> = run
        .records
        .iter()
        .enumerate()
        .filter_map(|(position, record)| {
            let (lengths, unit, figure) =
                figure(record).filter(|(_, _, figure)| figure.estimate.is_finite())?;
            // If the run does not describe the library, little is known of its build.
            let build = *places.entry(record.subject.library.as_str()).or_insert_with(|| {
                unnamed += 1;
                unnamed - 1
            });
            let workload = record.workload.to_string();
            let setup = setup_key(&record.setup);
            let library = lane(&record.subject.library);
            let key = (workload, setup, lengths);
            Some(Inserted { position, record, key, library, unit, build, figure })
        })
        .collect();
    let mut builds: BTreeMap<usize, Build> = BTreeMap::new();
    for it in &figures {
        let described = run.libraries.get(it.build);
        builds.entry(it.build).or_insert_with(|| build(&it.record.subject.library, described));
    }
    let builds: Vec<Vec<Value<'_>>> = builds
        .iter()
        .map(|(place, it)| {
            values![number, *place as i64, &it.version, &it.path, &it.digest, &it.revision].into()
        })
        .collect();
    database.execute(
        "INSERT INTO builds (run, number, version, path, digest, revision)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &builds,
    )?;
    // The first of a key determines the series' unit; each series is inserted once.
    let mut seen = BTreeSet::new();
    let series: Vec<Vec<Value<'_>>> = figures
        .iter()
        .filter(|it| seen.insert(it.key()))
        .map(|it| {
            let rest = values![&it.record.workload.primitive, it.unit];
            it.key().map(Value::Text).into_iter().chain(rest).collect()
        })
        .collect();
    database.execute(
        "INSERT INTO series (workload, setup, lengths, method, library, spelling, backend,
                             primitive, unit)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
        &series,
    )?;
    let rows: Vec<Vec<Value<'_>>> = figures.iter().map(|it| it.row(number)).collect();
    database.execute(
        "INSERT INTO figures (series, run, position, build, estimate, low, high)
         VALUES ((SELECT number FROM series
                  WHERE primitive = $1 AND workload = $2 AND setup = $3 AND lengths = $4
                    AND method = $5 AND library = $6 AND spelling = $7 AND backend = $8),
                 $9, $10, $11, $12, $13, $14)",
        &rows,
    )?;
    Ok(())
}

/// Inserts the figures of all runs of a store that has none yet, from their documents. Runs with a
/// damaged document are skipped.
pub(crate) fn fill_figures(database: &dyn Database) -> Result<(), StoreError> {
    let runs = all(database, "SELECT run FROM documents ORDER BY run", &[], |row| row.integer(0))?;
    for number in runs {
        let described: Option<Run> = readable(unpack_of(database, DESCRIPTION, number))?;
        let records = readable(unpack_of(database, RECORDS, number))?;
        if let (Some(described), Some(records)) = (described, records) {
            let run = whole(described, records);
            insert_figures(database, &run, number)?;
            // Recomputed figures are replaced by those of the document, until they are recomputed
            // again.
            let change = "UPDATE runs SET estimator = $1 WHERE number = $2";
            database.execute(change, &[values![estimator(&run), number].into()])?;
        }
    }
    Ok(())
}

/// Returns what was read; `None` if its bytes are damaged.
fn readable<T>(read: io::Result<T>) -> Result<Option<T>, StoreError> {
    match read.map_err(io::Error::downcast::<StoreError>) {
        Ok(read) => Ok(Some(read)),
        Err(Ok(fault)) => Err(fault),
        Err(Err(_)) => Ok(None),
    }
}

/// A figure to insert.
struct Inserted<'a> {
    position: usize,
    record: &'a Record,
    /// Workload, setup and lengths.
    key: (String, String, String),
    library: Cow<'a, str>,
    unit: &'static str,
    build: usize,
    figure: Figure,
}

impl Inserted<'_> {
    /// Returns the key by which its series is found.
    fn key(&self) -> [&str; 7] {
        let Self { key: (workload, setup, lengths), library, record, .. } = self;
        let (spelling, backend) = (&record.subject.spelling, &record.subject.backend);
        [workload, setup, lengths, record.method.name(), library, spelling, backend]
    }

    fn row(&self, run: i64) -> Vec<Value<'_>> {
        let Figure { estimate, interval, upper_bound } = self.figure;
        let rest = values![
            run,
            self.position as i64,
            self.build as i64,
            estimate,
            interval.map(|interval| interval.low),
            // An upper bound only has an upper end.
            interval.map(|interval| interval.high).or(upper_bound.then_some(estimate)),
        ];
        let primitive = [self.record.workload.primitive.as_str()];
        primitive.into_iter().chain(self.key()).map(Value::Text).chain(rest).collect()
    }
}

/// Returns the build that histories show for the library with this label.
fn build(label: &str, described: Option<&LibraryBuild>) -> Build {
    let (path, commit) = path_and_commit(label);
    let of = |text: fn(&LibraryBuild) -> Option<&str>| described.and_then(text);
    let path = path.or(of(|it| it.path.as_deref()));
    let revision = of(|it| it.commit.as_deref()).or(commit);
    let text =
        |text: Option<&str>, longest| beginning(text.unwrap_or_default(), longest).to_owned();
    Build {
        version: text(of(|it| Some(&it.version)), LONGEST_VERSION),
        path: text(path, LONGEST_PATH),
        digest: text(of(|it| it.digest.as_deref()), LONGEST_VERSION),
        revision: text(revision, LONGEST_VERSION),
    }
}

/// Returns at most the first `longest` characters of `text`.
fn beginning(text: &str, longest: usize) -> &str {
    text.char_indices().nth(longest).map_or(text, |(end, _)| &text[..end])
}
