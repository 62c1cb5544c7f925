//! Modes of block ciphers without a tag: the library's generic functions, and
//! its faster CBC encryption with AES where it has that.

mod chain;
mod xts;

use super::call::{DIRECTIONS, Implementation, Places, contexts, ready};
use super::cipher::Cipher;
use super::symbols::{File, SetKey, Xts};
use crate::{Buffer, Prepared, names};
use chain::{Blocks, Chain, ChainAes, Step, chained};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use std::ffi::c_void;
use xts::{Tweaked, XtsDecrypt, XtsEncrypt};

/// The functions of a mode, one for each direction.
#[derive(Clone, Copy)]
enum Functions {
    /// Those of the cipher itself.
    Ecb,
    /// A mode with an initial value, and CBC's own encryption for AES.
    Chain {
        encrypt: Chain,
        decrypt: Chain,
        aes: Option<ChainAes>,
        kind: Kind,
    },
    Xts(Xts),
}

/// The modes with an initial value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cbc,
    Cfb,
    Ctr,
}

struct Mode {
    name: &'static str,
    functions: Functions,
}

/// The mode that bench-slopes leaves out.
const WITHOUT_ROWS: &str = "cfb8";

/// The modes that the library has for `cipher`, in the order of the rows.
fn modes(file: &File, cipher: &Cipher) -> Vec<Mode> {
    let chain = |name, encrypt, decrypt, kind| {
        // SAFETY: the types are those of cbc.h, cfb.h and ctr.h.
        let (encrypt, decrypt) =
            unsafe { (file.symbol::<Chain>(encrypt).ok()?, file.symbol::<Chain>(decrypt).ok()?) };
        // SAFETY: the type is that of cbc.h, which has such functions for AES
        // since 3.8.
        let aes = unsafe { file.symbol(&format!("nettle_cbc_{}_encrypt", cipher.name)) };
        let aes = aes.ok().filter(|_| kind == Kind::Cbc);
        Some(Mode { name, functions: Functions::Chain { encrypt, decrypt, aes, kind } })
    };
    let xts = Xts::load(file).ok().filter(|_| cipher.block_bytes == 16);
    [
        Some(Mode { name: "ecb", functions: Functions::Ecb }),
        chain("cbc", "nettle_cbc_encrypt", "nettle_cbc_decrypt", Kind::Cbc),
        chain("cfb", "nettle_cfb_encrypt", "nettle_cfb_decrypt", Kind::Cfb),
        chain("ctr", "nettle_ctr_crypt", "nettle_ctr_crypt", Kind::Ctr),
        xts.map(|xts| Mode { name: "xts", functions: Functions::Xts(xts) }),
        chain("cfb8", "nettle_cfb8_encrypt", "nettle_cfb8_decrypt", Kind::Cfb),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The offers of these modes for `cipher`.
pub(super) fn implementations(file: &File, cipher: &Cipher) -> Vec<Implementation> {
    let mut found = Vec::new();
    for mode in modes(file, cipher) {
        for (operation, direction) in DIRECTIONS {
            found.push(implementation(cipher, &mode, operation, direction));
        }
    }
    found
}

fn implementation(
    cipher: &Cipher,
    mode: &Mode,
    operation: Operation,
    direction: &str,
) -> Implementation {
    let keys = if mode.name == "xts" { 2 } else { 1 };
    let whole_blocks = matches!(mode.name, "ecb" | "cbc" | "xts");
    let prefix = if mode.name == "ecb" { String::new() } else { format!("{}_", mode.name) };
    let offer = Offer {
        primitive: names::with_mode(&cipher.canonical, mode.name),
        operation,
        spelling: format!("{prefix}{}", cipher.name),
        backend: "default".to_owned(),
        default_backend: true,
        row: (cipher.has_rows && mode.name != WITHOUT_ROWS).then(|| RowName {
            group: "cipher".to_owned(),
            algorithm: cipher.name.clone(),
            mode: format!("{} {direction}", mode.name.to_uppercase()),
        }),
        lengths: Lengths {
            key: Length::fixed(keys * cipher.key_bytes),
            nonce: Length::fixed(if mode.name == "ecb" { 0 } else { cipher.block_bytes }),
            granularity: if whole_blocks { cipher.block_bytes } else { 1 },
            ..Lengths::default()
        },
        unavailable: None,
    };
    let (cipher, functions) = (cipher.clone(), mode.functions);
    let make = move |places: Places, contract| {
        if matches!(functions, Functions::Xts(_)) && places.length < cipher.block_bytes {
            return Err("nettle aborts on an XTS message shorter than a block".to_owned());
        }
        let ([context], _memory) = contexts([cipher.context_bytes]);
        // SAFETY: the offer's key has the cipher's length.
        unsafe { cipher.check_key(context, places.key) }?;
        let places = if contract == Contract::Compat { places.in_place() } else { places };
        Ok(routine(&cipher, functions, operation, places, contract))
    };
    Implementation { offer, make: Box::new(make) }
}

/// The call of a mode in one direction, under a contract.
fn routine(
    cipher: &Cipher,
    functions: Functions,
    operation: Operation,
    places: Places,
    contract: Contract,
) -> Box<dyn Prepared> {
    let decrypts = operation == Operation::Decrypt;
    let ([context, tweak_context], memory) = contexts([cipher.context_bytes, cipher.context_bytes]);
    let (block, block_key) = if decrypts {
        (cipher.decrypt, cipher.set_decrypt_key)
    } else {
        (cipher.encrypt, cipher.set_encrypt_key)
    };
    let base = Base { set_key: block_key, context, places, _memory: memory };
    match functions {
        Functions::Ecb => ready(Blocks { crypt: block, base }, contract),
        Functions::Chain { aes: Some(aes), .. } if !decrypts => {
            chained(base, Step::Aes(aes), contract)
        }
        Functions::Chain { encrypt, decrypt, kind, .. } => {
            let chain = if decrypts { decrypt } else { encrypt };
            // Only CBC takes the cipher backwards. bench-slopes decrypts CFB
            // with the inverse schedule all the same, which costs as much and
            // yields noise.
            let crypt = if kind == Kind::Cbc { block } else { cipher.encrypt };
            let inverse = kind == Kind::Cbc || kind == Kind::Cfb && contract == Contract::Compat;
            let set_key = if inverse { block_key } else { cipher.set_encrypt_key };
            let step = Step::Generic { chain, crypt, block_bytes: cipher.block_bytes };
            chained(Base { set_key, ..base }, step, contract)
        }
        Functions::Xts(xts) => {
            // bench-slopes decrypts with the encryption's schedule.
            let set_key =
                if contract == Contract::Compat { cipher.set_encrypt_key } else { block_key };
            let base = Base { set_key, ..base };
            let keys = Tweaked {
                set_tweak_key: cipher.set_encrypt_key,
                tweak_context,
                key_bytes: cipher.key_bytes,
                encrypt: cipher.encrypt,
                base,
            };
            // bench-slopes' tweak is zero.
            let keys =
                if contract == Contract::Compat { keys.with_tweak(&ZERO_BLOCK) } else { keys };
            if decrypts {
                ready(XtsDecrypt { xts, decrypt: cipher.decrypt, keys }, contract)
            } else {
                ready(XtsEncrypt { xts, keys }, contract)
            }
        }
    }
}

static ZERO_BLOCK: [u8; 16] = [0; 16];

/// What every mode needs.
struct Base {
    set_key: SetKey,
    context: *mut c_void,
    places: Places,
    _memory: Buffer,
}

impl Base {
    fn key(&self) {
        // SAFETY: the context has the cipher's size, the key its length.
        unsafe { (self.set_key)(self.context, self.places.key) };
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: the destination has room for the whole message.
        Ok(unsafe { self.places.written(self.places.length) })
    }
}
