//! Reads from a shared library its soname, its dependencies, and what is loaded of it.
//!
//! Section headers are ignored, as the loader ignores them.

use object::Endianness;
use object::elf::{DT_NEEDED, DT_SONAME, DT_STRSZ, DT_STRTAB, DynamicTag, FileHeader64, PT_LOAD};
use object::read::StringTable;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use std::ops::Range;

/// Returns the soname of the shared library in this file.
pub(crate) fn soname(file: &[u8]) -> Option<String> {
    names(file, DT_SONAME)?.into_iter().next()
}

/// Returns the sonames of the libraries that it needs, in order; empty if it cannot be read.
pub(crate) fn needed(file: &[u8]) -> Vec<String> {
    names(file, DT_NEEDED).unwrap_or_default()
}

/// The memory image for which the loader reserves room.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// The offset of the first segment in the file.
    pub(crate) offset: u64,
    /// The addresses of all segments, before relocation.
    pub(crate) addresses: Range<u64>,
    /// The alignment of the relocation.
    pub(crate) align: u64,
}

/// Returns the image of a file that begins with `head`.
pub(crate) fn image(head: &[u8]) -> Option<Image> {
    let header = FileHeader64::<Endianness>::parse(head).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, head).ok()?;
    let loaded = || segments.iter().filter(|it| it.p_type(endian) == PT_LOAD);
    // Segments are in order of addresses.
    let (first, last) = (loaded().next()?, loaded().next_back()?);
    let end = last.p_vaddr(endian).checked_add(last.p_memsz(endian))?;
    let aligns = loaded().map(|it| it.p_align(endian)).filter(|align| align.is_power_of_two());
    Some(Image {
        offset: first.p_offset(endian),
        addresses: first.p_vaddr(endian)..end,
        align: aligns.max().unwrap_or(1),
    })
}

/// Returns the strings of all dynamic entries with this tag.
fn names(file: &[u8], tag: DynamicTag) -> Option<Vec<String>> {
    let header = FileHeader64::<Endianness>::parse(file).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, file).ok()?;
    let entries = segments.iter().find_map(|it| it.dynamic(endian, file).ok().flatten())?;
    let values = |tag| {
        let tagged = entries.iter().filter(move |entry| entry.tag(endian) == tag);
        tagged.map(move |entry| entry.val(endian))
    };
    let (address, length) = (values(DT_STRTAB).next()?, values(DT_STRSZ).next()?);
    let within = |it| ProgramHeader::data_range(it, endian, file, address, length).ok().flatten();
    let strings = segments.iter().find_map(within)?;
    let strings = StringTable::new(strings, 0, length);
    let text = |place: u64| strings.get(u32::try_from(place).ok()?).ok();
    values(tag).map(|place| Some(String::from_utf8_lossy(text(place)?).into_owned())).collect()
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// Reads the C library that this test runs with.
    fn c_library() -> Option<Vec<u8>> {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        let path = maps.split_whitespace().find(|word| word.ends_with("/libc.so.6"))?;
        std::fs::read(path).ok()
    }

    #[test]
    fn the_soname_of_the_c_library_and_the_needs_of_this_test() {
        let own = std::fs::read("/proc/self/exe").unwrap();
        let Some(library) = c_library() else {
            println!("skipped: this machine's C library is not glibc");
            return;
        };
        assert_eq!(soname(&library).as_deref(), Some("libc.so.6"));
        assert!(needed(&own).contains(&"libc.so.6".to_owned()), "{:?}", needed(&own));
        assert_eq!(soname(&own), None);
    }

    #[test]
    fn a_file_of_another_kind_or_cut_short_has_no_names() {
        assert_eq!(soname(b""), None);
        assert_eq!(soname(b"not a shared library"), None);
        let own = std::fs::read("/proc/self/exe").unwrap();
        for length in [5, 6, 40, 64, 100, 1000] {
            assert_eq!(needed(&own[..length]), Vec::<String>::new(), "{length}");
        }
        // Garbage in place of addresses must not lead outside the file.
        let mut garbage = own[..4096].to_vec();
        garbage[32..].fill(0xff);
        assert_eq!(needed(&garbage), Vec::<String>::new());
    }
}
