//! Reads an ELF file: where functions begin, their names, and which function's address the loader
//! puts into each slot.

use object::elf::{FileHeader64, PF_X, PT_GNU_EH_FRAME, PT_LOAD, STT_FUNC};
use object::read::elf::{ElfFile, FileHeader, ProgramHeader, Sym};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget,
    SectionKind,
};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// Encodings of the table of function starts (Linux Standard Base 5.0, section 10.6.2): a number of
/// four bytes, and signed ones of four bytes relative to the start of the table.
const COUNT_ENCODING: u8 = 0x03;
const TABLE_ENCODING: u8 = 0x3b;
const TABLE: usize = 12;

/// The most bytes between an exported function and a function that is named after it.
const NEAR: u64 = 1 << 16;

/// An ELF file.
#[derive(Default)]
pub(crate) struct Image {
    segments: Vec<Segment>,
    /// Sections of code; constants may be in the same segment.
    sections: Vec<Segment>,
    /// Functions, by address.
    symbols: Vec<Symbol>,
    /// The addresses of functions, from the table for exceptions.
    starts: Vec<u64>,
    /// The names of functions, by the slot that the loader fills with their address.
    pub(crate) slots: HashMap<u64, String>,
    pub(crate) build_id: Option<String>,
    has_all_symbols: bool,
}

struct Segment {
    file: Range<u64>,
    address: u64,
    is_code: bool,
}

struct Symbol {
    address: u64,
    bytes: u64,
    name: String,
}

impl Symbol {
    fn name_order(&self) -> (usize, &str) {
        (self.name.len(), &self.name)
    }
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) start: u64,
    /// Its own name; or that of the exported function before it, with its distance from it in
    /// bytes.
    pub(crate) name: Option<(String, u64)>,
}

impl Image {
    /// Parses `data`; returns `None` unless it is an ELF file of 64 bits.
    pub(crate) fn parse(data: &[u8]) -> Option<Self> {
        let file = ElfFile::<FileHeader64<Endianness>>::parse(data).ok()?;
        let endian = file.endian();
        let headers = file.elf_header().program_headers(endian, data).ok()?;
        let loaded = headers.iter().filter(|it| it.p_type(endian) == PT_LOAD);
        let segments = loaded.map(|it| Segment {
            file: it.p_offset(endian)..it.p_offset(endian).saturating_add(it.p_filesz(endian)),
            address: it.p_vaddr(endian),
            is_code: it.p_flags(endian).contains(PF_X),
        });
        let sections = file.sections().filter(|it| it.kind() == SectionKind::Text);
        let sections = sections.filter_map(|it| {
            let (offset, bytes) = it.file_range()?;
            let file = offset..offset.saturating_add(bytes);
            Some(Segment { file, address: it.address(), is_code: true })
        });
        let table = headers.iter().find(|it| it.p_type(endian) == PT_GNU_EH_FRAME);
        let starts = table.and_then(|it| starts(it.p_vaddr(endian), it.data(endian, data).ok()?));
        let build_id = build_id(data);
        let mut image = Self {
            segments: segments.collect(),
            sections: sections.collect(),
            starts: starts.unwrap_or_default(),
            slots: slots(&file),
            build_id,
            ..Self::default()
        };
        image.add_symbols(&file);
        Some(image)
    }

    /// Whether only exported functions have names.
    pub(crate) fn is_stripped(&self) -> bool {
        !self.has_all_symbols
    }

    /// Adds the names of a file, which may hold the debug information of this one.
    pub(crate) fn add_names(&mut self, data: &[u8]) {
        if let Ok(file) = ElfFile::<FileHeader64<Endianness>>::parse(data) {
            self.add_symbols(&file);
        }
    }

    fn add_symbols(&mut self, file: &ElfFile<'_, FileHeader64<Endianness>>) {
        let endian = file.endian();
        // The first symbol of a table is none.
        self.has_all_symbols |= file.elf_symbol_table().len() > 1;
        for table in [file.elf_symbol_table(), file.elf_dynamic_symbol_table()] {
            for symbol in table.symbols() {
                let (address, bytes) = (symbol.st_value(endian), symbol.st_size(endian));
                let is_function =
                    symbol.st_type() == STT_FUNC && symbol.is_definition(endian, table.strings());
                if !is_function || address == 0 {
                    continue;
                }
                let name = table.symbol_name(endian, symbol).ok();
                if let Some(name) = name.and_then(|name| str::from_utf8(name).ok()) {
                    self.symbols.push(Symbol { address, bytes, name: name.to_owned() });
                }
            }
        }
        self.symbols.sort_by_key(|it| it.address);
        // The shortest of several names is not that of a variant.
        self.symbols.dedup_by(|later, first| {
            let is_same = later.address == first.address;
            if is_same && later.name_order() < first.name_order() {
                std::mem::swap(later, first);
            }
            is_same
        });
    }

    /// Returns the address of the byte at this offset in the file.
    pub(crate) fn address(&self, offset: u64) -> Option<u64> {
        let segment = self.segments.iter().find(|it| it.file.contains(&offset))?;
        Some(segment.address + (offset - segment.file.start))
    }

    /// Returns the address of the function with this name.
    pub(crate) fn named(&self, name: &str) -> Option<u64> {
        self.symbols.iter().find(|it| it.name == name).map(|it| it.address)
    }

    /// Returns the loaded code, with its addresses.
    pub(crate) fn code<'a>(&'a self, data: &'a [u8]) -> impl Iterator<Item = (u64, &'a [u8])> {
        let all = if self.sections.is_empty() { &self.segments } else { &self.sections };
        all.iter().filter(|it| it.is_code).filter_map(|it| {
            let range = usize::try_from(it.file.start).ok()?..usize::try_from(it.file.end).ok()?;
            Some((it.address, data.get(range)?))
        })
    }

    /// Returns the function that contains `address`; functions also begin at the addresses that
    /// were `entered`.
    pub(crate) fn function(&self, address: u64, entered: &BTreeSet<u64>) -> Function {
        let before = self.symbols.partition_point(|it| it.address <= address);
        let symbol = self.symbols[..before].last();
        if let Some(it) = symbol.filter(|it| address - it.address < it.bytes) {
            return Function { start: it.address, name: Some((it.name.clone(), 0)) };
        }
        let known = self.starts[..self.starts.partition_point(|it| *it <= address)].last();
        let start = known.copied().max(entered.range(..=address).next_back().copied());
        let start = start.max(symbol.filter(|it| it.bytes == 0).map(|it| it.address));
        let start = start.unwrap_or(address);
        let near = symbol.filter(|it| start >= it.address && start - it.address < NEAR);
        Function { start, name: near.map(|it| (it.name.clone(), start - it.address)) }
    }
}

/// Returns the build ID of the file with the content `data`.
pub(crate) fn build_id(data: &[u8]) -> Option<String> {
    let file = ElfFile::<FileHeader64<Endianness>>::parse(data).ok()?;
    file.build_id().ok().flatten().map(hexadecimal)
}

/// Returns the addresses of functions from a table at `address`.
fn starts(address: u64, table: &[u8]) -> Option<Vec<u64>> {
    let [1, _, COUNT_ENCODING, TABLE_ENCODING] = table.first_chunk()? else { return None };
    let entries = table.get(TABLE..)?.chunks_exact(8);
    let start = |entry: &[u8]| {
        let distance = i32::from_le_bytes(*entry.first_chunk()?);
        address.checked_add_signed(distance.into())
    };
    entries.map(start).collect()
}

fn slots(file: &ElfFile<'_, FileHeader64<Endianness>>) -> HashMap<u64, String> {
    let names = file.dynamic_symbol_table();
    let name = |target| match target {
        RelocationTarget::Symbol(index) => {
            let symbol = names.as_ref()?.symbol_by_index(index).ok()?;
            symbol.name().ok().filter(|name| !name.is_empty()).map(str::to_owned)
        }
        _ => None,
    };
    let all = file.dynamic_relocations().into_iter().flatten();
    all.filter_map(|(at, relocation)| Some((at, name(relocation.target())?))).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
