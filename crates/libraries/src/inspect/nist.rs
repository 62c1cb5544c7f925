//! Checks known answers of NIST's post-quantum competition: files such as `PQCkemKAT_2400.rsp`,
//! whose records have a seed and the resulting values; and PQClean's `META.yml`, which has the
//! SHA-256 of the first record.

use super::answers::{self, Fields};
use cpb_kernels::base16;
use cpb_kernels::sha256::Sha256;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt::Write;
use std::path::Path;

/// The function that makes the values of a record, for sources that work with key pairs.
pub const NIST: &str = "cpb_nist";
type Hear = unsafe extern "C" fn(*mut c_void, *const c_char, *const u8, u64);
type Nist = unsafe extern "C" fn(*const u8, *const u8, u64, Hear, *mut c_void) -> c_int;

/// The number of records checked per file, because some schemes take a second for each.
const RECORDS: usize = 10;
const SEED_BYTES: usize = 48;
/// Fields of a record that are not bytes.
const LENGTHS: [&str; 2] = ["mlen", "smlen"];
/// The key in `META.yml`.
const DIGEST: &str = "nistkat-sha256:";
/// Seed and message of the first record of every file: the generator's first output from the bytes
/// 0 to 47.
const FIRST_SEED: &str = "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7\
                          056A8C266F9EF97ED08541DBD2E1FFA1";
const FIRST_MESSAGE: &str = "D81C4D8D734FCBFBEADE3D3F8A039FAA2A2C9957E835AD55B22E75BF57BB556AC8";

/// The values made, in order.
type Values = Vec<(String, Vec<u8>)>;

/// Checks the values that the library at `library` makes against a file and counts the records, or
/// returns what is wrong. A file with keys of other lengths belongs to another scheme.
pub(super) fn check(library: &Path, file: &Path) -> Result<u64, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let of_file = |reason: String| format!("{name}: {reason}");
    let text = cpb_host::files::read(file, answers::MOST_ANSWERS)
        .map_err(|error| of_file(error.to_string()))?;
    let text = String::from_utf8_lossy(&text);
    if name == "META.yml" {
        return digest(library, &text).map_err(of_file);
    }
    let records = answers::records(&text, "count", &LENGTHS).map_err(of_file)?;
    let mut count = 0;
    for (number, fields) in records.iter().take(RECORDS) {
        let wrong = |reason: String| format!("{name}, count = {number}: {reason}");
        match record(library, fields).map_err(wrong)? {
            true => count += 1,
            false => return Ok(0),
        }
    }
    Ok(count)
}

/// Checks a record; returns false if its keys have other lengths.
fn record(library: &Path, fields: &Fields) -> Result<bool, String> {
    let field = |name: &str| fields.get(name).map(Vec::as_slice);
    let seed = field("seed").ok_or("it has no seed")?;
    let made = make(library, seed, field("msg").unwrap_or_default())?;
    for (name, found) in &made {
        let expected = field(name).ok_or_else(|| format!("it has no {name}"))?;
        if name == "pk" && found.len() != expected.len() {
            return Ok(false);
        }
        answers::compare(name, found, expected)?;
    }
    Ok(true)
}

/// Checks the first record by its digest, in PQClean's format.
fn digest(library: &Path, text: &str) -> Result<u64, String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(DIGEST));
    let Some(expected) = line.map(str::trim) else { return Ok(0) };
    let bytes = |text: &str| base16::decode(text.as_bytes()).map_err(|error| error.to_string());
    let made = make(library, &bytes(FIRST_SEED)?, &bytes(FIRST_MESSAGE)?)?;
    let is_signature = made.iter().any(|(name, _)| name == "sm");
    let mut words = format!("count = 0\nseed = {FIRST_SEED}\n");
    if is_signature {
        let _ = writeln!(words, "mlen = {}\nmsg = {FIRST_MESSAGE}", FIRST_MESSAGE.len() / 2);
    }
    for (name, bytes) in &made {
        if name == "sm" {
            let _ = writeln!(words, "smlen = {}", bytes.len());
        }
        let _ = writeln!(words, "{name} = {}", base16::encode(bytes).to_ascii_uppercase());
    }
    let found = base16::encode(&Sha256::digest(words.as_bytes())).to_ascii_lowercase();
    match found == expected.to_ascii_lowercase() {
        true => Ok(1),
        false => Err(format!(
            "its nistkat-sha256 is {}… where {}… is right",
            &found[..16],
            expected.chars().take(16).collect::<String>()
        )),
    }
}

fn make(library: &Path, seed: &[u8], message: &[u8]) -> Result<Values, String> {
    if seed.len() != SEED_BYTES {
        return Err(format!("its seed has {} bytes, not {SEED_BYTES}", seed.len()));
    }
    // SAFETY: it was loaded before, and stays; loading it again runs nothing.
    let library =
        unsafe { libloading::Library::new(library) }.map_err(|error| error.to_string())?;
    // SAFETY: the function is of our own sources, with this type.
    let nist = unsafe { library.get::<Nist>(NIST) }.map_err(|error| error.to_string())?;
    let mut made = Values::new();
    // SAFETY: the seed has the length that the function takes, the message has the stated length,
    // and `hear` is called only during the call, with this address.
    let status = unsafe {
        nist(
            seed.as_ptr(),
            message.as_ptr(),
            message.len() as u64,
            hear,
            (&raw mut made).cast::<c_void>(),
        )
    };
    // The called library stays loaded.
    std::mem::forget(library);
    if status == 0 { Ok(made) } else { Err("it does not take what it made of the seed".to_owned()) }
}

/// Stores a field.
///
/// # Safety
/// `to` is a [`Values`] that nobody else uses, `name` ends with a zero, and there are `count`
/// bytes.
unsafe extern "C" fn hear(to: *mut c_void, name: *const c_char, bytes: *const u8, count: u64) {
    // SAFETY: as the caller states.
    let (made, name, bytes) = unsafe {
        (
            &mut *to.cast::<Values>(),
            CStr::from_ptr(name),
            std::slice::from_raw_parts(bytes, count as usize),
        )
    };
    made.push((name.to_string_lossy().into_owned(), bytes.to_vec()));
}
