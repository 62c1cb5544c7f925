// Includes the library's headers, as far as this version has them.
#pragma once

// Gives access to weak algorithms, which bench-slopes and users measure, too.
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include <cryptopp/3way.h>
#include <cryptopp/adler32.h>
#include <cryptopp/aes.h>
#include <cryptopp/arc4.h>
#include <cryptopp/aria.h>
#include <cryptopp/blake2.h>
#include <cryptopp/blowfish.h>
#include <cryptopp/camellia.h>
#include <cryptopp/cast.h>
#include <cryptopp/cbcmac.h>
#include <cryptopp/ccm.h>
#include <cryptopp/chacha.h>
#include <cryptopp/cham.h>
#include <cryptopp/cmac.h>
#include <cryptopp/crc.h>
#include <cryptopp/des.h>
#include <cryptopp/dmac.h>
#include <cryptopp/eax.h>
#include <cryptopp/gcm.h>
#include <cryptopp/gost.h>
#include <cryptopp/hc128.h>
#include <cryptopp/hc256.h>
#include <cryptopp/hight.h>
#include <cryptopp/hkdf.h>
#include <cryptopp/hmac.h>
#include <cryptopp/idea.h>
#include <cryptopp/kalyna.h>
#include <cryptopp/keccak.h>
#include <cryptopp/lea.h>
#include <cryptopp/mars.h>
#include <cryptopp/md2.h>
#include <cryptopp/md4.h>
#include <cryptopp/md5.h>
#include <cryptopp/modes.h>
#include <cryptopp/panama.h>
#include <cryptopp/poly1305.h>
#include <cryptopp/pwdbased.h>
#include <cryptopp/rabbit.h>
#include <cryptopp/rc2.h>
#include <cryptopp/rc5.h>
#include <cryptopp/rc6.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/safer.h>
#include <cryptopp/salsa.h>
#include <cryptopp/scrypt.h>
#include <cryptopp/seal.h>
#include <cryptopp/seed.h>
#include <cryptopp/serpent.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/shacal2.h>
#include <cryptopp/shark.h>
#include <cryptopp/simeck.h>
#include <cryptopp/simon.h>
#include <cryptopp/siphash.h>
#include <cryptopp/skipjack.h>
#include <cryptopp/sm3.h>
#include <cryptopp/sm4.h>
#include <cryptopp/sosemanuk.h>
#include <cryptopp/speck.h>
#include <cryptopp/square.h>
#include <cryptopp/tea.h>
#include <cryptopp/threefish.h>
#include <cryptopp/tiger.h>
#include <cryptopp/ttmac.h>
#include <cryptopp/twofish.h>
#include <cryptopp/vmac.h>
#include <cryptopp/wake.h>
#include <cryptopp/whrlpool.h>
// Some versions of Crypto++ 8 lack these headers.
#if __has_include(<cryptopp/chachapoly.h>)
#include <cryptopp/chachapoly.h>
#define SHIM_HAS_8_1 1
#endif
#if __has_include(<cryptopp/shake.h>)
#include <cryptopp/shake.h>
#define SHIM_HAS_SHAKE 1
#endif
#if __has_include(<cryptopp/xts.h>)
#include <cryptopp/xts.h>
#define SHIM_HAS_XTS 1
#endif
#if __has_include(<cryptopp/lsh.h>)
#include <cryptopp/lsh.h>
#define SHIM_HAS_LSH 1
#endif
