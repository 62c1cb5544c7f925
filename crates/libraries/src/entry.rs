//! Lists the libraries that are known by name.

use crate::shim::{Built, Shim};
use crate::{native, shim};
use cpb_model::Offer;
use cpb_provider::{Library, OpenError};
use std::path::Path;
use std::sync::LazyLock;

/// A library, or the reason why it cannot be opened.
pub type Opened = Result<Box<dyn Library>, OpenError>;

/// A library that cpb knows by name.
#[derive(Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    adapter: Adapter,
}

/// States how a library is reached.
#[derive(Clone, Copy)]
enum Adapter {
    /// It is part of this program.
    Native,
    /// Through a shim.
    Shim(&'static Shim),
}

/// The implementations in this program.
pub(crate) const NATIVE: Entry =
    Entry { name: crate::NATIVE, about: "cpb's own kernels", adapter: Adapter::Native };

/// Every library known by name: cpb's own, followed by those of
/// [`install_shims`](crate::install_shims).
pub static LIBRARIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let shimmed = shim::all().iter().map(|shim| Entry {
        name: shim.name,
        about: shim.about,
        adapter: Adapter::Shim(shim),
    });
    [NATIVE].into_iter().chain(shimmed).collect()
});

/// Returns the libraries whose shims this program contains, and those whose shims it lacks because
/// their headers were missing at build time.
pub fn shims() -> (Vec<&'static str>, Vec<&'static str>) {
    let is_within = |shim: &&Shim| matches!(shim.built, Built::Shim(_));
    let (within, without): (Vec<_>, Vec<_>) = shim::all().iter().partition(is_within);
    let names = |all: Vec<&Shim>| all.into_iter().map(|shim| shim.name).collect();
    (names(within), names(without))
}

impl Entry {
    /// Whether its implementations come from a file, rather than from this program or the kernel.
    pub fn is_a_file(&self) -> bool {
        match self.adapter {
            Adapter::Native => false,
            Adapter::Shim(shim) => shim.has_a_file(),
        }
    }

    /// Opens the installed library, or the one at `path`.
    ///
    /// # Errors
    /// [`OpenError`], with text for the user.
    pub fn open(&self, path: Option<&Path>) -> Opened {
        self.open_for(path, None)
    }

    pub(crate) fn open_for(&self, path: Option<&Path>, wanted: Option<&Offer>) -> Opened {
        match self.adapter {
            Adapter::Native => native::open(path, wanted),
            Adapter::Shim(shim) => shim::open(shim, path, wanted),
        }
    }
}
