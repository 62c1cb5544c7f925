//! Tests the examples in the help; what else it says is in transcripts.

use crate::golden::{shell, shells_folder};
use crate::program::Called;

/// Commands that take long, need Slurm, or run until they are stopped.
const NOT_RUN: [&str; 3] = ["scale", "fleet", "serve"];

#[test]
fn help_begins_with_examples_that_run_as_they_stand() {
    let folder = shells_folder();
    let run = |line: &str| shell(line, &folder, 0);
    let help = run("cpb -h").stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.is_empty())
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.get(15..)?.split_whitespace().next())
        .filter(|word| word.chars().all(|it| it.is_ascii_lowercase()))
        .collect();
    assert!(commands.contains(&"run") && commands.contains(&"doctor"), "{commands:?}");
    // The code above finds only the first command of a line that lists several.
    let others = ["export", "import", "machines", "delete", "completions", "man", "primitive"];
    let others = others.into_iter().chain(["bench", "recursive", "chain", "links"]);
    for command in commands.into_iter().filter(|it| !NOT_RUN.contains(it)).chain(others) {
        // These words mean something else in other commands.
        if ["gate", "delete"].contains(&command) {
            run("cpb run sha256 --library native --backend portable --sizes 64,1024").ends(0, &[]);
        }
        let help = run(&format!("cpb {command} -h")).stdout;
        let mut lines = help.lines().skip(1).skip_while(|line| line.is_empty());
        assert_eq!(lines.next(), Some("Examples:"), "{help}");
        let mut examples = lines.take_while(|line| !line.is_empty()).peekable();
        assert!(examples.peek().is_some(), "{help}");
        for example in examples {
            let example = example.trim();
            assert!(example.starts_with(&format!("cpb {command}")), "{example}");
            let Called { status, stderr, .. } = run(example);
            let is_fine = match status {
                0 => true,
                1 => command == "doctor" || stderr.contains("not installed"),
                3 => command == "gate" || example.contains("--fail-if"),
                _ => false,
            };
            assert!(is_fine, "{example} ended with {status}: {stderr}");
        }
    }
}
