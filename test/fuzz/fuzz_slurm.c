/* fuzz_slurm.c - any bytes at all as names of what Slurm is to run, and as what it answers.
 *
 * With libFuzzer:
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -DPINGO_LIBEXECDIR='""' \
 *     -Iinclude -Ilib -Itest $(pkg-config --cflags libcjson) \
 *     -o fuzz_slurm test/fuzz/fuzz_slurm.c lib/executor/slurm/{submission,replies,states,token,child}.c \
 *     lib/json/[a-z]*.c lib/base/[a-z]*.c -lcjson -lnettle
 *   ./fuzz_slurm */
#include "fuzz/slurm_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_slurm(data, size);
    return 0;
}
