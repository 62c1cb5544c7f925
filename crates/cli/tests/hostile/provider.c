/* A provider that misbehaves as CPB_HOSTILE says: PLACE:ACT does ACT in that
 * function, LIE makes a false statement, and without it the provider is correct.
 *
 *     cc -O1 -shared -fPIC -I shims provider.c -o libhostile.so
 */
#define _GNU_SOURCE
#include "cpb_provider.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *mode(void) {
    const char *mode = getenv("CPB_HOSTILE");
    return mode ? mode : "";
}

static int lies(const char *lie) { return strcmp(mode(), lie) == 0; }

/* Bypasses everything that the C library does at a fork. */
static pid_t raw_fork(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }

static void stay(pid_t (*start)(void), int detached, int outlived) {
    pid_t child = start();
    if (child == 0) {
        if (detached) {
            setsid();
            if (start() != 0)
                _exit(0);
        }
        for (;;)
            sleep(1000);
    }
    if (outlived)
        _exit(7);
}

static void flood(int first, int last, const char *line, size_t rounds) {
    static char much[1 << 16];
    size_t length = strlen(line), filled = 0;
    while (filled + length <= sizeof much) {
        memcpy(much + filled, line, length);
        filled += length;
    }
    for (size_t round = 0; round < rounds; round++)
        for (int to = first; to <= last; to++) {
            if (fcntl(to, F_GETFD) < 0)
                continue;
            if (write(to, much, filled) < 0 && errno == EPIPE)
                return;
        }
}

static volatile int depth;
static int overflow(int count) {
    volatile char room[4096];
    room[0] = (char)count;
    depth = overflow(count + 1) + room[0];
    return depth;
}

static void do_it(const char *act) {
    static int done;
    volatile int zero = 0;
    if (strcmp(act, "segv") == 0) *(volatile int *)8 = 1;
    else if (strcmp(act, "abort") == 0) abort();
    else if (strcmp(act, "exit0") == 0) exit(0);
    else if (strcmp(act, "exit3") == 0) _exit(3);
    else if (strcmp(act, "ill") == 0) __builtin_trap();
    else if (strcmp(act, "fpe") == 0) raise(SIGFPE);
    else if (strcmp(act, "overflow") == 0) overflow(zero);
    else if (strcmp(act, "spin") == 0) for (;;) depth++;
    else if (strcmp(act, "stop") == 0) raise(SIGSTOP);
    else if (strcmp(act, "deaf") == 0) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        for (;;) sleep(1000);
    }
    else if (strcmp(act, "group") == 0) kill(0, SIGKILL);
    else if (strcmp(act, "parent") == 0) kill(getppid(), SIGKILL);
    else if (strcmp(act, "parentstop") == 0) { kill(getppid(), SIGSTOP); for (;;) sleep(1000); }
    else if (strcmp(act, "close") == 0) for (int fd = 0; fd < 256; fd++) close(fd);
    else if (strcmp(act, "hush") == 0) { for (int fd = 0; fd < 256; fd++) close(fd); for (;;) sleep(1000); }
    else if (strcmp(act, "read") == 0) { char byte; while (read(0, &byte, 1) > 0) ; }
    /* The rest is done once, however often the function is called. */
    else if (done++ != 0) return;
    else if (strcmp(act, "fork") == 0) stay(fork, 0, 0);
    else if (strcmp(act, "forkexit") == 0) stay(fork, 0, 1);
    else if (strcmp(act, "daemon") == 0) stay(fork, 1, 0);
    else if (strcmp(act, "daemonexit") == 0) stay(fork, 1, 1);
    else if (strcmp(act, "rawfork") == 0) stay(raw_fork, 0, 0);
    else if (strcmp(act, "rawdaemon") == 0) stay(raw_fork, 1, 0);
    else if (strcmp(act, "rawdaemonexit") == 0) stay(raw_fork, 1, 1);
    else if (strcmp(act, "stdout") == 0) flood(1, 1, "a flood\n", 64);
    else if (strcmp(act, "stderr") == 0) flood(2, 2, "a flood\n", 64);
    else if (strcmp(act, "words") == 0) flood(1, 2, "\x1b]0;gone\x07\x1b[2J\xe2\x80\xae\xff\n", 1);
    else if (strcmp(act, "pipes") == 0) flood(3, 63, "0123456789abcdef", 1 << 13);
    else if (strcmp(act, "lines") == 0) flood(3, 63, "{\"checked\":[]}\n", 1 << 13);
    else if (strcmp(act, "mark") == 0) close(open("called", O_CREAT | O_WRONLY, 0600));
    else if (strcmp(act, "nothing") == 0) return;
    else { fprintf(stderr, "no such act: %s\n", act); _exit(99); }
}

static void at(const char *place) {
    size_t length = strlen(place);
    if (strncmp(mode(), place, length) == 0 && mode()[length] == ':')
        do_it(mode() + length + 1);
}

__attribute__((constructor)) static void load(void) { at("load"); }
__attribute__((destructor)) static void unload(void) { at("unload"); }

static char *much(void) {
    static char text[(1 << 20) + 1];
    memset(text, 'x', sizeof text - 1);
    return text;
}

static const char *text(const char *what, const char *truth) {
    size_t length = strlen(what);
    if (strncmp(mode(), what, length) != 0 || mode()[length] != '=')
        return truth;
    const char *lie = mode() + length + 1;
    if (strcmp(lie, "null") == 0) return NULL;
    if (strcmp(lie, "empty") == 0) return "";
    if (strcmp(lie, "bytes") == 0) return "\xff\xfe\x80";
    if (strcmp(lie, "escape") == 0) return "\x1b]0;gone\x07\x1b[2J\xe2\x80\xae\r\nnext";
    if (strcmp(lie, "wild") == 0) return (const char *)8;
    if (strcmp(lie, "nan") == 0) return "NaN";
    return much();
}

static uint32_t number(const char *what, uint32_t truth) {
    size_t length = strlen(what);
    if (strncmp(mode(), what, length) != 0 || mode()[length] != '=')
        return truth;
    return (uint32_t)strtoul(mode() + length + 1, NULL, 0);
}

static const char *code_path(void) {
    at("code_path");
    return text("code_path", "plain");
}

static uint64_t count(void) {
    at("count");
    if (lies("count=most")) return UINT64_MAX;
    if (lies("count=many")) return (uint64_t)1 << 40;
    if (lies("count=myriads")) return 10000;
    if (lies("count=more")) return 3;
    if (lies("count=none")) return 0;
    if (lies("twice")) return 2;
    return 1;
}

/* The stated lengths: of the role with the given number, and any others. */
static cpb_length lengths[32];

static uint64_t state(uint64_t count, const char *what, uint32_t role, uint32_t truth) {
    uint64_t bytes = number(what, truth);
    if (bytes == 0) return count;
    lengths[count] = (cpb_length){role, 0, bytes, bytes, bytes};
    return count + 1;
}

static uint64_t state_all(void) {
    uint64_t count = 0;
    count = state(count, "digest_bytes", CPB_DIGEST, 8);
    count = state(count, "key_bytes", CPB_KEY, 0);
    count = state(count, "nonce_bytes", CPB_NONCE, 0);
    count = state(count, "tag_bytes", CPB_TAG, 0);
    count = state(count, "output_bytes", CPB_OUTPUT, 0);
    lengths[0].role = number("role", lengths[0].role);
    if (lies("length=twisted")) lengths[0].least = 9, lengths[0].most = 7;
    if (lies("length=above")) lengths[0].least = lengths[0].usual = lengths[0].most = UINT64_MAX;
    if (lies("length=wide")) lengths[0].least = 0, lengths[0].most = UINT64_MAX;
    if (lies("length=twice")) lengths[count++] = lengths[0];
    if (lies("length=most")) return UINT64_MAX;
    if (lies("length=many")) return 1000;
    if (lies("length=18")) return 18;
    return count;
}

static const cpb_implementation *implementation(uint64_t index) {
    static cpb_implementation it;
    at("implementation");
    if (lies("implementation=null") || (index != 0 && !lies("twice") && mode()[6] != 'm'))
        return NULL;
    if (lies("implementation=wild"))
        return (const cpb_implementation *)8;
    it.primitive = text("primitive", "hostile");
    static char numbered[32];
    snprintf(numbered, sizeof numbered, "Hostile%llu", (unsigned long long)index);
    it.spelling = lies("count=myriads") ? numbered : text("spelling", "Hostile");
    it.backend = text("backend", "default");
    it.operation = number("operation", CPB_HASH);
    it.is_default = number("is_default", 1);
    it.length_count = state_all();
    it.lengths = lies("length=null") ? NULL : lengths;
    if (lies("length=wild")) it.lengths = (const cpb_length *)8;
    it.granularity = number("granularity", 1);
    it.block_bytes = number("block_bytes", 0);
    it.row_group = text("row_group", "hash");
    it.row_algorithm = text("row_algorithm", "HOSTILE");
    it.row_mode = text("row_mode", "");
    return &it;
}

static const cpb_case *now;
static uint8_t sum[8];

static int prepare(uint64_t index, const cpb_workload *workload, void **call, char *reason,
                   uint64_t reason_bytes) {
    (void)index;
    at("prepare");
    now = workload->cases;
    *call = lies("prepare=null") ? NULL : (void *)&sum;
    if (lies("prepare=silent")) return 1;
    if (lies("prepare=two")) return 2;
    if (lies("prepare=open")) { memset(reason, 'x', reason_bytes); return 1; }
    if (lies("prepare=bytes")) { snprintf(reason, reason_bytes, "\xff\xfe"); return 1; }
    if (lies("prepare=escape")) { snprintf(reason, reason_bytes, "\x1b[31mred\x1b[0m"); return 1; }
    return 0;
}

static void run(void *call, uint64_t calls) {
    (void)call;
    at("run");
    if (lies("run=lazy")) return;
    if (lies("run=slow")) { sleep(3); return; }
    if (lies("run=past")) memset(now->outputs->bytes, 1, now->outputs->length + 4096);
    while (calls-- != 0) {
        uint64_t state = 14695981039346656037u;
        for (uint64_t i = 0; i < now->inputs->length; i++)
            state = (state ^ now->inputs->bytes[i]) * 1099511628211u;
        memcpy(sum, &state, sizeof sum);
    }
}

static int output(void *call, cpb_buffer *outputs, uint64_t count, char *reason,
                  uint64_t reason_bytes) {
    static uint8_t turn;
    (void)call;
    (void)count;
    at("output");
    outputs->bytes = sum;
    outputs->length = sizeof sum;
    if (lies("output=refused")) { snprintf(reason, reason_bytes, "no"); return 1; }
    if (lies("output=null")) outputs->bytes = NULL;
    if (lies("output=none")) outputs->length = 0;
    if (lies("output=most")) outputs->length = UINT64_MAX;
    if (lies("output=large")) outputs->length = (uint64_t)1 << 40;
    if (lies("output=past")) outputs->length = 1 << 22;
    if (lies("output=wild")) outputs->bytes = (uint8_t *)8;
    if (lies("output=other")) outputs->role = CPB_TAG;
    if (lies("output=nobody")) outputs->role = 99;
    if (lies("output=moody")) sum[0] = turn++;
    return 0;
}

static void release(void *call) {
    (void)call;
    at("release");
}

const cpb_provider *cpb_provider_v2(void) {
    static cpb_provider it;
    at("entry");
    it = (cpb_provider){number("abi", CPB_PROVIDER_ABI), 0,     text("name", "hostile"),
                        text("version", "1"),            code_path, count,
                        implementation,                  prepare,   run,
                        output,                          release};
    if (lies("entry=null")) return NULL;
    if (lies("entry=wild")) return (const cpb_provider *)8;
    if (lies("without=code_path")) it.code_path = NULL;
    if (lies("without=count")) it.count = NULL;
    if (lies("without=implementation")) it.implementation = NULL;
    if (lies("without=prepare")) it.prepare = NULL;
    if (lies("without=run")) it.run = NULL;
    if (lies("without=output")) it.output = NULL;
    if (lies("without=release")) it.release = NULL;
    return &it;
}
