//! `cpb config`: the keys of the file of usual options, with what it says.

use crate::config::{Config, KEYS, Key};
use crate::document::Document;
use cpb_model::SCHEMA;
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, write_json};
use cpb_store::without_passwords;
use serde_json::json;
use std::io::Write;

/// What the file says.
pub(crate) struct Settings(pub(crate) Config);

impl Settings {
    fn value(&self, key: &Key) -> String {
        self.words(key).map(|words| words.join(", ")).unwrap_or_default()
    }

    /// What the file says of `key`, but for passwords.
    fn words(&self, key: &Key) -> Option<Vec<String>> {
        let words = self.0.words(key)?;
        Some(words.iter().map(|word| without_passwords(word).into_owned()).collect())
    }

    fn file(&self) -> String {
        match &self.0.path {
            Some(path) if self.0.exists => format!("config file {}", path.display()),
            Some(path) => format!("no config file; it would be {}", path.display()),
            None => "no config file: CPB_CONFIG is empty, or HOME is not set".to_owned(),
        }
    }
}

impl Document for Settings {
    fn command(&self) -> &'static str {
        "config"
    }

    fn sections(&self) -> Vec<Section> {
        let headings = ["key", "value", "default of"];
        let mut table = Table::new(headings.map(Column::left).to_vec());
        for key in &KEYS {
            let value = Cell::new(self.value(key), Style::Strong);
            table.row(vec![key.name.into(), value, Cell::new(key.about, Style::Faint)]);
        }
        vec![Section { before: vec![self.file().into()], table, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(COLUMNS, KEYS.iter().map(|key| (key, self.value(key))))
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let keys = KEYS
            .iter()
            .map(|key| json!({ "key": key.name, "value": self.words(key), "about": key.about }));
        let document = json!({
            "schema": SCHEMA,
            "file": self.0.path,
            "exists": self.0.exists,
            "keys": keys.collect::<Vec<_>>(),
        });
        write_json(output, &document)
    }
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&(&'static Key, String)) -> String);

const COLUMNS: [Field; 3] = [
    ("key", |(key, _)| key.name.to_owned()),
    ("value", |(_, value)| value.clone()),
    ("about", |(key, _)| key.about.to_owned()),
];
