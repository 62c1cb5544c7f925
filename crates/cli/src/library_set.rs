//! Opens the libraries of an invocation, and lists their offers.

use crate::arguments::{nearest, unknown};
use crate::cli_error::CliError;
use crate::distinct::distinct;
use crate::output;
use cpb_engine::{
    Found, LibrarySpec, SpecError, discover, has_cross_checks, installed_libraries, names,
    selection,
};
use cpb_libraries::{families, rare};
use cpb_model::{FailureKind, Offer};
use cpb_report::number::counted;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::time::Duration;

/// The most members of a family that are named.
const SEVERAL: usize = 9;

/// Libraries to measure, each looked for in a process of its own.
pub(crate) struct LibrarySet {
    found: Vec<Found>,
    /// The labels that the user named; all are measured if none was named.
    named: Vec<String>,
    others: Others,
    /// Reports about selected things that no library here has.
    missing: RefCell<BTreeSet<String>>,
}

/// Installed libraries that nobody named. They check results, and are looked for only if something
/// depends on them.
struct Others {
    specs: Vec<LibrarySpec>,
    found: OnceCell<Vec<Found>>,
    timeout: Duration,
    max_time: Option<Duration>,
}

impl LibrarySet {
    /// Looks for the libraries in `named`, whose results the installed ones check; for all, if none
    /// is named.
    pub(crate) fn discover(
        named: &[LibrarySpec],
        timeout: Duration,
        max_time: Option<Duration>,
    ) -> Self {
        if named.is_empty() {
            return Self::all(timeout, max_time);
        }
        let set = Self::of(named, timeout, max_time);
        let mut specs = if has_cross_checks() { installed_libraries() } else { Vec::new() };
        specs.retain(|spec| !named.contains(spec));
        Self { others: Others { specs, ..set.others }, ..set }
    }

    /// Looks only for the libraries in `named`.
    pub(crate) fn discover_only(named: &[LibrarySpec], timeout: Duration) -> Self {
        Self::of(named, timeout, None)
    }

    /// Looks only for the libraries in `named`; for all, if none is named.
    pub(crate) fn discover_named(named: &[LibrarySpec], timeout: Duration) -> Self {
        match named {
            [] => Self::all(timeout, None),
            named => Self::of(named, timeout, None),
        }
    }

    fn all(timeout: Duration, max_time: Option<Duration>) -> Self {
        Self { named: Vec::new(), ..Self::of(&installed_libraries(), timeout, max_time) }
    }

    fn of(named: &[LibrarySpec], timeout: Duration, max_time: Option<Duration>) -> Self {
        let specs = distinct(named.iter().cloned());
        Self {
            found: discover(&specs, timeout, max_time),
            named: distinct(named.iter().map(LibrarySpec::label)),
            others: Others { specs: Vec::new(), found: OnceCell::new(), timeout, max_time },
            missing: RefCell::default(),
        }
    }

    /// Whether some of what was selected is in no library here, while other things are.
    pub(crate) fn lacks(&self) -> bool {
        !self.missing.borrow().is_empty()
    }

    /// Looks for another library to measure.
    pub(crate) fn add(
        &mut self,
        spec: &LibrarySpec,
        timeout: Duration,
        max_time: Option<Duration>,
    ) {
        self.found.extend(discover(std::slice::from_ref(spec), timeout, max_time));
    }

    pub(crate) fn found(&self) -> &[Found] {
        &self.found
    }

    /// Returns the library that the one labelled `label` is a build of.
    pub(crate) fn name(&self, label: &str) -> Option<&str> {
        let found = self.found.iter().find(|found| found.spec.label() == label);
        found.map(|found| found.spec.library())
    }

    /// Returns the libraries that check results.
    pub(crate) fn others(&self) -> &[LibrarySpec] {
        &self.others.specs
    }

    /// Looks for the libraries that check results.
    fn found_others(&self) -> &[Found] {
        let Others { specs, found, timeout, max_time } = &self.others;
        found.get_or_init(|| discover(specs, *timeout, *max_time))
    }

    /// Returns every usable library to measure.
    pub(crate) fn usable(&self) -> Vec<LibrarySpec> {
        self.found.iter().filter(|f| f.contents.is_ok()).map(|f| f.spec.clone()).collect()
    }

    /// Iterates over the offers of the libraries to measure, with their labels.
    pub(crate) fn offers(&self) -> impl Iterator<Item = (String, &Offer)> {
        offers_of(&self.found)
    }

    /// Iterates over the offers of every library, measured or not, with their labels.
    pub(crate) fn all_offers(&self) -> impl Iterator<Item = (String, &Offer)> {
        let others = std::iter::once_with(|| offers_of(self.found_others()));
        self.offers().chain(others.flatten())
    }

    /// Reports missing libraries: an error for each that was named; if none was, a line for each
    /// that failed, and one for all that are not installed. Returns whether all named ones are
    /// there.
    pub(crate) fn report_missing(&self) -> bool {
        let missing = self.found.iter().filter_map(|found| {
            let failure = found.contents.as_ref().err()?;
            Some((found.spec.label(), failure))
        });
        let (named, others): (Vec<_>, Vec<_>) =
            missing.partition(|(label, _)| self.named.contains(label));
        for (label, failure) in &named {
            output::complain(&format!("{label}: {}", failure.reason));
        }
        if !self.named.is_empty() {
            return named.is_empty();
        }
        let (absent, failed): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(_, failure)| failure.kind == FailureKind::Unavailable);
        for (label, failure) in &failed {
            output::inform(&format!("without {label}: {}", failure.reason));
        }
        match &absent[..] {
            [] => {}
            [(label, failure)] => output::inform(&format!("without {label}: {}", failure.reason)),
            [first @ .., (last, _)] => {
                let first: Vec<&str> = first.iter().map(|(label, _)| label.as_str()).collect();
                let labels = format!("{} and {last}", first.join(", "));
                output::inform(&format!("without {labels}; cpb list --libraries says why"));
            }
        }
        true
    }

    /// Creates the error that no library has a `kind` called `name`; or, if a library could not be
    /// opened that may have it, reports only that.
    pub(crate) fn unknown<'a>(
        &self,
        kind: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> CliError {
        let is_dark = |found: &Found| {
            let named = self.named.contains(&found.spec.label());
            let failure = found.contents.as_ref().err();
            // A library that is not installed is no candidate.
            failure.is_some_and(|failure| named || failure.kind != FailureKind::Unavailable)
        };
        if names().iter().any(|library| library.eq_ignore_ascii_case(name)) {
            let library = name.to_ascii_lowercase();
            return usage!("'{name}' is a library, not a {kind}: --library {library}?");
        }
        if self.found.iter().chain(self.found_others()).any(is_dark) {
            return not_measured!("no library that could be opened has '{name}'");
        }
        unknown(kind, name, known)
    }
}

fn offers_of<'a>(
    found: impl IntoIterator<Item = &'a Found>,
) -> impl Iterator<Item = (String, &'a Offer)> {
    found.into_iter().flat_map(|found| {
        let offers = found.contents.iter().flat_map(|(_, offers)| offers);
        offers.map(|offer| (found.spec.label(), offer))
    })
}

/// Parses a library specification.
pub(crate) fn specification(text: &str) -> Result<LibrarySpec, String> {
    text.parse().map_err(no_library)
}

/// Says why a text is no library specification, and how a library of one's own is named.
pub(crate) fn no_library(error: SpecError) -> String {
    match error {
        SpecError::Unknown(name) => {
            format!("{} A library of your own: NAME=PATH, or ./FILE.so", unknown_library(&name))
        }
        other => other.to_string(),
    }
}

/// Creates the error that there is no library called `name`.
pub(crate) fn unknown_library(name: &str) -> CliError {
    unknown("library", name, names().iter().map(String::as_str))
}

/// Returns the offers that `selectors` mean, in the order of `offers`; all without selectors.
/// Operations besides names apply to what is named. A selector that only matches another library of
/// `libraries` is valid, and selects nothing here.
pub(crate) fn select<'a>(
    libraries: &LibrarySet,
    selectors: &[String],
    offers: Vec<(String, &'a Offer)>,
    kind: &str,
) -> Result<Vec<(String, &'a Offer)>, CliError> {
    let mut missing = Vec::new();
    for selector in selectors {
        let is_here = offers.iter().any(|(label, offer)| means(selector, label, offer));
        let is_there =
            || libraries.all_offers().any(|(label, offer)| means(selector, &label, offer));
        if !is_here && !is_there() {
            let words = selection::vocabulary(offers.iter().map(|(_, offer)| *offer));
            let key = selection::Key::parse(selector);
            if let (true, Err(wrong)) = (selector.contains('/'), key) {
                return Err(CliError::Usage(wrong));
            }
            match family(selector, &offers) {
                Some(members) => return Err(members),
                None if selection::may_be_absent(selector) => {
                    missing.push(absent(selector, libraries.all_offers()));
                }
                None => {
                    let words = words.iter().map(String::as_str);
                    return Err(libraries.unknown(kind, selector, words));
                }
            }
        }
    }
    // A missing primitive only affects itself, if others are found.
    if missing.len() == selectors.len()
        && let Some(first) = missing.pop()
    {
        return Err(first);
    }
    for words in missing.iter().map(CliError::to_string) {
        // Both sides of a comparison make a selection, and would report the same twice.
        if libraries.missing.borrow_mut().insert(words.clone()) {
            output::complain(&words);
        }
    }
    selectors.iter().filter_map(|it| Some((it, families::find(it)?))).for_each(|(name, family)| {
        let is_member = |offer: &Offer| family.contain(&offer.primitive);
        let members = offers.iter().filter(|(_, offer)| is_member(offer));
        let members: BTreeSet<&str> = members.map(|(_, it)| it.primitive.as_str()).collect();
        // Reported if nothing is left, or for each missing one.
        if !members.is_empty() {
            output::inform(&format!("{name}: {}", counted(members.len(), "primitive")));
        }
    });
    let mut selected = offers;
    selected.retain(|(label, offer)| match selectors {
        [] => label != "selftest",
        _ => selection::together(selectors, |selector| means(selector, label, offer)),
    });
    Ok(selected)
}

/// Returns an error for a `selector` that is the beginning of several primitives: which, and how to
/// select all.
fn family(selector: &str, offers: &[(String, &Offer)]) -> Option<CliError> {
    let beginning = format!("{}-", selector.to_ascii_lowercase());
    let names = offers.iter().map(|(_, offer)| offer.primitive.as_str());
    let members: BTreeSet<&str> = names.filter(|name| name.starts_with(&beginning)).collect();
    let first = members.iter().copied().take(SEVERAL).collect::<Vec<_>>().join(", ");
    let more = match members.len().saturating_sub(SEVERAL) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!members.is_empty()).then(|| {
        usage!("'{selector}' alone is not a primitive; '{beginning}*' selects {first}{more}")
    })
}

/// Creates the error that no library here has what `selector` means: which library would, if known,
/// or what has a similar name here.
fn absent<'a>(selector: &str, offers: impl Iterator<Item = (String, &'a Offer)>) -> CliError {
    let names: Vec<&str> = offers.map(|(_, offer)| offer.primitive.as_str()).collect();
    let key = selection::Key::of(selector);
    let name = key.as_ref().map_or(selector, |key| &key.workload.primitive);
    let near = || nearest(&name.to_ascii_lowercase(), &names);
    let holders: Vec<String> = rare::who_has(name).iter().map(holder).collect();
    let more = match &holders[..] {
        [] => near().map(|near| format!("; the nearest is '{near}'")).unwrap_or_default(),
        [only] => format!("; {only} has it: cpb list {name} says how to get it"),
        [all @ .., last] => {
            format!("; {} and {last} have it: cpb list {name} says how to get them", all.join(", "))
        }
    };
    not_measured!("no library here has '{selector}'{more}")
}

/// Formats a library with its first version: `openssl 3.5`.
fn holder(holder: &rare::Holder) -> String {
    let since = if holder.since.is_empty() { "" } else { " from " };
    format!("{}{since}{}", holder.library, holder.since)
}

/// Whether `selector` means `offer`. The self-test is found only by name, never by `*` or an
/// operation.
pub(crate) fn means(selector: &str, label: &str, offer: &Offer) -> bool {
    if label == "selftest" {
        !selector.starts_with('*') && selection::matches_name(selector, offer)
    } else {
        selection::matches(selector, offer)
    }
}
