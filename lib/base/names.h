/* names.h - the grammar of what lies in a pool.  No other file prints or reads such a name.
 *
 *   objects/HH/HASH.ACTION.EPOCH  a published dataset; HH: how HASH begins; a name is used once
 *   attempts/ACTION.EPOCH         the directory of an attempt; a file: it was given up
 *   attempts/.ready.PID.N         one that a runner keeps ready; .ready.PID.in: links that it keeps
 *   attempts/.bundles/HASH/list   those that one array job of an engine runs: task N the one in line N, from 0 on
 *   attempts/.bundles/HASH/N.log  what the engine has to say of task N
 *   staged/ACTION.EPOCH           a finished output that is not published yet
 *   trash/d.DATASET               the bytes of a generation that is DELETING; its row's owner has them in hand
 *   trash/o.OWNER.TOKEN.SERIAL    in the hand of a scheduler, as long as that one lives
 *   trash/...                     anything else: whoever sees it may take it in hand
 * What was adopted has 0.OWNER for ACTION.EPOCH: that of who adopted it.
 * With ".copy", or ".copy.ANYTHING", behind it a name is that of a copy in the making, which takes its place. */
#ifndef PINGO__BASE_NAMES_H
#define PINGO__BASE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define PINGO__NAME_SIZE 160

enum pingo__name_part { /* of a pool, each a directory */
                        PINGO__OBJECTS,
                        PINGO__ATTEMPTS,
                        PINGO__STAGED,
                        PINGO__TRASH,
                        PINGO__PARTS
};
extern const char *const pingo__name_parts[PINGO__PARTS];
/* Which store a pool is of. */
#define PINGO__NAME_MARKER "pingo-pool"
/* That of a pool that is a directory, from its attempts: its time is when one of them last met a full disk. */
extern const char pingo__name_met_full[];

/* What executors keep in a pool that lies elsewhere is in use if it was made or touched later than so long ago, or than
 * the oldest open attempt was handed over. */
#define PINGO__TOUCHED_MS 3600000

/* Names below a pool.  hash: 64 hex digits. */
void pingo__name_object(char name[PINGO__NAME_SIZE], const char *hash, int64_t action,
                        int64_t epoch);
/* Of an entry of objects/HH, by what it is called there. */
void pingo__name_object_of(char name[PINGO__NAME_SIZE], const char *entry);
void pingo__name_attempt(char name[PINGO__NAME_SIZE], int64_t action, int64_t epoch);
void pingo__name_staged(char name[PINGO__NAME_SIZE], int64_t action, int64_t epoch);
void pingo__name_copy(char name[PINGO__NAME_SIZE], const char *of);
void pingo__name_deleting(char name[PINGO__NAME_SIZE], int64_t dataset);
void pingo__name_held(char name[PINGO__NAME_SIZE], int64_t owner, uint64_t token, uint64_t serial);
void pingo__name_dropped(char name[PINGO__NAME_SIZE], uint64_t token, uint64_t serial);
/* In attempts/; number < 0: of the links. */
void pingo__name_ready(char name[PINGO__NAME_SIZE], int64_t pid, int64_t number);
/* hash: "" or 16 hex digits of the list's; what: of a bundle, "" or a file in it. */
void pingo__name_bundle(char name[PINGO__NAME_SIZE], const char *hash, const char *what);

struct pingo__name {
    enum pingo__name_part part;
    char hash[65];         /* of an object; else "" */
    int64_t action, epoch; /* of an object, an attempt, what is staged */
    bool is_copy;
    int64_t dataset, owner; /* of trash: 0 where it is not that of one */
};
/* false: it is none that Pingo gives; of trash every name is one. */
bool pingo__name_parse(const char *name, struct pingo__name *parsed);
/* Does it lie in this part, by its text? */
bool pingo__name_is_in(enum pingo__name_part part, const char *name);

/* What Pingo makes: an entry of a part, by its own name alone; of objects/ a directory HH, and below: what is in it.
 * What is added behind ACTION.EPOCH is ours, too. */
bool pingo__name_is_ours(enum pingo__name_part part, bool below, const char *entry);
/* ACTION.EPOCH, each from 1 on, and nothing else. */
bool pingo__name_is_attempt(const char *entry, int64_t *action, int64_t *epoch);
/* ".ready.PID.N" or ".ready.PID.in"; pid 0: of anybody. */
bool pingo__name_is_ready(const char *entry, int64_t pid);

/* The pool of an attempt's directory, DIR/attempts/ACTION.EPOCH, and then a name.  Yours; NULL: no memory, or it is no
 * such path. */
char *pingo__name_beside_attempt(const char *attempt_dir, const char *name);
/* The directory of the attempt that stands in a line (from 0 on) of POOL/attempts/.bundles/HASH/list, which holds this
 * text.  Yours; NULL: no memory, no such path, or none stands there. */
char *pingo__name_listed(const char *list, const char *text, int64_t line);

#endif
