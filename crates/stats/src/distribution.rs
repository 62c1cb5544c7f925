//! Computes quantiles of the normal and Student's distributions, for the small-sample factor of
//! intervals.

use std::f64::consts::{FRAC_PI_2, PI};

/// Returns `z` such that a standard normal value lies between -z and z with probability
/// `confidence`.
///
/// Wichura, algorithm AS 241 (PPND16), Applied Statistics 37 (1988); relative error about 1e-15.
/// Contract: `confidence` lies strictly between 0 and 1.
pub(crate) fn normal_two_sided(confidence: f64) -> f64 {
    let centred = confidence / 2.0;
    if centred <= 0.425 {
        let r = 0.180625 - centred * centred;
        return centred * polynomial(&CENTRE.0, r) / polynomial(&CENTRE.1, r);
    }
    let r = (-((1.0 - confidence) / 2.0).ln()).sqrt();
    if r <= 5.0 {
        polynomial(&NEAR_TAIL.0, r - 1.6) / polynomial(&NEAR_TAIL.1, r - 1.6)
    } else {
        polynomial(&FAR_TAIL.0, r - 5.0) / polynomial(&FAR_TAIL.1, r - 5.0)
    }
}

/// Works like [`normal_two_sided`] for Student's distribution with `degrees` degrees of freedom.
///
/// Up to 200 degrees the inverse of the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4;
/// above that their expansion 26.7.5, whose error there is below 1e-9. Contract: as above, and
/// `degrees` is at least 1.
pub(crate) fn student_two_sided(confidence: f64, degrees: usize) -> f64 {
    let nu = degrees as f64;
    if degrees > 200 {
        let z = normal_two_sided(confidence);
        let first = z.powi(3) + z;
        let second = 5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z;
        let third = 3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z;
        return z + first / (4.0 * nu) + second / (96.0 * nu * nu) + third / (384.0 * nu.powi(3));
    }
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    for _ in 0..64 {
        let angle = f64::midpoint(low, high);
        if student_probability(angle, degrees) < confidence {
            low = angle;
        } else {
            high = angle;
        }
    }
    nu.sqrt() * f64::midpoint(low, high).tan()
}

/// Returns the probability that |t| is at most `tan(angle)` times the root of `degrees`.
fn student_probability(angle: f64, degrees: usize) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let odd = degrees % 2 == 1;
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = 0.0;
    let mut power = if odd { 1 } else { 0 };
    while power + 2 <= degrees {
        sum += term;
        term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
        power += 2;
    }
    if odd { 2.0 / PI * (angle + sine * sum) } else { sine * sum }
}

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

type Rational = ([f64; 8], [f64; 8]);

const CENTRE: Rational = (
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
);

const NEAR_TAIL: Rational = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const FAR_TAIL: Rational = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(value: f64, expected: f64, tolerance: f64) {
        assert!((value / expected - 1.0).abs() < tolerance, "{value} is not {expected}");
    }

    #[test]
    fn normal_matches_tables() {
        // 2 Φ(1) - 1, then the tables of Abramowitz and Stegun, 26.5 and 26.6.
        assert_close(normal_two_sided(0.682_689_492_137_085_9), 1.0, 1e-13);
        assert_close(normal_two_sided(0.5), 0.674_489_750_196_081_7, 1e-13);
        assert_close(normal_two_sided(0.9), 1.644_853_626_951_472_2, 1e-13);
        assert_close(normal_two_sided(0.95), 1.959_963_984_540_054, 1e-13);
        assert_close(normal_two_sided(0.999), 3.290_526_731_491_895, 1e-12);
        assert_close(normal_two_sided(1.0 - 2e-12), 7.034_483_825_301_131, 1e-5);
    }

    #[test]
    fn student_matches_tables() {
        // Abramowitz and Stegun, table 26.10; one degree is the Cauchy distribution.
        assert_close(student_two_sided(0.95, 1), (0.475 * PI).tan(), 1e-12);
        for (confidence, degrees, expected) in [
            (0.95, 2, 4.302_652_729_911_275),
            (0.95, 4, 2.776_445_105_198_054),
            (0.9, 5, 2.015_048_373_333_024),
            (0.95, 7, 2.364_624_251_592_785),
            (0.99, 9, 3.249_835_541_592_138),
            (0.95, 30, 2.042_272_456_301_238),
            (0.95, 120, 1.979_930_405_052_777),
        ] {
            assert_close(student_two_sided(confidence, degrees), expected, 1e-9);
        }
    }

    #[test]
    fn series_and_expansion_meet() {
        for confidence in [0.5, 0.9, 0.95, 0.999] {
            let (series, expansion) =
                (student_two_sided(confidence, 200), student_two_sided(confidence, 201));
            assert!(expansion < series);
            assert_close(expansion, series, 1e-3);
            assert_close(
                student_two_sided(confidence, 1 << 40),
                normal_two_sided(confidence),
                1e-9,
            );
        }
        // The expansion itself, against the value R's qt gives.
        assert_close(student_two_sided(0.95, 1000), 1.962_339_080_8, 1e-9);
    }
}
