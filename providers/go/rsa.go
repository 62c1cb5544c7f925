package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
)

// RSA by SHA-256; the salt of PSS is as long as the digest.
func rsaKeys() []implementation {
	salt := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
	secret := func(it *given) (*rsa.PrivateKey, error) { return x509.ParsePKCS1PrivateKey(it.in[roleSecretKey]) }
	public := func(it *given) (*rsa.PublicKey, error) { return x509.ParsePKCS1PublicKey(it.in[rolePublicKey]) }
	// What is put out has its length, or nothing is.
	put := func(it *given, made []byte, err error) error {
		copy(it.all, made)
		return err
	}
	var all []implementation
	for _, bits := range []int{2048, 3072, 4096} {
		name := func(scheme string) string { return fmt.Sprintf("rsa-%d-%s", bits, scheme) }
		publicKey, secretKey := fixed(rolePublicKey, bits/8+14), secretKeyLength(bits/8)
		signature := fixed(roleSignature, bits/8)
		ciphertext, shared := fixed(roleCiphertext, bits/8), fixed(roleSharedSecret, 32)
		all = append(all,
			implementation{name("pkcs1"), opSign, 1, []length{secretKey, signature}, keyed(secret, func(key *rsa.PrivateKey, it *given) error {
				digest := sha256.Sum256(it.in[roleMessage])
				made, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
				return put(it, made, err)
			})},
			implementation{name("pkcs1"), opVerify, 1, []length{publicKey, signature}, keyed(public, func(key *rsa.PublicKey, it *given) error {
				digest := sha256.Sum256(it.in[roleMessage])
				return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], it.in[roleSignature])
			})},
			implementation{name("pss"), opSign, 1, []length{secretKey, signature}, keyed(secret, func(key *rsa.PrivateKey, it *given) error {
				digest := sha256.Sum256(it.in[roleMessage])
				made, err := rsa.SignPSS(rand.Reader, key, crypto.SHA256, digest[:], salt)
				return put(it, made, err)
			})},
			implementation{name("pss"), opVerify, 1, []length{publicKey, signature}, keyed(public, func(key *rsa.PublicKey, it *given) error {
				digest := sha256.Sum256(it.in[roleMessage])
				return rsa.VerifyPSS(key, crypto.SHA256, digest[:], it.in[roleSignature], salt)
			})},
			implementation{name("oaep"), opPublicEncrypt, 1, []length{publicKey, ciphertext, shared}, keyed(public, func(key *rsa.PublicKey, it *given) error {
				made, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, key, it.in[roleSharedSecret], nil)
				return put(it, made, err)
			})},
			implementation{name("oaep"), opPrivateDecrypt, 1, []length{secretKey, ciphertext, shared}, keyed(secret, func(key *rsa.PrivateKey, it *given) error {
				made, err := rsa.DecryptOAEP(sha256.New(), nil, key, it.in[roleCiphertext], nil)
				return put(it, made, err)
			})},
		)
	}
	return all
}

// DER leaves leading zeros out of what a secret key consists of: as key_pairs.h has it.
func secretKeyLength(modulus int) length {
	usual := uint64(modulus/2*9 + 40)
	return length{roleSecretKey, usual - 16, usual, usual + 16}
}
