//! Tests Poly1305 with the largest values, against schoolbook arithmetic.

use ::poly1305::universal_hash::KeyInit;
use cpb_kernels::poly1305::{Backend, Poly1305, WrongTag};

use crate::{message, on_every_backend};

const KEY: [u8; 32] = *b"0123456789abcdef-ghijklmnopqrstu";

/// Computes the expected tag with RustCrypto.
fn expected(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    ::poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
}

/// Tests keys and messages with the largest limbs, with sums that reach p or exceed
/// it, and with tags that wrap.
#[test]
fn extreme_values() {
    let mut keys = vec![[0xff; 32], [0; 32]];
    for r in [1_u128, 2, 4, 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff, 0x0fff_fffc_0fff_fffc << 64]
    {
        for pad in [0_u128, 1, u128::MAX] {
            let mut key = [0; 32];
            key[..16].copy_from_slice(&r.to_le_bytes());
            key[16..].copy_from_slice(&pad.to_le_bytes());
            keys.push(key);
        }
    }
    // 2¹²⁸ - 5 and its neighbours make sums close to p if r is 1 or 2.
    let blocks = [u128::MAX, u128::MAX - 1, u128::MAX - 4, u128::MAX - 5, 0, 1, 5];
    let mut messages: Vec<Vec<u8>> = vec![Vec::new()];
    for count in [1, 2, 3, 4, 5, 8, 9, 16, 17, 20, 40, 41, 63, 64, 65, 100, 130] {
        for block in blocks {
            messages.push(block.to_le_bytes().repeat(count));
            messages.push(block.to_le_bytes().repeat(count)[1..].to_vec());
        }
    }
    let mut run = 0;
    on_every_backend("poly1305 extremes", |backend: Backend| {
        for key in &keys {
            for message in &messages {
                let expected = by_the_book(key, message);
                assert_eq!(Poly1305::mac_with(backend, key, message), expected);
                run += 1;
            }
        }
    });
    println!("poly1305 extremes: run={run}");
}

/// Computes the tag in digits of 32 bits, one step at a time, and shares nothing
/// with the code under test.
fn by_the_book(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let digits = |bytes: &[u8]| -> Vec<u64> {
        let mut padded = bytes.to_vec();
        padded.resize(20, 0);
        padded.chunks(4).map(|digit| u32::from_le_bytes(digit.try_into().unwrap()).into()).collect()
    };
    let mut r = key[..16].to_vec();
    for index in [3, 7, 11, 15] {
        r[index] &= 15;
    }
    for index in [4, 8, 12] {
        r[index] &= 252;
    }
    let r = digits(&r);
    let mut sum = vec![0; 5];
    for block in message.chunks(16) {
        let mut coefficient = block.to_vec();
        coefficient.push(1);
        let coefficient = digits(&coefficient);
        let added: Vec<u64> = sum.iter().zip(coefficient).map(|(a, b)| a + b).collect();
        let mut product = vec![0_u128; 10];
        for (i, a) in added.iter().enumerate() {
            for (j, b) in r.iter().enumerate() {
                product[i + j] += u128::from(*a) * u128::from(*b);
            }
        }
        sum = reduced(product);
    }
    let low: Vec<u8> = sum[..4].iter().flat_map(|digit| (*digit as u32).to_le_bytes()).collect();
    let low = u128::from_le_bytes(low.try_into().unwrap());
    let pad = u128::from_le_bytes(key[16..].try_into().unwrap());
    low.wrapping_add(pad).to_le_bytes()
}

/// Reduces modulo p, fully, in digits of 32 bits.
fn reduced(mut digits: Vec<u128>) -> Vec<u64> {
    let carry = |digits: &mut Vec<u128>| {
        for index in 0..digits.len() - 1 {
            digits[index + 1] += digits[index] >> 32;
            digits[index] &= 0xffff_ffff;
        }
    };
    // The part above 2¹³⁰ counts five times at the bottom, until there is none.
    loop {
        carry(&mut digits);
        if digits[4] < 4 && digits[5..].iter().all(|digit| *digit == 0) {
            break;
        }
        let mut low = digits[..5].to_vec();
        low[4] &= 3;
        low.resize(10, 0);
        for index in 4..digits.len() {
            let above = if index == 4 { digits[4] >> 2 } else { digits[index] };
            // 2¹³⁰ is bit 2 of digit 4.
            match index {
                4 => low[0] += 5 * above,
                _ => low[index - 5] += 5 * (above << 30),
            }
        }
        digits = low;
    }
    let p = [0xffff_fffb, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 3];
    if digits[..5].iter().rev().cmp(p.iter().rev()).is_ge() {
        digits[0] += 5;
        carry(&mut digits);
        digits[4] &= 3;
    }
    digits[..5].iter().map(|digit| *digit as u64).collect()
}

#[test]
fn the_book_agrees_with_rustcrypto() {
    for length in 0..200 {
        let message = message(length);
        assert_eq!(by_the_book(&KEY, &message), expected(&KEY, &message), "{length} bytes");
    }
}

/// Only the bits that clamping leaves make a difference.
#[test]
fn r_is_clamped() {
    let clear = 0xf000_0003_f000_0003_f000_0003_f000_0000_u128.to_le_bytes();
    on_every_backend("poly1305 clamping", |backend: Backend| {
        let message = message(1000);
        for length in [16, 1000] {
            let expected = Poly1305::mac_with(backend, &KEY, &message[..length]);
            for bit in 0..128 {
                let mut key = KEY;
                key[bit / 8] ^= 1 << (bit % 8);
                let same = Poly1305::mac_with(backend, &key, &message[..length]) == expected;
                let is_clear = clear[bit / 8] >> (bit % 8) & 1 == 1;
                assert_eq!(same, is_clear, "{backend:?}, bit {bit}");
            }
        }
    });
}

#[test]
fn wrong_tags_are_refused() {
    on_every_backend("poly1305 verify", |backend: Backend| {
        let mut poly1305 = Poly1305::with_backend(backend, &KEY);
        poly1305.update(b"message");
        let tag = poly1305.clone().finalize();
        assert_eq!(poly1305.clone().verify(&tag), Ok(()));
        for bit in 0..128 {
            let mut wrong = tag;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(poly1305.clone().verify(&wrong), Err(WrongTag));
        }
    });
}
