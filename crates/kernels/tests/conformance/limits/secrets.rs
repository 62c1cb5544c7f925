//! Tests that `Debug` does not print keys.

use cpb_kernels::{chacha20::ChaCha20, chacha20_poly1305::ChaCha20Poly1305, poly1305::Poly1305};

#[test]
fn nothing_that_is_printed_depends_on_a_key() {
    let printed = |byte: u8| {
        let key = [byte; 32];
        let mut cipher = ChaCha20::new(&key, &[0; 12], 0);
        cipher.apply_keystream(&mut [0; 5]).unwrap();
        let mut mac = Poly1305::new(&key);
        // The message is long enough for powers of the key, and leaves some bytes
        // in the buffer.
        mac.update(&[1; 4101]);
        format!("{cipher:?} {mac:?} {:#?}", ChaCha20Poly1305::new(&key))
    };
    assert_eq!(printed(1), printed(2));
    assert!(printed(1).contains("ChaCha20 { backend: "), "{}", printed(1));
}
