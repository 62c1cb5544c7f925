//! What can be wrong with the text or the room given to a codec.

/// The output slice is too short.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
#[error("the result has {needed} bytes, the room only {room}")]
pub struct NoRoom {
    /// Bytes of the result.
    pub needed: usize,
    /// Bytes of the slice.
    pub room: usize,
}

/// Why a text cannot be decoded. Positions count bytes of the text from 0; where
/// several are wrong, the first is told.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// No such text has this length.
    #[error("the text has {length} bytes, which is no multiple of {multiple}")]
    Length {
        /// Bytes of the text.
        length: usize,
        /// What the length of every such text is a multiple of.
        multiple: usize,
    },
    /// A byte that is no character of the alphabet.
    #[error("byte {byte:#04x} at position {position} is not in the alphabet")]
    Character {
        /// Where it stands.
        position: usize,
        /// The byte.
        byte: u8,
    },
    /// A `=` elsewhere than in the last one or two places.
    #[error("padding at position {position}, where a character must stand")]
    Padding {
        /// Where it stands.
        position: usize,
    },
    /// The character before the padding has bits set that no byte takes in.
    #[error("the character at position {position} has bits beyond the last byte")]
    TrailingBits {
        /// Where the character stands.
        position: usize,
    },
    /// The output slice is too short.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
}
