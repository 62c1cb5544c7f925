//! Generates `docs/JSON.md` from the schema.

use super::validation::text;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// The schema, with its definitions and their fields in the order of the file.
#[derive(Deserialize)]
struct Page {
    title: String,
    description: String,
    #[serde(rename = "$defs")]
    definitions: InOrder<Definition>,
}

#[derive(Deserialize)]
struct Definition {
    description: String,
    #[serde(default)]
    required: Vec<String>,
    #[serde(default)]
    properties: InOrder<Value>,
    #[serde(default, rename = "anyOf")]
    choices: Vec<Value>,
}

/// Returns the page: a table of fields for each definition.
pub(super) fn render(schema: &str) -> String {
    let schema: Page = serde_json::from_str(schema).expect("the schema is JSON");
    let mut page = format!(
        "# {}\n\n{}\n\nMade from [cpb.json](schema/cpb.json), a JSON Schema; what the figures mean, \
         [FIGURES](FIGURES.md)\nsays. A field marked ? is left out where it has nothing to say.\n",
        schema.title, schema.description
    );
    for (name, definition) in &schema.definitions.0 {
        page.push_str(&format!("\n## {name}\n\n{}\n\n", definition.description));
        for choice in &definition.choices {
            page.push_str(&format!("- {}\n", self::choice(choice)));
        }
        if !definition.properties.0.is_empty() {
            page.push_str("| field | type | meaning |\n|---|---|---|\n");
        }
        for (field, about) in &definition.properties.0 {
            let mark = if definition.required.contains(field) { "" } else { "?" };
            let (kind, words) = (kind(about), text(about, "description"));
            page.push_str(&format!("| `{field}`{mark} | {kind} | {words} |\n"));
        }
    }
    page
}

/// Describes one of several forms of a value.
fn choice(schema: &Value) -> String {
    let Some((field, about)) = schema["properties"].as_object().and_then(|it| it.iter().next())
    else {
        return kind(schema);
    };
    let inner = about["properties"].as_object().into_iter().flatten();
    let inner = inner
        .map(|(name, about)| format!("`{name}`, {}: {}", kind(about), text(about, "description")));
    let inner = inner.collect::<Vec<_>>().join("; ");
    format!("an object with `{field}`: {} {inner}", text(about, "description"))
}

fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.trim_start_matches("#/$defs/");
        return format!("[{name}](#{name})");
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`").replace('"', "");
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().map(|value| format!("`{value}`").replace('"', ""));
        return values.collect::<Vec<_>>().join(", ");
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let choices = choices.iter().map(|one| match one["properties"] {
            Value::Null => kind(one),
            _ => choice(one),
        });
        return choices.collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Array(types) => {
            types.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        Value::String(name) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(name) if name == "object" => {
            format!("map to {}", kind(&schema["additionalProperties"]))
        }
        Value::String(name) => name.clone(),
        other => panic!("no type: {other}"),
    }
}

/// An object as a list, because serde_json's own maps are sorted by name.
struct InOrder<T>(Vec<(String, T)>);

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for InOrder<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = InOrder<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(InOrder(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}
