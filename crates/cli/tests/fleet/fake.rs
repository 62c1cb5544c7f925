//! Replaces Slurm's programs by scripts that record their calls and give a test's answers. The
//! tests do the work of a node by running the sbatch file themselves.

use crate::program::{Called, Folder, call, command, make_pipe, says};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUITE: &str = "name = \"tiny\"\nabout = \"One row.\"\n[[select]]\nwhat = [\"sha3-256\"]\n\
                     operations = [\"hash\"]\nbackends = [\"portable\"]\nsizes = [64]\n";

const OPTIONS: &str = "-- --library native --precision 99% --max-time 120";

/// A site: its programs, a user's home, and a folder with a suite.
struct Site {
    folder: Folder,
}

impl Site {
    fn new() -> Self {
        let site = Self { folder: Folder::new() };
        for folder in ["bin", "home", "it's $(touch pwned)"] {
            std::fs::create_dir(site.path(folder)).expect("ours");
        }
        for program in ["sinfo", "sbatch", "scontrol", "squeue", "sacct", "scancel"] {
            let script = format!(
                "#!/bin/bash\n{{ printf '%s' {program}; printf ' %q' \"$@\"; echo; }} >>'{0}/calls'\n\
                 env >'{0}/{program}.env'\ncat '{0}/{program}.says' 2>/dev/null\n\
                 [ ! -e '{0}/{program}.fails' ] || {{ cat '{0}/{program}.fails' >&2; exit 1; }}\n",
                site.folder.word("")
            );
            site.program(&format!("bin/{program}"), &script);
        }
        site.says("sinfo", "n1|idle|zen,big|none\nn2|idle|zen|none\nn3|drained|zen|fan\n");
        site.says("sbatch", "7;test\n");
        site.folder.writes("it's $(touch pwned)/my suite.toml", SUITE);
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    fn program(&self, name: &str, script: &str) {
        self.folder.writes(name, script);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path(name), mode).expect("ours");
    }

    fn says(&self, program: &str, text: &str) {
        self.folder.writes(&format!("{program}.says"), text);
    }

    fn fails(&self, program: &str, words: &str) {
        self.folder.writes(&format!("{program}.fails"), words);
    }

    fn command(&self, words: &str) -> Command {
        let mut command = command();
        let path = std::env::var("PATH").expect("there is one");
        command.env("PATH", format!("{}:{path}", self.path("bin").display()));
        command.env("XDG_DATA_HOME", self.path("home")).env("HOME", self.path("home"));
        command.current_dir(self.path("it's $(touch pwned)")).arg("fleet");
        // `%20` stands for a space within a word.
        command.args(words.split_whitespace().map(|word| word.replace("%20", " ")));
        command
    }

    fn cpb(&self, words: &str) -> Called {
        call(&mut self.command(words))
    }

    /// Calls cpb, which must end with `status`, and print each of `words`.
    fn ends(&self, line: &str, status: i32, words: &[&str]) -> Called {
        let called = self.cpb(line).ends(status, &[]);
        says(&called.all(), words);
        called
    }

    /// Submits a fleet run, and returns its folder.
    fn submits(&self, more: &str) -> PathBuf {
        let line = format!("run ./my%20suite.toml --partition bench {more} {OPTIONS}");
        let name = self.ends(&line, 0, &["job 7 is submitted"]).stdout;
        self.path("home/cpb/fleet").join(name.trim())
    }

    /// Returns the calls since the last time, without mere queries.
    fn orders(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        let _ = std::fs::remove_file(self.path("calls"));
        let asks = ["sinfo", "squeue", "sacct"];
        let is_order = |line: &&str| !asks.iter().any(|ask| line.starts_with(ask));
        calls.lines().filter(is_order).map(str::to_owned).collect()
    }

    /// Does Slurm's work for task `index` of job `job` on `node`.
    fn task(&self, fleet: &Path, job: u32, index: usize, node: &str) -> i32 {
        let output = Command::new("bash")
            .arg(fleet.join("job.sh"))
            .env("SLURM_ARRAY_JOB_ID", job.to_string())
            .env("SLURM_ARRAY_TASK_ID", index.to_string())
            .env("SLURMD_NODENAME", node)
            .env("CPB_MACHINE", format!("simulated:{index}"))
            .env("CPB_CROSS_CHECKS", "none")
            .env("CPB_ASSUME_QUIET", "1")
            .env("CPB_CONFIG", "")
            .env("XDG_DATA_HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("home"))
            .current_dir("/")
            .output()
            .expect("bash is there");
        output.status.code().expect("it ends by itself")
    }
}

#[test]
fn an_array_is_submitted_held_and_each_task_bound_to_its_node() {
    let site = Site::new();
    let fleet = site.submits("--unfit-too --constraint zen");
    let script = fleet.join("job.sh");
    let orders = site.orders();
    let script = script.display();
    assert_eq!(
        orders,
        [
            format!("sbatch --parsable --array=0\\,1 {script}"),
            "scontrol update JobId=7_0 ReqNodeList=n1".to_owned(),
            "scontrol update JobId=7_1 ReqNodeList=n2".to_owned(),
            "scontrol release 7".to_owned(),
        ]
    );
    site.says("squeue", "7|0|RUNNING|1795444200|N/A|None\n7|1|PENDING|N/A|N/A|Resources\n");
    site.ends("status", 1, &["n1    runs", "the node is in use", "drained: fan", "0 of 3 nodes"]);
    site.ends("report", 1, &["no node of", "has figures yet"]);
    assert_eq!((site.task(&fleet, 7, 0, "n1"), site.task(&fleet, 7, 1, "n2")), (0, 0));
    assert!(!site.path("it's $(touch pwned)/pwned").exists() && !Path::new("/pwned").exists());
    let told = site.ends("status --format csv", 1, &["n1,done,", "n2,done,", "n3,absent,"]);
    assert!(told.stdout.contains(",1,0,"), "one row, none failed: {}", told.stdout);
    // Nodes leave files, which the first `status` saves.
    site.ends("status", 1, &["run 1", "run 2"]);
    let page = site.folder.word("page.html");
    site.ends(&format!("report --output {page}"), 1, &["n3 has no figures: absent: drained"]);
    says(&site.folder.reads("page.html"), &["sha3-256"]);
    let report = site.ends("report", 1, &["n1", "n2", "apart", "native portable", "n3: absent"]);
    assert!(report.stdout.contains("sha3-256 hash"), "{}", report.stdout);
    // A pipe in place of a node's file neither blocks nor counts as missing.
    for name in ["log", "steps", "doctor.json", "run.json", "stored"] {
        let (file, aside) = (fleet.join("nodes/n1").join(name), site.path("aside"));
        std::fs::rename(&file, &aside).expect("it was left");
        make_pipe(&file);
        // The reader lets a writer proceed, so that the test would continue.
        let pipe = std::fs::File::options().read(true).write(true).open(&file).expect("ours");
        site.ends("status", 1, &["it is a pipe, not a file"]);
        drop(pipe);
        std::fs::rename(&aside, &file).expect("ours");
    }
    let rows = site.ends("report --format csv", 1, &["n3,,,,,,,,,absent: drained: fan"]).stdout;
    assert_eq!(rows.lines().filter(|line| line.contains("native portable")).count(), 2, "{rows}");
    let json: serde_json::Value = site.ends("report --format json", 1, &[]).json();
    assert_eq!(json["nodes"][1]["measured"]["records"][0]["subject"]["primitive"], "sha3-256");
    assert_eq!(json["nodes"][0]["status"]["run"], 1);
    // n3 is available by now, and only its task is repeated.
    site.orders();
    site.says("sinfo", "n1|idle|zen,big|none\nn2|idle|zen|none\nn3|idle|zen|none\n");
    site.says("sbatch", "Welcome to the cluster\n9\n");
    site.ends("again", 0, &["job 9 is submitted, for n3"]);
    let orders = site.orders();
    assert!(orders[0].contains("--array=2 "), "{orders:?}");
    assert_eq!(orders[1..], ["scontrol update JobId=9_2 ReqNodeList=n3", "scontrol release 9"]);
    assert_eq!(site.task(&fleet, 9, 2, "n3"), 0);
    site.ends("status", 0, &["3 of 3 nodes done"]);
    site.ends("again", 0, &["all nodes of", "are done"]);
}

#[test]
fn what_ended_without_a_run_is_a_row_with_its_reason() {
    let site = Site::new();
    let node = site.path("node.sh");
    // cpb finds one node unfit, and is missing on the other.
    site.program(
        "node.sh",
        "#!/bin/bash\nif [ \"$1 $2\" = 'doctor --strict' ]; then\n  echo '{\"findings\": [{\"topic\": \
         \"two processes\", \"status\": \"bad\", \"finding\": \"disagree\"}]}'\n  exit 1\nfi\nexit 9\n",
    );
    let fleet = site.submits(&format!("--program {}", node.display()));
    assert_eq!(site.task(&fleet, 7, 0, "n1"), 1);
    std::fs::remove_file(&node).expect("ours");
    assert_eq!(site.task(&fleet, 7, 1, "n2"), 1);
    // Accounting is off, and the controller no longer knows the job.
    site.fails("sacct", "Slurm accounting storage is disabled");
    site.ends("status", 1, &["unfit", "two processes: disagree", "cannot be run on that node"]);
    for (state, words) in [
        ("TIMEOUT", "Slurm's limit was reached"),
        ("NODE_FAIL", "the node went away"),
        ("OUT_OF_MEMORY", "not enough memory"),
        ("CANCELLED", "ended by scancel"),
    ] {
        site.says("squeue", &format!("7|1|{state}|1795444200|1795444260|None\n"));
        let told = site.ends("status", 1, &[words]);
        assert!(told.stdout.contains("two processes: disagree"), "{}", told.stdout);
    }
    // Accounting still knows it after the controller has forgotten.
    let _ = std::fs::remove_file(site.path("sacct.fails"));
    site.says("squeue", "");
    site.says("sacct", "7_0|FAILED|1|2\n7_1|CANCELLED by 12|1795444200|1795444260\n");
    site.ends("status", 1, &["scancel (by 12)"]);
    let junit = site.ends("status --format junit", 1, &[]).stdout;
    assert_eq!(junit.matches("<failure").count(), 3, "{junit}");
    // Both tasks are repeated, and those without figures as before.
    site.orders();
    site.says("sbatch", "8\n");
    site.ends("again", 0, &["n3 is left out: drained: fan", "job 8 is submitted, for n1, n2"]);
    site.says("squeue", "8|0|PENDING|N/A|N/A|Priority\n8|1|PENDING|N/A|N/A|None\n");
    site.ends("again", 1, &["n3 is left out", "none of these nodes"]);
    site.ends("status", 1, &["other jobs come first", "for Slurm"]);
    // On the wrong node nothing is measured.
    assert_eq!(site.task(&fleet, 8, 0, "n9"), 1);
    site.says("squeue", "");
    site.ends("status", 1, &["began it on another node, n9"]);
    // A run that cannot be read affects only its node.
    std::fs::write(fleet.join("nodes/n2/run.json"), "{\"schema\": 99}").expect("a file");
    site.ends("status", 1, &["began it on another node, n9", "n2    failed", "version 99"]);
}

#[test]
fn what_slurm_refuses_leaves_nothing_behind() {
    let site = Site::new();
    let line = format!("run ./my%20suite.toml --partition bench {OPTIONS}");
    let folder = || std::fs::read_dir(site.path("home/cpb/fleet")).map_or(0, Iterator::count);
    site.fails("sbatch", "sbatch: error: invalid account");
    site.ends(&line, 1, &["sbatch refused: sbatch: error: invalid account"]);
    let _ = std::fs::remove_file(site.path("sbatch.fails"));
    site.orders();
    site.fails("scontrol", "no right");
    site.ends(&line, 1, &["job 7 is cancelled: scontrol refused: no right"]);
    assert_eq!(site.orders().last().map(String::as_str), Some("scancel 7"));
    assert_eq!(folder(), 0);
    site.says("sbatch", "what?\n");
    site.ends(&line, 1, &["sbatch answered 'what?'"]);
}

#[test]
fn no_job_is_told_a_password() {
    let site = Site::new();
    let line = format!("run ./my%20suite.toml --partition bench {OPTIONS}");
    let mut command = site.command(&line);
    command.env("CPB_STORE", "postgres://me@db.example/bench").env("PGPASSWORD", "hush");
    command.env("SBATCH_ACCOUNT", "lab").env("SBATCH_PARTITION", "other");
    let called = call(&mut command).ends(0, &["PGPASSWORD is not passed to the nodes"]);
    let environment = std::fs::read_to_string(site.path("sbatch.env")).expect("noted");
    assert!(!environment.contains("hush") && !environment.contains("CPB_STORE"), "{environment}");
    assert!(environment.contains("SBATCH_ACCOUNT=lab") && !environment.contains("other"));
    let folder = site.path("home/cpb/fleet").join(called.stdout.trim());
    let script = std::fs::read_to_string(folder.join("job.sh")).expect("written");
    assert!(script.contains("import run.json --store postgres://me@db.example/bench"), "{script}");
    assert!(!script.contains("hush"));
}

#[test]
fn a_night_submits_itself_for_the_next() {
    let site = Site::new();
    let line =
        format!("run ./my%20suite.toml --partition bench --nightly=02:30 --nodes 1 {OPTIONS}");
    let name = site.ends(&line, 0, &["job 7 submits it at 02:30", "scancel --name="]).stdout;
    assert_eq!(name.trim(), "cpb-nightly-my-suite-bench");
    let folder = site.path("home/cpb/fleet/nightly/my-suite-bench");
    let orders = site.orders();
    assert_eq!(orders.len(), 1, "{orders:?}");
    assert!(orders[0].contains("--begin=02:30"), "{orders:?}");
    // The user's file may disappear, because the nightly run has its own copy.
    std::fs::remove_file(site.path("it's $(touch pwned)/my suite.toml")).expect("ours");
    let night = |job: &str| {
        let path = format!("{}:/usr/bin:/bin", site.path("bin").display());
        let output = Command::new("bash")
            .arg(folder.join("nightly.sh"))
            .env("PATH", path)
            .env("CPB_CONFIG", "")
            .env("SLURM_JOB_ID", job)
            .output()
            .expect("bash is there");
        let log = || std::fs::read_to_string(folder.join("log")).unwrap_or_default();
        assert!(output.status.success(), "{}", log());
        site.orders()
    };
    let first = night("7");
    assert!(first[0].starts_with("sbatch --begin=2"), "{first:?}");
    assert!(first[0].ends_with("nightly.sh") && first[0].contains("T02:30:00"), "{first:?}");
    assert!(first.iter().any(|order| order.contains("ReqNodeList=n1")), "{first:?}");
    // It was started again after a node failure, and submits nothing twice.
    assert_eq!(night("7"), [""; 0]);
    let next = night("8");
    assert!(next[0].starts_with("sbatch --parsable --array=0 "), "{next:?}");
    site.says("squeue", "7|0|PENDING|N/A|N/A|None\n");
    site.ends("status", 0, &["-my-suite", "waits"]);
    // Waiting jobs are not submitted twice.
    site.folder.writes("it's $(touch pwned)/my suite.toml", SUITE);
    site.says("squeue", "7|N/A|PENDING|N/A|N/A|BeginTime\n");
    site.ends(&line, 2, &["job 7 already does that", "scancel --name=cpb-nightly-my-suite-bench"]);
}
