//! Computes the curve of the two levels: the time of a block of the window loop by its length.

use crate::decision::{Learned, in_rounds, rounds};
use crate::times::LoopTimes;
use cpb_model::{GateLoop, WindowCurve, WindowPoint};

/// Returns the times of the mixed window loops in rounds on a quiet core and in rounds beside a
/// neighbour; `None` if no window tells these apart.
pub(crate) fn curve(times: &LoopTimes, learned: &Learned) -> Option<WindowCurve> {
    let GateLoop::Window(size) = learned.gate_loop else { return None };
    let [mixed, ..] = &times.windows;
    let gate = mixed.iter().find(|it| it.size == size)?;
    let line = learned.line? * f64::from(size);
    let (fast, slow) = rounds(&gate.cycles, line, learned.gate_loop);
    let points = mixed.iter().map(|it| WindowPoint {
        instructions: it.size,
        alone: in_rounds(&it.cycles, &fast),
        beside: in_rounds(&it.cycles, &slow).filter(|_| learned.core.divided_window.is_some()),
    });
    Some(WindowCurve { chain: in_rounds(&times.roots, &fast)?, points: points.collect() })
}
