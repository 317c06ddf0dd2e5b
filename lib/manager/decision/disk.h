/* disk.h - a full disk: what attempts tell of it, how much room the next try should have, and whose bytes fill it. */
#ifndef PINGO__MANAGER_DISK_H
#define PINGO__MANAGER_DISK_H

#include "manager/attempt/callback.h"

struct pingo__manager_disk {
    bool is_full;   /* the last attempt that ended had met a full disk */
    bool is_new;    /* one has, and nothing was decided for it yet */
    bool was_freed; /* something was deleted since that one had started */
    unsigned ntries; /* how many attempts, one after the other, have, with nothing freed between them, */
    int64_t tried_ms;      /* and when the last of them was counted */
    char elsewhere[320];   /* it was another one than the pool's: what was said; "" */
    int64_t started_ms;    /* when that one had started, or failed to */
    int64_t held_bytes;    /* what it had written, and holds no more; 0: unknown */
    int64_t wanted_bytes;  /* what should be free before the next try; 0: unknown */
    int64_t lacking_bytes; /* of that, as of the last look */
};

/* An end that was told.  A command that fails while the disk is full is not at fault, but who looks after it sees what
 * was deleted meanwhile as free: without that, was the disk full?  Then it is PINGO_END_NO_SPACE.  removed_bytes: of
 * the context, before it started. */
void pingo__manager_disk_explain(struct pingo__manager_context *c, int64_t removed_bytes,
                                 struct pingo_job_end *end);
/* After the commit: an attempt has ended. */
void pingo__manager_disk_learn(struct pingo__manager_disk *disk,
                               const struct pingo__manager_settling *s);
void pingo__manager_disk_freed(struct pingo__manager_disk *disk, struct pingo__manager_context *c);
/* Before a decision: what is lacking now. */
void pingo__manager_disk_look(struct pingo__manager_disk *disk, struct pingo__manager_context *c);
/* Would the next try have more room than the one that met the full disk, whoever made it?  Not where a few such tries
 * met it all the same: a quota, say, of which the file system does not tell. */
bool pingo__manager_disk_has_more_room(const struct pingo__manager_disk *disk,
                                       struct pingo__manager_context *c);

/* Could a decision, or a deletion that was decided, still make room? */
int pingo__manager_disk_may_be_freed(struct pingo__manager_context *c, bool *may,
                                     struct pingo_error *err);
/* An attempt met a full disk.  message: nothing in the pool may go any more, and what the attempt itself had written
 * filled the disk, not what others hold there; else it stays as it is. */
#define PINGO__RUNAWAY_SIZE 384
int pingo__manager_disk_is_runaway(struct pingo__manager_context *c, const struct pingo_job_end *end,
                                   char message[PINGO__RUNAWAY_SIZE], struct pingo_error *err);

#endif
