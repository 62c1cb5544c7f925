//! The implementations of the permutation, by name.

use std::sync::OnceLock;

use super::portable;
use super::state::State;
use crate::Unavailable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu;

#[cfg(target_arch = "aarch64")]
use super::{armv8_sha3, neon};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, bmi2};

/// An implementation of Keccak-f\[1600\] that this CPU can run.
///
/// A value proves that its CPU features are present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Bmi2(cpu::Bmi2),
    #[cfg(target_arch = "x86_64")]
    Avx2(cpu::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(cpu::Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(cpu::Neon),
    #[cfg(target_arch = "aarch64")]
    Armv8Sha3(cpu::Armv8Sha3),
}

impl Backend {
    /// Every backend of every architecture, in the order they are listed to users.
    pub const NAMES: &'static [&'static str] =
        &["portable", "bmi2", "avx2", "avx512", "neon", "armv8-sha3"];

    /// The backends this CPU can run, in the order of [`NAMES`](Self::NAMES).
    /// Never empty: `portable` is always among them.
    pub fn available() -> Vec<Self> {
        Self::NAMES.iter().filter_map(|name| Self::by_name(name).ok()).collect()
    }

    /// The backend of that name; `scalar` is an alias of `portable`.
    ///
    /// # Errors
    /// [`Unavailable`] says why this program or CPU has no such backend.
    pub fn by_name(name: &str) -> Result<Self, Unavailable> {
        match name {
            "portable" | "scalar" => Ok(Self(Kind::Portable)),
            "bmi2" => Self::bmi2(),
            "avx2" => Self::avx2(),
            "avx512" => Self::avx512(),
            "neon" => Self::neon(),
            "armv8-sha3" => Self::armv8_sha3(),
            _ => Err(Unavailable::Unknown { backend: name.into(), allowed: Self::NAMES }),
        }
    }

    /// The backend that measured fastest on CPUs of this family. Found once, then
    /// remembered.
    #[inline]
    pub fn fastest() -> Self {
        static FASTEST: OnceLock<Backend> = OnceLock::new();
        *FASTEST.get_or_init(choose_fastest)
    }

    /// The name, one of [`NAMES`](Self::NAMES).
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Bmi2(_) => "bmi2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(_) => "neon",
            #[cfg(target_arch = "aarch64")]
            Kind::Armv8Sha3(_) => "armv8-sha3",
        }
    }
}

/// Stamps an inherent function that hands its arguments to the module of the
/// same name as the backend.
macro_rules! dispatch {
    ($(#[$meta:meta])* fn $name:ident($($argument:ident: $Type:ty),*)) => {
        $(#[$meta])*
        #[inline]
        pub(super) fn $name(self, $($argument: $Type),*) {
            match self.0 {
                Kind::Portable => portable::$name($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::Bmi2(token) => bmi2::$name(token, $($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2(token) => avx2::$name(token, $($argument),*),
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512(token) => avx512::$name(token, $($argument),*),
                #[cfg(target_arch = "aarch64")]
                Kind::Neon(token) => neon::$name(token, $($argument),*),
                #[cfg(target_arch = "aarch64")]
                Kind::Armv8Sha3(token) => armv8_sha3::$name(token, $($argument),*),
            }
        }
    };
}

impl Backend {
    dispatch! {
        /// Keccak-f\[1600\] in place.
        fn permute(state: &mut State)
    }
    dispatch! {
        /// For each block of `rate` bytes (whole lanes): add it, permute.
        fn absorb_blocks(state: &mut State, rate: usize, blocks: &[u8])
    }
    dispatch! {
        /// For each block of `rate` bytes (whole lanes): permute, copy it out.
        fn squeeze_blocks(state: &mut State, rate: usize, out: &mut [u8])
    }
}

/// Stamps `Backend::bmi2()` and its like, which answer on every architecture.
macro_rules! constructors {
    ($($architecture:literal: $function:ident, $name:literal, $Kind:ident;)+) => {
        impl Backend {
            $(
                #[cfg(target_arch = $architecture)]
                fn $function() -> Result<Self, Unavailable> {
                    cpu::$Kind::detect()
                        .map(|token| Self(Kind::$Kind(token)))
                        .ok_or_else(|| Unavailable::MissingFeature {
                            backend: $name,
                            features: cpu::$Kind::missing(),
                        })
                }

                #[cfg(not(target_arch = $architecture))]
                fn $function() -> Result<Self, Unavailable> {
                    Err(Unavailable::OtherArchitecture {
                        backend: $name,
                        architecture: $architecture,
                    })
                }
            )+
        }
    };
}

constructors! {
    "x86_64": bmi2, "bmi2", Bmi2;
    "x86_64": avx2, "avx2", Avx2;
    "x86_64": avx512, "avx512", Avx512;
    "aarch64": neon, "neon", Neon;
    "aarch64": armv8_sha3, "armv8-sha3", Armv8Sha3;
}

/// The first of the family's preferences that this CPU has.
fn choose_fastest() -> Backend {
    preferences()
        .iter()
        .find_map(|name| Backend::by_name(name).ok())
        .unwrap_or(Backend(Kind::Portable))
}

#[cfg(target_arch = "x86_64")]
fn preferences() -> &'static [&'static str] {
    match cpu::Family::detect() {
        // Zen 5: 698 cycles per permutation against 827. Zen 4 was not measured.
        cpu::Family::Amd => &["avx512", "bmi2"],
        // Counted, not measured: 95 operations a round on three vector ports, where
        // scalar code has 130 on four or five.
        cpu::Family::Intel => &["avx512", "bmi2"],
        // Nothing is known; scalar code is never far behind.
        cpu::Family::Apple | cpu::Family::Other => &["bmi2"],
    }
}

#[cfg(target_arch = "aarch64")]
fn preferences() -> &'static [&'static str] {
    match cpu::Family::detect() {
        // Apple runs EOR3, RAX1, XAR and BCAX on all four vector pipes.
        cpu::Family::Apple => &["armv8-sha3"],
        // Neoverse and Cortex have them on one pipe; scalar code wins.
        _ => &["portable"],
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn preferences() -> &'static [&'static str] {
    &["portable"]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_and_kept() {
        for name in Backend::NAMES {
            match Backend::by_name(name) {
                Ok(backend) => assert_eq!(backend.name(), *name),
                Err(Unavailable::Unknown { .. }) => panic!("{name} is listed, but unknown"),
                Err(_) => {}
            }
        }
    }

    #[test]
    fn scalar_is_portable() {
        assert_eq!(Backend::by_name("scalar"), Backend::by_name("portable"));
    }

    #[test]
    fn fastest_is_available() {
        assert!(Backend::available().contains(&Backend::fastest()));
    }

    #[test]
    fn reasons_are_the_right_ones() {
        assert!(matches!(Backend::by_name("bmi"), Err(Unavailable::Unknown { .. })));
        let foreign = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
        assert!(matches!(Backend::by_name(foreign), Err(Unavailable::OtherArchitecture { .. })));
    }
}
