//! `libcpucycles`: whatever counter an installed libcpucycles chooses.
//!
//! The library (<https://cpucycles.cr.yp.to>) is opened at run time. Its
//! `cpucycles` is "actually a function pointer" (`doc/api.md` of releases
//! 20230105 to 20240318; the changelog up to 20260625 names no change): a
//! variable, which the first call points at the counter chosen. Where it is a
//! plain function, as in SUPERCOP, the symbol's type says so, and it is called
//! directly.
//!
//! Its limits are taken over: counts scaled from a constant-rate timer are
//! called cycles, `amd64-perfpmc` wraps at 2⁴⁸, raw counters (`pmcff`) miss
//! what happens at context switches, and those of perf count the thread that
//! called the library first.

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

    /// The release, the counter it chose, and its estimate of the core's
    /// clock, with which it scales counters of constant rate.
    fn version(&self) -> Option<&str> {
        Some(&self.version)
    }
}

fn load(files: &[&str]) -> Result<LibCpuCycles, Unavailable> {
    let library = load_first(files)?;
    let symbols = Symbols(&library);
    let implementation = symbols.text("cpucycles_implementation")?;
    // That call has chosen the counter, so the pointer holds it from now on.
    let count = symbols.count("cpucycles")?;
    let release = symbols.text("cpucycles_version").unwrap_or_else(|_| {
        // Release 20230105 has it as a macro only.
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

/// What the chosen counter counts, by its name (`doc/counters.md`): cycle
/// counters of the core, or of perf, against timers.
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

    /// The function that the symbol is or, if it is a variable, points at.
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

/// What the dynamic symbol at `address` is, by its entry in the symbol table:
/// code and constants may share a mapping, so the address alone does not tell.
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
    // SAFETY: any address may be asked for; both results live long enough.
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
    // SAFETY: any address may be asked for; the result is not read.
    unsafe { libc::dladdr(address, information.as_mut_ptr()) != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::process::Command;

    /// The library's own structure, in short.
    const POINTER: &str = "
        static const char *chosen = \"none\";
        static long long now = 1000;
        static long long tick(void) { return now += 10; }
        static long long choose(void);
        long long (*cpucycles)(void) = choose;
        static long long choose(void) { chosen = IMPLEMENTATION; cpucycles = tick; return tick(); }
        const char *cpucycles_implementation(void) { cpucycles(); return chosen; }
        long long cpucycles_persecond(void) { cpucycles(); return 2399987654; }";
    const VERSION: &str = "
        const char *cpucycles_version(void) { return \"20260105\"; }";
    /// As SUPERCOP's own, in a library of the same name.
    const FUNCTION: &str = "
        static long long now;
        long long cpucycles(void) { return now -= 1; }
        const char *cpucycles_implementation(void) { return IMPLEMENTATION; }";

    #[test]
    fn loads_what_fits_and_refuses_the_rest() {
        let Some(workshop) = Workshop::open() else {
            return println!(
                "SKIPPED: 10 fakes of libcpucycles, no C compiler makes code for here"
            );
        };
        let load_fake = |name: &str, source: &str| {
            let path = workshop.build(name, source);
            load(&[path.to_str().unwrap()])
        };
        let problem = |name: &str, source: &str| match load_fake(name, source) {
            Err(Unavailable::WrongLibrary { problem, .. }) => problem,
            Err(other) => panic!("{name}: {other}"),
            Ok(_) => panic!("{name} was loaded"),
        };

        let pointer = format!("#define IMPLEMENTATION \"amd64-perfpmc\"\n{POINTER}{VERSION}");
        let counter = load_fake("pointer", &pointer).unwrap();
        assert_eq!(counter.name(), "libcpucycles");
        assert_eq!(counter.unit(), Unit::CoreCycles);
        assert_eq!(
            counter.version(),
            Some("20260105, amd64-perfpmc, 2399987654 cycles per second")
        );
        assert_eq!(counter.read().wrapping_neg().wrapping_add(counter.read()), 10);

        let first = format!("#define IMPLEMENTATION \"amd64-tsc\"\n{POINTER}");
        let counter = load_fake("first-release", &first).unwrap();
        assert_eq!(counter.unit(), Unit::ConstantRate);
        assert_eq!(
            counter.version(),
            Some("unknown release, amd64-tsc, 2399987654 cycles per second")
        );

        let function = format!("#define IMPLEMENTATION \"arm64-vct\"\n{FUNCTION}");
        let counter = load_fake("function", &function).unwrap();
        assert_eq!(counter.unit(), Unit::ConstantRate);
        assert_eq!(counter.version(), Some("unknown release, arm64-vct"));
        assert_eq!(counter.read(), u64::MAX, "a count below zero wraps");
        assert_eq!(counter.read(), u64::MAX - 1);

        let implementation = "const char *cpucycles_implementation(void) { return \"x\"; }";
        assert_eq!(problem("no-cpucycles", implementation), "it has no symbol cpucycles");
        assert_eq!(
            problem("no-implementation", "long long cpucycles(void) { return 0; }"),
            "it has no symbol cpucycles_implementation"
        );
        assert_eq!(
            problem("null", &format!("long long (*cpucycles)(void) = 0; {implementation}")),
            "its variable cpucycles points at no function"
        );
        assert_eq!(
            problem("number", &format!("long long cpucycles = 42; {implementation}")),
            "its variable cpucycles points at no function"
        );
        assert_eq!(
            problem("short", &format!("int cpucycles = 42; {implementation}")),
            "its symbol cpucycles is no function"
        );
        assert_eq!(
            problem("array", "const char cpucycles_implementation[] = \"amd64cpuinfo\";"),
            "its symbol cpucycles_implementation is no function"
        );
        assert_eq!(
            problem("mute", "const char *cpucycles_implementation(void) { return 0; }"),
            "cpucycles_implementation() returns nothing"
        );
    }

    #[test]
    fn what_is_no_library_is_not_loaded() {
        let folder = Folder::new("text");
        let text = folder.0.join("libcpucycles.so.1");
        std::fs::write(&text, "no library at all\n").unwrap();
        let missing = folder.0.join("missing.so");
        let files = [missing.to_str().unwrap(), text.to_str().unwrap()];
        let Err(unavailable) = load(&files) else { panic!("a text was loaded") };
        assert!(matches!(unavailable, Unavailable::NoLibrary { .. }), "{unavailable:?}");
        let text = unavailable.to_string();
        assert!(text.contains("missing.so") && text.contains("libcpucycles.so.1"), "{text}");
        assert!(text.contains("install it"), "{text}");
    }

    #[test]
    fn units_follow_the_names_of_every_release() {
        for name in [
            "amd64-pmc",
            "amd64-pmcff",
            "amd64-perfpmc",
            "amd64-perfpmcff",
            "arm64-pmc",
            "arm64-perfpmc",
            "default-perfevent",
            "riscv64-rdcycle",
            "riscv64-perfrdcycle",
            "arm32-cortex",
            "arm32-1176",
            "mips64-cc",
        ] {
            assert_eq!(unit(name), Unit::CoreCycles, "{name}");
        }
        for name in [
            "amd64-tsc",
            "amd64-tscasm",
            "arm64-vct",
            "loong64-rdtime",
            "ppc64-mftb",
            "s390x-stckf",
            "default-gettimeofday",
            "default-mach",
            "default-monotonic",
            "default-zero",
            "none",
        ] {
            assert_eq!(unit(name), Unit::ConstantRate, "{name}");
        }
    }

    /// A folder that goes with its test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let process = std::process::id();
            let path = std::env::temp_dir().join(format!("cpb-clock-{process}-{name}"));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// A C compiler for this architecture and a place for what it makes.
    struct Workshop {
        compiler: &'static str,
        folder: Folder,
    }

    impl Workshop {
        fn open() -> Option<Self> {
            // Under emulation cc makes code for the host.
            let known = ["cc", "gcc", "clang", "aarch64-linux-gnu-gcc"];
            let compiler = known.into_iter().find(|compiler| {
                Command::new(compiler).arg("-dumpmachine").output().is_ok_and(|output| {
                    String::from_utf8_lossy(&output.stdout).starts_with(std::env::consts::ARCH)
                })
            })?;
            Some(Self { compiler, folder: Folder::new("fakes") })
        }

        fn build(&self, name: &str, source: &str) -> PathBuf {
            let file = self.folder.0.join(name).with_extension("c");
            let library = file.with_extension("so");
            std::fs::write(&file, source).unwrap();
            let output = Command::new(self.compiler)
                .args(["-shared", "-fPIC", "-O1", "-o"])
                .args([&library, &file])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            library
        }
    }
}
