//! Names system calls.

use nix::libc;

/// Returns the name of the system call with this number.
pub(crate) fn name(number: u64) -> String {
    let known = i64::try_from(number).ok().and_then(|number| {
        NAMES.iter().find(|(known, _)| *known == number).map(|(_, name)| (*name).to_owned())
    });
    known.unwrap_or_else(|| format!("number {number}"))
}

/// System calls that a library may make.
const NAMES: &[(i64, &str)] = &[
    (libc::SYS_read, "read"),
    (libc::SYS_write, "write"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, "open"),
    (libc::SYS_openat, "openat"),
    (libc::SYS_close, "close"),
    (libc::SYS_fstat, "fstat"),
    (libc::SYS_newfstatat, "newfstatat"),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_poll, "poll"),
    (libc::SYS_lseek, "lseek"),
    (libc::SYS_mmap, "mmap"),
    (libc::SYS_mprotect, "mprotect"),
    (libc::SYS_munmap, "munmap"),
    (libc::SYS_mremap, "mremap"),
    (libc::SYS_madvise, "madvise"),
    (libc::SYS_brk, "brk"),
    (libc::SYS_mlock, "mlock"),
    (libc::SYS_munlock, "munlock"),
    (libc::SYS_rt_sigaction, "rt_sigaction"),
    (libc::SYS_rt_sigprocmask, "rt_sigprocmask"),
    (libc::SYS_sigaltstack, "sigaltstack"),
    (libc::SYS_ioctl, "ioctl"),
    (libc::SYS_fcntl, "fcntl"),
    (libc::SYS_getpid, "getpid"),
    (libc::SYS_gettid, "gettid"),
    (libc::SYS_getuid, "getuid"),
    (libc::SYS_getppid, "getppid"),
    (libc::SYS_sched_yield, "sched_yield"),
    (libc::SYS_nanosleep, "nanosleep"),
    (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    (libc::SYS_clock_gettime, "clock_gettime"),
    (libc::SYS_gettimeofday, "gettimeofday"),
    (libc::SYS_getrusage, "getrusage"),
    (libc::SYS_times, "times"),
    (libc::SYS_futex, "futex"),
    (libc::SYS_getrandom, "getrandom"),
    (libc::SYS_prctl, "prctl"),
    (libc::SYS_tgkill, "tgkill"),
    (libc::SYS_membarrier, "membarrier"),
];
