//! Reads known answers next to an implementation, in the format of submissions to NIST's
//! lightweight cryptography competition: `LWC_AEAD_KAT_128_128.txt`, `LWC_HASH_KAT_256.txt`. A
//! record consists of lines with a name, `=`, and bytes in hexadecimal.

use crate::known_answers::from_hexadecimal;
use cpb_model::{Contract, Offer, Operation, Parameters, Role};
use cpb_provider::{Inputs, Library, PrepareError, Provider};
use std::collections::BTreeMap;
use std::path::Path;

/// The largest file of known answers.
pub const MOST_ANSWERS: u64 = 64 << 20;

/// The fields of a record besides its number.
pub(super) type Fields = BTreeMap<String, Vec<u8>>;

/// Checks the offers against all records of a file and counts them, or returns which one is wrong.
pub(super) fn check(provider: &Provider, file: &Path) -> Result<u64, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let text =
        cpb_host::files::read(file, MOST_ANSWERS).map_err(|error| format!("{name}: {error}"))?;
    let records = records(&String::from_utf8_lossy(&text), "Count", &[]);
    let records = records.map_err(|reason| format!("{name}: {reason}"))?;
    for (count, fields) in &records {
        let wrong = |reason: String| format!("{name}, Count = {count}: {reason}");
        record(provider, fields).map_err(wrong)?;
    }
    Ok(records.len() as u64)
}

/// Returns each record's number, which is the field of this name, and its fields except those of
/// the ignored names.
pub(super) fn records(
    text: &str,
    count: &str,
    left_out: &[&str],
) -> Result<Vec<(String, Fields)>, String> {
    let mut records: Vec<(String, Fields)> = Vec::new();
    let is_said = |line: &str| !line.is_empty() && !line.starts_with('#');
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_said(line.trim())) {
        let wrong = || format!("line {number} is no 'Name = hexadecimal'");
        let (name, value) = line.split_once('=').ok_or_else(wrong)?;
        let (name, value) = (name.trim(), value.trim());
        if name == count {
            records.push((value.to_owned(), Fields::new()));
            continue;
        }
        if left_out.contains(&name) {
            continue;
        }
        let (_, fields) = records.last_mut().ok_or_else(wrong)?;
        fields.insert(name.to_owned(), from_hexadecimal(value).ok_or_else(wrong)?);
    }
    if records.is_empty() {
        return Err(format!("it has no '{count} = 1'"));
    }
    Ok(records)
}

fn record(provider: &Provider, fields: &Fields) -> Result<(), String> {
    let field = |name: &str| fields.get(name).ok_or_else(|| format!("it has no {name}"));
    if let Ok(digest) = field("MD") {
        let found = run(provider, Operation::Hash, field("Msg")?, 0, &[])?;
        return compare("MD", &found, digest);
    }
    let (sealed, text, aad) = (field("CT")?, field("PT")?, field("AD")?);
    let given = [(Role::Key, field("Key")?), (Role::Nonce, field("Nonce")?), (Role::Aad, aad)];
    let found = run(provider, Operation::Seal, text, aad.len(), &given)?;
    compare("CT", &found, sealed)?;
    let (ciphertext, tag) = sealed.split_at_checked(text.len()).ok_or("its CT is too short")?;
    let tag = tag.to_vec();
    let given = [&given[..], &[(Role::Tag, &tag)]].concat();
    let found = run(provider, Operation::Open, ciphertext, aad.len(), &given)?;
    compare("PT", &found, text)
}

/// Returns the output of an operation for a message and its other inputs.
fn run(
    provider: &Provider,
    operation: Operation,
    message: &[u8],
    aad_bytes: usize,
    given: &[(Role, &Vec<u8>)],
) -> Result<Vec<u8>, String> {
    let offer = provider.offers().iter().find(|offer| offer.operation == operation);
    let offer =
        offer.ok_or_else(|| format!("it has no {} to be held to this", operation.name()))?;
    let inputs = inputs(offer, message, aad_bytes, given).map_err(|error| error.to_string())?;
    let mut call = provider
        .ready(offer, Contract::Keyed, inputs)
        .map_err(|error: PrepareError| error.to_string())?;
    call.run(1);
    call.output()
}

fn inputs(
    offer: &Offer,
    message: &[u8],
    aad_bytes: usize,
    given: &[(Role, &Vec<u8>)],
) -> Result<Inputs, PrepareError> {
    let length =
        |role: Role| given.iter().find(|(of, _)| *of == role).map(|(_, bytes)| bytes.len());
    let parameters = Parameters {
        message_bytes: message.len(),
        aad_bytes,
        key_bytes: length(Role::Key),
        nonce_bytes: length(Role::Nonce),
        ..Parameters::default()
    };
    let mut inputs = Inputs::new(offer, &offer.call(Contract::Keyed, parameters))?;
    inputs.message.bytes_mut().copy_from_slice(message);
    for (role, bytes) in given {
        inputs.put(*role, (*bytes).clone());
    }
    Ok(inputs)
}

pub(super) fn compare(name: &str, found: &[u8], expected: &[u8]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    const SHOWN: usize = 8;
    let short = |bytes: &[u8]| cpb_kernels::base16::encode(&bytes[..bytes.len().min(SHOWN)]);
    Err(format!("its {name} is {}… where {}… is right", short(found), short(expected)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_stand_there() {
        let text = "# a\nCount = 1\nmlen = 333\nKey = 00AB\nPT = \n\nCount = 2\r\nKey = ff\r\n";
        let found = records(text, "Count", &["mlen"]).unwrap();
        assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("1", "2"));
        assert_eq!((&found[0].1["Key"], &found[0].1["PT"]), (&vec![0, 0xab], &vec![]));
        assert_eq!(found[1].1["Key"], [255]);
        for (wrong, words) in [
            ("", "no 'Count"),
            ("Key = 00", "line 1"),
            ("Count = 1\nKey = 0", "line 2"),
            ("Count = 1\n\nKey : 00", "line 3"),
        ] {
            assert!(records(wrong, "Count", &[]).unwrap_err().contains(words), "{wrong}");
        }
    }
}
