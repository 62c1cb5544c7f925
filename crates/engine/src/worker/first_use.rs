//! Measures a first use, in a worker that has run nothing of the library before.

use crate::failures::{unavailable, wrong_answer};
use crate::implementation::Implementation;
use crate::worker::library;
use crate::workers::protocol::{FirstUse, FirstUsed, GivenCall, Took, nanoseconds};
use cpb_clock::{Boundary, ProcessTime};
use cpb_libraries::first_use::{Given, Passed, watch};
use cpb_model::Failure;
use std::cell::RefCell;
use std::rc::Rc;

/// More than the boundaries that one first use passes.
const PLACES: usize = 32;

/// The boundaries between parts, in order.
#[derive(Default)]
struct Parts(Vec<(Passed, Boundary)>);

/// Opens the library, makes the objects that the contract keeps, and makes the call.
pub(crate) fn make(job: &FirstUse) -> Result<FirstUsed, Failure> {
    if let Some(cpu) = job.cpu {
        // If pinning fails, the first use is only slower.
        let _ = cpb_host::pin_to(cpu);
    }
    let given = given(&job.given);
    let inputs = given.inputs(&job.offer, &job.workload).map_err(unavailable)?;
    let implementation = Implementation::of_offer(&job.offer);
    // Reserves room, so that nothing is allocated in the timing; the timing code has run before.
    let parts = Rc::new(RefCell::new(Parts(Vec::with_capacity(PLACES))));
    let passed = Rc::clone(&parts);
    watch(move |place| passed.borrow_mut().0.push((place, Boundary::now())));
    let _ = Boundary::now().since(&Boundary::now());

    let start = Boundary::now();
    let library = library::open_for(&job.library, &job.offer).map_err(unavailable)?;
    let offer = library.offers().iter().find(|it| implementation.is_of(it));
    let offer = offer.ok_or_else(|| unavailable("it cannot be found by its name alone"))?;
    let opened = Boundary::now();
    let mut call = library.ready(offer, job.workload.contract, inputs).map_err(unavailable)?;
    let ready = Boundary::now();
    call.run(1);
    let called = Boundary::now();

    let output = call.output().map_err(wrong_answer)?;
    Ok(FirstUsed {
        opening: parts.borrow().opening(start),
        objects: took(ready.since(&opened)),
        call: took(called.since(&ready)),
        output,
    })
}

impl Parts {
    /// Returns the time spent loading and finding; `None` for a part that did not happen.
    fn opening(&self, start: Boundary) -> [Option<Took>; 2] {
        let mut taken = [ProcessTime::default(); 2];
        let (mut from, mut part, mut is_counted, mut finds) = (start, 0, true, true);
        for (place, boundary) in &self.0 {
            if is_counted && part < taken.len() {
                taken[part] = taken[part].plus(boundary.since(&from));
            }
            from = *boundary;
            match place {
                Passed::Loaded => part = 1,
                Passed::Ready => (is_counted, finds) = (false, false),
                Passed::Found => part = 2,
                Passed::Beside => is_counted = false,
                Passed::Resumed => is_counted = true,
            }
        }
        let [load, find] = taken.map(took);
        [(part == 2).then_some(load), (part == 2 && finds).then_some(find)]
    }
}

pub(crate) fn given(given: &GivenCall) -> Given {
    Given { case: given.case.clone(), artefact: given.artefact.clone() }
}

fn took(time: ProcessTime) -> Took {
    Took {
        nanoseconds: nanoseconds(time.wall),
        on_cpu_nanoseconds: nanoseconds(time.on_cpu),
        minor_faults: time.minor_faults,
        major_faults: time.major_faults,
    }
}
