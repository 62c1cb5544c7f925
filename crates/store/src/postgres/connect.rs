//! Connects to a server.

use super::bounded::Bounded;
use super::waiting::limited;
use super::{fault, passwords, tls};
use crate::address::{Trust, error_chain, port};
use crate::{Address, Limit, StoreError, StoreLocation};
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, NoTls};

/// The request for TLS (PostgreSQL's protocol, 55.2.11).
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// The silence after which a peer is asked whether it is still there.
const SILENCE: Duration = Duration::from_secs(30);

/// Connects to the first host of `address` that accepts us, within `limit`.
pub(super) fn connect(
    address: &Arc<Address>,
    limit: Option<&Limit>,
) -> Result<(Runtime, Connected), StoreError> {
    let failed = |reason| StoreError::Io { place: StoreLocation::Server(address.clone()), reason };
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(error.to_string()))?;
    let failure = match runtime.block_on(limited(limit, try_all(address))) {
        Ok(Ok(entered)) => return Ok((runtime, entered)),
        Ok(Err(failure)) => failure.into_error(address),
        Err(reason) => failed(reason),
    };
    // A name resolution may still be waiting for its answer.
    runtime.shutdown_background();
    Err(failure)
}

/// A connection that was accepted.
pub(super) struct Connected {
    pub(super) client: Client,
    /// Why the connection ended; empty while it is open.
    pub(super) end: Arc<OnceLock<String>>,
}

/// The reason why a host did not accept us.
enum Failure {
    /// It was not reached.
    Unreached {
        host: String,
        reason: String,
    },
    Silent {
        host: String,
        patience: Duration,
    },
    /// It has no TLS, or cannot prove what it must.
    Tls {
        host: String,
        reason: String,
        remedy: String,
    },
    Refused(tokio_postgres::Error),
    Password(String),
}

impl Failure {
    fn unreached(host: String, error: &io::Error) -> Self {
        let words = error.to_string();
        // The error's number gives users no more information.
        let words = words.split(" (os error").next().unwrap_or_default();
        Failure::Unreached { host, reason: words.to_owned() }
    }

    fn into_error(self, address: &Arc<Address>) -> StoreError {
        let place = StoreLocation::Server(address.clone());
        let (reason, remedy) = match self {
            Failure::Unreached { host, reason } => (
                format!("no server answers at {host} ({reason})"),
                "start it, or correct host and port".to_owned(),
            ),
            Failure::Silent { host, patience } => (
                format!("{host} has not answered for {} s", patience.as_secs_f64()),
                "see that it runs, and that host, port and firewall are right".to_owned(),
            ),
            Failure::Tls { host, reason, remedy } => (format!("{host}: {reason}"), remedy),
            Failure::Password(reason) => (
                reason,
                "let ~/.pgpass have a line HOST:PORT:DATABASE:USER:PASSWORD, or set PGPASSWORD"
                    .to_owned(),
            ),
            Failure::Refused(error) => return fault::of_connecting(address, &error),
        };
        StoreError::Unreachable { place, reason, remedy }
    }
}

async fn try_all(address: &Address) -> Result<Connected, Failure> {
    let hosts = address.config.get_hosts();
    let mut first = None;
    for (index, host) in hosts.iter().enumerate() {
        let port = port(address.config.get_ports(), index);
        let limited = tokio::time::timeout(address.patience, enter(address, host, port)).await;
        let failure = match limited {
            Ok(Ok(entered)) => return Ok(entered),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::Silent { host: name(host, port), patience: address.patience },
        };
        first.get_or_insert(failure);
    }
    let none = || Failure::Unreached { host: "nowhere".into(), reason: "no host is named".into() };
    Err(first.unwrap_or_else(none))
}

fn name(host: &Host, port: u16) -> String {
    match host {
        Host::Tcp(name) => format!("{name}:{port}"),
        Host::Unix(folder) => socket(folder, port).display().to_string(),
    }
}

fn socket(folder: &Path, port: u16) -> std::path::PathBuf {
    folder.join(format!(".s.PGSQL.{port}"))
}

async fn enter(address: &Address, host: &Host, port: u16) -> Result<Connected, Failure> {
    let unreached = |error: io::Error| Failure::unreached(name(host, port), &error);
    let mut config = address.config.clone();
    if config.get_password().is_none()
        && let Some(password) = passwords::find(&config, host, port).map_err(Failure::Password)?
    {
        config.password(password);
    }
    match host {
        Host::Unix(folder) => {
            let stream = UnixStream::connect(socket(folder, port)).await.map_err(unreached)?;
            begin(config, stream).await
        }
        Host::Tcp(name) => {
            let stream = TcpStream::connect((name.as_str(), port)).await.map_err(unreached)?;
            keep_alive(&stream).map_err(unreached)?;
            match &address.trust {
                Trust::NoTls => begin(config, stream).await,
                trust => begin(config, secured(stream, name, port, trust).await?).await,
            }
        }
    }
}

/// Detects a vanished peer within a minute.
fn keep_alive(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let keepalive =
        socket2::TcpKeepalive::new().with_time(SILENCE).with_interval(SILENCE / 3).with_retries(3);
    let socket = socket2::SockRef::from(stream);
    socket.set_tcp_keepalive(&keepalive)?;
    socket.set_tcp_user_timeout(Some(SILENCE * 2))
}

async fn secured(
    mut stream: TcpStream,
    host: &str,
    port: u16,
    trust: &Trust,
) -> Result<impl AsyncRead + AsyncWrite + Unpin + Send + 'static, Failure> {
    let refused = |reason: String, remedy: &str| Failure::Tls {
        host: format!("{host}:{port}"),
        reason,
        remedy: remedy.to_owned(),
    };
    let mut answer = [0];
    let asked = async {
        stream.write_all(&TLS_REQUEST).await?;
        stream.read_exact(&mut answer).await
    };
    let unreached = |error: io::Error| Failure::unreached(format!("{host}:{port}"), &error);
    asked.await.map_err(unreached)?;
    match answer {
        [b'S'] => tls::connect(stream, host, trust).await.map_err(|reason| {
            refused(
                format!("TLS failed: {reason}"),
                "correct sslmode, sslrootcert or the server's certificate",
            )
        }),
        [b'N'] => Err(refused(
            "the server has no TLS, and without it anybody on the way can read and change what \
             is sent"
                .to_owned(),
            "let the server have it (ssl = on), or say sslmode=disable where nobody listens",
        )),
        _ => Err(refused("no PostgreSQL answers there".to_owned(), "correct host and port")),
    }
}

/// Starts a session over `stream`, and leaves the connection to the runtime.
async fn begin(
    config: Config,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<Connected, Failure> {
    let has_password = config.get_password().is_some();
    let entered = config.connect_raw(Bounded::new(stream), NoTls).await;
    let (client, connection) = entered.map_err(|error| {
        let is_password_wanted = !has_password && error_chain(&error).contains("password missing");
        if is_password_wanted {
            Failure::Password("the server wants a password, and there is none".to_owned())
        } else {
            Failure::Refused(error)
        }
    })?;
    let end = Arc::new(OnceLock::new());
    let told = end.clone();
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            let _ = told.set(error_chain(&error));
        }
    });
    Ok(Connected { client, end })
}
