//! Lists the pages, one file each.

mod changes;
mod compare;
mod events;
mod libraries;
mod library;
mod machine;
mod machines;
mod overview;
mod primitive;
mod primitives;
mod run;
mod runs;

use crate::markup::Html;
use crate::page_request::PageRequest;
use crate::survey::Findings;
use axum::http::StatusCode;
use cpb_store::{Machine, Mark, Name, State, Store, StoreError};
use std::borrow::Cow;

/// Every page.
pub(crate) const PAGES: &[Page] = &[
    overview::PAGE,
    changes::PAGE,
    runs::PAGE,
    run::PAGE,
    run::ROWS,
    compare::PAGE,
    compare::REPORT,
    primitives::PAGE,
    primitive::PAGE,
    libraries::PAGE,
    library::PAGE,
    machines::PAGE,
    machine::PAGE,
];

/// A page: its address, its parameters, and the function that makes it.
pub(crate) struct Page {
    /// The path, with `{name}` if the address names an object.
    pub(crate) path: &'static str,
    /// Its entry in the menu.
    pub(crate) menu: &'static str,
    /// The allowed parameters after `?`.
    pub(crate) parameters: &'static [&'static str],
    pub(crate) answer: fn(&Context<'_>) -> Result<Answer, Refusal>,
}

type MachineStates = (Machine, Vec<State>);

/// The input of the function that makes a page.
pub(crate) struct Context<'a> {
    pub(crate) store: &'a Store,
    pub(crate) asked: &'a PageRequest,
    /// The store's current state.
    pub(crate) mark: &'a Mark,
    pub(crate) findings: &'a Findings,
}

/// The content of a response.
pub(crate) enum Answer {
    /// A page of the dashboard.
    Page { title: String, main: Html },
    /// A complete page of a report.
    Report(String),
}

/// The reason why there is no page.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The request is invalid.
    Wrong(String),
    /// The requested object does not exist.
    Absent(String),
    /// The method is neither GET nor HEAD.
    Method(String),
    /// The request names another machine.
    Host(String),
    /// There are too many requests, or the response takes too long.
    Busy,
    /// The store failed.
    Store(StoreError),
    /// There is a bug in cpb.
    Broken,
}

impl Refusal {
    /// Returns the status, a title, and the explanation.
    pub(crate) fn response_parts(&self) -> (StatusCode, &'static str, String) {
        match self {
            Refusal::Wrong(reason) => (StatusCode::BAD_REQUEST, "Bad request", reason.clone()),
            Refusal::Absent(reason) => (StatusCode::NOT_FOUND, "Page not found", reason.clone()),
            Refusal::Method(method) => (
                StatusCode::METHOD_NOT_ALLOWED,
                "Read only",
                format!("{method} would change something; pages can only be read, by GET and HEAD"),
            ),
            Refusal::Host(host) => (
                StatusCode::MISDIRECTED_REQUEST,
                "Another machine",
                format!(
                    "this dashboard is asked for as localhost or 127.0.0.1, and not as '{host}'; \
                     cpb serve --host {host} allows that"
                ),
            ),
            Refusal::Busy => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Busy",
                "the answer takes too long, or too many ask at once; try again".to_owned(),
            ),
            Refusal::Store(error) => {
                (StatusCode::SERVICE_UNAVAILABLE, "No answer", error.to_string())
            }
            Refusal::Broken => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "A fault in cpb",
                "this page could not be made; please report its address".to_owned(),
            ),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        match error {
            // It was deleted after it was found.
            StoreError::NoRun { .. } => Refusal::Absent(error.to_string()),
            error => Refusal::Store(error),
        }
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Refusal::Wrong(reason)
    }
}

impl Context<'_> {
    /// Returns the machines with their states.
    fn machines(&self) -> Result<Cow<'_, [MachineStates]>, StoreError> {
        if self.findings.are_behind(self.mark) {
            return self.store.machines().map(Cow::Owned);
        }
        Ok(Cow::Borrowed(&self.findings.machines))
    }

    /// Returns the number of the run that `name` means.
    fn run(&self, name: &str) -> Result<i64, Refusal> {
        let number = self.store.find(Name::parse(name))?;
        number.ok_or_else(|| {
            let latest = match self.mark.newest {
                0 => "no runs are saved yet".to_owned(),
                newest => format!("the newest is run {newest}"),
            };
            Refusal::Absent(format!("there is no run '{name}'; {latest}"))
        })
    }
}
