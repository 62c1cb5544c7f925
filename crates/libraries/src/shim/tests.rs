use super::*;

const NONE: Shim = Shim {
    name: "none",
    title: "None",
    about: "none",
    packages: &["libnone-dev"],
    sonames: &["libnone."],
    symbol: "none",
    beside: &[],
    installed: None,
    built: Built::NoHeaders,
};

fn reason_and_remedy(built: Built) -> (String, String) {
    match open(&Shim { built, ..NONE }, None, None) {
        Err(OpenError::Missing { library, reason, remedy }) => {
            assert_eq!(library, "none");
            (reason, remedy)
        }
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it opened"),
    }
}

#[test]
fn what_became_of_the_shim_is_said_with_a_remedy() {
    let (reason, remedy) = reason_and_remedy(Built::NoHeaders);
    assert_eq!(reason, "cpb was built without None's headers");
    assert_eq!(remedy, "apt-get install libnone-dev and build cpb again");
    let (reason, remedy) = reason_and_remedy(Built::Failed("x.cpp:1: error: no"));
    assert_eq!(reason, "cpb's shim for None did not compile: x.cpp:1: error: no");
    assert_eq!(remedy, "apt-get install g++ libnone-dev and build cpb again");
    let (_, remedy) = reason_and_remedy(Built::OtherTarget);
    assert!(remedy.contains("Linux"), "{remedy}");
    let (reason, remedy) = reason_and_remedy(Built::NoCompiler("cc"));
    assert_eq!(reason, "cpb was built without its shim for None, as there was no cc");
    assert!(remedy.contains("gcc"), "{remedy}");
}

#[test]
fn a_shim_without_its_library_is_refused() {
    match open(&Shim { built: Built::Shim(b"no ELF file"), ..NONE }, None, None) {
        Err(OpenError::Refused { reason, .. }) => {
            assert_eq!(reason, "its shim was not linked with a shared library of None");
        }
        other => panic!("{:?}", other.err()),
    }
}

#[test]
fn a_library_that_is_not_installed_is_missing_with_its_package() {
    let error = load_installed(&NONE, "libnone-3.so.7").err();
    let Some(OpenError::Missing { library, reason, remedy }) = error else { panic!("{error:?}") };
    assert_eq!((library.as_str(), remedy.as_str()), ("none", "apt-get install libnone-3-7"));
    assert!(reason.contains("libnone-3.so.7"), "{reason}");
}

#[test]
fn packages_follow_debians_rule() {
    assert_eq!(debian_package("libbotan-2.so.19"), "libbotan-2-19");
    assert_eq!(debian_package("libbotan-3.so.5"), "libbotan-3-5");
    assert_eq!(debian_package("libcrypto++.so.8"), "libcrypto++8");
    assert_eq!(debian_package("libnss3.so"), "libnss3");
    assert_eq!(debian_package("libIPSec_MB.so.1"), "libipsec-mb1");
}
