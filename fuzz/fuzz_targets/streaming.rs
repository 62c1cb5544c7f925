//! Fuzzes messages in pieces: every hash, SHAKE, HMAC, ChaCha20 and Poly1305, on
//! every backend, must give the same result for a message in pieces as `portable`
//! for the whole message.

#![no_main]

use arbitrary::Arbitrary;
use cpb_kernels::Backend as _;
use cpb_kernels::hash::{Hash, IteratedHash};
use cpb_kernels::hmac::{self, Hmac};
use cpb_kernels::sha3::{Shake128, Shake256};
use cpb_kernels::{chacha20, hashes, iterated_hashes, keccak, poly1305};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    key: [u8; 32],
    nonce: [u8; 12],
    counter: u32,
    /// Whether the counter is relative to the last block of the keystream.
    from_end: bool,
    /// The number of bytes read from a SHAKE.
    output_bytes: u16,
    /// The lengths of the pieces, modulo the remaining length; the last piece takes
    /// the rest.
    cuts: Vec<u16>,
    /// The number of repetitions of the message.
    repeats: u8,
    hmac_key: &'a [u8],
    message: &'a [u8],
}

fuzz_target!(|input: Input| {
    let message = input.message.repeat(1 + usize::from(input.repeats % 4));
    let pieces = Pieces { whole: &message, cuts: &input.cuts };

    hashes!(hash).iter().for_each(|hash| hash(&pieces));

    let output_bytes = usize::from(input.output_bytes % 1024);
    shake!(Shake128, pieces, output_bytes);
    shake!(Shake256, pieces, output_bytes);

    iterated_hashes!(hmac).iter().for_each(|hmac| hmac(input.hmac_key, &pieces));

    chacha20(&input, &pieces);
    poly1305(&input.key, &pieces);
});

/// A message and the positions at which it is cut.
struct Pieces<'a> {
    whole: &'a [u8],
    cuts: &'a [u16],
}

impl<'a> Pieces<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        let lengths = lengths(self.whole.len(), self.cuts);
        let mut rest = self.whole;
        lengths.map(move |length| {
            let (piece, after) = rest.split_at(length);
            rest = after;
            piece
        })
    }
}

/// Returns the lengths of the pieces into which `bytes` bytes are cut.
fn lengths(mut bytes: usize, cuts: &[u16]) -> impl Iterator<Item = usize> {
    let cuts = cuts.iter().map(|cut| Some(usize::from(*cut)));
    cuts.chain([None]).map(move |cut| {
        let length = cut.map_or(bytes, |cut| cut % (bytes + 1));
        bytes -= length;
        length
    })
}

fn hash<H: Hash>() -> fn(&Pieces) {
    |pieces| {
        let expected = H::hash(<H::Backend>::PORTABLE, pieces.whole);
        for backend in <H::Backend>::available() {
            assert_eq!(H::hash(backend, pieces.whole), expected, "{} on {backend:?}", H::NAME);
            let mut hash = H::with_backend(backend);
            pieces.iter().for_each(|piece| hash.update(piece));
            assert_eq!(hash.finalize(), expected, "{} on {backend:?}", H::NAME);
        }
    }
}

macro_rules! shake {
    ($Shake:ident, $pieces:expr, $output_bytes:expr) => {
        let mut expected = vec![0; $output_bytes];
        $Shake::xof_with(keccak::Backend::PORTABLE, $pieces.whole, &mut expected);
        for backend in keccak::Backend::available() {
            let name = concat!(stringify!($Shake), " on");
            let mut output = vec![0; $output_bytes];
            $Shake::xof_with(backend, $pieces.whole, &mut output);
            assert_eq!(output, expected, "{name} {backend:?}");

            let mut shake = $Shake::with_backend(backend);
            $pieces.iter().for_each(|piece| shake.update(piece));
            let mut reader = shake.finalize_xof();
            output.fill(0);
            let mut rest = &mut output[..];
            for length in lengths($output_bytes, $pieces.cuts) {
                let (piece, after) = rest.split_at_mut(length);
                reader.read(piece);
                rest = after;
            }
            assert_eq!(output, expected, "{name} {backend:?}");
        }
    };
}
use shake;

fn hmac<H: IteratedHash>() -> fn(&[u8], &Pieces) {
    |key, pieces| {
        let expected = hmac::Key::<H>::with_backend(<H::Backend>::PORTABLE, key).tag(pieces.whole);
        for backend in <H::Backend>::available() {
            let key = hmac::Key::<H>::with_backend(backend, key);
            assert_eq!(key.tag(pieces.whole), expected, "{} on {backend:?}", H::NAME);
            let mut mac = Hmac::with_key(&key);
            pieces.iter().for_each(|piece| mac.update(piece));
            assert!(mac.verify(expected.as_ref()), "{} on {backend:?}", H::NAME);
        }
    }
}

fn chacha20(input: &Input, pieces: &Pieces) {
    let counter = if input.from_end { !(input.counter % 64) } else { input.counter };
    let left = ((1 << 32) - u64::from(counter)) * 64;
    for backend in chacha20::Backend::available() {
        let name = backend.name();
        let mut output = pieces.whole.to_vec();
        let mut cipher =
            chacha20::ChaCha20::with_backend(backend, &input.key, &input.nonce, counter);
        // This stops at the piece that exceeds the keystream, which must stay
        // unchanged.
        let mut done = 0;
        for piece in pieces.iter() {
            let end = done + piece.len();
            let applied = cipher.apply_keystream(&mut output[done..end]);
            assert_eq!(applied.is_ok(), end as u64 <= left, "{name}");
            if applied.is_err() {
                break;
            }
            done = end;
        }
        let (message, kept) = pieces.whole.split_at(done);
        assert_eq!(&output[done..], kept, "{name}");
        for whole in [chacha20::Backend::PORTABLE, backend] {
            let mut expected = vec![0; done];
            chacha20::xor_with(whole, &input.key, &input.nonce, counter, message, &mut expected)
                .expect("it ends before the keystream");
            assert_eq!(output[..done], expected, "{name}");
        }
    }
}

fn poly1305(key: &[u8; 32], pieces: &Pieces) {
    let expected = poly1305::Poly1305::mac_with(poly1305::Backend::PORTABLE, key, pieces.whole);
    for backend in poly1305::Backend::available() {
        let name = backend.name();
        assert_eq!(poly1305::Poly1305::mac_with(backend, key, pieces.whole), expected, "{name}");
        let mut mac = poly1305::Poly1305::with_backend(backend, key);
        pieces.iter().for_each(|piece| mac.update(piece));
        assert_eq!(mac.verify(&expected), Ok(()), "{name}");
    }
}
