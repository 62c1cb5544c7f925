//! Implements as much of JSON Schema as `docs/schema/cpb.json` uses, and rejects
//! other keywords. It is stricter than a reader: fields missing in the schema are
//! wrong, too.

use serde_json::Value;
use std::collections::BTreeSet;

pub(super) struct Schema {
    root: Value,
}

/// The findings of a document's validation.
#[derive(Default)]
pub(super) struct Findings {
    /// The errors, with their places in the document.
    pub(super) wrong: Vec<String>,
    /// Fields of the schema that the document has, as `point.samples`.
    pub(super) seen: BTreeSet<String>,
}

impl Schema {
    pub(super) fn parse(text: &str) -> Self {
        Self { root: serde_json::from_str(text).expect("the schema is JSON") }
    }

    /// Returns every field of every definition, as `point.samples`.
    pub(super) fn fields(&self) -> BTreeSet<String> {
        let definitions = self.root["$defs"].as_object().expect("definitions");
        let fields = definitions.iter().flat_map(|(name, definition)| {
            let fields = definition["properties"].as_object().into_iter().flatten();
            fields.map(move |(field, _)| format!("{name}.{field}"))
        });
        fields.collect()
    }

    /// Validates `document` against the definition of this name.
    pub(super) fn validate(&self, definition: &str, document: &Value) -> Findings {
        let mut findings = Findings::default();
        let schema = &self.root["$defs"][definition];
        self.check(schema, definition, document, "", &mut findings);
        findings
    }

    fn check(&self, schema: &Value, name: &str, value: &Value, place: &str, to: &mut Findings) {
        let keywords = schema.as_object().expect("a schema is an object");
        for (keyword, argument) in keywords {
            let holds = match keyword.as_str() {
                "description" => true,
                "$ref" => {
                    let name = text(schema, "$ref").trim_start_matches("#/$defs/");
                    self.check(&self.root["$defs"][name], name, value, place, to);
                    true
                }
                "type" => match argument {
                    Value::Array(types) => types.iter().any(|one| is_a(value, one)),
                    one => is_a(value, one),
                },
                "enum" => list(argument).contains(value),
                "const" => argument == value,
                "anyOf" => self.check_any(list(argument), name, value, place, to),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(argument, name, item, &format!("{place}[{index}]"), to);
                    }
                    true
                }
                "required" => list(argument).iter().all(|field| {
                    let is_there = field.as_str().is_some_and(|field| value.get(field).is_some());
                    if !is_there {
                        to.wrong.push(format!("{place} has no {field}"));
                    }
                    is_there
                }),
                "properties" => {
                    self.check_fields(argument, name, value, place, to);
                    true
                }
                "additionalProperties" => {
                    for (field, value) in value.as_object().into_iter().flatten() {
                        self.check(argument, name, value, &format!("{place}.{field}"), to);
                    }
                    true
                }
                other => panic!("the keyword {other} is not known here"),
            };
            if !holds {
                to.wrong.push(format!("{place} is {value}, against {keyword}: {argument}"));
            }
        }
    }

    fn check_fields(
        &self,
        fields: &Value,
        name: &str,
        value: &Value,
        place: &str,
        to: &mut Findings,
    ) {
        for (field, value) in value.as_object().into_iter().flatten() {
            let place = format!("{place}.{field}");
            match fields.get(field) {
                Some(schema) => {
                    to.seen.insert(format!("{name}.{field}"));
                    self.check(schema, name, value, &place, to);
                }
                None => to.wrong.push(format!("{place} is not in the schema")),
            }
        }
    }

    /// Whether one of `schemas` accepts the value; only the findings of that one are
    /// kept.
    fn check_any(
        &self,
        schemas: &[Value],
        name: &str,
        value: &Value,
        place: &str,
        to: &mut Findings,
    ) -> bool {
        let found = schemas.iter().find_map(|schema| {
            let mut findings = Findings::default();
            self.check(schema, name, value, place, &mut findings);
            findings.wrong.is_empty().then_some(findings)
        });
        let holds = found.is_some();
        to.seen.extend(found.into_iter().flat_map(|findings| findings.seen));
        holds
    }
}

pub(super) fn text<'a>(schema: &'a Value, key: &str) -> &'a str {
    schema[key].as_str().unwrap_or_else(|| panic!("{key} is no text in {schema}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn is_a(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("a type's name") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the type {other} is not known here"),
    }
}
