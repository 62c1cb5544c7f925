package main

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"errors"
	"math/big"
)

var errRejected = errors.New("Go rejects the signature")

// Key pairs on curves. ML-KEM is left out: Go reads and writes no secret key of it but the seed.
func curves() []implementation {
	all := edwards()
	all = append(all, agreement("x25519", ecdh.X25519(), 32, 32)...)
	for _, it := range []struct {
		name  string
		bytes int
		ecdh  ecdh.Curve
		ecdsa elliptic.Curve
		hash  crypto.Hash
	}{
		{"p256", 32, ecdh.P256(), elliptic.P256(), crypto.SHA256},
		{"p384", 48, ecdh.P384(), elliptic.P384(), crypto.SHA384},
		{"p521", 66, ecdh.P521(), elliptic.P521(), crypto.SHA512},
	} {
		all = append(all, agreement("ecdh-"+it.name, it.ecdh, 1+2*it.bytes, it.bytes)...)
		all = append(all, signatures("ecdsa-"+it.name, it.ecdsa, it.bytes, it.hash)...)
	}
	return all
}

func agreement(name string, curve ecdh.Curve, public, secret int) []implementation {
	publicKey, secretKey := fixed(rolePublicKey, public), fixed(roleSecretKey, secret)
	pair := []length{publicKey, secretKey}
	type keys struct {
		own  *ecdh.PrivateKey
		peer *ecdh.PublicKey
	}
	return []implementation{
		{name, opKeygen, 1, pair, plain(func(it *given) error {
			key, err := curve.GenerateKey(rand.Reader)
			if err != nil {
				return err
			}
			copy(it.out[rolePublicKey], key.PublicKey().Bytes())
			copy(it.out[roleSecretKey], key.Bytes())
			return nil
		})},
		// A key that is kept knows its public key.
		{name, opPublicKey, 1, pair, plain(func(it *given) error {
			key, err := curve.NewPrivateKey(it.in[roleSecretKey])
			if err != nil {
				return err
			}
			copy(it.all, key.PublicKey().Bytes())
			return nil
		})},
		{name, opAgree, 1, append(pair, fixed(roleSharedSecret, secret)),
			keyed(func(it *given) (keys, error) {
				own, err := curve.NewPrivateKey(it.in[roleSecretKey])
				if err != nil {
					return keys{}, err
				}
				peer, err := curve.NewPublicKey(it.in[rolePublicKey])
				return keys{own, peer}, err
			}, func(key keys, it *given) error {
				shared, err := key.own.ECDH(key.peer)
				copy(it.all, shared)
				return err
			})},
	}
}

func signatures(name string, curve elliptic.Curve, bytes int, hash crypto.Hash) []implementation {
	publicKey, secretKey := fixed(rolePublicKey, 1+2*bytes), fixed(roleSecretKey, bytes)
	signature := fixed(roleSignature, 2*bytes)
	secret := func(it *given) (*ecdsa.PrivateKey, error) {
		return ecdsa.ParseRawPrivateKey(curve, it.in[roleSecretKey])
	}
	digest := func(it *given) []byte {
		state := hash.New()
		state.Write(it.in[roleMessage])
		return state.Sum(nil)
	}
	write := func(key *ecdsa.PrivateKey, err error, public, secret []byte) error {
		if err != nil {
			return err
		}
		made, err := key.PublicKey.Bytes()
		copy(public, made)
		if err == nil && secret != nil {
			made, err = key.Bytes()
			copy(secret, made)
		}
		return err
	}
	return []implementation{
		{name, opKeygen, 1, []length{publicKey, secretKey}, plain(func(it *given) error {
			key, err := ecdsa.GenerateKey(curve, rand.Reader)
			return write(key, err, it.out[rolePublicKey], it.out[roleSecretKey])
		})},
		{name, opPublicKey, 1, []length{publicKey, secretKey}, plain(func(it *given) error {
			key, err := secret(it)
			return write(key, err, it.all, nil)
		})},
		{name, opSign, 1, []length{secretKey, signature}, keyed(secret, func(key *ecdsa.PrivateKey, it *given) error {
			r, s, err := ecdsa.Sign(rand.Reader, key, digest(it))
			if err != nil {
				return err
			}
			r.FillBytes(it.all[:bytes])
			s.FillBytes(it.all[bytes:])
			return nil
		})},
		{name, opVerify, 1, []length{publicKey, signature}, keyed(func(it *given) (*ecdsa.PublicKey, error) {
			return ecdsa.ParseUncompressedPublicKey(curve, it.in[rolePublicKey])
		}, func(key *ecdsa.PublicKey, it *given) error {
			r := new(big.Int).SetBytes(it.in[roleSignature][:bytes])
			s := new(big.Int).SetBytes(it.in[roleSignature][bytes:])
			return accepted(ecdsa.Verify(key, digest(it), r, s))
		})},
	}
}

func accepted(is bool) error {
	if is {
		return nil
	}
	return errRejected
}

func edwards() []implementation {
	publicKey, secretKey := fixed(rolePublicKey, 32), fixed(roleSecretKey, 32)
	signature := fixed(roleSignature, 64)
	return []implementation{
		{"ed25519", opKeygen, 1, []length{publicKey, secretKey}, plain(func(it *given) error {
			public, secret, err := ed25519.GenerateKey(rand.Reader)
			copy(it.out[rolePublicKey], public)
			copy(it.out[roleSecretKey], secret.Seed())
			return err
		})},
		{"ed25519", opPublicKey, 1, []length{publicKey, secretKey}, plain(func(it *given) error {
			copy(it.all, ed25519.NewKeyFromSeed(it.in[roleSecretKey])[32:])
			return nil
		})},
		{"ed25519", opSign, 1, []length{secretKey, signature}, keyed(func(it *given) (ed25519.PrivateKey, error) {
			return ed25519.NewKeyFromSeed(it.in[roleSecretKey]), nil
		}, func(key ed25519.PrivateKey, it *given) error {
			copy(it.all, ed25519.Sign(key, it.in[roleMessage]))
			return nil
		})},
		{"ed25519", opVerify, 1, []length{publicKey, signature}, plain(func(it *given) error {
			return accepted(ed25519.Verify(it.in[rolePublicKey], it.in[roleMessage], it.in[roleSignature]))
		})},
	}
}
