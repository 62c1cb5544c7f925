//! Files of known answers: paragraphs of `name = value`.

/// The fields of one paragraph.
pub struct Record(Vec<(String, String)>);

impl Record {
    pub fn find(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(field, _)| field == name)?;
        Some(value)
    }

    pub fn text(&self, name: &str) -> &str {
        self.find(name).unwrap_or_else(|| panic!("a record without {name}"))
    }

    pub fn number(&self, name: &str) -> usize {
        self.text(name).parse().unwrap()
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        bytes(self.text(name))
    }
}

/// The records of a file under `vectors/` that have the field `name`.
pub fn read(file: &str, name: &str) -> Vec<Record> {
    let path = format!("{}/../../vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut records = vec![Record(Vec::new())];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((field, value)) = line.split_once('=') {
            let (field, value) = (field.trim().to_owned(), value.trim().to_owned());
            match records.last_mut() {
                // A field that comes again starts a record.
                Some(record) if record.find(&field).is_none() => record.0.push((field, value)),
                _ => records.push(Record(vec![(field, value)])),
            }
        }
    }
    records.retain(|record| record.find(name).is_some());
    records
}

pub fn bytes(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "odd hexadecimal {hex}");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}
