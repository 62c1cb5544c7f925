//! Presents what was built of a folder of sources as one library of many files. Each build is
//! opened at its first call, so that a broken one affects only its own rows.

use cpb_model::{Contract, Offer};
use cpb_provider::{
    Identity, Inputs, Library, OpenError, PrepareError, PrepareResult, Provider, open_file,
};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

/// The builds of a folder of sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// The library's name.
    pub name: String,
    /// The folder of the sources.
    pub folder: PathBuf,
    /// The builds: each an implementation with one compiler.
    pub builds: Vec<Build>,
}

/// An implementation built with one compiler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Build {
    /// The provider's file; `None` if the build failed, for which its offers give the reason.
    pub file: Option<PathBuf>,
    /// Whether it was checked against published checksums.
    pub is_proved: bool,
    /// Its offers, under the name of this build.
    pub offers: Vec<Offer>,
}

/// The largest index that is read.
const MOST: u64 = 256 << 20;

/// Opens the builds listed in the file at `path`.
///
/// # Errors
/// [`OpenError`], with text for the user.
pub fn open(path: &Path) -> Result<Box<dyn Library>, OpenError> {
    let load = |reason: String| OpenError::Load { path: path.display().to_string(), reason };
    let text = cpb_host::files::read(path, MOST).map_err(|error| load(error.to_string()))?;
    let index: Index = serde_json::from_slice(&text).map_err(|error| load(error.to_string()))?;
    let mut offers = Vec::new();
    let mut places = Vec::new();
    for (place, build) in index.builds.iter().enumerate() {
        offers.extend(build.offers.iter().cloned());
        places.extend(build.offers.iter().map(|_| place));
    }
    let opened = index.builds.iter().map(|_| OnceCell::new()).collect();
    Ok(Box::new(Builds { index, offers, places, opened }))
}

struct Builds {
    index: Index,
    offers: Vec<Offer>,
    /// The index of each offer's build.
    places: Vec<usize>,
    opened: Vec<OnceCell<Result<Provider, OpenError>>>,
}

impl Builds {
    /// Returns the index of an offer's build.
    fn place(&self, offer: &Offer) -> Option<usize> {
        let is_it = |it: &Offer| {
            (&it.spelling, &it.backend, it.operation)
                == (&offer.spelling, &offer.backend, offer.operation)
        };
        self.offers.iter().position(is_it).map(|place| self.places[place])
    }

    fn provider(&self, place: usize) -> Result<&Provider, PrepareError> {
        let unavailable = |reason: String| PrepareError::Unavailable(reason);
        let file = self.index.builds[place].file.as_deref();
        let file = file.ok_or_else(|| unavailable("it was not built".to_owned()))?;
        let opened = self.opened[place].get_or_init(|| open_file(&self.index.name, file));
        opened.as_ref().map_err(|error| unavailable(error.to_string()))
    }
}

impl Library for Builds {
    fn identity(&self) -> Identity {
        let folder = self.index.folder.display().to_string();
        let there = self.index.builds.iter().filter(|build| build.file.is_some()).count();
        let version = format!("{there} builds");
        Identity {
            banner: format!("{} {version}", self.index.name),
            version,
            path: Some(folder),
            code_path: None,
        }
    }

    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn is_proved(&self, offer: &Offer) -> bool {
        self.place(offer).is_some_and(|place| self.index.builds[place].is_proved)
    }

    fn ready(&self, offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
        let place = self.place(offer).ok_or_else(|| PrepareError::NotOffered {
            library: self.index.name.clone(),
            what: offer.spelling.clone(),
        })?;
        let provider = self.provider(place)?;
        let is_it = |it: &&Offer| it.operation == offer.operation && it.spelling == offer.spelling;
        let own = provider.offers().iter().find(is_it).ok_or_else(|| {
            PrepareError::Unavailable(format!("the file has no {} any more", offer.spelling))
        })?;
        provider.ready(own, contract, inputs)
    }
}
