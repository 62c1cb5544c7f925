//! Simulates disturbances of a machine.

use super::cpu::Neighbour;
use fastrand::Rng;

/// The behaviour of the neighbours and the machine.
#[derive(Debug, Clone, Copy)]
pub struct Noise {
    /// The share of time without a neighbour on each CPU.
    pub quiet_share: f64,
    /// The relative slowdown of independent additions beside a neighbour: minimum and maximum.
    pub load: (f64, f64),
    /// The slowdown in otherwise quiet stretches, by a neighbour that never leaves.
    pub least_load: f64,
    /// Other effects of neighbours.
    pub neighbour: Neighbour,
    /// CPUs that may be used.
    pub cpus: usize,
    /// The counter's step, in ticks.
    pub step_ticks: u64,
    /// Lowest and highest core clock, in Hz; it changes every 20 ms.
    pub hertz: (f64, f64),
    /// Interruptions per second, of 3 µs to 3 ms.
    pub interruptions: f64,
    /// The variation between processes: a relative standard deviation.
    pub between_processes: f64,
}

impl Default for Noise {
    /// Creates a quiet machine without neighbours.
    fn default() -> Self {
        Self {
            quiet_share: 1.0,
            load: (0.085, 1.2),
            least_load: 0.0,
            neighbour: Neighbour::default(),
            cpus: 1,
            step_ticks: 1,
            hertz: (4e9, 4e9),
            interruptions: 100.0,
            between_processes: 0.001,
        }
    }
}

/// The quiet and busy stretches of one CPU.
#[derive(Debug)]
pub(crate) struct Stretches {
    random: Rng,
    quiet_share: f64,
    load: (f64, f64),
    least_load: f64,
    is_quiet: bool,
    /// The end of the current stretch, in seconds.
    pub until: f64,
    /// The neighbour's current load; zero if there is none.
    pub taken: f64,
}

impl Stretches {
    pub fn new(noise: &Noise, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        // The stretch before the first is of the other kind.
        let is_quiet = random.f64() >= noise.quiet_share;
        let mut stretches = Self {
            random,
            quiet_share: noise.quiet_share,
            load: noise.load,
            least_load: noise.least_load,
            is_quiet,
            until: 0.0,
            taken: 0.0,
        };
        stretches.next();
        stretches
    }

    /// Advances to the stretch at `now`.
    pub fn reach(&mut self, now: f64) {
        while self.until <= now {
            self.next();
        }
    }

    fn next(&mut self) {
        // Quiet stretches last 0.1 to 4 ms, 1.06 ms on average.
        const QUIET: (f64, f64) = (0.1e-3, 4e-3);
        const QUIET_MEAN: f64 = 1.057e-3;
        let share = self.quiet_share;
        self.is_quiet = share >= 1.0 || (share > 0.0 && !self.is_quiet);
        let length = if self.is_quiet {
            self.taken = self.least_load;
            log_uniform(&mut self.random, QUIET)
        } else {
            let (low, high) = self.load;
            self.taken = low + (high - low) * self.random.f64();
            let mean = if share > 0.0 { QUIET_MEAN * (1.0 - share) / share } else { 5e-3 };
            -mean * (1.0 - self.random.f64()).ln()
        };
        self.until += length.max(1e-6);
    }
}

/// Draws a number between both, uniform on a logarithmic scale.
pub fn log_uniform(random: &mut Rng, (low, high): (f64, f64)) -> f64 {
    low * (high / low).powf(random.f64())
}

/// Draws a normally distributed number.
pub fn normal(random: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_have_the_share_of_quiet_they_are_asked_for() {
        for share in [0.0, 0.01, 0.1, 0.5, 0.9, 1.0] {
            let noise = Noise { quiet_share: share, ..Noise::default() };
            let mut stretches = Stretches::new(&noise, 7);
            let (mut now, mut quiet) = (0.0, 0.0);
            while now < 400.0 {
                stretches.reach(now);
                if stretches.taken == 0.0 {
                    quiet += stretches.until - now;
                }
                now = stretches.until;
            }
            assert!((quiet / now / share - 1.0).abs() < 0.1 || share == 0.0, "{share}: {quiet}");
            assert!(share != 0.0 || quiet == 0.0);
        }
    }
}
