//! Parses the address of a PostgreSQL server, in libpq's syntax.

use crate::LocationError;
use crate::redaction::without_passwords;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The time limit to connect.
const PATIENCE: Duration = Duration::from_secs(10);

/// The port of PostgreSQL.
const PORT: u16 = 5432;

/// The default folders of a server's socket.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// A database of a PostgreSQL server, and how to reach it.
#[derive(Debug, Clone)]
pub struct Address {
    /// The text that the user wrote, without the password.
    shown: String,
    pub(crate) config: Config,
    pub(crate) trust: Trust,
    pub(crate) patience: Duration,
}

/// States what TLS must prove about the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Nothing is encrypted (`sslmode=disable`).
    NoTls,
    /// Nothing, unless the user has a root certificate (`require`, the default).
    Encrypted,
    /// An authority vouches for it (`verify-ca`).
    Authority(Roots),
    /// An authority vouches for it, and its name is right (`verify-full`).
    Name(Roots),
}

/// The trusted authorities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Roots {
    File(PathBuf),
    /// Those of this system (`sslrootcert=system`).
    System,
}

impl Address {
    /// Parses an address, completed as in libpq from PGHOST, PGPORT, PGUSER, PGDATABASE, PGSSLMODE
    /// and PGSSLROOTCERT.
    ///
    /// # Errors
    /// [`LocationError::NoAddress`], with what is wrong.
    pub fn parse(text: &str) -> Result<Self, LocationError> {
        let shown = without_passwords(text).into_owned();
        let wrong = |reason: String| LocationError::NoAddress { address: shown.clone(), reason };
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (plain, own) = split(text).map_err(wrong)?;
        let of = |key: &str| own.iter().find(|(name, _)| *name == key).map(|(_, it)| it.clone());
        let mut config: Config = plain.parse().map_err(|error: tokio_postgres::Error| {
            wrong(without_passwords(&error_chain(&error)).into_owned())
        })?;
        let mode = of("sslmode").or_else(|| variable("PGSSLMODE"));
        let roots = of("sslrootcert").or_else(|| variable("PGSSLROOTCERT"));
        let trust = trust(mode.as_deref(), roots).map_err(wrong)?;
        // TLS is implemented here, so the crate must neither request it nor do without.
        config.ssl_mode(SslMode::Disable);
        if config.get_hosts().is_empty() {
            let sockets = || SOCKETS.iter().find(|folder| std::path::Path::new(folder).is_dir());
            let host = variable("PGHOST");
            config.host(host.unwrap_or_else(|| sockets().unwrap_or(&SOCKETS[1]).to_string()));
        }
        if config.get_ports().is_empty() {
            config.port(variable("PGPORT").and_then(|port| port.parse().ok()).unwrap_or(PORT));
        }
        if config.get_user().is_none()
            && let Some(user) = variable("PGUSER").or_else(own_name)
        {
            config.user(user);
        }
        let user = config.get_user().map(str::to_owned);
        let user = user.ok_or_else(|| wrong("it names no user, nor does PGUSER".to_owned()))?;
        if config.get_dbname().is_none() {
            config.dbname(variable("PGDATABASE").unwrap_or(user));
        }
        if config.get_application_name().is_none() {
            config.application_name("cpb");
        }
        let patience = config.get_connect_timeout().copied().unwrap_or(PATIENCE);
        Ok(Self { shown, config, trust, patience })
    }

    /// Whether it contains a password.
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Returns how long to wait for its servers in total.
    pub(crate) fn patience(&self) -> Duration {
        self.patience * self.config.get_hosts().len() as u32
    }

    /// Identifies the database: equal for all addresses of it that differ only in user, password or
    /// options.
    pub(crate) fn destination(&self) -> String {
        let hosts: Vec<String> =
            self.hosts().map(|(host, port)| format!("{host}:{port}")).collect();
        format!("postgres://{}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }

    /// Iterates over the hosts with their ports.
    fn hosts(&self) -> impl Iterator<Item = (String, u16)> {
        let ports = self.config.get_ports();
        self.config.get_hosts().iter().enumerate().map(move |(index, host)| {
            let host = match host {
                Host::Tcp(name) => name.clone(),
                Host::Unix(folder) => folder.display().to_string(),
            };
            (host, port(ports, index))
        })
    }
}

impl PartialEq for Address {
    fn eq(&self, other: &Self) -> bool {
        self.destination() == other.destination()
    }
}

impl Eq for Address {}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Returns the name of the current user.
fn own_name() -> Option<String> {
    let own = std::fs::metadata("/proc/self").ok()?.uid().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let of = |line: &str| {
        let mut fields = line.split(':');
        let (name, _, user) = (fields.next()?, fields.next()?, fields.next()?);
        (user == own).then(|| name.to_owned())
    };
    users.lines().find_map(of).or_else(|| std::env::var("USER").ok())
}

/// Returns the port of the host at `index`; a single port applies to all.
pub(crate) fn port(ports: &[u16], index: usize) -> u16 {
    ports.get(index).or_else(|| ports.first()).copied().unwrap_or(PORT)
}

/// Formats `error` with its causes.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| cause.source()) {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
    }
    text
}

/// A parameter's name and value.
type Parameter<'a> = (&'a str, String);

/// Splits off the parameters that the crate does not know, and returns the rest of the address.
fn split(text: &str) -> Result<(String, Vec<Parameter<'_>>), String> {
    const OURS: [&str; 2] = ["sslmode", "sslrootcert"];
    /// These are unsupported here too, and rejected instead of ignored.
    const UNKNOWN: &str = "sslcert sslkey sslpassword sslnegotiation service passfile hostaddr \
                           target_session_attrs load_balance_hosts tcp_user_timeout \
                           keepalives_idle keepalives_interval keepalives_retries";
    let (scheme, rest) = text.split_once("://").ok_or("it has no '://'")?;
    let scheme = scheme.to_ascii_lowercase();
    let (start, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut own = Vec::new();
    let mut others = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if UNKNOWN.split(' ').any(|unknown| unknown == name) {
            return Err(format!("cpb does not know {name}"));
        }
        if OURS.contains(&name) {
            own.push((name, decoded(value)?));
        } else {
            others.push(parameter);
        }
    }
    let query = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    Ok((format!("{scheme}://{start}{query}"), own))
}

/// Decodes percent encoding.
fn decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || {
            let digit = rest.next().and_then(|byte| char::from(byte).to_digit(16));
            digit.ok_or("a '%' is not followed by two digits")
        };
        bytes.push(match byte {
            b'%' => (digit()? << 4 | digit()?) as u8,
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| "a parameter is not UTF-8".to_owned())
}

fn trust(mode: Option<&str>, roots: Option<String>) -> Result<Trust, String> {
    let home =
        || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".postgresql/root.crt"));
    let named = roots.map(|roots| match roots.as_str() {
        "system" => Roots::System,
        file => Roots::File(file.into()),
    });
    let usual = || home().filter(|file| file.exists()).map(Roots::File);
    let is_system = named == Some(Roots::System);
    let roots = || {
        named.clone().or_else(usual).ok_or_else(|| {
            "to verify the server, certificates are needed: name a file with sslrootcert=FILE, \
             put one at ~/.postgresql/root.crt, or take those of this system with \
             sslrootcert=system"
                .to_owned()
        })
    };
    match mode {
        Some("disable") => Ok(Trust::NoTls),
        Some("verify-ca") if !is_system => roots().map(Trust::Authority),
        Some("verify-full") => roots().map(Trust::Name),
        // Anybody can have a certificate that the system trusts, for another name.
        Some("verify-ca" | "require") | None if is_system => roots().map(Trust::Name),
        // As in libpq, an existing root certificate is used.
        Some("require") | None => Ok(roots().map_or(Trust::Encrypted, Trust::Authority)),
        Some(silent @ ("allow" | "prefer")) => Err(format!(
            "sslmode={silent} would go on without TLS in silence; say sslmode=require, or \
             sslmode=disable where nobody listens"
        )),
        Some(other) => {
            Err(format!("sslmode is disable, require, verify-ca or verify-full, not '{other}'"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    fn refused(text: &str) -> String {
        Address::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn an_address_is_read_as_libpq_does() {
        let all = address("postgres://al%40ice:se%3Acret@db.example:5433/bench?sslmode=disable");
        assert_eq!(all.config.get_user(), Some("al@ice"));
        assert_eq!(all.config.get_password(), Some(&b"se:cret"[..]));
        assert_eq!(all.destination(), "postgres://db.example:5433/bench");
        assert_eq!(all.trust, Trust::NoTls);
        assert_eq!(all.patience, Duration::from_secs(10));
        let socket = address("postgresql://alice@/?host=/run/x&connect_timeout=3");
        assert_eq!(socket.destination(), "postgres:///run/x:5432/alice");
        assert_eq!(socket.patience, Duration::from_secs(3));
        assert_eq!(socket, address("postgres://bob@/alice?host=%2Frun%2Fx&sslmode=require"));
    }

    #[test]
    fn tls_is_never_given_up_in_silence() {
        let trust = |query: &str| address(&format!("postgres://a@b/c?{query}")).trust;
        let file = Roots::File("/x.crt".into());
        assert_eq!(trust("sslmode=verify-full&sslrootcert=/x.crt"), Trust::Name(file.clone()));
        assert_eq!(trust("sslmode=verify-ca&sslrootcert=%2Fx.crt"), Trust::Authority(file.clone()));
        assert_eq!(trust("sslmode=require&sslrootcert=/x.crt"), Trust::Authority(file.clone()));
        assert_eq!(trust("sslrootcert=/x.crt"), Trust::Authority(file));
        assert_eq!(trust("sslrootcert=system"), Trust::Name(Roots::System));
        for mode in ["allow", "prefer"] {
            let error = refused(&format!("postgres://a@b/c?sslmode={mode}"));
            assert!(error.contains("in silence") && error.contains("sslmode=require"), "{error}");
        }
        let error = refused("postgres://a@b/c?sslmode=verify");
        assert!(error.contains("verify-full, not 'verify'"), "{error}");
        let error = refused("postgres://a@b/c?sslcert=x");
        assert!(error.contains("does not know sslcert"), "{error}");
    }

    #[test]
    fn no_password_is_shown() {
        for text in [
            "postgres://a:secret@b/c?sslmode=x",
            "postgres://a:secret@b:x/c",
            "postgres://a:sec/secret@b/c?sslmode=x",
            "postgres://a@b/c?password=secret&sslmode=x",
            "postgres://a:secret@b/c?connect_timeout=x",
            "postgres://a:%zzsecret@b/c?sslmode=%zz",
            "postgres://a:secret@b/c?options",
        ] {
            assert!(!refused(text).contains("secret"), "{}", refused(text));
        }
        let shown = address("postgres://a:secret@b/c?sslmode=disable&password=secret").to_string();
        assert_eq!(shown, "postgres://a:…@b/c?sslmode=disable&password=…");
    }
}
