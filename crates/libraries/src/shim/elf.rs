//! What a shared library says of itself: its soname, and those it needs.
//!
//! Read from the file, as System V's gABI describes it: section headers are not
//! looked at, since the loader does not either.

const LOADED: u32 = 1;
const DYNAMIC: u32 = 2;
const END: u64 = 0;
const NEEDED: u64 = 1;
const STRING_TABLE: u64 = 5;
const SONAME: u64 = 14;

/// The soname of the shared library whose file this is.
pub(super) fn soname(file: &[u8]) -> Option<String> {
    names(file, SONAME)?.into_iter().next()
}

/// The sonames of the libraries that it needs, in order; none if it cannot be
/// read.
pub(super) fn needed(file: &[u8]) -> Vec<String> {
    names(file, NEEDED).unwrap_or_default()
}

/// A program header: a part of the file, and the address it is loaded to.
struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    length: u64,
}

/// The strings of all entries of the dynamic section with this tag.
fn names(file: &[u8], tag: u64) -> Option<Vec<String>> {
    let segments = segments(file)?;
    let dynamic = segments.iter().find(|segment| segment.kind == DYNAMIC)?;
    let entries: Vec<(u64, u64)> = (0..dynamic.length / 16)
        .map_while(|index| {
            let place = dynamic.offset + 16 * index;
            Some((word(file, place)?, word(file, place + 8)?))
        })
        .take_while(|(found, _)| *found != END)
        .collect();
    let (_, strings) = entries.iter().find(|(found, _)| *found == STRING_TABLE)?;
    let home = segments.iter().find(|segment| {
        segment.kind == LOADED
            && (segment.address..segment.address + segment.length).contains(strings)
    })?;
    let strings = strings - home.address + home.offset;
    entries
        .iter()
        .filter(|(found, _)| *found == tag)
        .map(|(_, place)| text(file, strings.checked_add(*place)?))
        .collect()
}

/// The program headers of a 64-bit file of this machine's byte order.
fn segments(file: &[u8]) -> Option<Vec<Segment>> {
    const SIXTY_FOUR_BITS: u8 = 2;
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    if !file.starts_with(&[0x7f, b'E', b'L', b'F', SIXTY_FOUR_BITS, order]) {
        return None;
    }
    let table = word(file, 32)?;
    let size = u64::from(half(file, 54)?);
    let count = u64::from(half(file, 56)?);
    (0..count)
        .map(|index| {
            let place = table.checked_add(size * index)?;
            Some(Segment {
                kind: u32::from_ne_bytes(bytes(file, place)?),
                offset: word(file, place + 8)?,
                address: word(file, place + 16)?,
                length: word(file, place + 32)?,
            })
        })
        .collect()
}

fn bytes<const LENGTH: usize>(file: &[u8], place: u64) -> Option<[u8; LENGTH]> {
    let start = usize::try_from(place).ok()?;
    file.get(start..start.checked_add(LENGTH)?)?.try_into().ok()
}

fn word(file: &[u8], place: u64) -> Option<u64> {
    bytes(file, place).map(u64::from_ne_bytes)
}

fn half(file: &[u8], place: u64) -> Option<u16> {
    bytes(file, place).map(u16::from_ne_bytes)
}

fn text(file: &[u8], place: u64) -> Option<String> {
    let rest = file.get(usize::try_from(place).ok()?..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&rest[..end]).into_owned())
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// The C library that this test runs with.
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
        let mut other_order = own[..4096].to_vec();
        other_order[5] ^= 3;
        assert_eq!(needed(&other_order), Vec::<String>::new());
        // Garbage where addresses stood must not be followed out of the file.
        let mut garbage = own[..4096].to_vec();
        garbage[32..].fill(0xff);
        assert_eq!(needed(&garbage), Vec::<String>::new());
    }
}
