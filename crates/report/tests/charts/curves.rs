//! Tests reading curves from files, and making charts of them.

use cpb_report::chart::{Chart, Scale, Style, multiples_to_svg, to_svg};
use cpb_report::curves::{self, Curve, Curves, CurvesError, Quantity};
use serde_json::{Value, json};
use std::io::Cursor;
use std::path::Path;

const RAW: &str = "openssl_results_for_hash_SHA256__on_zen4.csv";

fn parse(path: &Path, content: &[u8]) -> Result<Curves, CurvesError> {
    cpb_report::curves::parse(path, Cursor::new(content))
}

fn chart(curves: &[Curve], quantity: Quantity, logarithmic: bool, title: Option<&str>) -> Chart {
    curves::chart(curves, &curves::colours(curves), quantity, logarithmic, title)
}

fn raw(text: &str) -> Result<Curves, CurvesError> {
    parse(Path::new(RAW), text.as_bytes())
}

fn saved(document: &Value) -> Result<Curves, CurvesError> {
    parse(Path::new("run.json"), document.to_string().as_bytes())
}

fn point(bytes: usize, cycles: f64) -> Value {
    json!({
        "parameters": { "message_bytes": bytes },
        "cycles_per_call": {
            "estimate": cycles,
            "interval": { "low": cycles * 0.9, "high": cycles * 1.25, "confidence": 0.95 },
        },
        "nanoseconds_per_call": cycles / 4.0,
        "low_quantile": cycles, "minimum": cycles, "calls_per_sample": 10, "samples": 100,
        "rejected": 0, "rounds": 5,
    })
}

fn record(library: &str, spelling: &str, backend: &str, points: &[Value]) -> Value {
    json!({
        "subject": {
            "primitive": "sha-256", "operation": "hash", "library": library,
            "spelling": spelling, "backend": backend, "default_backend": true,
        },
        "contract": "keyed", "method": "trials", "points": points,
    })
}

fn run(records: &[Value]) -> Value {
    json!({
        "schema": 1, "version": "0.1.0", "command": ["cpb"], "started": 0, "seconds": 1.0,
        "host": {
            "architecture": "x86_64", "cpu": "A CPU", "features": [], "allowed_cpus": [],
            "cores": [],
        },
        "libraries": [], "records": records, "warnings": [],
    })
}

fn labels(chart: &Chart) -> Vec<&str> {
    chart.series.iter().map(|series| series.label.as_str()).collect()
}

fn values(curves: &[Curve], quantity: Quantity) -> Vec<f64> {
    let chart = chart(curves, quantity, false, None);
    chart.series[0].points.iter().map(|point| point.y).collect()
}

fn close(left: f64, right: f64) {
    assert!((left / right - 1.0).abs() < 1e-12, "{left} is not {right}");
}

#[test]
fn a_raw_file_is_one_curve() {
    let found = raw("64,640,10.0\r\n16,400,25.0\n\n2097152,8388608,4.000\n").unwrap();
    assert!(found.notes.is_empty());
    let [curve] = found.curves.as_slice() else { panic!("{found:?}") };
    let bytes: Vec<f64> = curve.lengths.iter().map(|length| length.bytes).collect();
    assert_eq!(bytes, [16.0, 64.0, 2_097_152.0]);
    assert_eq!(curve.lengths[0].interval, None);
    let chart = chart(&found.curves, Quantity::CyclesPerByte, false, None);
    assert_eq!((chart.title.as_str(), chart.subtitle.as_str()), ("SHA256", "zen4"));
    assert_eq!(labels(&chart), ["openssl"]);
    assert_eq!(values(&found.curves, Quantity::CyclesPerByte), [25.0, 10.0, 4.0]);
    assert_eq!(values(&found.curves, Quantity::Cycles), [400.0, 640.0, 8_388_608.0]);
}

#[test]
fn raw_speed_is_that_at_2_gigahertz() {
    let found = raw("16,400,25.0\n1024,2048,2.00\n").unwrap();
    let quantity = Quantity::speed(None, &found.curves);
    assert_eq!(quantity, Quantity::SpeedAt(2.0));
    let speeds = values(&found.curves, quantity);
    close(speeds[0], 2e9 / 25.0 / 1_048_576.0);
    close(speeds[1], 1e9 / 1_048_576.0);
    let faster = values(&found.curves, Quantity::speed(Some(3.0), &found.curves));
    close(faster[1], 1.5e9 / 1_048_576.0);
    let label = chart(&found.curves, quantity, false, None).y.label;
    assert_eq!(label, "Speed in MiB/s, at 2 GHz");
}

#[test]
fn saved_results_have_intervals_and_a_clock() {
    let points = [point(64, 640.0), point(16, 320.0)];
    let found = saved(&run(&[record("openssl", "SHA2-256", "default", &points)])).unwrap();
    let of = |quantity| chart(&found.curves, quantity, false, None).series[0].points.clone();
    let per_byte = of(Quantity::CyclesPerByte);
    assert_eq!((per_byte[0].x, per_byte[0].y), (16.0, 20.0));
    assert_eq!(per_byte[0].interval, Some((18.0, 25.0)));
    let quantity = Quantity::speed(None, &found.curves);
    assert_eq!(quantity, Quantity::MeasuredSpeed);
    // 16 bytes in 80 ns are 200 MB/s; more cycles are less speed.
    let speed = of(quantity);
    close(speed[0].y, 2e8 / 1_048_576.0);
    let (low, high) = speed[0].interval.unwrap();
    close(low, speed[0].y / 1.25);
    close(high, speed[0].y / 0.9);
    // It was measured at 4 GHz.
    let stated = of(Quantity::SpeedAt(4.0));
    close(stated[0].y, speed[0].y);
    close(stated[0].interval.unwrap().0, low);
}

#[test]
fn with_a_raw_file_among_them_all_are_taken_to_one_clock() {
    let mut all = raw("16,400,25.0\n").unwrap().curves;
    let record = record("openssl", "SHA2-256", "default", &[point(16, 320.0)]);
    all.extend(saved(&run(&[record])).unwrap().curves);
    assert_eq!(Quantity::speed(None, &all), Quantity::SpeedAt(2.0));
}

#[test]
fn saved_curves_are_named_by_what_tells_them_apart() {
    let points = [point(16, 320.0), point(64, 640.0)];
    let found = saved(&run(&[
        record("native", "SHA-256", "shani", &points),
        record("native", "SHA-256", "portable", &points),
        record("openssl", "SHA2-256", "default", &points),
    ]));
    let chart = chart(&found.unwrap().curves, Quantity::Cycles, true, None);
    assert_eq!((chart.title.as_str(), chart.subtitle.as_str()), ("sha-256", "A CPU"));
    assert_eq!(labels(&chart), ["native shani", "native portable", "openssl"]);
    assert_eq!(chart.y.scale, Scale::Logarithmic);
}

#[test]
fn rows_of_bench_slopes_name_their_curves() {
    let row = |library: &str, algorithm: &str, primitive: &str| {
        let mut record = record(library, "x", "default", &[point(16, 320.0)]);
        record["subject"]["primitive"] = json!(primitive);
        record["subject"]["operation"] = json!("encrypt");
        record["subject"]["row"] =
            json!({ "group": "cipher", "algorithm": algorithm, "mode": "CBC enc" });
        record
    };
    let found =
        saved(&run(&[row("nettle", "aes128", "aes-128-cbc"), row("gcrypt", "3DES", "3des-cbc")]));
    let chart = chart(&found.unwrap().curves, Quantity::Cycles, true, None);
    assert_eq!(chart.title, "CBC enc");
    assert_eq!(labels(&chart), ["nettle aes128", "gcrypt 3DES"]);
}

#[test]
fn other_parameters_are_other_curves() {
    let mut unaligned = point(16, 330.0);
    unaligned["parameters"]["alignment"] = json!("unaligned");
    let record = record("openssl", "SHA2-256", "default", &[point(16, 320.0), unaligned]);
    let found = saved(&run(&[record])).unwrap();
    assert_eq!(found.curves.len(), 2);
    let chart = chart(&found.curves, Quantity::Cycles, true, Some("Mine"));
    assert_eq!(chart.title, "Mine");
    assert_eq!(labels(&chart), ["openssl aligned", "openssl unaligned"]);
}

#[test]
fn failed_rows_are_noted() {
    let mut failed = record("gcrypt", "SHA256", "default", &[]);
    failed["failure"] = json!({ "kind": "crashed", "reason": "it died of SIGILL" });
    let good = record("openssl", "SHA2-256", "default", &[point(16, 320.0), point(0, 9.0)]);
    let found = saved(&run(&[failed.clone(), good])).unwrap();
    assert_eq!(found.curves.len(), 1);
    assert_eq!(found.curves[0].lengths.len(), 1);
    assert_eq!(found.notes, ["gcrypt SHA256 has no figures: it died of SIGILL"]);
    let told = saved(&run(&[failed])).unwrap_err().to_string();
    assert!(told.contains("nothing to plot") && told.contains("SIGILL"), "{told}");
}

#[test]
fn what_is_neither_is_refused_with_the_line_and_what_was_expected() {
    let told = |content: &[u8]| parse(Path::new("x.csv"), content).unwrap_err().to_string();
    for (content, words) in [
        (&b""[..], &["'x.csv' is empty"][..]),
        (b" \n\n", &["is empty"]),
        (b"\xef\xbb\xbf", &["is empty"]),
        (b"16,400,25.0\n64,640\n", &["line 2", "'64,640'", "bytes,cycles,cycles-per-byte"]),
        (b"bytes,cycles,cycles-per-byte\n", &["line 1", "'16,442,27.6'", "--format json"]),
        (b"16,400,25.0\n16,400,25.0\n", &["line 2", "a second line for 16 bytes"]),
        (b"16,400,99.0\n", &["line 1", "contradicts", "25.000"]),
        (b"16,400,25.0\n\x89PNG\r\n", &["line 2", "not text"]),
        (b"{\n \"schema\": 1,\n oops", &["line 3", "JSON"]),
        (b"{\"results\": []}", &["no \"schema\"", "cpb run --format json"]),
        (b"{\"schema\": 99, \"records\": 7}", &["newer cpb", "schema 99", "up to 4", "update"]),
        (b"{\"schema\": 1, \"offers\": []}", &["nothing to plot", "no results"]),
        (b"{\"schema\": 1,\n\"records\": [3]}", &["line 2", "not the JSON that cpb saves"]),
    ] {
        let told = told(content);
        for word in words {
            assert!(told.contains(word), "'{word}' is not in: {told}");
        }
    }
    let told = saved(&run(&[])).unwrap_err().to_string();
    assert!(told.contains("no rows"), "{told}");
}

#[test]
fn bounds_are_drawn_pale_and_said_to_be_bounds() {
    let mut bound = point(1024, 4096.0);
    bound["cycles_per_call"] = json!({ "estimate": 4096.0, "upper_bound": true });
    let points = [point(64, 640.0), point(256, 1280.0), bound, point(4096, 16_384.0)];
    let found = saved(&run(&[record("native", "SHA-256", "portable", &points)])).unwrap();
    let drawn = |quantity| chart(&found.curves, quantity, false, None);
    let costs = drawn(Quantity::CyclesPerByte);
    let bounds: Vec<bool> = costs.series[0].points.iter().map(|point| point.is_bound).collect();
    assert_eq!(bounds, [false, false, true, false]);
    assert!(costs.note.contains("upper bounds"));
    assert!(drawn(Quantity::MeasuredSpeed).note.contains("lower bounds"));
    let svg = to_svg(&costs, &Style::default());
    assert!(svg.contains("pale: upper bounds") && svg.contains("(a bound)"), "{svg}");
    // It has both pieces of the line beside the bound, as one, and its marker.
    assert_eq!(svg.matches("opacity=\"0.4\"").count(), 2);
    let raw = raw("64,640,10.0\n1024,4096,4.00,bound\n").unwrap();
    let bounds: Vec<bool> = raw.curves[0].lengths.iter().map(|it| it.upper_bound).collect();
    assert_eq!(bounds, [false, true]);
}

#[test]
fn many_primitives_are_small_multiples_and_a_library_has_one_colour() {
    let row = |library: &str, primitive: &str, backend: &str| {
        let mut row = record(library, primitive, backend, &[point(64, 640.0), point(1024, 4096.0)]);
        row["subject"]["primitive"] = json!(primitive);
        row
    };
    let rows = |primitive: &str| {
        vec![
            row("gcrypt", primitive, "default"),
            row("native", primitive, "portable"),
            row("native", primitive, "avx2"),
            row("openssl", primitive, "default"),
        ]
    };
    let multiples = |records: &[Value]| {
        let found = saved(&run(records)).unwrap();
        let colours = curves::colours(&found.curves);
        curves::multiples(&found.curves, &colours, Quantity::CyclesPerByte, true, None)
    };
    // A few lines, or one primitive, fit in one chart.
    assert_eq!(multiples(&[rows("md5"), rows("sha1")].concat()), None);
    assert_eq!(multiples(&[rows("md5"), rows("md5"), rows("md5")].concat()), None);

    let many = multiples(&[rows("md5"), rows("sha1"), rows("sha256")].concat()).unwrap();
    let titles: Vec<&str> = many.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(titles, ["md5", "sha1", "sha256"]);
    assert_eq!(many.title, "Cycles per byte over message length");
    assert_eq!(many.subtitle, "both axes logarithmic, A CPU");
    for panel in &many.panels {
        assert_eq!(labels(panel), ["gcrypt", "native portable", "native avx2", "openssl"]);
        let looks: Vec<usize> = panel.series.iter().map(|series| series.look).collect();
        // The second line of native has its colour and other dashes.
        assert_eq!(looks, [2, 0, 8, 1]);
    }
    let svg = multiples_to_svg(&many, &Style::default());
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    let texts: Vec<&str> = texts.filter_map(|node| node.text()).collect();
    let count = |wanted: &str| texts.iter().filter(|text| **text == wanted).count();
    // There is one legend for all, and a title for each.
    assert_eq!((count("gcrypt"), count("native avx2"), count("sha256")), (1, 1, 1));
}
