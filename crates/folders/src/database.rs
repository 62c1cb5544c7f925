//! Reads SUPERCOP's database line by line: each machine and day becomes a run, each measured
//! operation of an implementation a record.
//!
//! Figures are SUPERCOP's: the three quartiles of its timings, in cycles of its counter. They get
//! no interval, since timings of one process say nothing about the next.

mod block;
mod line;
mod measures;

use block::{Block, LIBRARY};
use cpb_model::{ClockSummary, Host, LibraryBuild, Record, Run, SCHEMA, harmless};
use line::Line;
use std::collections::HashSet;
use std::io::{self, BufRead, Read};
use std::time::UNIX_EPOCH;

/// Longer lines do not belong to the database.
const LONGEST: u64 = 1 << 20;
/// The most wrong lines that are named.
const NAMED: usize = 5;

/// Counts of an import.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Number of lines.
    pub lines: u64,
    /// Lines with cycles that became part of a run.
    pub used: u64,
    /// Lines with cycles that cpb does not measure, or at lengths that it leaves out.
    pub left_out: u64,
    /// Number of wrong lines.
    pub wrong: u64,
    /// The first of them, by number, with what is wrong.
    pub named: Vec<(u64, String)>,
}

impl ImportCounts {
    fn refuse(&mut self, line: u64, reason: String) {
        self.wrong += 1;
        if self.named.len() < NAMED {
            self.named.push((line, reason));
        }
    }
}

/// Reads a database, and passes on each run as soon as it is complete, until `take` fails. Invalid
/// lines are counted and skipped.
///
/// # Errors
/// The error of `take`, or of reading the database.
pub fn read<E: From<io::Error>>(
    input: impl BufRead,
    command: &[String],
    take: &mut dyn FnMut(Run) -> Result<(), E>,
) -> Result<ImportCounts, E> {
    let mut reading =
        Reading { command, tally: ImportCounts::default(), known: HashSet::new(), run: None };
    let mut input = input;
    let mut text = Vec::new();
    loop {
        text.clear();
        let count = input.by_ref().take(LONGEST).read_until(b'\n', &mut text)?;
        if count == 0 {
            break;
        }
        reading.tally.lines += 1;
        if count as u64 == LONGEST && text.last() != Some(&b'\n') {
            reading.refuse(format!("it has more than {LONGEST} bytes"));
            skip_line(&mut input)?;
            continue;
        }
        if let Some(whole) = reading.line(&text) {
            take(whole)?;
        }
    }
    if let Some(whole) = reading.whole() {
        take(whole)?;
    }
    Ok(reading.tally)
}

/// Skips to the end of the line.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let (used, has_ended) = match end {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if has_ended {
            return Ok(());
        }
    }
}

struct Reading<'a> {
    command: &'a [String],
    tally: ImportCounts,
    /// The identities of runs so far.
    known: HashSet<[String; 4]>,
    run: Option<Growing>,
}

impl Reading<'_> {
    fn refuse(&mut self, reason: String) {
        let line = self.tally.lines;
        self.tally.refuse(line, reason);
    }

    /// Takes a line; returns the previous run if this line begins another.
    fn line(&mut self, text: &[u8]) -> Option<Run> {
        let Ok(text) = str::from_utf8(text) else {
            self.refuse("it is no text".to_owned());
            return None;
        };
        let line = match Line::of(text) {
            Ok(line) => line,
            Err(reason) => {
                self.refuse(reason);
                return None;
            }
        };
        let is_same = self.run.as_ref().is_some_and(|run| run.of.iter().eq(line.of.iter()));
        if is_same {
            self.add(&line);
            return None;
        }
        let of = line.of.map(|word| harmless(word).into_owned());
        let Some(started) = seconds(&of[3]) else {
            self.refuse(format!("there is no day {}", of[3]));
            return None;
        };
        if self.known.contains(&of) {
            self.refuse("lines of its machine and day stand elsewhere, too: sort the file".into());
            return None;
        }
        let before = self.whole();
        self.known.insert(of.clone());
        self.run = Some(Growing { of, started, ..Growing::default() });
        self.add(&line);
        before
    }

    fn add(&mut self, line: &Line<'_>) {
        let Some(run) = &mut self.run else { return };
        if !run.block.as_ref().is_some_and(|block| block.takes(line)) {
            run.finish(&mut self.tally);
            run.block = Some(Block::of(line, self.tally.lines));
        }
        if let Some(block) = &mut run.block {
            let is_used = block.add(&line.says);
            self.tally.left_out += u64::from(is_used == Some(false));
        }
    }

    /// Returns the run, if it has figures.
    fn whole(&mut self) -> Option<Run> {
        let mut growing = self.run.take()?;
        growing.finish(&mut self.tally);
        (!growing.records.is_empty()).then(|| growing.run(self.command))
    }
}

/// A run that may still grow.
#[derive(Default)]
struct Growing {
    /// Version, machine, architecture and day.
    of: [String; 4],
    started: u64,
    block: Option<Block>,
    records: Vec<Record>,
    subjects: HashSet<String>,
    /// The clock in the last block that stated one.
    clock: block::Clock,
    samples: u64,
}

impl Growing {
    /// Makes records of the finished block.
    fn finish(&mut self, tally: &mut ImportCounts) {
        let Some(block) = self.block.take() else { return };
        self.clock.update(block.clock());
        tally.left_out += block.lines();
        let (line, records) = match block.records(&self.clock) {
            Ok(found) => found,
            Err((line, reason)) => return tally.refuse(line, reason),
        };
        for (record, lines) in records {
            let subject = format!("{:?} {}", record.subject, record.workload);
            if !self.subjects.insert(subject) {
                tally.refuse(line, "what it is of was measured before".to_owned());
                continue;
            }
            self.samples += record.points.iter().map(|point| point.samples).sum::<u64>();
            self.records.push(record);
            tally.used += lines;
            tally.left_out -= lines;
        }
    }

    fn run(self, command: &[String]) -> Run {
        let [version, host, architecture, _] = self.of;
        let label = LIBRARY.to_owned();
        let clock = &self.clock;
        let hertz = clock.hertz.unwrap_or_default();
        let architecture = match architecture.as_str() {
            "amd64" => "x86_64".to_owned(),
            _ => architecture,
        };
        let warning = "these figures are SUPERCOP's: medians of its timings, counted by its own \
                       counter, which may not count the core's cycles; they have no intervals, \
                       and cpb did not measure or check anything";
        Run {
            schema: SCHEMA,
            id: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: None,
            command: command.to_vec(),
            seed: 0,
            started: self.started,
            seconds: 0.0,
            precision: None,
            host: Host {
                architecture,
                cpu: Some(host),
                cpu_id: clock.cpu.clone(),
                ..Host::default()
            },
            cpu: None,
            cpus: Vec::new(),
            steal: None,
            clock: Some(ClockSummary {
                name: clock.counter.clone().unwrap_or_else(|| "unknown counter".to_owned()),
                core_hertz: hertz,
                core_hertz_range: (hertz, hertz),
                samples: self.samples,
                ..ClockSummary::default()
            }),
            libraries: vec![LibraryBuild {
                banner: format!("SUPERCOP {version}"),
                name: label.clone(),
                label,
                version,
                ..LibraryBuild::default()
            }],
            records: self.records,
            sums: Vec::new(),
            warnings: vec![warning.to_owned()],
        }
    }
}

/// Returns the seconds since 1970 of a day such as 20260330.
fn seconds(day: &str) -> Option<u64> {
    let date = format!("{}-{}-{}T00:00:00Z", day.get(..4)?, day.get(4..6)?, day.get(6..)?);
    let time = humantime::parse_rfc3339(&date).ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

#[cfg(test)]
mod tests;
