//! Holds the registers of a process.

use crate::NotTraced;
use crate::linux::effects::Memory;
use iced_x86::Register;
use nix::libc::user_regs_struct;

/// The instruction at which a process stops (INT3).
pub(crate) const BREAKPOINT: [u8; 1] = [0xcc];

/// The registers of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Registers(pub(super) user_regs_struct);

impl Registers {
    pub(crate) fn program_counter(&self) -> u64 {
        self.0.rip
    }

    pub(crate) fn set_program_counter(&mut self, address: u64) {
        self.0.rip = address;
    }

    pub(crate) fn stack_pointer(&self) -> u64 {
        self.0.rsp
    }

    /// Returns the address of the breakpoint that the process has just run into.
    pub(crate) fn breakpoint(&self) -> u64 {
        self.0.rip.wrapping_sub(BREAKPOINT.len() as u64)
    }

    /// Returns the number of the system call that is about to be made.
    pub(crate) fn system_call(&self) -> u64 {
        self.0.rax
    }

    /// Returns the first arguments of a function that was just entered.
    pub(crate) fn arguments(&self) -> [u64; 3] {
        [self.0.rdi, self.0.rsi, self.0.rdx]
    }

    /// Returns the result of a function that just returned.
    pub(crate) fn result(&self) -> u64 {
        self.0.rax
    }

    /// Returns where a function that was just entered returns to, and the stack pointer then.
    pub(crate) fn returns_to(&self, memory: &dyn Memory) -> Result<(u64, u64), NotTraced> {
        Ok((memory.read_word(self.0.rsp)?, self.0.rsp.wrapping_add(8)))
    }

    /// Returns the value of a register, or the base of a segment, that can be part of an address.
    pub(super) fn value(&self, register: Register) -> Option<u64> {
        let registers = &self.0;
        Some(match register {
            Register::RAX => registers.rax,
            Register::RBX => registers.rbx,
            Register::RCX => registers.rcx,
            Register::RDX => registers.rdx,
            Register::RSI => registers.rsi,
            Register::RDI => registers.rdi,
            Register::RBP => registers.rbp,
            Register::RSP => registers.rsp,
            Register::R8 => registers.r8,
            Register::R9 => registers.r9,
            Register::R10 => registers.r10,
            Register::R11 => registers.r11,
            Register::R12 => registers.r12,
            Register::R13 => registers.r13,
            Register::R14 => registers.r14,
            Register::R15 => registers.r15,
            Register::FS => registers.fs_base,
            Register::GS => registers.gs_base,
            part if part.is_gpr32() => self.value(part.full_register())? & 0xffff_ffff,
            Register::CS | Register::DS | Register::ES | Register::SS => 0,
            _ => return None,
        })
    }
}

impl From<user_regs_struct> for Registers {
    fn from(registers: user_regs_struct) -> Self {
        Self(registers)
    }
}

impl From<Registers> for user_regs_struct {
    fn from(registers: Registers) -> Self {
        registers.0
    }
}

#[cfg(test)]
impl Default for Registers {
    fn default() -> Self {
        macro_rules! zeros {
            ($($register:ident)+) => {
                Self(user_regs_struct { $($register: 0),+ })
            };
        }
        zeros!(r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp
            ss fs_base gs_base ds es fs gs)
    }
}
