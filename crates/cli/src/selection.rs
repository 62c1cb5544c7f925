//! What shall be measured, and with which parameters: from a command line or
//! from a suite.

use crate::cli_error::CliError;
use crate::lengths;
use crate::library_set::{self, LibrarySet};
use crate::output;
use cpb_engine::Row;
use cpb_engine::selection::Key;
use cpb_libraries::scheme;
use cpb_model::{
    Axis, Caches, Contract, LengthRange, Lengths, Offer, Operation, Parameters, Workload, standard,
};
use std::collections::BTreeSet;

/// The message lengths for which there is a figure where nobody asks for others.
pub(crate) const DEFAULT_SIZES: [usize; 3] = [64, 1024, 16_384];
/// The same of signatures: as long as a digest, which is what most of them sign.
const DEFAULT_SIGNED: [usize; 1] = [32];

/// What has a length, and that length where it is asked for.
type AskedLength = (&'static str, fn(&Parameters) -> Option<usize>);

/// The lengths that count for what lets one choose them.
const LENGTHS: [AskedLength; 4] = [
    ("associated data", |it| (it.aad_bytes != 0).then_some(it.aad_bytes)),
    ("a key", |it| it.key_bytes),
    ("a nonce", |it| it.nonce_bytes),
    ("an output", |it| it.output_bytes),
];

/// Some workloads, all with the same parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Selection {
    /// As on the command line; everything where there are none.
    pub(crate) selectors: Vec<String>,
    /// Of these, only what does one of these operations; any where there are
    /// none.
    pub(crate) operations: Vec<Operation>,
    /// Names of backends, `default` for each library's own choice; any where
    /// there are none.
    pub(crate) backends: Vec<String>,
    /// Message lengths in bytes; the usual ones where there are none.
    pub(crate) sizes: Vec<usize>,
    /// What one timed call does.
    pub(crate) contract: Contract,
    /// What calls are given besides the message.
    pub(crate) parameters: Parameters,
    /// Whether each of these lengths is asked of everything, as a key does; otherwise it counts
    /// for what takes one of free length.
    pub(crate) is_exact: bool,
    /// Whether to measure what takes long and varies, too.
    pub(crate) include_slow: bool,
    /// Labels of libraries of which it is told why something is missing: what was built
    /// for this run, and is not there.
    pub(crate) built: Vec<String>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            selectors: Vec::new(),
            operations: Vec::new(),
            backends: Vec::new(),
            sizes: Vec::new(),
            contract: Contract::Keyed,
            parameters: Parameters::default(),
            is_exact: false,
            include_slow: false,
            built: Vec::new(),
        }
    }
}

impl Selection {
    /// The rows of everything selected on `libraries`, each with its sizes and the
    /// lengths of its line.
    pub(crate) fn rows(&self, libraries: &LibrarySet) -> Result<Vec<Row>, CliError> {
        let selected = self.select(libraries)?;
        let rows = selected.iter().flat_map(|(label, offer)| {
            self.of_keys(offer).into_iter().map(move |asked| asked.row(label, offer))
        });
        Ok(rows.collect())
    }

    /// Refuses a length that was asked for and counts for none of the `rows`. A suite asks for it
    /// word by word, of which some have such lengths.
    pub(crate) fn check_lengths(&self, rows: &[Row]) -> Result<(), CliError> {
        for (what, of) in LENGTHS {
            let Some(bytes) = of(&self.parameters) else { continue };
            if !rows.is_empty() && !rows.iter().any(|row| of(&given(row)) == Some(bytes)) {
                let words = format!("nothing selected takes {what} of {bytes} bytes");
                return Err(CliError::Usage(words));
            }
        }
        Ok(())
    }

    /// The lengths that columns are for: those of keys, and the usual ones where a selector has
    /// none of its own.
    pub(crate) fn shown_sizes(&self) -> Vec<usize> {
        let mut shown: Vec<usize> = Vec::new();
        let mut has_usual = self.selectors.is_empty();
        for selector in &self.selectors {
            let lengths = Key::of(selector).map_or_else(Vec::new, |key| key.lengths);
            has_usual |= lengths.is_empty();
            shown.extend(lengths);
        }
        if has_usual {
            shown.extend(self.sizes());
        }
        shown
    }

    /// What each key among the selectors asks of `offer`; itself, where none names that.
    pub(crate) fn of_keys(&self, offer: &Offer) -> Vec<Self> {
        let keys = self.selectors.iter().filter_map(|it| Key::of(it)).filter(|it| it.is_of(offer));
        let asked = |Key { workload, lengths }: Key| Self {
            contract: workload.contract,
            parameters: workload.parameters_in(offer),
            is_exact: true,
            sizes: if lengths.is_empty() { self.sizes.clone() } else { lengths },
            ..self.clone()
        };
        let all: Vec<Self> = keys.map(asked).collect();
        if all.is_empty() { vec![self.clone()] } else { all }
    }

    /// Everything selected on `libraries`, with the labels of the libraries.
    pub(crate) fn select<'a>(
        &self,
        libraries: &'a LibrarySet,
    ) -> Result<Vec<(String, &'a Offer)>, CliError> {
        let offers: Vec<(String, &Offer)> = libraries.offers().collect();
        self.check_backends(libraries, &offers)?;
        let mut selected = library_set::select(libraries, &self.selectors, offers, "selector")?;
        selected.retain(|(label, offer)| self.wants(label, offer));
        if !self.include_slow {
            let slow: Vec<_> = selected.extract_if(.., |(_, offer)| is_slow(offer)).collect();
            self.say_what_is_left_out(&slow, selected.is_empty())?;
        }
        Ok(selected)
    }

    /// What takes long and varies was not asked for; whoever named it is told how to.
    fn say_what_is_left_out(
        &self,
        slow: &[(String, &Offer)],
        is_nothing_left: bool,
    ) -> Result<(), CliError> {
        if slow.is_empty() || self.selectors.is_empty() {
            return Ok(());
        }
        let names: BTreeSet<&str> = slow.iter().map(|(_, it)| it.primitive.as_str()).collect();
        let names = Vec::from_iter(names).join(", ");
        let operation = slow[0].1.operation.name();
        let text = format!(
            "{names} {operation} takes long and varies: run and compare measure it with \
             --include-slow"
        );
        if is_nothing_left {
            return Err(CliError::Usage(text));
        }
        output::inform(&text);
        Ok(())
    }

    /// The selectors that mean nothing of what the libraries to measure offer.
    pub(crate) fn unmatched_selectors<'a>(&'a self, libraries: &LibrarySet) -> Vec<&'a str> {
        let offers: Vec<(String, &Offer)> = libraries.offers().collect();
        let is_heard = |selector: &str| {
            offers.iter().any(|(label, offer)| library_set::means(selector, label, offer))
        };
        self.selectors.iter().map(String::as_str).filter(|it| !is_heard(it)).collect()
    }

    /// Why nothing is left of what was selected, where that is since the libraries to measure have
    /// none of it: which of the others do.
    pub(crate) fn elsewhere(&self, libraries: &LibrarySet) -> Option<String> {
        let unmatched_selectors = self.unmatched_selectors(libraries);
        let is_here = |offer: &Offer, label: &str| {
            unmatched_selectors.iter().any(|selector| library_set::means(selector, label, offer))
        };
        let others = libraries.all_offers();
        let others = others.iter().filter(|(label, offer)| is_here(offer, label));
        let others: BTreeSet<&str> = others.map(|(label, _)| label.as_str()).collect();
        let first = others.first()?;
        let more = match others.len() - 1 {
            0 => String::new(),
            1 => " and one more".to_owned(),
            more => format!(" and {more} more"),
        };
        let has = if more.is_empty() { "has" } else { "have" };
        Some(format!(
            "no library asked for has {}; {first}{more} here {has}: --library {first}",
            unmatched_selectors.join(", ")
        ))
    }

    /// A row for `offer` at `lengths`, without a line.
    pub(crate) fn row_at(&self, label: &str, offer: &Offer, lengths: Vec<usize>) -> Row {
        let Lengths { aad, key, nonce, .. } = offer.lengths;
        let counts = |length: LengthRange| self.is_exact || length.is_free();
        let asked = self.parameters;
        let default = default_output(offer);
        let parameters = Parameters {
            aad_bytes: if counts(aad) || offer.operation.takes_aad() { asked.aad_bytes } else { 0 },
            key_bytes: asked.key_bytes.filter(|_| counts(key)),
            nonce_bytes: asked.nonce_bytes.filter(|_| counts(nonce)),
            output_bytes: asked
                .output_bytes
                .filter(|_| self.is_exact || default.is_some())
                .or(default),
            ..asked
        };
        Row::new(label, offer, self.contract, parameters, lengths)
    }

    /// The message lengths for which there is a figure.
    pub(crate) fn sizes(&self) -> &[usize] {
        if self.sizes.is_empty() { &DEFAULT_SIZES } else { &self.sizes }
    }

    /// The sizes that `offer` can work on; for a derivation, its iterations.
    pub(crate) fn lengths(&self, offer: &Offer) -> Vec<usize> {
        if let Some(signed) = self.signed(offer) {
            return signed;
        }
        if offer.axis() != Axis::Bytes {
            let most = lengths::line(offer).and_then(|(_, lengths)| lengths.last().copied());
            return vec![most.unwrap_or(1)];
        }
        let fitting = self.sizes().iter().copied().filter(|&size| lengths::fits(offer, size));
        fitting.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The message lengths of what is signed or verified, which costs by the call; `None`
    /// for all else.
    pub(crate) fn signed(&self, offer: &Offer) -> Option<Vec<usize>> {
        let operation = offer.operation;
        let sizes = if self.sizes.is_empty() { &DEFAULT_SIGNED } else { &self.sizes[..] };
        let distinct = || sizes.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        (operation.is_public_key() && operation.takes_message()).then(distinct)
    }

    fn row(&self, label: &str, offer: &Offer) -> Row {
        if let Some(signed) = self.signed(offer) {
            return self.row_at(label, offer, signed);
        }
        // Each call stands alone where caches are empty: nothing grows along a line.
        let line = lengths::line(offer).filter(|_| self.parameters.caches == Caches::Warm);
        let shown = self.sizes().iter().copied().filter(|&size| lengths::fits(offer, size));
        let fitted = line.iter().flat_map(|(_, lengths)| lengths.iter().copied());
        let mut all: BTreeSet<usize> = shown.chain(fitted).collect();
        if all.is_empty() {
            all.insert(1);
        }
        Row { line, ..self.row_at(label, offer, all.into_iter().collect()) }
    }

    /// The backends asked for, by their own names.
    fn backends(&self) -> Vec<&str> {
        let canonical = |name| if name == "scalar" { "portable" } else { name };
        self.backends.iter().map(|name| canonical(name.as_str())).collect()
    }

    fn check_backends(
        &self,
        libraries: &LibrarySet,
        offers: &[(String, &Offer)],
    ) -> Result<(), CliError> {
        let known: BTreeSet<&str> =
            offers.iter().map(|(_, offer)| offer.backend.as_str()).chain(["default"]).collect();
        let unknown_name = self.backends().into_iter().find(|name| !known.contains(name));
        unknown_name.map_or(Ok(()), |name| Err(libraries.unknown("backend", name, known)))
    }

    /// Whether the offer's operation and backend were asked for. A backend that
    /// cannot run here is wanted only if it was asked for by name, to say why; a variant only
    /// by name, too.
    fn wants(&self, label: &str, offer: &Offer) -> bool {
        if !(self.operations.is_empty() || self.operations.contains(&offer.operation)) {
            return false;
        }
        let wanted = self.backends();
        let by_name = offer.backend != "default" && wanted.contains(&offer.backend.as_str());
        let as_default = wanted.contains(&"default") && offer.default_backend;
        // What a library lacks for reasons of its own was selected by name.
        let is_named = !self.selectors.is_empty() && offer.backend == "default";
        let says_why = is_named || self.built.iter().any(|built| built == label);
        let unasked = !offer.is_variant && wanted.is_empty();
        by_name || (unasked || as_default) && (offer.unavailable.is_none() || says_why)
    }
}

/// What the calls of `row` are given, with the lengths that are left out since they are standard.
fn given(row: &Row) -> Parameters {
    let standard = standard(&row.workload.primitive, row.workload.operation);
    let Parameters { key_bytes, nonce_bytes, .. } = row.parameters;
    Parameters {
        key_bytes: key_bytes.or(Some(standard.key)),
        nonce_bytes: nonce_bytes.or(Some(standard.nonce)),
        ..row.parameters
    }
}

/// Whether it is measured only where that is asked for: it takes long, and varies.
pub(crate) fn is_slow(offer: &Offer) -> bool {
    scheme::is_slow(&offer.primitive, offer.operation)
}

/// Puts what can be compared together, in the order in which the libraries first name it.
pub(crate) fn in_order(rows: &mut [Row]) {
    let mut order: Vec<Workload> = Vec::new();
    for row in &*rows {
        if !order.contains(&row.workload) {
            order.push(row.workload.clone());
        }
    }
    rows.sort_by_key(|row| order.iter().position(|known| *known == row.workload));
}

/// The output length where it is free and nobody asks.
pub(crate) fn default_output(offer: &Offer) -> Option<usize> {
    offer.lengths.output.filter(|output| output.is_free()).map(LengthRange::default_length)
}
