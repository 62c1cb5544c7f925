//! Defines sources of ticks.

/// Names what one tick of a counter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// One cycle of the core the thread runs on.
    CoreCycles,
    /// A tick of constant rate, independent of the core's clock.
    ConstantRate,
}

/// A monotonic source of ticks.
///
/// `read` is ordered after everything before it and before everything after it, as far as the
/// instruction set allows, so that two reads bracket exactly the code between them.
/// [`crate::Clock`] measures its cost and subtracts it.
pub trait Counter {
    /// Returns the name by libcpucycles' convention, such as `amd64-tsc`.
    fn name(&self) -> &'static str;
    /// Returns what one tick is.
    fn unit(&self) -> Unit;
    /// Returns the current count in ticks, which wraps at 2⁶⁴.
    fn read(&self) -> u64;
    /// Returns the version of the library behind the counter, if any.
    fn version(&self) -> Option<&str> {
        None
    }
}
