//! Holds the registers of a process.

use crate::NotTraced;
use crate::linux::effects::Memory;

/// The instruction at which a process stops (BRK #0).
pub(crate) const BREAKPOINT: [u8; 4] = 0xd420_0000_u32.to_le_bytes();

/// The number that stands for the stack pointer in an address, and for zero elsewhere.
pub(super) const STACK_POINTER: u32 = 31;
pub(super) const LINK: usize = 30;

/// The registers of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(super) general: [u64; 31],
    pub(super) stack_pointer: u64,
    pub(super) program_counter: u64,
    /// The process state, with the condition flags.
    pub(super) state: u64,
}

impl Registers {
    pub(crate) fn program_counter(&self) -> u64 {
        self.program_counter
    }

    pub(crate) fn set_program_counter(&mut self, address: u64) {
        self.program_counter = address;
    }

    pub(crate) fn stack_pointer(&self) -> u64 {
        self.stack_pointer
    }

    /// Returns the address of the breakpoint that the process has just run into.
    pub(crate) fn breakpoint(&self) -> u64 {
        self.program_counter
    }

    /// Returns the number of the system call that is about to be made.
    pub(crate) fn system_call(&self) -> u64 {
        self.general[8]
    }

    /// Returns the first arguments of a function that was just entered.
    pub(crate) fn arguments(&self) -> [u64; 3] {
        [self.general[0], self.general[1], self.general[2]]
    }

    /// Returns the result of a function that just returned.
    pub(crate) fn result(&self) -> u64 {
        self.general[0]
    }

    /// Returns where a function that was just entered returns to, and the stack pointer then.
    pub(crate) fn returns_to(&self, _memory: &dyn Memory) -> Result<(u64, u64), NotTraced> {
        Ok((self.general[LINK], self.stack_pointer))
    }

    /// Returns the value of a register that is an operand; number 31 is zero.
    pub(super) fn value(&self, register: u32) -> u64 {
        self.general.get(register as usize).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, register: u32, value: u64) {
        if let Some(it) = self.general.get_mut(register as usize) {
            *it = value;
        }
    }

    /// Returns the value of a register that is the base of an address.
    pub(super) fn base(&self, register: u32) -> u64 {
        if register == STACK_POINTER { self.stack_pointer } else { self.value(register) }
    }
}

#[cfg(target_arch = "aarch64")]
impl From<nix::libc::user_regs_struct> for Registers {
    fn from(registers: nix::libc::user_regs_struct) -> Self {
        Self {
            general: registers.regs,
            stack_pointer: registers.sp,
            program_counter: registers.pc,
            state: registers.pstate,
        }
    }
}

#[cfg(target_arch = "aarch64")]
impl From<Registers> for nix::libc::user_regs_struct {
    fn from(registers: Registers) -> Self {
        Self {
            regs: registers.general,
            sp: registers.stack_pointer,
            pc: registers.program_counter,
            pstate: registers.state,
        }
    }
}
