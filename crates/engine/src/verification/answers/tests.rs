use super::*;
use cpb_libraries::{Identity, Inputs};

/// Returns the given outputs in turn.
struct Told(Vec<Vec<u8>>, usize);

impl Prepared for Told {
    fn run(&mut self, calls: u64) {
        self.1 += calls as usize;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(self.0[self.1 % self.0.len()].clone())
    }
}

#[test]
fn what_repeats_or_leans_does_not_look_random() {
    // Digests of a counter look random enough here.
    let digest = |number: u32| cpb_kernels::sha3::Sha3_256::digest(&number.to_le_bytes());
    let random: Vec<Vec<u8>> = (0..64).map(|number| digest(number).to_vec()).collect();
    let found = |outputs: &[Vec<u8>]| looks_random(&mut Told(outputs.to_vec(), 0));
    assert_eq!(found(&random), Ok(()));
    let bytes: Vec<Vec<u8>> = random.iter().flatten().map(|byte| vec![*byte]).collect();
    assert_eq!(found(&bytes), Ok(()), "short ones may be alike");
    assert!(found(&random[..63]).unwrap_err().contains("the same"));
    let leaning: Vec<Vec<u8>> =
        random.iter().map(|it| it.iter().map(|byte| byte | 1).collect()).collect();
    assert!(found(&leaning).unwrap_err().contains("bits are ones"));
    assert!(found(&[Vec::new()]).unwrap_err().contains("nothing"));
}

/// Wraps our kernels, and flips the last bit of every output.
struct Faulty(Box<dyn Library>);

struct FaultyCall(Box<dyn Prepared>);

impl Library for Faulty {
    fn identity(&self) -> Identity {
        self.0.identity()
    }

    fn offers(&self) -> &[Offer] {
        self.0.offers()
    }

    fn ready(
        &self,
        offer: &Offer,
        contract: Contract,
        inputs: Inputs,
    ) -> Result<Box<dyn Prepared>, PrepareError> {
        Ok(Box::new(FaultyCall(self.0.ready(offer, contract, inputs)?)))
    }
}

impl Prepared for FaultyCall {
    fn run(&mut self, calls: u64) {
        self.0.run(calls);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        let mut output = self.0.output()?;
        if let Some(last) = output.last_mut() {
            *last ^= 1;
        }
        Ok(output)
    }
}

/// Opens our kernels and returns their offers here, except inverses.
fn native() -> (Box<dyn Library>, Vec<Offer>) {
    let library = cpb_libraries::open("native", None).unwrap();
    let mut offers = library.offers().to_vec();
    offers.retain(|offer| offer.operation.inverse().is_none() && offer.unavailable.is_none());
    (library, offers)
}

#[test]
fn our_kernels_have_known_answers_and_give_them() {
    let (library, offers) = native();
    for offer in offers {
        let Offer { primitive, operation, backend, .. } = &offer;
        assert!(has_known_answers(primitive, *operation), "{primitive}");
        assert_eq!(known_answers(&*library, &offer), Ok(()), "{primitive} {backend}");
    }
}

#[test]
fn an_answer_that_is_not_the_known_one_is_wrong() {
    let (library, offers) = native();
    let faulty = Faulty(library);
    for (primitive, operation) in [
        ("poly1305", Operation::Mac),
        ("chacha20", Operation::Encrypt),
        ("chacha20-poly1305", Operation::Seal),
        ("chacha20-poly1305", Operation::Auth),
        ("hmac-sha256", Operation::Mac),
        ("hkdf-sha256", Operation::Derive),
    ] {
        let offer = offers.iter().find(|o| o.primitive == primitive && o.operation == operation);
        let found = known_answers(&faulty, offer.unwrap());
        assert!(matches!(found, Err(WrongAnswer::Differs { .. })), "{primitive}: {found:?}");
    }
}

/// A primitive without known answers.
const UNKNOWN: &str = "no-such-primitive";

type Outputs<'a> = &'a [(&'a str, &'a str, Option<&'a str>)];

fn judged(primitive: &str, outputs: Outputs<'_>) -> Vec<Result<Verification, Failure>> {
    let owned: Vec<Option<Vec<String>>> =
        outputs.iter().map(|(_, _, text)| text.map(|text| vec![text.to_owned()])).collect();
    let answers: Vec<Answer<'_>> = outputs
        .iter()
        .zip(&owned)
        .map(|((library, backend, _), outputs)| Answer {
            library,
            backend,
            outputs: outputs.as_deref(),
        })
        .collect();
    judge(Evidence::of(primitive, Operation::Hash), &answers)
}

#[test]
fn the_reference_decides_where_there_is_one() {
    let outputs: Outputs<'_> = &[
        ("native", "portable", Some("a")),
        ("native", "avx2", Some("a")),
        ("openssl", "default", Some("b")),
        ("gcrypt", "default", Some("b")),
    ];
    let found = judged("sha3-256", outputs);
    assert_eq!(found[0], Ok(Verification::KnownAnswer));
    assert!(matches!(found[1], Ok(Verification::Reference { .. })));
    assert!(found[2].is_err() && found[3].is_err());
}

#[test]
fn our_kernels_are_no_reference_where_nothing_confirms_them() {
    let found = judged(
        UNKNOWN,
        &[("native", "portable", Some("a")), ("b", "", Some("x")), ("c", "", Some("x"))],
    );
    assert!(found[0].is_err() && found[1].is_ok() && found[2].is_ok());
    let alone = judged(UNKNOWN, &[("native", "portable", Some("a"))]);
    assert!(matches!(alone[0], Ok(Verification::Unverified { .. })));
}

#[test]
fn two_libraries_that_agree_confirm_each_other() {
    let found =
        judged(UNKNOWN, &[("a", "", Some("x")), ("b", "", Some("x")), ("c", "", Some("y"))]);
    assert_eq!(found[0], Ok(Verification::Agreement { with: vec!["b".to_owned()] }));
    assert_eq!(found[2].as_ref().unwrap_err().kind, cpb_model::FailureKind::WrongAnswer);
}

#[test]
fn one_against_one_and_one_alone_are_unverified() {
    let found = judged(UNKNOWN, &[("a", "", Some("x")), ("b", "", Some("y"))]);
    assert!(found.iter().all(|f| matches!(f, Ok(Verification::Unverified { .. }))));
    let two_builds = judged(UNKNOWN, &[("a", "", Some("x")), ("a", "", Some("x"))]);
    assert!(two_builds.iter().all(|f| matches!(f, Ok(Verification::Unverified { .. }))));
    assert!(judged(UNKNOWN, &[("a", "", None)])[0].is_err());
}

#[test]
fn only_who_is_evidence_is_asked() {
    let asked = |primitive: &str, operation| {
        let evidence = Evidence::of(primitive, operation);
        [("native", "portable"), ("native", "avx2"), ("gcrypt", "default")]
            .map(|(library, backend)| evidence.includes(library, backend))
    };
    assert_eq!(asked("sha3-256", Operation::Hash), [true, false, false]);
    assert_eq!(asked(UNKNOWN, Operation::Hash), [true; 3]);
    assert_eq!(asked(UNKNOWN, Operation::Decrypt), [false; 3]);
    assert_eq!(asked(UNKNOWN, Operation::Random), [false; 3]);
}
