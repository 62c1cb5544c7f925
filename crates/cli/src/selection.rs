//! Selects what is measured, and with which parameters, from a command line or a suite.

use crate::cli_error::CliError;
use crate::library_set::{self, LibrarySet};
use crate::{lengths, output};
use cpb_engine::Row;
use cpb_engine::selection::Key;
use cpb_libraries::scheme;
use cpb_model::{
    Axis, Caches, Contract, LengthRange, Lengths, Offer, Operation, Parameters, Workload, standard,
};
use std::collections::BTreeSet;

/// The default message lengths.
pub(crate) const DEFAULT_SIZES: [usize; 3] = [64, 1024, 16_384];
/// The default length for signatures: that of a digest, which most of them sign.
const DEFAULT_SIGNED: [usize; 1] = [32];

/// The name of an input, and its requested length.
type AskedLength = (&'static str, fn(&Parameters) -> Option<usize>);

/// The requested lengths, which apply to inputs of free length.
const LENGTHS: [AskedLength; 4] = [
    ("associated data", |it| (it.aad_bytes != 0).then_some(it.aad_bytes)),
    ("a key", |it| it.key_bytes),
    ("a nonce", |it| it.nonce_bytes),
    ("an output", |it| it.output_bytes),
];

/// A selection of workloads with equal parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Selection {
    /// The selectors of the command line; if empty, everything.
    pub(crate) selectors: Vec<String>,
    /// Restricts them to these operations; if empty, any.
    pub(crate) operations: Vec<Operation>,
    /// Names of backends, with `default` for each library's own choice; if empty, any.
    pub(crate) backends: Vec<String>,
    /// Message lengths in bytes; if empty, the defaults.
    pub(crate) sizes: Vec<usize>,
    /// What one timed call includes.
    pub(crate) contract: Contract,
    /// The parameters of calls besides the message.
    pub(crate) parameters: Parameters,
    /// Whether each of these lengths must hold for everything, as in a key; otherwise they apply
    /// only to inputs of free length.
    pub(crate) is_exact: bool,
    /// Whether to include slow operations of varying duration.
    pub(crate) include_slow: bool,
    /// Labels of libraries built for this run, for which missing implementations are explained.
    pub(crate) built: Vec<String>,
}

impl Selection {
    /// Returns the selected rows of `libraries`, each with its sizes and the lengths of its line.
    pub(crate) fn rows(&self, libraries: &LibrarySet) -> Result<Vec<Row>, CliError> {
        let selected = self.select(libraries)?;
        let rows = selected.iter().flat_map(|(label, offer)| {
            self.of_keys(offer).into_iter().map(move |asked| asked.row(label, offer))
        });
        Ok(rows.collect())
    }

    /// Rejects a requested length that applies to none of the `rows`. Suites apply it to each
    /// selector, of which only some may have such inputs.
    pub(crate) fn check_lengths(&self, rows: &[Row]) -> Result<(), CliError> {
        for (what, of) in LENGTHS {
            let Some(bytes) = of(&self.parameters) else { continue };
            if !rows.is_empty() && !rows.iter().any(|row| of(&given(row)) == Some(bytes)) {
                return Err(usage!("nothing selected takes {what} of {bytes} bytes"));
            }
        }
        Ok(())
    }

    /// Returns the lengths that get columns: those of keys, and the defaults if a selector has none
    /// of its own.
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

    /// Returns the selection of each key among the selectors that means `offer`, or itself if none
    /// does.
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

    /// Returns the selected offers of `libraries`, with labels.
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

    /// Reports that slow operations were left out; to users who named one, also how to include it.
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

    /// Returns the selectors that match no offer of the libraries to measure.
    pub(crate) fn unmatched_selectors<'a>(&'a self, libraries: &LibrarySet) -> Vec<&'a str> {
        let offers: Vec<(String, &Offer)> = libraries.offers().collect();
        let is_heard = |selector: &str| {
            offers.iter().any(|(label, offer)| library_set::means(selector, label, offer))
        };
        self.selectors.iter().map(String::as_str).filter(|it| !is_heard(it)).collect()
    }

    /// Returns why nothing selected is left, if the libraries to measure lack it: which other
    /// libraries have it.
    pub(crate) fn elsewhere(&self, libraries: &LibrarySet) -> Option<String> {
        let unmatched_selectors = self.unmatched_selectors(libraries);
        let is_here = |offer: &Offer, label: &str| {
            unmatched_selectors.iter().any(|selector| library_set::means(selector, label, offer))
        };
        let others = libraries.all_offers().filter(|(label, offer)| is_here(offer, label));
        let others: BTreeSet<String> = others.map(|(label, _)| label).collect();
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

    /// Creates a row for `offer` at `lengths`, without a line.
    pub(crate) fn row_at(&self, label: &str, offer: &Offer, lengths: Vec<usize>) -> Row {
        let Lengths { aad, key, nonce, .. } = offer.lengths;
        let counts = |length: LengthRange| self.is_exact || length.is_free();
        let asked = self.parameters;
        let default = default_output(offer);
        let output = asked.output_bytes.filter(|_| self.is_exact || default.is_some());
        let parameters = Parameters {
            aad_bytes: if counts(aad) || offer.operation.takes_aad() { asked.aad_bytes } else { 0 },
            key_bytes: asked.key_bytes.filter(|_| counts(key)),
            nonce_bytes: asked.nonce_bytes.filter(|_| counts(nonce)),
            output_bytes: output.or(default),
            ..asked
        };
        Row::new(label, offer, self.contract, parameters, lengths)
    }

    /// Returns the message lengths that get figures.
    pub(crate) fn sizes(&self) -> &[usize] {
        if self.sizes.is_empty() { &DEFAULT_SIZES } else { &self.sizes }
    }

    /// Returns the sizes that `offer` accepts; for a derivation, its iterations.
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

    /// Returns the message lengths of signatures and verifications, which cost by the call; `None`
    /// for other operations.
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
        // Each call stands alone if caches are evicted, so there is no line.
        let line = lengths::line(offer).filter(|_| self.parameters.caches == Caches::Warm);
        let shown = self.sizes().iter().copied().filter(|&size| lengths::fits(offer, size));
        let fitted = line.iter().flat_map(|(_, lengths)| lengths.iter().copied());
        let mut all: BTreeSet<usize> = shown.chain(fitted).collect();
        if all.is_empty() {
            all.insert(1);
        }
        Row { line, ..self.row_at(label, offer, all.into_iter().collect()) }
    }

    /// Returns the requested backends by their own names.
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

    /// Whether the offer's operation and backend were requested. A backend that cannot run here,
    /// and a variant, must be requested by name; the former to explain why.
    fn wants(&self, label: &str, offer: &Offer) -> bool {
        if !(self.operations.is_empty() || self.operations.contains(&offer.operation)) {
            return false;
        }
        let wanted = self.backends();
        let by_name = offer.backend != "default" && wanted.contains(&offer.backend.as_str());
        let as_default = wanted.contains(&"default") && offer.default_backend;
        // An implementation that its library lacks for other reasons was selected by name.
        let is_named = !self.selectors.is_empty() && offer.backend == "default";
        let says_why = is_named || self.built.iter().any(|built| built == label);
        let unasked = !offer.is_variant && wanted.is_empty();
        by_name || (unasked || as_default) && (offer.unavailable.is_none() || says_why)
    }
}

/// Returns the parameters of a row's calls, including standard lengths.
fn given(row: &Row) -> Parameters {
    let standard = standard(&row.workload.primitive, row.workload.operation);
    let Parameters { key_bytes, nonce_bytes, .. } = row.parameters;
    Parameters {
        key_bytes: key_bytes.or(Some(standard.key)),
        nonce_bytes: nonce_bytes.or(Some(standard.nonce)),
        ..row.parameters
    }
}

/// Whether it is measured only on request, because it is slow and varies.
pub(crate) fn is_slow(offer: &Offer) -> bool {
    scheme::is_slow(&offer.primitive, offer.operation)
}

/// Puts comparable rows together, in order of first occurrence in the libraries.
pub(crate) fn in_order(rows: &mut [Row]) {
    let mut order: Vec<Workload> = Vec::new();
    for row in &*rows {
        if !order.contains(&row.workload) {
            order.push(row.workload.clone());
        }
    }
    rows.sort_by_key(|row| order.iter().position(|known| *known == row.workload));
}

/// Returns the default output length, if it is free.
pub(crate) fn default_output(offer: &Offer) -> Option<usize> {
    offer.lengths.output.filter(|output| output.is_free()).map(LengthRange::default_length)
}
