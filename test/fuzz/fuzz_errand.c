/* fuzz_errand.c - any bytes at all as the job of an attempt.
 *
 * With libFuzzer:
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Ilib -Itest -o fuzz_errand \
 *     test/fuzz/fuzz_errand.c lib/runner/record/[a-z]*.c lib/base/[a-z]*.c
 *   ./fuzz_errand */
#include "fuzz/errand_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_errand(data, size);
    return 0;
}
