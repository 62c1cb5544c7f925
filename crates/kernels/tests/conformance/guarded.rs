//! Allocates buffers between unmapped pages.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::ptr;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

/// The largest page size of any system these tests run on.
const PAGE: usize = 65536;
/// The longest buffer in bytes.
pub const LONGEST: usize = PAGE;
/// How many bytes on either side of a buffer are checked for stray writes.
const MARGIN: usize = 192;
const UNTOUCHED: u8 = 0xc3;

thread_local! {
    /// Caches free mappings, because making one takes longer than most trials.
    static FREE: RefCell<Vec<*mut u8>> = const { RefCell::new(Vec::new()) };
}

/// Says where the bytes lie.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// The first byte lies directly behind an unmapped page.
    Begin,
    /// The last byte lies directly before an unmapped page.
    End,
    /// The first byte lies that many bytes behind an unmapped page, or as many as there
    /// is room for.
    Behind(usize),
}

/// Holds bytes on pages of their own. Dropping it checks that the bytes beside them are
/// unchanged.
pub struct Guarded {
    mapping: *mut u8,
    start: usize,
    length: usize,
}

impl Guarded {
    /// Copies `bytes` to a buffer at `place`.
    pub fn new(bytes: &[u8], place: Place) -> Self {
        let length = bytes.len();
        assert!(length <= LONGEST, "{length} bytes are more than a test buffer holds");
        let room = LONGEST - length;
        let start = match place {
            Place::Begin => 0,
            Place::End => room,
            Place::Behind(bytes) => bytes.min(room),
        };
        let mapping = FREE.with_borrow_mut(Vec::pop).unwrap_or_else(map);
        let mut guarded = Self { mapping, start: PAGE + start, length };
        let (before, after) = guarded.margins();
        for margin in [before, after] {
            // SAFETY: the margins are within the middle page, and nobody else has them.
            unsafe { ptr::write_bytes(mapping.add(margin.start), UNTOUCHED, margin.len()) }
        }
        guarded.copy_from_slice(bytes);
        guarded
    }

    /// Returns the ranges of the mapping beside the bytes that are checked.
    fn margins(&self) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let end = self.start + self.length;
        let before = PAGE.max(self.start - MARGIN)..self.start;
        (before, end..(2 * PAGE).min(end + MARGIN))
    }
}

/// Maps an accessible page between two that are not.
fn map() -> *mut u8 {
    // Miri protects no pages, but sees by itself what is touched beside a slice.
    let around = if cfg!(miri) { ProtFlags::READ | ProtFlags::WRITE } else { ProtFlags::empty() };
    // SAFETY: a new mapping, of which the middle page alone can be touched.
    unsafe {
        let mapping = mmap_anonymous(ptr::null_mut(), 3 * PAGE, around, MapFlags::PRIVATE).unwrap();
        if !cfg!(miri) {
            let middle = mapping.byte_add(PAGE);
            mprotect(middle, PAGE, MprotectFlags::READ | MprotectFlags::WRITE).unwrap();
        }
        mapping.cast()
    }
}

impl Deref for Guarded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the bytes are within the middle page, which this value owns.
        unsafe { std::slice::from_raw_parts(self.mapping.add(self.start), self.length) }
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the bytes are within the middle page, which this value owns.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.add(self.start), self.length) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let (before, after) = self.margins();
        let untouched = [before, after].into_iter().all(|margin| {
            // SAFETY: the margins are within the middle page.
            let bytes =
                unsafe { std::slice::from_raw_parts(self.mapping.add(margin.start), margin.len()) };
            bytes == &[UNTOUCHED; MARGIN][..margin.len()]
        });
        FREE.with_borrow_mut(|free| free.push(self.mapping));
        if !std::thread::panicking() {
            assert!(untouched, "something was written beside a buffer of {} bytes", self.length);
        }
    }
}

#[test]
fn the_bytes_on_either_side_cannot_be_touched() {
    use std::os::fd::AsRawFd;
    // Writing to a pipe reads the bytes; /dev/null would not.
    let (_reader, writer) = std::io::pipe().unwrap();
    let readable = |at: *const u8| {
        // SAFETY: an address that cannot be read is an error, and nothing worse.
        unsafe { libc::write(writer.as_raw_fd(), at.cast(), 1) == 1 }
    };
    for length in [1, 63, 4096, LONGEST] {
        let begin = Guarded::new(&vec![1; length], Place::Begin);
        assert!(readable(begin.as_ptr()));
        assert!(!readable(begin.as_ptr().wrapping_sub(1)), "{length} bytes, before");
        let end = Guarded::new(&vec![1; length], Place::End);
        assert!(readable(&end[length - 1]));
        assert!(!readable(end.as_ptr().wrapping_add(length)), "{length} bytes, after");
    }
}

#[test]
#[should_panic(expected = "written beside a buffer of 5 bytes")]
fn a_write_beside_the_bytes_is_noticed() {
    let mut guarded = Guarded::new(b"bytes", Place::Behind(1000));
    // SAFETY: the byte behind is within the middle page.
    unsafe { guarded.as_mut_ptr().add(5).write(0) };
}
