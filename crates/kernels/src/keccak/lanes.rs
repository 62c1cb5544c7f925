//! Generates the round for instruction sets that keep one lane per register and
//! leave scheduling to the compiler. The algorithm is written once, over their own
//! operations.

/// Does one round on an array `$a` of 25 registers. The caller's scope has, with
/// its target features: `parity(a, b, c, d, e)`, the sum of a column; `effect(c,
/// d)`, c ^ rotate(d, 1); `add_and_rotate::<N>(a, d)`, rotate(a ^ d, N); `chi(a, b,
/// c)`, a ^ (!b & c); `iota(a, constant)`.
///
/// Pi's sources are read row by row where they are needed, so that only five
/// rotated lanes are alive beside the old and the new state.
macro_rules! round {
    ($a:ident, $constant:expr) => {{
        let c0 = parity($a[0], $a[5], $a[10], $a[15], $a[20]);
        let c1 = parity($a[1], $a[6], $a[11], $a[16], $a[21]);
        let c2 = parity($a[2], $a[7], $a[12], $a[17], $a[22]);
        let c3 = parity($a[3], $a[8], $a[13], $a[18], $a[23]);
        let c4 = parity($a[4], $a[9], $a[14], $a[19], $a[24]);
        let d0 = effect(c4, c1);
        let d1 = effect(c0, c2);
        let d2 = effect(c1, c3);
        let d3 = effect(c2, c4);
        let d4 = effect(c3, c0);

        let b0 = add_and_rotate::<0>($a[0], d0);
        let b1 = add_and_rotate::<44>($a[6], d1);
        let b2 = add_and_rotate::<43>($a[12], d2);
        let b3 = add_and_rotate::<21>($a[18], d3);
        let b4 = add_and_rotate::<14>($a[24], d4);
        let row0 = [
            iota(chi(b0, b1, b2), $constant),
            chi(b1, b2, b3),
            chi(b2, b3, b4),
            chi(b3, b4, b0),
            chi(b4, b0, b1),
        ];

        let b0 = add_and_rotate::<28>($a[3], d3);
        let b1 = add_and_rotate::<20>($a[9], d4);
        let b2 = add_and_rotate::<3>($a[10], d0);
        let b3 = add_and_rotate::<45>($a[16], d1);
        let b4 = add_and_rotate::<61>($a[22], d2);
        let row1 = chi_row!(b0, b1, b2, b3, b4);

        let b0 = add_and_rotate::<1>($a[1], d1);
        let b1 = add_and_rotate::<6>($a[7], d2);
        let b2 = add_and_rotate::<25>($a[13], d3);
        let b3 = add_and_rotate::<8>($a[19], d4);
        let b4 = add_and_rotate::<18>($a[20], d0);
        let row2 = chi_row!(b0, b1, b2, b3, b4);

        let b0 = add_and_rotate::<27>($a[4], d4);
        let b1 = add_and_rotate::<36>($a[5], d0);
        let b2 = add_and_rotate::<10>($a[11], d1);
        let b3 = add_and_rotate::<15>($a[17], d2);
        let b4 = add_and_rotate::<56>($a[23], d3);
        let row3 = chi_row!(b0, b1, b2, b3, b4);

        let b0 = add_and_rotate::<62>($a[2], d2);
        let b1 = add_and_rotate::<55>($a[8], d3);
        let b2 = add_and_rotate::<39>($a[14], d4);
        let b3 = add_and_rotate::<41>($a[15], d0);
        let b4 = add_and_rotate::<2>($a[21], d1);
        let row4 = chi_row!(b0, b1, b2, b3, b4);

        [
            row0[0], row0[1], row0[2], row0[3], row0[4], //
            row1[0], row1[1], row1[2], row1[3], row1[4], //
            row2[0], row2[1], row2[2], row2[3], row2[4], //
            row3[0], row3[1], row3[2], row3[3], row3[4], //
            row4[0], row4[1], row4[2], row4[3], row4[4],
        ]
    }};
}

macro_rules! chi_row {
    ($b0:ident, $b1:ident, $b2:ident, $b3:ident, $b4:ident) => {
        [
            chi($b0, $b1, $b2),
            chi($b1, $b2, $b3),
            chi($b2, $b3, $b4),
            chi($b3, $b4, $b0),
            chi($b4, $b0, $b1),
        ]
    };
}

pub(super) use {chi_row, round};
