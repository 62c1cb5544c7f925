//! Views equally many input and output bytes, in place or not, so that one piece of code
//! serves both cases.

use std::marker::PhantomData;

/// Views input bytes and equally many output bytes, which are either the same memory or do
/// not overlap. Byte i of the input must be read before byte i of the output is written.
pub(crate) struct InOut<'a> {
    input: *const u8,
    output: *mut u8,
    length: usize,
    borrows: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a> InOut<'a> {
    /// Makes a view from one slice to another; returns `None` if their lengths differ.
    #[inline]
    pub(crate) fn new(input: &'a [u8], output: &'a mut [u8]) -> Option<Self> {
        (input.len() == output.len()).then_some(Self {
            input: input.as_ptr(),
            output: output.as_mut_ptr(),
            length: input.len(),
            borrows: PhantomData,
        })
    }

    /// Makes a view from a slice to itself.
    #[inline]
    pub(crate) fn in_place(data: &'a mut [u8]) -> Self {
        let output = data.as_mut_ptr();
        Self { input: output, output, length: data.len(), borrows: PhantomData }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns a pointer that is valid for reads of [`len`](Self::len) bytes.
    #[inline]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    pub(crate) fn input(&self) -> *const u8 {
        self.input
    }

    /// Returns a pointer that is valid for writes of [`len`](Self::len) bytes.
    #[inline]
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    pub(crate) fn output(&mut self) -> *mut u8 {
        self.output
    }

    #[inline]
    pub(crate) fn source(&self) -> &[u8] {
        // SAFETY: the constructors' slices have this length; writing needs `&mut self`.
        unsafe { std::slice::from_raw_parts(self.input, self.length) }
    }

    /// Returns the output; in place, bytes not yet written are still the input.
    #[inline]
    pub(crate) fn destination(&mut self) -> &mut [u8] {
        // SAFETY: the constructors' slices have this length; `&mut self` is the only way in.
        unsafe { std::slice::from_raw_parts_mut(self.output, self.length) }
    }

    /// Splits off the first `length` bytes, or all if there are fewer.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> InOut<'a> {
        let length = length.min(self.length);
        let first = InOut { length, ..*self };
        // SAFETY: `length` is within the slices; the two views do not overlap.
        unsafe {
            self.input = self.input.add(length);
            self.output = self.output.add(length);
        }
        self.length -= length;
        first
    }

    /// Returns the same view, for a call that consumes it.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> InOut<'_> {
        InOut { ..*self }
    }

    /// Computes output = input ^ `keystream`; the keystream is at least as long as the view.
    #[inline]
    pub(crate) fn xor(&mut self, keystream: &[u8]) {
        for (index, byte) in keystream[..self.length].iter().enumerate() {
            // SAFETY: the index is below the length.
            unsafe { *self.output.add(index) = *self.input.add(index) ^ byte }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_the_beginning() {
        let mut output = [0; 10];
        let input: [u8; 10] = std::array::from_fn(|i| i as u8);
        let mut data = InOut::new(&input, &mut output).unwrap();
        let mut first = data.take(4);
        assert_eq!(first.source(), [0, 1, 2, 3]);
        first.xor(&[0x10; 4]);
        let mut rest = data.take(100);
        assert!(data.is_empty());
        rest.xor(&[0x20; 6]);
        assert_eq!(output, [16, 17, 18, 19, 36, 37, 38, 39, 40, 41]);
        InOut::in_place(&mut output).xor(&[16; 10]);
        assert_eq!(output[..4], input[..4]);
        assert!(InOut::new(&input, &mut output[1..]).is_none());
    }
}
