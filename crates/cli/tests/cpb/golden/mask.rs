//! Masks what differs from run to run and from machine to machine.

use serde_json::Value;

/// The colours of the recursive SHA-256 benchmark, which always uses them.
const COLOURS: [(&str, &str); 5] = [
    ("\u{1b}[1;32m", "<green>"),
    ("\u{1b}[1;31m", "<red>"),
    ("\u{1b}[1;33m", "<yellow>"),
    ("\u{1b}[1;97m", "<white>"),
    ("\u{1b}[0m", "<plain>"),
];
const INSTRUCTIONS: [&str; 2] = ["Intel SHA Extensions", "ARM Cryptography Extensions"];
/// The text before a word about the machine, and the character that ends that word.
const MACHINE_WORDS: [(&str, char); 10] = [
    ("\"backend\":\"", '"'),
    ("\"counter\":\"", '"'),
    ("\"clock_source\":\"", '"'),
    ("\"version\":\"", '"'),
    ("\"revision\":\"", '"'),
    ("\"calls\":", ','),
    ("backend=", ' '),
    (" version=", ' '),
    (" implementation=", ' '),
    (" persecond=", ' '),
];
/// The columns of cpb's own CSV that are not measured.
const PLAIN_COLUMNS: &str = "\
    name primitive operation backend parameters repeats_time repeats_warm lanes threads \
    iterations repetitions unit verified error library spelling default group algorithm mode";

/// The state of a machine during a measurement, in a line above the table.
const STATES: [&str; 4] =
    ["CYCLES ARE WRONG", "NEVER QUIET", "NOT QUIET FOR", "quiet is not proven"];

/// Says how figures are written.
#[derive(Clone, Copy, PartialEq)]
enum Figures {
    /// They follow bench-slopes' rule: three decimals below 1, two below 100, otherwise
    /// one; in columns of a fixed width.
    BenchSlope,
    /// They have a fixed number of decimals.
    Fixed,
    /// They have a fixed number of significant digits.
    Significant,
}

impl Figures {
    fn of(line: &str) -> Self {
        match line.split(' ').next() {
            Some(tool) if tool.starts_with("bench-slope") => Figures::BenchSlope,
            Some("cpb") => Figures::Significant,
            _ => Figures::Fixed,
        }
    }
}

/// Masks the standard output of the command `line`.
pub(crate) fn stdout(line: &str, text: &str) -> String {
    let figures = Figures::of(line);
    if line.ends_with(" --help") || line.ends_with(" list") || line.ends_with(" version") {
        return text.lines().map(|text| words(text) + "\n").collect();
    }
    if figures == Figures::Significant && text.starts_with("{\n") {
        return keys(text);
    }
    if figures == Figures::Significant && line.contains("--format csv") {
        return plain_columns(text);
    }
    let header = match text.lines().nth(1) {
        Some(second) if second.contains(" · core clock ") => 2,
        _ => 0,
    };
    let mut masked = if header == 0 { "" } else { "<machine>\n<clock>\n" }.to_owned();
    let is_of_machine = |text: &&str| header != 0 && STATES.iter().any(|it| text.starts_with(it));
    for text in text.lines().skip(header).filter(|text| !is_of_machine(text)) {
        let mut text = words(text);
        if header != 0 {
            // Columns are as wide as their figures, some of which have no decimals.
            let number = |word: &&str| word.parse::<f64>().is_ok() || *word == "–";
            let mask = |word| if number(&word) { "~" } else { word };
            text = text.split_whitespace().map(mask).collect::<Vec<_>>().join(" ");
        }
        // This column exists only if the clock changed.
        let steady = text.strip_suffix(",Mhz-diff").and_then(|text| text.rsplit_once(','));
        let is_old = figures == Figures::BenchSlope;
        let steady = steady.or_else(|| text.rsplit_once('±').filter(|_| is_old));
        let text = figures_of(steady.map_or(&text, |(steady, _)| steady), figures);
        // A machine that is too disturbed has no interval, and so no half width.
        let text = if header == 0 { text } else { text.replace("~ %", "~") };
        masked.push_str(&format!("{text}\n"));
    }
    masked
}

/// Masks the standard error of the command `line`, and leaves out messages about the
/// machine.
pub(crate) fn stderr(line: &str, status: i32, text: &str) -> String {
    let has_measured = line.starts_with("cpb ") && status == 0;
    let is_of_machine = |text: &&str| has_measured && text.starts_with(['w', ' ']);
    let lines = text.lines().filter(|text| !is_of_machine(text));
    lines.map(|text| words(text) + "\n").collect()
}

/// Masks a file of `bytes,cycles,cycles per byte` that the command `line` wrote.
pub(crate) fn raw_file(line: &str, text: &str) -> String {
    let masked = |text: &str| match text.split(',').collect::<Vec<_>>()[..] {
        [bytes, cycles, per_byte] if cycles.parse::<u64>().is_ok() => {
            format!("{bytes},~,{}\n", figures_of(per_byte, Figures::of(line)))
        }
        _ => format!("{text}\n"),
    };
    text.lines().map(masked).collect()
}

/// Returns `text` without words about the machine.
fn words(text: &str) -> String {
    let mut masked = text.to_owned();
    // The first line of bench-slopes ends with the library's version.
    if let Some((tool, _)) = text.split_once(": ").filter(|(tool, _)| tool.starts_with("bench-")) {
        masked = format!("{tool}: <…>");
    }
    for (colour, name) in COLOURS {
        masked = masked.replace(colour, name);
    }
    for instructions in INSTRUCTIONS {
        masked = masked.replace(instructions, "<instructions>");
    }
    for (before, end) in MACHINE_WORDS {
        let mut parts = masked.split(before);
        let first = parts.next().unwrap_or_default().to_owned();
        masked = parts.fold(first, |text, part| {
            let rest = part.find(end).map_or("", |end| &part[end..]);
            format!("{text}{before}<…>{rest}")
        });
    }
    // A build outside of a repository has no revision.
    masked.replace(",\"revision\":\"<…>\"", "")
}

/// Returns `text` with `~` in place of every figure, that is, number with decimals.
fn figures_of(text: &str, figures: Figures) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, behind) = number.split_at(end.unwrap_or(number.len()));
        masked.push_str(before);
        let ahead = masked.trim_end_matches('-');
        let is_in_a_word = ahead.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_long = figures == Figures::Significant && number.len() > 4;
        let is_figure = number.split('.').filter(|part| !part.is_empty()).count() == 2 || is_long;
        if is_in_a_word || !is_figure {
            masked.push_str(number);
        } else {
            put(&mut masked, number, figures);
        }
        rest = behind;
    }
    masked + rest
}

/// Appends the mask of `number` to `text`, which may end with its sign: with few
/// samples on a busy machine a slope may be negative.
fn put(text: &mut String, number: &str, figures: Figures) {
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let sign = ["-", "+"].into_iter().find(|sign| text.ends_with(sign)).unwrap_or_default();
    text.truncate(text.len() - sign.len());
    match figures {
        // A number that breaks the rule stays visible.
        Figures::BenchSlope if !follows_rule(number, decimals, sign == "-") => {
            text.push_str(sign);
            text.push_str(number);
        }
        // The mask is as wide as the number with its sign and the blanks before it.
        Figures::BenchSlope if text.ends_with(' ') => {
            text.push_str(&format!("{:>width$}", '~', width = sign.len() + number.len()));
        }
        Figures::BenchSlope => text.push('~'),
        Figures::Fixed | Figures::Significant => {
            let is_apart = text.ends_with(' ');
            text.truncate(text.trim_end().len());
            text.push_str(if is_apart && !text.ends_with('>') { " ~" } else { "~" });
            if figures == Figures::Fixed {
                text.push_str(&format!(".{}", "~".repeat(decimals)));
            }
        }
    }
}

/// Whether bench-slopes writes `number` with `decimals` decimals, before or after
/// rounding; a negative number is treated as one below 1.
fn follows_rule(number: &str, decimals: usize, is_negative: bool) -> bool {
    let by_rule = |value: f64| match value {
        value if value < 1.0 => 3,
        value if value < 100.0 => 2,
        _ => 1,
    };
    let value = number.parse::<f64>().map(|value| if is_negative { -value } else { value });
    value.is_ok_and(|value| [value, value * 0.9999].map(by_rule).contains(&decimals))
}

/// Replaces everything measured in cpb's CSV by `~`. Of lists of measurable rows, keeps
/// only those in bench-slopes.
fn plain_columns(text: &str) -> String {
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let Some(header) = rows.first() else { return String::new() };
    let group = header.iter().position(|name| *name == "group");
    let is_row = |fields: &&Vec<&str>| group.is_none_or(|group| !fields[group].is_empty());
    let masked = rows[1..].iter().filter(is_row).map(|fields| {
        let is_plain = |name: &str| PLAIN_COLUMNS.split(' ').any(|it| it == name);
        let field = |(name, field)| if is_plain(name) { field } else { "~" };
        let cells = header.iter().copied().zip(fields.iter().copied()).map(field);
        cells.collect::<Vec<_>>().join(",") + "\n"
    });
    format!("{}\n{}", header.join(","), masked.collect::<String>())
}

/// Returns the keys of a run's JSON, down to the depth that every run has.
fn keys(text: &str) -> String {
    let run: Value = serde_json::from_str(text).expect("JSON");
    let first = |key: &str| run[key].get(0).cloned().unwrap_or_default();
    let record = first("records");
    let point = record["points"].get(0).cloned().unwrap_or_default();
    let [subject, setup, concurrent] =
        ["subject", "setup", "concurrent"].map(|key| record[key].clone());
    let names = ["run", "record", "subject", "point", "setup", "concurrent"];
    let line = |(name, value): (&str, Value)| {
        let mut keys: Vec<&str> = value.as_object()?.keys().map(String::as_str).collect();
        keys.sort_unstable();
        Some(format!("{name}: {}\n", keys.join(" ")))
    };
    let values = [run, record, subject, point, setup, concurrent];
    names.into_iter().zip(values).filter_map(line).collect()
}

#[test]
fn the_sign_of_a_figure_is_masked_with_it() {
    for figure in ["    -0.123", "     0.123", "    10.12"] {
        let text = format!("|    POLY1305 enc |{figure} ns/B");
        assert_eq!(figures_of(&text, Figures::Significant), "|    POLY1305 enc | ~ ns/B");
    }
    for text in ["   -0.123 ns/B", "    0.123 ns/B"] {
        assert_eq!(figures_of(text, Figures::BenchSlope), "        ~ ns/B");
    }
    assert_eq!(figures_of("a,-0.123,b", Figures::BenchSlope), "a,~,b");
    assert_eq!(figures_of("a +1.50 %", Figures::Fixed), "a ~.~~ %");
}
