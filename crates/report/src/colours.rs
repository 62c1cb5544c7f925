//! Assigns one colour to each library, wherever it is drawn.

use crate::chart::COLOURS;
use std::collections::HashMap;

/// Libraries with a fixed colour, in the order of the line colours, without a leading `lib`. The
/// ninth shares the first one's colour, and yields if both are drawn.
const OWN: &str = "native openssl gcrypt nettle botan cryptopp wolfssl mbedtls aws-lc rustcrypto \
                   ring sodium bearssl tomcrypt gnutls nss ipsec-mb b2 af-alg blake3 graviola";
/// The rank of all others.
const LAST: usize = usize::MAX;

/// The colours of the libraries in a chart or page, as numbers of line colours.
///
/// A library has the same colour everywhere, unless another one in the same chart wants it too:
/// then the later one takes the next free colour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colours {
    by_library: HashMap<String, usize>,
}

impl Colours {
    /// Assigns colours to `libraries`, given by any short names: `openssl`, `openssl 3.0`,
    /// `libgcrypt`.
    pub fn of<'a>(libraries: impl IntoIterator<Item = &'a str>) -> Self {
        let mut wishes: Vec<(&str, Wish)> = Vec::new();
        for library in libraries {
            if wishes.iter().any(|(known, _)| *known == library) {
                continue;
            }
            let mut wish = wish(library);
            // The second build of a library must not take another library's colour.
            if wishes
                .iter()
                .any(|(_, other)| other.colour == wish.colour && other.rank == wish.rank)
            {
                wish.rank = LAST;
            }
            wishes.push((library, wish));
        }
        // Among equal ranks, the first comes first.
        wishes.sort_by_key(|(_, wish)| wish.rank);
        let mut taken = [false; COLOURS];
        let mut by_library = HashMap::new();
        for (library, wish) in wishes {
            let after = (0..COLOURS).map(|step| (wish.colour + step) % COLOURS);
            let colour = after.into_iter().find(|&free| !taken[free]).unwrap_or(wish.colour);
            taken[colour] = true;
            by_library.insert(library.to_owned(), colour);
        }
        Self { by_library }
    }

    /// Returns the colour of `library`; the first one if it is unknown.
    pub fn of_library(&self, library: &str) -> usize {
        self.by_library.get(library).copied().unwrap_or(0)
    }

    /// Returns the looks of a chart's lines, given the library of each: its colour, with other
    /// dashes and markers for further lines of that colour.
    pub fn looks<'a>(&self, libraries: impl IntoIterator<Item = &'a str>) -> Vec<usize> {
        let mut lines = [0; COLOURS];
        let look = |library| {
            let colour = self.of_library(library);
            lines[colour] += 1;
            colour + COLOURS * (lines[colour] - 1)
        };
        libraries.into_iter().map(look).collect()
    }
}

struct Wish {
    colour: usize,
    /// Libraries with a fixed colour precede those without.
    rank: usize,
}

fn wish(library: &str) -> Wish {
    let name = library.split([' ', '=', ';', ':']).next().unwrap_or(library).to_lowercase();
    let name = name.strip_prefix("lib").unwrap_or(&name);
    match OWN.split(' ').position(|own| own == name) {
        Some(place) => Wish { colour: place % COLOURS, rank: place / COLOURS },
        // FNV-1a: the same for the same name, today and next year.
        None => {
            let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            let hash = name.bytes().fold(0x811c_9dc5, mix);
            Wish { colour: hash as usize % COLOURS, rank: LAST }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_has_one_colour_whoever_stands_beside_it() {
        let alone = Colours::of(["gcrypt"]);
        let many = Colours::of(["mine", "nettle", "gcrypt", "openssl 3.0", "native"]);
        assert_eq!(alone.of_library("gcrypt"), many.of_library("gcrypt"));
        assert_eq!(Colours::of(["libgcrypt"]).of_library("libgcrypt"), 2);
        assert_eq!(Colours::of(["openssl=/opt/x"]).of_library("openssl=/opt/x"), 1);
        assert_eq!(many.of_library("openssl 3.0"), 1);
    }

    #[test]
    fn neighbours_differ_until_colours_run_out() {
        let builds =
            Colours::of(["openssl 3.0", "openssl 3.6", "gcrypt", "native", "ring", "mine"]);
        let mut used: Vec<usize> = builds.by_library.values().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), 6);
        let own = ["native", "openssl 3.0", "gcrypt"].map(|name| builds.of_library(name));
        assert_eq!(own, [0, 1, 2]);
        let own = builds.looks(["native", "openssl 3.0", "native", "native"]);
        assert_eq!(own, [0, 1, COLOURS, 2 * COLOURS]);
        let names: Vec<String> = (0..20).map(|number| format!("library{number}")).collect();
        let many = Colours::of(names.iter().map(String::as_str));
        assert!(names.iter().all(|name| many.of_library(name) < COLOURS));
    }
}
