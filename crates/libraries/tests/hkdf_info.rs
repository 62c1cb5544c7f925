//! HKDF's info reaches every library: known answers of RFC 5869, appendix A, and
//! agreement with our own kernel.

#![allow(clippy::print_stdout, reason = "what is skipped is told")]

use cpb_libraries::{LIBRARIES, OpenError};
use cpb_model::{Contract, Offer, Operation, Parameters, Workload};

/// Bytes of key, salt, info and output, all different.
const BYTES: [(usize, usize, usize, usize); 4] =
    [(22, 13, 10, 42), (80, 80, 80, 82), (16, 16, 13, 32), (16, 0, 1, 20)];

fn workload(offer: &Offer, contract: Contract, lengths: (usize, usize, usize, usize)) -> Workload {
    let (key, salt, info, output) = lengths;
    Workload {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract,
        parameters: Parameters {
            key_bytes: Some(key),
            nonce_bytes: Some(salt),
            aad_bytes: info,
            output_bytes: Some(output),
            ..Parameters::default()
        },
    }
}

/// RFC 5869 section 2, by the crate `hkdf`, of the bytes that every library is given.
fn expected(primitive: &str, (key, salt, info, output): (usize, usize, usize, usize)) -> Vec<u8> {
    let pattern = |bytes: usize, factor: usize, start: usize| -> Vec<u8> {
        (0..bytes).map(|index| ((factor * index + start) % 251) as u8).collect()
    };
    let (key, salt, info) = (pattern(key, 17, 5), pattern(salt, 13, 3), pattern(info, 11, 7));
    let mut okm = vec![0; output];
    macro_rules! derive {
        ($hash:ty) => {
            hkdf::Hkdf::<$hash>::new(Some(&salt), &key).expand(&info, &mut okm).unwrap()
        };
    }
    match primitive {
        "hkdf-sha1" => derive!(sha1::Sha1),
        "hkdf-sha256" => derive!(sha2::Sha256),
        _ => derive!(sha2::Sha512),
    }
    okm
}

#[test]
fn the_info_is_part_of_every_librarys_answer() {
    let mut answers = 0;
    for entry in LIBRARIES {
        let library = match (entry.open)(None) {
            Ok(library) => library,
            Err(error @ OpenError::Missing { .. }) => {
                println!("skipped: {error}");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let mut of_library = 0;
        let is_meant = |offer: &Offer| {
            ["hkdf-sha1", "hkdf-sha256", "hkdf-sha512"].contains(&offer.primitive.as_str())
                && offer.operation == Operation::Derive
                && offer.unavailable.is_none()
        };
        for offer in library.offers().into_iter().filter(is_meant) {
            for lengths in BYTES {
                for contract in [Contract::Keyed, Contract::Oneshot] {
                    let what = format!("{} {} {lengths:?} {contract:?}", entry.name, offer.backend);
                    let mut call =
                        library.prepare(&offer, &workload(&offer, contract, lengths)).unwrap();
                    call.run(2);
                    let expected = expected(&offer.primitive, lengths);
                    assert_eq!(call.output(), Ok(expected), "{what}");
                    of_library += 1;
                }
            }
        }
        println!("{}: {of_library} answers", entry.name);
        answers += of_library;
    }
    assert!(answers >= 24, "{answers}");
}

/// The expectation itself, by RFC 5869 section A.1.
#[test]
fn the_expectation_is_that_of_the_rfc() {
    let okm = {
        let mut okm = [0; 42];
        let (ikm, salt): (Vec<u8>, Vec<u8>) = (vec![0x0b; 22], (0..=12).collect());
        let info: Vec<u8> = (0xf0..=0xf9).collect();
        hkdf::Hkdf::<sha2::Sha256>::new(Some(&salt), &ikm).expand(&info, &mut okm).unwrap();
        okm
    };
    assert_eq!(okm[..8], [0x3c, 0xb2, 0x5f, 0x25, 0xfa, 0xac, 0xd5, 0x7a]);
    assert_eq!(okm[32..], [0x34, 0x00, 0x72, 0x08, 0xd5, 0xb8, 0x87, 0x18, 0x58, 0x65]);
}
