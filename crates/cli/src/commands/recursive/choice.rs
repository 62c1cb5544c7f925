//! Interprets the options of `cpb recursive`.

use crate::arguments::{unknown, up_to};
use crate::cli_error::CliError;
use crate::distinct::distinct;
use cpb_engine::recursive::Setting;
use cpb_kernels::recursive_sha256::{Backend, Form};
use cpb_kernels::{Backend as _, Unavailable};
use std::collections::BTreeSet;
use std::path::PathBuf;

const MOST_ITERATIONS: u64 = 1_000_000_000_000_000;
const MOST_THREADS: usize = 4096;
const MOST_LANES: usize = 4096;
const MOST_REPETITIONS: u32 = 1000;
/// The lanes of the recursive SHA-256 benchmark.
const OLD_LANES: std::ops::RangeInclusive<usize> = 1..=4;

/// An entry of `--lanes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Every width that some loop here has.
    Auto,
    /// Every loop of every backend.
    All,
    /// This number.
    Count(usize),
}

/// Returns the rows chosen by `--lanes` and `--backend`, each once.
pub(super) fn settings(lanes: &[Lanes], backends: &[Backend]) -> Vec<Setting> {
    let lanes = if lanes.is_empty() { &[Lanes::Auto] } else { lanes };
    let forms = || Form::all().into_iter().map(|form| Setting::form(form, 1));
    let widths = || {
        let widths: BTreeSet<usize> = Form::all().into_iter().map(Form::lanes).collect();
        widths.into_iter().map(|width| Setting::scheduled(width, 1))
    };
    let forms_of = |backend: Backend| {
        backend.widths().iter().map(move |&width| Setting::backend(backend, width, 1))
    };
    distinct(lanes.iter().flat_map(|lanes| -> Vec<Setting> {
        match *lanes {
            Lanes::Auto if backends.is_empty() => widths().collect(),
            Lanes::All if backends.is_empty() => forms().collect(),
            Lanes::Auto | Lanes::All => backends.iter().copied().flat_map(forms_of).collect(),
            Lanes::Count(count) if backends.is_empty() => vec![Setting::scheduled(count, 1)],
            Lanes::Count(count) => {
                backends.iter().map(|&backend| Setting::backend(backend, count, 1)).collect()
            }
        }
    }))
}

/// Returns the rows of the recursive SHA-256 benchmark, with SHA instructions if available.
pub(super) fn as_benchmark_mt() -> Vec<Setting> {
    let instructions = ["shani", "armv8-sha2"];
    let backend = instructions.into_iter().find_map(|name| Backend::by_name(name).ok());
    let setting = |lanes| match backend {
        Some(backend) => Setting::backend(backend, lanes, 1),
        None => Setting::scheduled(lanes, 1),
    };
    OLD_LANES.map(setting).collect()
}

pub(crate) fn backends(names: &[String]) -> Result<Vec<Backend>, CliError> {
    let known = Backend::NAMES.iter().copied();
    let by_name = |name: &String| {
        Backend::by_name(name).map_err(|reason| match reason {
            Unavailable::Unknown { .. } => unknown("backend", name, known.clone()),
            missing => not_measured!("{missing}"),
        })
    };
    names.iter().map(by_name).collect()
}

/// Returns 1, 2, 4 and so on, and `most`.
pub(crate) fn thread_counts(most: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1), |count| Some(count * 2));
    doubled.take_while(|&count| count < most).chain([most]).collect()
}

pub(super) fn lanes(text: &str) -> Result<Lanes, String> {
    match text.to_ascii_lowercase().as_str() {
        "auto" => Ok(Lanes::Auto),
        "all" => Ok(Lanes::All),
        number => {
            let count = number.parse().ok().filter(|count| (1..=MOST_LANES).contains(count));
            count.map(Lanes::Count).ok_or_else(|| {
                format!(
                    "lanes are a whole number from 1 to {MOST_LANES}, or auto, or all, not '{text}'"
                )
            })
        }
    }
}

/// Parses a number of iterations: `10M`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let upper = text.to_ascii_uppercase();
    let units = [('K', 1_000), ('M', 1_000_000), ('G', 1_000_000_000)];
    let of_unit = |(letter, unit)| Some((upper.strip_suffix::<char>(letter)?, unit));
    let (digits, unit) = units.into_iter().find_map(of_unit).unwrap_or((&upper, 1));
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| digits.parse::<u64>().ok()?.checked_mul(unit)).flatten();
    match number {
        Some(0) => Err("0 iterations measure nothing; give 1 or more".to_owned()),
        Some(number) if number <= MOST_ITERATIONS => Ok(number),
        _ => Err(format!(
            "a number of iterations is a whole number from 1 to 1000000G, as 10M, 500K or 1234 \
             (K, M, G: 10³, 10⁶, 10⁹), not '{text}'"
        )),
    }
}

pub(crate) fn threads(text: &str) -> Result<usize, String> {
    up_to(MOST_THREADS, text, "the number of threads")
}

pub(super) fn repetitions(text: &str) -> Result<u32, String> {
    up_to(MOST_REPETITIONS, text, "the number of repetitions")
}

pub(super) fn svg(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_svg = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
    if is_svg { Ok(path) } else { Err(format!("a chart's name ends in .svg; '{text}' does not")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_units_of_a_thousand() {
        let million = 1_000_000;
        for (text, number) in [("1", 1), ("12K", 12_000), ("10M", 10 * million)] {
            assert_eq!(count(text), Ok(number));
        }
        assert_eq!((count("500m"), count("2G")), (Ok(500 * million), Ok(2000 * million)));
        let many = "9".repeat(20);
        for wrong in ["0", "0M", "", "M", "12X", "-1", "+1", "1.5M", "10 M", "1000001G", &many] {
            assert!(count(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn threads_double_up_to_all() {
        assert_eq!(thread_counts(1), [1]);
        assert_eq!(thread_counts(6), [1, 2, 4, 6]);
        assert_eq!(thread_counts(8), [1, 2, 4, 8]);
    }

    #[test]
    fn rows_are_chosen_once() {
        let portable = vec![Backend::PORTABLE];
        let rows = settings(&[Lanes::All, Lanes::Auto, Lanes::Count(1)], &portable);
        assert_eq!(rows.iter().map(Setting::lanes).collect::<Vec<_>>(), [1]);
        assert_eq!(settings(&[Lanes::Count(5)], &[])[0].lanes(), 5);
        assert_eq!(settings(&[Lanes::All], &[]).len(), Form::all().len());
        let widths: BTreeSet<usize> = Form::all().into_iter().map(Form::lanes).collect();
        assert_eq!(settings(&[], &[]).len(), widths.len());
        assert_eq!(as_benchmark_mt().len(), 4);
    }
}
