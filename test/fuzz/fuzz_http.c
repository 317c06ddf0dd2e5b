/* fuzz_http.c - any bytes at all as requests of HTTP, in pieces of any size.
 *
 * With libFuzzer:
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Ilib -Itest -o fuzz_http \
 *     test/fuzz/fuzz_http.c lib/http/server/[a-z]*.c lib/base/[a-z]*.c
 *   ./fuzz_http -dict=test/fuzz/http.dict test/fuzz/corpus/http */
#include "fuzz/http_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_http(data, size);
    return 0;
}
