//! The store as its users see it: what is saved comes back, and what is
//! somebody else's is left alone.

mod keeping;
mod refusing;
mod sample;
