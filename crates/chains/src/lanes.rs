//! Selects the loops that hash.

use cpb_kernels::Backend as _;
use cpb_kernels::recursive_sha256::{Backend, Cover, Form};

/// The lanes for which the best loop is requested: more than any loop has.
const MANY_LANES: usize = 64;

/// Selects the loops that hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// The best loops on this CPU.
    Best,
    /// The loops of one backend.
    Backend(Backend),
}

impl Lanes {
    /// Returns the lanes of the loop with the highest throughput.
    pub fn width(self) -> usize {
        match self {
            Lanes::Best => Cover::new(MANY_LANES).forms().next().map_or(1, Form::lanes),
            Lanes::Backend(backend) => backend.widths().iter().copied().max().unwrap_or(1),
        }
    }

    /// Returns the backend of that loop.
    pub fn backend(self) -> Backend {
        match self {
            Lanes::Best => {
                Cover::new(MANY_LANES).forms().next().map_or_else(Backend::fastest, Form::backend)
            }
            Lanes::Backend(backend) => backend,
        }
    }

    /// Returns a cover for each number of lanes up to the width, from 0.
    pub(crate) fn covers(self) -> Vec<Cover> {
        let cover = |lanes| match self {
            Lanes::Best => Cover::new(lanes),
            Lanes::Backend(backend) => Cover::of(backend, lanes),
        };
        (0..=self.width()).map(cover).collect()
    }
}
