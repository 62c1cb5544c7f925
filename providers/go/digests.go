package main

import "C"

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"hash"
)

// Random bytes, hashes, XOFs, MACs and derivations.
func digests() []implementation {
	all := []implementation{{
		primitive: "random", operation: opRandom, lengths: []length{free(roleOutput, 32)},
		ready: plain(func(it *given) error {
			_, err := rand.Read(it.all)
			return err
		}),
	}}
	for _, it := range []struct {
		name  string
		bytes int
		make  func() hash.Hash
		once  func(message, digest []byte)
	}{
		{"md5", 16, md5.New, func(m, d []byte) { sum := md5.Sum(m); copy(d, sum[:]) }},
		{"sha1", 20, sha1.New, func(m, d []byte) { sum := sha1.Sum(m); copy(d, sum[:]) }},
		{"sha224", 28, sha256.New224, func(m, d []byte) { sum := sha256.Sum224(m); copy(d, sum[:]) }},
		{"sha256", 32, sha256.New, func(m, d []byte) { sum := sha256.Sum256(m); copy(d, sum[:]) }},
		{"sha384", 48, sha512.New384, func(m, d []byte) { sum := sha512.Sum384(m); copy(d, sum[:]) }},
		{"sha512", 64, sha512.New, func(m, d []byte) { sum := sha512.Sum512(m); copy(d, sum[:]) }},
		{"sha512-224", 28, sha512.New512_224, func(m, d []byte) { sum := sha512.Sum512_224(m); copy(d, sum[:]) }},
		{"sha512-256", 32, sha512.New512_256, func(m, d []byte) { sum := sha512.Sum512_256(m); copy(d, sum[:]) }},
		{"sha3-224", 28, of(sha3.New224), func(m, d []byte) { sum := sha3.Sum224(m); copy(d, sum[:]) }},
		{"sha3-256", 32, of(sha3.New256), func(m, d []byte) { sum := sha3.Sum256(m); copy(d, sum[:]) }},
		{"sha3-384", 48, of(sha3.New384), func(m, d []byte) { sum := sha3.Sum384(m); copy(d, sum[:]) }},
		{"sha3-512", 64, of(sha3.New512), func(m, d []byte) { sum := sha3.Sum512(m); copy(d, sum[:]) }},
	} {
		all = append(all, implementation{
			primitive: it.name, operation: opHash, lengths: []length{fixed(roleDigest, it.bytes)},
			ready: hashing(it.make, it.once),
		}, implementation{
			primitive: "hmac-" + it.name, operation: opMac,
			lengths: []length{free(roleKey, 32), fixed(roleTag, it.bytes)},
			ready: keyed(func(case_ *given) (hash.Hash, error) {
				return hmac.New(it.make, case_.in[roleKey]), nil
			}, func(mac hash.Hash, case_ *given) error {
				mac.Reset()
				mac.Write(case_.in[roleMessage])
				mac.Sum(case_.all[:0])
				return nil
			}),
		}, implementation{
			primitive: "hkdf-" + it.name, operation: opDerive,
			lengths: []length{
				free(rolePassword, 16), free(roleSalt, 16), free(roleInfo, 0),
				{roleOutput, 0, 32, uint64(255 * it.bytes)},
			},
			ready: plain(func(case_ *given) error {
				info := string(case_.in[roleInfo])
				key, err := hkdf.Key(it.make, case_.in[rolePassword], case_.in[roleSalt], info, len(case_.all))
				copy(case_.all, key)
				return err
			}),
		}, implementation{
			primitive: "pbkdf2-hmac-" + it.name, operation: opDerive,
			lengths: []length{free(rolePassword, 16), free(roleSalt, 16), free(roleOutput, 32)},
			ready: func(_ uint32, cases []given, iterations uint64) (work, error) {
				return func(number int) error {
					case_ := &cases[number]
					password := string(case_.in[rolePassword])
					key, err := pbkdf2.Key(it.make, password, case_.in[roleSalt], int(iterations), len(case_.all))
					copy(case_.all, key)
					return err
				}, nil
			},
		})
	}
	for _, it := range []struct {
		name string
		make func() *sha3.SHAKE
	}{{"shake128", sha3.NewSHAKE128}, {"shake256", sha3.NewSHAKE256}} {
		all = append(all, implementation{
			primitive: it.name, operation: opXof, lengths: []length{free(roleOutput, 32)},
			ready: keyed(func(*given) (*sha3.SHAKE, error) {
				return it.make(), nil
			}, func(xof *sha3.SHAKE, case_ *given) error {
				xof.Reset()
				xof.Write(case_.in[roleMessage])
				xof.Read(case_.all)
				return nil
			}),
		})
	}
	return all
}

func of[H hash.Hash](make func() H) func() hash.Hash { return func() hash.Hash { return make() } }

// By a hash that is kept, or by the function for one message.
func hashing(make func() hash.Hash, once func(message, digest []byte)) ready {
	return func(contract uint32, cases []given, _ uint64) (work, error) {
		if contract == oneshot {
			return func(number int) error {
				once(cases[number].in[roleMessage], cases[number].all)
				return nil
			}, nil
		}
		kept := make()
		return func(number int) error {
			kept.Reset()
			kept.Write(cases[number].in[roleMessage])
			kept.Sum(cases[number].all[:0])
			return nil
		}, nil
	}
}
