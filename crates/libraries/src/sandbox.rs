//! Restricts code built from foreign sources to computing, reading files and starting threads. From
//! before that code is loaded, the kernel permanently denies everything else: starting processes,
//! writing files, reaching the network, touching other processes. It is a list of allowed system
//! calls, so that those of future kernels are denied.

use std::io;
use std::mem::offset_of;

/// A system call that is allowed, always or if an argument has these bits.
struct Allowed {
    call: libc::c_long,
    only: Option<Only>,
}

struct Only {
    argument: usize,
    mask: u32,
    bits: u32,
}

/// System calls that change nothing outside this process.
#[rustfmt::skip]
const HARMLESS: &[libc::c_long] = &[
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64,
    libc::SYS_preadv, libc::SYS_lseek, libc::SYS_close, libc::SYS_dup, libc::SYS_dup3,
    libc::SYS_fstat, libc::SYS_newfstatat, libc::SYS_statx, libc::SYS_statfs, libc::SYS_fstatfs,
    libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_readlinkat, libc::SYS_getdents64,
    libc::SYS_getcwd, libc::SYS_fadvise64, libc::SYS_ppoll, libc::SYS_pselect6,
    libc::SYS_mmap, libc::SYS_mprotect, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_brk,
    libc::SYS_madvise, libc::SYS_mincore, libc::SYS_mlock, libc::SYS_munlock, libc::SYS_mbind,
    libc::SYS_get_mempolicy, libc::SYS_set_mempolicy, libc::SYS_pkey_alloc, libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect, libc::SYS_membarrier, libc::SYS_futex, libc::SYS_set_robust_list,
    libc::SYS_rseq, libc::SYS_set_tid_address, libc::SYS_gettid, libc::SYS_getpid,
    libc::SYS_getppid, libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid,
    libc::SYS_getcpu, libc::SYS_sched_yield, libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam, libc::SYS_sched_getscheduler, libc::SYS_getrusage,
    libc::SYS_times, libc::SYS_uname, libc::SYS_sysinfo, libc::SYS_getrandom,
    libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep, libc::SYS_gettimeofday, libc::SYS_setitimer, libc::SYS_getitimer,
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending, libc::SYS_rt_sigtimedwait, libc::SYS_sigaltstack,
    libc::SYS_restart_syscall, libc::SYS_perf_event_open, libc::SYS_exit, libc::SYS_exit_group,
    #[cfg(target_arch = "x86_64")] libc::SYS_stat,
    #[cfg(target_arch = "x86_64")] libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")] libc::SYS_access,
    #[cfg(target_arch = "x86_64")] libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")] libc::SYS_poll,
    #[cfg(target_arch = "x86_64")] libc::SYS_select,
    #[cfg(target_arch = "x86_64")] libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")] libc::SYS_time,
    #[cfg(target_arch = "x86_64")] libc::SYS_alarm,
    #[cfg(target_arch = "x86_64")] libc::SYS_pause,
    #[cfg(target_arch = "x86_64")] libc::SYS_arch_prctl,
    #[cfg(target_arch = "x86_64")] libc::SYS_getrlimit,
];

/// The flags of opening a file to write or create it.
const WRITING: u32 = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC).cast_unsigned();

/// Returns the system calls that are harmless with certain arguments.
fn harmless_if() -> Vec<Allowed> {
    let only = |call, argument, mask, bits| {
        let only = Only { argument, mask, bits };
        Allowed { call, only: Some(only) }
    };
    let thread = libc::CLONE_THREAD.cast_unsigned();
    let (own, all) = (std::process::id(), u32::MAX);
    let controls = [libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_DUPFD_CLOEXEC];
    let names = [libc::PR_SET_NAME, libc::PR_GET_NAME];
    let mut allowed = vec![
        only(libc::SYS_openat, 2, WRITING, 0),
        #[cfg(target_arch = "x86_64")]
        only(libc::SYS_open, 1, WRITING, 0),
        only(libc::SYS_clone, 0, thread, thread),
        only(libc::SYS_tgkill, 0, all, own),
        only(libc::SYS_kill, 0, all, own),
        only(libc::SYS_prlimit64, 0, all, 0),
        only(libc::SYS_sched_setaffinity, 0, all, 0),
        // Asks whether it is a terminal.
        only(libc::SYS_ioctl, 1, all, libc::TCGETS as u32),
    ];
    allowed.extend(controls.map(|it| only(libc::SYS_fcntl, 1, all, it.cast_unsigned())));
    allowed.extend(names.map(|it| only(libc::SYS_prctl, 0, all, it.cast_unsigned())));
    allowed
}

/// The kernel's constant for this architecture (`AUDIT_ARCH_…`); with the call numbers of another,
/// everything could be requested.
const ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else {
    None
};
/// The first call number of x32 on x86-64.
const OTHER_NUMBERS: u32 = 0x4000_0000;

/// Makes the kernel permanently deny this thread, and all threads that it starts, everything that
/// is not listed.
///
/// # Errors
/// If the kernel cannot do that.
pub fn enter() -> io::Result<()> {
    let architecture = ARCHITECTURE.ok_or(io::ErrorKind::Unsupported)?;
    let mut program = filter(architecture);
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(io::Error::other)?,
        filter: program.as_mut_ptr(),
    };
    // Otherwise kernels before 5.16 would disable speculation features, and figures could not be
    // compared with those of other libraries.
    let flags = libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    let mode = libc::SECCOMP_SET_MODE_FILTER;
    // SAFETY: both take numbers, and the second a program that stays during the call.
    let status = unsafe {
        match libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) {
            0 => libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program),
            failed => failed.into(),
        }
    };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the list as a Berkeley packet filter program, which decides on each call.
fn filter(architecture: u32) -> Vec<libc::sock_filter> {
    // Opcode, steps to skip if true and if false, and value.
    let step =
        |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    let load =
        |offset: usize| step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset as u32);
    let equals = |k: u32, jf: u8| step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, jf, k);
    let and = |k: u32| step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, k);
    let end = |k: u32| step(libc::BPF_RET | libc::BPF_K, 0, 0, k);
    let number = offset_of!(libc::seccomp_data, nr);
    let allow = libc::SECCOMP_RET_ALLOW;
    let refuse = |errno: i32| libc::SECCOMP_RET_ERRNO | errno.cast_unsigned();

    let mut program = vec![
        load(offset_of!(libc::seccomp_data, arch)),
        equals(architecture, 2),
        load(number),
        step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, OTHER_NUMBERS),
        end(refuse(libc::EPERM)),
        // The C library then uses `clone`, whose flags can be checked.
        equals(libc::SYS_clone3 as u32, 1),
        end(refuse(libc::ENOSYS)),
    ];
    let harmless = HARMLESS.iter().map(|call| Allowed { call: *call, only: None });
    for Allowed { call, only } in harmless.chain(harmless_if()) {
        let call = call as u32;
        match only {
            None => program.extend([equals(call, 1), end(allow)]),
            Some(Only { argument, mask, bits }) => {
                // Both architectures store the lower half first.
                let offset = offset_of!(libc::seccomp_data, args) + 8 * argument;
                program.extend([equals(call, 5), load(offset), and(mask), equals(bits, 1)]);
                program.extend([end(allow), load(number)]);
            }
        }
    }
    program.push(end(refuse(libc::EPERM)));
    program
}
