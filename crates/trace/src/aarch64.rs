//! Instructions and registers of aarch64. Encodings are those of the Arm Architecture Reference
//! Manual (DDI 0487), chapter C4.

mod accesses;
mod classes;
mod instruction;
mod registers;

pub(crate) use accesses::{pushes, reads};
pub(crate) use classes::{OF_CRYPTOGRAPHY, TOLD, WIDENED, has_class};
pub(crate) use instruction::{Instruction, LONGEST, slot, without_distances};
pub(crate) use registers::{BREAKPOINT, Registers};
