//! Chooses where a library lies in memory, instead of leaving it to chance.
//!
//! The kernel maps libraries at random addresses, and some calls cost percents more at some of
//! them: AES-GCM of 64 bytes by OpenSSL took 683 cycles instead of 627 on a Zen 5 wherever the text
//! of libcrypto crossed a multiple of 16 MiB, which happened in one process of eight. Branch
//! predictors keep only low bits of targets, so the address decides which branches they confuse.
//! Libraries are therefore loaded at eight positions in turn: at every multiple of 2 MiB, to which
//! kernels align large files anyway, modulo 16 MiB. On a CPU whose predictors keep other bits,
//! these are as good as any other addresses.
//!
//! The same holds for physical memory: one of five copies of libcrypto cost 2.7 to 5 % more in hashes
//! of 64 bytes on a Zen 5, until its pages were dropped from the page cache and read again. So each
//! process copies the pages of its library, and no file keeps an advantage.
//!
//! Not placed are a library's own dependencies, which lie below it, and this program with its own
//! kernels, which is mapped before any of this can run.

use crate::elf;
use crate::runtime::load_file;
use cpb_host::maps;
use rustix::io::Errno;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect, munmap};
use std::ffi::c_void;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::ptr;

/// The number of positions, and the distance between them.
pub const POSITIONS: u8 = 8;
const STEP: usize = 2 << 20;

/// Gaps in the address space that are filled before giving up.
const ATTEMPTS: usize = 64;
/// The size of the header of a file with up to about sixty segments; libraries have about ten.
const HEADER_BYTES: u64 = 4096;

/// Loads the library in `file` at `position` if possible, so that whoever opens it next finds it
/// there, in pages of its own; [`position`] returns where it is.
pub fn load_at(file: &Path, position: u8) {
    // Opening it later reports why it cannot be loaded.
    if make_room(file, position).is_ok_and(|has_room| has_room) && load_file(file).is_ok() {
        copy_pages(file);
    }
}

/// Replaces the pages that the library in `file` shares with other processes by copies, if the
/// system permits it.
fn copy_pages(file: &Path) {
    let maps = maps::read("self");
    for mapping in of_file(&maps, file) {
        let allowed = match mapping.permissions {
            "r-xp" => MprotectFlags::READ | MprotectFlags::EXEC,
            "r--p" => MprotectFlags::READ,
            _ => continue,
        };
        let Range { start, end } = mapping.addresses;
        let (start, bytes) = (start as usize, (end - start) as usize);
        let start = ptr::with_exposed_provenance_mut::<c_void>(start);
        // SAFETY: what can be read and executed before can be afterwards.
        if unsafe { mprotect(start, bytes, allowed | MprotectFlags::WRITE) }.is_err() {
            continue;
        }
        for page in (0..bytes).step_by(rustix::param::page_size()) {
            // SAFETY: the page can be written now, and keeps its content. Nobody else writes it:
            // it could not be written before.
            unsafe {
                let byte = start.cast::<u8>().add(page);
                byte.write_volatile(byte.read_volatile());
            }
        }
        // SAFETY: these were its permissions. Only guarded branch targets of aarch64 (PROT_BTI) are
        // not guarded any more, which the lines of the file do not tell.
        let _ = unsafe { mprotect(start, bytes, allowed) };
    }
}

/// Returns the position of the library in `file` in this process; `None` if it is not loaded, or
/// lies elsewhere.
pub fn position(file: &Path) -> Option<u8> {
    position_of(of_file(&maps::read("self"), file).next()?.addresses.start as usize)
}

/// Returns the mappings of `file` in lines of /proc/self/maps, which are sorted by address.
fn of_file<'a>(maps: &'a str, file: &Path) -> impl Iterator<Item = maps::Mapping<'a>> {
    let is_its = move |it: &maps::Mapping<'_>| !it.is_deleted && file == Path::new(it.path);
    maps.lines().filter_map(maps::Mapping::parse).filter(is_its)
}

fn position_of(address: usize) -> Option<u8> {
    let step = address / STEP % usize::from(POSITIONS);
    address.is_multiple_of(STEP).then_some(step as u8)
}

/// Returns the highest address up to `up_to` that is at `position`.
fn highest(position: u8, up_to: usize) -> Option<usize> {
    let all = STEP * usize::from(POSITIONS);
    let below = up_to.checked_sub(usize::from(position) * STEP)?;
    Some(below / all * all + usize::from(position) * STEP)
}

/// Reserves addresses until the loader's next mapping of `file` begins at `position`; returns
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
        // Kernels use the highest gap that is large enough. Linux 5.18 to 6.7 go 2 MiB lower if its
        // end is already aligned, but not with an additional page.
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

/// Reserves the addresses from `start` to `end`; returns whether all of them were free.
fn reserve(start: usize, end: usize) -> io::Result<bool> {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    let address = ptr::without_provenance_mut::<c_void>(start);
    let bytes = end.saturating_sub(start);
    // SAFETY: it replaces nothing that is mapped, and nobody can use what it maps.
    match unsafe { mmap_anonymous(address, bytes, ProtFlags::empty(), flags) } {
        // Linux before 4.17 maps elsewhere instead. That costs nothing, and may stay.
        Ok(mapped) => Ok(mapped == address),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The loader's first request to the kernel when it loads a library: addresses for all of it.
struct Mapping {
    file: File,
    offset: u64,
    bytes: usize,
    /// The library's alignment within those, if its segments need more than a page.
    align: usize,
}

impl Mapping {
    /// Reads it from the library in `file`; `None` if that is no library.
    fn of(file: &Path) -> io::Result<Option<Self>> {
        let file = cpb_host::files::open(file)?;
        let mut head = Vec::new();
        (&file).take(HEADER_BYTES).read_to_end(&mut head)?;
        let page = rustix::param::page_size();
        let Some(image) = elf::image(&head) else { return Ok(None) };
        let start = image.addresses.start / page as u64 * page as u64;
        let bytes = image.addresses.end.saturating_sub(start) as usize;
        let align = (image.align as usize).max(page);
        // Enough to contain an aligned place for it.
        let room = if align > page { bytes.max(align).saturating_add(align) } else { bytes };
        let Some(bytes) = room.checked_next_multiple_of(page) else { return Ok(None) };
        let offset = image.offset / page as u64 * page as u64;
        Ok(Some(Self { file, offset, bytes, align }))
    }

    /// Returns where the kernel would map it now, and where the library would begin in that.
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
