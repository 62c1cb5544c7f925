//! Random bytes and random texts, against another implementation.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::codec::{Codec, on_every_backend};

#[test]
fn bytes_and_texts() {
    let cases = 512;
    println!("codec random: cases={cases}");
    on_every_backend("codec random", |codec, backend| {
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let strategy = (
            proptest::collection::vec(any::<u8>(), 0..1500),
            proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        );
        TestRunner::new(config)
            .run(&strategy, |(bytes, changes)| {
                let mut text = codec.expected(&bytes);
                prop_assert_eq!(&backend.encode(&bytes), &text);
                if codec == Codec::Base16 {
                    text.iter_mut().step_by(3).for_each(u8::make_ascii_uppercase);
                }
                for (place, byte) in changes {
                    if !text.is_empty() {
                        let place = place.index(text.len());
                        text[place] = byte;
                    }
                }
                prop_assert_eq!(backend.decode(&text).ok(), codec.expected_bytes(&text));
                Ok(())
            })
            .unwrap_or_else(|error| panic!("{backend:?}: {error}"));
    });
}
