//! Runs in the worker process: one library, one round, one job at a time.

use crate::plan::library;
use crate::quiet::learn;
use crate::together::threads::Threads;
use crate::traceable::{self, Traceable};
use crate::verification::answers::{self, WrongAnswer};
use crate::workers::files;
use crate::workers::pipes::HEARTBEAT;
use crate::workers::protocol::{
    Accept, AcceptanceReply, Calibrate, Calibrated, Check, Checked, Give, GivenCall,
    Implementation, Job, Judge, KeyProof, LibraryPosition, Open, Reply, Request, TraceCall,
};
use crate::{first_use, job};
use cpb_clock::{Clock, counter};
use cpb_libraries::acceptance::{self, ProofError};
use cpb_libraries::first_use::Given;
use cpb_libraries::{Inputs, Library, PrepareError, Prepared, placement, scheme};
use cpb_model::{CallSpec, Contract, Failure, FailureKind, LibraryBuild, Offer, Proof, harmless};
use cpb_sampler::{Hardware, Timer};
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
        let reply = worker.answer(serde_json::from_str(&line)?, &mut heartbeat);
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

pub(crate) struct Opened {
    id: LibraryBuild,
    library: Box<dyn Library>,
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
                let machine = self.machine.as_ref().ok_or_else(|| not_measured("no clock"))?;
                Ok(Reply::Watched(machine.watch(Duration::from_nanos(time))))
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
        let learned = learn::gate(machine, calibrate);
        let calibration = machine.calibration().clone();
        Ok(Reply::Calibrated(Calibrated { calibration, learned }))
    }
}

impl Opened {
    fn offer(&self, implementation: &Implementation) -> Result<&Offer, Failure> {
        let Implementation { operation, spelling, .. } = implementation;
        let offers = self.library.offers();
        offers.iter().find(|offer| same(offer, implementation)).ok_or_else(|| {
            let what = format!("{spelling} ({})", operation.name());
            unavailable(PrepareError::NotOffered { library: self.id.label.clone(), what })
        })
    }

    fn prepare(&self, offer: &Offer, workload: &CallSpec) -> Result<Box<dyn Prepared>, Failure> {
        self.library.prepare(offer, workload).map_err(unavailable)
    }

    /// Makes all later calls share key objects.
    pub(crate) fn share_keys(
        &mut self,
        implementation: &Implementation,
        contract: Contract,
    ) -> Result<(), Failure> {
        let offer = self.offer(implementation)?.clone();
        if self.library.share_keys(&offer, contract) {
            return Ok(());
        }
        let (name, operation) = (&self.id.label, offer.operation.name());
        Err(unavailable(format!(
            "{name} has no keys that threads could share for {operation}, or cpb does not know \
             how; --share none gives each its own"
        )))
    }

    /// Prepares the implementation to run `workload`.
    pub(crate) fn ready(
        &self,
        implementation: &Implementation,
        workload: &CallSpec,
    ) -> Result<Box<dyn Prepared>, Failure> {
        self.prepare(self.offer(implementation)?, workload)
    }

    /// Returns the inputs of a call of `workload` with a single case.
    pub(crate) fn inputs(
        &self,
        implementation: &Implementation,
        workload: &CallSpec,
    ) -> Result<Inputs, Failure> {
        let (library, offer) = (self.library.as_ref(), self.offer(implementation)?);
        cpb_libraries::inputs_of_cases(library, offer, workload, 1).map_err(unavailable)
    }

    /// Prepares the implementation between marks.
    pub(crate) fn made_between_marks(
        &self,
        implementation: &Implementation,
        workload: &CallSpec,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, Failure> {
        let offer = self.offer(implementation)?;
        let make = || self.library.ready(offer, workload.contract, inputs);
        cpb_libraries::made_between_marks(make).map_err(unavailable)
    }

    fn check(&self, check: &Check) -> Result<Reply, Failure> {
        let offer = self.offer(&check.implementation)?;
        if let Some(reason) = &offer.unavailable {
            return Err(unavailable(reason));
        }
        answers::known_answers(self.library.as_ref(), offer).map_err(|wrong| match wrong {
            WrongAnswer::Prepare(reason) => unavailable(reason),
            wrong => wrong_answer(wrong),
        })?;
        let outputs = check.workloads.iter().map(|workload| {
            if workload.operation.is_public_key() {
                return self.prove(offer, workload);
            }
            let mut prepared = self.prepare(offer, workload)?;
            if workload.operation.row().proof == Proof::LooksRandom {
                answers::looks_random(prepared.as_mut()).map_err(wrong_answer)?;
            }
            prepared.run(1);
            let output = prepared.output().map_err(wrong_answer)?;
            answers::against_oracle(workload, &output).map_err(wrong_answer)?;
            let is_proved = self.library.is_proved(offer);
            Ok(Checked { output: answers::digest(&output), keys: None, is_proved })
        });
        Ok(Reply::Checked(outputs.collect::<Result<_, Failure>>()?))
    }

    fn prove(&self, offer: &Offer, workload: &CallSpec) -> Result<Checked, Failure> {
        let (library, cases) = (self.library.as_ref(), scheme::CASES);
        let proved = acceptance::prove(library, offer, workload, cases);
        let proved = proved.map_err(|reason| match reason {
            ProofError::Prepare(reason) => unavailable(reason),
            ProofError::Wrong(reason) => wrong_answer(format!("wrong answer: {reason}")),
        })?;
        let keys = KeyProof {
            case: proved.case,
            has_one_output: scheme::has_one_output(offer),
            is_accepted: proved.is_accepted,
        };
        let is_proved = self.library.is_proved(offer);
        Ok(Checked { output: answers::digest(&proved.output), keys: Some(keys), is_proved })
    }

    fn accept(&self, accept: Accept) -> Result<Reply, Failure> {
        let offer = self.offer(&accept.implementation)?;
        let (library, cases) = (self.library.as_ref(), [accept.case]);
        let opinion = match acceptance::accepts(library, offer, accept.message_bytes, &cases) {
            Ok(()) => AcceptanceReply::Accepts,
            // Rejecting a key is as good as rejecting the signature.
            Err(
                ProofError::Wrong(reason) | ProofError::Prepare(PrepareError::Unavailable(reason)),
            ) => AcceptanceReply::Refuses(reason),
            Err(ProofError::Prepare(_)) => AcceptanceReply::CannotSay,
        };
        Ok(Reply::Accepted(opinion))
    }

    /// Returns the inputs of a call's first case.
    fn give(&self, give: &Give) -> Result<Reply, Failure> {
        let offer = self.offer(&give.implementation)?;
        let given = Given::by(self.library.as_ref(), offer, &give.workload).map_err(unavailable)?;
        let Given { case, artefact } = given;
        let given = GivenCall { case, artefact };
        Ok(Reply::Given { offer: Box::new(offer.clone()), given })
    }

    fn judge(&self, judge: &Judge) -> Result<Reply, Failure> {
        let offer = self.offer(&judge.implementation)?;
        let (library, given) = (self.library.as_ref(), first_use::given(&judge.given));
        let judged =
            cpb_libraries::first_use::judge(library, offer, &judge.workload, &given, &judge.output);
        match judged {
            Ok(()) => Ok(Reply::Judged(None)),
            Err(ProofError::Wrong(reason)) => Ok(Reply::Judged(Some(reason))),
            Err(ProofError::Prepare(reason)) => Err(unavailable(reason)),
        }
    }

    fn measure(
        &self,
        machine: &mut Hardware,
        job: &Job,
        heartbeat: &mut dyn FnMut(),
    ) -> Result<Reply, Failure> {
        let offer = self.offer(&job.implementation)?;
        let mut prepare = |workload: &CallSpec| {
            heartbeat();
            self.prepare(offer, workload)
        };
        job::carry_out(job, machine, &mut prepare).map(Reply::Measured)
    }
}

/// Whether an offer is of this implementation.
pub(crate) fn same(offer: &Offer, implementation: &Implementation) -> bool {
    let Implementation { operation, spelling, backend } = implementation;
    offer.operation == *operation
        // The parent holds these texts in their harmless form.
        && harmless(&offer.spelling) == *spelling
        && harmless(&offer.backend) == *backend
}

pub(crate) fn not_measured(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::NotMeasured, reason: reason.to_string() }
}

pub(crate) fn unavailable(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::Unavailable, reason: reason.to_string() }
}

pub(crate) fn wrong_answer(reason: impl ToString) -> Failure {
    Failure { kind: FailureKind::WrongAnswer, reason: reason.to_string() }
}
