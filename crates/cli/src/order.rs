//! Parses the order of a table's rows.

use crate::arguments;
use crate::cli_error::CliError;
use crate::suite::Suite;
use cpb_model::Caches;
use std::collections::BTreeSet;

pub(crate) use cpb_report::Order;

/// Parses an order: `slope`, `1350`, `name` or `library`.
pub(crate) fn order(text: &str) -> Result<Order, String> {
    match text {
        "slope" => Ok(Order::Slope),
        "name" => Ok(Order::Name),
        "library" => Ok(Order::Library),
        length => arguments::length(length).map(Order::Length).map_err(|_| {
            format!(
                "rows are sorted by slope, name, library or a length, as 1350 or 16K, not '{text}'"
            )
        }),
    }
}

/// Rejects a length if caches are evicted before each call, since such calls are ranked only by the
/// longest.
pub(crate) fn check(order: Order, caches: Caches) -> Result<(), CliError> {
    match (order, caches) {
        (Order::Length(_), Caches::Evicted) => Err(usage!(
            "--sort LENGTH ranks calls with warm caches; with --caches evicted, give that \
             length alone as --sizes"
        )),
        _ => Ok(()),
    }
}

/// Rejects a length that the suite does not measure.
pub(crate) fn check_suite(order: Order, suite: &Suite) -> Result<(), CliError> {
    let sizes = suite.sizes().into_iter().collect::<BTreeSet<usize>>();
    let Some(length) = order.length().filter(|length| !sizes.contains(length)) else {
        return Ok(());
    };
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let sizes = sizes.join(", ");
    Err(usage!("--sort {length}: the suite has messages of {sizes} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_word_or_a_length() {
        assert_eq!((order("slope"), order("16K")), (Ok(Order::Slope), Ok(Order::Length(16_384))));
        for wrong in ["", "0", "speed", "-1"] {
            assert!(order(wrong).unwrap_err().contains("slope, name, library or a length"));
        }
        let asked = [64, 1350, 576];
        assert_eq!(Order::of(None, &asked), Order::Length(1350));
        assert_eq!(Order::of(Some(Order::Name), &asked), Order::Name);
        assert_eq!(Order::of(None, &[]), Order::Slope);
    }
}
