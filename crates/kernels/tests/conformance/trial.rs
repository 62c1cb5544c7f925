//! Makes inputs for one backend of one kernel, and loops over all of them.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use cpb_kernels::Backend;

use crate::guarded::{Guarded, LONGEST, Place};
use crate::on_every_backend;

/// Up to this length, every length is tried: it is beyond the longest path for short
/// messages.
const EVERY_LENGTH: usize = 1100;

/// Tries every backend of a kernel that this CPU has; `run` tries one once. It is a pointer because
/// the compiler would otherwise optimise a copy of it for each call here.
///
/// # Panics
/// Panics if results differ.
#[inline(never)]
pub fn try_kernel<B: Backend>(name: &str, edges: &[usize], run: fn(B, &mut Trial)) {
    // Miri is thousands of times slower.
    let cases = if cfg!(miri) { 1 } else { 200 };
    let (seed, cases) = (setting("CONFORMANCE_SEED", 1), setting("CONFORMANCE_CASES", cases));
    println!("conformance of {name}: random cases={cases} seed={seed}");
    on_every_backend(name, |backend: B| {
        let what = format!("{name} on {}, CONFORMANCE_SEED={seed}", backend.name());
        crash::announce(&what);
        let random = fastrand::Rng::with_seed(seed);
        let mut trial = Trial { random, edges, asked: Vec::new(), given: None, what };
        let run = |trial: &mut Trial| {
            trial.asked.clear();
            run(backend, trial);
        };
        // The first case reveals which lengths the kernel requests.
        run(&mut trial);
        let inputs = if cfg!(miri) { Vec::new() } else { trial.asked.clone() };
        for (input, longest) in inputs.into_iter().enumerate() {
            for length in lengths_around(edges, longest) {
                trial.given = Some((input, length));
                run(&mut trial);
            }
        }
        trial.given = None;
        for _ in 0..cases {
            run(&mut trial);
        }
    });
}

fn setting(name: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is no whole number"))
}

/// Makes the inputs of one case.
pub struct Trial<'a> {
    random: fastrand::Rng,
    edges: &'a [usize],
    /// The maximum of each length that the kernel has requested in this case.
    asked: Vec<usize>,
    /// The index and value of the one length that is fixed in this case.
    given: Option<(usize, usize)>,
    what: String,
}

/// Returns every length of the first blocks (padding moves through the last, and groups
/// of blocks have every size), then lengths around the multiples of every edge, and
/// around those of the widest edge plus or minus one of the others.
fn lengths_around(edges: &[usize], longest: usize) -> Vec<usize> {
    let widest = edges.iter().copied().max().unwrap_or(1);
    let mut lengths: BTreeSet<usize> = (0..=(10 * widest).min(EVERY_LENGTH)).collect();
    for &edge in edges {
        for multiple in (1..=20).map(|n| n * edge) {
            lengths.extend(multiple - 1..=multiple + 1);
            for other in edges.iter().filter(|_| edge == widest) {
                let (less, more) = (multiple - other, multiple + other);
                lengths.extend((less.max(1) - 1..=less + 1).chain(more - 1..=more + 1));
            }
        }
    }
    lengths.into_iter().filter(|length| *length <= longest).collect()
}

impl Trial<'_> {
    pub fn number(&mut self, range: RangeInclusive<usize>) -> usize {
        self.random.usize(range)
    }

    pub fn coin(&mut self) -> bool {
        self.random.bool()
    }

    pub fn element<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.usize(..of.len())]
    }

    /// Returns the length in bytes of one of the kernel's inputs or outputs.
    pub fn length(&mut self, longest: usize) -> usize {
        let input = self.asked.len();
        self.asked.push(longest);
        match self.given {
            Some((given, length)) if given == input => length,
            _ => self.random_length(longest),
        }
    }

    /// Returns mostly a length close to a multiple of an edge; small multiples are more
    /// frequent than large ones.
    fn random_length(&mut self, longest: usize) -> usize {
        if longest == 0 {
            return 0;
        }
        let edge = self.element(self.edges);
        let length = match self.random.u8(..8) {
            0..=4 => {
                let most = self.random.usize(1..=longest.div_ceil(edge));
                let multiple = edge * self.random.usize(0..=most.min(20));
                (multiple + self.random.usize(..3)).saturating_sub(1)
            }
            5 | 6 => self.random.usize(..=2 * edge),
            _ => self.random.usize(..=longest),
        };
        length.min(longest)
    }

    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.random.fill(&mut bytes);
        bytes
    }

    /// Copies bytes to a buffer of their own.
    pub fn placed(&mut self, bytes: &[u8]) -> Guarded {
        let place = match self.random.u8(..3) {
            0 => Place::Begin,
            1 => Place::End,
            _ => Place::Behind(self.random.usize(..LONGEST)),
        };
        Guarded::new(bytes, place)
    }

    /// Returns random bytes in a buffer of their own.
    pub fn input(&mut self, length: usize) -> Guarded {
        let bytes = self.bytes(length);
        self.placed(&bytes)
    }

    /// Returns a buffer for a result, filled with bytes that are not the result.
    pub fn output(&mut self, length: usize) -> Guarded {
        self.placed(&vec![0xa5; length])
    }

    /// Returns the ends of up to five pieces, the last of which ends at `length`.
    pub fn ends(&mut self, length: usize) -> Vec<usize> {
        let cuts = self.random.usize(..=4);
        let mut ends: Vec<usize> = (0..cuts).map(|_| self.random_length(length)).collect();
        ends.push(length);
        ends.sort_unstable();
        ends
    }

    /// Splits bytes into pieces, each in a buffer of its own.
    pub fn pieces(&mut self, bytes: &[u8]) -> Vec<Guarded> {
        let mut begin = 0;
        let mut pieces = Vec::new();
        for end in self.ends(bytes.len()) {
            pieces.push(self.placed(&bytes[begin..end]));
            begin = end;
        }
        pieces
    }

    /// # Panics
    /// Panics if they differ.
    pub fn compare(&self, actual: &[u8], expected: &[u8], how: &str) {
        assert!(
            actual == expected,
            "{}: {how} is wrong: {} bytes for {}, the first other one at {:?}",
            self.what,
            actual.len(),
            expected.len(),
            actual.iter().zip(expected).position(|(a, b)| a != b)
        );
    }
}

/// Prints what was being tried if memory beside a buffer is touched, which ends the
/// process.
mod crash {
    use std::ffi::c_int;
    use std::ptr;
    use std::sync::Once;
    use std::sync::atomic::{AtomicPtr, Ordering};

    static TRIED: AtomicPtr<String> = AtomicPtr::new(ptr::null_mut());

    pub fn announce(what: &str) {
        static INSTALL: Once = Once::new();
        // Miri has no signals.
        if cfg!(miri) {
            return;
        }
        let text = format!("{what}: memory beyond a buffer was touched\n");
        // The text is never freed, because a signal may arrive at any time; there are few
        // texts.
        TRIED.store(Box::into_raw(Box::new(text)), Ordering::Release);
        INSTALL.call_once(|| {
            for signal in [libc::SIGSEGV, libc::SIGBUS] {
                let handler = tell as extern "C" fn(c_int);
                // SAFETY: the handler calls nothing but what a handler may.
                unsafe { libc::signal(signal, handler as libc::sighandler_t) };
            }
        });
    }

    extern "C" fn tell(signal: c_int) {
        // SAFETY: the text was stored whole and is never freed; write, signal and raise
        // may be called from a handler.
        unsafe {
            if let Some(text) = TRIED.load(Ordering::Acquire).as_ref() {
                libc::write(2, text.as_ptr().cast(), text.len());
            }
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
