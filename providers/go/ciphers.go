package main

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"unsafe"
)

const (
	nonceBytes = 12
	tagBytes   = 16
	pageBytes  = 4096
)

// AES by its modes.
func ciphers() []implementation {
	var all []implementation
	for _, bits := range []int{128, 192, 256} {
		name := func(mode string) string { return fmt.Sprintf("aes-%d-%s", bits, mode) }
		block := []length{fixed(roleKey, bits/8), fixed(roleNonce, aes.BlockSize)}
		aead := []length{
			fixed(roleKey, bits/8), fixed(roleNonce, nonceBytes), free(roleAad, 0), fixed(roleTag, tagBytes),
		}
		all = append(all,
			implementation{name("ctr"), opEncrypt, 1, block, keyed(blockCipher, ctr)},
			implementation{name("ctr"), opDecrypt, 1, block, keyed(blockCipher, ctr)},
			implementation{name("cbc"), opEncrypt, aes.BlockSize, block, keyed(blockCipher, cbc(cipher.NewCBCEncrypter))},
			implementation{name("cbc"), opDecrypt, aes.BlockSize, block, keyed(blockCipher, cbc(cipher.NewCBCDecrypter))},
			implementation{name("gcm"), opSeal, 1, aead, keyed(gcm, func(key cipher.AEAD, it *given) error {
				key.Seal(it.all[:0], it.in[roleNonce], it.in[roleMessage], it.in[roleAad])
				return nil
			})},
			implementation{name("gcm"), opOpen, 1, aead, opening},
		)
	}
	return all
}

func blockCipher(it *given) (cipher.Block, error) { return aes.NewCipher(it.in[roleKey]) }

func gcm(it *given) (cipher.AEAD, error) {
	block, err := blockCipher(it)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// What is encrypted or decrypted: one of them is there.
func text(it *given) []byte {
	if it.in[roleCiphertext] != nil {
		return it.in[roleCiphertext]
	}
	return it.in[roleMessage]
}

func ctr(key cipher.Block, it *given) error {
	cipher.NewCTR(key, it.in[roleNonce]).XORKeyStream(it.all, text(it))
	return nil
}

func cbc(mode func(cipher.Block, []byte) cipher.BlockMode) func(cipher.Block, *given) error {
	return func(key cipher.Block, it *given) error {
		mode(key, it.in[roleNonce]).CryptBlocks(it.all, text(it))
		return nil
	}
}

// Go wants the tag behind the ciphertext: both are joined outside of all calls, placed in its
// page as the ciphertext was.
func opening(contract uint32, cases []given, iterations uint64) (work, error) {
	for number := range cases {
		it := &cases[number]
		it.in[roleCiphertext] = joined(it.in[roleCiphertext], it.in[roleTag])
	}
	open := keyed(gcm, func(key cipher.AEAD, it *given) error {
		_, err := key.Open(it.all[:0], it.in[roleNonce], it.in[roleCiphertext], it.in[roleAad])
		return err
	})
	return open(contract, cases, iterations)
}

func joined(text, tag []byte) []byte {
	room := make([]byte, 2*pageBytes+len(text)+len(tag))
	wanted := uintptr(unsafe.Pointer(unsafe.SliceData(text))) % pageBytes
	here := uintptr(unsafe.Pointer(unsafe.SliceData(room))) % pageBytes
	place := (wanted + pageBytes - here) % pageBytes
	return append(append(room[place:place], text...), tag...)
}
