//! Finds passwords that are not part of an address: PGPASSWORD, and libpq's password file.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The default folders of a server's socket, which the file may call `localhost`.
const USUAL_SOCKETS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// Larger than any list of passwords.
const MOST: u64 = 1 << 20;

/// Returns the password for `host`, if there is one: PGPASSWORD, or the first matching line of
/// `$PGPASSFILE` or `~/.pgpass`.
///
/// # Errors
/// If others may read the file, or it cannot be read.
pub(super) fn find(config: &Config, host: &Host, port: u16) -> Result<Option<String>, String> {
    if let Some(password) = std::env::var("PGPASSWORD").ok().filter(|it| !it.is_empty()) {
        return Ok(Some(password));
    }
    let Some(file) = file() else { return Ok(None) };
    let metadata = match std::fs::metadata(&file) {
        Ok(metadata) if metadata.is_file() => metadata,
        _ => return Ok(None),
    };
    let shown = file.display();
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(format!("others may read '{shown}', so it is not used (chmod 600 {shown})"));
    }
    let text = cpb_host::files::read_text(&file, MOST)
        .map_err(|error| format!("'{shown}' cannot be read: {error}"))?;
    let names: Vec<String> = match host {
        Host::Tcp(name) => vec![name.clone()],
        Host::Unix(folder) if USUAL_SOCKETS.iter().any(|usual| folder == Path::new(usual)) => {
            vec![folder.display().to_string(), "localhost".to_owned()]
        }
        Host::Unix(folder) => vec![folder.display().to_string()],
    };
    let database = config.get_dbname().unwrap_or_default();
    let user = config.get_user().unwrap_or_default();
    Ok(text.lines().find_map(|line| password(line, &names, port, database, user)))
}

fn file() -> Option<PathBuf> {
    let named = std::env::var_os("PGPASSFILE").filter(|name| !name.is_empty());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass"));
    named.map(PathBuf::from).or_else(home)
}

/// Returns the password of a line `host:port:database:user:password` if it matches.
fn password(line: &str, hosts: &[String], port: u16, database: &str, user: &str) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = fields(line).into_iter();
    let mut fits = |wanted: &dyn Fn(&str) -> bool| {
        fields.next().is_some_and(|field| field == "*" || wanted(&field))
    };
    let fits_all = fits(&|field| hosts.iter().any(|host| host == field))
        && fits(&|field| field == port.to_string())
        && fits(&|field| field == database)
        && fits(&|field| field == user);
    if fits_all { fields.next() } else { None }
}

/// Splits a line at colons into five fields; a backslash escapes a colon or a backslash.
fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' if fields.len() < 4 => fields.push(std::mem::take(&mut field)),
            '\\' => field.extend(letters.next()),
            letter => field.push(letter),
        }
    }
    fields.push(field);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let find = |line: &str| password(line, &["db".to_owned()], 5432, "bench", "alice");
        for (line, found) in [
            ("db:5432:bench:alice:secret", Some("secret")),
            ("*:*:*:alice:secret", Some("secret")),
            ("*:*:*:*:a:b\\\\c", Some("a:b\\c")),
            ("*:*:*:*:a\\:b", Some("a:b")),
            ("db:5432:bench:bob:secret", None),
            ("db:5433:bench:alice:secret", None),
            ("#*:*:*:*:secret", None),
            ("db:5432", None),
            ("", None),
        ] {
            assert_eq!(find(line).as_deref(), found, "{line}");
        }
        assert_eq!(
            password("a\\:b:1:c\\\\d:e:f", &["a:b".to_owned()], 1, "c\\d", "e").as_deref(),
            Some("f")
        );
    }
}
