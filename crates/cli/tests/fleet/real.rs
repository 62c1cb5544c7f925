//! Tests a fleet of two nodes of a real Slurm, and one database.

use crate::cluster::Cluster;
use crate::program::{Called, call, command, says};
use crate::server::shared;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SUITE: &str = "name = \"tiny\"\nabout = \"Two rows.\"\n[[select]]\nwhat = [\"sha3-256\", \
                     \"sha256\"]\noperations = [\"hash\"]\nbackends = [\"portable\"]\nsizes = [64]\n";

/// cpb on the nodes: if a file `endless-NODE` exists, it measures without end.
const PROGRAM: &str = "#!/bin/bash\n[ \"$1\" != run ] || set -- \"$@\" --precision 99% --max-time 600\n\
                       if [ \"$1\" = run ] && rm \"$HERE/endless-$SLURMD_NODENAME\" 2>/dev/null; then\n  \
                       while :; do \"$CPB\" \"$@\"; done\nfi\nexec \"$CPB\" \"$@\"\n";

/// A user of the cluster.
struct User<'a> {
    cluster: &'a Cluster,
    home: &'a Path,
    store: &'a str,
}

impl User<'_> {
    fn cpb(&self, line: &str) -> Called {
        let mut command = command();
        command.env("SLURM_CONF", self.cluster.configuration()).env("CPB_STORE", self.store);
        command.env("XDG_DATA_HOME", self.home).env("HERE", self.home).current_dir(self.home);
        command.env("CPB", env!("CARGO_BIN_EXE_cpb")).args(line.split_whitespace());
        call(&mut command)
    }

    fn ends(&self, line: &str, status: i32, words: &[&str]) -> Called {
        let called = self.cpb(line).ends(status, &[]);
        says(&called.all(), words);
        called
    }

    /// Submits a fleet run in which these nodes do not end, and returns its folder.
    fn submits(&self, endless: &[&str]) -> PathBuf {
        for node in endless {
            std::fs::write(self.home.join(format!("endless-{node}")), "").expect("ours");
        }
        let program = self.home.join("cpb.sh");
        // Whether the test machine is fit does not matter here.
        let line = format!(
            "fleet run ./tiny.toml --partition bench --unfit-too --program {} -- --library native",
            program.display()
        );
        let name = self.ends(&line, 0, &["is submitted, for n1, n2"]).stdout;
        self.home.join("cpb/fleet").join(name.trim())
    }

    /// Returns the row of a node in the status, as CSV.
    fn row(&self, node: &str) -> String {
        let told = self.cpb("fleet status --format csv");
        let begins = format!("{node},");
        told.stdout.lines().find(|line| line.starts_with(&begins)).unwrap_or_default().to_owned()
    }

    fn until_row(&self, node: &str, words: &str) {
        self.cluster.until(&format!("{node} {words}"), || self.row(node).contains(words));
    }

    /// Waits until a worker of cpb measures on a node.
    fn until_measuring(&self, fleet: &Path, node: &str) {
        let steps = fleet.join("nodes").join(node).join("steps");
        let is_at =
            || std::fs::read_to_string(&steps).is_ok_and(|it| it.trim_end().ends_with(" run"));
        self.cluster.until("it measures", || is_at() && has_worker(node));
    }
}

/// Whether a process on `node` is a worker of cpb.
fn has_worker(node: &str) -> bool {
    let variable = format!("SLURMD_NODENAME={node}\0");
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let mut workers = processes.filter(|process| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains("worker")
            && String::from_utf8_lossy(&environment).contains(&variable)
    });
    workers.next().is_some()
}

#[test]
#[ignore = "three minutes, of which Slurm waits two: script/test runs it"]
fn two_nodes_one_killed_in_mid_run_and_taken_up_again_in_one_database() {
    let Some(cluster) = Cluster::start() else { return };
    let Some(server) = shared() else { return };
    let home = TempDir::new().expect("a folder of our own");
    let name = server.name();
    let store = server.address(&name);
    std::fs::write(home.path().join("tiny.toml"), SUITE).expect("ours");
    let program = home.path().join("cpb.sh");
    std::fs::write(&program, PROGRAM).expect("ours");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let user = User { cluster: &cluster, home: home.path(), store: &store };

    // n2 disappears while it measures, and Slurm starts its task again.
    let fleet = user.submits(&["n2"]);
    user.until_row("n1", ",done,");
    user.until_measuring(&fleet, "n2");
    user.ends("fleet status", 0, &["measures", "1 of 2 nodes done, 1 at it"]);
    cluster.kill("n2");
    user.until_row("n2", "waits,");
    user.ends("fleet status", 0, &["again, since its node failed or it was requeued"]);
    user.ends("fleet again", 0, &["1 of 2 nodes are waiting or running; none is left to retry"]);
    cluster.start_again("n2");
    // This takes a while: late messages to the earlier node must not reach the task.
    user.ends("fleet status --wait", 0, &["2 of 2 nodes done"]);
    assert!(user.row("n2").contains(",2,2,0,"), "two attempts, two rows, none failed");
    let runs = "SELECT count(*) FROM cpb.runs";
    assert_eq!(server.psql(&name, runs).as_deref(), Ok("2"));
    user.ends("fleet report", 0, &["n1  ", "n2  ", "sha3-256 hash", "sha256 hash"]);
    user.ends("fleet report --output report.html", 0, &["wrote report.html"]);
    let page = std::fs::read_to_string(home.path().join("report.html")).expect("a page");
    assert!(page.contains("n1") && page.contains("n2") && page.contains("sha3-256"));
    assert!(!home.path().join("cpb/runs.sqlite").exists(), "nothing is kept beside the database");

    // A task that was ended by a user and one that cannot start are repeated by hand.
    let fleet = user.submits(&["n1"]);
    user.until_measuring(&fleet, "n1");
    user.until_row("n2", ",done,");
    let tasks = cluster.asks("squeue", &["-h", "-r", "-w", "n1", "-o", "%i"]).expect("it is ours");
    cluster.asks("scancel", &[tasks.trim()]).expect("it is ours");
    user.until_row("n1", "cancelled,");
    user.ends("fleet status", 1, &["ended by scancel", "1 without a run"]);
    user.ends("fleet report", 1, &["Without figures", "n1: cancelled"]);
    user.ends("fleet again", 0, &["is submitted, for n1"]);
    user.ends("fleet status --wait", 0, &["2 of 2 nodes done"]);
    assert_eq!(server.psql(&name, runs).as_deref(), Ok("4"));

    // The nightly job submits a fleet run, and itself for the next night.
    let line = format!(
        "fleet run ./tiny.toml --partition bench --nightly --unfit-too --program {} -- --library native \
         --precision 99% --max-time 600",
        env!("CARGO_BIN_EXE_cpb")
    );
    user.ends(&line, 0, &["at 02:00"]);
    let night = ["-h", "-n", "cpb-nightly-tiny-bench", "-o", "%A"];
    let night = cluster.asks("squeue", &night).expect("it is ours");
    let night = format!("JobId={}", night.trim());
    cluster.asks("scontrol", &["update", &night, "StartTime=now"]).expect("it is ours");
    let before = fleet.file_name().expect("a name").to_os_string();
    let latest = || {
        let listed = std::fs::read_dir(home.path().join("cpb/fleet")).expect("ours").flatten();
        // A folder becomes a fleet run with its file, which is written with the job.
        let submitted = listed.filter(|it| it.path().join("fleet.json").exists());
        submitted.map(|it| it.file_name()).max().expect("two before")
    };
    cluster.until("the night's fleet run", || latest() > before);
    user.ends("fleet status --wait", 0, &["2 of 2 nodes done"]);
    // Slurm ends a task slightly after its node has its figures.
    let queue = || cluster.asks("squeue", &["-h", "-o", "%j %T"]).expect("it is ours");
    cluster.until("the night after alone", || queue().trim() == "cpb-nightly-tiny-bench PENDING");
}
