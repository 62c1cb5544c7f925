//! Reads suites: selections with parameters, in TOML.

use crate::arguments::{nearest, unknown};
use crate::cli_error::CliError;
use crate::concurrency::{self, OtherThreads};
use crate::distinct::distinct;
use crate::library_set::LibrarySet;
use crate::selection::{DEFAULT_SIZES, Selection};
use crate::{input, output};
use cpb_engine::{BackgroundLoad, Row};
use cpb_model::{Alignment, Contract, LARGEST_BYTES, Operation, Parameters, Sum};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// The built-in suites, by name.
pub(crate) const SUITES: [(&str, &str); 8] = [
    ("overview", include_str!("../../../suites/overview.toml")),
    ("tls", include_str!("../../../suites/tls.toml")),
    ("handshake", include_str!("../../../suites/handshake.toml")),
    ("wireguard", include_str!("../../../suites/wireguard.toml")),
    ("ssh", include_str!("../../../suites/ssh.toml")),
    ("pqc", include_str!("../../../suites/pqc.toml")),
    ("hashes", include_str!("../../../suites/hashes.toml")),
    ("server", include_str!("../../../suites/server.toml")),
];

/// Every field of a suite, to suggest the nearest.
const FIELDS: [&str; 15] = [
    "name",
    "about",
    "select",
    "what",
    "operations",
    "sizes",
    "aad",
    "contract",
    "backends",
    "output",
    "unaligned",
    "beside",
    "sum",
    "side",
    "parts",
];

/// Selections with a description.
#[derive(Debug)]
pub(crate) struct Suite {
    /// The name that the user gave.
    called: String,
    text: String,
    /// Whether it is one of [`SUITES`], which name more than any machine has.
    is_carried: bool,
    selections: Vec<Selected>,
    sums: Vec<Sum>,
}

/// A `[[select]]` section.
#[derive(Debug)]
struct Selected {
    selection: Selection,
    what: Vec<Spanned<String>>,
    /// What other threads do meanwhile, and where the file says so.
    beside: OtherThreads,
    beside_at: Range<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "about")]
    _about: String,
    select: Vec<Select>,
    #[serde(default)]
    sum: Vec<SumOfParts>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Select {
    #[serde(default, rename = "about")]
    _about: String,
    what: Vec<Spanned<String>>,
    #[serde(default)]
    operations: Vec<Spanned<String>>,
    #[serde(default)]
    sizes: Vec<Spanned<usize>>,
    aad: Option<Spanned<usize>>,
    key: Option<Spanned<usize>>,
    nonce: Option<Spanned<usize>>,
    contract: Option<Spanned<String>>,
    #[serde(default)]
    backends: Vec<String>,
    output: Option<Spanned<usize>>,
    #[serde(default)]
    unaligned: bool,
    beside: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SumOfParts {
    name: String,
    side: String,
    parts: Vec<Spanned<String>>,
}

impl Suite {
    /// Loads the suite that `name` means: a built-in one, or a file.
    pub(crate) fn load(name: &str) -> Result<Self, CliError> {
        if let Some((_, text)) = SUITES.iter().find(|(known, _)| *known == name) {
            return Self::parse(name, text, true);
        }
        let is_file = name.contains(['/', '.']) || std::path::Path::new(name).exists();
        if !is_file {
            let fault = unknown("suite", name, SUITES.map(|(known, _)| known)).to_string();
            return Err(usage!("{fault} A suite of your own: a file, as ./my.toml"));
        }
        let text = input::text(std::path::Path::new(name))
            .map_err(|error| usage!("cannot read the suite '{name}': {error}"))?;
        Self::parse(name, &text, false)
    }

    fn parse(called: &str, text: &str, is_carried: bool) -> Result<Self, CliError> {
        let mut suite = Self {
            called: called.to_owned(),
            text: text.to_owned(),
            is_carried,
            selections: Vec::new(),
            sums: Vec::new(),
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let word = text.get(span.clone()).unwrap_or_default();
            let is_unknown = error.message().starts_with("unknown field");
            let near = is_unknown.then(|| nearest(word, &FIELDS)).flatten();
            let hint = near.map(|nearest| format!(". Did you mean '{nearest}'?"));
            suite.wrong(&span, &format!("{}{}", error.message(), hint.unwrap_or_default()))
        })?;
        if file.select.is_empty() {
            let words = "it selects nothing; add a [[select]] with what = […]";
            return Err(suite.wrong(&(0..0), words));
        }
        for select in file.select {
            let selection = suite.selection(&select)?;
            let beside_at = select.beside.as_ref().map(Spanned::span).unwrap_or_default();
            let beside = select.beside.as_ref().map(|it| OtherThreads::parse(it.get_ref()));
            let beside = beside.unwrap_or(Ok(OtherThreads::Same));
            let beside = beside.map_err(|reason| suite.wrong(&beside_at, &reason))?;
            suite.selections.push(Selected { selection, what: select.what, beside, beside_at });
        }
        suite.sums = file.sum.iter().map(|sum| suite.sum(sum)).collect::<Result<_, _>>()?;
        Ok(suite)
    }

    /// Returns the selected rows of `libraries`, each once.
    pub(crate) fn rows(&self, libraries: &LibrarySet) -> Result<Vec<Row>, CliError> {
        self.each(|alone, _| alone.rows(libraries))
    }

    /// Returns a row for each length, with its background load.
    pub(crate) fn concurrent_rows(
        &self,
        libraries: &LibrarySet,
    ) -> Result<Vec<(Row, BackgroundLoad)>, CliError> {
        if !self.is_carried {
            for Selected { beside, beside_at, .. } in &self.selections {
                let checked = beside.check(libraries);
                checked.map_err(|fault| self.wrong(beside_at, &fault.to_string()))?;
            }
        }
        let rows = self.each(|alone, beside| {
            beside.with(concurrency::rows(alone, &DEFAULT_SIZES, libraries)?, libraries)
        })?;
        concurrency::check_any(&rows)?;
        Ok(rows)
    }

    /// Whether any row has another background load than its own calls.
    pub(crate) fn is_mixed(&self) -> bool {
        self.selections.iter().any(|selected| selected.beside != OtherThreads::Same)
    }

    /// Returns what `of` finds for every selector of every selection, each once.
    fn each<T: PartialEq>(
        &self,
        of: impl Fn(&Selection, &OtherThreads) -> Result<Vec<T>, CliError>,
    ) -> Result<Vec<T>, CliError> {
        let mut rows: Vec<T> = Vec::new();
        let mut absent = Vec::new();
        for Selected { selection, what, beside, .. } in &self.selections {
            for word in what {
                let alone =
                    Selection { selectors: vec![word.get_ref().clone()], ..selection.clone() };
                match of(&alone, beside) {
                    Ok(found) => rows.extend(found),
                    // Not the suite's fault: the libraries could not be opened.
                    Err(fault @ CliError::NotMeasured(_)) if !self.is_carried => return Err(fault),
                    Err(_) if self.is_carried => {
                        let word = word.get_ref().as_str();
                        if !absent.contains(&word) {
                            absent.push(word);
                        }
                    }
                    Err(fault) => return Err(self.wrong(&word.span(), &fault.to_string())),
                }
            }
        }
        if !absent.is_empty() {
            output::inform(&format!("no library here has: {}", absent.join(", ")));
        }
        Ok(distinct(rows))
    }

    /// Returns the message lengths that get figures.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.selections.iter().flat_map(|it| it.selection.sizes().to_vec()).collect()
    }

    /// Returns its sums.
    pub(crate) fn sums(&self) -> &[Sum] {
        &self.sums
    }

    /// Creates a sum of operations that this suite selects.
    fn sum(&self, of_parts: &SumOfParts) -> Result<Sum, CliError> {
        let SumOfParts { name, side, parts } = of_parts;
        let mut sum = Sum { name: name.clone(), side: side.clone(), parts: Vec::new() };
        for part in parts {
            let words = part.get_ref().split_once(' ').and_then(|(primitive, operation)| {
                Some((primitive, Operation::of_name(operation)?))
            });
            let Some((primitive, operation)) = words else {
                let words = "a part is a primitive and an operation, as \"x25519 agree\"";
                return Err(self.wrong(&part.span(), words));
            };
            if !self.selects(primitive, operation) {
                let words = format!("no [[select]] has {primitive} {}", operation.name());
                return Err(self.wrong(&part.span(), &words));
            }
            sum.add(primitive, operation);
        }
        Ok(sum)
    }

    /// Whether it names this primitive, or a pattern that may match it, for the operation.
    fn selects(&self, primitive: &str, operation: Operation) -> bool {
        self.selections.iter().any(|Selected { selection, what, .. }| {
            let operations = &selection.operations;
            (operations.is_empty() || operations.contains(&operation))
                && what.iter().any(|it| it.get_ref() == primitive || it.get_ref().contains('*'))
        })
    }

    fn selection(&self, select: &Select) -> Result<Selection, CliError> {
        if select.what.is_empty() {
            return Err(self.wrong(&(0..0), "a [[select]] has an empty what; \"*\" is everything"));
        }
        let operations = select.operations.iter().map(|word| {
            let operation = Operation::of_name(word.get_ref());
            let known = Operation::ALL.map(Operation::name);
            operation.ok_or_else(|| self.unknown("operation", word, &known))
        });
        let contract = select.contract.as_ref().map(|word| {
            let contract = Contract::of_name(word.get_ref());
            let known = Contract::ALL.map(Contract::name);
            contract.ok_or_else(|| self.unknown("contract", word, &known))
        });
        let lengths = select.sizes.iter().chain(&select.output).chain(&select.key);
        let lengths = lengths.chain(&select.nonce).map(|it| (1, it));
        for (least, number) in lengths.chain(select.aad.iter().map(|it| (0, it))) {
            if !(least..=LARGEST_BYTES).contains(number.get_ref()) {
                let words =
                    format!("a length is a number of bytes from {least} to {LARGEST_BYTES}");
                return Err(self.wrong(&number.span(), &words));
            }
        }
        Ok(Selection {
            selectors: select.what.iter().map(|word| word.get_ref().clone()).collect(),
            operations: operations.collect::<Result<_, _>>()?,
            backends: select.backends.clone(),
            sizes: select.sizes.iter().map(|size| *size.get_ref()).collect(),
            contract: contract.transpose()?.unwrap_or(Contract::Keyed),
            parameters: Parameters {
                aad_bytes: select.aad.as_ref().map_or(0, |aad| *aad.get_ref()),
                key_bytes: select.key.as_ref().map(|bytes| *bytes.get_ref()),
                nonce_bytes: select.nonce.as_ref().map(|bytes| *bytes.get_ref()),
                output_bytes: select.output.as_ref().map(|bytes| *bytes.get_ref()),
                alignment: if select.unaligned { Alignment::Unaligned } else { Alignment::Page },
                ..Parameters::default()
            },
            ..Selection::default()
        })
    }

    fn unknown(&self, kind: &str, word: &Spanned<String>, known: &[&str]) -> CliError {
        let fault = unknown(kind, word.get_ref(), known.iter().copied());
        self.wrong(&word.span(), &fault.to_string())
    }

    /// Creates the error that says what is wrong, and where.
    fn wrong(&self, span: &Range<usize>, what: &str) -> CliError {
        let before = self.text.get(..span.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        usage!("suite '{}', line {line}, column {column}: {what}", self.called)
    }
}

#[cfg(test)]
mod tests;
