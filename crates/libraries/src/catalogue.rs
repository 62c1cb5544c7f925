//! The catalogue of primitives: their names, and lengths that no library states or all
//! agree on. Adapters read it, and state none of their own.

pub(crate) mod canonical;
pub mod families;
pub(crate) mod lengths;
pub(crate) mod modes;
pub mod names;
pub mod rare;
