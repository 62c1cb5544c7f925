//! Tests the Rust types of the interface against a C compiler's view of the header.

#![allow(clippy::print_stdout, reason = "says what was skipped")]

use super::*;
use crate::inputs::Case;
use crate::{FeedTarget, Word};
use std::ffi::c_void;
use std::fmt::Write as _;
use std::mem::{offset_of, size_of};
use std::process::Command;

const HEADER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shims/cpb_provider.h");

/// Returns lines of C that compare sizes, offsets and numbers with those of Rust.
fn assertions() -> String {
    let mut lines = format!("#include \"{HEADER}\"\n#include <stddef.h>\n");
    let mut is = |c: String, rust: usize| {
        writeln!(lines, "_Static_assert(({c}) == {rust}, \"{c}\");").unwrap();
    };
    macro_rules! layout {
        ($($name:literal $type:ident { $($field:ident)+ })+) => {
            $(is(format!("sizeof({})", $name), size_of::<abi::$type>());
            $(is(
                format!("offsetof({}, {})", $name, stringify!($field)),
                offset_of!(abi::$type, $field),
            );)+)+
        };
    }
    layout! {
        "cpb_length" LengthRange { role reserved least usual most }
        "cpb_implementation" Implementation {
            primitive spelling backend operation is_default lengths length_count granularity
            block_bytes row_group row_algorithm row_mode
        }
        "cpb_buffer" Buffer { role reserved bytes length }
        "cpb_case" Case { inputs input_count outputs output_count }
        "cpb_workload" Workload { contract reserved iterations cases case_count }
        "cpb_provider" Provider {
            abi reserved name version code_path count implementation prepare run output release
        }
    }
    is("CPB_PROVIDER_ABI".to_owned(), ABI as usize);
    let constant = |name: &str| format!("CPB_{}", name.to_ascii_uppercase().replace(' ', "_"));
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Aad) {
        is(constant(role.name()), role as usize);
    }
    is("CPB_AAD".to_owned(), Role::Aad as usize);
    for operation in Operation::ALL.map(Operation::row) {
        if let Some(number) = operation.number {
            // The role has the plain name.
            let name = operation.name.replace("public-key", "public-key-of").replace('-', "_");
            is(constant(&name), number as usize);
        }
    }
    for contract in Contract::ALL {
        is(constant(contract.name()), abi::number_of(contract) as usize);
        assert_eq!(abi::contract_of(abi::number_of(contract)), Some(contract));
    }
    lines
}

#[test]
fn the_header_is_as_rust_has_it() {
    let file = std::env::temp_dir().join(format!("cpb-layout-{}.c", std::process::id()));
    std::fs::write(&file, assertions()).unwrap();
    let compiler = Command::new("cc").args(["-std=c11", "-fsyntax-only"]).arg(&file).output();
    std::fs::remove_file(&file).unwrap();
    let Ok(output) = compiler else {
        println!("skipped: no C compiler");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn length(role: Role, least: u64, usual: u64, most: u64) -> abi::LengthRange {
    abi::LengthRange { role: role as u32, reserved: 0, least, usual, most }
}

#[test]
fn lengths_that_are_stated_are_those_of_the_offer_or_refused_in_words() {
    use cpb_model::LengthRange;
    let good = [
        length(Role::Key, 1, 16, u64::MAX),
        length(Role::Nonce, 12, 12, 12),
        length(Role::Aad, 0, 0, 100),
        length(Role::Tag, 16, 16, 16),
    ];
    let found = lengths(&good, Operation::Seal).unwrap();
    let key = LengthRange::free(16).at_least(1);
    assert_eq!((found.key, found.nonce), (key, LengthRange::fixed(12)));
    assert_eq!((found.aad, found.tag, found.output), (LengthRange::free(0).up_to(100), 16, None));
    let mac = lengths(&[length(Role::Tag, 8, 8, 8)], Operation::Mac).unwrap();
    assert_eq!((mac.tag, mac.output), (0, Some(LengthRange::fixed(8))));
    for (stated, words) in [
        (vec![length(Role::Key, 3, 2, 4)], "states 2 as the usual length of its key, from 3 to 4"),
        (vec![length(Role::Key, 1, 5, 4)], "states 5 as the usual length of its key, from 1 to 4"),
        (vec![length(Role::Key, 0, 1 << 31, 1 << 31)], "2147483648 as the length of its key"),
        (vec![length(Role::Signature, 0, 0, 0)], "a length of role 10, which seal has not"),
        (vec![abi::LengthRange { role: 99, ..good[0] }], "a length of role 99, which seal has not"),
        (vec![good[1], good[1]], "two lengths of its nonce"),
    ] {
        let reason = lengths(&stated, Operation::Seal).unwrap_err();
        assert!(reason.contains(words), "{reason}");
    }
    for (operation, words) in [
        (Operation::Hash, "no length of its digest"),
        (Operation::Mac, "no length of its tag"),
        (Operation::Seal, "no length of its tag"),
    ] {
        let lengths = lengths(&[], operation).unwrap();
        assert!(wrong_lengths(operation, &lengths).unwrap().contains(words));
    }
}

/// A provider that keeps pointers to its inputs, as C does; its output is the message with one
/// added to each byte.
mod keeps {
    use super::*;
    use std::ffi::c_int;

    pub(super) const FUNCTIONS: Functions =
        Functions { shim: ShimFunctions::NONE, code_path: None, prepare, run, output, release };

    unsafe extern "C" fn prepare(
        _: u64,
        workload: *const abi::Workload,
        handle: *mut *mut c_void,
        _: *mut c_char,
        _: u64,
    ) -> c_int {
        // SAFETY: there is room for a handle.
        unsafe { *handle = workload.cast_mut().cast() };
        0
    }

    unsafe extern "C" fn run(handle: *mut c_void, calls: u64) {
        // SAFETY: the handle is the workload, which stays with what it points to; the message and
        // the output are as long as each other.
        unsafe {
            let case = (*handle.cast::<abi::Workload>()).cases;
            let (message, output) = ((*case).inputs, (*case).outputs);
            for place in (0..calls).flat_map(|_| 0..(*output).length as usize) {
                *(*output).bytes.add(place) = *(*message).bytes.add(place) + 1;
            }
        }
    }

    unsafe extern "C" fn output(
        handle: *mut c_void,
        outputs: *mut abi::Buffer,
        _: u64,
        _: *mut c_char,
        _: u64,
    ) -> c_int {
        // SAFETY: as for `run`; there is room for the outputs.
        unsafe {
            let kept = (*(*handle.cast::<abi::Workload>()).cases).outputs;
            ((*outputs).bytes, (*outputs).length) = ((*kept).bytes, (*kept).length);
        }
        0
    }

    unsafe extern "C" fn release(_: *mut c_void) {}
}

/// Between two calls the provider's pointers stay valid, whatever is read and written here. Miri
/// checks this (`cargo +nightly miri test -p cpb-provider keeps_pointers`).
#[test]
fn a_provider_keeps_pointers_to_what_is_fed_and_read_between_its_calls() {
    const BYTES: usize = 16;
    let case = Case::new(crate::Buffer::zeroed(BYTES).unwrap()).unwrap();
    let inputs = Inputs {
        cases: vec![case],
        destination: crate::Buffer::zeroed(BYTES).unwrap(),
        iterations: 1,
        output_bytes: BYTES,
        result_bytes: BYTES,
        outputs: vec![(Role::Digest, BYTES)],
        shorter_by: 0,
    };
    let offer = Offer::new("plus-one", Operation::Hash, cpb_model::Lengths::default());
    let provider = Provider {
        name: "keeps".to_owned(),
        own_name: String::new(),
        version: String::new(),
        file: String::new(),
        functions: keeps::FUNCTIONS,
        offers: vec![offer.clone()],
        indices: vec![0],
    };
    let mut call = provider.ready(&offer, Contract::Keyed, inputs).unwrap();
    for sum in 1..4 {
        call.run(1);
        assert_eq!(call.output().unwrap(), [sum; BYTES]);
        let word = call.last_word().unwrap();
        assert_eq!(word, Word::from_ne_bytes([sum; 4]));
        assert!(
            call.feed(FeedTarget::Beside, word)
                && call.feed(FeedTarget::Input(Role::Message), word)
        );
    }
}
