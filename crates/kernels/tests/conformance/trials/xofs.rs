//! Tries SHAKE against RustCrypto.

use cpb_kernels::keccak::Backend;
use shake::digest::{ExtendableOutput, Update, XofReader};

use crate::trial::Trial;

const LONGEST: usize = 3000;

/// Generates the trial of a function with output of any length.
macro_rules! xof {
    ($name:ident: $Xof:ident) => {
        pub fn $name(backend: Backend, trial: &mut Trial) {
            use cpb_kernels::sha3::$Xof;
            let (length, wanted) = (trial.length(LONGEST), trial.length(LONGEST));
            let message = trial.input(length);
            let mut expected = vec![0; wanted];
            let mut other = shake::$Xof::default();
            other.update(&message);
            other.finalize_xof().read(&mut expected);

            let mut out = trial.output(wanted);
            $Xof::xof_with(backend, &message, &mut out);
            trial.compare(&out, &expected, "the output");

            let mut xof = $Xof::with_backend(backend);
            for piece in trial.pieces(&message) {
                xof.update(&piece);
            }
            let (mut reader, mut read) = (xof.finalize_xof(), 0);
            for end in trial.ends(wanted) {
                let mut out = trial.output(end - read);
                reader.read(&mut out);
                trial.compare(&out, &expected[read..end], "the output in pieces");
                read = end;
            }
        }
    };
}

xof!(shake128: Shake128);
xof!(shake256: Shake256);
