//! Defines the errors of codecs: a wrong text, or too little room.

/// The output slice is too short.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
#[error("the result has {needed} bytes, the room only {room}")]
pub struct NoRoom {
    /// Bytes of the result.
    pub needed: usize,
    /// Bytes of the slice.
    pub room: usize,
}

/// Says why a text cannot be decoded. Positions count bytes of the text from 0; of
/// several errors, the first is reported.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// No such text has this length.
    #[error("the text has {length} bytes, which is no multiple of {multiple}")]
    Length {
        /// The length of the text in bytes.
        length: usize,
        /// The number that the length of every such text is a multiple of.
        multiple: usize,
    },
    /// A byte that is no character of the alphabet.
    #[error("byte {byte:#04x} at position {position} is not in the alphabet")]
    Character { position: usize, byte: u8 },
    /// A `=` stands elsewhere than in the last one or two positions.
    #[error("padding at position {position}, where a character must stand")]
    Padding { position: usize },
    /// The character before the padding has bits set beyond the last byte.
    #[error("the character at position {position} has bits beyond the last byte")]
    TrailingBits { position: usize },
    /// The output slice is too short.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
}
