//! Where a library lies in the address space, chosen and not drawn.
//!
//! The kernel maps libraries at random addresses, and some calls cost percents more at some of
//! them: those of AES-GCM of 64 bytes by OpenSSL took 683 cycles instead of 627 on a Zen 5
//! wherever the text of libcrypto crossed a multiple of 16 MiB, which was in one process of
//! eight. Branch predictors keep low bits of targets only, and which branches these take for
//! each other changes with the address. So libraries are loaded at eight positions in turn: at
//! every multiple of 2 MiB, by which kernels align large files anyway, modulo 16 MiB. On a CPU
//! whose predictors keep other bits that is as good as any other address.
//!
//! What is not placed: what a library needs itself, which lies below it, and this program with
//! its own kernels, which is mapped before any of this can run.

use crate::elf;
use crate::runtime::load_file;
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::ptr;

/// How many positions there are, and how far each is from the next.
pub const POSITIONS: u8 = 8;
const STEP: usize = 2 << 20;

/// Gaps in the address space that are filled before a library is left where it comes to lie.
const ATTEMPTS: usize = 64;
/// The header of a file with up to sixty-odd segments; libraries have about ten.
const HEADER_BYTES: u64 = 4096;

/// Has the library of this `file` loaded at `position` if it can be, so that whoever opens it
/// next finds it there; [`position`] tells what came of it.
pub fn load_at(file: &Path, position: u8) {
    if let Ok(true) = make_room(file, position) {
        // Why it cannot be loaded is said to who opens it.
        let _ = load_file(file);
    }
}

/// At which of the positions the library of this `file` lies in this process; `None` where it
/// is not loaded, or lies somewhere else.
#[must_use]
pub fn position(file: &Path) -> Option<u8> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    position_of(lowest(&maps, file.to_str()?)?)
}

/// The address at which the lowest mapping of the file begins, in lines of `address permissions
/// offset device inode path` (proc_pid_maps(5)), which are by address.
fn lowest(maps: &str, file: &str) -> Option<usize> {
    let is_of_it = |line: &&str| line.strip_suffix(file).is_some_and(|line| line.ends_with(' '));
    let (start, _) = maps.lines().find(is_of_it)?.split_once('-')?;
    usize::from_str_radix(start, 16).ok()
}

fn position_of(address: usize) -> Option<u8> {
    let step = address / STEP % usize::from(POSITIONS);
    address.is_multiple_of(STEP).then_some(step as u8)
}

/// The highest address up to this one that is at `position`.
fn highest(position: u8, up_to: usize) -> Option<usize> {
    let all = STEP * usize::from(POSITIONS);
    let below = up_to.checked_sub(usize::from(position) * STEP)?;
    Some(below / all * all + usize::from(position) * STEP)
}

/// Takes addresses away until the loader's next mapping of `file` begins at `position`; says
/// whether it does.
fn make_room(file: &Path, position: u8) -> io::Result<bool> {
    let Some(mapping) = Mapping::of(file)? else { return Ok(false) };
    let page = rustix::param::page_size();
    for attempt in 0..ATTEMPTS {
        let (room, start) = mapping.tried()?;
        let Some(wanted) = highest(position, start) else { break };
        if start == wanted {
            return Ok(true);
        }
        // Kernels give the highest gap that is large enough. Linux 5.18 to 6.7 go 2 MiB lower
        // where the end of one is aligned already, but not with a page more.
        let spare = attempt % 2 * page;
        let end = room + mapping.bytes;
        let mut from = (wanted + mapping.bytes + spare).min(end - page);
        while !reserve(from, end)? {
            // Something lies in between.
            if from >= room {
                return Ok(false);
            }
            from += ((room - from) / 2).next_multiple_of(page);
        }
    }
    Ok(false)
}

/// Takes the addresses from `start` to `end` out of use; says whether all of them were free.
fn reserve(start: usize, end: usize) -> io::Result<bool> {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    let address = ptr::without_provenance_mut::<c_void>(start);
    let bytes = end.saturating_sub(start);
    // SAFETY: it replaces nothing that is mapped, and nobody can use what it maps.
    match unsafe { mmap_anonymous(address, bytes, ProtFlags::empty(), flags) } {
        // Linux before 4.17 maps elsewhere instead. That costs nothing, and stays.
        Ok(mapped) => Ok(mapped == address),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// What the loader asks the kernel for first, as it loads a library: addresses for all of it.
struct Mapping {
    file: File,
    offset: u64,
    bytes: usize,
    /// Of the library in those, where pages are smaller than its segments want.
    align: usize,
}

impl Mapping {
    /// Of the library in `file`; `None` where that is none.
    fn of(file: &Path) -> io::Result<Option<Self>> {
        let file = cpb_host::files::open(file)?;
        let mut head = Vec::new();
        (&file).take(HEADER_BYTES).read_to_end(&mut head)?;
        let page = rustix::param::page_size();
        let Some(image) = elf::image(&head) else { return Ok(None) };
        let start = image.addresses.start / page as u64 * page as u64;
        let bytes = image.addresses.end.saturating_sub(start) as usize;
        let align = (image.align as usize).max(page);
        // So much that an aligned place for it is within.
        let room = if align > page { bytes.max(align).saturating_add(align) } else { bytes };
        let Some(bytes) = room.checked_next_multiple_of(page) else { return Ok(None) };
        let offset = image.offset / page as u64 * page as u64;
        Ok(Some(Self { file, offset, bytes, align }))
    }

    /// Where the kernel would put it now, and where in that the library would begin.
    fn tried(&self) -> io::Result<(usize, usize)> {
        let (bytes, flags) = (self.bytes, MapFlags::PRIVATE);
        let no_address = ptr::null_mut();
        // SAFETY: the kernel chooses addresses that nobody uses, and nobody reads there.
        let mapped = unsafe {
            if self.align > rustix::param::page_size() {
                mmap_anonymous(no_address, bytes, ProtFlags::empty(), flags)?
            } else {
                mmap(no_address, bytes, ProtFlags::READ, flags, &self.file, self.offset)?
            }
        };
        // SAFETY: it is the mapping from above, which nobody uses.
        unsafe { munmap(mapped, bytes)? };
        let start = mapped.addr();
        Ok((start, start.next_multiple_of(self.align)))
    }
}
