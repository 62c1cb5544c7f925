//! Names system calls.

use nix::libc;

/// Returns the name of the system call with this number.
pub(crate) fn name(number: u64) -> String {
    let is_it = |(known, _): &&(i64, &str)| i64::try_from(number) == Ok(*known);
    let known = NAMES.iter().chain(OLDER).find(is_it);
    known.map_or_else(|| format!("number {number}"), |(_, name)| name.replace("SYS_", ""))
}

/// Makes a list of system calls, with their names.
macro_rules! named {
    ($($call:ident)+) => {
        &[$((libc::$call, stringify!($call))),+]
    };
}

/// System calls that a library may make.
const NAMES: &[(i64, &str)] = named!(
    SYS_read SYS_write SYS_openat SYS_close SYS_fstat SYS_newfstatat SYS_lseek SYS_mmap
    SYS_mprotect SYS_munmap SYS_mremap SYS_madvise SYS_brk SYS_mlock SYS_munlock SYS_rt_sigaction
    SYS_rt_sigprocmask SYS_sigaltstack SYS_ioctl SYS_fcntl SYS_getpid SYS_gettid SYS_getuid
    SYS_getppid SYS_sched_yield SYS_nanosleep SYS_clock_nanosleep SYS_clock_gettime
    SYS_gettimeofday SYS_getrusage SYS_times SYS_futex SYS_getrandom SYS_prctl SYS_tgkill
    SYS_membarrier
);

/// Those that only x86-64 has.
#[cfg(target_arch = "x86_64")]
const OLDER: &[(i64, &str)] = named!(SYS_open SYS_poll);
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[(i64, &str)] = &[];
