//! The Nettle adapter against the library that is installed, or against the
//! one whose path `CPB_TEST_NETTLE` gives. Without either, nothing is tested.

#![allow(clippy::panic, clippy::print_stdout, reason = "helpers of tests do what tests do")]

use cpb_libraries::{Library, OpenError, PrepareError, open};
use cpb_model::{Alignment, Contract, Offer, Operation, Parameters, RowName, Workload};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Rows of bench-slopes that cannot be there, with the reason.
const ROWS_THAT_CANNOT_BE: &[(&str, &str)] = &[];

/// Message lengths, of whole blocks for every cipher.
const LENGTHS: [usize; 3] = [16, 1040, 4112];
/// Iterations of derivations.
const ITERATIONS: [u64; 2] = [2, 10];

fn library() -> Option<Box<dyn Library>> {
    let path = std::env::var_os("CPB_TEST_NETTLE").map(PathBuf::from);
    match open("nettle", path.as_deref()) {
        Ok(library) => Some(library),
        Err(error @ OpenError::Missing { .. }) if path.is_none() => {
            println!("skipped: nettle not installed ({error})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn workload(offer: &Offer, contract: Contract, parameters: Parameters) -> Workload {
    Workload {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract,
        parameters,
    }
}

fn parameters(message_bytes: usize, aad_bytes: usize, iterations: Option<u64>) -> Parameters {
    Parameters { message_bytes, aad_bytes, iterations, ..Parameters::default() }
}

/// What three calls put out, or why not.
fn output(
    library: &dyn Library,
    offer: &Offer,
    contract: Contract,
    parameters: Parameters,
) -> Result<Vec<u8>, String> {
    let workload = workload(offer, contract, parameters);
    let mut call = library.prepare(offer, &workload).map_err(|error| error.to_string())?;
    assert_eq!(call.output(), Ok(Vec::new()), "nothing has been called yet");
    call.run(3);
    call.output()
}

fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

fn described(offer: &Offer) -> String {
    format!("{} {} ({})", offer.spelling, offer.operation.name(), offer.primitive)
}

/// Parameters to try an offer with.
fn tries(offer: &Offer) -> Vec<Parameters> {
    match offer.operation {
        Operation::Derive => ITERATIONS.map(|n| parameters(0, 0, Some(n))).to_vec(),
        Operation::Seal | Operation::Open => {
            let pairs = LENGTHS.into_iter().flat_map(|bytes| [(bytes, 0), (bytes, 20)]);
            pairs.map(|(bytes, aad)| parameters(bytes, aad, None)).collect()
        }
        _ => LENGTHS.map(|bytes| parameters(bytes, 0, None)).to_vec(),
    }
}

#[test]
fn the_rows_of_bench_slopes_are_offered_in_their_order() {
    let Some(library) = library() else { return };
    let asked: Vec<RowName> = include_str!("rows/nettle.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [group, algorithm, mode] = fields[..] else { panic!("{line}") };
            let [group, algorithm, mode] = [group, algorithm, mode].map(str::to_owned);
            RowName { group, algorithm, mode }
        })
        .collect();
    let offers = library.offers();
    let present: Vec<RowName> = offers.iter().map_while(|offer| offer.row.clone()).collect();
    let extra = offers.len() - present.len();
    assert!(
        offers[present.len()..].iter().all(|offer| offer.row.is_none()),
        "offers with rows stand before those without"
    );
    let missing: Vec<&RowName> = asked.iter().filter(|row| !present.contains(row)).collect();
    println!(
        "rows asked {}, present {} (newer than the list: {}), offers without a row {extra}",
        asked.len(),
        present.len(),
        present.len() + missing.len() - asked.len(),
    );
    let unexpected: Vec<_> = missing
        .iter()
        .filter(|row| !ROWS_THAT_CANNOT_BE.iter().any(|(known, _)| *known == row.algorithm))
        .collect();
    assert!(unexpected.is_empty(), "missing: {unexpected:#?}");
    let common: Vec<&RowName> = present.iter().filter(|row| asked.contains(row)).collect();
    let expected: Vec<&RowName> = asked.iter().filter(|row| present.contains(row)).collect();
    assert_eq!(common, expected);
}

#[test]
fn offers_are_unique_and_their_rows_fit_their_operations() {
    let Some(library) = library() else { return };
    let (mut spellings, mut rows) = (HashSet::new(), HashSet::new());
    for offer in library.offers() {
        let what = described(&offer);
        assert!(spellings.insert((offer.spelling.clone(), offer.operation)), "{what} twice");
        assert!(!offer.primitive.contains(['_', ' ']), "{what}");
        if offer.operation == Operation::Derive {
            assert_eq!((offer.lengths.key, offer.lengths.nonce), (16, 16), "{what}");
        }
        let Some(row) = offer.row else { continue };
        assert!(rows.insert(row.clone()), "{row:?} twice");
        let expected = match row.mode.split_once(' ') {
            None => Operation::Hash,
            Some((_, "auth")) => Operation::Auth,
            Some((_, direction)) => match (direction, offer.lengths.tag) {
                ("enc", 0) => Operation::Encrypt,
                ("dec", 0) => Operation::Decrypt,
                ("enc", 16) => Operation::Seal,
                ("dec", 16) => Operation::Open,
                other => panic!("{row:?}: {other:?}"),
            },
        };
        assert_eq!(offer.operation, expected, "{row:?}");
    }
}

#[test]
fn every_offer_runs_under_every_contract() {
    let Some(library) = library() else { return };
    let library = library.as_ref();
    let mut errors = Vec::new();
    let mut outputs = 0;
    for offer in library.offers() {
        for parameters in tries(&offer) {
            let bytes = parameters.message_bytes;
            let what = format!("{} of {bytes} bytes", described(&offer));
            let keyed = output(library, &offer, Contract::Keyed, parameters);
            let cold = output(library, &offer, Contract::Cold, parameters);
            let compat = output(library, &offer, Contract::Compat, parameters);
            outputs += 3;
            if keyed != cold {
                errors.push(format!("{what}: keyed {keyed:02x?} and cold {cold:02x?} differ"));
            }
            let expected_bytes = match (offer.operation, offer.lengths.output) {
                (_, Some(fixed)) => fixed,
                (Operation::Seal, _) => bytes + offer.lengths.tag,
                (Operation::Auth, _) => offer.lengths.tag,
                (Operation::Xof | Operation::Derive, _) => 32,
                _ => bytes,
            };
            match &keyed {
                Err(error) => errors.push(format!("{what}: {error}")),
                Ok(output) if output.len() != expected_bytes => {
                    errors.push(format!("{what}: {} bytes", output.len()));
                }
                Ok(output) if output.iter().all(|byte| *byte == 0) => {
                    errors.push(format!("{what}: only zeros"));
                }
                Ok(_) => {}
            }
            let opens = matches!(offer.operation, Operation::Decrypt | Operation::Open);
            if opens && keyed != Ok(pattern(bytes)) {
                errors.push(format!("{what}: not the plaintext"));
            }
            match (compat, &offer.row) {
                (Err(error), Some(_)) => errors.push(format!("{what}: compat: {error}")),
                (Ok(_), None) => errors.push(format!("{what}: compat without a row")),
                _ => {}
            }
        }
    }
    println!("{outputs} outputs");
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn messages_may_start_anywhere_and_have_any_length_the_offer_allows() {
    let Some(library) = library() else { return };
    let mut errors = Vec::new();
    for offer in library.offers() {
        let granularity = offer.lengths.granularity;
        let lengths: Vec<usize> = match granularity {
            1 => vec![0, 1, 7, 15, 17, 250],
            blocks => vec![blocks, 3 * blocks],
        };
        for bytes in lengths {
            let results = [Alignment::Page, Alignment::Unaligned].map(|alignment| {
                let parameters = Parameters { alignment, ..parameters(bytes, 5, None) };
                output(library.as_ref(), &offer, Contract::Keyed, parameters)
            });
            if results[0].is_err() || results[0] != results[1] {
                errors.push(format!("{} of {bytes} bytes: {results:02x?}", described(&offer)));
            }
        }
    }
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn what_nettle_would_abort_on_is_refused() {
    let Some(library) = library() else { return };
    let refused = |offer: &Offer, parameters: Parameters| {
        let workload = workload(offer, Contract::Keyed, parameters);
        match library.prepare(offer, &workload) {
            Err(PrepareError::Unavailable(_)) => {}
            Err(error) => panic!("{}: {error}", described(offer)),
            Ok(_) => panic!("{} takes {parameters:?}", described(offer)),
        }
    };
    for offer in library.offers() {
        if offer.lengths.granularity > 1 {
            refused(&offer, parameters(17, 0, None));
        }
        match offer.spelling.as_str() {
            "xts_aes128" => refused(&offer, parameters(0, 0, None)),
            "ccm_aes128" => refused(&offer, parameters(1 << 24, 0, None)),
            "pbkdf2_hmac_sha256" => {
                refused(&offer, parameters(0, 0, Some(0)));
                refused(&offer, parameters(0, 0, Some(1 << 32)));
            }
            "hkdf_hmac_sha256" => refused(
                &offer,
                Parameters { output_bytes: Some(255 * 32 + 1), ..parameters(0, 0, None) },
            ),
            _ => {}
        }
    }
}

#[test]
fn compat_goes_on_where_the_last_call_ended() {
    let Some(library) = library() else { return };
    for offer in library.offers() {
        let Some(row) = &offer.row else { continue };
        let workload = workload(&offer, Contract::Compat, parameters(64, 0, None));
        let mut outputs = Vec::new();
        for calls in [1, 2] {
            let mut call = library.prepare(&offer, &workload).unwrap();
            call.run(calls);
            outputs.push(call.output().unwrap());
        }
        // Only what leaves the buffer alone does the same in every call.
        let repeats = row.group == "hash" || row.mode.ends_with("auth");
        assert_eq!(outputs[0] == outputs[1], repeats, "{row:?}");
        if row.group == "hash" {
            assert_eq!(outputs[0].len(), 1, "{row:?}");
        }
    }
}

#[test]
fn what_is_not_offered_is_said_so() {
    let Some(library) = library() else { return };
    let mut offer = library.offers().pop().unwrap();
    let compat = workload(&offer, Contract::Compat, parameters(16, 0, None));
    let error = library.prepare(&offer, &compat).err().unwrap();
    let what = format!("contract compat for {}", offer.spelling);
    assert_eq!(error, PrepareError::NotOffered { library: "nettle".to_owned(), what });
    offer.spelling = "rot13".to_owned();
    let error = library.prepare(&offer, &compat).err().unwrap();
    let what = "rot13".to_owned();
    assert_eq!(error, PrepareError::NotOffered { library: "nettle".to_owned(), what });
}

#[test]
fn the_identity_is_the_librarys_own() {
    let Some(library) = library() else { return };
    let identity = library.identity();
    println!("{identity:?}");
    let minor = identity.version.strip_prefix("3.").unwrap();
    assert!(minor.parse::<u32>().unwrap() >= 6);
    assert_eq!(identity.banner, format!("Nettle {}", identity.version));
    let path = identity.path.unwrap();
    assert!(Path::new(&path).is_absolute() && Path::new(&path).exists(), "{path}");
    assert!(open("nettle", Some(Path::new(&path))).is_ok(), "{path} opens as a file, too");
}

#[test]
fn files_that_are_no_nettle_are_told_apart() {
    let missing = Path::new("/nonexistent/libnettle.so.8");
    let error = open("nettle", Some(missing)).err().unwrap();
    assert!(
        matches!(&error, OpenError::Load { path, reason }
            if path == "/nonexistent/libnettle.so.8" && reason.contains("No such file")),
        "{error:?}"
    );
    let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let error = open("nettle", Some(text)).err().unwrap();
    assert!(matches!(&error, OpenError::Load { .. }), "{error:?}");
    // Any library that this process has loaded already will do.
    let Some(other) = loaded_library("libc.so") else { return };
    let error = open("nettle", Some(&other)).err().unwrap();
    assert_eq!(
        error,
        OpenError::WrongLibrary {
            path: other.display().to_string(),
            library: "nettle".to_owned(),
            symbol: "nettle_version_major".to_owned(),
        }
    );
}

fn loaded_library(name: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut paths = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    paths.find(|path| path.contains(name)).map(PathBuf::from)
}

/// Primitives and modes that came with Nettle 3.9, SHAKE128 with 3.10.
const NEWER: &[&str] = &["sm4", "ocb", "gcm-siv", "shake128"];

#[test]
fn known_answers_come_out() {
    let Some(library) = library() else { return };
    let offers = library.offers();
    let (mut right, mut absent, mut wrong) = (0, Vec::new(), Vec::new());
    for line in KNOWN_ANSWERS.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let [primitive, operation, message_bytes, aad_bytes, answer] = fields[..] else {
            panic!("{line}")
        };
        let offer = offers
            .iter()
            .find(|offer| offer.primitive == primitive && offer.operation.name() == operation);
        let Some(offer) = offer else {
            absent.push(primitive);
            continue;
        };
        let parameters =
            parameters(message_bytes.parse().unwrap(), aad_bytes.parse().unwrap(), Some(10));
        let output = output(library.as_ref(), offer, Contract::Keyed, parameters).unwrap();
        let output: String = output.iter().map(|byte| format!("{byte:02x}")).collect();
        if output == answer {
            right += 1;
        } else {
            wrong.push(format!("{line}, not {output}"));
        }
    }
    println!("{right} right, {} not in this version", absent.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    absent.retain(|primitive| !NEWER.iter().any(|newer| primitive.contains(newer)));
    assert!(absent.is_empty(), "{absent:?}");
    assert!(right >= 100);
}

/// Primitive, operation, length of message and associated data, answer, for
/// cpb's own inputs; derivations have 10 iterations and 32 bytes of output.
///
/// Computed without Nettle: digests, HMACs, PBKDF2 and HKDF with Python's
/// hashlib and hmac (OpenSSL 3.0); MD2, MD4, RIPEMD-160, RC2, RC4, Salsa20,
/// ChaCha20, SIV and all of operation auth with PyCryptodome; GCM-SIV's auth
/// with pyca/cryptography; GOST, Streebog, CMAC, GMAC, Poly1305-AES and the
/// other ciphers with libgcrypt 1.10.1; UMAC with a program written from RFC
/// 4418 that yields that document's test vectors.
const KNOWN_ANSWERS: &str = "\
md2,hash,200,0,c3b69aeecb7710b20fa0524ef1bf552d
md4,hash,200,0,f1a97b5ff191d1fe9e570c529abf13b3
md5,hash,200,0,fb7001d34b8e82c9b579be5005d5b0a5
sha1,hash,200,0,54d11e99127d159799dbce10f51a75e697780478
sha224,hash,200,0,ab3e334a37953e18f4f673736dddb64e850bfdf29d5a7ba268c567d9
sha256,hash,200,0,1901da1c9f699b48f6b2636e65cbf73abf99d0441ef67f5c540a42f7051dec6f
sha384,hash,200,0,7ea4bb2534c67036f49de7beb5fe8a2478df04ff3fef40a9cd4923999a590e9912df1297217ce1a021aa2fb1013498b8
sha512,hash,200,0,986058e9895e2c2ab8f9e8cbdf801db12a44842a56a91d5a4e87b1fc98b293722c4664142e42c3c551ff898646268cd92b84ed230b8c94bed7798d4f27cd7465
ripemd160,hash,200,0,c315823ea8fe07a2dd18de4e545255afe3af0738
sha512-224,hash,200,0,45455ac9539e497062d4d0023cb5591af4aced509e2465c2da57b466
sha512-256,hash,200,0,e511aa65d4e53c0bb6065c9e1d2882248307fc4987e67fca18d7e3c77017df65
sha3-224,hash,200,0,8bcd90dbc5379549b5e78a1fbe24ae120d92caef17750461262b1e97
sha3-256,hash,200,0,5f728f63bf5ee48c77f453c0490398fa645b8d4c4e56be9a41cfec344d6ca899
sha3-384,hash,200,0,b13febb1b3c54a7c6b69367f693a1d1f3145709b6ddef23ff15874133ea1fb9cfa48ee7ff4ec9aa987dea641e33ccdf7
sha3-512,hash,200,0,ea5d05f19348dd589793354793a15f37a73b4c0bb4e750b9a00757dfce2f8b65a64191bb9b137de00feef6474cfd47abf7880efbc51614a5715df12cfe0caee3
sm3,hash,200,0,137c8be9a568df1f999ea75e042359e582990c708027d61f20489a368bf5ced5
gosthash94,hash,200,0,aaa6166859858d446ec56d34b134acd271581b7c5298d41687bff07647c2f2eb
gosthash94-cp,hash,200,0,b14a5c50bd33077e275607d3939d94b3088795144e82fbf6e2212bf6b51dceba
streebog-256,hash,200,0,c3c662d736c446b1e2937e9c4a13e4b0e1c6981cf267f46db2a163d86f716300
streebog-512,hash,200,0,43946b2e8d58cb727df9affa1fffa19884aec42156f0933138aef821a9a8809ead7d39c061f85734f5e97b52e99d4813b71d04d2f39f838ae7a6bd256d03fa04
shake256,xof,200,0,4ee1ca03272b05d3bfb1e1c79a967f823b9fc5e4bb3987b1ba9e9cb5afb07a5e
shake128,xof,200,0,0c4234ca1e31801ae606f8b8d8e0665c66f42a21d601c2681858a92c79ad5d69
hmac-md5,mac,200,0,af7d1524e58741d3f00cc2356ecbdcf9
hmac-sha1,mac,200,0,1e046731f0055613a7f6f797140dcff8c80df20a
hmac-sha256,mac,200,0,583e93d82d5bd1b3c71437d1ad046919536aafac70e5d4493bfae32e5caaa8bc
hmac-sha512,mac,200,0,22629782f6946ed7d6e8fd05bbda70951f79646093241c1496b9e03afaae7ddbc863894e397d1c9e87788b0972487b6537fb7ee1ab156df351e592872979ab3f
hmac-sha3-224,mac,200,0,e1a0603a94d2a066ca66d2ac5a62996b52568437770dcdb7c4a8ed1f
hmac-sha3-256,mac,200,0,d5c391886c33af4b8214746fa2477e6a744d812b74467544bf310135f0611a00
hmac-ripemd160,mac,200,0,8f9f9e052eda508ee448640c5a5b06139a1ca7ed
hmac-sha512-256,mac,200,0,4b665e4be8fcae8287f5ccbd4b121cca63eb6c48db763554dd6d2352c44695a2
hmac-sm3,mac,200,0,7152468914a73446a2e45baeacbcd146243fd57b74ed0a59a9e1a8dd72d56107
hmac-gosthash94,mac,200,0,6b90d025eff5c527569b24c3e3316db49e78044fa4f28e01a8ab73e074513f5f
hmac-streebog-512,mac,200,0,5b22fcf145f80be3964ab33c94e3951abfca3b83b5747bb8f1b7a048bc02c3347e0276f6aef7a5e68e91546c52c2c7279d9225b851ccf6b89b521f6cc81b89ed
cmac-aes-128,mac,200,0,8050769c0fcff83d3230eb89b24ee758
cmac-aes-256,mac,200,0,96a24732e0a216d50cf85a91dc99cef3
cmac-camellia-192,mac,200,0,ac1e921f76e593338040f50d7fabf077
cmac-3des,mac,200,0,c2f23c7fa1b05ec5
cmac-rc2-40,mac,200,0,27243a89d0cccba0
cmac-sm4,mac,200,0,72d873394161a58a8e7d185c8cbca13d
gmac-aes-128,mac,200,0,945522e7abe8313a743dd5a380424973
gmac-aes-256,mac,200,0,f4dd6eb3959f1bf8bd2acb0e04bfefbe
gmac-twofish-256,mac,200,0,333fe67632a4c2d13e9f4583a2d56fe5
poly1305-aes-128,mac,200,0,f137614f06ec66383b5500786fc9a25e
aes-128-ecb,encrypt,48,0,8c836cd33ecd36db0871d748d7ea560fae2352681e57cf2bcc189d68560e6446c256c07fee4c9786a5ca73ca12f30eb9
aes-128-cbc,encrypt,48,0,9eccee27c309c219cdf3cb9d305927e62417602b96d974b9fa8f2867a0d8dc85fb30c3d163d7b4c6383fc75d35ecde3c
aes-128-cfb,encrypt,48,0,2a7b98bb1d3002f5ee8a9a5bcc2fa245d0460ae9b31c6d2112e60551ec7cca16e05ca119e24ee9422ab97c6c6283520a
aes-128-ctr,encrypt,48,0,2a7b98bb1d3002f5ee8a9a5bcc2fa2451fb5bf8091f66cacd2fea8476898cfc5df0df8e57063bb3d6caae9f78f3d8403
aes-128-cfb8,encrypt,48,0,2a205af048aa24f6b62bea0f468efc57d006ec8d5340955895d60f17b2d5766ea423732bfc10444b648909204cf633ee
aes-128-xts,encrypt,48,0,66009918ccbe53cbc292594c881b49c8a6b7c94f50e5526c259adca67e094a9adb6b303d5fcb498b9eca4c57ed1dce70
aes-128-gcm,seal,48,0,8e8f9a81e70977c78740b2d55bb628edd7699b0d8fc8b980bc39b05ffdeb6a2eec6cf0bbd51b082a7debc3dde129dd9315f7fdd70755c6a0e18304fd81bd8b71
aes-128-gcm,seal,48,20,8e8f9a81e70977c78740b2d55bb628edd7699b0d8fc8b980bc39b05ffdeb6a2eec6cf0bbd51b082a7debc3dde129dd93b475b64c1c80c6a2cd170924e3594aad
aes-128-eax,seal,48,0,fb294e7a5373e3a33025ca66fcd9c32a173998ed8f1e12d0c0d87ad022f3613262f62b947b809b20ed67066df8c45c77781314ab468bedd0f6d0028af048e6f0
aes-128-eax,seal,48,20,fb294e7a5373e3a33025ca66fcd9c32a173998ed8f1e12d0c0d87ad022f3613262f62b947b809b20ed67066df8c45c77eb0c17b8fef6bac905a4e5d5f2518526
aes-128-ccm,seal,48,0,2bb66d5ddd36e26ed931aefa8b133e6ec57d6dd4b4104a170b700a2e7bd1be925c52f46b998e0ceddb98263c71602044b4c2c19e61f1712da54ae204645d8fd9
aes-128-ccm,seal,48,20,2bb66d5ddd36e26ed931aefa8b133e6ec57d6dd4b4104a170b700a2e7bd1be925c52f46b998e0ceddb98263c7160204406a8afa9cb3775cb8e7c6ce3f1de129d
aes-128-ocb,seal,48,0,bfade4a8c8317deb042cc38c65869acd26a284d14eec847a5c54217f575c83fc9f0b9ef5d840b6f0604d08dc49df8002c585cdfd167aff007be86bdc8f2912d5
aes-128-ocb,seal,48,20,bfade4a8c8317deb042cc38c65869acd26a284d14eec847a5c54217f575c83fc9f0b9ef5d840b6f0604d08dc49df80029f5909ff8c813b7f3a4e463bf179457e
aes-128-gcm-siv,seal,48,0,a1e3c2b8c877b3beb21baba335f6c51442c6460d4ab6540df68da90f6d6fdfaa03771f553c81a396c396c745fa37b9ef718aebae5f38841895a2f4cb0963923b
aes-128-gcm-siv,seal,48,20,e7d518c05b1f4f5a29f928c956883ec128b75ea502f84c7bec61cc5a24d963ea791b40d247960acfc000229afdc437d093d1951b0ebee3bf1f65c31d3c439bb3
aes-192-ecb,encrypt,48,0,68151114429ae43e0a6096a6bccad9ea44d4a1f2f01874ee792e6ef478b4bcd0585eca0195cd5b768295d7997ccd6c4d
aes-192-cbc,encrypt,48,0,fed57ab8a9082cc0b0f9c1d2fff96f8c0ad0176039690771b68e36e45a4db0250cf4d4353eabb265485f69b9caece570
aes-192-gcm,seal,48,20,eb42bda7d172e6fd778b8ab12c0041910a28527333f57fae09170c8558d795a54e7e99b39e15b58c65a00a5afd4a05f39578f0e4243db8bb28dee27f2bbae721
aes-192-ccm,seal,48,20,c258c3d8371d7fa262a411e83faeeb5a89519cf6579e8c3f9435061b12765d709bad68de169835c8f5ac83efbbb1488c2930de26ceca8b8b913b82d1ff31a929
aes-192-ocb,seal,48,20,53075e7bf7642bb0e8ed1a3f3dca97b2b37db6ddc32824fd764237ffd40d693919e9a5ff4dde048c62f5c66a7311295fe56b60991291245c8b7f82a3ee6343f3
aes-256-ecb,encrypt,48,0,3c1d0660fea435f59d4872944df45f03854aeaf264aed4062bbc58791c2d67b0ab1f64791d6416b1cda915be2490998d
aes-256-cbc,encrypt,48,0,38d60ff8c4acd7a4bde101c9e9def254c5538e39aa8fccbe27c802f5ebbc9a1c59b8d116e3a0f2da444f2337687d36c2
aes-256-xts,encrypt,48,0,ae329e579f05eb016d3691560977bedffec6b06358f141b271a46ebb8e02d5922cce5be1d04ef83928229042cebaccc7
aes-256-gcm,seal,48,20,879e9c179a4ddd45f55ae982be4449bfc48319f50d1ddb19e2f772b98f1ca34a4123412299ab63a3aa828d7f7fbc9cea24e291fa6fcd2d098b3691858e783ebd
aes-256-gcm-siv,seal,48,20,87896fb0a94ca67370bbea8a79c695eaeb34ecc4080ceba56ee0c76991c63853c624edef558c3f44d57c0c9a8fdc69d56a253f913a77dff8c1193467ac425108
camellia-128-ecb,encrypt,48,0,e9bd250924bcc93f7b0761efce395717512f360443ee3dcd3df23faf9db3d30459a4c3e078700d50ac93fb6259418894
camellia-192-ecb,encrypt,48,0,b67aeb41d11d92837adced682ee9785d456104a803c45e2ffdacc85697cbb68f00a01d00bcd73f9dc1c510cbfc952367
camellia-256-ecb,encrypt,48,0,3c88b2f311097f084f5d3e95b4269ee60975ab9540d22b8ac8f56d43d95123f46da03cc51698948598afd377ce638d5a
camellia-256-cbc,encrypt,48,0,1e3038ddc145c14e9ade7603bbeb86d97f3c194ccdeec3a5bee1e9b8b06ff6826a005369c56c83f82484a1521c022011
camellia-256-gcm,seal,48,20,9250d2bf315373425ee3cc831f6712ee093fee36da02d9f178844028070f9c2436a6a291f5a80fe14c8c364ae2318272ec2fdd217de31b8da7829d6b5bb64bf9
serpent-128-ecb,encrypt,48,0,c3a52b1b27f71744abbb3dd1a1a7cc19323dccf360c57c2a0e056b714ec203a81a711a2b97ed9b99edfd2b7286991354
serpent-192-ecb,encrypt,48,0,a22fd20fa34cdc31b223aba0b08c0f4d5369afa4a0035c6664f2ba0755a94c01aa4e65ecbbdd1599dc84e03336fca48e
serpent-192-eax,seal,48,20,6390db05cee541549d3fab8cea4a9dfaf0ed1b76e667e7d2b0e2426c26e05d9dae4665c8d522dcb2523ae537733d0eccb7e7b92bf17770ee3ede501fec501c79
serpent-256-ecb,encrypt,48,0,f77d310a267c27c2c2805a021adf820f71cc9d62776d0d9e5ed7757432d98f888604389c6275468dfb42873d2e17edbd
serpent-256-xts,encrypt,48,0,170e0db22e27070a1cf925d7a54175d3628898ef982afba8979d7f77e332c1433a4b513a36e5d4976c0b2ac3eb82a358
twofish-128-ecb,encrypt,48,0,6473f7dcedc21f3b72e606424a095ef6cf7d6416b114f5443fca7296056d168a799fcfe6e5564ef59aa85978b47aff81
twofish-256-ecb,encrypt,48,0,2d6e2df12b0da1332d628eda752cbe9fb53d052d1793e5f57ae238ad69091e5ce4eee242d9f63230e64d01904613fb04
twofish-256-ccm,seal,48,20,1f153504b1f360a97d10ccb148934b778fe31e733fa738ab8a6b89860e746abc8e022ac78d7941a7aeae28b66d3f0837bcb1ced54b6a5ec96a158da2447d596c
cast5-128-ecb,encrypt,48,0,7078bcbdd4a80cd454a4387f9588f99481fadb4ec1b3db44fe6fe6c5c3924f8ad875fe455fe8cd38ce4bac0d4dcdd862
cast5-128-cfb8,encrypt,48,0,7810c913573b066bc610bfeb7f6b271895dec32a1ff2e402fb7c50757b48bf15a5bd7f2250394fd0be8a49a26133c31a
blowfish-128-ecb,encrypt,48,0,2b6aaec9a4fa6ba774deda523aaa988193c6a7bad5fca0890fe66002c74b8167d36abe07f722a7e75f0588cfeab919e9
3des-ecb,encrypt,48,0,ef1d260f69f982dc7268391ac42cd0adb125c526df3979e174eca564831beb41e53ddc31c91a825c460a91a01f4eb552
3des-cbc,encrypt,48,0,8158925fc720c960b0737400d9366610dc62871d60107fb6fe3386074d7d07848b9634e6f155d7b38fc28095fc6312c2
3des-cfb,encrypt,48,0,db4ee1bc61be16a63cd7a0e33a8f866e08e5a2d084a87302aedd90d5e59149ba44621cf26a166e2159d04a459ed059f1
3des-ctr,encrypt,48,0,db4ee1bc61be16a64d42ec10d0a08fbbdc15013df25edbec25195a03c757ac45625a9123149d648a816eb4bd865629fa
des-ecb,encrypt,48,0,ccc1ac095fb6fefaac5ccc21976baffa4dcd0e31d2806b910cf4a3cd0d118c8930cc7eef044cc89d6e78a9eae64862dc
rc2-40-ecb,encrypt,48,0,a31ddcf4f27cad356613f589b32b6241bd6d2db95549d445177ac6b02ff73a07a9e10f73a1f74627c7c3e432d87719fd
rc2-128-ecb,encrypt,48,0,ce06dc685f033dbe903ec0034d7142b8143343162cabe90d0f0e6b282e2ffb0486882404166876b03d3bdd4152720cc9
sm4-ecb,encrypt,48,0,7e28788e7a1a728a2ed329b5d7bb14cb54b981de5a8b868fb43caf5278004b86d690da4736d0e120bd44d257fd0dccef
sm4-gcm,seal,48,20,1f4cdc8e29a17d97a87365a8f731430824a13778b092997167d1704aa89392f3627f9c3961bf55c6ae7bc9b205b14fa7f050b786541f1bcbb8c9c9080c941a9e
rc2-64-ecb,encrypt,48,0,532894681e3b6164303b0c7fb3b65de8758923155c32e2bf08fb90b2beab6ad74f1e3d57b3c8b6e599507449c2455565
rc2-gutmann-128-ecb,encrypt,48,0,5a5cbbe26e6fac58508682d5a4735f4f6cd06b1fc539651964d75b1f9f5e5275412bf8eceb1e0552b667e03cf770ab76
rc4-128,encrypt,48,0,3eadb505011d7cef8ce12484c856b14584a7c18de687705399a17bff6fad36be3f21e54c6cb061461bc138897f8f2be7
salsa20,encrypt,48,0,39ca2060e7c50db0de6d3830db74a4d127e2d68c64ed53c3cddecb365e26f39a98377d1f78d3c3753f902736ad50f806
salsa20-128,encrypt,48,0,75b31efa603cf4ed307cb0a541c1ca970db122e64b84f6b0220df7892dfa64271c75d93d5cd5aea2f7bf6f0aa007b0e6
chacha20,encrypt,48,0,4b22cd3f95698eff3b75e65b971862a18617a5572b08421676921fb6c64bfc4d35d329594251596ea0ba19d0e9f76813
chacha20-djb,encrypt,48,0,7f8eb718f8c8d50d61275451258c42255b3af0a93e2ef41740861b7b1b4c003214caa689afb2b15eafdd0484429ca034
salsa20-12,encrypt,48,0,1cfc04e1c0d967b92472225fd1d7850bec435c70703017899e4f8437cd1e7d1d8523e82a9391aabaf7d011505bdc4967
salsa20-12-128,encrypt,48,0,df5a4b090106805462619cabbd1a685616d9b97059b82eb33fbbc8a33980587c58790aec2050e58545a6b5da6cbc9f26
chacha20-poly1305,seal,48,0,4e3dc3fe22b0599601b10a67fd2b4e629ba77d022351b4c59b69e01e0080cbb83063fe2ebe990eb3865f371aac1a402aa64b50b032551f95bf74adec54e8e429
aes-128-siv-cmac,seal,48,0,4d3a3db89ea3378839733ac9ecdc1feecc22f45bcab7eae84464aa16411a584ce4bae2556d6cd1703e9d0435a14c1987d8affa474f936806e4b7ff87808cdddb
aes-128-gcm,auth,48,0,ea6736c6aa43660593f1ee2411a681ae
aes-128-eax,auth,48,0,4bfbd4e311fe1bd63f09d84a641a89e7
aes-128-ocb,auth,48,0,428393c12befce19eceaf9023c8f6b81
aes-256-gcm,auth,48,0,714eb90d96c8a82a588ac1a339d693ce
aes-256-eax,auth,48,0,70e864ffde1be9dda9f94cf7a1c6cece
aes-256-ocb,auth,48,0,6c10ab09e30abe65ccc59b69865f7731
chacha20-poly1305,seal,48,20,4e3dc3fe22b0599601b10a67fd2b4e629ba77d022351b4c59b69e01e0080cbb83063fe2ebe990eb3865f371aac1a402a945265a93baa43b6d6b12b18da44d655
aes-128-siv-cmac,seal,48,20,f2b10d0410d8ab89aa9924a6fd488cac299d85adf20f147f69d45f1264542055fcdb036c66e00976a83208bcc01d2552e466fecdae6dda0a2d4f111e4515102e
aes-256-siv-cmac,seal,48,20,dced4d59868e6facee1e6da39de3222da71434a7cf78b11ecdc60818907050ebfbae53d474fc7738c7d086edaceb49006fe67dbec95d60f94bab2a102b5d6482
chacha20-poly1305,auth,48,0,5cab6152f7500507e525f7334e31a5a8
aes-128-gcm-siv,auth,48,0,8969172a0c4651626bb9fb2b55d1089c
aes-256-gcm-siv,auth,48,0,3289a2b3aff3f5d08f71345c754c7921
pbkdf2-hmac-md5,derive,0,0,9758b11ccc0c4cc3dccaa1474c5607343b5450ea2eda5e9934870fc453bad6d4
hkdf-md5,derive,0,0,90fb6cd77b8b8a4deeea68c765023517145ddcbba0c5bea455e34b08cdbb467b
pbkdf2-hmac-ripemd160,derive,0,0,efe9cf944c5cd0dd0486c5b860149d117b34b73e6fef4e6f1b4c7caf3344d061
hkdf-ripemd160,derive,0,0,f351bf86b12de102b802b9e0708a483b67d15c1935e45b5188a5ea060bb168bd
pbkdf2-hmac-sha1,derive,0,0,f10d97726b487902aaead77b22bd73d891861eae0bfefb2efddc00bb3f5114ec
hkdf-sha1,derive,0,0,485a2cf52a5bd3b014425e739b21a4791b0eb4c5cea91896ef879a2cc656d608
pbkdf2-hmac-sha224,derive,0,0,0cf0d48e47f06ab9a310ee526eefc3e98a7c3e55edb74137fa46a54cbfd8ab1a
hkdf-sha224,derive,0,0,1f571d3ce522190d19d66b6cc268a81053fb1d974d0a266a4ccac308cee65aff
pbkdf2-hmac-sha256,derive,0,0,cea010d03fcfc6d83a65d862fb940696d76571eb5ca5b0bc13948640525a830c
hkdf-sha256,derive,0,0,b1083515e93b8db312e0dea4605dd460a728a48ce4489c2de760c3eead4fe0ae
pbkdf2-hmac-sha384,derive,0,0,c66dcc459c48dfa9e3209fb5b67064ffb7a81c3680ff4fb26b07a2ad1f1971bc
hkdf-sha384,derive,0,0,b2f3c268bd0e1dd5315c88649bbba436cec3c4ebf4fedeac6fa0400655061244
pbkdf2-hmac-sha512,derive,0,0,72d693fd6633336b98c6ffd1b8e1dffcae46306a88952845b08cc5bfb7fe1e44
hkdf-sha512,derive,0,0,5b3df5a4ec1f12f6affab22d72a59f2276b0adf92b325f5f59ec4dc398cac106
pbkdf2-hmac-sm3,derive,0,0,fb78a58a138e63ffc0b538c8fd084417dcbead098b0baa2d0b50b57da3ec1d84
hkdf-sm3,derive,0,0,6ae617f82960473828e5e8a9ca7dc154a17124bc6ee18398959e2c82fd25325a
pbkdf2-hmac-streebog-256,derive,0,0,19ee9ca9d0e146a58002dfcc26a9f1e2604e2cb9245f70ef567b85fc058af740
hkdf-streebog-256,derive,0,0,a7baf6edadcf40dd430e2ed7e1e161a0cf8d3acee17c4f977e1f25b94ecd40a2
pbkdf2-hmac-streebog-512,derive,0,0,c879d23729a21c84cc8ad43b0c07631eba09cfcfde9ae385ec56259e9f745db3
hkdf-streebog-512,derive,0,0,313e1c68ea84678d458f5592a95ae41f0076d559049339a548e9a9a4427288e6
pbkdf2-hmac-gosthash94-cp,derive,0,0,6ddf6c36c6c16318a71c3f33b30785e9ef5691114bd7066c8bdc18879b9ed12d
umac-32,mac,200,0,04fcf1dd
umac-64,mac,200,0,92d66ff459b1e3e5
umac-96,mac,200,0,92d66ff459b1e3e54cc469bf
umac-128,mac,200,0,92d66ff459b1e3e54cc469bfd2ab72bb";
