/* fuzz_history.c - any bytes at all as the lines of a history.
 *
 * With libFuzzer:
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Ilib -Itest \
 *     $(pkg-config --cflags libcjson) -o fuzz_history test/fuzz/fuzz_history.c \
 *     lib/decision/history/[a-z]*.c lib/digest/sha256.c lib/json/[a-z]*.c lib/base/[a-z]*.c -lcjson -lnettle
 *   ./fuzz_history -dict=test/fuzz/history.dict test/fuzz/corpus/history */
#include "fuzz/history_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_history(data, size);
    return 0;
}
