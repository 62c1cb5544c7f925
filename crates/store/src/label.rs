//! Checks labels.

use crate::StoreError;
use cpb_model::is_harmless;

const LONGEST: usize = 80;

/// Checks that `label` can name a run anywhere, and cannot be mistaken for something else.
pub(crate) fn check(label: &str) -> Result<(), StoreError> {
    let reason = if label.is_empty() {
        "it is empty"
    } else if label.chars().count() > LONGEST {
        "it has more than 80 characters"
    } else if !label.chars().all(is_harmless) || label.trim() != label {
        "it has spaces at its ends or characters that cannot be shown"
    } else if label.trim_start_matches('#').bytes().all(|byte| byte.is_ascii_digit()) {
        "it would be taken for a run's number"
    } else if label.starts_with("latest") {
        "'latest' is the newest run"
    } else if label.starts_with('-') {
        "it would be taken for an option"
    } else if label.contains('/') || label.to_ascii_lowercase().ends_with(".json") {
        "it would be taken for a file"
    } else {
        return Ok(());
    };
    Err(StoreError::WrongLabel { label: label.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn labels_are_words_that_mean_nothing_else() {
        for label in ["baseline", "before the change", "v1.2", "3.0-rc1", "größer"] {
            assert!(check(label).is_ok(), "{label}");
        }
        let long = "x".repeat(81);
        for label in [
            "",
            "17",
            "#17",
            "#",
            "latest",
            "latest~2",
            "a/b",
            "x.json",
            "-x",
            " x",
            "a\nb",
            "a\u{202e}b",
            "a\u{200b}",
            &long,
        ] {
            assert!(check(label).is_err(), "{label}");
        }
    }
}
