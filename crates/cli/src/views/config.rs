//! Shows the result of `cpb config`: the keys of the config file, with their values.

use crate::config::{Config, KEYS, Key};
use cpb_model::SCHEMA;
use cpb_report::{Document, Fields, Rows, Section, Style, Value, left};
use cpb_store::without_passwords;
use serde_json::json;

/// The content of the file.
pub(crate) struct Settings(pub(crate) Config);

impl Settings {
    fn fields(&self) -> Fields<'_, &'static Key> {
        Fields::<&Key>::new()
            .field("key", left("key"), |key| key.name)
            .field("value", left("value").style(Style::Strong), |key| {
                Some(Value::Words(self.words(key)?, ", "))
            })
            .field("about", left("default of").style(Style::Faint), |key| key.about)
    }

    /// Returns the value of `key`, without passwords.
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
        vec![Section {
            before: vec![self.file().into()],
            table: self.fields().table_of(&KEYS),
            ..Section::default()
        }]
    }

    fn rows(&self) -> Rows<'_> {
        self.fields().rows(KEYS.iter())
    }

    fn data(&self) -> serde_json::Value {
        json!({
            "schema": SCHEMA,
            "file": self.0.path,
            "exists": self.0.exists,
            "keys": self.fields().array(&KEYS),
        })
    }
}
