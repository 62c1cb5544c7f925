//! Writes the sbatch files.

use crate::Fleet;
use std::borrow::Cow;
use std::path::Path;

/// The prefix of the names of nightly jobs, followed by the suite's name.
pub const NIGHTLY: &str = "cpb-nightly-";

/// Quotes `text` as one word for a shell.
pub fn quoted(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+%@".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

/// Whether `text` is a time in one of Slurm's notations: `90`, `90:00`, `1:30:00`, `2-12`,
/// `2-12:00`, `2-12:00:00`.
pub fn is_time_limit(text: &str) -> bool {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days), rest),
        None => (None, text),
    };
    let is_number =
        |it: &str| (1..=6).contains(&it.len()) && it.bytes().all(|b| b.is_ascii_digit());
    days.is_none_or(is_number) && rest.split(':').count() <= 3 && rest.split(':').all(is_number)
}

/// Returns the sbatch file of `fleet` in `folder`: one task per node, bound to it before the array
/// is released. A task restarted after a node failure measures again; one that has already measured
/// only stores.
pub fn script(fleet: &Fleet, folder: &str) -> String {
    let Fleet { name, partition, program, store, options, .. } = fleet;
    let mut text = format!(
        "#!/bin/bash
# The fleet run {name} of cpb: task N of the array is for the Nth of `nodes`, and bound to it.
#SBATCH --job-name={}
#SBATCH --partition={partition}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --requeue
#SBATCH --hold
#SBATCH --chdir=/
#SBATCH --output=/dev/null
",
        fleet.job_name()
    );
    let optional = [("constraint", &fleet.constraint), ("time", &fleet.time)];
    for (option, value) in optional {
        if let Some(value) = value {
            text.push_str(&format!("#SBATCH --{option}={value}\n"));
        }
    }
    let nodes: Vec<Cow<'_, str>> = fleet.nodes.iter().map(|node| quoted(&node.name)).collect();
    let suite = match fleet.has_own_suite {
        true => format!("{folder}/suite.toml"),
        false => fleet.suite.clone(),
    };
    let options: String = options.iter().map(|word| format!(" {}", quoted(word))).collect();
    let or_unfit =
        if fleet.unfit_too { "    # It was submitted with --unfit-too.\n" } else { REFUSE };
    text.push_str(&format!(
        "
set -u
cpb={}
folder={}
nodes=({})
node=${{nodes[$SLURM_ARRAY_TASK_ID]}}
cd \"$folder/nodes/$node\" || exit 1
exec >>log 2>&1

step() {{ printf '%s %s %s\\n' \"$(date +%s)\" \"$SLURM_ARRAY_JOB_ID\" \"$*\" >>steps; }}
trap 'step signal TERM' TERM

if [ \"$SLURMD_NODENAME\" != \"$node\" ]; then
  step astray \"$SLURMD_NODENAME\"
  exit 1
fi

if [ ! -e run.json ]; then
  step doctor
  \"$cpb\" doctor --strict --format json >doctor.json
  status=$?
  if [ $status = 1 ]; then
{or_unfit}    :
  elif [ $status != 0 ]; then
    step failed doctor $status
    exit 1
  fi

  step run
  \"$cpb\" run --suite {} --raw --no-save --format json --output measured.json{options}
  status=$?
  # 1: some row could not be measured, and says why.
  if [ $status -gt 1 ] || [ ! -e measured.json ]; then
    step failed run $status
    rm -f measured.json
    exit 1
  fi
  mv measured.json run.json
fi
step measured
",
        quoted(program),
        quoted(folder),
        nodes.join(" "),
        quoted(&suite),
    ));
    if fleet.nodes_store {
        text.push_str(&format!(
            "
step store
# What cannot be sent from here, the next `cpb fleet status` sends.
\"$cpb\" import run.json --store {} >sent && mv sent stored
",
            quoted(store)
        ));
    }
    text.push_str("step done\nexit 0\n");
    text
}

const REFUSE: &str = "    step unfit\n    exit 1\n";

/// A nightly fleet run.
#[derive(Debug, Clone)]
pub struct Nightly<'a> {
    /// The label made from the suite's name.
    pub suite: &'a str,
    /// The partition whose node submits.
    pub partition: &'a str,
    /// The time as `HH:MM`, in the cluster's time zone.
    pub at: &'a str,
    /// The path of cpb.
    pub program: &'a str,
    /// The arguments of `cpb fleet run`.
    pub words: &'a [String],
    /// The folder of the file and its output.
    pub folder: &'a Path,
}

/// Returns the sbatch file that submits first itself for the next night, and then the fleet run. A
/// job restarted after a node failure repeats neither.
pub fn nightly_script(nightly: &Nightly<'_>) -> String {
    let Nightly { suite, partition, at, program, words, folder } = nightly;
    let words: String = words.iter().map(|word| format!(" {}", quoted(word))).collect();
    let folder = folder.display().to_string();
    format!(
        "#!/bin/bash
# Submits a fleet run of cpb every night at {at}, until: scancel --name={NIGHTLY}{suite}
#SBATCH --job-name={NIGHTLY}{suite}
#SBATCH --partition={partition}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --time=10
#SBATCH --requeue
#SBATCH --chdir=/
#SBATCH --output=/dev/null

set -u
cd {} || exit 1
exec >>log 2>&1
date

begin=$(date -d '{at}' +%Y-%m-%dT%H:%M:%S)
[ \"$(date +%s)\" -lt \"$(date -d \"$begin\" +%s)\" ] || begin=$(date -d 'tomorrow {at}' +%Y-%m-%dT%H:%M:%S)
if (set -C && : >\"next-$begin\") 2>/dev/null; then
  sbatch --begin=\"$begin\" nightly.sh || rm -f \"next-$begin\"
fi
[ -e \"submitted-$SLURM_JOB_ID\" ] || {{ {} fleet run{words} && : >\"submitted-$SLURM_JOB_ID\"; }}
status=$?
find . -name 'next-*' -mtime +7 -delete
find . -name 'submitted-*' -mtime +7 -delete
exit $status
",
        quoted(&folder),
        quoted(program),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::tests::fleet;
    use std::process::Command;

    #[test]
    fn words_reach_a_program_as_they_are() {
        for text in ["", "plain-1.0", "a b", "it's", "$(id) `id` \"$HOME\" \\ \n *?[a] #~!;&|"] {
            let line = format!("printf %s {}", quoted(text));
            let output = Command::new("bash").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }

    #[test]
    fn times_are_those_of_slurm() {
        for right in ["90", "90:00", "1:30:00", "2-12", "2-12:00", "2-12:00:00"] {
            assert!(is_time_limit(right), "{right}");
        }
        for wrong in ["", "1h", "1:2:3:4", "-1", "1-", ":", "1:", "1 2", "9999999", "1\n2"] {
            assert!(!is_time_limit(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_users_say_is_quoted_and_the_shell_understands_the_file() {
        let fleet = Fleet {
            has_own_suite: true,
            suite: "my suite.toml".to_owned(),
            options: vec!["--max-time".to_owned(), "5 $(x)".to_owned()],
            store: "postgres://me@db/x?y='".to_owned(),
            nodes_store: true,
            time: Some("30".to_owned()),
            constraint: Some("a&b".to_owned()),
            ..fleet(&["n1", "n2"])
        };
        let text = script(&fleet, "/home/it's me/fleet");
        for line in [
            "#SBATCH --job-name=cpb-20261123-143000-tls",
            "#SBATCH --constraint=a&b",
            "#SBATCH --time=30",
            r"folder='/home/it'\''s me/fleet'",
            "nodes=(n1 n2)",
            r"--suite '/home/it'\''s me/fleet/suite.toml'",
            "--max-time '5 $(x)'",
            r"--store 'postgres://me@db/x?y='\'''",
            "step unfit",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let nightly = Nightly {
            suite: "tls",
            partition: "bench",
            at: "02:30",
            program: "/a b/cpb",
            words: &["tls".to_owned(), "--".to_owned(), "it's".to_owned()],
            folder: Path::new("/x y"),
        };
        for text in
            [text, script(&Fleet { unfit_too: true, ..fleet }, "/f"), nightly_script(&nightly)]
        {
            let checked = Command::new("bash").args(["-n", "-c", &text]).output().unwrap();
            assert!(
                checked.status.success(),
                "{}\n{text}",
                String::from_utf8_lossy(&checked.stderr)
            );
        }
    }
}
