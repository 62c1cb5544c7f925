/* Offers the Linux kernel's own algorithms through AF_ALG, as a provider of cpb_provider.h.
 * Measures what they cost a program, including the system calls that each message needs.
 *
 * Under keyed a call sends the message to an existing socket that has the key, and reads the
 * answer; under oneshot it also creates the sockets. Authenticated encryption is not offered,
 * because the kernel needs associated data and message in one piece. */
#define _GNU_SOURCE
#define LIBRARY "af-alg"
#include "shim.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef SOL_ALG
#define SOL_ALG 279
#endif

static const char *version(void) {
    static struct utsname kernel;
    return uname(&kernel) == 0 ? kernel.release : "unknown";
}

static const char *code_path(void) { return NULL; }

static int connect_to(const char *type, const char *algorithm) {
    struct sockaddr_alg address = {.salg_family = AF_ALG};
    snprintf((char *)address.salg_type, sizeof address.salg_type, "%s", type);
    snprintf((char *)address.salg_name, sizeof address.salg_name, "%s", algorithm);
    const int made = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (made >= 0 && bind(made, (struct sockaddr *)&address, sizeof address) != 0) {
        close(made);
        return -1;
    }
    return made;
}

/* Says why no algorithm of the kernel can be called here, and sets the remedy; null if they
 * can. */
EXPORTED const char *cpb_shim_refusal(const char **remedy) {
    static char reason[160];
    const int made = connect_to("hash", "sha256");
    if (made >= 0) {
        close(made);
        return NULL;
    }
    snprintf(reason, sizeof reason, "the kernel gives no AF_ALG socket here (%s)",
             strerror(errno));
    *remedy = "load its modules (modprobe af_alg algif_hash algif_skcipher), or install a kernel "
              "that has them; containers often have neither";
    return reason;
}

/* The kernel's type and name of an algorithm, and the offers made with it. */
struct algorithm {
    const char *type, *name;
};

struct sockets {
    int bound, accepted;
};
PART sockets_begin(struct call *call, struct sockets *state) {
    const struct algorithm *algorithm = call->how;
    state->accepted = -1;
    state->bound = connect_to(algorithm->type, algorithm->name);
    if (state->bound < 0) {
        expect(call, errno);
        return;
    }
    if (call->in.key_bytes != 0 &&
        setsockopt(state->bound, SOL_ALG, ALG_SET_KEY, call->in.key,
                   (socklen_t)call->in.key_bytes) != 0) {
        expect(call, errno);
        return;
    }
    state->accepted = accept4(state->bound, NULL, NULL, SOCK_CLOEXEC);
    if (state->accepted < 0) expect(call, errno);
}
PART sockets_end(struct call *call, struct sockets *state) {
    if (state->accepted >= 0) close(state->accepted);
    if (state->bound >= 0) close(state->bound);
    state->accepted = state->bound = -1;
}

/* Sends the whole message, then reads the kernel's answer. */
PART digest_message(struct call *call, struct sockets *state) {
    const ssize_t sent = send(state->accepted, MESSAGE, 0);
    expect(call, sent != (ssize_t)call->in.message_bytes ? errno | 1 << 16 : 0);
    const ssize_t got = read(state->accepted, OUTPUT);
    expect(call, got != (ssize_t)call->in.output_bytes ? errno | 1 << 16 : 0);
}
ROUTINE(digest, struct sockets, sockets_begin, digest_message, sockets_end)

/* The most bytes of a message that a socket holds; the initial value goes with the first part. */
#define PART_BYTES ((size_t)32768)
#define LONGEST_IV 16

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(uint32_t)) +
               CMSG_SPACE(sizeof(struct af_alg_iv) + LONGEST_IV)];
};
static inline size_t make_control(const struct call *call, union control *control,
                                  uint32_t direction) {
    struct msghdr header = {.msg_control = control, .msg_controllen = sizeof *control};
    memset(control, 0, sizeof *control);
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_ALG;
    part->cmsg_type = ALG_SET_OP;
    part->cmsg_len = CMSG_LEN(sizeof direction);
    memcpy(CMSG_DATA(part), &direction, sizeof direction);
    if (call->in.nonce_bytes == 0) return CMSG_SPACE(sizeof direction);
    struct cmsghdr *second = CMSG_NXTHDR(&header, part);
    const uint32_t length = (uint32_t)call->in.nonce_bytes;
    second->cmsg_level = SOL_ALG;
    second->cmsg_type = ALG_SET_IV;
    second->cmsg_len = CMSG_LEN(sizeof(struct af_alg_iv) + length);
    memcpy(CMSG_DATA(second), &length, sizeof length);
    memcpy(CMSG_DATA(second) + sizeof length, call->in.nonce, length);
    return CMSG_SPACE(sizeof direction) + CMSG_SPACE(sizeof(struct af_alg_iv) + length);
}

PART crypt_message(struct call *call, struct sockets *state, uint32_t direction) {
    union control control;
    const size_t control_bytes = make_control(call, &control, direction);
    for (size_t at = 0; at < call->in.message_bytes && call->failed == 0; at += PART_BYTES) {
        const size_t left = call->in.message_bytes - at;
        const size_t bytes = left < PART_BYTES ? left : PART_BYTES;
        struct iovec text = {call->in.message + at, bytes};
        struct msghdr header = {.msg_iov = &text, .msg_iovlen = 1};
        if (at == 0) {
            header.msg_control = &control;
            header.msg_controllen = control_bytes;
        }
        const int flags = left > PART_BYTES ? MSG_MORE : 0;
        const ssize_t sent = sendmsg(state->accepted, &header, flags);
        expect(call, sent != (ssize_t)bytes ? errno | 1 << 16 : 0);
        const ssize_t got = read(state->accepted, call->in.destination + at, bytes);
        expect(call, got != (ssize_t)bytes ? errno | 1 << 16 : 0);
    }
}
PART encrypt_message(struct call *call, struct sockets *state) {
    crypt_message(call, state, ALG_OP_ENCRYPT);
}
PART decrypt_message(struct call *call, struct sockets *state) {
    crypt_message(call, state, ALG_OP_DECRYPT);
}
ROUTINE(encryption, struct sockets, sockets_begin, encrypt_message, sockets_end)
ROUTINE(decryption, struct sockets, sockets_begin, decrypt_message, sockets_end)

static bool has(const struct algorithm *algorithm) {
    const int made = connect_to(algorithm->type, algorithm->name);
    if (made >= 0) close(made);
    return made >= 0;
}

static const struct {
    struct algorithm hash, hmac;
    const char *primitive;
    uint32_t bytes;
} hashes[] = {
#define HASH(name, primitive, bytes) {{"hash", name}, {"hash", "hmac(" name ")"}, primitive, bytes}
    HASH("md5", "md5", 16),           HASH("sha1", "sha1", 20),
    HASH("sha224", "sha224", 28),     HASH("sha256", "sha256", 32),
    HASH("sha384", "sha384", 48),     HASH("sha512", "sha512", 64),
    HASH("sha3-224", "sha3-224", 28), HASH("sha3-256", "sha3-256", 32),
    HASH("sha3-384", "sha3-384", 48), HASH("sha3-512", "sha3-512", 64),
    HASH("sm3", "sm3", 32),           HASH("streebog256", "streebog-256", 32),
    HASH("streebog512", "streebog-512", 64),
};

static const struct {
    struct algorithm algorithm;
    const char *primitive;
    uint32_t key_bytes, nonce_bytes, granularity;
    bool is_mac;
} keyed[] = {
#define AES(bits, key)                                                                           \
    {{"skcipher", "ecb(aes)"}, "aes-" #bits "-ecb", key, 0, 16, false},                          \
    {{"skcipher", "cbc(aes)"}, "aes-" #bits "-cbc", key, 16, 16, false},                         \
    {{"skcipher", "ctr(aes)"}, "aes-" #bits "-ctr", key, 16, 1, false},                          \
    {{"hash", "cmac(aes)"}, "cmac-aes-" #bits, key, 0, 1, true}
    AES(128, 16), AES(192, 24), AES(256, 32),
    {{"skcipher", "xts(aes)"}, "aes-128-xts", 32, 16, 16, false},
    {{"skcipher", "xts(aes)"}, "aes-256-xts", 64, 16, 16, false},
};

static void add_offers(void) {
    for (size_t i = 0; i < LENGTH_OF(hashes); i++) {
        const char *primitive = hashes[i].primitive;
        const uint32_t bytes = hashes[i].bytes;
        if (!has(&hashes[i].hash)) continue;
        add(CPB_HASH, &digest, name("%s", primitive), name("%s", hashes[i].hash.name), 0, 0, bytes)
            ->how = &hashes[i].hash;
        if (!has(&hashes[i].hmac)) continue;
        struct offer *offer = add(CPB_MAC, &digest, name("hmac-%s", primitive),
                                  name("%s", hashes[i].hmac.name), 32, 0, bytes);
        /* An algorithm without a key sets none. */
        set_length(offer, CPB_KEY, 1, 32, CPB_ANY);
        offer->how = &hashes[i].hmac;
    }
    for (size_t i = 0; i < LENGTH_OF(keyed); i++) {
        if (!has(&keyed[i].algorithm)) continue;
        const struct name primitive = name("%s", keyed[i].primitive);
        const struct name own = name("%s %u", keyed[i].algorithm.name, 8 * keyed[i].key_bytes);
        const size_t first = offers_count;
        if (keyed[i].is_mac) {
            add(CPB_MAC, &digest, primitive, own, keyed[i].key_bytes, 0, 16);
        } else {
            add_cipher(&encryption, &decryption, primitive, own, keyed[i].key_bytes,
                       keyed[i].nonce_bytes);
        }
        for (size_t j = first; j < offers_count; j++) {
            offers[j].how = &keyed[i].algorithm;
            offers[j].shown.granularity = keyed[i].granularity;
        }
    }
}
