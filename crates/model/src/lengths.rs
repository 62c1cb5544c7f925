//! Defines which lengths an implementation accepts, and checks requested lengths against them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest message, key, nonce, tag, associated data or output: 1 GiB.
pub const LARGEST_BYTES: usize = 1 << 30;

/// A fixed length, or a range of lengths with a default; in bytes.
///
/// In JSON a fixed length is a number, a range an object with `default`, `min` and `max`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Shape", into = "Shape")]
pub struct LengthRange {
    // Only the constructors below set these, so that min ≤ default ≤ max.
    default: usize,
    min: usize,
    max: usize,
}

impl LengthRange {
    /// The range of an input that does not exist.
    pub const NONE: Self = Self::fixed(0);

    /// Creates a fixed length.
    pub const fn fixed(bytes: usize) -> Self {
        Self { default: bytes, min: bytes, max: bytes }
    }

    /// Creates a range from 0 to [`LARGEST_BYTES`] with this default.
    pub const fn free(default: usize) -> Self {
        Self::fixed(default).at_least(0).up_to(LARGEST_BYTES)
    }

    /// Lowers the minimum to `min`, or to the default if that is less.
    #[must_use]
    pub const fn at_least(self, min: usize) -> Self {
        Self { min: if min < self.default { min } else { self.default }, ..self }
    }

    /// Raises the maximum to `max`, or to the default if that is more.
    #[must_use]
    pub const fn up_to(self, max: usize) -> Self {
        Self { max: if max > self.default { max } else { self.default }, ..self }
    }

    /// Returns the length to use if none is requested.
    pub const fn default_length(self) -> usize {
        self.default
    }

    /// Returns the minimum and the maximum.
    pub const fn range(self) -> (usize, usize) {
        (self.min, self.max)
    }

    /// Whether the input does not exist.
    pub const fn is_none(&self) -> bool {
        self.max == 0
    }

    /// Whether there is more than one length.
    pub const fn is_free(self) -> bool {
        self.min != self.max
    }

    /// Whether `bytes` is within the range.
    pub const fn contains(self, bytes: usize) -> bool {
        self.min <= bytes && bytes <= self.max && bytes <= LARGEST_BYTES
    }

    /// Returns the length to use: `wanted`, or else the default. `whose` and `what` name the
    /// implementation and the input in the error.
    ///
    /// # Errors
    /// [`DoesNotFit`], if it is outside the range.
    pub fn resolve(
        self,
        whose: &str,
        what: &'static str,
        wanted: Option<usize>,
    ) -> Result<usize, DoesNotFit> {
        let bytes = wanted.unwrap_or(self.default);
        if bytes > LARGEST_BYTES {
            return Err(DoesNotFit::TooLarge { what, bytes });
        }
        if self.contains(bytes) {
            return Ok(bytes);
        }
        let whose = whose.to_owned();
        Err(DoesNotFit::Other { whose, what, takes: self, bytes })
    }
}

impl fmt::Display for LengthRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (min, max) if min == max => write!(f, "{min}"),
            (min, max) => write!(f, "{min} to {max}"),
        }
    }
}

/// The form of a [`LengthRange`] in JSON.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Shape {
    Fixed(usize),
    Free { default: usize, min: usize, max: usize },
}

impl From<LengthRange> for Shape {
    fn from(LengthRange { default, min, max }: LengthRange) -> Self {
        if min == max { Shape::Fixed(default) } else { Shape::Free { default, min, max } }
    }
}

impl TryFrom<Shape> for LengthRange {
    type Error = String;

    fn try_from(shape: Shape) -> Result<Self, String> {
        match shape {
            Shape::Fixed(bytes) => Ok(Self::fixed(bytes)),
            Shape::Free { default, min, max } if min <= default && default <= max => {
                Ok(Self { default, min, max })
            }
            Shape::Free { default, min, max } => {
                Err(format!("a length from {min} to {max} cannot be {default} by default"))
            }
        }
    }
}

/// The reason why a requested length does not fit an implementation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DoesNotFit {
    /// The length exceeds what any implementation is given.
    #[error("{what}: {bytes} bytes are more than the {} (1 GiB) that cpb takes", LARGEST_BYTES)]
    TooLarge {
        /// The input's name.
        what: &'static str,
        /// The requested length.
        bytes: usize,
    },
    /// The length is outside the implementation's range.
    #[error("{}", outside(whose, what, *takes, *bytes))]
    Other {
        whose: String,
        /// The input's name.
        what: &'static str,
        /// The accepted range.
        takes: LengthRange,
        /// The requested length.
        bytes: usize,
    },
    /// The message is not a multiple of the granularity.
    #[error("{whose} takes multiples of {granularity} bytes, not {bytes}")]
    Uneven {
        whose: String,
        granularity: usize,
        /// The length of the message.
        bytes: usize,
    },
    /// The implementation does not state the length of its output.
    #[error("{whose} does not say how long its output is")]
    NoOutput { whose: String },
    /// The number of iterations is out of range.
    #[error("{whose} takes 1 to {} iterations, not {iterations}", u32::MAX)]
    Iterations {
        whose: String,
        /// The requested number.
        iterations: u64,
    },
}

/// Explains that a length is outside a range.
fn outside(whose: &str, what: &str, takes: LengthRange, bytes: usize) -> String {
    if takes == LengthRange::NONE {
        format!("{whose} takes no {what}, and {bytes} bytes are asked for")
    } else {
        format!("{whose}: its {what} has {takes} bytes, not {bytes}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_among_the_lengths_or_refused_in_words() {
        let resolve = |length: LengthRange, wanted| {
            length.resolve("X", "key", wanted).map_err(|reason| reason.to_string())
        };
        let refused = |words: &str| Err(words.to_owned());
        let (fixed, free) = (LengthRange::fixed(16), LengthRange::free(32).at_least(1).up_to(64));
        assert_eq!((resolve(fixed, None), resolve(free, None)), (Ok(16), Ok(32)));
        assert_eq!((resolve(fixed, Some(16)), resolve(free, Some(1))), (Ok(16), Ok(1)));
        assert_eq!(resolve(fixed, Some(17)), refused("X: its key has 16 bytes, not 17"));
        assert_eq!(resolve(free, Some(0)), refused("X: its key has 1 to 64 bytes, not 0"));
        assert_eq!(
            resolve(LengthRange::NONE, Some(1)),
            refused("X takes no key, and 1 bytes are asked for")
        );
        assert_eq!(resolve(LengthRange::free(0), Some(LARGEST_BYTES)), Ok(LARGEST_BYTES));
        for huge in [LARGEST_BYTES + 1, 1 << 40, 1 << 63, usize::MAX] {
            // Not even if an implementation states such a length.
            for (length, wanted) in
                [(LengthRange::free(0), Some(huge)), (LengthRange::fixed(huge), None)]
            {
                assert!(resolve(length, wanted).unwrap_err().contains("1 GiB"), "{huge}");
            }
        }
    }

    #[test]
    fn a_number_is_read_as_a_fixed_length() {
        let before = r#"{"key":16,"nonce":12,"tag":16,"granularity":1,"block":null,"output":32}"#;
        let lengths: crate::Lengths = serde_json::from_str(before).unwrap();
        let expected = crate::Lengths {
            key: LengthRange::fixed(16),
            nonce: LengthRange::fixed(12),
            tag: 16,
            granularity: 1,
            output: Some(LengthRange::fixed(32)),
            ..crate::Lengths::default()
        };
        assert_eq!(lengths, expected);
        for length in [LengthRange::NONE, LengthRange::fixed(16), LengthRange::free(32).at_least(1)]
        {
            let text = serde_json::to_string(&length).unwrap();
            assert_eq!(serde_json::from_str::<LengthRange>(&text).unwrap(), length, "{text}");
        }
        for wrong in [r#"{"default":5,"min":6,"max":9}"#, r#"{"default":5,"min":0,"max":4}"#, "-1"]
        {
            assert!(serde_json::from_str::<LengthRange>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_default_is_never_out_of_range() {
        for length in [
            LengthRange::fixed(16).at_least(20),
            LengthRange::fixed(16).up_to(8),
            LengthRange::free(5),
        ] {
            assert!(length.contains(length.default_length()), "{length:?}");
        }
    }
}
