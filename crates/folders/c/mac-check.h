/* mac-check.h: makes the calls that the checksums of crypto_auth and
 * crypto_onetimeauth cover. */
#define SMALL_LOOPS 4096
#define BIG_LOOPS 32768
#define BIG_BYTES 4096
#include "check.h"

static struct buffer tag = {.bytes = TAG_BYTES}, message, key = {.bytes = KEY_BYTES};

static int make_tag(void) { return MAKE_TAG(tag.now, message.now, message.bytes, key.now); }

static int verify_tag(void) { return VERIFY_TAG(tag.now, message.now, message.bytes, key.now); }

static struct call tagging = {OPERATION, make_tag, 0, REPEATS | OVERLAPS, {&tag}, {&message, &key}};
static struct call verifying = {OPERATION "_verify", verify_tag, 0, REPEATS, {NULL},
                                {&tag, &message, &key}};

BUFFERS(0, &tag, &message, &key)

static void test(length most) {
    message.bytes = number(most);
    try_call(&tagging);
    try_call(&verifying);
    for (int i = 0; i < 3; i++) {
        damage(&tag);
        if (verify_tag() == 0 && memcmp(tag.twin, tag.at, tag.bytes) != 0)
            fail(OPERATION "_verify", "accepts a tag that was changed");
    }
}
