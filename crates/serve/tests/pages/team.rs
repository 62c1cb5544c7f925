//! Fills a store as a team does: three machines, with one run each per day.

use cpb_figures::testing::{failed, record, run};
use cpb_model::{Figure, Interval, LibraryBuild, Operation, Record, Run, Security};
use cpb_store::Store;

/// 2026-09-01.
pub const BEGIN: u64 = 1_788_220_800;
const DAY: u64 = 86_400;
/// The day on which OpenSSL's version and the first machine's kernel changed.
pub const NEW_OPENSSL: u32 = 30;
pub const NEW_KERNEL: u32 = 50;

const MACHINES: [(&str, Option<&str>); 3] =
    [("AMD EPYC 9554", Some("KVM")), ("Intel Xeon Gold 6338", None), ("Neoverse-N1", Some("KVM"))];

/// Saves a run of each machine for each of `days`.
pub fn fill(store: &mut Store, days: std::ops::Range<u32>) {
    for day in days {
        for machine in 0..MACHINES.len() {
            store.save(&of_day(machine, day)).expect("it is saved");
        }
    }
}

/// Returns the run of machine `machine` on day `day`.
pub fn of_day(machine: usize, day: u32) -> Run {
    let noise = |place: usize| {
        let mix = (u64::from(day) * 7919 + machine as u64 * 104_729 + place as u64 * 1_299_709)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        1.0 + ((mix >> 40) as f64 / f64::from(1 << 24) - 0.5) * 0.002
    };
    let factor = [1.0, 1.1, 1.4][machine];
    let openssl = if day < NEW_OPENSSL { 1.0 } else { 0.93 };
    let kernel = if machine == 0 && day >= NEW_KERNEL { 1.04 } else { 1.0 };
    let mut records = Vec::new();
    for (primitive, operation, cost) in [
        ("sha256", Operation::Hash, 1.9),
        ("sha3-256", Operation::Hash, 6.4),
        ("aes-128-gcm", Operation::Seal, 0.6),
        ("aes-128-gcm", Operation::Open, 0.65),
        ("chacha20-poly1305", Operation::Seal, 1.2),
    ] {
        for (library, backend, times) in [
            ("openssl", "default", openssl),
            ("native", "avx2", 1.3 * kernel),
            ("native", "portable", 4.0),
            ("gcrypt", "default", 1.15),
        ] {
            let mut row = record(primitive, library, 1.0);
            row.subject.operation = operation;
            row.workload.operation = operation;
            row.subject.backend = backend.to_owned();
            row.subject.default_backend = backend != "portable";
            row.subject.security = Some(Security::ConstBranchIndex);
            scale(&mut row, cost * factor * times * noise(records.len()));
            records.push(row);
        }
    }
    if day % 9 == 4 {
        records.push(failed("ml-kem-768", "openssl", "SIGILL in <unknown> code"));
    }
    let mut run = run(records);
    run.id = format!("00000000-0000-4000-8000-{:012}", u64::from(day) * 10 + machine as u64);
    run.started = BEGIN + u64::from(day) * DAY + machine as u64 * 3600;
    run.command = ["/usr/bin/cpb", "run", "--suite", "nightly"].map(str::to_owned).into();
    let (cpu, hypervisor) = MACHINES[machine];
    run.host.cpu = Some(cpu.to_owned());
    run.host.hypervisor = hypervisor.map(str::to_owned);
    run.host.architecture = if machine == 2 { "aarch64" } else { "x86_64" }.to_owned();
    let is_new = machine == 0 && day >= NEW_KERNEL;
    run.host.kernel = Some(if is_new { "6.18.2" } else { "6.12.9" }.to_owned());
    run.host.microcode = Some("0xa101148".to_owned());
    let version = if day < NEW_OPENSSL { "3.0.17" } else { "3.5.4" };
    for (name, version) in [("openssl", version), ("native", "0.1.0"), ("gcrypt", "1.11.0")] {
        run.libraries.push(library(name, version));
    }
    run
}

pub fn library(name: &str, version: &str) -> LibraryBuild {
    LibraryBuild {
        label: name.to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        banner: format!("{name} {version}"),
        ..LibraryBuild::default()
    }
}

/// Makes a record cost `cost` cycles per byte, known to ±0.2 %.
pub fn scale(record: &mut Record, cost: f64) {
    let figure = |estimate: f64| {
        let (low, high) = (estimate * 0.998, estimate * 1.002);
        Figure::new(estimate, Some(Interval { low, high, confidence: 0.95 }))
    };
    if let Some(line) = &mut record.line {
        line.cycles_per_byte = figure(cost);
    }
    for point in &mut record.points {
        let cycles = 300.0 + cost * point.parameters.message_bytes as f64;
        point.cycles_per_call = figure(cycles);
        point.nanoseconds_per_call = cycles / 4.0;
        (point.low_quantile, point.minimum) = (cycles * 0.999, cycles * 0.998);
    }
}
