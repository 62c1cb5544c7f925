//! `libcpucycles`: reads whatever counter an installed libcpucycles chooses.
//!
//! The library (<https://cpucycles.cr.yp.to>) is opened at run time. Its `cpucycles` is "actually a
//! function pointer" (`doc/api.md` of releases 20230105 to 20240318; the changelog up to 20260625
//! names no change): a variable, which the first call sets to the chosen counter. If it is a plain
//! function, as in SUPERCOP, the symbol's type says so, and it is called directly.
//!
//! Its limits apply: counts scaled from a constant-rate timer are called cycles, `amd64-perfpmc`
//! wraps at 2⁴⁸, raw counters (`pmcff`) miss what happens at context switches, and those of perf
//! count the thread that called the library first.

#[cfg(test)]
mod tests;

use super::{Counter, Unavailable, Unit, barrier::barrier};
use libloading::Library;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_longlong, c_void};
use std::mem::MaybeUninit;

const NAME: &str = "libcpucycles";

const FILES: [&str; 2] = ["libcpucycles.so.1", "libcpucycles.so"];

type Count = unsafe extern "C" fn() -> c_longlong;
type Text = unsafe extern "C" fn() -> *const c_char;

struct LibCpuCycles {
    count: Count,
    unit: Unit,
    version: String,
    /// Keeps `count` mapped.
    _library: Library,
}

pub(super) fn open() -> Result<Box<dyn Counter>, Unavailable> {
    Ok(Box::new(load(&FILES)?))
}

impl Counter for LibCpuCycles {
    fn name(&self) -> &'static str {
        NAME
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn read(&self) -> u64 {
        // The library has no barriers of its own.
        barrier();
        // SAFETY: a function without arguments, in a library that stays loaded.
        let count = unsafe { (self.count)() };
        barrier();
        count as u64
    }

    /// Returns the release, the chosen counter, and the library's estimate of the core clock, with
    /// which it scales constant-rate counters.
    fn version(&self) -> Option<&str> {
        Some(&self.version)
    }
}

fn load(files: &[&str]) -> Result<LibCpuCycles, Unavailable> {
    let library = load_first(files)?;
    let symbols = Symbols(&library);
    let implementation = symbols.text("cpucycles_implementation")?;
    // That call has chosen the counter, so from now on the pointer refers to it.
    let count = symbols.count("cpucycles")?;
    let release = symbols.text("cpucycles_version").unwrap_or_else(|_| {
        // Release 20230105 defines it only as a macro.
        "unknown release".to_owned()
    });
    let clock = symbols.count("cpucycles_persecond").map_or_else(
        |_| String::new(),
        // SAFETY: by the library's header, a function without arguments.
        |per_second| format!(", {} cycles per second", unsafe { per_second() }),
    );
    Ok(LibCpuCycles {
        count,
        unit: unit(&implementation),
        version: format!("{release}, {implementation}{clock}"),
        _library: library,
    })
}

fn load_first(files: &[&str]) -> Result<Library, Unavailable> {
    let mut errors = Vec::new();
    for file in files {
        // SAFETY: libcpucycles runs nothing when loaded; whoever installs a
        // library by its name answers for it.
        match unsafe { Library::new(*file) } {
            Ok(library) => return Ok(library),
            Err(error) => {
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                errors.push(format!("{file}: {}", cause.trim_start_matches(&format!("{file}: "))));
            }
        }
    }
    Err(Unavailable::NoLibrary { library: NAME, error: errors.join(", ") })
}

/// Returns what the chosen counter counts, from its name (`doc/counters.md`): cycles of the core or
/// of perf, or a timer.
fn unit(implementation: &str) -> Unit {
    const OF_THE_CORE: [&str; 6] = ["pmc", "perfevent", "rdcycle", "cortex", "1176", "mips64-cc"];
    if OF_THE_CORE.iter().any(|name| implementation.contains(name)) {
        Unit::CoreCycles
    } else {
        Unit::ConstantRate
    }
}

/// The symbols of a loaded library, each tested before it is called.
struct Symbols<'library>(&'library Library);

impl Symbols<'_> {
    fn count(&self, name: &str) -> Result<Count, Unavailable> {
        let function = self.function(name)?;
        // SAFETY: a function; by the library's header, of this type.
        Ok(unsafe { std::mem::transmute::<*const c_void, Count>(function) })
    }

    fn text(&self, name: &str) -> Result<String, Unavailable> {
        let function = self.function(name)?;
        // SAFETY: a function; by the library's header, of this type.
        let function = unsafe { std::mem::transmute::<*const c_void, Text>(function) };
        // SAFETY: a function without arguments.
        let text = unsafe { function() };
        if text.is_null() {
            return Err(wrong(format!("{name}() returns nothing")));
        }
        // SAFETY: by the library's header, a string that is never freed.
        Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }

    /// Returns the function that the symbol is, or, if it is a variable, the one it points to.
    fn function(&self, name: &str) -> Result<*const c_void, Unavailable> {
        // SAFETY: the symbol is only taken as an address.
        let symbol = unsafe { self.0.get::<*const c_void>(name) }
            .map_err(|_| wrong(format!("it has no symbol {name}")))?;
        let address: *const c_void = *symbol;
        match kind_of(address) {
            Some(Kind::Function) => Ok(address),
            Some(Kind::Variable { size }) if size == size_of::<*const c_void>() => {
                // SAFETY: a variable of this size, which nobody writes now.
                let target = unsafe { address.cast::<*const c_void>().read_unaligned() };
                is_loaded(target)
                    .then_some(target)
                    .ok_or_else(|| wrong(format!("its variable {name} points at no function")))
            }
            _ => Err(wrong(format!("its symbol {name} is no function"))),
        }
    }
}

fn wrong(problem: String) -> Unavailable {
    Unavailable::WrongLibrary { library: NAME, problem }
}

enum Kind {
    Function,
    Variable { size: usize },
}

/// Returns what the dynamic symbol at `address` is, from its entry in the symbol table: code and
/// constants may share a mapping, so the address alone does not tell.
fn kind_of(address: *const c_void) -> Option<Kind> {
    type Dladdr1 =
        unsafe extern "C" fn(*const c_void, *mut libc::Dl_info, *mut *mut c_void, c_int) -> c_int;
    const RTLD_DL_SYMENT: c_int = 1;
    const STT_OBJECT: u8 = 1;
    const STT_FUNC: u8 = 2;

    // Looked up by name, since only glibc has it.
    let process = libloading::os::unix::Library::this();
    // SAFETY: by dladdr1(3), a function of this type.
    let dladdr1 = unsafe { process.get::<Dladdr1>("dladdr1") }.ok()?;
    let mut information = MaybeUninit::<libc::Dl_info>::uninit();
    let mut entry: *mut c_void = std::ptr::null_mut();
    // SAFETY: any address may be passed; both results live long enough.
    let found =
        unsafe { dladdr1(address, information.as_mut_ptr(), &raw mut entry, RTLD_DL_SYMENT) };
    if found == 0 || entry.is_null() {
        return None;
    }
    // SAFETY: on success, the entry lies in the symbol table of a loaded library.
    let entry = unsafe { entry.cast::<libc::Elf64_Sym>().read() };
    match entry.st_info & 0xf {
        STT_FUNC => Some(Kind::Function),
        STT_OBJECT => Some(Kind::Variable { size: entry.st_size as usize }),
        _ => None,
    }
}

/// Whether `address` lies in a loaded library.
fn is_loaded(address: *const c_void) -> bool {
    let mut information = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: any address may be passed; the result is not read.
    unsafe { libc::dladdr(address, information.as_mut_ptr()) != 0 }
}
