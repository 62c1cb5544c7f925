//! `amd64-pmc`: reads this thread's core cycles in user space with `rdpmc`.
//!
//! The kernel programs the counter and publishes its number on a mapped page
//! (see [`super::perf`]), so a read costs no system call. Context switches,
//! migration between like cores and counters that wrap are accounted for.

use super::perf::{Event, Mapped, Register, Unreadable};
use super::{Counter, Unavailable, Unit, barrier::barrier};
use std::arch::asm;

struct PerformanceCounter(Mapped);

pub(super) fn open() -> Result<Box<dyn Counter>, Unavailable> {
    let mapped = Mapped::open(Event::CORE_CYCLES, read_register, refusal)?;
    Ok(Box::new(PerformanceCounter(mapped)))
}

impl Counter for PerformanceCounter {
    fn name(&self) -> &'static str {
        "amd64-pmc"
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

/// Returns the raw count of a performance counter. Intel's fixed counters have bit 30 set.
fn read_register(register: Register<'_>) -> Option<u64> {
    let (low, high): (u32, u32);
    // SAFETY: there is a register only while the page of an event that counts says that
    // user space may execute rdpmc.
    unsafe {
        asm!("rdpmc", in("ecx") register.number(), out("eax") low, out("edx") high, options(nostack, preserves_flags));
    }
    Some(u64::from(high) << 32 | u64::from(low))
}

fn refusal(unreadable: Unreadable) -> Unavailable {
    match unreadable {
        Unreadable::Forbidden => Unavailable::UserReadDenied {
            remedy: "`echo 1 | sudo tee /sys/bus/event_source/devices/cpu*/rdpmc`, or choose \
                     default-perfevent with --counter",
        },
        Unreadable::NotCounting => Unavailable::NotCounting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remedy_names_the_file() {
        let text = refusal(Unreadable::Forbidden).to_string();
        assert!(text.contains("/sys/bus/event_source/devices/cpu*/rdpmc"), "{text}");
        assert_eq!(refusal(Unreadable::NotCounting), Unavailable::NotCounting);
    }
}
