//! Measures text, and escapes it for XML.

/// The fonts of an SVG, in order; the first is embedded for PNG.
pub(super) const FONTS: &str =
    "Inter, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif";

/// Advance of `U+0020` to `U+007E` in Inter Regular, in thousandths of the
/// font size.
#[rustfmt::skip]
const ADVANCES: [u16; 95] = [
    281, 288, 466, 633, 642, 982, 644, 300, 365, 365, 501, 662, 288, 460, 288, 360, 631, 407, 610,
    618, 646, 593, 620, 566, 619, 620, 288, 302, 662, 662, 662, 511, 966, 690, 654, 730, 722, 601,
    590, 746, 743, 269, 571, 672, 565, 903, 753, 765, 639, 765, 644, 642, 646, 744, 690, 985, 682,
    679, 629, 365, 360, 365, 471, 456, 323, 562, 612, 571, 612, 583, 370, 613, 591, 242, 242, 549,
    242, 876, 591, 600, 612, 612, 376, 528, 327, 591, 562, 818, 546, 562, 552, 426, 333, 426, 662,
];

/// Returns the width of `text` at `size`. Other system fonts are up to a tenth wider.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let advance = |character: char| match u32::from(character) {
        code @ 0x20..=0x7e => ADVANCES[code as usize - 0x20],
        0x2009..=0x200a | 0x202f => 200,
        // Ideographs, and other characters as wide as high.
        0x1100..=0x11ff | 0x2e80.. => 1000,
        _ => 680,
    };
    text.chars().map(|character| f64::from(advance(character))).sum::<f64>() * size / 1000.0
}

/// Cuts out the middle of `text` if it is wider than `most`, because names differ at both ends.
pub(super) fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    (1..characters.len())
        .map(|removed| {
            let kept = characters.len() - removed;
            let head = kept.div_ceil(2);
            let head_text: String = characters[..head].iter().collect();
            let tail_text: String = characters[head + removed..].iter().collect();
            format!("{}…{}", head_text.trim_end(), tail_text.trim_start())
        })
        .find(|candidate| width(candidate, size) <= most)
        .unwrap_or_else(|| "…".to_owned())
}

/// Escapes `text` for XML content or attribute values. Characters that XML 1.0 cannot contain
/// become U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => output.push_str("&amp;"),
            '<' => output.push_str("&lt;"),
            '>' => output.push_str("&gt;"),
            '"' => output.push_str("&quot;"),
            '\'' => output.push_str("&#39;"),
            '\n' => output.push_str("&#10;"),
            '\t' | '\r' => output.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => output.push('\u{fffd}'),
            other => output.push(other),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
        assert_eq!(escaped("\u{1}\u{b}x\ty"), "\u{fffd}\u{fffd}x y");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("short", 12.0, 200.0), "short");
        let long = "a-library AES-128 in a very long mode enc";
        let cut = shortened(long, 12.0, 120.0);
        assert!(width(&cut, 12.0) <= 120.0 && width(&cut, 12.0) > 100.0, "{cut}");
        assert!(cut.starts_with("a-lib") && cut.ends_with("enc") && cut.contains('…'), "{cut}");
        assert_eq!(shortened(long, 12.0, 0.0), "…");
        assert_eq!(shortened("", 12.0, 0.0), "");
    }

    #[test]
    fn widths_add_up() {
        assert_eq!(width("il", 1000.0), 484.0);
        assert!(width("长", 10.0) > width("m", 10.0));
    }
}
