//! Starts a PostgreSQL server for the tests, in a folder that is removed afterwards, on a Unix
//! socket.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// If this is set, the tests fail without a server.
const WANTED: &str = "CPB_TEST_POSTGRES";

const PORT: u16 = 5432;

/// A server that runs until this is dropped or the process ends, however it ends.
pub struct Server {
    folder: PathBuf,
    programs: PathBuf,
    port: u16,
    keeper: Mutex<Child>,
}

/// Returns the server that the tests of a process share. Prints a line and returns `None` if
/// PostgreSQL is not installed.
pub fn shared() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(|| Server::start("")).as_ref()
}

impl Server {
    /// Starts a server with these lines in its settings.
    pub fn start(settings: &str) -> Option<Self> {
        Self::start_with(PORT, settings, &[])
    }

    /// Starts a server at `port` with these lines in its settings, and these files in its
    /// folder.
    pub fn start_with(port: u16, settings: &str, files: &[PathBuf]) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let Some(programs) = programs() else {
            // eprintln is not used, because its output is not shown if a test passes.
            let words = "\nskipped: PostgreSQL is not installed (Debian: postgresql)\n";
            let _ = std::io::stderr().write_all(words.as_bytes());
            assert!(std::env::var_os(WANTED).is_none(), "{WANTED} is set, and there is no server");
            return None;
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // The path of a socket must be short.
        let folder = std::env::temp_dir().join(format!("cpb-pg-{}-{number}", std::process::id()));
        let script = include_str!("server.sh");
        let keeper = Command::new("bash")
            .args(["-c", script, "server"])
            .args([&folder, &programs])
            .arg(settings)
            .args(files)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("bash is there");
        let server = Self { folder, programs, port, keeper: Mutex::new(keeper) };
        server.wait();
        Some(server)
    }

    /// Waits until it accepts connections.
    pub fn wait(&self) {
        let start = Instant::now();
        // It has a socket once its files are made, which takes longest.
        let socket = self.folder.join(format!(".s.PGSQL.{}", self.port));
        let answers = || self.psql("postgres", "SELECT 1").is_ok_and(|answer| answer == "1");
        while !(socket.exists() && answers()) {
            let ended = self.keeper.lock().expect("no panic").try_wait().expect("it is ours");
            assert!(ended.is_none(), "the server ended: {}", self.log());
            assert!(start.elapsed() < Duration::from_secs(600), "no server: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the address of a new database.
    pub fn database(&self) -> String {
        self.address(&self.name())
    }

    /// Makes a database, and returns its name.
    pub fn name(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("test{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.psql("postgres", &format!("CREATE DATABASE {name}")).expect("it is made");
        name
    }

    pub fn address(&self, database: &str) -> String {
        format!("postgres://cpb@/{database}?host={}", self.folder.display())
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs `statements` as the owner; returns the server's answer, or its error.
    pub fn psql(&self, database: &str, statements: &str) -> Result<String, String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "cpb", "-d", database])
            .arg("-h")
            .arg(&self.folder)
            .args(["-p", &self.port.to_string()])
            .args(["-c", statements])
            .env_remove("PGOPTIONS")
            .output()
            .expect("psql is there");
        let text = |bytes| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Kills all its processes, as a power cut would; the server restarts by itself.
    pub fn kill(&self) {
        let file = self.folder.join("data/postmaster.pid");
        let Ok(file) = std::fs::read_to_string(file) else { return };
        let Some(leader) = file.lines().next().map(str::trim) else { return };
        let children = format!("/proc/{leader}/task/{leader}/children");
        let children = std::fs::read_to_string(children).unwrap_or_default();
        let all = [leader].into_iter().chain(children.split_whitespace());
        let _ = Command::new("kill").arg("-9").args(all).stderr(Stdio::null()).status();
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let keeper = self.keeper.get_mut().expect("no panic");
        drop(keeper.stdin.take());
        let _ = keeper.wait();
    }
}

/// Returns the folder of PostgreSQL's programs: the newest version of Debian's, or that in the
/// path.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|it| Some((it.file_name().to_str()?.parse().ok()?, it.path().join("bin"))))
        .collect();
    versions.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let newest = versions.pop().map(|(_, folder)| folder);
    newest.into_iter().chain(std::env::split_paths(&path)).find(|folder| {
        ["initdb", "postgres", "psql"].iter().all(|name| folder.join(name).is_file())
    })
}
