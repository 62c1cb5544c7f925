//! Interprets a server's errors.

use crate::address::error_chain;
use crate::{Address, StoreError, StoreLocation, without_passwords};
use std::sync::Arc;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// Returns the meaning of a statement's `error`.
pub(super) fn of(address: &Arc<Address>, error: &Error) -> StoreError {
    let place = StoreLocation::Server(address.clone());
    let Some(code) = error.code() else {
        let reason = error_chain(error);
        return StoreError::Io { place, reason };
    };
    match code.code() {
        // Class 42 is for missing objects and wrong types, except for missing permissions.
        "42501" | "25006" => StoreError::ReadOnly { place },
        "53100" => StoreError::Full { place },
        "55P03" | "40P01" | "57014" => StoreError::Busy { place },
        other if other.starts_with("42") || other.starts_with("22") || other.starts_with("XX") => {
            StoreError::damaged(&place, said(error))
        }
        _ => StoreError::Io { place, reason: said(error) },
    }
}

/// Returns the meaning of an `error` while connecting.
pub(super) fn of_connecting(address: &Arc<Address>, error: &Error) -> StoreError {
    let place = StoreLocation::Server(address.clone());
    let config = &address.config;
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or_default();
    let (reason, remedy) = match error.code() {
        Some(code) if *code == SqlState::INVALID_PASSWORD => (
            format!("the password of {user} is wrong"),
            "correct it where it stands: in ~/.pgpass, PGPASSWORD or the address".to_owned(),
        ),
        Some(code) if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => (
            format!("the server does not let {user} in ({})", said(error)),
            "correct the user, or let the server's pg_hba.conf allow it".to_owned(),
        ),
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => (
            format!("there is no database '{database}'"),
            format!("correct its name, or make it with createdb {database}"),
        ),
        Some(code) if is_passing(code) => {
            (said(error), "try again when the server takes connections".to_owned())
        }
        Some(_) => (said(error), "correct the address".to_owned()),
        None => (error_chain(error), "see that a PostgreSQL server is there".to_owned()),
    };
    let reason = without_passwords(&reason).into_owned();
    StoreError::Unreachable { place, reason, remedy }
}

/// Returns the server's own message.
fn said(error: &Error) -> String {
    error.as_db_error().map_or_else(|| error_chain(error), |said| said.message().to_owned())
}

/// Whether this error of a server means that it is temporarily unavailable.
fn is_passing(code: &SqlState) -> bool {
    [
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
    ]
    .contains(code)
}
