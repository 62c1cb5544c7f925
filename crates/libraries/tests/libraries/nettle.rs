//! Tests what is specific to Nettle: its names, inputs on which it would abort, and
//! that compat calls continue from each other.

use crate::{given, output};
use cpb_libraries::{PrepareError, names, prepare};
use cpb_model::{Contract, LengthRange, Offer, Operation, Parameters, Role};
use cpb_provider::inputs_of_cases;

#[test]
fn what_nettle_would_abort_on_is_refused() {
    let Some(library) = given("nettle") else { return };
    let usual = Parameters::default();
    let iterations = |iterations| Parameters { iterations: Some(iterations), ..usual };
    let message = |message_bytes| Parameters { message_bytes, ..usual };
    for (spelling, parameters) in [
        ("xts_aes128", message(0)),
        ("ccm_aes128", message(1 << 24)),
        ("pbkdf2_hmac_sha256", iterations(0)),
        ("pbkdf2_hmac_sha256", iterations(1 << 32)),
        ("hkdf_hmac_sha256", Parameters { output_bytes: Some(255 * 32 + 1), ..usual }),
    ] {
        let mut asked = 0;
        for offer in library.offers().iter().filter(|offer| offer.spelling == spelling) {
            match prepare(library.as_ref(), offer, &offer.call(Contract::Keyed, parameters)) {
                Err(PrepareError::Unavailable(_) | PrepareError::DoesNotFit(_)) => asked += 1,
                Err(error) => panic!("{spelling}: {error}"),
                Ok(_) => panic!("{spelling} takes {parameters:?}"),
            }
        }
        assert!(asked > 0, "{spelling} is not offered");
    }
}

#[test]
fn compat_goes_on_where_the_last_call_ended() {
    let Some(library) = given("nettle") else { return };
    for offer in library.offers() {
        let Some(row) = &offer.row else { continue };
        let parameters = Parameters::of_message(64);
        let outputs = [1, 2]
            .map(|calls| output(&*library, offer, Contract::Compat, parameters, calls).unwrap());
        // Only operations that leave the buffer unchanged give the same output in
        // every call.
        let repeats = row.group == "hash" || row.mode.ends_with("auth");
        assert_eq!(outputs[0] == outputs[1], repeats, "{row:?}");
        if row.group == "hash" {
            assert_eq!(outputs[0].len(), 1, "{row:?}");
        }
    }
}

#[test]
fn weak_keys_are_refused() {
    let Some(library) = given("nettle") else { return };
    let offers = library.offers();
    for (spelling, is_weak) in [("des", true), ("cmac_des3", true), ("aes128", false)] {
        let offer = offers.iter().find(|offer| offer.spelling == spelling).unwrap();
        let parameters = Parameters::of_message(16);
        let call = offer.call(Contract::Keyed, parameters);
        let mut inputs = inputs_of_cases(&*library, offer, &call, usize::MAX).unwrap();
        inputs.bytes_mut(Role::Key).fill(1);
        let reason = library.ready(offer, Contract::Keyed, inputs).err();
        let name = spelling.trim_start_matches("cmac_");
        let said = format!("nettle calls the key of {name} weak");
        assert_eq!(reason, is_weak.then_some(PrepareError::Unavailable(said)), "{spelling}");
    }
}

/// The shim lists the hashes whose names do not follow from the spelling.
#[test]
fn the_shim_names_as_the_table_of_names_does() {
    let Some(library) = given("nettle") else { return };
    let offers = library.offers();
    for offer in offers.iter().filter(|offer| offer.operation == Operation::Hash) {
        assert_eq!(offer.primitive, names::hash(&offer.spelling));
    }
    let ecb = |offer: &&Offer| offer.primitive.ends_with("-ecb");
    let streams = |offer: &&Offer| {
        offer.lengths.granularity == 1
            && offer.operation == Operation::Encrypt
            && offer.row.as_ref().is_some_and(|row| row.mode.starts_with("STREAM"))
    };
    let ciphers: Vec<&Offer> = offers.iter().filter(|offer| ecb(offer) || streams(offer)).collect();
    assert!(ciphers.len() >= 40, "{}", ciphers.len());
    for offer in ciphers {
        let bits = offer.lengths.key.default_length() * 8;
        let known = names::CIPHERS.iter().any(|(name, aliases)| {
            let same =
                |other: &str| names::has_normal_form(other, &names::normal_form(&offer.spelling));
            same(name) || aliases.iter().any(|alias| same(alias))
        });
        let end = bits.to_string();
        let family = if known {
            &offer.spelling
        } else {
            offer.spelling.strip_suffix(&end).unwrap_or(&offer.spelling)
        };
        let primitive = offer.primitive.trim_end_matches("-ecb");
        assert_eq!(primitive, names::cipher(family, bits), "{}", offer.spelling);
    }
}

/// HKDF counts its blocks in one byte.
#[test]
fn hkdf_puts_out_255_digests_at_most() {
    let Some(library) = given("nettle") else { return };
    let offers = library.offers();
    let hkdf = offers.iter().find(|offer| offer.spelling == "hkdf_hmac_sha256").unwrap();
    assert_eq!(hkdf.lengths.output, Some(LengthRange::free(32).up_to(255 * 32)));
}
