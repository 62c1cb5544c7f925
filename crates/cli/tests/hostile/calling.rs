//! Calls cpb in ways it must survive, and watches it.

use std::ffi::OsString;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// If this is set, everything is tried instead of a share.
const ALL: &str = "CPB_HOSTILE_ALL";
/// The environment of a call and of all processes it starts has this variable.
const MARK: &str = "CPB_HOSTILE_MARK";
/// Far exceeds the time of any of these calls on a busy machine.
const HANGS: Duration = Duration::from_secs(120);
/// The memory limit of a call, in KiB.
const MOST_MEMORY: u64 = 200 * 1024;
/// The time limit for its processes to end.
const GRACE: Duration = Duration::from_secs(10);
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// A call, with its variables besides the test's own.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) words: Vec<OsString>,
    pub(crate) variables: Vec<(&'static str, String)>,
}

/// The result of a call.
pub(crate) struct Survived {
    pub(crate) status: i32,
    pub(crate) stderr: String,
}

/// Whether everything is to be tried.
pub(crate) fn wants_all() -> bool {
    std::env::var_os(ALL).is_some()
}

/// Returns all of `calls`, or a fixed selection of `share` of them.
pub(crate) fn chosen<T>(mut calls: Vec<T>, share: usize) -> Vec<T> {
    if wants_all() {
        return calls;
    }
    let mut state = SEED;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % bound
    };
    let count = share.min(calls.len());
    (0..count).map(|_| calls.swap_remove(below(calls.len()))).collect()
}

/// Makes all `calls`, a few at a time; returns the problems found.
pub(crate) fn make<T: Sync>(
    calls: &[T],
    folder: &Path,
    judge: impl Fn(&T, &Path) -> Result<i32, String> + Sync,
) {
    let next = Mutex::new(0..calls.len());
    let outcomes = Mutex::new((Vec::new(), [0_usize; 3]));
    let work = || {
        while let Some(index) = next.lock().expect("no panic").next() {
            let place = folder.join(index.to_string());
            std::fs::create_dir_all(&place).expect("a folder of our own");
            let outcome = judge(&calls[index], &place);
            let _ = std::fs::remove_dir_all(&place);
            let mut outcomes = outcomes.lock().expect("no panic");
            match outcome {
                Ok(status) => outcomes.1[status as usize] += 1,
                Err(wrong) => outcomes.0.push(wrong),
            }
        }
    };
    std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(work))));
    let (wrong, by_status) = outcomes.into_inner().expect("no panic");
    println!("{} calls; exit status 0, 1, 2: {by_status:?}", calls.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), calls.len(), wrong.join("\n"));
}

/// Makes a call in `place`: it must end by itself in time, within its memory, with
/// a meaningful exit status, with a message unless that is 0, and leave nothing
/// behind.
pub(crate) fn survive(call: &Call, place: &Path) -> Result<Survived, String> {
    let wrong = |what: String| {
        let words: Vec<String> =
            call.words.iter().map(|w| w.to_string_lossy().chars().take(80).collect()).collect();
        format!("cpb {words:?} {:?}: {what}", call.variables)
    };
    let mark = place.display().to_string();
    let mut stderr = tempfile::tempfile().map_err(|e| wrong(e.to_string()))?;
    let mut child = Command::new(env!("CARGO_BIN_EXE_cpb"))
        .args(&call.words)
        .envs(call.variables.iter().map(|(name, value)| (name, value)))
        .env(MARK, &mark)
        .env("XDG_DATA_HOME", place)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr.try_clone().map_err(|e| wrong(e.to_string()))?)
        .spawn()
        .map_err(|error| wrong(error.to_string()))?;
    let (status, memory) = watch(&mut child);
    let left = left_behind(&mark);
    let mut bytes = Vec::new();
    stderr.rewind().and_then(|()| stderr.take(1 << 20).read_to_end(&mut bytes)).expect("a file");
    let stderr = String::from_utf8_lossy(&bytes).into_owned();
    let Some(status) = status else { return Err(wrong("hangs".to_owned())) };
    let Some(code @ 0..=2) = status.code() else {
        return Err(wrong(format!("ended by {:?} {:?}: {stderr}", status.code(), status.signal())));
    };
    let fault = if stderr.contains("internal error") || stderr.contains("panicked") {
        stderr
    } else if code != 0 && stderr.trim().is_empty() {
        format!("status {code} without a word")
    } else if memory > MOST_MEMORY {
        format!("took {memory} KiB")
    } else if !left.is_empty() {
        format!("left behind {left:?}")
    } else {
        return Ok(Survived { status: code, stderr });
    };
    Err(wrong(fault))
}

/// Returns how `child` ended, if it did, and the most memory that it was seen to
/// use.
fn watch(child: &mut Child) -> (Option<ExitStatus>, u64) {
    let start = Instant::now();
    let mut memory = 0;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return (Some(status), memory);
        }
        let about = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let about = about.unwrap_or_default();
        let peak = about.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse().ok());
        memory = memory.max(peak.unwrap_or(0));
        if start.elapsed() > HANGS {
            let _ = child.kill();
            let _ = child.wait();
            return (None, memory);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns processes with this mark that still exist after the grace time.
pub(crate) fn left_behind(mark: &str) -> Vec<u32> {
    let start = Instant::now();
    loop {
        let left = marked(mark);
        if left.is_empty() || start.elapsed() > GRACE {
            return left;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns processes with this mark in their environment, without zombies.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_marked = |number: &u32| {
        // A zombie no longer has an environment.
        let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    numbers.filter(is_marked).collect()
}
