//! Reads what Linux and the CPU report about the machine.

use crate::pinning::{allowed_cpus, ranges};
use cpb_model::{Core, Host};
use std::path::{Path, PathBuf};

/// Fields in a line of `/proc/stat`, and how many of them count; guest time, which follows, is
/// already part of user time.
const IDLE: usize = 3;
const WAITING: usize = 4;
const STOLEN: usize = 7;
const COUNTED: usize = 8;

/// Describes this machine. What cannot be read is absent.
pub fn describe() -> Host {
    let files = Files::at("/");
    let allowed = allowed_cpus();
    let smt = files.line("sys/devices/system/cpu/smt/active").map(|text| text == "1");
    Host {
        architecture: std::env::consts::ARCH.to_owned(),
        cpu: brand(&files),
        cpu_id: cpu_id(&files),
        microcode: files.value("proc/cpuinfo", "microcode", ':'),
        features: kernel_features(),
        hypervisor: hypervisor(&files),
        kernel: files
            .line("proc/sys/kernel/osrelease")
            .or_else(|| Some(rustix::system::uname().release().to_string_lossy().into_owned())),
        boot: files.line("proc/sys/kernel/random/boot_id"),
        system: files.value("etc/os-release", "PRETTY_NAME", '='),
        turbo: turbo(&files),
        smt,
        perf_event_paranoid: files.number("proc/sys/kernel/perf_event_paranoid"),
        cores: allowed.iter().map(|&number| core(&files, number)).collect(),
        allowed_cpus: allowed,
        load: files
            .line("proc/loadavg")
            .and_then(|line| line.split(' ').next().and_then(|load| load.parse().ok())),
    }
}

/// Returns the machine's network name.
pub fn name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Formats the CPUs that this process may use: `0-3,5`.
pub fn allowed_ranges(host: &Host) -> String {
    ranges(&host.allowed_cpus)
}

/// Returns jiffies so far of `cpus`, or of all CPUs if none is named: stolen by the hypervisor, and
/// in total. `None` if the kernel does not say.
pub fn stolen_and_total(cpus: &[usize]) -> Option<(u64, u64)> {
    Files::at("/").stolen_and_total(cpus)
}

/// Returns jiffies so far in which `cpus` were not idle. `None` if the kernel does not say.
pub fn busy(cpus: &[usize]) -> Option<u64> {
    let counts = Files::at("/").jiffies(cpus)?;
    let idle = counts[IDLE] + counts[WAITING];
    Some(counts.iter().sum::<u64>() - idle)
}

/// Returns the bytes of the largest cache of any CPU, according to the kernel; in a virtual machine
/// they may be wrong.
pub fn last_level_cache_bytes() -> Option<usize> {
    let files = Files::at("/");
    allowed_cpus().into_iter().filter_map(|number| files.largest_cache(number)).max()
}

fn core(files: &Files, number: usize) -> Core {
    let directory = format!("sys/devices/system/cpu/cpu{number}");
    let siblings = files.line(&format!("{directory}/topology/thread_siblings_list"));
    Core {
        number,
        governor: files.line(&format!("{directory}/cpufreq/scaling_governor")),
        maximum_kilohertz: files.number(&format!("{directory}/cpufreq/cpuinfo_max_freq")),
        capacity: files.number(&format!("{directory}/cpu_capacity")),
        siblings: siblings.map(|list| parse_ranges(&list)).unwrap_or_default(),
    }
}

fn kernel_features() -> Vec<String> {
    let present = cpb_kernels::cpu::features().into_iter().filter(|feature| feature.present);
    present.map(|feature| feature.name.to_owned()).collect()
}

fn turbo(files: &Files) -> Option<bool> {
    let boost = files.line("sys/devices/system/cpu/cpufreq/boost").map(|text| text == "1");
    boost.or_else(|| {
        files.line("sys/devices/system/cpu/intel_pstate/no_turbo").map(|text| text == "0")
    })
}

#[cfg(target_arch = "x86_64")]
fn brand(_files: &Files) -> Option<String> {
    let brand = raw_cpuid::CpuId::new().get_processor_brand_string()?;
    Some(brand.as_str().trim().to_owned())
}

#[cfg(target_arch = "x86_64")]
fn cpu_id(_files: &Files) -> Option<String> {
    let cpuid = raw_cpuid::CpuId::new();
    let vendor = cpuid.get_vendor_info()?;
    let feature = cpuid.get_feature_info()?;
    Some(format!(
        "{} family {} model {} stepping {}",
        vendor.as_str(),
        feature.family_id(),
        feature.model_id(),
        feature.stepping_id()
    ))
}

#[cfg(target_arch = "x86_64")]
fn hypervisor(_files: &Files) -> Option<String> {
    let cpuid = raw_cpuid::CpuId::new();
    if !cpuid.get_feature_info()?.has_hypervisor() {
        return None;
    }
    let hypervisor = cpuid.get_hypervisor_info().map(|info| info.identify());
    Some(match hypervisor {
        Some(raw_cpuid::Hypervisor::Unknown(..)) | None => "unknown".to_owned(),
        Some(known) => format!("{known:?}"),
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn brand(files: &Files) -> Option<String> {
    files
        .value("proc/cpuinfo", "model name", ':')
        .or_else(|| files.line("proc/device-tree/model").map(|m| m.trim_end_matches('\0').into()))
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_id(files: &Files) -> Option<String> {
    let implementer = files.value("proc/cpuinfo", "CPU implementer", ':')?;
    let part = files.value("proc/cpuinfo", "CPU part", ':')?;
    Some(format!("implementer {implementer} part {part}"))
}

#[cfg(not(target_arch = "x86_64"))]
fn hypervisor(files: &Files) -> Option<String> {
    files.line("sys/hypervisor/type")
}

/// The files in which Linux describes itself, below a root folder.
struct Files {
    root: PathBuf,
}

impl Files {
    fn at(root: impl AsRef<Path>) -> Self {
        Self { root: root.as_ref().to_owned() }
    }

    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }

    /// Returns the first line of a file, unless it is empty.
    fn line(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        let line = text.lines().next()?.trim();
        (!line.is_empty()).then(|| line.to_owned())
    }

    fn number<T: std::str::FromStr>(&self, path: &str) -> Option<T> {
        self.line(path)?.parse().ok()
    }

    /// Returns the value of `key` in a file of `key SEPARATOR value` lines.
    fn value(&self, path: &str, key: &str, separator: char) -> Option<String> {
        let text = self.text(path)?;
        let value = text.lines().find_map(|line| {
            let (name, value) = line.split_once(separator)?;
            (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
        })?;
        (!value.is_empty()).then_some(value)
    }

    /// Returns the bytes of a CPU's largest cache.
    fn largest_cache(&self, number: usize) -> Option<usize> {
        // No CPU has ten caches.
        let size = |index| {
            let file = format!("sys/devices/system/cpu/cpu{number}/cache/index{index}/size");
            let kibibytes: usize = self.line(&file)?.strip_suffix('K')?.parse().ok()?;
            kibibytes.checked_mul(1 << 10)
        };
        (0..10).filter_map(size).max()
    }

    fn stolen_and_total(&self, cpus: &[usize]) -> Option<(u64, u64)> {
        let counts = self.jiffies(cpus)?;
        Some((counts[STOLEN], counts.iter().sum()))
    }

    /// Returns the jiffies of `cpus`, or of all CPUs if none is named: user, nice, system, idle,
    /// waiting, interrupts, soft interrupts, stolen.
    fn jiffies(&self, cpus: &[usize]) -> Option<[u64; COUNTED]> {
        let text = self.text("proc/stat")?;
        let of = |name: &str| -> Option<[u64; COUNTED]> {
            let line = text.lines().find(|line| line.split(' ').next() == Some(name))?;
            let fields = line.split_ascii_whitespace().skip(1).take(COUNTED);
            let counts: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
            counts.try_into().ok()
        };
        if cpus.is_empty() {
            return of("cpu");
        }
        cpus.iter().try_fold([0; COUNTED], |mut sum, cpu| {
            let counts = of(&format!("cpu{cpu}"))?;
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            Some(sum)
        })
    }
}

/// Parses the numbers of a list such as `0-3,5`.
fn parse_ranges(list: &str) -> Vec<usize> {
    list.split(',')
        .filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
        })
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, &str)]) -> (tempfile::TempDir, Files) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in entries {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let files = Files::at(root.path());
        (root, files)
    }

    #[test]
    fn missing_files_are_absent_values() {
        let files =
            Files::at(std::env::temp_dir().join(format!("cpb-none-{}", std::process::id())));
        assert_eq!(files.line("proc/loadavg"), None);
        assert_eq!(files.stolen_and_total(&[]), None);
        assert_eq!(turbo(&files), None);
        assert_eq!(core(&files, 3), Core { number: 3, ..Core::default() });
    }

    #[test]
    fn files_are_read_as_linux_writes_them() {
        let (_root, files) = tree(&[
            ("proc/stat", "cpu  10 1 20 300 5 0 7 40 9 9\ncpu1 1 0 2 30 0 0 0 4 0 0\n"),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
            ("sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,5-6\n"),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"),
            ("etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 1\"\n"),
        ]);
        assert_eq!(files.stolen_and_total(&[]), Some((40, 383)));
        assert_eq!(files.stolen_and_total(&[1]), Some((4, 37)));
        assert_eq!(files.stolen_and_total(&[1, 9]), None);
        assert_eq!(turbo(&files), Some(false));
        assert_eq!(core(&files, 1).siblings, [1, 5, 6]);
        assert_eq!(core(&files, 1).governor.as_deref(), Some("powersave"));
        assert_eq!(files.value("etc/os-release", "PRETTY_NAME", '='), Some("Some Linux 1".into()));
    }
}
