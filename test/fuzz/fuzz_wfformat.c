/* fuzz_wfformat.c - any bytes at all as a run in WfFormat.
 *
 * With libFuzzer:
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -DPINGO_FUZZ_ENGINE -D_GNU_SOURCE -Iinclude \
 *     -Ilib -Itest $(pkg-config --cflags libcjson nettle) -pthread -o fuzz_wfformat \
 *     test/fuzz/fuzz_wfformat.c lib/base/[a-z]*.c lib/json/[a-z]*.c lib/decision/history/[a-z]*.c \
 *     lib/digest/sha256.c lib/lab/simulate/random.c lib/lab/traces/*.c \
 *     lib/workflow/[a-z]*.c lib/workflow/types/[a-z]*.c -lcjson -lnettle -lm
 *   ./fuzz_wfformat -dict=test/fuzz/wfformat.dict test/fuzz/corpus/wfformat
 * Without it, a program that replays the files named. */
#include "fuzz/wfformat_target.h"

#ifdef PINGO_FUZZ_ENGINE

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_wfformat(data, size);
    return 0;
}

#else

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed |= fuzz_file(argv[i]);
    return failed;
}

#endif
