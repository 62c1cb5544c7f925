//! Makes forms that request the same page with other parameters, without scripts.

use crate::markup::{Html, html};

/// A field of a form.
pub(crate) enum Field<'a> {
    /// Free text.
    Text { name: &'static str, label: &'static str, value: &'a str, hint: &'static str },
    /// A choice: values with their labels.
    Choice { name: &'static str, label: &'static str, value: &'a str, of: Vec<(String, String)> },
}

/// Makes a form with `fields` that requests `address`.
pub(crate) fn form(address: &str, label: &str, fields: &[Field<'_>], button: &str) -> Html {
    let fields: Html = fields.iter().map(field).collect();
    html!(
        "<form class=\"filter\" role=\"search\" action=\"" (address) "\" aria-label=\"" (label)
        "\">\n" (fields) "<button>" (button) "</button>\n</form>\n"
    )
}

fn field(field: &Field<'_>) -> Html {
    match field {
        Field::Text { name, label, value, hint } => html!(
            "<label>" (*label) " <input type=\"search\" name=\"" (*name) "\" value=\"" (*value)
            "\" placeholder=\"" (*hint) "\" autocomplete=\"off\" spellcheck=\"false\"></label>\n"
        ),
        Field::Choice { name, label, value, of } => {
            let option = |(choice, words): &(String, String)| {
                let chosen = (choice == value).then(|| Html::literal(" selected"));
                html!("<option value=\"" (choice) "\"" (chosen) ">" (words) "</option>")
            };
            let options: Html = of.iter().map(option).collect();
            html!("<label>" (*label) " <select name=\"" (*name) "\">" (options) "</select></label>\n")
        }
    }
}
