//! Starts a Slurm cluster for the tests: two nodes on this machine, on the loopback device,
//! in a folder that is removed afterwards.

use crate::program::skipped;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// If this is set, the tests fail without Slurm.
const WANTED: &str = "CPB_TEST_SLURM";

/// Exceeds any wait, even on a machine that stalls for minutes.
const PATIENCE: Duration = Duration::from_secs(1800);

/// A cluster that runs until this is dropped or the process ends, however it ends.
pub struct Cluster {
    folder: PathBuf,
    keeper: Child,
}

impl Cluster {
    /// Starts a cluster whose nodes wait for jobs. Prints a line and returns `None` if Slurm
    /// is not installed.
    pub fn start() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        if let Some(missing) = missing() {
            let packages = "slurmctld slurmd slurm-client munge";
            skipped(format!("there is no {missing} (Debian: {packages})"));
            assert!(std::env::var_os(WANTED).is_none(), "{WANTED} is set, and there is no Slurm");
            return None;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cpb-slurm-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let keeper = Command::new("bash")
            .args(["-c", include_str!("cluster.sh"), "cluster"])
            .arg(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("bash is there");
        let cluster = Self { folder, keeper };
        cluster.until("both nodes are idle", || {
            let nodes = cluster.asks("sinfo", &["-h", "-N", "-o", "%N %T"]);
            nodes.as_deref() == Ok("n1 idle\nn2 idle\n")
        });
        Some(cluster)
    }

    /// Returns the path of the configuration that its programs need.
    pub fn configuration(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    /// Returns the output of one of Slurm's programs, or its error.
    pub fn asks(&self, program: &str, words: &[&str]) -> Result<String, String> {
        let output = Command::new(program)
            .args(words)
            .env("SLURM_CONF", self.configuration())
            .output()
            .expect("it is installed");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Ends a node as a power cut would, and waits until the controller notices.
    pub fn kill(&self, node: &str) {
        self.order("kill", node);
        let node = format!("NodeName={node}");
        self.asks("scontrol", &["update", &node, "State=DOWN", "Reason=pulled"])
            .expect("it is ours");
    }

    /// Starts a node again.
    pub fn start_again(&self, node: &str) {
        self.order("start", node);
        self.until("it is back", || {
            // The node may have recovered already.
            let name = format!("NodeName={node}");
            let _ = self.asks("scontrol", &["update", &name, "State=RESUME"]);
            self.asks("sinfo", &["-h", "-n", node, "-o", "%T"]).as_deref() == Ok("idle\n")
        });
    }

    fn order(&self, order: &str, node: &str) {
        let done = self.folder.join(format!("done-{order}-{node}"));
        let _ = std::fs::remove_file(&done);
        let mut stdin = self.keeper.stdin.as_ref().expect("piped");
        writeln!(stdin, "{order} {node}").expect("it reads");
        self.until(order, || done.exists());
    }

    /// Waits until `is_so`.
    pub fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < PATIENCE, "waited for: {what}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn log(&self) -> String {
        let log = |name: &str| std::fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        ["controller.out", "slurmctld.log", "slurmd-n1.log", "slurmd-n2.log"].map(log).concat()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// Returns the first of Slurm's programs that is missing.
fn missing() -> Option<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]).collect();
    let is_there =
        |name: &str| folders.iter().any(|folder: &PathBuf| Path::new(folder).join(name).exists());
    ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol"]
        .into_iter()
        .find(|name| !is_there(name))
}
