/* ledger.c - the supervisor's side of the journals.
 *
 * A journal is removed when a scheduler tells which attempts its store still waits for, and how far it had read before
 * it asked the store.  An attempt is in the store before it is handed out: so a record that was read, of an attempt
 * that the store does not wait for, is settled. */
#include "executor/local/place.h"
#include "executor/local/supervisor/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"

#define LONG_RECORDS 16384u /* 4 MiB: time for a new journal */
#define SHORT_RECORDS 1024u /* 256 KiB: not worth a new one for trimming */
#define ROOM_STEP 1048576   /* disk space is taken ahead in such steps, so that an end fits */
#define ROOM_LEAST 131072

static void take_room(struct pingo__executor_supervisor *s)
{
    int64_t written = (int64_t)s->journal_records * PINGO__RUNNER_OUTCOME_SIZE;
    if (s->journal_room - written >= ROOM_LEAST)
        return;
    /* Refused by some file systems and by full ones; the space is then taken when it is written. */
    int refused = fallocate(s->journal, FALLOC_FL_KEEP_SIZE, s->journal_room, ROOM_STEP);
    s->journal_room += refused == 0 || errno != ENOSPC ? ROOM_STEP : 0;
}

int pingo__executor_ledger_open(struct pingo__executor_supervisor *s)
{
    char name[sizeof s->journal_name];
    snprintf(name, sizeof name, PINGO__PLACE_JOURNAL ".%s.%06llu", s->suffix,
             (unsigned long long)s->journal_serial + 1);
    int fd =
        openat(s->dir, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    pingo__file_close(s->journal);
    s->journal = fd;
    memcpy(s->journal_name, name, sizeof name);
    s->journal_serial++;
    s->set_serial++;
    s->journal_records = 0;
    s->journal_room = 0;
    take_room(s);
    return 0;
}

void pingo__executor_ledger_turn(struct pingo__executor_supervisor *s)
{
    if (s->journal_records >= LONG_RECORDS)
        pingo__executor_ledger_open(s); /* else this one grows on */
    take_room(s);
}

bool pingo__executor_ledger_record(struct pingo__executor_supervisor *s, struct pingo_job_key key,
                                   enum pingo_end_reason reason, const char *message)
{
    s->journal_records++;
    return pingo__executor_journal_say(s->journal, key, reason, message) == 0;
}

struct search {
    struct pingo__map unsettled;
    struct pingo__arena keys; /* of it */
    bool found;
};

static void look_up(void *context, const struct pingo_job_end *end)
{
    struct search *search = context;
    search->found = search->found || pingo__map_get(&search->unsettled, &end->key,
                                                    sizeof end->key) != PINGO__MAP_NONE;
}

/* Does a worker still write to it, or will one? */
static bool is_in_use(const struct pingo__executor_supervisor *s, const char *name)
{
    char prefix[sizeof s->suffix + 16];
    snprintf(prefix, sizeof prefix, PINGO__PLACE_JOURNAL ".%s.", s->suffix);
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return false; /* an earlier supervisor's: it and all its workers are gone */
    uint64_t serial = strtoull(name + strlen(prefix), NULL, 10);
    if (serial >= s->journal_serial)
        return true;
    for (size_t i = 0; i < s->nhands; i++)
        if (s->hands[i] && s->hands[i]->item && s->hands[i]->journal <= serial)
            return true;
    return false;
}

static bool was_read(const struct pingo__executor_supervisor *s, const char *name, uint64_t offset)
{
    struct stat st;
    return fstatat(s->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           offset + PINGO__RUNNER_OUTCOME_SIZE > (uint64_t)st.st_size;
}

static void trim_one(struct pingo__executor_supervisor *s, const char *name, uint64_t offset,
                     struct search *search)
{
    if (!pingo__path_is_plain(name) ||
        !pingo__executor_journal_is(name, PINGO__PLACE_JOURNAL, s->boot) ||
        !was_read(s, name, offset))
        return;
    if (strcmp(name, s->journal_name) == 0 && s->busy == 0 && !s->ghosts &&
        s->journal_records >= SHORT_RECORDS)
        pingo__executor_ledger_open(s);
    if (is_in_use(s, name))
        return;
    search->found = false;
    if (pingo__executor_journal_scan(s->dir, name, look_up, search) == 0 && !search->found &&
        unlinkat(s->dir, name, 0) == 0)
        s->set_serial++;
}

/* u32 nkeys, the keys, then for each journal text name, u64 offset to the end of the frame. */
bool pingo__executor_ledger_trim(struct pingo__executor_supervisor *s,
                                 struct pingo__buffer_reader *body)
{
    struct search search = {.found = false};
    uint32_t n = pingo__buffer_read_u32(body);
    bool fits = true;
    for (uint32_t i = 0; i < n && fits && !body->failed; i++) {
        struct pingo_job_key key = pingo__runner_get_key(body);
        fits = pingo__map_keep(&search.unsettled, &search.keys, &key, sizeof key, 0);
    }
    while (fits && !body->failed && body->at < body->length) {
        const char *name = pingo__runner_get_text(body);
        uint64_t offset = pingo__buffer_read_u64(body);
        if (!body->failed)
            trim_one(s, name, offset, &search);
    }
    pingo__map_clear(&search.unsettled);
    pingo__arena_clear(&search.keys);
    return !body->failed;
}
