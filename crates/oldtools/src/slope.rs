//! Implements bench-slopes: `bench-slope-LIBRARY`, and `cpb slope` in its format.

pub mod csv;
pub mod key_pairs;
pub mod lengths;
pub mod names;
pub mod raw;
pub mod rows;
pub mod table;
pub mod wide;
