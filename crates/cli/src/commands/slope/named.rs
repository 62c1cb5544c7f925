//! Interprets algorithms named on the command line of an old tool: which rows it measures for each,
//! in its order and as often as named.

use super::order;
use crate::arguments::unknown;
use crate::cli_error::CliError;
use crate::output;
use cpb_engine::{Row, selection};
use cpb_libraries::canonical_name;
use cpb_libraries::names::{self, has_normal_form, normal_form};
use cpb_model::{BenchSlopesRow, Offer, Record, Run, Subject};
use cpb_oldtools::slope::names::{as_library, has_mode, keeps_spelling};
use cpb_oldtools::slope::rows::RowLabel;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The rows to measure.
pub(super) struct Selected {
    pub(super) rows: Vec<Row>,
    /// How they are printed.
    pub(super) listing: Listing,
    /// Whether every algorithm is known.
    pub(super) all_known: bool,
}

/// Selects what the tool for `library` measures of `offers` for `algorithms`, each `row` once; the
/// listing repeats rows named several times. Unknown algorithms are reported, and do not stop
/// others.
pub(super) fn select(
    library: &str,
    group: Option<&str>,
    algorithms: &[String],
    offers: &[(String, &Offer)],
    row: impl Fn(&str, &Offer, Option<usize>) -> Row,
) -> Result<Selected, CliError> {
    let (mut rows, mut listing, mut faults) = (Vec::new(), Listing::default(), Vec::new());
    for word in algorithms {
        let meant = meant(library, word, offers);
        if meant.is_empty() {
            faults.push(unknown_algorithm(group, word, offers));
        }
        for Meant { label, offer, output_bytes, name } in meant {
            let row = row(&label, offer, output_bytes);
            listing.0.push((row.subject.clone(), row.parameters.output_bytes, name));
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    let all_known = faults.is_empty();
    let last = if rows.is_empty() { faults.pop() } else { None };
    faults.iter().for_each(|fault| output::complain(&fault.to_string()));
    last.map_or(Ok(Selected { rows, listing, all_known }), Err)
}

/// Creates the error for an unknown algorithm, with the nearest of the group; preferably one that
/// has a row.
fn unknown_algorithm(group: Option<&str>, word: &str, offers: &[(String, &Offer)]) -> CliError {
    let has_rows = offers.iter().any(|(_, offer)| offer.row.is_some());
    let known = offers.iter().filter(|(_, offer)| offer.row.is_some() == has_rows);
    let known: BTreeSet<&str> =
        known.map(|(_, offer)| RowLabel::of_offer(offer).algorithm).collect();
    let kind = group.map_or_else(String::new, |group| format!("{group} "));
    unknown(&format!("{kind}algorithm"), word, known)
}

/// An offer that an algorithm on the command line means.
struct Meant<'a> {
    label: String,
    offer: &'a Offer,
    /// The output length in its name.
    output_bytes: Option<usize>,
    /// The name of its row.
    name: BenchSlopesRow,
}

/// Returns the `offers` that `word` means for the tool for `library`: first those with bench-slopes
/// rows, otherwise others.
fn meant<'a>(library: &str, word: &str, offers: &[(String, &'a Offer)]) -> Vec<Meant<'a>> {
    let (name, output_bytes) = as_library(library, word);
    let (with_rows, others): (Vec<_>, Vec<_>) =
        offers.iter().partition(|(_, offer)| offer.row.is_some());
    let find = |offers: &[&(String, &'a Offer)], is_it: &dyn Fn(&Offer) -> bool| {
        let found = offers.iter().filter(|(_, offer)| is_it(offer));
        let found: Vec<(String, &'a Offer)> = found.map(|it| (*it).clone()).collect();
        (!found.is_empty()).then_some(found)
    };
    let (is_pattern, wanted) = (name.contains('*'), normal_form(&name));
    let is_called = |offer: &Offer| {
        !is_pattern && has_normal_form(RowLabel::of_offer(offer).algorithm, &wanted)
    };
    let canonical = canonical_name(&name);
    let is_cipher =
        |offer: &Offer| !is_pattern && names::without_mode(&offer.primitive).0 == canonical;
    let matches = |offer: &Offer| selection::matches_name(&name, offer);
    let (mut found, is_an_algorithm) = None
        .or_else(|| Some((find(&with_rows, &is_called)?, true)))
        .or_else(|| Some((find(&with_rows, &is_cipher)?, true)))
        .or_else(|| Some((find(&with_rows, &matches)?, false)))
        .or_else(|| Some((find(&others, &is_called)?, false)))
        .or_else(|| Some((find(&others, &matches)?, false)))
        .or_else(|| Some((find(&others, &|offer| is_of_family(library, &name, offer))?, true)))
        .unwrap_or_default();
    order::key_pairs(&mut found);
    let mut meant = Vec::new();
    for (label, offer) in found {
        let mut row = row_name(offer, is_an_algorithm);
        // Under the bare name ChaCha, Botan's tool also measures its derivatives.
        let is_bare = library == "botan" && is_an_algorithm && name == "ChaCha20";
        if is_bare && row.mode.starts_with("POLY1305") {
            continue;
        }
        let is_one = is_an_algorithm || row.mode.is_empty() && !is_pattern;
        if is_one && keeps_spelling(library, &row.group) {
            word.clone_into(&mut row.algorithm);
        }
        meant.push(Meant { label, offer, output_bytes, name: row });
    }
    meant
}

/// Whether an offer without a row is of the cipher `name`, with any key length, in a mode that the
/// tool for `library` has.
fn is_of_family(library: &str, name: &str, offer: &Offer) -> bool {
    let (cipher, mode) = names::without_mode(&offer.primitive);
    let family = cipher.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let wanted = names::known(name).map_or_else(|| normal_form(name), normal_form);
    has_mode(library, mode)
        && RowLabel::of_offer(offer).group == "cipher"
        && [cipher, family].into_iter().any(|it| has_normal_form(it, &wanted))
}

/// Returns the row name of an offer; a cipher's offer without one is named like those that have
/// one.
fn row_name(offer: &Offer, is_of_a_cipher: bool) -> BenchSlopesRow {
    let RowLabel { group, algorithm, mode } = RowLabel::of_offer(offer);
    let mut row = BenchSlopesRow {
        group: group.to_owned(),
        algorithm: algorithm.to_owned(),
        mode: mode.to_owned(),
    };
    if offer.row.is_none() && is_of_a_cipher {
        let (cipher, name) = names::without_mode(&offer.primitive);
        cipher.clone_into(&mut row.algorithm);
        row.mode = format!("{name} {mode}");
    }
    row
}

/// What is printed of a run: for each requested row, the measured one and its name.
#[derive(Default)]
pub(super) struct Listing(Vec<(Subject, Option<usize>, BenchSlopesRow)>);

impl Listing {
    /// Returns `run` in the requested form; unchanged if nothing is listed.
    pub(super) fn of<'a>(&self, run: &'a Run) -> Cow<'a, Run> {
        if self.0.is_empty() {
            return Cow::Borrowed(run);
        }
        let record = |(subject, output_bytes, row): &(Subject, Option<usize>, BenchSlopesRow)| {
            let is_it = |it: &&Record| it.subject == *subject && it.output_bytes() == *output_bytes;
            let mut record = run.records.iter().find(is_it)?.clone();
            record.subject.row = Some(row.clone());
            Some(record)
        };
        let records = self.0.iter().filter_map(record).collect();
        Cow::Owned(Run { records, ..run.without_records() })
    }
}
