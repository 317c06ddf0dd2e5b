/* journal.c - see journal.h. */
#include "executor/local/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/world.h"
#include "executor/local/place.h"

#define BATCH 64

int pingo__executor_journal_append(int fd, const struct pingo_job_end *end)
{
    char record[PINGO__RUNNER_OUTCOME_SIZE];
    pingo__runner_outcome_encode(end, record);
    for (;;) {
        ssize_t n = write(fd, record, sizeof record);
        if (n == (ssize_t)sizeof record)
            return 0;
        if (n >= 0)
            return -ENOSPC; /* torn: readers skip it, the caller tries again */
        if (errno != EINTR)
            return -errno;
    }
}

int pingo__executor_journal_say(int fd, struct pingo_job_key key, enum pingo_end_reason reason,
                                const char *message)
{
    struct pingo_job_end end = {.size = sizeof end, .key = key, .reason = reason};
    end.started_ms = end.ended_ms = pingo__world_wall_ms();
    snprintf(end.message, sizeof end.message, "%s", message);
    return pingo__executor_journal_append(fd, &end);
}

int pingo__executor_journal_boot_id(char boot[PINGO__JOURNAL_BOOT_SIZE])
{
    ssize_t n = pingo__file_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot,
                                 PINGO__JOURNAL_BOOT_SIZE);
    return n < 0 ? (int)n : n < PINGO__JOURNAL_BOOT_SIZE - 1 ? -EIO : 0;
}

bool pingo__executor_journal_is(const char *name, const char *prefix, const char *boot)
{
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0 || name[n] != '.')
        return false;
    return !boot || strncmp(name + n + 1, boot, strlen(boot)) == 0;
}

int pingo__executor_journals_init(struct pingo__executor_journals *journals, int dir)
{
    memset(journals, 0, sizeof *journals);
    journals->dir = dir;
    return pingo__executor_journal_boot_id(journals->boot);
}

static void file_free(struct pingo__executor_journal_file *file)
{
    close(file->fd);
    free(file);
}

void pingo__executor_journals_clear(struct pingo__executor_journals *journals)
{
    for (size_t i = 0; i < journals->nfiles; i++)
        file_free(journals->files[i]);
    free(journals->files);
    journals->files = NULL;
    journals->nfiles = journals->capacity = 0;
}

/* A host's name may have dots, too. */
static void read_node(const char *name, char node[64])
{
    const char *from = name, *to = strrchr(name, '.');
    for (int i = 0; i < 4 && from; i++)
        from = strchr(from + 1, '.');
    if (from && from < to)
        snprintf(node, 64, "%.*s", (int)(to - from - 1), from + 1);
}

/* 0 or an errno. */
static int open_file(int dir, const char *name, struct pingo__executor_journal_file *file)
{
    memcpy(file->name, name, strlen(name) + 1); /* d_name is no longer than NAME_MAX */
    read_node(name, file->node);
    file->fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return file->fd < 0 ? errno : 0;
}

static int add_file(struct pingo__executor_journals *journals, const char *name)
{
    for (size_t i = 0; i < journals->nfiles; i++) {
        if (strcmp(journals->files[i]->name, name) == 0) {
            journals->files[i]->is_seen = true;
            return 0;
        }
    }
    struct pingo__executor_journal_file *file = calloc(1, sizeof *file);
    if (!file || !PINGO__ARRAY_ROOM(journals->files, journals->capacity, journals->nfiles, 1)) {
        free(file);
        return PINGO_ENOMEM;
    }
    int failed = open_file(journals->dir, name, file);
    if (failed) { /* gone since it was listed, or not ours */
        free(file);
        return failed == ENOENT ? 0 : PINGO_EIO;
    }
    file->is_seen = true;
    journals->files[journals->nfiles++] = file;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct pingo__executor_journal_file *const *)a)->name,
                  (*(struct pingo__executor_journal_file *const *)b)->name);
}

int pingo__executor_journals_rescan(struct pingo__executor_journals *journals)
{
    DIR *list = pingo__file_list(journals->dir);
    const char *name;
    if (!list)
        return PINGO_EIO;
    for (size_t i = 0; i < journals->nfiles; i++)
        journals->files[i]->is_seen = false;
    int rc = 0;
    while (rc == 0 && (name = pingo__file_next(list)))
        if (pingo__executor_journal_is(name, PINGO__PLACE_JOURNAL, journals->boot))
            rc = add_file(journals, name);
    if (rc == 0 && errno != 0)
        rc = PINGO_EIO;
    closedir(list);
    size_t kept = 0;
    for (size_t i = 0; i < journals->nfiles; i++) {
        if (rc != 0 || journals->files[i]->is_seen)
            journals->files[kept++] = journals->files[i];
        else
            file_free(journals->files[i]);
    }
    journals->nfiles = kept;
    if (kept > 1)
        qsort(journals->files, kept, sizeof *journals->files, by_name);
    return rc;
}

/* Takes the whole records; returns how many bytes are done with.  Bytes that are not a record are skipped only when a
 * record follows: until then they may be part of one that is still being written. */
static size_t take(const struct pingo__executor_journal_file *file, const char *bytes, size_t n,
                   pingo__executor_end_fn fn, void *context)
{
    size_t done = 0, at = 0;
    struct pingo_job_end end;
    while (at + PINGO__RUNNER_OUTCOME_SIZE <= n) {
        if (pingo__runner_outcome_decode(bytes + at, &end)) {
            memcpy(end.node, file->node, sizeof end.node);
            fn(context, &end);
            at += PINGO__RUNNER_OUTCOME_SIZE;
            done = at;
        } else {
            at++;
        }
    }
    return done;
}

static int read_file(struct pingo__executor_journal_file *file, pingo__executor_end_fn fn,
                     void *context)
{
    char bytes[BATCH * PINGO__RUNNER_OUTCOME_SIZE];
    ssize_t n = sizeof bytes;
    while (n == (ssize_t)sizeof bytes) {
        while ((n = pread(file->fd, bytes, sizeof bytes, file->offset)) < 0 && errno == EINTR)
            continue;
        size_t done = n > 0 ? take(file, bytes, (size_t)n, fn, context) : 0;
        if (done == 0 && n == (ssize_t)sizeof bytes) /* a long torn stretch */
            done = sizeof bytes - PINGO__RUNNER_OUTCOME_SIZE;
        file->offset += (int64_t)done;
    }
    return n < 0 ? PINGO_EIO : 0;
}

int pingo__executor_journals_read(struct pingo__executor_journals *journals,
                                  pingo__executor_end_fn fn, void *context)
{
    int rc = 0;
    for (size_t i = 0; i < journals->nfiles && rc == 0; i++)
        rc = read_file(journals->files[i], fn, context);
    return rc;
}

void pingo__executor_journals_skip(struct pingo__executor_journals *journals)
{
    struct stat st;
    for (size_t i = 0; i < journals->nfiles; i++)
        if (fstat(journals->files[i]->fd, &st) == 0)
            journals->files[i]->offset = journals->files[i]->marked = st.st_size;
}

int pingo__executor_journal_scan(int dir, const char *name, pingo__executor_end_fn fn, void *context)
{
    struct pingo__executor_journal_file file = {.offset = 0};
    if (open_file(dir, name, &file) != 0)
        return PINGO_EIO;
    int rc = read_file(&file, fn, context);
    close(file.fd);
    return rc;
}

int pingo__executor_journals_scan(int dir, pingo__executor_end_fn fn, void *context)
{
    struct pingo__executor_journals all;
    int rc = pingo__executor_journals_init(&all, dir) == 0 ? 0 : PINGO_EIO;
    if (!rc)
        rc = pingo__executor_journals_rescan(&all);
    if (!rc)
        rc = pingo__executor_journals_read(&all, fn, context);
    pingo__executor_journals_clear(&all);
    return rc;
}

struct search {
    struct pingo_job_key key;
    bool found;
};

static void look_for(void *context, const struct pingo_job_end *end)
{
    struct search *search = context;
    search->found = search->found || pingo__runner_key_is(end->key, search->key);
}

int pingo__executor_journals_find(int dir, struct pingo_job_key key, bool *found)
{
    struct search search = {key, false};
    int rc = pingo__executor_journals_scan(dir, look_for, &search);
    *found = search.found;
    return rc;
}
