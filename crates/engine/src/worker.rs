//! Runs in the worker process: one library, one round, one job at a time.

mod first_use;
pub(crate) mod job;
mod library;
mod opened;
mod pool;
mod threads;
mod traceable;

use crate::failures::{not_measured, unavailable, wrong_answer};
use crate::worker::opened::Opened;
use crate::worker::threads::Threads;
use crate::worker::traceable::Traceable;
use crate::workers::files;
use crate::workers::pipes::HEARTBEAT;
use crate::workers::protocol::{
    Calibrate, Calibrated, LibraryPosition, Open, Reply, Request, TraceCall,
};
use cpb_clock::{Clock, counter};
use cpb_libraries::placement;
use cpb_model::Failure;
use cpb_sampler::{Hardware, Timer, watch};
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::time::{Duration, Instant};

/// The pipes' file descriptors are above the three standard ones.
const FIRST_OF_OURS: i32 = 3;

/// The size of the line buffers, so large that the allocator maps separate pages for them.
const BUFFER: usize = 1 << 20;

/// The interval of heartbeats during long work.
const BETWEEN_SIGNS: Duration = Duration::from_millis(100);

/// Answers requests from standard input on standard output until the input ends.
///
/// # Errors
/// If a line cannot be read, parsed or written: the parent is gone, or is another version of cpb.
pub fn serve() -> io::Result<Infallible> {
    #[cfg(feature = "simulated")]
    crate::simulated::environment::hide_real_features();
    cpb_libraries::go_on_supervised()?;
    // A library that prints or reads must not disturb the protocol: from here on, standard output
    // is standard error, standard input is empty, and no child process inherits the pipes.
    let pipe = |end| rustix::io::fcntl_dupfd_cloexec(end, FIRST_OF_OURS).map(File::from);
    let (requests, mut replies) = (pipe(rustix::stdio::stdin())?, pipe(rustix::stdio::stdout())?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;

    let mut worker = Worker { opened: None, machine: None, threads: None, traced: None };
    let mut requests = BufReader::new(requests);
    // Numbers are texts of varying length here. If their lines were allocated as they come, the
    // library's later allocations would move too; with separate memory, nothing moves.
    let (mut line, mut text) = (String::with_capacity(BUFFER), Vec::with_capacity(BUFFER));
    while requests.read_line(&mut line)? != 0 {
        let mut last = Instant::now();
        let mut heartbeat = || {
            // The parent wakes up at each heartbeat, which disturbs.
            if last.elapsed() >= BETWEEN_SIGNS {
                last = Instant::now();
                // A parent that does not get it will not get the reply either.
                let _ = (&replies).write_all(HEARTBEAT);
            }
        };
        let reply = worker.answer(serde_json::from_slice(line.as_bytes())?, &mut heartbeat);
        line.clear();
        text.clear();
        serde_json::to_writer(&mut text, &reply.unwrap_or_else(Reply::Failed))?;
        text.push(b'\n');
        match replies.write_all(&text) {
            // The parent no longer waits, so nobody can be notified.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            written => written?,
        }
    }
    cpb_libraries::leave()
}

struct Worker {
    opened: Option<Opened>,
    machine: Option<Hardware>,
    /// The threads that make calls, if there are several; they own the opened library.
    threads: Option<Threads>,
    /// The call that is to be traced.
    traced: Option<(TraceCall, Traceable)>,
}

impl Worker {
    /// Answers a request, calling `heartbeat` now and then during long work.
    fn answer(&mut self, request: Request, heartbeat: &mut dyn FnMut()) -> Result<Reply, Failure> {
        match request {
            Request::Open(open) => self.open(&open),
            Request::Calibrate(calibrate) => self.calibrate(&calibrate),
            Request::Check(check) => self.opened()?.check(&check),
            Request::Accept(accept) => self.opened()?.accept(accept),
            Request::Job(job) => {
                let opened = self.opened.as_ref().ok_or_else(|| not_measured("no library"))?;
                let machine = self.machine.as_mut().ok_or_else(|| not_measured("no clock"))?;
                opened.measure(machine, &job, heartbeat)
            }
            Request::Watch(time) => {
                let machine = self.machine.as_mut().ok_or_else(|| not_measured("no clock"))?;
                Ok(Reply::Watched(watch(machine, Duration::from_nanos(time))))
            }
            Request::Threads(threads) => {
                let opened = self.opened.take().ok_or_else(|| not_measured("no library"))?;
                let (threads, started) = Threads::start(opened, &threads)?;
                self.threads = Some(threads);
                Ok(Reply::Started(started))
            }
            Request::PrepareThreads(line_up) => {
                self.threads()?.line_up(line_up, heartbeat).map(|()| Reply::LinedUp)
            }
            Request::StartThreads(go) => self.threads()?.go(go, heartbeat).map(Reply::Ran),
            Request::Trace(call) => {
                let traceable = traceable::ready(self.opened()?, &call)?;
                self.traced = Some((call, traceable));
                Ok(Reply::Traceable { thread: traceable::thread() })
            }
            Request::Paint(call) => {
                let mut prepared = traceable::prepare(self.opened()?, &call)?;
                let written = cpb_libraries::stack_written(prepared.as_mut());
                prepared.output().map_err(wrong_answer)?;
                Ok(Reply::Painted(written))
            }
            Request::Give(give) => self.opened()?.give(&give),
            Request::FirstUse(job) => first_use::make(&job).map(Reply::FirstUsed),
            Request::Judge(judge) => self.opened()?.judge(&judge),
            Request::Call => {
                let (call, traceable) =
                    self.traced.take().ok_or_else(|| not_measured("no call"))?;
                let object_bytes = traceable::call(traceable, self.opened()?, &call)?;
                Ok(Reply::Called { object_bytes })
            }
        }
    }

    fn opened(&self) -> Result<&Opened, Failure> {
        self.opened.as_ref().ok_or_else(|| not_measured("no library"))
    }

    fn threads(&mut self) -> Result<&mut Threads, Failure> {
        self.threads.as_mut().ok_or_else(|| not_measured("no threads"))
    }

    fn open(&mut self, open: &Open) -> Result<Reply, Failure> {
        if open.library.index.is_some() {
            // A folder of sources contains arbitrary code, which runs as soon as it is loaded.
            let confined = cpb_libraries::sandbox::enter();
            confined.map_err(|error| unavailable(format!("it cannot be confined: {error}")))?;
        }
        let place = open.place.as_ref();
        if let Some(LibraryPosition { file, position }) = place {
            placement::load_at(file, *position);
        }
        let library = library::open(&open.library).map_err(unavailable)?;
        let opened = Opened { id: library::identify(&open.library, library.as_ref()), library };
        let reply = Reply::Opened {
            library: opened.id.clone(),
            offers: if open.list { opened.library.offers().to_vec() } else { Vec::new() },
            position: place.and_then(|place| placement::position(&place.file)),
            files: files::mapped(),
        };
        self.opened = Some(opened);
        Ok(reply)
    }

    fn calibrate(&mut self, calibrate: &Calibrate) -> Result<Reply, Failure> {
        if let Some(&cpu) = calibrate.cpus.first() {
            cpb_host::pin_to(cpu).map_err(not_measured)?;
        }
        let counter = match &calibrate.clock.counter {
            Some(name) => counter::open(name),
            None => counter::open_best(),
        };
        let counter = counter.map_err(not_measured)?;
        let clock = match &calibrate.calibration {
            Some(known) => Clock::with_calibration(counter, known.clone()),
            None => Clock::calibrate(counter, calibrate.clock.megahertz).map_err(not_measured)?,
        };
        let machine = self.machine.insert(Hardware::new(clock, calibrate.cpus.clone()));
        let learned = cpb_quiet::gate(machine, &calibrate.learning);
        let calibration = machine.calibration().clone();
        Ok(Reply::Calibrated(Calibrated { calibration, learned }))
    }
}
