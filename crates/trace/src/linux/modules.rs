//! Lists the files whose code a process runs.

use super::image::{Function, Image};
use super::memory::{Allocator, Allocators};
use cpb_host::maps::{self, Mapping};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Longer files are not read.
const LONGEST: u64 = 1 << 30;
/// Distributions install debug information here, by build ID.
const DEBUG: &str = "/usr/lib/debug/.build-id";

/// The prefix of names of files in memory that this program loads.
const WITHIN: &str = "/memfd:cpb-";

/// All code that a process has mapped.
pub(crate) struct Modules {
    process: i32,
    all: Vec<Module>,
}

/// A file, or memory without one.
pub(crate) struct Module {
    /// The path as the kernel reports it.
    pub(crate) path: String,
    /// Ranges of memory, with their offsets in the file.
    mapped: Vec<(Range<u64>, u64)>,
    /// Whether it is the program that the process runs.
    pub(crate) is_program: bool,
    image: Option<Arc<Image>>,
    is_read: bool,
    /// Addresses at which functions were entered.
    pub(crate) entered: BTreeSet<u64>,
}

impl Modules {
    /// Returns the modules of `process`; none if the kernel does not list them.
    pub(crate) fn of(process: i32) -> Self {
        let mut all: Vec<Module> = Vec::new();
        let maps = maps::read(process);
        for mapping in maps.lines().filter_map(Mapping::parse).filter(Mapping::is_code) {
            let Mapping { path, addresses, offset, .. } = mapping;
            match all.iter_mut().find(|it| it.path == path) {
                Some(module) => module.mapped.push((addresses, offset)),
                None => all.push(Module::new(path.to_owned(), addresses, offset)),
            }
        }
        let program = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
        for module in &mut all {
            module.is_program = module.is_at(&program);
        }
        Self { process, all }
    }

    /// Returns the index of the module that contains `address`, and the address in its file.
    pub(crate) fn find(&mut self, address: u64) -> Option<(usize, u64)> {
        let process = self.process;
        self.all.iter_mut().enumerate().find_map(|(index, module)| {
            let (memory, offset) = module.mapped.iter().find(|(it, _)| it.contains(&address))?;
            let offset = offset + (address - memory.start);
            let own = module.image(process).map_or(Some(offset), |image| image.address(offset));
            Some((index, own?))
        })
    }

    /// Returns the addresses of the C library's functions for memory.
    pub(crate) fn allocators(&mut self) -> Allocators {
        let process = self.process;
        let mut found = Allocators::new();
        for module in self.all.iter_mut().filter(|it| it.is_c_library()) {
            let Some((memory, offset)) = module.mapped.first().cloned() else { continue };
            let Some(image) = module.image(process) else { continue };
            let Some(own) = image.address(offset) else { continue };
            for (name, allocator) in Allocator::ALL {
                let address = image.named(name).map(|it| it.wrapping_sub(own));
                found.extend(address.map(|it| (memory.start.wrapping_add(it), allocator)));
            }
        }
        found
    }

    /// Returns the ranges of the code of this program and of the files that it carries, which
    /// call libraries.
    pub(crate) fn callers(&self) -> Vec<Range<u64>> {
        let is_caller = |it: &&Module| it.is_program || it.path.starts_with(WITHIN);
        let mapped = self.all.iter().filter(is_caller).flat_map(|it| &it.mapped);
        mapped.map(|(memory, _)| memory.clone()).collect()
    }

    /// Returns the memory of all mapped files except the C library's, with the uninitialized data
    /// behind their writable part.
    pub(crate) fn data(&self) -> Vec<Range<u64>> {
        data(&maps::read(self.process))
    }

    pub(crate) fn get(&self, index: usize) -> &Module {
        &self.all[index]
    }

    /// Records that a function begins there.
    pub(crate) fn enter(&mut self, index: usize, address: u64) {
        self.all[index].entered.insert(address);
    }
}

/// Returns the memory of files, according to the file `maps`.
fn data(maps: &str) -> Vec<Range<u64>> {
    let mut data = Vec::<Range<u64>>::new();
    let mut written_end = None;
    for Mapping { path, addresses, permissions, .. } in maps.lines().filter_map(Mapping::parse) {
        let follows = path.is_empty() && written_end == Some(addresses.start);
        let is_file = path.starts_with('/') && !is_c_library(name(path));
        written_end = (is_file && permissions.contains('w')).then_some(addresses.end);
        if is_file || follows {
            data.push(addresses);
        }
    }
    data
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Whether a file of this name is the C library or its loader.
fn is_c_library(name: &str) -> bool {
    ["libc.", "libc-", "ld-", "libpthread"].iter().any(|it| name.starts_with(it))
}

impl Module {
    fn new(path: String, memory: Range<u64>, offset: u64) -> Self {
        let mapped = vec![(memory, offset)];
        let entered = BTreeSet::new();
        Self { path, mapped, is_program: false, image: None, is_read: false, entered }
    }

    pub(crate) fn name(&self) -> &str {
        match name(&self.path) {
            "" => "memory",
            name => name,
        }
    }

    /// Whether it is the C library or its loader.
    pub(crate) fn is_c_library(&self) -> bool {
        is_c_library(self.name())
    }

    pub(crate) fn build_id(&self) -> Option<&str> {
        self.image.as_ref()?.build_id.as_deref()
    }

    /// Returns the size of its file in bytes; `None` if it has none.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        let is_file = self.path.starts_with('/') && !self.path.starts_with("/memfd:");
        is_file.then(|| std::fs::metadata(&self.path).ok()).flatten().map(|it| it.len())
    }

    /// Returns the function that contains `address`.
    pub(crate) fn function(&self, address: u64) -> Function {
        let unknown = Function {
            start: self.entered.range(..=address).next_back().copied().unwrap_or(address),
            name: None,
        };
        self.image.as_ref().map_or(unknown, |it| it.function(address, &self.entered))
    }

    /// Returns the name of the function whose address the loader put into a slot.
    pub(crate) fn slot(&self, address: u64) -> Option<&str> {
        self.image.as_ref()?.slots.get(&address).map(String::as_str)
    }

    fn image(&mut self, process: i32) -> Option<&Image> {
        if !std::mem::replace(&mut self.is_read, true) {
            self.image = self.file(process).and_then(|file| read(&file));
        }
        self.image.as_deref()
    }

    /// Returns a path where the file can be read; one in memory is found among the open files of
    /// the process.
    fn file(&self, process: i32) -> Option<PathBuf> {
        if !self.path.starts_with("/memfd:") {
            return self.path.starts_with('/').then(|| PathBuf::from(&self.path));
        }
        let open = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?;
        let mut open = open.filter_map(Result::ok).map(|entry| entry.path());
        open.find(|it| std::fs::read_link(it).is_ok_and(|to| self.is_at(&to)))
    }

    fn is_at(&self, path: &Path) -> bool {
        path.to_string_lossy().trim_end_matches(" (deleted)") == self.path
    }
}

/// Caches files that were read before.
static READ: Mutex<BTreeMap<PathBuf, Arc<Image>>> = Mutex::new(BTreeMap::new());

fn read(file: &Path) -> Option<Arc<Image>> {
    // Another process may have another file open under the same name.
    let is_constant = !file.starts_with("/proc");
    let mut known = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(image) = known.get(file).filter(|_| is_constant) {
        return Some(Arc::clone(image));
    }
    let image = Arc::new(parsed(file)?);
    if is_constant {
        known.insert(file.to_owned(), Arc::clone(&image));
    }
    Some(image)
}

fn parsed(file: &Path) -> Option<Image> {
    let is_short = |path: &Path| std::fs::metadata(path).is_ok_and(|it| it.len() <= LONGEST);
    let data = |path: &Path| is_short(path).then(|| std::fs::read(path).ok()).flatten();
    let mut image = Image::parse(&data(file)?)?;
    if image.is_stripped() {
        let id = image.build_id.clone().unwrap_or_default();
        let debug = id
            .split_at_checked(2)
            .map(|(folder, name)| Path::new(DEBUG).join(folder).join(format!("{name}.debug")));
        if let Some(names) = debug.and_then(|debug| data(&debug)) {
            image.add_names(&names);
        }
    }
    Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_of_files_and_of_what_follows_their_own() {
        let maps = "1000-2000 r--p 00000000 fe:00 1 /lib/libx.so
2000-3000 rw-p 00001000 fe:00 1 /lib/libx.so
3000-4000 rw-p 00000000 00:00 0
5000-6000 rw-p 00000000 00:00 0
6000-7000 r--p 00000000 fe:00 2 /lib/libc.so.6
7000-8000 r-xp 00000000 00:01 9 /memfd:cpb-nettle (deleted)
9000-a000 rw-p 00000000 00:00 0 [heap]";
        assert_eq!(data(maps), [0x1000..0x2000, 0x2000..0x3000, 0x3000..0x4000, 0x7000..0x8000]);
    }
}
