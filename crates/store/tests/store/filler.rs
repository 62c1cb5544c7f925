//! Makes many typical runs.

use cpb_model::{Record, Run};

/// The number of records of a run, which cover a quarter of all implementations.
pub const RECORDS: usize = 500;
pub const PRIMITIVES: usize = 500;
/// The number of implementations of each primitive.
const IMPLEMENTATIONS: usize = 4;
pub const MACHINES: usize = 10;
/// Makes a typical run: of one of the machines, with a part of the implementations.
pub fn run(template: &Run, number: usize) -> Run {
    let mut run = template.without_records();
    run.id = format!("00000000-0000-4000-8000-{number:012}");
    run.started = 1_700_000_000 + 600 * number as u64;
    run.host.cpu = Some(format!("CPU {}", number % MACHINES));
    run.host.kernel = Some(format!("6.{}", number / 5000));
    run.command = vec!["cpb".to_owned(), "run".to_owned(), "--quick".to_owned(), "all".to_owned()];
    let part = number % (PRIMITIVES * IMPLEMENTATIONS / RECORDS);
    run.records =
        (0..RECORDS).map(|record| self::record(template, part * RECORDS + record)).collect();
    run
}

fn record(template: &Run, series: usize) -> Record {
    let mut record = template.records[0].clone();
    record.subject.primitive = format!("primitive-{}", series / IMPLEMENTATIONS);
    record.workload.primitive.clone_from(&record.subject.primitive);
    record.subject.backend = format!("backend-{}", series % IMPLEMENTATIONS);
    record.forget_raw();
    record
}
