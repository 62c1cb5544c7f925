//! Nettle 3, through the shim `shims/nettle.c`.

use crate::shim::{self, Shim};
use crate::{Library, OpenError};
use std::path::Path;

const SHIM: Shim = Shim {
    name: "nettle",
    title: "Nettle",
    built: shim::NETTLE,
    sonames: &["libnettle."],
    symbol: "nettle_version_major",
    headers: "nettle-dev",
};

pub(crate) fn open(path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    shim::open(&SHIM, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inputs, PrepareError, names};
    use cpb_model::{Contract, Length, Offer, Operation, Parameters, Role, Workload};
    use cpb_provider::inputs_of;

    /// The library that is installed, or the one whose path `CPB_TEST_NETTLE` gives.
    fn library() -> Option<Box<dyn Library>> {
        let path = std::env::var_os("CPB_TEST_NETTLE");
        match open(path.as_deref().map(Path::new)) {
            Ok(library) => Some(library),
            Err(error @ OpenError::Missing { .. }) if path.is_none() => {
                println!("skipped: nettle not installed ({error})");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn inputs(
        library: &dyn Library,
        offer: &Offer,
        message_bytes: usize,
        aad_bytes: usize,
    ) -> Inputs {
        let workload = Workload {
            primitive: offer.primitive.clone(),
            operation: offer.operation,
            contract: Contract::Keyed,
            parameters: Parameters { message_bytes, aad_bytes, ..Parameters::default() },
        };
        inputs_of(library, offer, &workload).unwrap()
    }

    #[test]
    fn every_mode_rejects_forgeries() {
        let Some(library) = library() else { return };
        let mut modes = 0;
        for offer in library.offers().iter().filter(|offer| offer.operation == Operation::Open) {
            let what = &offer.spelling;
            let mut inputs = inputs(&*library, offer, 40, 20);
            let plaintext = (0..40).collect();
            let aad = inputs.bytes_mut(Role::Aad).as_mut_ptr();
            let mut call = library.ready(offer, Contract::Keyed, inputs).unwrap();
            call.run(1);
            assert_eq!(call.output(), Ok(plaintext), "{what}");
            // SAFETY: the first byte of the associated data, which the call keeps where it
            // is, and which nothing reads or writes between two runs.
            unsafe { *aad ^= 1 };
            call.run(1);
            assert_eq!(call.output(), Err("nettle rejects the tag".to_owned()), "{what}");
            // SAFETY: as above.
            unsafe { *aad ^= 1 };
            call.run(1);
            assert!(call.output().is_err(), "{what}: a failure is not forgotten");
            modes += 1;
        }
        assert!(modes >= 30, "{modes}");
    }

    #[test]
    fn weak_keys_are_refused() {
        let Some(library) = library() else { return };
        let offers = library.offers();
        for (spelling, is_weak) in [("des", true), ("cmac_des3", true), ("aes128", false)] {
            let offer = offers.iter().find(|offer| offer.spelling == spelling).unwrap();
            let mut inputs = inputs(&*library, offer, 16, 0);
            inputs.bytes_mut(Role::Key).fill(1);
            let reason = library.ready(offer, Contract::Keyed, inputs).err();
            let name = spelling.trim_start_matches("cmac_");
            let said = format!("nettle calls the key of {name} weak");
            assert_eq!(reason, is_weak.then_some(PrepareError::Unavailable(said)), "{spelling}");
        }
    }

    /// The shim has a list of its own of those that do not follow from the spelling.
    #[test]
    fn the_shim_names_as_the_table_of_names_does() {
        let Some(library) = library() else { return };
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
        let ciphers: Vec<&Offer> =
            offers.iter().filter(|offer| ecb(offer) || streams(offer)).collect();
        assert!(ciphers.len() >= 40, "{}", ciphers.len());
        for offer in ciphers {
            let bits = offer.lengths.key.usual() * 8;
            let known = names::CIPHERS.iter().any(|(name, aliases)| {
                let same =
                    |other: &str| names::normal_form(other) == names::normal_form(&offer.spelling);
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
        let Some(library) = library() else { return };
        let offers = library.offers();
        let hkdf = offers.iter().find(|offer| offer.spelling == "hkdf_hmac_sha256").unwrap();
        assert_eq!(hkdf.lengths.output, Some(Length::free(32).up_to(255 * 32)));
    }
}
