//! Versions the JSON shape, and tells what it leaves out.

/// The version of the JSON shape. It grows when a reader of the old shape would misread the new
/// one: since 2, a figure may be only an upper bound; since 3, records have a workload; since 4,
/// concurrent calls are records with a setup. cpb reads every version.
pub const SCHEMA: u32 = 4;

/// Whether JSON leaves a value out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
