//! OpenSSL: what it offers, that all of it runs, and that it is right.
//!
//! `CPB_TEST_OPENSSL=/opt/openssl/lib/libcrypto.so.3` tests that build instead
//! of the installed one.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "these are tests")]

use cpb_libraries::{Library, OpenError, PrepareError};
use cpb_model::{Contract, Offer, Operation, Parameters, Workload};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The library under test; `None`, and a word of it, where there is none.
fn library() -> Option<Box<dyn Library>> {
    let path = std::env::var_os("CPB_TEST_OPENSSL").map(PathBuf::from);
    match cpb_libraries::open("openssl", path.as_deref()) {
        Ok(library) => Some(library),
        Err(OpenError::Missing { reason, .. }) => {
            println!("skipped: OpenSSL is not installed ({reason})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// What comes out after `calls` calls.
fn output(
    library: &dyn Library,
    offer: &Offer,
    contract: Contract,
    parameters: Parameters,
    calls: u64,
) -> Result<Vec<u8>, String> {
    let (primitive, operation) = (offer.primitive.clone(), offer.operation);
    let workload = Workload { primitive, operation, contract, parameters };
    let mut call = library.prepare(offer, &workload).map_err(|error| error.to_string())?;
    if call.output() != Ok(Vec::new()) {
        return Err("puts something out before the first call".to_owned());
    }
    call.run(calls);
    call.output()
}

fn parameters(message_bytes: usize, aad_bytes: usize, iterations: Option<u64>) -> Parameters {
    Parameters { message_bytes, aad_bytes, iterations, ..Parameters::default() }
}

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn says_what_it_is() {
    let Some(library) = library() else { return };
    let identity = library.identity();
    println!("{identity:?}");
    assert!(identity.banner.starts_with(&format!("OpenSSL {} ", identity.version)));
    assert!(identity.version.starts_with(|c: char| c.is_ascii_digit()), "{}", identity.version);
    let path = PathBuf::from(identity.path.unwrap());
    assert!(path.is_absolute() && path.is_file(), "{}", path.display());
    assert!(path.file_name().unwrap().to_string_lossy().starts_with("libcrypto"));
    let is_old = identity.version.starts_with("1.");
    if !is_old && cfg!(target_arch = "x86_64") {
        assert!(identity.code_path.unwrap().starts_with("OPENSSL_ia32cap="));
    }
}

#[test]
fn the_rows_of_bench_slopes_come_first_and_in_its_order() {
    let Some(library) = library() else { return };
    let asked: Vec<&str> = include_str!("rows/openssl.csv").lines().skip(1).collect();
    let offers = library.offers();
    let rows: Vec<String> = offers
        .iter()
        .map_while(|offer| offer.row.as_ref())
        .map(|row| format!("{},{},{}", row.group, row.algorithm, row.mode))
        .collect();
    let more: Vec<&String> = rows.iter().filter(|row| !asked.contains(&row.as_str())).collect();
    let present: Vec<&str> =
        rows.iter().map(String::as_str).filter(|row| asked.contains(row)).collect();
    let without = offers.len() - rows.len();
    println!("rows asked {}, present {}, more {more:?}", asked.len(), present.len());
    println!("offers without a row {without}");
    assert!(offers[rows.len()..].iter().all(|offer| offer.row.is_none()), "rows come first");
    assert_eq!(present, asked);
    assert_eq!(rows.iter().collect::<HashSet<_>>().len(), rows.len(), "each row once");
    for offer in &offers {
        let Some(row) = &offer.row else { continue };
        let fits: &[Operation] = match row.mode.rsplit(' ').next() {
            Some("enc") => &[Operation::Encrypt, Operation::Seal],
            Some("dec") => &[Operation::Decrypt, Operation::Open],
            Some("auth") => &[Operation::Auth],
            _ => &[Operation::Hash, Operation::Xof],
        };
        assert!(fits.contains(&offer.operation), "{row:?} {:?}", offer.operation);
    }
}

#[test]
fn no_two_offers_have_one_name() {
    let Some(library) = library() else { return };
    let (mut spellings, mut primitives) = (HashSet::new(), HashSet::new());
    for offer in library.offers() {
        let Offer { primitive, operation, spelling, backend, .. } = offer;
        assert!(spellings.insert((spelling.clone(), operation, backend)), "{spelling}");
        assert!(primitives.insert((primitive.clone(), operation)), "{primitive}");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(primitive.chars().all(plain), "{primitive}");
    }
}

#[test]
fn every_offer_runs_under_every_contract() {
    let Some(library) = library() else { return };
    let (mut errors, mut ran, mut unavailable) = (Vec::new(), 0, Vec::new());
    for offer in library.offers() {
        let name = format!("{} {}", offer.spelling, offer.operation.name());
        if let Some(reason) = &offer.unavailable {
            let refused = output(&*library, &offer, Contract::Keyed, parameters(16, 0, None), 1);
            assert_eq!(refused.as_ref(), Err(reason), "{name}");
            unavailable.push(name);
            continue;
        }
        let settings = match offer.operation {
            Operation::Derive => vec![parameters(0, 0, Some(2)), parameters(0, 0, Some(10))],
            Operation::Hash | Operation::Xof | Operation::Mac => {
                [0, 1, 16, 1040, 4112].map(|bytes| parameters(bytes, 0, None)).to_vec()
            }
            Operation::Seal | Operation::Open => vec![
                parameters(16, 0, None),
                parameters(1040, 20, None),
                parameters(4112, 0, None),
                parameters(77, 3, None),
            ],
            _ => [16, 1040, 4112].map(|bytes| parameters(bytes, 0, None)).to_vec(),
        };
        for parameters in settings {
            let outcome = |contract, calls| output(&*library, &offer, contract, parameters, calls);
            let keyed = outcome(Contract::Keyed, 3);
            let oneshot = outcome(Contract::Oneshot, 3);
            let expected = match offer.operation {
                Operation::Decrypt | Operation::Open => Ok(message(parameters.message_bytes)),
                _ => outcome(Contract::Keyed, 1),
            };
            let bytes = parameters.message_bytes;
            for (contract, got) in [("keyed", &keyed), ("oneshot", &oneshot)] {
                match got {
                    Err(reason) => errors.push(format!("{name} {contract} {bytes}: {reason}")),
                    Ok(got) if got.is_empty() => {
                        errors.push(format!("{name} {contract} {bytes}: no output"));
                    }
                    Ok(_) if *got != expected => {
                        errors.push(format!("{name} {contract} {bytes}: wrong output"));
                    }
                    Ok(_) => ran += 1,
                }
            }
            match (&offer.row, outcome(Contract::Compat, 3)) {
                (Some(_), Err(reason)) => errors.push(format!("{name} compat {bytes}: {reason}")),
                (Some(_), Ok(_)) => ran += 1,
                (None, Err(reason)) if reason.contains("contract compat") => {}
                (None, other) => errors.push(format!("{name} compat without a row: {other:?}")),
            }
        }
    }
    println!("ran {ran}, unavailable here {unavailable:?}");
    for error in &errors {
        println!("{error}");
    }
    assert!(errors.is_empty(), "{} errors, printed above", errors.len());
    assert!(ran >= 1000, "{ran}");
}

#[test]
fn outputs_are_the_known_answers() {
    let Some(library) = library() else { return };
    let offers = library.offers();
    let (mut checked, mut absent) = (0, Vec::new());
    for line in KNOWN_ANSWERS.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let [name, operation, message_bytes, aad_bytes, iterations, answer] =
            line.split(',').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let offer = offers.iter().find(|offer| {
            let fits = offer.primitive == name && offer.operation.name() == operation;
            fits && offer.unavailable.is_none()
        });
        let Some(offer) = offer else {
            absent.push(name);
            continue;
        };
        let parameters = parameters(
            message_bytes.parse().unwrap(),
            aad_bytes.parse().unwrap(),
            Some(iterations.parse().unwrap()).filter(|number| *number != 0),
        );
        for contract in [Contract::Keyed, Contract::Oneshot] {
            let got = output(&*library, offer, contract, parameters, 2);
            assert_eq!(got.as_deref().map(hexadecimal), Ok(answer.to_owned()), "{name}");
        }
        checked += 1;
    }
    println!("checked {checked}, not offered here {absent:?}");
    assert!(checked >= 50, "{checked}");
}

/// As bench-slopes: in place, a nonce of zeros in every call, no tag, padding
/// left on, an XOF's own length.
#[test]
fn compat_does_what_bench_slopes_does() {
    let Some(library) = library() else { return };
    let offers = library.offers();
    let compat = |row: [&str; 2], message_bytes, calls| {
        let offer = offers.iter().find(|offer| {
            offer.row.as_ref().is_some_and(|found| [&*found.algorithm, &*found.mode] == row)
        });
        let offer = offer.unwrap_or_else(|| panic!("no row {row:?}"));
        let parameters = parameters(message_bytes, 0, None);
        output(&*library, offer, Contract::Compat, parameters, calls)
    };
    let text = |row, calls| compat(row, 48, calls).map(|bytes| hexadecimal(&bytes));
    let zero_nonce_ctr = "ca5869d1d04d7184bb6c6de194e28637f610afd55e8b7c7b39bb383f8cdf44d4\
                          e455000a9af26b8f52a9c241b983881d";
    assert_eq!(text(["aes-128", "CTR enc"], 1).as_deref(), Ok(zero_nonce_ctr));
    assert_eq!(compat(["aes-128", "CTR enc"], 48, 2), Ok(message(48)));
    let zero_nonce_cbc = "8c836cd33ecd36db0871d748d7ea560fcac2e720171b73e381a44ef8f4ffabe1\
                          354b0877613391d97ddec5c187d15d00";
    assert_eq!(text(["aes-128", "CBC enc"], 1).as_deref(), Ok(zero_nonce_cbc));
    // The last block is held back for its padding, and is none; before 3.0 it
    // was written beforehand.
    let decrypted = "c17306a860e1e1b618c3b0b34dff324bb603e2b4e4dbbd77d65bf6c4897e36ba";
    let got = text(["aes-128", "CBC dec"], 1).unwrap();
    let is_old = library.identity().version.starts_with("1.");
    assert_eq!(got[..64], *decrypted);
    assert!(is_old || got[64..] == *"202122232425262728292a2b2c2d2e2f", "{got}");
    let zero_nonce_gcm = "c475202abad24baf7289e26199a3a83daf22cd200bce822ef117b44805928a4f\
                          ef83448cb394a2193af8958c2661f85f";
    assert_eq!(text(["aes-128", "GCM enc"], 1).as_deref(), Ok(zero_nonce_gcm));
    assert_eq!(compat(["aes-128", "GCM dec"], 48, 2), Ok(message(48)));
    assert_eq!(compat(["aes-128", "GCM auth"], 48, 2), Ok(message(48)));

    for (row, own_length) in [("SHAKE128", 16), ("SHAKE256", 32)] {
        let known = known_answer(&row.to_lowercase());
        let got = compat([row, ""], 200, 2).unwrap();
        // Since 3.4 an XOF has no length of its own, and finishing fails.
        let has_none = got.is_empty() && library.identity().version.as_str() >= "3.4";
        assert!(has_none || hexadecimal(&got) == known[..2 * own_length], "{row}");
    }
    assert_eq!(
        compat(["SHA256", ""], 200, 2).map(|digest| hexadecimal(&digest)).as_deref(),
        Ok(known_answer("sha256"))
    );
}

fn known_answer(primitive: &str) -> &'static str {
    let mut lines = KNOWN_ANSWERS.lines().map(str::trim);
    let line = lines.find(|line| line.split(',').next() == Some(primitive)).unwrap();
    line.rsplit(',').next().unwrap()
}

#[test]
fn what_cannot_be_prepared_says_why() {
    let Some(library) = library() else { return };
    let offers = library.offers();
    let find = |name: &str, operation| {
        let fits = |offer: &&Offer| offer.primitive == name && offer.operation == operation;
        offers.iter().find(fits).unwrap().clone()
    };
    let prepare = |offer: &Offer, contract, bytes| {
        let workload = Workload {
            primitive: offer.primitive.clone(),
            operation: offer.operation,
            contract,
            parameters: parameters(bytes, 0, None),
        };
        library.prepare(offer, &workload).err()
    };
    let cbc = find("aes-128-cbc", Operation::Encrypt);
    let uneven = prepare(&cbc, Contract::Keyed, 17).unwrap();
    assert_eq!(uneven.to_string(), "AES-128-CBC takes multiples of 16 bytes, not 17");
    let ccm = find("aes-128-ccm", Operation::Seal);
    let no_row = prepare(&ccm, Contract::Compat, 16).unwrap();
    assert_eq!(no_row.to_string(), "openssl has no contract compat for AES-128-CCM");
    let unknown = Offer { spelling: "ROT13".to_owned(), ..cbc };
    let expected =
        PrepareError::NotOffered { library: "openssl".to_owned(), what: "ROT13".to_owned() };
    assert_eq!(prepare(&unknown, Contract::Keyed, 16), Some(expected));
}

#[test]
fn a_failing_call_does_not_go_unnoticed() {
    let Some(library) = library() else { return };
    let offers = library.offers();
    // XTS is not defined for less than a block (IEEE 1619).
    let xts = offers
        .iter()
        .find(|offer| offer.primitive == "aes-128-xts" && offer.operation == Operation::Encrypt)
        .unwrap();
    for contract in [Contract::Keyed, Contract::Oneshot] {
        assert!(output(&*library, xts, contract, parameters(16, 0, None), 1).is_ok());
        let nothing = output(&*library, xts, contract, parameters(0, 0, None), 1);
        // Before 3.0 nothing was encrypted to nothing.
        let is_old = library.identity().version.starts_with("1.");
        assert!(nothing.is_err() != is_old, "{nothing:?}");
    }
    // HKDF puts out 255 digests at most (RFC 5869, section 2.3).
    let Some(hkdf) = offers.iter().find(|offer| offer.primitive == "hkdf-sha256") else {
        return;
    };
    let too_much = Parameters { output_bytes: Some(255 * 32 + 1), ..parameters(0, 0, None) };
    for contract in [Contract::Keyed, Contract::Oneshot] {
        let reason = output(&*library, hkdf, contract, too_much, 1).unwrap_err();
        assert!(reason.contains("error:") || reason.contains("no reason"), "{reason}");
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let open = |path: &Path| cpb_libraries::open("openssl", Some(path)).err();
    let absent = open(Path::new("/no/such/libcrypto.so.3"));
    assert!(
        matches!(&absent, Some(OpenError::Load { path, reason })
            if path == "/no/such/libcrypto.so.3" && reason.contains("No such file")),
        "{absent:?}"
    );
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let unloadable = open(&text);
    assert!(
        matches!(&unloadable, Some(OpenError::Load { reason, .. }) if !reason.is_empty()),
        "{unloadable:?}"
    );
    let Some(other) = a_loaded_library() else {
        println!("skipped: no other library found to open");
        return;
    };
    let wrong = open(&other);
    assert!(
        matches!(&wrong, Some(OpenError::WrongLibrary { library, symbol, .. })
            if library == "openssl" && symbol == "OpenSSL_version"),
        "{wrong:?}"
    );
}

/// The C library, which is in this process and is not OpenSSL.
fn a_loaded_library() -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        Some(&line[line.find('/')?..])
            .filter(|path| path.contains("/libc.so") || path.contains("/ld-musl"))
    })?;
    Some(PathBuf::from(path))
}

/// Primitive, operation, bytes of message and of associated data, iterations,
/// output, over the inputs that every workload has. Computed without OpenSSL:
/// by PyCryptodome 3 (most), libgcrypt 1.10.1 (SM3, Whirlpool, XTS, Camellia,
/// SEED, IDEA, SM4, GCM-SIV), Crypto++ 8.7 (ARIA), and Poly1305 and SipHash
/// written down in Python from RFC 8439 and the SipHash paper, and checked with
/// their test vectors.
const KNOWN_ANSWERS: &str = "
    md4,hash,200,0,0,f1a97b5ff191d1fe9e570c529abf13b3
    md5,hash,200,0,0,fb7001d34b8e82c9b579be5005d5b0a5
    ripemd160,hash,200,0,0,c315823ea8fe07a2dd18de4e545255afe3af0738
    sha1,hash,200,0,0,54d11e99127d159799dbce10f51a75e697780478
    sha224,hash,200,0,0,ab3e334a37953e18f4f673736dddb64e850bfdf29d5a7ba268c567d9
    sha256,hash,200,0,0,1901da1c9f699b48f6b2636e65cbf73abf99d0441ef67f5c540a42f7051dec6f
    sha384,hash,200,0,0,7ea4bb2534c67036f49de7beb5fe8a2478df04ff3fef40a9cd4923999a590e9912df1297217ce1a021aa2fb1013498b8
    sha512,hash,200,0,0,986058e9895e2c2ab8f9e8cbdf801db12a44842a56a91d5a4e87b1fc98b293722c4664142e42c3c551ff898646268cd92b84ed230b8c94bed7798d4f27cd7465
    sha3-224,hash,200,0,0,8bcd90dbc5379549b5e78a1fbe24ae120d92caef17750461262b1e97
    sha3-256,hash,200,0,0,5f728f63bf5ee48c77f453c0490398fa645b8d4c4e56be9a41cfec344d6ca899
    sha3-512,hash,200,0,0,ea5d05f19348dd589793354793a15f37a73b4c0bb4e750b9a00757dfce2f8b65a64191bb9b137de00feef6474cfd47abf7880efbc51614a5715df12cfe0caee3
    sha512-224,hash,200,0,0,45455ac9539e497062d4d0023cb5591af4aced509e2465c2da57b466
    sha512-256,hash,200,0,0,e511aa65d4e53c0bb6065c9e1d2882248307fc4987e67fca18d7e3c77017df65
    blake2b-512,hash,200,0,0,fb3c1f0f56a56f8e316fdf5d853c8c872c39635d083634c3904fc3ac07d1b578e85ff0e480e92d44ade33b62e893ee32343e79ddf6ef292e89b582d312502314
    blake2s-256,hash,200,0,0,6d244e1a06ce4ef578dd0f63aff0936706735119ca9c8d22d86c801414ab9741
    shake128,xof,200,0,0,0c4234ca1e31801ae606f8b8d8e0665c66f42a21d601c2681858a92c79ad5d69
    shake256,xof,200,0,0,4ee1ca03272b05d3bfb1e1c79a967f823b9fc5e4bb3987b1ba9e9cb5afb07a5e
    keccak-256,hash,200,0,0,bfb0aa97863e797943cf7c33bb7e880bb4543f3d2703c0923c6901c2af57b890
    sm3,hash,200,0,0,137c8be9a568df1f999ea75e042359e582990c708027d61f20489a368bf5ced5
    whirlpool,hash,200,0,0,50cc69782191cb4bda8975391ee7307ba29911d617cc162286864ed40e1e426c90861ff3b48ad8ab966891ef4862441f8747ccbf4d38a0959a13bb9bece698d6
    aes-128-ecb,encrypt,48,0,0,8c836cd33ecd36db0871d748d7ea560fae2352681e57cf2bcc189d68560e6446c256c07fee4c9786a5ca73ca12f30eb9
    aes-192-cbc,encrypt,48,0,0,fed57ab8a9082cc0b0f9c1d2fff96f8c0ad0176039690771b68e36e45a4db0250cf4d4353eabb265485f69b9caece570
    aes-256-cfb,encrypt,48,0,0,63a99fb76839072754c351027e14b45e1484c73e2774a2af675ef9537e1f286ab17595b8a32d14a52651ea9b650a7582
    aes-128-cfb8,encrypt,48,0,0,2a205af048aa24f6b62bea0f468efc57d006ec8d5340955895d60f17b2d5766ea423732bfc10444b648909204cf633ee
    aes-128-ofb,encrypt,48,0,0,2a7b98bb1d3002f5ee8a9a5bcc2fa245b6247ede35c33aa3ac07cd36d1504b67cdb33c187fd04707724ffd8da3c9966a
    aes-256-ctr,encrypt,48,0,0,63a99fb76839072754c351027e14b45e0bd963417e74fbd2cfb48554f61a56ec2791d3aa3154743e05cbac5e81a61c38
    aes-128-xts,encrypt,48,0,0,66009918ccbe53cbc292594c881b49c8a6b7c94f50e5526c259adca67e094a9adb6b303d5fcb498b9eca4c57ed1dce70
    aes-256-xts,encrypt,48,0,0,ae329e579f05eb016d3691560977bedffec6b06358f141b271a46ebb8e02d5922cce5be1d04ef83928229042cebaccc7
    3des-cbc,encrypt,48,0,0,8158925fc720c960b0737400d9366610dc62871d60107fb6fe3386074d7d07848b9634e6f155d7b38fc28095fc6312c2
    3des-cfb,encrypt,48,0,0,db4ee1bc61be16a63cd7a0e33a8f866e08e5a2d084a87302aedd90d5e59149ba44621cf26a166e2159d04a459ed059f1
    des-ecb,encrypt,48,0,0,ccc1ac095fb6fefaac5ccc21976baffa4dcd0e31d2806b910cf4a3cd0d118c8930cc7eef044cc89d6e78a9eae64862dc
    blowfish-128-cbc,encrypt,48,0,0,7352a509aacf5161e396c56f010cd183c88728ca20e5f4c12a2920b5db12277387422df019163fb26dbac6126ec22243
    cast5-128-ofb,encrypt,48,0,0,78a35700aad75dfb9626bc8398422580fe1fca680d4e91c4a6f8e267ae2c0919347284d9141da332448cc71d3f31e22c
    rc2-128-cbc,encrypt,48,0,0,cf77b2cea013068e036d7c56d45cb6b4b7d4d9a34e5859439031559ba1549dd0aca2b6e806a1d0ca509d4c00cff63028
    rc2-40-cbc,encrypt,48,0,0,f0fe02e516390da22864e2f0c9a9453d9895192563e0ce62f924d090327930f59caf36f5e67cb25fe1d1fa4708a9f9c0
    rc4-128,encrypt,48,0,0,3eadb505011d7cef8ce12484c856b14584a7c18de687705399a17bff6fad36be3f21e54c6cb061461bc138897f8f2be7
    chacha20,encrypt,48,0,0,4b22cd3f95698eff3b75e65b971862a18617a5572b08421676921fb6c64bfc4d35d329594251596ea0ba19d0e9f76813
    camellia-192-cbc,encrypt,48,0,0,7867d7980b6dac51c5ece1c8ff4efe7857675353fb60d2d98497fc22af790dfc29e2d90182e3d3081114ed85793b8617
    camellia-128-ctr,encrypt,48,0,0,e4fcf3fd10b73661f568a2be67d5e45fdb67230862cc311a09c3e2c5787ee75383e921e540372f0965edc01dfc180838
    seed-cbc,encrypt,48,0,0,4999860408fde5f0772a2cdf0f139b63d6f84e16573b636690a935f0a2213fdb46d1c97bad405e78b426e0f16f1780ab
    idea-cbc,encrypt,48,0,0,5ea0e4e7a865f788e35d42868e9e1f87618580ce3328d1fdef41d1bff7eb73532e3ef1aa41945457e0ea8dcfcf6bf4bc
    sm4-ofb,encrypt,48,0,0,4733a6a38aa773f98f1014cf090d9a006f283242f81c349607a959ba3f927ae08cb14c000eb40cbc5706ea5275c76b09
    sm4-ctr,encrypt,48,0,0,4733a6a38aa773f98f1014cf090d9a003ce4ce0f534f9e9c4503b95309d15b36c63d8bcf146223232974de55fa1dd2a9
    aes-128-gcm,seal,48,20,0,8e8f9a81e70977c78740b2d55bb628edd7699b0d8fc8b980bc39b05ffdeb6a2eec6cf0bbd51b082a7debc3dde129dd93b475b64c1c80c6a2cd170924e3594aad
    aes-256-ccm,seal,48,20,0,9caba8afcc5f4bdbed1cf41262f3ed68e3420a2eb7254a1343eaf60948e4c2667f84b86e26d729f45a1557748760e2c4dcb6fc579b31eb4e85d3aa64fb24efe2
    aes-192-ocb,seal,48,20,0,53075e7bf7642bb0e8ed1a3f3dca97b2b37db6ddc32824fd764237ffd40d693919e9a5ff4dde048c62f5c66a7311295fe56b60991291245c8b7f82a3ee6343f3
    chacha20-poly1305,seal,48,20,0,4e3dc3fe22b0599601b10a67fd2b4e629ba77d022351b4c59b69e01e0080cbb83063fe2ebe990eb3865f371aac1a402a945265a93baa43b6d6b12b18da44d655
    aes-128-siv,seal,48,20,0,30089d36c7743e9717b607edeeaaa64000b743f264b57f0d106d06ebcefda972e5e166835dc284de6e84318470d69c1f4405476e644e423e19e012a9386f3802
    aes-256-gcm-siv,seal,48,20,0,87896fb0a94ca67370bbea8a79c695eaeb34ecc4080ceba56ee0c76991c63853c624edef558c3f44d57c0c9a8fdc69d56a253f913a77dff8c1193467ac425108
    sm4-gcm,seal,48,20,0,1f4cdc8e29a17d97a87365a8f731430824a13778b092997167d1704aa89392f3627f9c3961bf55c6ae7bc9b205b14fa7f050b786541f1bcbb8c9c9080c941a9e
    aes-256-gcm,auth,200,0,0,f4dd6eb3959f1bf8bd2acb0e04bfefbe
    aes-128-ocb,auth,200,0,0,780e151cff6b2a0fdc9cb3adacef839c
    aes-128-ccm,auth,200,0,0,dac095b1b9dd1ab328f82daf9257e602
    chacha20-poly1305,auth,200,0,0,a8368cefd6261ebec1e64c6164565067
    hmac-md5,mac,200,0,0,af7d1524e58741d3f00cc2356ecbdcf9
    hmac-sha1,mac,200,0,0,1e046731f0055613a7f6f797140dcff8c80df20a
    hmac-sha256,mac,200,0,0,583e93d82d5bd1b3c71437d1ad046919536aafac70e5d4493bfae32e5caaa8bc
    hmac-sha3-256,mac,200,0,0,d5c391886c33af4b8214746fa2477e6a744d812b74467544bf310135f0611a00
    hmac-sha512,mac,200,0,0,22629782f6946ed7d6e8fd05bbda70951f79646093241c1496b9e03afaae7ddbc863894e397d1c9e87788b0972487b6537fb7ee1ab156df351e592872979ab3f
    cmac-aes-128,mac,200,0,0,8050769c0fcff83d3230eb89b24ee758
    cmac-aes-256,mac,200,0,0,96a24732e0a216d50cf85a91dc99cef3
    cmac-3des,mac,200,0,0,c2f23c7fa1b05ec5
    cmac-blowfish-128,mac,200,0,0,b216b06d4b4a8c03
    gmac-aes-128,mac,200,0,0,945522e7abe8313a743dd5a380424973
    poly1305,mac,200,0,0,4a741e69ed0e835437a5e3d892f55711
    kmac128,mac,200,0,0,0789c586c8b29e747513f90a6597f7b12413ee4d729df3f3284088f4c8d419bd
    kmac256,mac,200,0,0,8e90ce903644121208af6926a4ddb39b30cf79b1c964ac7b1ef4b7a22289585541ab08b451c9ceafb7462171f8d2481d3f3040eace746149916691aff5c3e804
    keyed-blake2b-512,mac,200,0,0,bd9fdc826f864e61cf9196517954026495c5fea86ada8ca078f88cbee92e7b96ca5320bc52d44f237fda009df7162b0aeab24b46eeee02048d11b2a6f3656914
    keyed-blake2s-256,mac,200,0,0,1006dcce665d9007622232323970f5206dfaca7ba5da01690a5300c0bbcf1beb
    siphash-2-4,mac,200,0,0,dadb67a5c2241319
    siphash-2-4-128,mac,200,0,0,b2b8af3c10ab64d855e2b14933c95e9e
    pbkdf2-hmac-sha1,derive,0,0,10,f10d97726b487902aaead77b22bd73d891861eae0bfefb2efddc00bb3f5114ec
    pbkdf2-hmac-sha256,derive,0,0,10,cea010d03fcfc6d83a65d862fb940696d76571eb5ca5b0bc13948640525a830c
    pbkdf2-hmac-sha512,derive,0,0,10,72d693fd6633336b98c6ffd1b8e1dffcae46306a88952845b08cc5bfb7fe1e44
    pbkdf2-hmac-sha3-256,derive,0,0,10,19933b1de807b9184c3245b5795f5f37a9e831481f44436f8e1189a42ea65db6
    hkdf-sha256,derive,0,0,0,b1083515e93b8db312e0dea4605dd460a728a48ce4489c2de760c3eead4fe0ae
    hkdf-sha512,derive,0,0,0,5b3df5a4ec1f12f6affab22d72a59f2276b0adf92b325f5f59ec4dc398cac106
    scrypt-16384-8-1,derive,0,0,0,74c83b9d2bf5f52575611ce9576f5698bbf100da21bb45e34cc4cf253e965024
    aria-256-cbc,encrypt,48,0,0,dd827a326eab53e421f35e90691e8a975a64f02dda93b3b0a80b04832d90261dae39bb07730a228a3e34c6533b7c64a8
    aria-128-ctr,encrypt,48,0,0,7b71cc1b4de3a5c422668f682ddaab2690bb437fd2a1f0110ff7d83c416ba79709e3a32bd97752af8fc390558316b6f4
    aria-192-gcm,seal,48,20,0,80d68a321af3fdac5b11f48933e0dbc0e670ad4d198ae339ea762986960fcf398fbb569086da403c0cba89498b424069d9c36c525f16aac30751784f00fe9add
";
