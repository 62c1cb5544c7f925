//! Explains why a counter cannot be used, and what would help.

/// The reason why a counter cannot be used here. Its text states the reason and, after a semicolon,
/// the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// The counter belongs to another instruction set.
    #[error("{counter} needs an {needs} CPU; nothing to do on this machine")]
    OtherArchitecture {
        /// The requested counter.
        counter: &'static str,
        /// The architecture it needs.
        needs: &'static str,
    },
    /// The count does not move, or jumps.
    #[error("{counter} does not advance as a counter must; choose another with --counter")]
    Stuck {
        /// The requested counter.
        counter: &'static str,
    },
    /// No counter has this name.
    #[error("unknown counter '{counter}'; choose one of {}", known.join(", "))]
    Unknown {
        /// The requested name.
        counter: String,
        /// The names of all counters.
        known: Vec<&'static str>,
    },
    /// The kernel does not let this process open a perf event.
    #[error("{}", denied(*paranoid))]
    PerfDenied {
        /// The value of `kernel.perf_event_paranoid`; absent if it cannot be read.
        paranoid: Option<i32>,
    },
    /// Perf events work, but no hardware counts cycles.
    #[error(
        "the kernel exposes no hardware cycle counter, as in a virtual machine without a \
         virtual PMU; enable one (KVM: -cpu host,pmu=on), or run on hardware (in a cloud, a \
         bare-metal size)"
    )]
    NoHardwareCounter,
    /// The kernel was built without perf events, or an emulator has none.
    #[error(
        "this kernel (or emulator) has no perf_event_open; use one built with \
         CONFIG_PERF_EVENTS, or choose another with --counter"
    )]
    NoPerfEvents,
    /// A system call of perf failed in a way that has no variant of its own.
    #[error("{call} failed: {error}; {remedy}")]
    PerfFailed {
        call: &'static str,
        /// The operating system's message.
        error: String,
        remedy: &'static str,
    },
    /// The event counts, but user space may not read it.
    #[error("the kernel does not let user space read the cycle counter; {remedy}")]
    UserReadDenied {
        /// The setting to change, which depends on the architecture.
        remedy: &'static str,
    },
    /// The event was opened, but no counter of this core counts it.
    #[error(
        "the event is not on a counter of this core: others hold the counters, or this is the \
         other kind of core of a hybrid CPU; end other uses of perf, \
         `sudo sysctl kernel.nmi_watchdog=0`, pin to the performance cores with taskset"
    )]
    NotCounting,
    /// The library behind the counter cannot be loaded.
    #[error(
        "{library} cannot be loaded ({error}); install it (Debian and Ubuntu: libcpucycles1, \
         Fedora: libcpucycles, source: https://cpucycles.cr.yp.to) or put its folder into \
         LD_LIBRARY_PATH"
    )]
    NoLibrary {
        library: &'static str,
        /// The dynamic linker's message.
        error: String,
    },
    /// The library was loaded, but is not the expected one.
    #[error(
        "{library} was loaded, but {problem}; install a release from \
         https://cpucycles.cr.yp.to"
    )]
    WrongLibrary {
        library: &'static str,
        /// What does not fit.
        problem: String,
    },
}

/// The highest `kernel.perf_event_paranoid` at which an unprivileged thread
/// may count its own cycles in user space.
const PARANOID_ENOUGH: i32 = 2;

fn denied(paranoid: Option<i32>) -> String {
    let sysctl = format!("`sudo sysctl kernel.perf_event_paranoid={PARANOID_ENOUGH}`");
    let container = "in a container its seccomp profile must let perf_event_open pass, too \
                     (docker run --cap-add=PERFMON, or --security-opt seccomp=unconfined)";
    match paranoid {
        Some(level) if level <= PARANOID_ENOUGH => format!(
            "perf_event_open is denied although kernel.perf_event_paranoid is {level}, so a \
             security policy forbids it; {container}"
        ),
        Some(level) => format!(
            "the kernel denies perf events to ordinary users (kernel.perf_event_paranoid is \
             {level}); {sysctl} is enough for one's own user-space cycles, or give the process \
             CAP_PERFMON; {container}"
        ),
        None => format!(
            "perf_event_open is denied (kernel.perf_event_paranoid cannot be read); {sysctl}, \
             or give the process CAP_PERFMON; {container}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_states_reason_and_remedy() {
        let every = [
            Unavailable::OtherArchitecture { counter: "arm64-vct", needs: "aarch64" },
            Unavailable::Stuck { counter: "amd64-tsc" },
            Unavailable::Unknown { counter: "tsc".to_owned(), known: vec!["amd64-tsc"] },
            Unavailable::PerfDenied { paranoid: Some(4) },
            Unavailable::PerfDenied { paranoid: Some(-1) },
            Unavailable::PerfDenied { paranoid: None },
            Unavailable::NoHardwareCounter,
            Unavailable::NoPerfEvents,
            Unavailable::PerfFailed { call: "mmap", error: "no".to_owned(), remedy: "yes" },
            Unavailable::UserReadDenied { remedy: "allow it" },
            Unavailable::NotCounting,
            Unavailable::NoLibrary { library: "libcpucycles", error: "none".to_owned() },
            Unavailable::WrongLibrary { library: "libcpucycles", problem: "it is not".to_owned() },
        ];
        for unavailable in every {
            let text = unavailable.to_string();
            let (reason, remedy) = text.split_once("; ").unwrap_or_default();
            assert!(!reason.is_empty() && !remedy.is_empty(), "{text}");
            assert!(!text.contains("  "), "a line break shows: {text}");
        }
    }

    #[test]
    fn the_sysctl_is_only_offered_where_it_helps() {
        let line = "`sudo sysctl kernel.perf_event_paranoid=2`";
        for (paranoid, helps) in
            [(Some(4), true), (Some(3), true), (Some(2), false), (Some(-1), false), (None, true)]
        {
            let text = Unavailable::PerfDenied { paranoid }.to_string();
            assert_eq!(text.contains(line), helps, "{text}");
            assert!(text.contains("seccomp"), "{text}");
            if let Some(level) = paranoid {
                assert!(text.contains(&format!("perf_event_paranoid is {level}")), "{text}");
            }
        }
    }
}
