//! Opens shims: providers for C and C++ libraries, built where their headers are found and embedded
//! in the program, which passes them to this crate.
//!
//! A shim names the library it was linked with, such as `libbotan-2.so.19`, and the loader finds
//! that when it loads the shim. The user's own build of the library is therefore loaded first,
//! because the loader takes what is already loaded under that name.
//!
//! A shim that is linked with no library is handed the open library, and looks up its functions. It
//! was built without headers, and accepts any version.

mod functions;
mod image;

use crate::catalogue::canonical::canonical;
use crate::catalogue::lengths;
use crate::elf;
use crate::runtime::{self, Installed};
use cpb_model::{Contract, Offer};
use cpb_provider::first_use::{self, Passed};
use cpb_provider::{
    self as provider, Identity, Inputs, Library, OpenError, PrepareResult, Provider,
};
use libloading::os::unix::Library as Loaded;
use std::ffi::c_void;
use std::path::Path;
use std::sync::OnceLock;

/// A library reached through a shim, with the result of building it.
#[derive(Debug)]
pub struct Shim {
    pub name: &'static str,
    /// The library's own name.
    pub title: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// Debian's packages with its headers, the best first.
    pub packages: &'static [&'static str],
    /// Prefixes of the library's sonames; empty if no library is loaded.
    pub sonames: &'static [&'static str],
    /// A symbol that every version has.
    pub symbol: &'static str,
    /// Other libraries that the shim is linked with, as the linker names them.
    pub beside: &'static [&'static str],
    /// How to find the library that is handed to the shim; `None` if it is linked with it.
    pub installed: Option<Installed>,
    /// The result of building it.
    pub built: Built,
}

/// States the result of building a shim.
#[derive(Debug, Clone, Copy)]
pub enum Built {
    /// The shared library.
    Shim(&'static [u8]),
    /// The library's headers were missing.
    NoHeaders,
    /// There was no compiler of this name.
    NoCompiler(&'static str),
    /// cpb was built on another kind of machine, or for another system than Linux.
    OtherTarget,
    /// It did not compile; with the compiler's message.
    Failed(&'static str),
}

impl Shim {
    /// Whether its implementations come from a file.
    pub(crate) fn has_a_file(&self) -> bool {
        self.installed.is_some() || !self.sonames.is_empty()
    }
}

static SHIMS: OnceLock<&'static [Shim]> = OnceLock::new();

/// Registers the libraries of these shims. A program must call this before anything is opened,
/// since [`LIBRARIES`](crate::LIBRARIES) is fixed at its first use.
///
/// # Panics
/// If other shims, or none, are already in use.
pub fn install_shims(shims: &'static [Shim]) {
    let taken = SHIMS.get_or_init(|| shims);
    assert!(std::ptr::eq(*taken, shims), "shims are installed before libraries are looked for");
}

/// Returns the installed shims; from now on none can be installed.
pub(crate) fn all() -> &'static [Shim] {
    SHIMS.get_or_init(|| &[])
}

/// Opens the installed library, or its build at `path`, with its shim.
pub(crate) fn open(
    shim: &Shim,
    path: Option<&Path>,
    wanted: Option<&Offer>,
) -> Result<Box<dyn Library>, OpenError> {
    first_use::passed(Passed::Beside);
    let image = image(shim)?;
    if let Some(installed) = &shim.installed {
        return open_handed(shim, installed, image, path, wanted);
    }
    if shim.sonames.is_empty() && path.is_some() {
        return Err(OpenError::Refused {
            library: shim.name.to_owned(),
            reason: format!("it is not a file: give --library {} without a path", shim.name),
        });
    }
    let load = |reason| OpenError::Load { path: shown(shim), reason };
    // Loaded before the shim, because the loader reuses what is loaded under the name that the shim
    // needs.
    let library = if shim.sonames.is_empty() { None } else { Some(library(shim, image, path)?) };
    if wanted.is_some_and(|wanted| wanted.operation.is_public_key()) {
        // The shim would load it in any case; its loading time belongs to key pairs.
        load_installed_beside(shim, image);
    }
    first_use::passed(Passed::Beside);
    let loaded = image::load(shim.name, image).map_err(load)?;
    // The file of the library that the shim really uses, whatever was loaded before it.
    let file = file_of(&loaded, shim.symbol).ok_or_else(|| {
        load(format!("it was not linked with a {} that has {}", shim.title, shim.symbol))
    })?;
    if let Some(path) = path
        && path.canonicalize().is_ok_and(|given| given.display().to_string() != file)
    {
        return Err(OpenError::Load {
            path: path.display().to_string(),
            reason: format!("this process already uses {file}, another build of it"),
        });
    }
    functions::refusal(shim, &loaded)?;
    first_use::passed(Passed::Resumed);
    let provider = start(shim, loaded, file, wanted, str::to_owned)?;
    // Like the shim, it stays loaded until the process ends.
    std::mem::forget(library);
    Ok(provider)
}

/// Opens the library, and hands it to its shim.
fn open_handed(
    shim: &Shim,
    installed: &Installed,
    image: &[u8],
    path: Option<&Path>,
    wanted: Option<&Offer>,
) -> Result<Box<dyn Library>, OpenError> {
    let load = |reason| OpenError::Load { path: shown(shim), reason };
    first_use::passed(Passed::Resumed);
    let library = runtime::load(installed, path)?;
    first_use::passed(Passed::Beside);
    let loaded = image::load(shim.name, image).map_err(load)?;
    first_use::passed(Passed::Resumed);
    functions::hand(&loaded, &library)?;
    first_use::passed(Passed::Loaded);
    functions::refusal(shim, &loaded)?;
    // Such a library states its algorithms itself, by its own names.
    start(shim, loaded, library.file(shim.symbol), wanted, canonical)
}

/// Returns the name of a shim in errors.
fn shown(shim: &Shim) -> String {
    format!("cpb's shim for {}", shim.title)
}

/// Starts a shim whose library is this `file`; `name` maps its primitives' names to those of the
/// catalogue.
fn start(
    shim: &Shim,
    loaded: Loaded,
    file: String,
    wanted: Option<&Offer>,
    name: impl Fn(&str) -> String,
) -> Result<Box<dyn Library>, OpenError> {
    let own_banner = functions::banner(&loaded);
    let provider = provider::start(shim.name, loaded.into(), &shown(shim), file, wanted)?;
    let provider = provider.with_names(name).with_blocks(lengths::block);
    let banner = own_banner.map_or_else(
        || format!("{} {}", shim.title, provider.identity().version),
        // The provider has started.
        |banner| banner(),
    );
    Ok(Box::new(Shimmed { provider, banner, is_a_file: shim.has_a_file() }))
}

/// Loads the library that a shim was linked with, or its build at `path`.
fn library(shim: &Shim, image: &[u8], path: Option<&Path>) -> Result<Loaded, OpenError> {
    let needed = elf::needed(image)
        .into_iter()
        .find(|needed| shim.sonames.iter().any(|beginning| needed.starts_with(beginning)));
    let needed = needed.ok_or_else(|| OpenError::Refused {
        library: shim.name.to_owned(),
        reason: format!("its shim was not linked with a shared library of {}", shim.title),
    })?;
    match path {
        None => load_installed(shim, &needed),
        Some(path) => {
            let library = load_given(shim, path, &needed)?;
            load_beside(shim, image, path);
            Ok(library)
        }
    }
}

fn image(shim: &Shim) -> Result<&'static [u8], OpenError> {
    let title = shim.title;
    let packages = shim.packages.join(" or ");
    let install = format!("apt-get install {packages} and build cpb again");
    let (reason, remedy) = match shim.built {
        Built::Shim(image) => return Ok(image),
        Built::NoHeaders => (format!("cpb was built without {title}'s headers"), install),
        Built::NoCompiler(compiler) => (
            format!("cpb was built without its shim for {title}, as there was no {compiler}"),
            "install a C compiler (Debian: apt-get install gcc) and build cpb again".to_owned(),
        ),
        Built::OtherTarget => (
            format!("cpb was built without its shim for {title}"),
            "build cpb on the Linux machine where it is to run".to_owned(),
        ),
        Built::Failed(said) => (
            format!("cpb's shim for {title} did not compile: {said}"),
            format!("apt-get install g++ {packages} and build cpb again"),
        ),
    };
    Err(OpenError::Missing { library: shim.name.to_owned(), reason, remedy })
}

fn load_installed(shim: &Shim, soname: &str) -> Result<Loaded, OpenError> {
    first_use::passed(Passed::Resumed);
    image::open(Path::new(soname)).map_err(|reason| OpenError::Missing {
        library: shim.name.to_owned(),
        reason,
        remedy: format!("apt-get install {}", debian_package(soname)),
    })
}

fn load_given(shim: &Shim, path: &Path, needed: &str) -> Result<Loaded, OpenError> {
    let shown = path.display().to_string();
    let broken = |reason: String| OpenError::Load { path: shown.clone(), reason };
    let file = provider::as_file(path);
    first_use::passed(Passed::Resumed);
    let library = image::open(&file).map_err(broken)?;
    // SAFETY: the symbol is only looked up.
    if unsafe { library.get::<*const c_void>(shim.symbol) }.is_err() {
        return Err(OpenError::WrongLibrary {
            path: shown,
            library: shim.title.to_owned(),
            symbol: shim.symbol.to_owned(),
        });
    }
    let content = std::fs::read(&file).map_err(|error| broken(error.to_string()))?;
    let soname = elf::soname(&content);
    if soname.as_deref() == Some(needed) {
        return Ok(library);
    }
    let title = shim.title;
    let found = soname.map_or_else(|| "no soname".to_owned(), |name| format!("the soname {name}"));
    Err(broken(format!(
        "it has {found}, and cpb's shim was built for {needed}; build cpb with the headers of \
         this {title}"
    )))
}

/// Loads the shim's other libraries, such as Nettle's hogweed, from the folder of the given build
/// if they are there; otherwise the loader would use the installed ones.
fn load_beside(shim: &Shim, image: &[u8], path: &Path) {
    let file = provider::as_file(path);
    for name in beside(shim, image) {
        load_part(&file.with_file_name(name));
    }
}

/// Loads those that are installed, unless they are loaded already.
fn load_installed_beside(shim: &Shim, image: &[u8]) {
    beside(shim, image).iter().for_each(|name| load_part(Path::new(name)));
}

/// Returns the sonames that a shim needs besides its library.
fn beside(shim: &Shim, image: &[u8]) -> Vec<String> {
    let is_beside =
        |name: &String| shim.beside.iter().any(|it| name.starts_with(&format!("lib{it}.so")));
    elf::needed(image).into_iter().filter(is_beside).collect()
}

/// Loads a part of a library, if it is there, for as long as the process lives.
fn load_part(file: &Path) {
    // Without it, the loader uses the installed one.
    std::mem::forget(image::open(file));
}

/// Returns the Debian package of a shared library: `libbotan-2.so.19` is in `libbotan-2-19`,
/// `libcrypto++.so.8` in `libcrypto++8`, `libnss3.so` in `libnss3`.
fn debian_package(soname: &str) -> String {
    let (name, version) = soname.split_once(".so").unwrap_or((soname, ""));
    let version = version.trim_start_matches('.');
    let hyphen = name.ends_with(|c: char| c.is_ascii_digit()) && !version.is_empty();
    let package = format!("{name}{}{version}", if hyphen { "-" } else { "" });
    package.to_ascii_lowercase().replace('_', "-")
}

/// Returns the file that a symbol of a loaded library or its dependencies comes from, with links
/// resolved.
fn file_of(library: &Loaded, symbol: &str) -> Option<String> {
    // SAFETY: the symbol is only looked up, and nothing is read there.
    let address = unsafe { library.get::<*const c_void>(symbol) }.ok()?.as_raw_ptr();
    runtime::file_of(address)
}

/// A provider with the version line of its library.
struct Shimmed {
    provider: Provider,
    banner: String,
    /// Whether its implementations come from a file.
    is_a_file: bool,
}

impl Library for Shimmed {
    fn identity(&self) -> Identity {
        let identity = self.provider.identity();
        let path = identity.path.filter(|_| self.is_a_file);
        Identity { banner: self.banner.clone(), path, ..identity }
    }

    fn offers(&self) -> &[Offer] {
        self.provider.offers()
    }

    fn share_keys(&mut self, offer: &Offer, contract: Contract) -> bool {
        self.provider.share_keys(offer, contract)
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
        self.provider.ready(offer, contract, inputs)
    }
}

#[cfg(test)]
mod tests;
