//! Counts the attempts of an ML-DSA signature (FIPS 204, algorithm 7), which dominate its cost. A
//! deterministic signature reveals them: its response is so close to the mask of the successful
//! attempt that no other mask fits.

use crate::{Case, FeedTarget, Inputs, Prepared, Word, scheme};
use cpb_kernels::sha3::Shake256;
use cpb_model::{Offer, Operation, Role};

/// A parameter set, from FIPS 204, table 1.
struct Set {
    primitive: &'static str,
    /// Bytes of the commitment hash, at the start of a signature.
    commitment: usize,
    /// Polynomials of a mask.
    polynomials: u16,
    /// Bits of a coefficient of a mask or response.
    bits: usize,
    /// The largest difference between response and mask, β.
    difference: u32,
    /// The mean number of attempts according to the submission to NIST (Dilithium 3.1, section
    /// 3.3): e to the power of 256 β (ℓ / γ₁ + k / γ₂); table 1 of FIPS 204 rounds it to 4.25, 5.1
    /// and 3.85.
    expected: f64,
}

const SETS: [Set; 3] = [
    Set {
        primitive: "ml-dsa-44",
        commitment: 32,
        polynomials: 4,
        bits: 18,
        difference: 78,
        expected: 4.255,
    },
    Set {
        primitive: "ml-dsa-65",
        commitment: 48,
        polynomials: 5,
        bits: 20,
        difference: 196,
        expected: 5.094,
    },
    Set {
        primitive: "ml-dsa-87",
        commitment: 64,
        polynomials: 7,
        bits: 20,
        difference: 120,
        expected: 3.852,
    },
];

/// Coefficients of a polynomial.
const COEFFICIENTS: usize = 256;

/// The value for a call that is one draw as a whole, because no library reports how many numbers it
/// tries until it has its primes.
const WHOLE_CALL: f64 = 1.0;

/// Returns the mean number of attempts per call; `None` without rejection sampling.
pub fn expected(primitive: &str, operation: Operation) -> Option<f64> {
    if scheme::is_slow(primitive, operation) {
        return Some(WHOLE_CALL);
    }
    let set = set(primitive).filter(|_| operation == Operation::Sign);
    set.map(|set| set.expected)
}

/// Returns the inputs that determine the masks of each case; empty without rejection sampling.
pub(crate) fn masks(offer: &Offer, inputs: &Inputs) -> Vec<RejectionInputs> {
    if offer.operation != Operation::Sign {
        return Vec::new();
    }
    let masks = inputs.cases.iter().map(|case| RejectionInputs::of(&offer.primitive, case));
    masks.collect::<Option<_>>().unwrap_or_default()
}

/// Wraps a call so that it can report the attempts of its signatures.
pub(crate) fn counting(call: Box<dyn Prepared>, masks: Vec<RejectionInputs>) -> Box<dyn Prepared> {
    Box::new(Counting { call, masks })
}

struct Counting {
    call: Box<dyn Prepared>,
    masks: Vec<RejectionInputs>,
}

impl Prepared for Counting {
    fn run(&mut self, calls: u64) {
        self.call.run(calls);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.call.output()
    }

    fn attempts(&mut self) -> Option<Vec<u32>> {
        let Self { call, masks } = self;
        let counts: Vec<Option<u32>> = masks
            .iter()
            .map(|masks| {
                call.run(1);
                masks.attempts(&call.output().ok()?)
            })
            .collect();
        counts.into_iter().collect()
    }

    fn last_word(&self) -> Option<Word> {
        self.call.last_word()
    }

    fn feed(&mut self, place: FeedTarget, word: Word) -> bool {
        self.call.feed(place, word)
    }
}

fn set(primitive: &str) -> Option<&'static Set> {
    SETS.iter().find(|set| set.primitive == primitive)
}

/// The values of a case that determine its masks.
pub(crate) struct RejectionInputs {
    set: &'static Set,
    /// The seed ρ″ of algorithm 7.
    seed: [u8; 64],
}

impl RejectionInputs {
    /// Computes them for a deterministic signature of the case's message by its secret key, with an
    /// empty context. `None` for other primitives.
    fn of(primitive: &str, case: &Case) -> Option<Self> {
        let set = set(primitive)?;
        // Every private key begins with ρ, K and tr (algorithm 24).
        let (own, public) = case.bytes(Role::SecretKey).get(32..128)?.split_at(32);
        let mut message = [0; 64];
        let domain_and_context = [0, 0];
        xof(&[public, &domain_and_context, case.message.bytes()], &mut message);
        let mut seed = [0; 64];
        let randomness = [0; 32];
        xof(&[own, &randomness, &message], &mut seed);
        Some(Self { set, seed })
    }

    /// Returns the number of attempts behind `signature`; `None` if no mask fits, which means that
    /// it is not deterministic.
    fn attempts(&self, signature: &[u8]) -> Option<u32> {
        let Set { commitment, polynomials, bits, .. } = *self.set;
        let bytes = COEFFICIENTS / 8 * bits;
        let response = unpack(signature.get(commitment..commitment + bytes)?, bits);
        let nonces = (0..u16::MAX).step_by(polynomials.into());
        let found = nonces.zip(1..).find(|(nonce, _)| {
            let mut mask = vec![0; bytes];
            xof(&[&self.seed, &nonce.to_le_bytes()], &mut mask);
            self.fits(&response, &unpack(&mask, bits))
        });
        found.map(|(_, attempts)| attempts)
    }

    /// Whether no coefficient differs by more than a challenge times a secret can contribute.
    fn fits(&self, response: &[u32], mask: &[u32]) -> bool {
        response.iter().zip(mask).all(|(one, other)| one.abs_diff(*other) <= self.set.difference)
    }
}

/// Computes SHAKE256 of all `parts`, as long as `output`.
fn xof(parts: &[&[u8]], output: &mut [u8]) {
    let mut hash = Shake256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize_xof().read(output);
}

/// Unpacks the coefficients of a polynomial with this many bits each (algorithm 19, before its
/// subtraction).
fn unpack(bytes: &[u8], bits: usize) -> Vec<u32> {
    let bit = |index: usize| u32::from(bytes[index / 8] >> (index % 8) & 1);
    let number = |index: usize| (0..bits).fold(0, |sum, it| sum | bit(index * bits + it) << it);
    (0..COEFFICIENTS).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;
    use cpb_model::Alignment;

    fn case(primitive: &str, fill: u8) -> Case {
        let mut case = Case::new(Buffer::with_pattern(50, Alignment::Page).unwrap()).unwrap();
        let length = crate::scheme::of(primitive).unwrap().lengths(Operation::Sign).secret_key;
        case.put(Role::SecretKey, vec![fill; length.default_length()]);
        case
    }

    /// Makes the beginning of a signature with the mask of this attempt: the response is the mask
    /// plus the largest difference.
    fn signature(masks: &RejectionInputs, attempt: u16) -> Vec<u8> {
        let Set { commitment, polynomials, bits, difference, .. } = *masks.set;
        let mut mask = vec![0; COEFFICIENTS / 8 * bits];
        xof(&[&masks.seed, &(polynomials * (attempt - 1)).to_le_bytes()], &mut mask);
        let limit = (1 << bits) - 1;
        let add =
            |number: u32| if number + difference > limit { number } else { number + difference };
        let mut signature = vec![7; commitment];
        let mut packed = vec![0_u8; mask.len()];
        for (index, number) in unpack(&mask, bits).into_iter().map(add).enumerate() {
            for bit in (0..bits).filter(|bit| number >> bit & 1 == 1) {
                packed[(index * bits + bit) / 8] |= 1 << ((index * bits + bit) % 8);
            }
        }
        signature.extend(packed);
        signature
    }

    #[test]
    fn the_mask_that_fits_tells_the_attempt() {
        for set in &SETS {
            let masks = RejectionInputs::of(set.primitive, &case(set.primitive, 1)).unwrap();
            for attempt in [1, 2, 5, 77] {
                let signature = signature(&masks, attempt);
                assert_eq!(masks.attempts(&signature), Some(attempt.into()), "{}", set.primitive);
            }
            let other = RejectionInputs::of(set.primitive, &case(set.primitive, 2)).unwrap();
            assert_eq!(other.attempts(&signature(&masks, 1)), None, "of another key");
            assert_eq!(masks.attempts(&[0; 40]), None, "too short");
        }
    }

    /// Checks the formula with the parameters in table 1 of FIPS 204.
    #[test]
    fn so_many_attempts_are_expected() {
        // β, k, ℓ, γ₁, γ₂
        let sets = [
            (78, 4, 4, 1 << 17, 95_232),
            (196, 6, 5, 1 << 19, 261_888),
            (120, 8, 7, 1 << 19, 261_888),
        ];
        for (set, (difference, rows, columns, gamma_1, gamma_2)) in SETS.iter().zip(sets) {
            let [difference, rows, columns, gamma_1, gamma_2] =
                [difference, rows, columns, gamma_1, gamma_2].map(f64::from);
            let exponent = 256.0 * difference * (columns / gamma_1 + rows / gamma_2);
            assert!((exponent.exp() - set.expected).abs() < 0.001, "{}", set.primitive);
            assert_eq!(expected(set.primitive, Operation::Sign), Some(set.expected));
        }
        assert_eq!(expected("ml-dsa-44", Operation::Verify), None);
        assert_eq!(expected("ed25519", Operation::Sign), None);
        assert_eq!(expected("rsa-3072-pkcs1", Operation::Keygen), Some(WHOLE_CALL));
        assert_eq!(expected("rsa-3072-pkcs1", Operation::Sign), None);
    }
}
