//! Opens perf events, and reads one that counts this thread's core cycles without a system call.
//!
//! The event is that of `perf stat -e cycles:uD`: cycles of the calling thread in user space, not
//! in the kernel, a hypervisor or a guest. It is pinned, so that the kernel counts them all or
//! reports that it does not. It belongs to the thread that opened it; counters are not `Send`.
//!
//! Layouts and protocol follow `linux/perf_event.h`.

use super::Unavailable;
use super::losses::{Losses, Reading};
use std::marker::PhantomData;
use std::ops::Deref;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU32, AtomicU64, compiler_fence};

/// Selects what to count.
pub(super) struct Event {
    pub(super) kind: u32,
    pub(super) config: u64,
    /// Additional configuration, specific to the PMU driver.
    pub(super) config1: u64,
}

impl Event {
    /// `PERF_TYPE_HARDWARE`, `PERF_COUNT_HW_CPU_CYCLES`.
    pub(super) const CORE_CYCLES: Event = Event { kind: 0, config: 0, config1: 0 };
    /// `PERF_TYPE_SOFTWARE`, `PERF_COUNT_SW_TASK_CLOCK`.
    #[cfg(test)]
    pub(super) const TASK_CLOCK: Event = Event { kind: 1, config: 1, config1: 0 };
}

/// Opens `event` for this thread on any core; it counts from now on.
///
/// Its `read(2)` returns three words, those of [`Reading`].
pub(super) fn open(event: Event) -> Result<OwnedFd, Unavailable> {
    const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
    const THIS_THREAD: libc::pid_t = 0;
    const ANY_CPU: libc::c_int = -1;
    const NO_GROUP: libc::c_int = -1;

    let attributes = Attributes {
        kind: event.kind,
        size: size_of::<Attributes>() as u32,
        config: event.config,
        config1: event.config1,
        read_format: TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING,
        flags: PINNED | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR | EXCLUDE_GUEST,
        ..Attributes::default()
    };
    // SAFETY: the kernel reads `size` bytes of the attributes, which are that long.
    let descriptor = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            THIS_THREAD,
            ANY_CPU,
            NO_GROUP,
            CLOSE_ON_EXEC,
        )
    };
    if descriptor < 0 {
        let error = std::io::Error::last_os_error();
        return Err(open_refused(&error, std::fs::read_to_string(PARANOID).ok().as_deref()));
    }
    // SAFETY: the kernel has just returned this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as libc::c_int) })
}

const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

/// Explains a refusal of `perf_event_open`.
fn open_refused(error: &std::io::Error, paranoid: Option<&str>) -> Unavailable {
    let remedy = match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => {
            let paranoid = paranoid.and_then(|value| value.trim().parse().ok());
            return Unavailable::PerfDenied { paranoid };
        }
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV | libc::ENXIO) => {
            return Unavailable::NoHardwareCounter;
        }
        Some(libc::ENOSYS) => return Unavailable::NoPerfEvents,
        Some(libc::EMFILE | libc::ENFILE) => "raise the number of open files with `ulimit -n`",
        Some(libc::EBUSY) => "end the other use of perf, which has the PMU to itself",
        _ => "choose another with --counter",
    };
    Unavailable::PerfFailed { call: "perf_event_open", error: error.to_string(), remedy }
}

const TOTAL_TIME_ENABLED: u64 = 1 << 0;
const TOTAL_TIME_RUNNING: u64 = 1 << 1;
const PINNED: u64 = 1 << 2;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
const EXCLUDE_GUEST: u64 = 1 << 20;

/// `struct perf_event_attr` as first published (`PERF_ATTR_SIZE_VER0`); the kernel treats later
/// fields as zero.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
}

const _: () = assert!(size_of::<Attributes>() == 64);

/// An event that user space can read directly.
pub(super) struct Mapped {
    page: Mapping,
    losses: Losses,
    _event: OwnedFd,
}

impl Mapped {
    /// Opens and maps `event`, and tests that `read_register` can read it; otherwise `refusal`
    /// makes the error.
    pub(super) fn open(
        event: Event,
        read_register: impl FnMut(Register<'_>) -> Option<u64>,
        refusal: impl FnOnce(Unreadable) -> Unavailable,
    ) -> Result<Self, Unavailable> {
        let event = open(event)?;
        let page = Mapping::new(&event)?;
        let first = page.read(read_register).map_err(refusal)?;
        Ok(Self { page, losses: Losses::since(first), _event: event })
    }

    /// Returns the current count. The caller orders it among the surrounding instructions.
    #[inline]
    pub(super) fn read(&self, read_register: impl FnMut(Register<'_>) -> Option<u64>) -> u64 {
        self.losses.count(self.page.read(read_register).ok())
    }
}

/// The reason why user space cannot read an event now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// The kernel does not allow it.
    Forbidden,
    /// No counter that we can read counts the event.
    NotCounting,
}

/// The number of a hardware counter that counts an event of this thread and that user space may
/// read. Only an event's page provides it, and only while it is being read.
pub(super) struct Register<'page> {
    number: u32,
    _page: PhantomData<&'page Page>,
}

impl Register<'_> {
    #[inline]
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Creates a number that no CPU has.
    #[cfg(all(test, target_arch = "aarch64"))]
    pub(super) fn of_none(number: u32) -> Self {
        assert!(number > 31);
        Self { number, _page: PhantomData }
    }
}

/// The mapped first page of an event.
struct Mapping(NonNull<Page>);

impl Mapping {
    fn new(event: &OwnedFd) -> Result<Self, Unavailable> {
        // SAFETY: a new mapping of the event, read-only, where the kernel
        // likes it; the length is rounded up to one page of any size.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<Page>(),
                libc::PROT_READ,
                libc::MAP_SHARED,
                event.as_raw_fd(),
                0,
            )
        };
        let page = NonNull::new(address).filter(|_| address != libc::MAP_FAILED);
        page.map(|page| Self(page.cast())).ok_or_else(|| Unavailable::PerfFailed {
            call: "mapping the perf event",
            error: std::io::Error::last_os_error().to_string(),
            remedy: "raise kernel.perf_event_mlock_kb or `ulimit -l`",
        })
    }
}

impl Deref for Mapping {
    type Target = Page;

    fn deref(&self) -> &Page {
        // SAFETY: mapped, page-aligned and readable until dropped; the kernel
        // writes it, which the atomics allow.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped with this length by `new`; the only reference is ours.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Page>()) };
    }
}

/// The beginning of `struct perf_event_mmap_page`.
#[repr(C)]
struct Page {
    version: u32,
    compatible_version: u32,
    lock: AtomicU32,
    index: AtomicU32,
    offset: AtomicI64,
    time_enabled: AtomicU64,
    time_running: AtomicU64,
    capabilities: AtomicU64,
    width: AtomicU16,
}

const _: () = assert!(std::mem::offset_of!(Page, lock) == 8);
const _: () = assert!(std::mem::offset_of!(Page, width) == 48);

impl Page {
    const USER_READ: u64 = 1 << 2;

    /// Reads the event by the header's protocol: again whenever the kernel rewrote the page
    /// meanwhile.
    ///
    /// The kernel does that on this core, between two instructions, so the compiler's order of
    /// instructions is enough.
    #[inline]
    fn read(
        &self,
        mut read_register: impl FnMut(Register<'_>) -> Option<u64>,
    ) -> Result<Reading, Unreadable> {
        loop {
            let lock = self.lock.load(Relaxed);
            compiler_fence(SeqCst);
            let reading = self.read_once(&mut read_register);
            compiler_fence(SeqCst);
            if self.lock.load(Relaxed) == lock {
                return reading;
            }
        }
    }

    #[inline]
    fn read_once(
        &self,
        read_register: &mut impl FnMut(Register<'_>) -> Option<u64>,
    ) -> Result<Reading, Unreadable> {
        if self.capabilities.load(Relaxed) & Self::USER_READ == 0 {
            return Err(Unreadable::Forbidden);
        }
        // The index is the register's number plus one; 0 means that the event is on no register.
        let index = self.index.load(Relaxed);
        let number = index.checked_sub(1).ok_or(Unreadable::NotCounting)?;
        let raw = read_register(Register { number, _page: PhantomData })
            .ok_or(Unreadable::NotCounting)?;
        let since_scheduled =
            sign_extend(raw, self.width.load(Relaxed)).ok_or(Unreadable::NotCounting)?;
        Ok(Reading {
            count: self.offset.load(Relaxed).wrapping_add(since_scheduled) as u64,
            enabled: self.time_enabled.load(Relaxed),
            running: self.time_running.load(Relaxed),
        })
    }
}

/// Interprets the lowest `width` bits as a signed number: the kernel starts a counter below zero,
/// so that it overflows, and interrupts, in time.
fn sign_extend(raw: u64, width: u16) -> Option<i64> {
    let unused = 64_u32.checked_sub(u32::from(width))?;
    Some((raw.checked_shl(unused)? as i64) >> unused)
}

#[cfg(test)]
mod tests;
