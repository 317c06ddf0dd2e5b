/* journal.c - see journal.h. */
#include "executor/local/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x31646e456f676e69) /* never equal in its first bytes to another offset */
#define MESSAGE_AT 128
#define MESSAGE_SIZE 120
#define SUM_AT 248
#define BATCH 64
#define CONFINED 1
#define DENIED 2
#define INPUTS_SAME 4

static void put64(char *at, uint64_t v)
{
    for (size_t i = 0; i < 8; i++)
        at[i] = (char)(unsigned char)(v >> (8 * i));
}

static uint64_t get64(const char *at)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 8; i++)
        v |= (uint64_t)(unsigned char)at[i] << (8 * i);
    return v;
}

static uint64_t checksum(const char *bytes, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return h ^ (h >> 29);
}

void pingo__journal_encode(const struct pingo_job_end *end, char record[PINGO__JOURNAL_RECORD])
{
    memset(record, 0, PINGO__JOURNAL_RECORD);
    put64(record, MAGIC);
    put64(record + 8, (uint64_t)end->key.action);
    put64(record + 16, (uint64_t)end->key.epoch);
    record[24] = (char)end->reason;
    record[25] = (char)end->output_kind;
    record[26] = (char)end->signal;
    record[27] = (char)(unsigned char)end->exit_code;
    record[28] = (char)((end->confined ? CONFINED : 0) | (end->denied ? DENIED : 0) |
                        (end->inputs_same ? INPUTS_SAME : 0));
    put64(record + 32, (uint64_t)end->started_ms);
    put64(record + 40, (uint64_t)end->ended_ms);
    put64(record + 48, (uint64_t)end->wall_ms);
    put64(record + 56, (uint64_t)end->user_ms);
    put64(record + 64, (uint64_t)end->system_ms);
    put64(record + 72, (uint64_t)end->max_rss_bytes);
    put64(record + 80, (uint64_t)end->size_bytes);
    memcpy(record + 88, end->content.bytes, PINGO_HASH_SIZE);
    put64(record + 120, (uint64_t)end->output_mark);
    size_t n = strnlen(end->message, sizeof end->message);
    if (n >= MESSAGE_SIZE) { /* cut between two characters of UTF-8 */
        n = MESSAGE_SIZE - 1;
        while (n > 0 && ((unsigned char)end->message[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(record + MESSAGE_AT, end->message, n);
    put64(record + SUM_AT, checksum(record, SUM_AT));
}

bool pingo__journal_decode(const char record[PINGO__JOURNAL_RECORD], struct pingo_job_end *end)
{
    if (get64(record) != MAGIC || get64(record + SUM_AT) != checksum(record, SUM_AT))
        return false;
    memset(end, 0, sizeof *end);
    end->key.action = (int64_t)get64(record + 8);
    end->key.epoch = (int64_t)get64(record + 16);
    if ((unsigned char)record[24] > PINGO_END_BAD_OUTPUT ||
        (unsigned char)record[25] > PINGO_OUTPUT_DIRECTORY)
        return false;
    end->reason = (enum pingo_end_reason)record[24];
    end->output_kind = (enum pingo_output_kind)record[25];
    end->signal = (unsigned char)record[26];
    end->exit_code = (unsigned char)record[27];
    end->confined = (record[28] & CONFINED) != 0;
    end->denied = (record[28] & DENIED) != 0;
    end->inputs_same = (record[28] & INPUTS_SAME) != 0;
    end->started_ms = (int64_t)get64(record + 32);
    end->ended_ms = (int64_t)get64(record + 40);
    end->wall_ms = (int64_t)get64(record + 48);
    end->user_ms = (int64_t)get64(record + 56);
    end->system_ms = (int64_t)get64(record + 64);
    end->max_rss_bytes = (int64_t)get64(record + 72);
    end->size_bytes = (int64_t)get64(record + 80);
    memcpy(end->content.bytes, record + 88, PINGO_HASH_SIZE);
    end->output_mark = (int64_t)get64(record + 120);
    memcpy(end->message, record + MESSAGE_AT, MESSAGE_SIZE);
    end->message[MESSAGE_SIZE - 1] = '\0';
    return true;
}

int pingo__journal_append(int fd, const struct pingo_job_end *end)
{
    char record[PINGO__JOURNAL_RECORD];
    pingo__journal_encode(end, record);
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

int pingo__journal_boot_id(char boot[PINGO__JOURNAL_BOOT_SIZE])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    ssize_t n = read(fd, boot, PINGO__JOURNAL_BOOT_SIZE - 1);
    int result = n < 0 ? -errno : n < PINGO__JOURNAL_BOOT_SIZE - 1 ? -EIO : 0;
    boot[PINGO__JOURNAL_BOOT_SIZE - 1] = '\0';
    close(fd);
    return result;
}

bool pingo__journal_is(const char *name, const char *prefix, const char *boot)
{
    size_t n = strlen(prefix);
    if (strncmp(name, prefix, n) != 0 || name[n] != '.')
        return false;
    return boot == NULL || strncmp(name + n + 1, boot, strlen(boot)) == 0;
}

void pingo__journals_init(struct pingo__journals *journals, int dir, const char *boot)
{
    memset(journals, 0, sizeof *journals);
    journals->dir = dir;
    memcpy(journals->boot, boot, PINGO__JOURNAL_BOOT_SIZE);
}

static void file_free(struct pingo__journal_file *file)
{
    close(file->fd);
    free(file);
}

void pingo__journals_clear(struct pingo__journals *journals)
{
    for (size_t i = 0; i < journals->nfiles; i++)
        file_free(journals->files[i]);
    free(journals->files);
    journals->files = NULL;
    journals->nfiles = 0;
}

static int add_file(struct pingo__journals *journals, const char *name)
{
    for (size_t i = 0; i < journals->nfiles; i++) {
        if (strcmp(journals->files[i]->name, name) == 0) {
            journals->files[i]->is_seen = true;
            return 0;
        }
    }
    struct pingo__journal_file **files =
        realloc(journals->files, (journals->nfiles + 1) * sizeof(struct pingo__journal_file *));
    if (files == NULL)
        return PINGO_ENOMEM;
    journals->files = files;
    struct pingo__journal_file *file = calloc(1, sizeof *file);
    if (file == NULL)
        return PINGO_ENOMEM;
    file->fd = openat(journals->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file->fd < 0) { /* gone since it was listed, or not ours */
        int code = errno == ENOENT ? 0 : PINGO_EIO;
        free(file);
        return code;
    }
    memcpy(file->name, name, strlen(name) + 1); /* d_name is no longer than NAME_MAX */
    file->is_seen = true;
    files[journals->nfiles++] = file;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(struct pingo__journal_file *const *)a)->name,
                  (*(struct pingo__journal_file *const *)b)->name);
}

int pingo__journals_rescan(struct pingo__journals *journals)
{
    int fd = openat(journals->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (list == NULL) {
        if (fd >= 0)
            close(fd);
        return PINGO_EIO;
    }
    for (size_t i = 0; i < journals->nfiles; i++)
        journals->files[i]->is_seen = false;
    int code = 0;
    struct dirent *entry;
    while (code == 0 && (entry = readdir(list)) != NULL) {
        if (pingo__journal_is(entry->d_name, "journal", journals->boot))
            code = add_file(journals, entry->d_name);
    }
    closedir(list);
    size_t kept = 0;
    for (size_t i = 0; i < journals->nfiles; i++) {
        if (code != 0 || journals->files[i]->is_seen)
            journals->files[kept++] = journals->files[i];
        else
            file_free(journals->files[i]);
    }
    journals->nfiles = kept;
    if (kept > 1)
        qsort(journals->files, kept, sizeof *journals->files, by_name);
    return code;
}

/* Takes what is whole in bytes; returns how many of them are done with.  What is no record is
 * skipped only when a record follows it: before that it may still be on its way. */
static size_t take(const char *bytes, size_t n,
                   void (*fn)(void *context, const struct pingo_job_end *end), void *context)
{
    size_t done = 0, at = 0;
    struct pingo_job_end end;
    while (at + PINGO__JOURNAL_RECORD <= n) {
        if (pingo__journal_decode(bytes + at, &end)) {
            fn(context, &end);
            at += PINGO__JOURNAL_RECORD;
            done = at;
        } else {
            at++;
        }
    }
    return done;
}

static int read_file(struct pingo__journal_file *file,
                     void (*fn)(void *context, const struct pingo_job_end *end), void *context)
{
    size_t capacity = BATCH * (size_t)PINGO__JOURNAL_RECORD;
    char small[BATCH * PINGO__JOURNAL_RECORD];
    char *large = NULL, *bytes = small;
    int code = 0;
    for (;;) {
        ssize_t n = pread(file->fd, bytes, capacity, file->offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            code = PINGO_EIO;
        if (n <= 0)
            break;
        size_t done = take(bytes, (size_t)n, fn, context);
        file->offset += (int64_t)done;
        if ((size_t)n < capacity)
            break;
        if (done == 0) { /* a long torn stretch: look further */
            char *more = realloc(large, capacity * 2);
            if (more == NULL) {
                code = PINGO_ENOMEM;
                break;
            }
            bytes = large = more;
            capacity *= 2;
        }
    }
    free(large);
    return code;
}

int pingo__journals_read(struct pingo__journals *journals,
                         void (*fn)(void *context, const struct pingo_job_end *end), void *context)
{
    int code = 0;
    for (size_t i = 0; i < journals->nfiles && code == 0; i++)
        code = read_file(journals->files[i], fn, context);
    return code;
}

void pingo__journals_skip(struct pingo__journals *journals)
{
    struct stat st;
    for (size_t i = 0; i < journals->nfiles; i++)
        if (fstat(journals->files[i]->fd, &st) == 0)
            journals->files[i]->offset = journals->files[i]->marked = st.st_size;
}

int pingo__journal_scan(int dir, const char *name,
                        void (*fn)(void *context, const struct pingo_job_end *end), void *context)
{
    struct pingo__journal_file file = {.offset = 0};
    file.fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file.fd < 0)
        return PINGO_EIO;
    int code = read_file(&file, fn, context);
    close(file.fd);
    return code;
}
