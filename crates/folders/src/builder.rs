//! Builds everything in a folder, with all compilers, on all CPUs.

use crate::cache::{Cache, Key};
use crate::checked::{Checked, Maker};
use crate::compiler::Compiler;
use crate::confine::Confined;
use crate::error::FolderError;
use crate::headers;
use crate::objects::{Sources, Unbuilt, write_all};
use crate::tree::{Implementation, Skipped, Tree};
use cpb_libraries::{Build, Index, scheme};
use cpb_model::{Lengths, Offer, Role, Security};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// What to build, and how.
#[derive(Debug)]
pub struct Request {
    /// The folder of an implementation, a primitive, an operation, or a whole tree.
    pub folder: PathBuf,
    /// Names to which it is restricted, such as `crypto_hash/sha256`; if empty, all.
    pub only: Vec<String>,
    pub compilers: Vec<Compiler>,
    /// The time limit of a compiler or a check.
    pub patience: Duration,
    /// The bytes of builds that may be kept for later, of this and of other folders.
    pub most_kept: u64,
}

/// The progress of building.
#[derive(Debug)]
pub struct Progress {
    /// The number of builds that are done or known to be impossible.
    pub done: usize,
    /// The total number.
    pub expected: usize,
    /// The one that was done last.
    pub name: String,
}

/// The result of building a folder.
#[derive(Debug)]
pub struct Built {
    /// The folder's name.
    pub name: String,
    /// The file that lists what was built, which exists as long as this lives.
    pub index: tempfile::TempPath,
    /// The number of implementations for this machine's architecture.
    pub implementations: usize,
    /// Implementations that cannot be built here by their nature.
    pub skipped: Skipped,
    /// The number of builds: of each implementation with each compiler.
    pub builds: usize,
    /// The number of failed builds.
    pub failed: usize,
    /// Keeps the builds from being removed while they are measured. It is dropped after the index, which lies in it.
    _cache: Cache,
}

type Made = Result<Arc<Checked>, Unbuilt>;
/// Results by implementation and compiler; the first to need one makes it, the others wait.
type Memory = Mutex<HashMap<(String, usize), Arc<OnceLock<Made>>>>;

struct Builder<'a> {
    tree: &'a Tree,
    cache: &'a Cache,
    compilers: &'a [Compiler],
    /// The key of everything that each compiler builds.
    keys: Vec<String>,
    shared: PathBuf,
    patience: Duration,
    stop: &'a AtomicBool,
    memory: Memory,
}

/// Builds and checks all implementations that `request` selects, until `stop` is set.
///
/// # Errors
/// [`FolderError`], if there is nothing to build, or no place to store it.
pub fn build(
    request: &Request,
    stop: &AtomicBool,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Built, FolderError> {
    let tree = Tree::of(&request.folder, &request.only)?;
    let cache = Cache::open(request.most_kept).map_err(FolderError::Cache)?;
    let builder = Builder::new(request, &tree, &cache, stop).map_err(FolderError::Cache)?;
    for compiler in 0..request.compilers.len() {
        builder.maker(compiler).prepare().map_err(|unbuilt| {
            let name = request.compilers[compiler].name();
            FolderError::NoCompiler(format!("{name} cannot compile anything: {}", unbuilt.reason()))
        })?;
    }
    let made = builder.all(progress);
    let name = name_of(&request.folder);
    let builds = index(&tree, &request.compilers, &made);
    let failed = made.iter().filter(|it| it.is_err()).count();
    let index = Index { name: name.clone(), folder: request.folder.clone(), builds };
    let index = write(&cache, &index).map_err(FolderError::Cache)?;
    Ok(Built {
        name,
        index,
        implementations: tree.implementations.len(),
        skipped: tree.skipped,
        builds: made.len(),
        failed,
        _cache: cache,
    })
}

impl<'a> Builder<'a> {
    fn new(
        request: &'a Request,
        tree: &'a Tree,
        cache: &'a Cache,
        stop: &'a AtomicBool,
    ) -> io::Result<Self> {
        let shared = headers::shared();
        let mut ours = Key::default();
        for (name, text) in &shared {
            ours.add(name);
            ours.add(text);
        }
        ours.add(include_str!("../c/random.c"));
        let ours = ours.finish();
        let key = |compiler: &Compiler| {
            let mut key = Key::default();
            key.add(&ours);
            key.add(compiler.identity());
            compiler.command(false).iter().for_each(|word| key.add(word));
            key.finish()
        };
        let headers = format!("headers-{ours}");
        if !cache.has(&headers) {
            let scratch = cache.scratch()?;
            write_all(scratch.path(), &shared)?;
            cache.keep(scratch, &headers)?;
        }
        Ok(Self {
            tree,
            cache,
            compilers: &request.compilers,
            keys: request.compilers.iter().map(key).collect(),
            shared: cache.place(&headers),
            patience: request.patience,
            stop,
            memory: Memory::default(),
        })
    }

    fn maker(&self, compiler: usize) -> Maker<'_> {
        Maker {
            cache: self.cache,
            tree: self.tree,
            confined: Confined { patience: self.patience, stop: self.stop },
            shared: &self.shared,
            compiler: &self.compilers[compiler],
            compiler_key: &self.keys[compiler],
        }
    }

    /// Makes every implementation with every compiler, in this order.
    fn all(&self, progress: &(dyn Fn(Progress) + Sync)) -> Vec<Made> {
        let compilers = self.compilers.len();
        let expected = self.tree.implementations.len() * compilers;
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= expected {
                break;
            }
            let implementation = &self.tree.implementations[index / compilers];
            let _ = self.made(implementation, index % compilers);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(Progress { done, expected, name: implementation.path() });
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            (0..threads).for_each(|_| drop(scope.spawn(work)));
        });
        let each = |index: usize| {
            self.made(&self.tree.implementations[index / compilers], index % compilers)
        };
        (0..expected).map(each).collect()
    }

    fn made(&self, implementation: &Implementation, compiler: usize) -> Made {
        let place = {
            let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(memory.entry((implementation.path(), compiler)).or_default())
        };
        // This cannot deadlock: what is called precedes its caller in the order.
        place.get_or_init(|| self.make(implementation, compiler)).clone()
    }

    fn make(&self, implementation: &Implementation, compiler: usize) -> Made {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Unbuilt::ThisTime("interrupted".to_owned()));
        }
        implementation.check_name()?;
        implementation.architectures()?;
        let sources = Sources::of(implementation, &self.tree.root)?;
        let own = format!("{}.h", headers::primitive(implementation));
        let mut depends_on = Vec::new();
        let mut security = security_of(implementation);
        for header in sources.foreign_headers().iter().filter(|header| **header != own) {
            let candidates = self.tree.of_header(header, implementation);
            // Public inputs may affect the time.
            let is_secret = !header.ends_with("_publicinputs.h");
            let wanted = Some(security).filter(|_| is_secret);
            let best = self.best(header, &candidates, wanted, compiler)?;
            if is_secret && best.iter().any(|best| best.security == Security::TimingLeaks) {
                security = Security::TimingLeaks;
            }
            depends_on.extend(best);
        }
        self.maker(compiler).make(implementation, &sources, security, depends_on).map(Arc::new)
    }

    /// Returns the implementation for a header that was checked in the least time, preferring those
    /// with the wanted security; `None` if the tree has none.
    fn best(
        &self,
        header: &str,
        candidates: &[Implementation],
        wanted: Option<Security>,
        compiler: usize,
    ) -> Result<Option<Arc<Checked>>, Unbuilt> {
        let made = candidates.iter().map(|it| self.made(it, compiler));
        let (mut right, mut wrong) = (Vec::new(), Vec::new());
        made.for_each(|made| match made {
            Ok(checked) => right.push(checked),
            Err(unbuilt) => wrong.push(unbuilt),
        });
        let leaks = |checked: &Checked| {
            wanted == Some(Security::ConstBranchIndex)
                && checked.security != Security::ConstBranchIndex
        };
        right.sort_by_key(|checked| (leaks(checked), checked.inspection.nanoseconds));
        let best = right.into_iter().next();
        match (best, wrong.first()) {
            (None, Some(unbuilt)) => Err(Unbuilt::Faulty(format!(
                "no implementation of {header} is correct here: {}",
                unbuilt.reason()
            ))),
            (best, _) => Ok(best),
        }
    }
}

/// Returns the builds; those of one implementation that fail alike are merged.
fn index(tree: &Tree, compilers: &[Compiler], made: &[Made]) -> Vec<Build> {
    let mut builds = Vec::new();
    for (implementation, made) in tree.implementations.iter().zip(made.chunks(compilers.len())) {
        let reasons: Vec<&str> =
            made.iter().filter_map(|it| it.as_ref().err()).map(Unbuilt::reason).collect();
        let fail_alike =
            reasons.len() == made.len() && reasons.iter().all(|reason| *reason == reasons[0]);
        if fail_alike {
            builds.push(missing(implementation, implementation.name.clone(), reasons[0]));
            continue;
        }
        for (compiler, made) in compilers.iter().zip(made) {
            let backend = format!("{}@{}", implementation.name, compiler.name());
            builds.push(match made {
                Ok(checked) => there(implementation, backend, checked),
                Err(unbuilt) => missing(implementation, backend, unbuilt.reason()),
            });
        }
    }
    builds
}

fn there(implementation: &Implementation, backend: String, checked: &Checked) -> Build {
    let has_other_lengths = checked.inspection.offers.iter().any(has_other_lengths);
    let renamed = |offer: &Offer| Offer {
        primitive: match has_other_lengths {
            true => implementation.primitive.clone(),
            false => offer.primitive.clone(),
        },
        backend: backend.clone(),
        default_backend: false,
        security: Some(checked.security),
        ..offer.clone()
    };
    Build {
        file: Some(checked.library()),
        is_proved: matches!(checked.inspection.answers, Ok(1..))
            || ["small", "big"]
                .iter()
                .all(|size| matches!(implementation.checksum(size), Ok(Some(_)))),
        offers: checked.inspection.offers.iter().map(renamed).collect(),
    }
}

/// Returns the security that its own folder claims; what it calls may have less.
fn security_of(implementation: &Implementation) -> Security {
    match implementation.has_goals() {
        true => Security::ConstBranchIndex,
        false => Security::TimingLeaks,
    }
}

/// Whether its key pairs differ in length from those that its primitive's name has elsewhere, which
/// makes it something else.
fn has_other_lengths(offer: &Offer) -> bool {
    const ROLES: [Role; 5] =
        [Role::PublicKey, Role::SecretKey, Role::Signature, Role::Ciphertext, Role::SharedSecret];
    scheme::of(&offer.primitive).is_some_and(|scheme| {
        let usual = scheme.lengths(offer.operation);
        ROLES.iter().any(|role| usual.of(*role) != offer.lengths.of(*role))
    })
}

fn missing(implementation: &Implementation, backend: String, reason: &str) -> Build {
    let (primitive, operation) = (implementation.canonical(), implementation.operation.measured);
    let lengths = Lengths { granularity: 1, ..Lengths::default() };
    let offer = Offer {
        spelling: implementation.spelling(),
        backend,
        default_backend: false,
        security: Some(security_of(implementation)),
        unavailable: Some(reason.to_owned()),
        ..Offer::new(&primitive, operation, lengths)
    };
    Build { file: None, is_proved: false, offers: vec![offer] }
}

/// Returns the name of a folder.
fn name_of(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name: String = name.chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    if name.is_empty() { "folder".to_owned() } else { name }
}

fn write(cache: &Cache, index: &Index) -> io::Result<tempfile::TempPath> {
    let text = serde_json::to_vec(index)?;
    let file = cache.index()?;
    fs::write(&file, text)?;
    Ok(file)
}
