//! `arm64-pmc`: reads this thread's core cycles in user space with `mrs`.
//!
//! Since Linux 5.17 a perf event may ask for user access; with
//! `kernel.perf_user_access=1` the kernel then publishes which register holds
//! the count (see [`super::perf`]), so a read costs no system call.

use super::perf::{Event, Mapped, Register, Unreadable};
use super::{Counter, Unavailable, Unit, barrier::barrier};
use std::arch::asm;

/// `config1` of the Armv8 PMU driver: a 64-bit counter (bit 0), readable by
/// user space (bit 1).
const LONG_WITH_USER_ACCESS: u64 = 0b11;

/// The published number of the dedicated cycle counter, minus one.
const CYCLE_COUNTER: u32 = 31;

const USER_ACCESS: &str = "/proc/sys/kernel/perf_user_access";

struct PerformanceCounter(Mapped);

pub(super) fn open() -> Result<Box<dyn Counter>, Unavailable> {
    let event = Event { config1: LONG_WITH_USER_ACCESS, ..Event::CORE_CYCLES };
    let mapped = Mapped::open(event, read_register, |unreadable| {
        refusal(unreadable, std::fs::read_to_string(USER_ACCESS).ok().as_deref())
    })?;
    Ok(Box::new(PerformanceCounter(mapped)))
}

impl Counter for PerformanceCounter {
    fn name(&self) -> &'static str {
        "arm64-pmc"
    }

    fn unit(&self) -> Unit {
        Unit::CoreCycles
    }

    fn read(&self) -> u64 {
        barrier();
        let cycles = self.0.read(read_register);
        barrier();
        cycles
    }
}

/// Returns the raw count of the cycle counter or of an event counter; the instruction names the
/// counter, so each number has code of its own.
fn read_register(register: Register<'_>) -> Option<u64> {
    macro_rules! register {
        ($name:expr) => {{
            let count: u64;
            // SAFETY: there is a register only while the page of an event that counts says
            // that user space may read it.
            unsafe {
                asm!(concat!("mrs {count}, ", $name), count = out(reg) count,
                     options(nostack, preserves_flags));
            }
            count
        }};
    }
    macro_rules! event_counters {
        ($($known:literal)*) => {
            match register.number() {
                CYCLE_COUNTER => Some(register!("pmccntr_el0")),
                $($known => Some(register!(concat!("pmevcntr", $known, "_el0"))),)*
                _ => None,
            }
        };
    }
    event_counters!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30)
}

/// If the setting forbids user access, the page says "not counting", too.
fn refusal(unreadable: Unreadable, perf_user_access: Option<&str>) -> Unavailable {
    let allowed = perf_user_access.is_some_and(|value| value.trim() == "1");
    match unreadable {
        Unreadable::NotCounting if allowed => Unavailable::NotCounting,
        Unreadable::NotCounting | Unreadable::Forbidden => Unavailable::UserReadDenied {
            remedy: "`sudo sysctl kernel.perf_user_access=1` (Linux 5.17 or later), or choose \
                     default-perfevent with --counter",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_decides_what_a_silent_page_means() {
        let line = "`sudo sysctl kernel.perf_user_access=1`";
        for setting in [None, Some("0\n")] {
            let text = refusal(Unreadable::NotCounting, setting).to_string();
            assert!(text.contains(line), "{setting:?}: {text}");
        }
        assert_eq!(refusal(Unreadable::NotCounting, Some("1\n")), Unavailable::NotCounting);
        let text = refusal(Unreadable::Forbidden, Some("1\n")).to_string();
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn a_number_beyond_the_registers_is_no_counter() {
        assert_eq!(read_register(Register::of_none(32)), None);
        assert_eq!(read_register(Register::of_none(u32::MAX)), None);
    }
}
