//! Runs code at different positions of the stack.
//!
//! Linux puts the stack of each process at a random multiple of 16 bytes. The positions of a
//! library's local buffers relative to cache lines and to the message change some figures by
//! percents. A process that ran at only one position would differ from the next for no useful
//! reason.

use std::hint::black_box;
use std::mem::MaybeUninit;

/// The number of positions.
const PLACES: usize = 16;

/// Runs `work` with the stack deeper by a multiple of 272 bytes, such that its position modulo
/// 256 depends on `turn` alone, wherever the stack is. Sixteen turns visit all positions in a
/// cache line, in the same order in every process, spread over a page.
#[inline(never)]
pub fn at_stack_place(turn: usize, work: &mut dyn FnMut()) {
    let local = 0_u8;
    let here = std::ptr::from_ref(black_box(&local)).addr();
    // 272 is 16 modulo 256, and the stack grows down.
    match (here / 16).wrapping_sub(turn) % PLACES {
        0 => below::<0>(work),
        1 => below::<272>(work),
        2 => below::<544>(work),
        3 => below::<816>(work),
        4 => below::<1088>(work),
        5 => below::<1360>(work),
        6 => below::<1632>(work),
        7 => below::<1904>(work),
        8 => below::<2176>(work),
        9 => below::<2448>(work),
        10 => below::<2720>(work),
        11 => below::<2992>(work),
        12 => below::<3264>(work),
        13 => below::<3536>(work),
        14 => below::<3808>(work),
        _ => below::<4080>(work),
    }
}

#[inline(never)]
fn below<const BYTES: usize>(work: &mut dyn FnMut()) {
    let mut space = MaybeUninit::<[u8; BYTES]>::uninit();
    black_box(&mut space);
    work();
    // The space must last as long as the work.
    black_box(&mut space);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_turn_is_at_the_same_place_however_deep_the_stack_is() {
        let place = |depth: usize, turn: usize| {
            let mut place = 0;
            let mut noted = || {
                let local = 0_u64;
                place = std::ptr::from_ref(black_box(&local)).addr() % 256;
            };
            let mut inner = || at_stack_place(turn, &mut noted);
            // Sixteen depths each give a different turn.
            at_stack_place(depth, &mut inner);
            place
        };
        for turn in 0..PLACES {
            let places: BTreeSet<usize> = (0..PLACES).map(|depth| place(depth, turn)).collect();
            assert_eq!(places.len(), 1, "{turn}: {places:?}");
        }
    }

    #[test]
    fn sixteen_turns_visit_sixteen_places_all_over_a_cache_line() {
        let places: BTreeSet<usize> = (0..32)
            .map(|turn| {
                let mut place = 0;
                at_stack_place(turn, &mut || {
                    let local = 0_u64;
                    place = std::ptr::from_ref(black_box(&local)) as usize;
                });
                place
            })
            .collect();
        assert_eq!(places.len(), PLACES);
        let in_line: BTreeSet<usize> = places.iter().map(|place| place % 64 / 16).collect();
        assert_eq!(in_line.len(), 4);
    }
}
