//! Makes small random changes to files.

use fastrand::Rng;
use serde_json::{Value, json};

/// Returns `text` with a few values changed, or a few bytes.
pub(crate) fn json(text: &str, random: &mut Rng) -> Vec<u8> {
    if random.u8(..4) == 0 {
        return bytes(text.as_bytes(), random);
    }
    let mut value: Value = serde_json::from_str(text).expect("it is JSON");
    for _ in 0..=random.usize(..4) {
        let donor = pick(&mut value, random).clone();
        let place = pick(&mut value, random);
        change(place, donor, random);
    }
    value.to_string().into_bytes()
}

/// Picks a value in `value`; deep ones are as likely as others.
fn pick<'a>(value: &'a mut Value, random: &mut Rng) -> &'a mut Value {
    let stops = random.u8(..8) == 0;
    let has_parts = match &*value {
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        _ => false,
    };
    if stops || !has_parts {
        return value;
    }
    match value {
        Value::Array(list) => {
            let place = random.usize(..list.len());
            pick(&mut list[place], random)
        }
        Value::Object(map) => {
            let place = random.usize(..map.len());
            let key = map.keys().nth(place).cloned().unwrap_or_default();
            pick(&mut map[&key], random)
        }
        other => other,
    }
}

fn change(place: &mut Value, donor: Value, random: &mut Rng) {
    let numbers = [
        json!(0),
        json!(-1),
        json!(1),
        json!(17),
        json!(1_u64 << 20),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1_u64 << 53),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(0.5),
    ];
    let texts = [
        "",
        "\u{1b}]0;x\u{7}\n",
        "\u{202e}",
        "=1+1",
        "a|b`*_<script>",
        "../../x",
        "\u{0}",
        "長",
        "sha256",
        "native=./x.so",
        "selftest",
        "latest",
    ];
    *place = match random.u8(..12) {
        0..=3 => numbers[random.usize(..numbers.len())].clone(),
        4..=5 => json!(texts[random.usize(..texts.len())]),
        6 => json!("x".repeat(1 << random.usize(..18))),
        7 => Value::Null,
        8 => json!(random.bool()),
        9 => donor,
        10 => match place {
            Value::Array(list) if !list.is_empty() => {
                let times = [0, 2, 50][random.usize(..3)];
                list.iter().cycle().take(list.len() * times).cloned().collect()
            }
            Value::Object(map) => {
                let place = random.usize(..map.len().max(1));
                let key = map.keys().nth(place).cloned().unwrap_or_default();
                map.remove(&key);
                Value::Object(map.clone())
            }
            _ => json!([]),
        },
        _ => json!({}),
    };
}

/// Returns `content` with some of its bytes changed, removed, copied or truncated.
pub(crate) fn bytes(content: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut changed = content.to_vec();
    for _ in 0..=random.usize(..4) {
        let length = changed.len().max(1);
        let start = random.usize(..length);
        let end = (start + (1 << random.usize(..13))).min(changed.len());
        match random.u8(..7) {
            0 | 1 => {
                for _ in 0..=random.usize(..64) {
                    if let Some(byte) = changed.get_mut(random.usize(..length)) {
                        *byte ^= 1 << random.u8(..8);
                    }
                }
            }
            2 => changed[start.min(end)..end].fill(random.u8(..)),
            3 => changed[start.min(end)..end].iter_mut().for_each(|byte| *byte = random.u8(..)),
            4 => {
                changed.drain(start.min(end)..end);
            }
            5 => {
                let part = changed[start.min(end)..end].to_vec();
                let place = random.usize(..=changed.len() - part.len());
                changed[place..place + part.len()].copy_from_slice(&part);
            }
            _ => changed.truncate(start),
        }
    }
    changed
}
