/* version.c - the version of the library that is linked, and the memory that it gives away. */
#include <pingo/version.h>

#include <stdlib.h>

const char *pingo_version(void)
{
    return PINGO_VERSION;
}

void pingo_free(void *memory)
{
    free(memory);
}
