//! Identifies which figures can be compared between runs.

use crate::from_json;
use cpb_figures::{Unit, headline_figure};
use cpb_model::{Axis, Figure, Fit, Line, Parameters, Point, Record, Setup, Workload};
use serde_json::json;
use std::borrow::Cow;

/// Identifies one history: the same workload, library and backend in every run. Its readings differ
/// only in when, and with which build, they were taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Its number in the store.
    pub number: i64,
    /// What one call does.
    pub workload: Workload,
    /// How calls are made.
    pub setup: Setup,
    /// The lengths of the figure, as text: `1024 to 16384 B`.
    pub lengths: String,
    /// The name of the method.
    pub method: String,
    /// The library's lane, made from its label by [`lane`].
    pub library: String,
    /// The library's own name for the primitive.
    pub spelling: String,
    /// The library's implementation.
    pub backend: String,
    /// The figure's unit, such as `c/B`.
    pub unit: String,
}

/// A build of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Build {
    /// The version that it states.
    pub version: String,
    /// The requested path of its file, if there is one; otherwise empty. For a removed checkout,
    /// relative to its top.
    pub path: String,
    /// The SHA-256 digest of its file; empty if there is none.
    pub digest: String,
    /// The commit of its sources; empty if unknown.
    pub revision: String,
}

/// The prefix of folders into which commits are checked out for a comparison.
pub const CHECKOUTS: &str = "cpb-git-";

/// The digits of the commit in the name of its checkout.
pub const COMMIT_DIGITS: usize = 10;

/// Replaces a path, which does not distinguish series.
const ANY_PATH: &str = "…";

impl Series {
    /// Whether the figure of `record` belongs to it.
    pub fn is_of(&self, record: &Record) -> bool {
        let subject = &record.subject;
        (&self.workload, &self.setup) == record.work()
            && self.method == record.method.name()
            && self.library == lane(&subject.library)
            && self.spelling == subject.spelling
            && self.backend == subject.backend
            && figure(record).is_some_and(|(lengths, unit, _)| {
                (lengths, unit) == (self.lengths.clone(), &self.unit)
            })
    }

    /// Returns the series with all its builds at `path`.
    pub fn at(&self, path: &str) -> Self {
        Self { library: self.library.replacen(ANY_PATH, path, 1), ..self.clone() }
    }

    /// Whether its builds differ only in their paths.
    pub fn has_any_path(&self) -> bool {
        parts(&self.library).path == Some(ANY_PATH)
    }

    /// Whether its builds may include those of `library`, a label or a lane.
    pub fn has(&self, library: &str) -> bool {
        let (own, asked) = (&self.library, lane(library));
        let is_at = |path| *own == asked.replacen(ANY_PATH, path, 1);
        *own == asked || lane(own) == library || path_and_commit(library).0.is_some_and(is_at)
    }

    /// Describes it without primitive and operation: `oneshot, 4 threads, 1024 to 16384 B`.
    pub fn describe(&self) -> String {
        [self.workload.modifiers(), self.setup.modifiers(), vec![self.lengths.clone()]]
            .concat()
            .join(", ")
    }

    /// Describes the work: `aes-128-gcm seal, oneshot, 4 threads`.
    pub fn title(&self) -> String {
        self.setup.title(&self.workload)
    }
}

/// Returns the part of a library's label that is followed through time: for a build named by the
/// user, its name and library, `new:openssl`; for one given by path, or of a checked-out commit,
/// `openssl=…`. The environment is kept.
pub fn lane(label: &str) -> Cow<'_, str> {
    let parts = parts(label);
    match parts.path {
        None => Cow::Borrowed(label),
        Some(_) if parts.is_named() => {
            Cow::Owned(format!("{}{}", parts.library, parts.environment))
        }
        Some(_) => Cow::Owned(format!("{}={ANY_PATH}{}", parts.name(), parts.environment)),
    }
}

/// Returns the path in a library's label, and the commit if it is a checkout.
pub(crate) fn path_and_commit(label: &str) -> (Option<&str>, Option<&str>) {
    let parts = parts(label);
    match parts.checkout() {
        Some((commit, path)) => (Some(path), Some(commit)),
        None => (parts.path, None),
    }
}

/// The parts of `new:openssl=/opt/libcrypto.so;VARIABLE=VALUE`.
struct Parts<'a> {
    /// `new:openssl`
    library: &'a str,
    path: Option<&'a str>,
    /// The environment, with its semicolon.
    environment: &'a str,
}

fn parts(label: &str) -> Parts<'_> {
    let (library, environment) = label.split_at(label.find(';').unwrap_or(label.len()));
    match library.split_once('=') {
        Some((library, path)) => Parts { library, path: Some(path), environment },
        None => Parts { library, path: None, environment },
    }
}

impl<'a> Parts<'a> {
    fn name(&self) -> &'a str {
        self.library.split_once(':').map_or(self.library, |(_, name)| name)
    }

    fn is_named(&self) -> bool {
        self.library.contains(':') && self.checkout().is_none()
    }

    /// Returns the commit of the checkout, and the path from the folder of checkouts.
    fn checkout(&self) -> Option<(&'a str, &'a str)> {
        let (commit, _) = self.library.split_once(':')?;
        let is_commit =
            commit.len() == COMMIT_DIGITS && commit.bytes().all(|it| it.is_ascii_hexdigit());
        let (_, path) = self.path?.rsplit_once(CHECKOUTS)?;
        Some((commit, path.split_once('/')?.1)).filter(|_| is_commit)
    }
}

/// Returns the lengths, the unit and the value of a record's headline figure. `None` for a record
/// without figures.
pub(crate) fn figure(record: &Record) -> Option<(String, &'static str, Figure)> {
    let (unit, figure) = headline_figure(record)?;
    let last = &record.points.last()?.parameters;
    let (of, unit) = match (unit, &record.line) {
        (Unit::PerByte, Some(line)) => (of_line(line, &record.points), Axis::Bytes.unit()),
        (Unit::PerIteration, Some(line)) => {
            (of_line(line, &record.points), Axis::Iterations.unit())
        }
        (Unit::PerByteAt(bytes), _) => (format!("{bytes} B"), Axis::Bytes.unit()),
        _ => (at(last), Axis::Calls.unit()),
    };
    Some((of, unit, figure))
}

/// Returns the key of a setup in a store: its JSON, or nothing for the default.
pub(crate) fn setup_key(setup: &Setup) -> String {
    if setup.is_usual() { String::new() } else { json!(setup).to_string() }
}

/// Returns the setup with this key in a store.
pub(crate) fn setup_of(key: &str) -> Result<Setup, String> {
    match key {
        "" => Ok(Setup::default()),
        json => from_json(json.as_bytes()).map_err(|error| error.to_string()),
    }
}

fn of_line(line: &Line, points: &[Point]) -> String {
    let all: Vec<usize> = points.iter().map(|point| point.parameters.length()).collect();
    let lengths = line.fitted.as_ref().map_or(&all, |fitted| &fitted.lengths);
    let (first, last) = (lengths.first().copied(), lengths.last().copied());
    let unit = if points.iter().any(|point| point.parameters.iterations.is_some()) {
        "iterations"
    } else {
        "B"
    };
    let by = match line.fitted.as_ref().map(|fitted| fitted.fit) {
        Some(Fit::LeastSquares) => ", least squares",
        _ if line.misfit.is_some() => ", the longest two",
        Some(Fit::Robust | Fit::RobustOrLongest) | None => "",
    };
    format!("{} to {} {unit}{by}", first.unwrap_or(0), last.unwrap_or(0))
}

fn at(parameters: &Parameters) -> String {
    match parameters.iterations {
        Some(iterations) => format!("{iterations} iterations"),
        None => format!("{} B", parameters.message_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_a_label_without_what_a_rebuild_changes() {
        for (label, wanted) in [
            ("openssl", "openssl"),
            ("openssl-4", "openssl-4"),
            ("openssl;X=/a=b", "openssl;X=/a=b"),
            ("openssl=/opt/1/libcrypto.so", "openssl=…"),
            ("mine=./a=b.so;X=1", "mine=…;X=1"),
            ("new:openssl=/opt/x.so", "new:openssl"),
            ("new:openssl=/opt/x.so;X=1", "new:openssl;X=1"),
            ("0123456789:mine=/tmp/cpb-git-Ab12/b/build/libmine.so", "mine=…"),
            ("new:mine=/home/cpb-git-x/libmine.so", "new:mine"),
            ("", ""),
        ] {
            assert_eq!(lane(label), wanted, "{label}");
            // A lane may be requested as well.
            assert_eq!(lane(&lane(label)), wanted, "{label}");
        }
    }

    #[test]
    fn a_series_has_the_builds_of_its_lane_or_of_its_path() {
        let series = |library: &str| Series {
            number: 1,
            workload: "sha256/hash".parse().unwrap(),
            setup: Setup::default(),
            lengths: "64 B".to_owned(),
            method: "trials".to_owned(),
            library: library.to_owned(),
            spelling: "SHA256".to_owned(),
            backend: "default".to_owned(),
            unit: "c/B".to_owned(),
        };
        let checkout = "0123456789:mine=/tmp/cpb-git-Ab12/b/libmine.so";
        for (own, library, wanted) in [
            ("mine=…", "mine=/a", true),
            ("mine=/a", "mine=/a", true),
            ("mine=/a", "mine=…", true),
            ("mine=/a", "mine=/b", false),
            ("mine=/a", "mine", false),
            ("mine", "mine", true),
            ("new:mine", "new:mine=/a", true),
            ("mine=b/libmine.so", checkout, true),
            ("mine=a/libmine.so", checkout, false),
        ] {
            assert_eq!(series(own).has(library), wanted, "{own} {library}");
        }
    }

    #[test]
    fn a_checkout_is_of_a_commit_and_its_folder_comes_and_goes() {
        let of = path_and_commit;
        assert_eq!(
            of("0123456789:mine=/tmp/cpb-git-Ab12/b/build/libmine.so"),
            (Some("b/build/libmine.so"), Some("0123456789"))
        );
        assert_eq!(of("new:mine=/opt/libmine.so;X=1"), (Some("/opt/libmine.so"), None));
        assert_eq!(of("mine"), (None, None));
    }
}
