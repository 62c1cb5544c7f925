//! Inspects what was built from foreign sources: its offers, and the checksums of its outputs. It
//! runs in a process of its own, in a [`sandbox`].

mod answers;
mod nist;

pub use answers::MOST_ANSWERS;
pub use nist::NIST;

use crate::children::leave;
use crate::sandbox;
use cpb_model::Offer;
use cpb_provider::Library;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::ffi::{CStr, c_char, c_int};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The hidden subcommand with which cpb starts itself to inspect.
pub const SUBCOMMAND: &str = "inspect";

/// The function that computes a checksum of the small or big tests, as text; it returns 1 and the
/// reason if there is none.
pub const CHECK: &str = "cpb_check";
type Check = unsafe extern "C" fn(is_big: c_int, text: *mut c_char, room: u64) -> c_int;

const ROOM: usize = 256;

/// The result of an inspection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    pub offers: Vec<Offer>,
    /// Checksums of the small and of the big tests, or why there are none.
    pub checksums: Vec<Result<String, String>>,
    /// The CPU time of both.
    pub nanoseconds: u64,
    /// The number of correct known answers, or the first failure.
    pub answers: Result<u64, String>,
}

/// Inspects a file, checks it against known answers, and writes the result to standard output.
///
/// # Errors
/// Why it cannot be inspected.
pub fn serve(file: &Path, answers: &[&Path]) -> Result<Infallible, String> {
    let answer = own_output().map_err(|error| error.to_string())?;
    let own = std::process::id();
    sandbox::enter().map_err(|error| format!("it cannot be confined: {error}"))?;
    let provider = cpb_provider::open_file("folder", file).map_err(|error| error.to_string())?;
    let offers = provider.offers().to_vec();
    let before = processor_time();
    let checksums = checksums(file)?;
    let nanoseconds = processor_time().saturating_sub(before);
    let check = |answers: &&Path| match answers.extension() {
        Some(ending) if ending == "txt" => answers::check(&provider, answers),
        _ => nist::check(file, answers),
    };
    let answers = answers.iter().map(check).sum();
    if std::process::id() == own {
        let found = Inspection { offers, checksums, nanoseconds, answers };
        let mut line = serde_json::to_vec(&found).map_err(|error| error.to_string())?;
        line.push(b'\n');
        (&answer).write_all(&line).map_err(|error| error.to_string())?;
    }
    leave()
}

/// Takes over standard output, so that whatever the library prints goes nowhere.
fn own_output() -> io::Result<File> {
    let answer = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    let nowhere = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    Ok(answer.into())
}

fn checksums(file: &Path) -> Result<Vec<Result<String, String>>, String> {
    // SAFETY: it was loaded before, and stays; loading it again runs nothing.
    let library = unsafe { libloading::Library::new(file) }.map_err(|error| error.to_string())?;
    // SAFETY: the function is of our own sources, with this type.
    let check = unsafe { library.get::<Check>(CHECK) }.map_err(|error| error.to_string())?;
    let mut checksums = Vec::new();
    for is_big in [0, 1] {
        let mut text = [0; ROOM];
        // SAFETY: `text` has `ROOM` bytes, and ends with a zero in any case.
        let status = unsafe { check(is_big, text.as_mut_ptr(), ROOM as u64) };
        text[ROOM - 1] = 0;
        // SAFETY: it ends with a zero at the latest there.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned();
        checksums.push(if status == 0 { Ok(text) } else { Err(text) });
        if status != 0 {
            break;
        }
    }
    // The called library stays loaded.
    std::mem::forget(library);
    Ok(checksums)
}

fn processor_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}
