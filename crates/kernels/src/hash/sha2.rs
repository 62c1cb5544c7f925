//! Generates one compression of SHA-2, which differs between the two word sizes only
//! in constants.

/// Generates `compress_words(&mut State, [word; 16])` for one type of word, with the
/// given functions of FIPS 180-4 section 4.1. `State` and `ROUND_CONSTANTS` are in
/// the caller's scope.
macro_rules! sha2_compression {
    (
        $Word:ty,
        Sum0: ROTR $sum0_a:literal ^ ROTR $sum0_b:literal ^ ROTR $sum0_c:literal,
        Sum1: ROTR $sum1_a:literal ^ ROTR $sum1_b:literal ^ ROTR $sum1_c:literal,
        sigma0: ROTR $sigma0_a:literal ^ ROTR $sigma0_b:literal ^ SHR $sigma0_c:literal,
        sigma1: ROTR $sigma1_a:literal ^ ROTR $sigma1_b:literal ^ SHR $sigma1_c:literal,
    ) => {
        /// `w` holds the last sixteen words of the message schedule.
        fn compress_words(state: &mut State, mut w: [$Word; 16]) {
            let mut working = *state;
            let [first, rest @ ..] = ROUND_CONSTANTS.as_chunks::<16>().0 else { return };
            $crate::hash::sha2_compression! {
                @rounds working first word w: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
            }
            for constants in rest {
                $crate::hash::sha2_compression! {
                    @rounds working constants next_word w: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
                }
            }
            for (word, new) in state.iter_mut().zip(working) {
                *word = word.wrapping_add(new);
            }
        }

        /// Returns a word of the block.
        #[inline(always)]
        fn word(w: &mut [$Word; 16], t: usize) -> $Word {
            w[t]
        }

        /// Returns the word sixteen after the one at `t`, and replaces that one by
        /// it.
        #[inline(always)]
        fn next_word(w: &mut [$Word; 16], t: usize) -> $Word {
            let (w2, w7, w15) = (w[(t + 14) % 16], w[(t + 9) % 16], w[(t + 1) % 16]);
            let sigma1 =
                w2.rotate_right($sigma1_a) ^ w2.rotate_right($sigma1_b) ^ (w2 >> $sigma1_c);
            let sigma0 =
                w15.rotate_right($sigma0_a) ^ w15.rotate_right($sigma0_b) ^ (w15 >> $sigma0_c);
            w[t] = w[t].wrapping_add(sigma0).wrapping_add(w7).wrapping_add(sigma1);
            w[t]
        }

        /// Does one round; `kw` is the sum of its constant and its word.
        #[inline(always)]
        fn round([a, b, c, d, e, f, g, h]: State, kw: $Word) -> State {
            let sum1 =
                e.rotate_right($sum1_a) ^ e.rotate_right($sum1_b) ^ e.rotate_right($sum1_c);
            let choose = (e & f) ^ (!e & g);
            let sum0 =
                a.rotate_right($sum0_a) ^ a.rotate_right($sum0_b) ^ a.rotate_right($sum0_c);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            let t1 = h.wrapping_add(kw).wrapping_add(choose).wrapping_add(sum1);
            let t2 = sum0.wrapping_add(majority);
            [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g]
        }
    };

    // The rounds are written out, because the compiler does not unroll a loop and its
    // variables would move through memory.
    (
        @rounds $working:ident $constants:ident $word:ident $w:ident: $($i:literal)+
    ) => {
        $($working = round($working, $constants[$i].wrapping_add($word(&mut $w, $i)));)+
    };
}
pub(crate) use sha2_compression;
