//! Tests the dashboard over HTTP, with stores in files and, where PostgreSQL is installed, in
//! databases.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "what is called for a file and for a database is a test as the others are"
)]

mod client;
mod content;
#[allow(dead_code, reason = "it is the store's tests', too")]
#[path = "../../../store/tests/store/filler.rs"]
mod filler;
mod hostile;
#[path = "../../../store/tests/store/on_both.rs"]
mod on_both;
mod protocol;
#[allow(dead_code, reason = "it is the store's tests', too")]
#[path = "../../../store/tests/store/sample.rs"]
mod sample;
#[allow(dead_code, reason = "it is the other tests', too")]
#[path = "../../../store/tests/store/server.rs"]
mod server;
mod size;
mod team;

use cpb_store::{Store, StoreLocation};
use on_both::on_both;

on_both! {
    content {
        an_empty_store_has_pages,
        what_stepped_is_shown_with_what_else_changed,
        builds_side_by_side_have_lines_of_their_own,
        every_link_leads_somewhere,
        runs_are_listed_found_and_compared,
        what_comes_while_the_store_is_surveyed_lets_it_end,
        new_runs_are_surveyed_and_deleted_ones_forgotten,
    }
    hostile {
        hostile_names_are_texts_on_every_page,
        wrong_addresses_are_told_what_is_wrong,
    }
    protocol {
        what_a_reader_has_is_not_sent_again,
        a_store_that_is_gone_is_told,
    }
}

/// Creates a store with runs of `days` days.
fn filled(place: &StoreLocation, days: u32) -> Store {
    let mut store = Store::open_or_create(place).expect("it is made");
    team::fill(&mut store, 0..days);
    store
}
