//! Instructions and registers of x86-64.

mod classes;
mod instruction;
mod reads;
mod registers;

pub(crate) use classes::{OF_CRYPTOGRAPHY, TOLD, WIDENED, has_class};
pub(crate) use instruction::{Instruction, LONGEST, pushes, slot, without_distances};
pub(crate) use reads::reads;
pub(crate) use registers::{BREAKPOINT, Registers};
