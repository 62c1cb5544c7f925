//! Keccak as short as it can be written, every constant from its rule: it shares
//! nothing with the code under test.

/// FIPS 202 sections 4 and 5.1, for whole bytes.
pub fn sponge(rate: usize, suffix: u8, message: &[u8], output: usize) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(suffix);
    padded.resize(padded.len().next_multiple_of(rate), 0);
    *padded.last_mut().unwrap() |= 0x80;

    let mut state = [[0_u64; 5]; 5];
    for block in padded.chunks(rate) {
        for (i, byte) in block.iter().enumerate() {
            state[i / 8 % 5][i / 40] ^= u64::from(*byte) << (i % 8 * 8);
        }
        permute(&mut state);
    }
    let mut out = Vec::new();
    while out.len() < output {
        out.extend((0..rate).map(|i| (state[i / 8 % 5][i / 40] >> (i % 8 * 8)) as u8));
        permute(&mut state);
    }
    out.truncate(output);
    out
}

/// FIPS 202 sections 3.2 and 3.3 on lanes a\[x\]\[y\].
fn permute(a: &mut [[u64; 5]; 5]) {
    let mut register = 1_u8;
    for _ in 0..24 {
        let parity = a.map(|column| column.iter().fold(0, |sum, lane| sum ^ lane));
        for x in 0..5 {
            for lane in &mut a[x] {
                *lane ^= parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1);
            }
        }
        let (mut x, mut y, mut moving) = (1, 0, a[1][0]);
        for t in 0..24 {
            (x, y) = (y, (2 * x + 3 * y) % 5);
            let next = a[x][y];
            a[x][y] = moving.rotate_left((t + 1) * (t + 2) / 2 % 64);
            moving = next;
        }
        let before = *a;
        for x in 0..5 {
            for y in 0..5 {
                a[x][y] ^= !before[(x + 1) % 5][y] & before[(x + 2) % 5][y];
            }
        }
        for j in 0..7 {
            a[0][0] ^= u64::from(register & 1) << ((1 << j) - 1);
            register = (register << 1) ^ ((register >> 7) * 0x71);
        }
    }
}
