//! Summarizes what was executed.

use super::architecture::{Instruction, OF_CRYPTOGRAPHY, TOLD, WIDENED, slot, without_distances};
use super::code::Code;
use super::follow::Followed;
use super::modules::Modules;
use super::names;
use super::system_calls;
use crate::Traced;
use cpb_model::{CodeFunction, CodeModule, TracedCall};
use std::collections::{BTreeMap, BTreeSet};

/// Functions with at least this share of the instructions are listed, up to a maximum number.
const LEAST_SHARE: f64 = 0.01;
const MOST_FUNCTIONS: usize = 16;
/// Functions with at least this share are named in the description of a path, up to a maximum
/// number.
const NAMED_SHARE: f64 = 0.25;
const NAMED: usize = 2;
/// Instruction sets for cryptography are named if they have this share of all instructions, others
/// if they have the second share of the instructions of the named functions.
const RARE_SHARE: f64 = 0.005;
const CLASS_SHARE: f64 = 0.05;
/// The hottest loop of a function consists of the instructions that are executed at least half as
/// often as the most frequent one.
const LOOP_SHARE: u64 = 2;
const CACHE_LINE: u64 = 64;

/// A function, and its executed instructions.
#[derive(Default)]
struct Function {
    instructions: u64,
    run: Vec<(Instruction, u64)>,
    /// Whether it is of minor interest: a function of the C library or of the caller.
    is_beside: bool,
}

/// A function, by module number and start address.
type Gathered = ((usize, u64), Function);

/// Summarizes what `call` executed beyond `nothing`.
pub(crate) fn of(
    call: &Followed,
    nothing: &Followed,
    code: &Code,
    modules: &mut Modules,
) -> Traced {
    let run = run(call, nothing, code);
    let (calls, aliases) = ways(call, nothing, code, modules);
    let (mut functions, mut places) = (BTreeMap::<_, Function>::new(), Vec::new());
    let (mut known, mut classes) = (Vec::<usize>::new(), BTreeMap::<String, u64>::new());
    let (mut code_bytes, mut lines) = (0, BTreeSet::new());
    for (address, (instruction, count)) in &run {
        let (module, own) = modules.find(*address).unwrap_or((usize::MAX, *address));
        if module == usize::MAX {
            continue;
        }
        let number = known.iter().position(|it| *it == module).unwrap_or_else(|| {
            known.push(module);
            known.len() - 1
        });
        places.push(((number, own), *count));
        let of = modules.get(module);
        let function = functions.entry((number, of.function(own).start)).or_default();
        function.is_beside = of.is_c_library() || of.is_program;
        function.instructions += count;
        function.run.push((*instruction, *count));
        for class in instruction.classes() {
            *classes.entry(class.to_owned()).or_default() += count;
        }
        let bytes = instruction.bytes();
        code_bytes += bytes;
        lines.extend([address / CACHE_LINE, (address + bytes - 1) / CACHE_LINE]);
    }
    let instructions = functions.values().map(|it| it.instructions).sum();
    let mut functions: Vec<Gathered> = functions.into_iter().collect();
    functions.sort_by_key(|(_, it)| std::cmp::Reverse(it.instructions));
    // If all functions belong to the program itself, they are what was called.
    if functions.iter().all(|(_, it)| it.is_beside) {
        let is_c_library = |place: &(usize, u64)| modules.get(known[place.0]).is_c_library();
        functions.iter_mut().for_each(|(place, it)| it.is_beside = is_c_library(place));
    }
    let name = |(number, start): (usize, u64)| {
        let module = modules.get(known[number]);
        let (name, after) = match module.function(start).name {
            Some((name, 0)) => (Some(name), None),
            near => {
                let after = near.map(|(name, offset)| format!("{name}+{offset:#x}"));
                (aliases.get(&(known[number], start)).cloned(), after)
            }
        };
        let place = || format!("{}+{start:#x}", module.name());
        (name.map_or_else(place, |name| names::readable(&name)), after)
    };
    let is_told = |it: &Function| it.instructions as f64 >= LEAST_SHARE * instructions as f64;
    let told: Vec<CodeFunction> = (functions.iter().take(MOST_FUNCTIONS).enumerate())
        .filter(|(place, (_, it))| *place == 0 || is_told(it))
        .map(|(_, (place, it))| {
            let (name, after) = name(*place);
            CodeFunction {
                name,
                after,
                module: place.0,
                address: place.1,
                instructions: it.instructions,
                code: format!("{:016x}", fingerprint(&it.run)),
            }
        })
        .collect();
    let of_module = |&index: &usize| {
        let module = modules.get(index);
        CodeModule {
            file: if module.path.is_empty() { "memory".to_owned() } else { module.path.clone() },
            build_id: module.build_id().map(str::to_owned),
            bytes: module.file_bytes(),
        }
    };
    let system_calls = less(&call.system_calls, &nothing.system_calls);
    let call = TracedCall {
        words: describe(&told, &functions, instructions),
        instructions,
        is_cut: call.is_cut,
        stack_bytes: call.stack.zip(nothing.stack).map(|(it, less)| it.saturating_sub(less)),
        modules: known.iter().map(of_module).collect(),
        vector_bits: named(&functions, instructions)
            .first()
            .map_or(0, |&it| loop_bits(&functions[it].1)),
        functions: told,
        classes,
        calls,
        system_calls: system_calls.map(|(it, count)| (system_calls::name(it), count)).collect(),
        code_bytes,
        code_lines: lines.len() as u64,
        data_lines: data_lines(call, nothing, modules),
        ..TracedCall::default()
    };
    Traced { call, places, objects: None }
}

/// Returns the number of cache lines of files that `call` reads beyond `nothing`; `None` if some
/// are unknown.
fn data_lines(call: &Followed, nothing: &Followed, modules: &Modules) -> Option<u64> {
    let data = modules.data();
    let is_file = |line: &u64| {
        let address = line * CACHE_LINE;
        data.iter().any(|memory| memory.contains(&address))
    };
    let read = call.lines.all.difference(&nothing.lines.all).filter(|line| is_file(line));
    (!call.lines.is_part).then_some(read.count() as u64)
}

/// Returns every instruction that `call` executed more often than `nothing`, with the difference,
/// by address.
fn run(call: &Followed, nothing: &Followed, code: &Code) -> BTreeMap<u64, (Instruction, u64)> {
    let mut run = BTreeMap::<u64, (Instruction, u64)>::new();
    for (start, times) in &call.blocks {
        for instruction in code.instructions(*start) {
            run.entry(instruction.address()).or_insert((*instruction, 0)).1 += times;
        }
    }
    for (start, times) in &nothing.blocks {
        for instruction in code.instructions(*start) {
            if let Some((_, count)) = run.get_mut(&instruction.address()) {
                *count = count.saturating_sub(*times);
            }
        }
    }
    run.retain(|_, (_, count)| *count != 0);
    run
}

fn less<'a, K: Ord + Copy + 'a>(
    call: &'a BTreeMap<K, u64>,
    nothing: &'a BTreeMap<K, u64>,
) -> impl Iterator<Item = (K, u64)> + 'a {
    call.iter().filter_map(|(key, count)| {
        let further = count.saturating_sub(nothing.get(key).copied().unwrap_or(0));
        (further != 0).then_some((*key, further))
    })
}

/// Names of functions of other modules, as their callers call them.
type Aliases = BTreeMap<(usize, u64), String>;

/// Counts calls of each function of the C library, and collects the names by which modules call
/// each other's functions. Also records where functions begin.
fn ways(
    call: &Followed,
    nothing: &Followed,
    code: &Code,
    modules: &mut Modules,
) -> (BTreeMap<String, u64>, Aliases) {
    let (mut calls, mut aliases) = (BTreeMap::<String, u64>::new(), Aliases::new());
    let sites: BTreeMap<u64, &[Instruction]> = (call.blocks.keys())
        .map(|start| code.instructions(*start))
        .filter_map(|block| Some((block.last()?.address(), block)))
        .collect();
    for ((site, target), count) in &call.ways {
        let count = count.saturating_sub(nothing.ways.get(&(*site, *target)).copied().unwrap_or(0));
        let (Some(from), Some(to)) = (modules.find(*site), modules.find(*target)) else { continue };
        let is_across = from.0 != to.0;
        let block = sites.get(site).copied().unwrap_or_default();
        if is_across || block.last().is_some_and(Instruction::is_call) {
            modules.enter(to.0, to.1);
        }
        if !is_across || count == 0 {
            continue;
        }
        let slot = slot(block).and_then(|it| {
            let own = it.wrapping_sub(*site).wrapping_add(from.1);
            modules.get(from.0).slot(own).map(str::to_owned)
        });
        let exported = || match modules.get(to.0).function(to.1) {
            it if it.start == to.1 => it.name.filter(|(_, offset)| *offset == 0).map(|it| it.0),
            _ => None,
        };
        let Some(name) = slot.or_else(exported) else { continue };
        let into = modules.get(to.0).is_c_library() && !modules.get(from.0).is_c_library();
        if into {
            *calls.entry(name.clone()).or_default() += count;
        }
        aliases.insert(to, name);
    }
    (calls, aliases)
}

/// Returns the width in bits of the vectors in the hottest loop of a function.
fn loop_bits(function: &Function) -> u32 {
    let most = function.run.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let hot = function.run.iter().filter(|(_, count)| count * LOOP_SHARE >= most);
    hot.map(|(it, _)| it.vector_bits()).max().unwrap_or(0)
}

/// Describes a path by the functions it spends its time in, and the instruction sets it needs.
fn describe(told: &[CodeFunction], functions: &[Gathered], instructions: u64) -> String {
    let named = named(functions, instructions);
    let names: Vec<&str> =
        named.iter().filter_map(|&place| told.get(place)).map(|it| it.name.as_str()).collect();
    let of_all = Classes::of(functions.iter().map(|(_, it)| it));
    let special = of_all.special(instructions);
    let mut classes: Vec<String> = special.into_iter().map(|it| of_all.word(it)).collect();
    // The instruction set for wider vectors replaces the narrower one of its kind.
    for &(wide, narrow) in WIDENED {
        if classes.iter().any(|it| it.starts_with(wide)) {
            classes.retain(|it| *it != narrow);
        }
    }
    if classes.is_empty() {
        let hot: Vec<&Function> = named.iter().map(|&place| &functions[place].1).collect();
        let all: u64 = hot.iter().map(|it| it.instructions).sum();
        let of_hot = Classes::of(hot.into_iter());
        let is_usual = |it: &&(&str, bool)| of_hot.count(it.0) as f64 >= CLASS_SHARE * all as f64;
        let usual = TOLD[OF_CRYPTOGRAPHY..].iter().find(is_usual);
        classes.push(usual.map_or_else(|| "no vectors".to_owned(), |it| of_hot.word(*it)));
    }
    format!("{}, {}", names.join(" + "), classes.join(" + "))
}

/// Returns the functions that name a path: those with most of the instructions. If none stands out,
/// returns the first that uses instruction sets for cryptography. Functions of the C library and of
/// the caller are used only if there are no others.
fn named(functions: &[Gathered], instructions: u64) -> Vec<usize> {
    let share = |it: &Function| it.instructions as f64 / instructions.max(1) as f64;
    let is_hot = |it: &Function| share(it) >= NAMED_SHARE;
    let all = || functions.iter().map(|(_, it)| it).take(MOST_FUNCTIONS).enumerate();
    let own = || all().filter(|(_, it)| !it.is_beside);
    let hot: Vec<usize> = own().filter(|(_, it)| is_hot(it)).map(|it| it.0).take(NAMED).collect();
    if !hot.is_empty() {
        return hot;
    }
    let wanted = Classes::of(all().map(|it| it.1)).special(instructions);
    let is_special = |it: &Function| {
        let classes = Classes::of(std::iter::once(it));
        wanted.iter().any(|(class, _)| classes.count(class) != 0)
    };
    let is_told = |it: &Function| share(it) >= LEAST_SHARE;
    let special = own().find(|(_, it)| is_told(it) && is_special(it));
    special
        .or_else(|| own().find(|(_, it)| is_told(it)))
        .or_else(|| all().next())
        .map(|it| it.0)
        .into_iter()
        .collect()
}

/// Counts the instructions of each class, with the width of its widest vectors.
struct Classes(BTreeMap<&'static str, (u64, u32)>);

impl Classes {
    fn of<'a>(functions: impl Iterator<Item = &'a Function>) -> Self {
        let mut classes = BTreeMap::new();
        for (instruction, count) in functions.flat_map(|it| &it.run) {
            for class in instruction.classes() {
                let (all, bits): &mut (u64, u32) = classes.entry(class).or_default();
                *all += count;
                *bits = (*bits).max(instruction.vector_bits());
            }
        }
        Self(classes)
    }

    /// Returns the classes for cryptography that make up enough of `instructions` instructions.
    fn special(&self, instructions: u64) -> Vec<(&'static str, bool)> {
        let least = RARE_SHARE * instructions as f64;
        let is_special = |it: &&(&str, bool)| {
            let count = self.count(it.0);
            count != 0 && count as f64 >= least
        };
        TOLD[..OF_CRYPTOGRAPHY].iter().filter(is_special).copied().collect()
    }

    fn count(&self, class: &str) -> u64 {
        self.0.get(class).map_or(0, |it| it.0)
    }

    /// Returns the name of a class, with the width of its vectors unless the name includes it.
    fn word(&self, (class, has_width): (&'static str, bool)) -> String {
        match self.0.get(class) {
            Some((_, bits)) if has_width && *bits != 0 => format!("{class}-{bits}"),
            _ => class.to_owned(),
        }
    }
}

/// Returns a number that the same code has in other builds: a hash (FNV-1a of 64 bits) of the
/// executed instructions without the distances to their branch targets and data.
fn fingerprint(run: &[(Instruction, u64)]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in without_distances(run.iter().map(|(instruction, _)| instruction)) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}
