/* exit.c - what each exit status means, and which error gives which. */
#include "exit.h"

#include <pingo/error.h>

static const struct cli_exit_line lines[] = {
    {CLI_OK, "all well"},
    {CLI_FAILED, "a workflow or a check failed"},
    {CLI_USAGE, "wrong usage"},
    {CLI_INVALID, "the workflow is not valid"},
    {CLI_NOSTORE, "there is no store, or it cannot be used"},
    {CLI_NOTFOUND, "not found, ambiguous, or in a state that does not allow it"},
    {CLI_BUSY, "the store was busy for too long"},
    {CLI_NOSPACE, "the disk is full and nothing can be deleted"},
    {CLI_INPUT, "an input is missing or cannot be read"},
    {CLI_INTERNAL, "out of memory, an input/output error, or something damaged"},
    {CLI_HELPER, "a program that this needs is not installed"},
    {CLI_UNDRIVEN,
     "a workflow is unfinished and nobody goes on with it: paused, or run by no process"},
    {CLI_INTERRUPTED, "interrupted (128 + the number of the signal)"},
};

const int cli_exits_notfound[] = {CLI_NOTFOUND, 0};

const struct cli_exit_line *cli_exit_lines(size_t *n)
{
    *n = sizeof lines / sizeof lines[0];
    return lines;
}

const char *cli_exit_meaning(int status)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (lines[i].status == status)
            return lines[i].meaning;
    return "";
}

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
        return CLI_NOTFOUND;
    case PINGO_EBUSY:
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
