//! Accepts connections.

use crate::answers::{Hosts, routes};
use crate::site::Site;
use futures_util::future::select;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The most open connections; a new one then replaces another.
const CONNECTIONS: usize = 256;
/// The time limit of a connection for its request, from its start or its last response.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time to finish running responses at the end.
const LAST_ANSWERS: Duration = Duration::from_secs(3);
/// The interval of checking whether to end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// The pause if the system grants no more files for connections.
const PAUSE: Duration = Duration::from_millis(200);

/// The reason why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is invalid, or not of this machine.
    #[error(
        "cannot listen at '{address}': {reason}; an address is HOST:PORT, such as 127.0.0.1:8377 \
         or [::1]:8377"
    )]
    NoAddress { address: String, reason: String },
    /// Another program listens there; `other` is a port to try.
    #[error(
        "port {port} of {host} is taken by another program; choose one with --listen {host}:{other}, or --listen {host}:0 for any that is free"
    )]
    Taken { host: String, port: u16, other: u16 },
    /// The user lacks the permission.
    #[error("port {port} is for root alone; choose one from 1024 on")]
    Privileged { port: u16 },
    /// Any other failure.
    #[error("cannot serve: {0}")]
    Io(#[from] io::Error),
}

/// A listening server.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    hosts: Vec<String>,
}

impl Server {
    /// Listens at `address`, `HOST:PORT`. If only this machine can reach that, it answers requests
    /// to its address, to `localhost`, or to one of `hosts`.
    ///
    /// # Errors
    /// If it cannot.
    pub fn listen(address: &str, hosts: Vec<String>) -> Result<Self, ServeError> {
        let wrong = |reason: io::Error| {
            let reason = reason.to_string();
            ServeError::NoAddress { address: address.to_owned(), reason }
        };
        let mut last = None;
        for candidate in address.to_socket_addrs().map_err(wrong)? {
            match TcpListener::bind(candidate) {
                Ok(listener) => {
                    listener.set_nonblocking(true)?;
                    let address = listener.local_addr()?;
                    return Ok(Self { listener, address, hosts });
                }
                Err(error) => last = Some((candidate, error)),
            }
        }
        Err(match last {
            Some((at, error)) => refused(address, at, error),
            None => wrong(io::Error::other("there is no host of that name")),
        })
    }

    /// Returns the address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether only programs on this machine can reach it.
    pub fn is_of_this_machine(&self) -> bool {
        self.address.ip().is_loopback()
    }

    /// Serves `site` until `stop` is set, and then finishes running responses.
    ///
    /// # Errors
    /// If the system grants no threads or no sockets.
    pub fn run(self, site: &Arc<Site>, stop: &AtomicBool) -> Result<(), ServeError> {
        let hosts = Hosts::of(&self.hosts, self.is_of_this_machine());
        let service = TowerToHyperService::new(routes(site, hosts));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = self.listener;
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let mut connections = Connections::default();
            let open = GracefulShutdown::new();
            let stopped = async {
                while !stop.load(Ordering::Relaxed) {
                    sleep(BETWEEN_LOOKS).await;
                }
            };
            let taking = async {
                loop {
                    let accepted = listener.accept().await;
                    connections.make_room(accepted.is_err());
                    let Ok((stream, _)) = accepted else {
                        sleep(PAUSE).await;
                        continue;
                    };
                    let is_asked = Arc::new(AtomicBool::new(false));
                    let (service, asks) = (service.clone(), Arc::clone(&is_asked));
                    let answer = service_fn(move |request| {
                        asks.store(true, Ordering::Relaxed);
                        let (answer, asks) = (service.call(request), Arc::clone(&asks));
                        async move {
                            let answer = answer.await;
                            asks.store(false, Ordering::Relaxed);
                            answer
                        }
                    });
                    let connection = http1::Builder::new()
                        .timer(TokioTimer::new())
                        .header_read_timeout(PATIENCE)
                        .serve_connection(TokioIo::new(stream), answer);
                    let connection = open.watch(connection);
                    // A reader who disconnects is no error.
                    let task = tokio::spawn(async move { drop(connection.await) });
                    connections.0.push_back((task, is_asked));
                }
            };
            select(pin!(stopped), pin!(taking)).await;
            let _ = timeout(LAST_ANSWERS, open.shutdown()).await;
            Ok::<(), ServeError>(())
        })?;
        // A page that takes longer than its reader waits is not waited for either.
        runtime.shutdown_background();
        Ok(())
    }
}

/// The open connections, oldest first, with whether a response is being made.
#[derive(Default)]
struct Connections(VecDeque<(JoinHandle<()>, Arc<AtomicBool>)>);

impl Connections {
    /// Closes a connection if there are too many, or the system grants no more. Otherwise silent or
    /// slow clients would block others until their time limit; the oldest idle one has had the most
    /// time. Busy ones are closed only if all are busy.
    fn make_room(&mut self, is_refused: bool) {
        self.0.retain(|(task, _)| !task.is_finished());
        if is_refused || self.0.len() >= CONNECTIONS {
            let silent = self.0.iter().position(|(_, is_asked)| !is_asked.load(Ordering::Relaxed));
            if let Some((task, _)) = self.0.remove(silent.unwrap_or(0)) {
                task.abort();
            }
        }
    }
}

fn refused(address: &str, at: SocketAddr, error: io::Error) -> ServeError {
    let port = at.port();
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            let host = address.rsplit_once(':').map_or(address, |(host, _)| host).to_owned();
            ServeError::Taken { host, port, other: port.checked_add(1).unwrap_or(8377) }
        }
        io::ErrorKind::PermissionDenied => ServeError::Privileged { port },
        _ => ServeError::NoAddress { address: address.to_owned(), reason: error.to_string() },
    }
}
