/* The entry point of cpb_provider.h: what it points to is in Go. */
#include "_cgo_export.h"

CPB_EXPORT const cpb_provider *cpb_provider_v2(void) {
    static cpb_provider provider = {
        CPB_PROVIDER_ABI, 0, "go", NULL, NULL, goCount, NULL, goPrepare, goRun, NULL, goRelease,
    };
    /* Which qualifies what Go's declarations cannot. */
    provider.implementation = (const cpb_implementation *(*)(uint64_t))goImplementation;
    provider.output = goOutput;
    provider.version = goVersion();
    return &provider;
}
