//! Chooses the implementations by name.

use super::state::State;
use crate::backend::backends;
use crate::cpu;
use crate::in_out::InOut;

backends! {
    /// An implementation of ChaCha20 that this CPU can run.
    Backend {
        Ssse3(Ssse3) "ssse3" on "x86_64" in ssse3,
        Avx2(Avx2) "avx2" on "x86_64" in avx2,
        Avx512(Avx512) "avx512" on "x86_64" in avx512,
        Neon(Neon) "neon" on "aarch64" in neon,
    }

    /// Computes output = input ^ keystream, from the state's counter on.
    pub(crate) fn xor(state: &State, data: InOut<'_>);
}

/// Whether scalar code makes one block faster than vectors do.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn scalar_is_faster() -> bool {
    static FASTER: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *FASTER.get_or_init(|| scalar_is_faster_on(cpu::Family::detect()))
}

/// The dependency chain of the rounds is equally long either way, and scalar code needs
/// four times the operations. Zen 4: vectors need 0.92 (`avx512`) and 0.87 (`avx2`) of
/// the cycles of scalar code. Zen 5, whose vector operations take two cycles instead of
/// one: 570 cycles for 311.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
fn scalar_is_faster_on(family: cpu::Family) -> bool {
    family == cpu::Family::Zen5
}

fn preferences() -> &'static [&'static str] {
    &["avx512", "avx2", "ssse3", "neon"]
}

#[cfg(test)]
mod tests {
    use super::scalar_is_faster_on;
    use crate::cpu::Family;

    #[test]
    fn one_block_is_made_by_words_where_vectors_take_twice_as_long() {
        assert!(scalar_is_faster_on(Family::Zen5));
        for family in [Family::Amd, Family::Intel, Family::GoldenCove, Family::Other] {
            assert!(!scalar_is_faster_on(family), "{family:?}");
        }
    }
}
