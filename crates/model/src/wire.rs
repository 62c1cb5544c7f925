//! Reads and writes records and runs as JSON, and reads earlier shapes.

mod earlier;

use crate::sum::Sum;
use crate::{
    Certainty, ClockSummary, CodePath, Concurrent, Contract, Costs, Estimator, Failure, Host,
    LibraryBuild, Line, Method, Parameters, Point, Role, SCHEMA, Setup, Steal, Subject,
    Verification, Workload,
};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The JSON form of a [`crate::Record`], with fields of earlier shapes.
#[derive(Serialize, Deserialize)]
struct Record<'a> {
    /// Absent before version 3.
    workload: Option<Cow<'a, Workload>>,
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    setup: Cow<'a, Setup>,
    subject: Cow<'a, Subject>,
    /// Absent before version 3.
    lengths: Option<Cow<'a, [usize]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_bytes: Option<usize>,
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    sizes: Cow<'a, BTreeMap<Role, usize>>,
    contract: Contract,
    method: Method,
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    estimator: Estimator,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verification: Option<Cow<'a, Verification>>,
    points: Cow<'a, [Point]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<Cow<'a, Line>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    concurrent: Option<Cow<'a, Concurrent>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    no_dependence: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<Cow<'a, CodePath>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    costs: Option<Cow<'a, Costs>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    precise: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quiet: Option<Certainty>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Cow<'a, Failure>>,
}

/// Reconstructs the workload of a record without one from its first point. A record without points
/// gets the standard parameters, since nothing else is known.
fn earlier(record: &Record<'_>) -> Workload {
    let parameters = record.points.first().map_or_else(Parameters::default, |it| it.parameters);
    let output_bytes = record.output_bytes.or(parameters.output_bytes);
    let Subject { primitive, operation, .. } = &*record.subject;
    let parameters = Parameters { output_bytes, ..parameters };
    Workload::with(primitive, *operation, record.contract, &parameters)
}

impl<'de> Deserialize<'de> for crate::Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Record::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl TryFrom<Record<'_>> for crate::Record {
    type Error = String;

    fn try_from(mut record: Record<'_>) -> Result<Self, String> {
        let workload = match record.workload.take() {
            Some(workload) => workload.into_owned(),
            None => earlier(&record),
        };
        let Subject { primitive, operation, .. } = &*record.subject;
        let of_subject = (primitive, *operation, record.contract);
        if (&workload.primitive, workload.operation, workload.contract) != of_subject {
            let (operation, contract) = (operation.name(), record.contract.name());
            return Err(format!(
                "the workload of a record is {workload}, but it is of {primitive} {operation}, \
                 {contract}"
            ));
        }
        let lengths = match record.lengths {
            Some(lengths) => lengths.into_owned(),
            None => record.points.iter().map(|it| it.parameters.length()).collect(),
        };
        Ok(Self {
            workload,
            setup: record.setup.into_owned(),
            subject: record.subject.into_owned(),
            lengths,
            sizes: record.sizes.into_owned(),
            method: record.method,
            estimator: record.estimator,
            verification: record.verification.map(Cow::into_owned),
            points: record.points.into_owned(),
            line: record.line.map(Cow::into_owned),
            concurrent: record.concurrent.map(Cow::into_owned),
            no_dependence: record.no_dependence.map(Cow::into_owned),
            path: record.path.map(Cow::into_owned),
            costs: record.costs.map(Cow::into_owned),
            precise: record.precise,
            quiet: record.quiet,
            failure: record.failure.map(Cow::into_owned),
        })
    }
}

impl Serialize for crate::Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Record {
            workload: Some(Cow::Borrowed(&self.workload)),
            setup: Cow::Borrowed(&self.setup),
            subject: Cow::Borrowed(&self.subject),
            lengths: Some(Cow::Borrowed(&self.lengths)),
            output_bytes: self.output_bytes(),
            sizes: Cow::Borrowed(&self.sizes),
            contract: self.workload.contract,
            method: self.method,
            estimator: self.estimator,
            verification: self.verification.as_ref().map(Cow::Borrowed),
            points: Cow::Borrowed(&self.points),
            line: self.line.as_ref().map(Cow::Borrowed),
            concurrent: self.concurrent.as_ref().map(Cow::Borrowed),
            no_dependence: self.no_dependence.as_deref().map(Cow::Borrowed),
            path: self.path.as_ref().map(Cow::Borrowed),
            costs: self.costs.as_ref().map(Cow::Borrowed),
            precise: self.precise,
            quiet: self.quiet,
            failure: self.failure.as_ref().map(Cow::Borrowed),
        }
        .serialize(serializer)
    }
}

/// The JSON form of a [`crate::Run`], with the rows that versions before 4 kept beside its records.
#[derive(Deserialize)]
struct Run {
    schema: u32,
    #[serde(default)]
    id: String,
    version: String,
    revision: Option<String>,
    command: Vec<String>,
    #[serde(default)]
    seed: u64,
    started: u64,
    seconds: f64,
    precision: Option<f64>,
    host: Host,
    cpu: Option<usize>,
    #[serde(default)]
    cpus: Vec<usize>,
    steal: Option<Steal>,
    clock: Option<ClockSummary>,
    libraries: Vec<LibraryBuild>,
    records: Vec<crate::Record>,
    #[serde(default)]
    throughput: Vec<earlier::Throughput>,
    #[serde(default)]
    scaling: Vec<earlier::Scaling>,
    #[serde(default)]
    sums: Vec<Sum>,
    warnings: Vec<String>,
}

impl<'de> Deserialize<'de> for crate::Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Run::deserialize(deserializer).map(Self::from)
    }
}

impl From<Run> for crate::Run {
    fn from(run: Run) -> Self {
        let Run { schema, mut records, throughput, scaling, .. } = run;
        let has_earlier =
            (1..SCHEMA).contains(&schema) && !(throughput.is_empty() && scaling.is_empty());
        records.extend(throughput.into_iter().map(crate::Record::from));
        records.extend(scaling.into_iter().flat_map(earlier::Scaling::records));
        Self {
            schema: if has_earlier { SCHEMA } else { schema },
            id: run.id,
            version: run.version,
            revision: run.revision,
            command: run.command,
            seed: run.seed,
            started: run.started,
            seconds: run.seconds,
            precision: run.precision,
            host: run.host,
            cpu: run.cpu,
            cpus: run.cpus,
            steal: run.steal,
            clock: run.clock,
            libraries: run.libraries,
            records,
            sums: run.sums,
            warnings: run.warnings,
        }
    }
}
