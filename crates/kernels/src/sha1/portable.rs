//! Implements the compression function as FIPS 180-4 section 6.1.2 specifies it.

use super::{DigestBlock, State};
use crate::hash::portable;

portable!(u32);

/// `w` holds the last sixteen words of the message schedule.
fn compress_words(state: &mut State, mut w: [u32; 16]) {
    let mut working = *state;
    // The rounds are written out, because the compiler does not unroll a loop and
    // its variables would move through memory.
    macro_rules! rounds {
        ($function:ident + $constant:literal, $word:ident: $($t:literal)+) => {
            $(
                let kw = u32::wrapping_add($constant, $word(&mut w, $t % 16));
                working = round(working, $function, kw);
            )+
        };
    }
    rounds!(choose + 0x5a82_7999, word: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    rounds!(choose + 0x5a82_7999, next_word: 16 17 18 19);
    rounds!(parity + 0x6ed9_eba1, next_word:
        20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
    rounds!(majority + 0x8f1b_bcdc, next_word:
        40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59);
    rounds!(parity + 0xca62_c1d6, next_word:
        60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79);
    for (word, new) in state.iter_mut().zip(working) {
        *word = word.wrapping_add(new);
    }
}

/// Returns a word of the block.
#[inline(always)]
fn word(w: &mut [u32; 16], t: usize) -> u32 {
    w[t]
}

/// Returns the word sixteen after the one at `t`, and replaces that one by it.
#[inline(always)]
fn next_word(w: &mut [u32; 16], t: usize) -> u32 {
    w[t] = (w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^ w[t]).rotate_left(1);
    w[t]
}

/// Does one round with a function of section 4.1.1; `kw` is the sum of its constant
/// and its word.
#[inline(always)]
fn round([a, b, c, d, e]: State, f: impl Fn(u32, u32, u32) -> u32, kw: u32) -> State {
    let new = e.wrapping_add(kw).wrapping_add(f(b, c, d)).wrapping_add(a.rotate_left(5));
    [new, a, b.rotate_left(30), c, d]
}

fn choose(x: u32, y: u32, z: u32) -> u32 {
    (x & y) ^ (!x & z)
}

fn parity(x: u32, y: u32, z: u32) -> u32 {
    x ^ y ^ z
}

fn majority(x: u32, y: u32, z: u32) -> u32 {
    (x & y) ^ (x & z) ^ (y & z)
}
