//! Tests the store as its users see it: what is saved is loaded again, and files of
//! others are not changed.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "what is called for a file and for a database is a test as the others are"
)]

mod filler;
mod following;
mod keeping;
mod migrating;
mod on_both;
mod outbox;
mod queries;
mod reaching;
mod refusing;
mod refusing_databases;
mod renewing;
mod sample;
mod server;
mod size;

use on_both::on_both;

on_both! {
    keeping {
        a_run_comes_back_to_the_last_bit,
        the_same_run_is_kept_once,
        runs_are_found_by_number_label_id_and_age,
        a_label_is_one_run_s,
        a_history_has_the_figures_of_every_run,
        deleted_runs_leave_nothing_and_their_numbers_never_come_back,
        several_writers_lose_nothing,
        hostile_texts_are_texts,
        machines_are_told_apart_and_their_states_are_not,
    }
    following {
        a_rebuild_an_upgrade_and_a_checkout_continue_their_series,
        builds_of_one_run_have_readings_of_their_own,
        rows_that_differ_in_one_thing_are_different_series,
    }
    queries {
        a_mark_is_another_after_every_change,
        lists_come_in_parts_and_by_what_is_asked,
        the_last_runs_of_a_primitive_are_found,
    }
    renewing {
        figures_of_before_are_made_anew_where_samples_are_there,
    }
    outbox {
        what_could_not_be_sent_is_sent_once,
    }
}
