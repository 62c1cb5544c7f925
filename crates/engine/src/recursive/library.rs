//! Presents recursive SHA-256 as a library that workers open: a call is one iteration of all lanes,
//! and its output is their values, 32 bytes each.

use super::expected::{self, start_values, wrong_after};
use super::setting::Setting;
use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use crate::selftest::own_identity;
use crate::together::job::ThreadWork;
use cpb_kernels::Backend as _;
use cpb_kernels::recursive_sha256::Backend;
use cpb_libraries::{Identity, Inputs, Library, PrepareError, Prepared};
use cpb_model::{CallSpec, Contract, Lengths, Offer, Operation, Parameters};

pub(crate) const NAME: &str = "recursive-sha256";
/// The backend that distributes lanes over the loops that are best on this CPU.
const SCHEDULED: &str = "scheduled";
/// The bytes of a lane's value.
const VALUE: usize = 32;

/// Returns the specification by which workers open it.
pub(super) fn specification() -> LibrarySpec {
    LibrarySpec::installed(NAME)
}

pub(crate) fn open() -> Box<dyn Library> {
    let names = Backend::available().into_iter().map(Backend::name).chain([SCHEDULED]);
    Box::new(Recursive { offers: names.map(offer).collect() })
}

/// Returns the offer of the backend with this name.
pub(super) fn offer(backend: &str) -> Offer {
    let lengths = Lengths { granularity: VALUE, block: Some(VALUE), ..Lengths::default() };
    Offer {
        backend: backend.to_owned(),
        default_backend: backend == SCHEDULED,
        ..Offer::new(NAME, Operation::Iterate, lengths)
    }
}

/// Returns the work of a setting for workers.
pub(super) fn work(setting: &Setting) -> ThreadWork {
    let Offer { primitive, operation, spelling, .. } = offer(SCHEDULED);
    let backend = setting.one_backend().map_or(SCHEDULED, |it| it.name()).to_owned();
    let message_bytes = VALUE * setting.lanes();
    ThreadWork {
        implementation: Implementation { operation, spelling, backend },
        workload: CallSpec {
            primitive,
            operation,
            contract: Contract::Keyed,
            parameters: Parameters { message_bytes, ..Parameters::default() },
        },
        beside: None,
    }
}

fn setting(backend: &str, lanes: usize) -> Setting {
    match Backend::by_name(backend) {
        Ok(backend) => Setting::backend(backend, lanes, 1),
        Err(_) => Setting::scheduled(lanes, 1),
    }
}

/// Returns the output of `calls` calls of `work`.
#[cfg(feature = "simulated")]
pub(crate) fn output(work: &ThreadWork, calls: u64) -> Vec<u8> {
    let lanes = work.workload.parameters.message_bytes / VALUE;
    let mut values = start_values(lanes);
    setting(&work.implementation.backend, lanes).iterate(&mut values, calls);
    values.concat()
}

struct Recursive {
    offers: Vec<Offer>,
}

impl Library for Recursive {
    fn identity(&self) -> Identity {
        own_identity()
    }

    fn offers(&self) -> &[Offer] {
        &self.offers
    }

    fn ready(
        &self,
        offer: &Offer,
        _contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        let lanes = inputs.message_bytes() / VALUE;
        let setting = setting(&offer.backend, lanes);
        let values = start_values(lanes);
        let mut next = values.clone();
        setting.iterate(&mut next, 1);
        let known = expected::known(1).and_then(|known| known.output(lanes));
        let is_right = known == Some(next.concat());
        Ok(Box::new(Lanes { setting, values, is_right }))
    }
}

/// Holds the current values of lanes.
struct Lanes {
    setting: Setting,
    values: Vec<[u8; VALUE]>,
    /// Whether one iteration gave the right values.
    is_right: bool,
}

impl Prepared for Lanes {
    fn run(&mut self, calls: u64) {
        self.setting.iterate(&mut self.values, calls);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        match self.is_right {
            true => Ok(self.values.concat()),
            false => Err(wrong_after(1)),
        }
    }
}
