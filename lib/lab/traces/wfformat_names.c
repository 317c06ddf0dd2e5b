/* wfformat_names.c - names of files and arguments without what differs from run to run. */
#include "lab/traces/wfformat_names.h"

#include <string.h>

#include "base/path.h"

/* "/", 2 digits, "/", 30 digits. */
#define WORK_DIRECTORY 34

static bool is_hex(char c)
{
    return pingo__lab_wf_is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Does "20200407-225740-" stand here? */
static bool is_stamp(const char *text)
{
    for (size_t i = 0; i < PINGO__WF_STAMP; i++)
        if (i == 8 || i == 15 ? text[i] != '-' : !pingo__lab_wf_is_digit(text[i]))
            return false;
    return true;
}

static bool is_work_directory(const char *text)
{
    for (size_t i = 0; i < WORK_DIRECTORY; i++)
        if (i == 0 || i == 3 ? text[i] != '/' : !is_hex(text[i]))
            return false;
    return !is_hex(text[WORK_DIRECTORY]);
}

void pingo__lab_wf_names_init(struct pingo__lab_wf_names *names,
                              const struct pingo__lab_wf_document *d)
{
    memset(names, 0, sizeof *names);
    names->has_work_directories = d->system == PINGO__WF_NEXTFLOW;
    for (size_t i = 0; i < d->nfiles; i++) {
        const char *name = pingo__path_last(d->files[i].name);
        if (d->files[i].producer == PINGO__WF_NOBODY || !is_stamp(name))
            continue;
        if (*names->stamp && memcmp(names->stamp, name, PINGO__WF_STAMP) != 0) {
            *names->stamp = '\0'; /* they are no times of one run */
            return;
        }
        memcpy(names->stamp, name, PINGO__WF_STAMP);
    }
}

/* How many bytes that begin here are to go. */
static size_t surplus(const struct pingo__lab_wf_names *names, const char *text)
{
    if (names->has_work_directories && *text == '/' && is_work_directory(text))
        return WORK_DIRECTORY;
    if (*names->stamp && *text == *names->stamp && strncmp(text, names->stamp, PINGO__WF_STAMP) == 0)
        return PINGO__WF_STAMP;
    return 0;
}

const char *pingo__lab_wf_plain(const struct pingo__lab_wf_names *names, struct pingo__arena *arena,
                                const char *text)
{
    const char *from = text;
    if (!names->has_work_directories && !*names->stamp)
        return text;
    while (*from && !surplus(names, from))
        from++;
    if (!*from)
        return text;
    char *copy;
    char *to = copy = pingo__arena_alloc(arena, strlen(text) + 1);
    for (from = text; copy && *from;) {
        size_t n = surplus(names, from);
        if (n)
            from += n;
        else
            *to++ = *from++;
    }
    return copy;
}

size_t pingo__lab_wf_stem(const char *name)
{
    size_t length = strlen(name), end = length;
    while (end > 0 && pingo__lab_wf_is_digit(name[end - 1]))
        end--;
    return end < length && end > 3 && memcmp(name + end - 3, "_ID", 3) == 0 ? end - 3 : length;
}
