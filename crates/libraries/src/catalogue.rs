//! Contains the catalogue of primitives: their names, and lengths that libraries do not state or
//! all agree on. Adapters read it instead of stating their own.

pub(crate) mod canonical;
pub mod families;
pub(crate) mod lengths;
pub(crate) mod modes;
pub mod names;
pub mod rare;
