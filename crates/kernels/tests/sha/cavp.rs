//! NIST's known answers (CAVS 11.1), on every backend.
//!
//! The rules are those of the Secure Hash Algorithm Validation System (NIST, 2014):
//! section 6.4 for Monte Carlo.

use crate::oracle::Tested;
use crate::records::read;
use crate::{Count, for_every_hash, on_every_backend};

#[test]
fn cavp() {
    for_every_hash!(cavp_of);
}

fn cavp_of<H: Tested>() {
    // A block has half the bytes: half the short messages.
    let answers = if H::BLOCK_BYTES == 64 { 65 + 19 + 100 } else { 129 + 18 + 100 };
    let directory = if H::NAME == "SHA1" { "sha1" } else { "sha2" };
    let file = |kind: &str| format!("cavp/{directory}/{}{kind}.rsp", H::NAME);
    on_every_backend::<H>("cavp", |backend, name| {
        let mut count = Count::default();
        for file in [file("ShortMsg"), file("LongMsg")] {
            for record in read(&file, "Msg") {
                // The empty message is written as one zero byte.
                let mut message = record.bytes("Msg");
                message.truncate(record.number("Len") / 8);
                let digest = H::hash(backend, &message);
                let what = format!("{file} on {name}: {} bytes", message.len());
                count.check(digest.as_ref() == record.bytes("MD"), &what);
            }
        }
        let file = file("Monte");
        let mut seed = read(&file, "Seed")[0].bytes("Seed");
        for record in read(&file, "MD") {
            seed = chain::<H>(backend, &seed);
            let what = format!("{file} on {name}: {}", record.text("COUNT"));
            count.check(seed == record.bytes("MD"), &what);
        }
        count.finish("cavp", H::NAME, name, answers);
    });
}

/// 1000 digests, each of the three before it.
fn chain<H: Tested>(backend: H::Backend, seed: &[u8]) -> Vec<u8> {
    let mut digests = [seed.to_vec(), seed.to_vec(), seed.to_vec()];
    for _ in 0..1000 {
        let next = H::hash(backend, &digests.concat()).as_ref().to_vec();
        digests.rotate_left(1);
        digests[2] = next;
    }
    let [.., last] = digests;
    last
}
