/* fuzz_workflow.c - any bytes at all as a workflow definition.
 *
 * With libFuzzer:
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -DPINGO_FUZZ_ENGINE -D_GNU_SOURCE -Iinclude \
 *     -Ilib -Itest $(pkg-config --cflags libcjson) -o fuzz_workflow test/fuzz/fuzz_workflow.c \
 *     lib/base/[a-z]*.c lib/json/[a-z]*.c lib/workflow/[a-z]*.c lib/workflow/types/[a-z]*.c -lcjson
 *   ./fuzz_workflow -dict=test/fuzz/workflow.dict test/fuzz/corpus/workflow
 * Without it, a program that replays the files named. */
#include "fuzz/workflow_target.h"

#ifdef PINGO_FUZZ_ENGINE

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_workflow(data, size);
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
