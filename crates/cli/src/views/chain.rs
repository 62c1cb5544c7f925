//! Shows the result of `cpb chain verify`.

use cpb_chains::{BadLine, LineSet, Options, Verdict};
use cpb_kernels::Backend as _;
use cpb_kernels::base16::encode as hexadecimal;
use cpb_report::number::{counted, grouped, significant};
use cpb_report::{Style, WriteError, write_json};
use serde::{Serialize, Serializer};
use std::io::{BufWriter, Write};

pub(crate) fn text(verdict: &Verdict, options: &Options) -> Result<(), WriteError> {
    // Every wrong line is named, so the output may be long.
    let mut output = BufWriter::new(anstream::stdout().lock());
    for line in verdict.wrong.iter() {
        writeln!(output, "{}", Style::Bad.paint(&format!("line {line}: wrong")))?;
    }
    if let Some(first) = &verdict.first_wrong {
        let segment = &first.segment;
        writeln!(
            output,
            "first wrong: line {}, where {} iterations from {} end in {}, not in {}",
            segment.line,
            segment.iterations,
            hexadecimal(&segment.start),
            hexadecimal(&first.end),
            hexadecimal(&segment.end),
        )?;
    }
    let hold = verdict.segments - verdict.wrong.len();
    let style = match (hold, verdict.segments) {
        (_, 0) => Style::Plain,
        (hold, all) if hold == all => Style::Good,
        _ => Style::Bad,
    };
    let rate = rate(verdict);
    writeln!(
        output,
        "{} · {} iterations in {:.2} s · {} MH/s ({} × {} on {})",
        style.paint(&format!("{} of {} segments hold", grouped(hold), grouped(verdict.segments))),
        grouped(verdict.iterations),
        verdict.elapsed.as_secs_f64(),
        significant(rate / 1e6, 4),
        counted(options.threads, "thread"),
        counted(options.lanes.width(), "lane"),
        options.lanes.backend().name(),
    )?;
    Ok(output.flush()?)
}

#[derive(Serialize)]
struct Bad {
    line: u64,
    reason: String,
}

#[derive(Serialize)]
struct First {
    line: u64,
    start: String,
    iterations: u64,
    end: String,
    right_end: String,
}

#[derive(Serialize)]
struct Shape<'a> {
    version: &'static str,
    segments: u64,
    iterations: u64,
    wrong_segments: u64,
    #[serde(serialize_with = "lines")]
    wrong_lines: &'a LineSet,
    first_wrong: Option<First>,
    bad_lines: u64,
    bad: Vec<Bad>,
    unread: Option<String>,
    interrupted: bool,
    seconds: f64,
    hashes_per_second: f64,
    threads: usize,
    lanes: usize,
    backend: &'static str,
}

pub(crate) fn json(
    verdict: &Verdict,
    options: &Options,
    bad_lines: &[BadLine],
) -> Result<(), WriteError> {
    let shape = Shape {
        version: env!("CARGO_PKG_VERSION"),
        segments: verdict.segments,
        iterations: verdict.iterations,
        wrong_segments: verdict.wrong.len(),
        wrong_lines: &verdict.wrong,
        first_wrong: verdict.first_wrong.as_ref().map(|first| First {
            line: first.segment.line,
            start: hexadecimal(&first.segment.start),
            iterations: first.segment.iterations,
            end: hexadecimal(&first.segment.end),
            right_end: hexadecimal(&first.end),
        }),
        bad_lines: verdict.bad_lines,
        bad: bad_lines
            .iter()
            .map(|bad| Bad { line: bad.line, reason: bad.reason.to_string() })
            .collect(),
        unread: verdict.unread.as_ref().map(ToString::to_string),
        interrupted: verdict.interrupted,
        seconds: verdict.elapsed.as_secs_f64(),
        hashes_per_second: rate(verdict),
        threads: options.threads,
        lanes: options.lanes.width(),
        backend: options.lanes.backend().name(),
    };
    let mut output = BufWriter::new(std::io::stdout().lock());
    write_json(&mut output, &shape)?;
    Ok(output.flush()?)
}

fn lines<S: Serializer>(lines: &LineSet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter())
}

/// Returns the hashes per second.
fn rate(verdict: &Verdict) -> f64 {
    verdict.iterations as f64 / verdict.elapsed.as_secs_f64()
}
