/* exit.c - which error gives which exit status. */
#include "exit.h"

#include <pingo/error.h>

int cli_exit_of(int code)
{
    switch (code) {
    case PINGO_OK:
        return CLI_OK;
    case PINGO_EINVAL:
        return CLI_USAGE;
    case PINGO_EWORKFLOW:
    case PINGO_ELIMIT:
        return CLI_INVALID;
    case PINGO_ENOSTORE:
    case PINGO_ESTORE:
    case PINGO_EVERSION:
        return CLI_NOSTORE;
    case PINGO_ENOTFOUND:
    case PINGO_EEXISTS:
    case PINGO_ESTALE:
    case PINGO_ECLAIMED:
    case PINGO_EAMBIGUOUS:
    case PINGO_ESTATE:
    case PINGO_EKEY:
    case PINGO_EFORBIDDEN:
    case PINGO_EQUOTA:
        return CLI_NOTFOUND;
    case PINGO_EBUSY:
    case PINGO_EPENDING:
        return CLI_BUSY;
    case PINGO_ENOSPACE:
        return CLI_NOSPACE;
    case PINGO_EINPUT:
        return CLI_INPUT;
    case PINGO_EINTERRUPTED:
        return CLI_INTERRUPTED;
    default:
        return CLI_INTERNAL;
    }
}
