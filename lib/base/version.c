/* version.c - the version of the library that is linked. */
#include <pingo/version.h>

const char *pingo_version(void)
{
    return PINGO_VERSION;
}
