//! Chooses the implementations by name, and gives the widths of their groups of
//! lanes.

use super::portable;
use crate::backend::backends;

#[cfg(target_arch = "aarch64")]
use super::armv8_sha2;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, shani};

backends! {
    /// An implementation of recursive SHA-256 that this CPU can run.
    Backend {
        ShaNi(ShaNi) "shani" on "x86_64",
        Avx2(Avx2) "avx2" on "x86_64",
        Avx512(Avx512) "avx512" on "x86_64",
        Armv8Sha2(Armv8Sha2) "armv8-sha2" on "aarch64",
    }
}

impl Backend {
    /// Returns the numbers of lanes its groups can have, ascending. The lanes of a
    /// group advance together.
    pub fn widths(self) -> &'static [usize] {
        match self.0 {
            Kind::Portable => &[1],
            #[cfg(target_arch = "x86_64")]
            Kind::ShaNi(_) => &[1, 2, 3, 4],
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => &[8],
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => &[16, 32],
            #[cfg(target_arch = "aarch64")]
            Kind::Armv8Sha2(_) => &[1, 2, 3, 4],
        }
    }

    /// Iterates `lanes` in groups of `width`, one of [`widths`](Self::widths). A
    /// partial last group has idle lanes.
    pub(super) fn iterate_groups(self, width: usize, lanes: &mut [[u8; 32]], count: u64) {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        macro_rules! up_to_four {
            ($backend:ident, $token:ident) => {
                match width {
                    1 => in_groups(lanes, |group| $backend::iterate::<1>($token, group, count)),
                    2 => in_groups(lanes, |group| $backend::iterate::<2>($token, group, count)),
                    3 => in_groups(lanes, |group| $backend::iterate::<3>($token, group, count)),
                    _ => in_groups(lanes, |group| $backend::iterate::<4>($token, group, count)),
                }
            };
        }
        match (self.0, width) {
            (Kind::Portable, _) => in_groups(lanes, |group| portable::iterate(group, count)),
            #[cfg(target_arch = "x86_64")]
            (Kind::ShaNi(token), _) => up_to_four!(shani, token),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2(token), _) => {
                in_groups(lanes, |group| avx2::iterate_8(token, group, count));
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512(token), 16) => {
                in_groups(lanes, |group| avx512::iterate_16(token, group, count));
            }
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512(token), _) => {
                in_groups(lanes, |group| avx512::iterate_32(token, group, count));
            }
            #[cfg(target_arch = "aarch64")]
            (Kind::Armv8Sha2(token), _) => up_to_four!(armv8_sha2, token),
        }
    }
}

fn in_groups<const N: usize>(lanes: &mut [[u8; 32]], run: impl Fn(&mut [[u8; 32]; N])) {
    let (groups, rest) = lanes.as_chunks_mut();
    groups.iter_mut().for_each(&run);
    if !rest.is_empty() {
        let mut group = [[0; 32]; N];
        group[..rest.len()].copy_from_slice(rest);
        run(&mut group);
        rest.copy_from_slice(&group[..rest.len()]);
    }
}

/// Prefers backends for many lanes; a [`Cover`](super::Cover) also considers the
/// number of lanes.
fn preferences() -> &'static [&'static str] {
    if cfg!(target_arch = "aarch64") { &["armv8-sha2"] } else { &["avx512", "shani", "avx2"] }
}
