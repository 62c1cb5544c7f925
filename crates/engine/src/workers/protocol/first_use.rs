//! Defines the requests and replies about first uses.

use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use cpb_libraries::seeds::RoleValues;
use cpb_model::{CallSpec, Offer};
use serde::{Deserialize, Serialize};

/// Report the inputs of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Give {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
}

/// A call that is the first of its process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FirstUse {
    pub(crate) library: LibrarySpec,
    /// The offer, as another process found it.
    pub(crate) offer: Offer,
    pub(crate) workload: CallSpec,
    pub(crate) given: GivenCall,
    pub(crate) cpu: Option<usize>,
}

/// Inputs of a call beyond those that follow from its workload:
/// [`cpb_libraries::first_use::Given`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GivenCall {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) case: Option<RoleValues>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artefact: Option<Vec<u8>>,
}

/// An output, with the call that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Judge {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    pub(crate) given: GivenCall,
    pub(crate) output: Vec<u8>,
}

/// The cost of a part of a first use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Took {
    pub(crate) nanoseconds: u64,
    pub(crate) on_cpu_nanoseconds: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
}

/// The cost of a first use, by part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FirstUsed {
    /// Loading, and finding the algorithm; each absent if there is no such part.
    pub(crate) opening: [Option<Took>; 2],
    pub(crate) objects: Took,
    pub(crate) call: Took,
    /// The output of the call.
    pub(crate) output: Vec<u8>,
}

impl FirstUsed {
    /// Returns the sum of all parts.
    pub(crate) fn total(&self) -> Took {
        let parts = self.opening.into_iter().flatten().chain([self.objects, self.call]);
        parts.fold(Took::default(), |all, part| Took {
            nanoseconds: all.nanoseconds + part.nanoseconds,
            on_cpu_nanoseconds: all.on_cpu_nanoseconds + part.on_cpu_nanoseconds,
            minor_faults: all.minor_faults + part.minor_faults,
            major_faults: all.major_faults + part.major_faults,
        })
    }
}
