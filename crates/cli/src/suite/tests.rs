use super::*;

const HEAD: &str = "name = \"x\"\nabout = \"y\"\n";

fn error(text: &str) -> String {
    Suite::parse("x.toml", &format!("{HEAD}{text}"), false).unwrap_err().to_string()
}

fn with_part(part: &str) -> String {
    format!(
        "[[select]]\nwhat = [\"sha256\"]\noperations = [\"hash\"]\n\
         [[sum]]\nname = \"s\"\nside = \"each\"\nparts = [\"{part}\"]\n"
    )
}

#[test]
fn what_cpb_carries_is_right() {
    for (name, _) in SUITES {
        let suite = Suite::load(name).unwrap();
        assert!(!suite.selections.is_empty() && suite.is_carried, "{name}");
    }
    let tls = Suite::load("tls").unwrap();
    let records = &tls.selections[0].selection;
    assert_eq!(records.sizes, [16, 1350, 16_384]);
    assert_eq!(records.parameters.aad_bytes, 13);
    assert_eq!(tls.selections[1].selection.contract, Contract::Oneshot);
}

#[test]
fn every_field_is_known() {
    let all = "[[select]]\nabout = \"z\"\nwhat = [\"sha256\"]\noperations = [\"hash\"]\n\
               sizes = [64]\naad = 13\ncontract = \"cold\"\nbackends = [\"avx2\"]\n\
               output = 32\nunaligned = true\nbeside = \"memory\"\n\
               [[sum]]\nname = \"s\"\nside = \"each\"\n\
               parts = [\"sha256 hash\", \"sha256 hash\"]\n";
    let suite = Suite::parse("x", &format!("{HEAD}{all}"), false).unwrap();
    let text = format!("{HEAD}{all}");
    for field in FIELDS {
        assert!(text.contains(&format!("{field} =")) || text.contains(&format!("[[{field}]]")));
    }
    assert_eq!(suite.selections[0].selection.parameters.output_bytes, Some(32));
    assert_eq!(suite.sums()[0].parts[0].to_string(), "2 × sha256 hash");
    assert_eq!(suite.selections[0].selection.parameters.alignment, Alignment::Unaligned);
    assert!(suite.is_mixed() && suite.selections[0].beside == OtherThreads::Memory);
}

#[test]
fn errors_have_line_column_and_the_nearest_match() {
    for (text, place, words) in [
        ("[[select]]\nwaht = [\"sha256\"]\n", "line 4, column 1", "Did you mean 'what'"),
        ("[[select]]\nwhat = [\"a\"]\noperations = [\"seel\"]\n", "line 5, column 15", "'seal'"),
        ("[[select]]\nwhat = [\"a\"]\ncontract = \"cool\"\n", "line 5, column 12", "compat"),
        ("[[select]]\nwhat = [\"a\"]\nsizes = [64, 0]\n", "line 5, column 14", "from 1"),
        ("[[select]]\nwhat = [\"a\"]\naad = 1073741825\n", "line 5, column 7", "1073741824"),
        ("[[select]]\nwhat = [\"a\"]\nsizes = \"64\"\n", "line 5, column 9", "sequence"),
        ("[[select]]\nwhat = [\n", "line", "array"),
        ("[[select]]\nwhat = [\"a\"]\nbeside = \"\"\n", "line 5, column 10", "memory"),
        ("select = []\n", "line 1", "[[select]]"),
        (&with_part("sha512 hash"), "line 9, column 10", "no [[select]] has sha512 hash"),
        (&with_part("sha256 seal"), "line 9, column 10", "no [[select]] has sha256 seal"),
        (&with_part("sha256 hesh"), "line 9, column 10", "a part is a primitive and"),
    ] {
        let error = error(text);
        assert!(error.contains(place) && error.contains(words), "{text}: {error}");
    }
}
