//! What is said of first uses.

use super::Implementation;
use crate::plan::library::LibrarySpec;
use cpb_libraries::seeds::RoleValues;
use cpb_model::{CallSpec, Offer};
use serde::{Deserialize, Serialize};

/// Say what a call is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Give {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
}

/// A call that is the first of its process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FirstUse {
    pub(crate) library: LibrarySpec,
    /// As another process found it.
    pub(crate) offer: Offer,
    pub(crate) workload: CallSpec,
    pub(crate) given: GivenCall,
    pub(crate) cpu: Option<usize>,
}

/// What a call is given beyond what follows from its workload: [`cpb_libraries::first_use::Given`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GivenCall {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) case: Option<RoleValues>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) artefact: Option<Vec<u8>>,
}

/// An output, and the call that put it out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Judge {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    pub(crate) given: GivenCall,
    pub(crate) output: Vec<u8>,
}

/// What a part of a first use took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Took {
    pub(crate) nanoseconds: u64,
    pub(crate) on_cpu_nanoseconds: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
}

/// What a first use took, part by part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FirstUsed {
    /// Loading, and finding the algorithm; each absent where there is no such part.
    pub(crate) opening: [Option<Took>; 2],
    pub(crate) objects: Took,
    pub(crate) call: Took,
    /// What the call put out.
    pub(crate) output: Vec<u8>,
}

impl FirstUsed {
    /// All parts together.
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
