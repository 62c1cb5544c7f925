//! Names the architecture of this program, whose instructions are traced.

#[cfg(target_arch = "aarch64")]
pub(super) use crate::aarch64::*;
#[cfg(target_arch = "x86_64")]
pub(super) use crate::x86_64::*;
