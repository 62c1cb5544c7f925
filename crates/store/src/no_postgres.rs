//! Replaces PostgreSQL support in builds without it: no text is an address.

use crate::LocationError;
use crate::redaction::without_passwords;
use std::fmt;
use std::time::Duration;

/// The address of a server, which cannot exist in this build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {}

impl Address {
    /// Rejects it.
    ///
    /// # Errors
    /// [`LocationError::NotBuilt`], always.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        Err(LocationError::NotBuilt { address: without_passwords(text).into_owned() })
    }

    /// Whether it contains a password.
    pub fn has_password(&self) -> bool {
        match *self {}
    }

    pub(crate) fn patience(&self) -> Duration {
        match *self {}
    }

    pub(crate) fn destination(&self) -> String {
        match *self {}
    }
}

impl fmt::Display for Address {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}
