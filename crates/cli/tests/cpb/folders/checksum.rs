//! Computes SUPERCOP's checksums of a hash a second time, slowly, from their description
//! alone.

/// Computes Salsa20's core.
fn core(input: &[u8], key: &[u8; 32]) -> [u8; 64] {
    let word = |bytes: &[u8], index: usize| {
        u32::from_le_bytes(bytes[4 * index..][..4].try_into().expect("four bytes"))
    };
    let mut start = [0; 16];
    for i in 0..4 {
        start[5 * i] = word(b"expand 32-byte k", i);
        start[1 + i] = word(key, i);
        start[6 + i] = word(input, i);
        start[11 + i] = word(key, 4 + i);
    }
    let mut x = start;
    let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
        x[b] ^= x[a].wrapping_add(x[d]).rotate_left(7);
        x[c] ^= x[b].wrapping_add(x[a]).rotate_left(9);
        x[d] ^= x[c].wrapping_add(x[b]).rotate_left(13);
        x[a] ^= x[d].wrapping_add(x[c]).rotate_left(18);
    };
    for _ in 0..10 {
        for [a, b, c, d] in [[0, 4, 8, 12], [5, 9, 13, 1], [10, 14, 2, 6], [15, 3, 7, 11]] {
            quarter(a, b, c, d);
        }
        for [a, b, c, d] in [[0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]] {
            quarter(a, b, c, d);
        }
    }
    let mut out = [0; 64];
    for (index, bytes) in out.chunks_mut(4).enumerate() {
        bytes.copy_from_slice(&x[index].wrapping_add(start[index]).to_le_bytes());
    }
    out
}

/// Returns test bytes: the stream of a nonce that counts requests.
struct Source(u64);

impl Source {
    fn draw(&mut self, bytes: usize) -> Vec<u8> {
        let block = |index: u64| {
            let input = [self.0.to_le_bytes(), index.to_le_bytes()].concat();
            core(&input, b"generate inputs for test vectors")
        };
        let mut drawn: Vec<u8> = (0..bytes.div_ceil(64) as u64).flat_map(block).collect();
        drawn.truncate(bytes);
        self.0 += 1;
        drawn
    }

    fn number(&mut self) -> u64 {
        u64::from_le_bytes(self.draw(8).try_into().expect("eight bytes"))
    }
}

fn add(state: &mut [u8; 64], bytes: &[u8]) {
    let key = |state: &[u8; 64]| -> [u8; 32] { state[..32].try_into().expect("half of it") };
    let blocks = bytes.chunks_exact(16);
    let mut last = blocks.remainder().to_vec();
    for block in blocks {
        *state = core(block, &key(state));
    }
    last.push(1);
    last.resize(16, 0);
    state[0] ^= 1;
    *state = core(&last, &key(state));
}

/// Returns the small and the big checksum.
pub(super) fn of_hash(bytes: usize, hash: fn(&[u8]) -> Vec<u8>) -> [String; 2] {
    [(64, 128), (512, 4096)].map(|(loops, most)| {
        let (mut source, mut state) = (Source(0), [0; 64]);
        for _ in 0..loops {
            let length = source.number() % (most + 1);
            let digest = hash(&source.draw(length as usize));
            assert_eq!(digest.len(), bytes);
            add(&mut state, &digest);
        }
        state[..32].iter().map(|byte| format!("{byte:02x}")).collect()
    })
}
