//! Measures how often statistics are right where the truth is known.

mod comparisons;
mod coverage;
mod linearity;
mod looks;
mod robust_line;
mod steps;

use fastrand::Rng;

/// Draws a normally distributed number.
fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}
