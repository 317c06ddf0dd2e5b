/* dataset_manager.h - STORED_TO_DELETE -> PROCESSING -> DELETING -> DELETED: thesis 3.6.
 *
 * The scraper takes what is to go into a bounded queue (PROCESSING, and still to be
 * rescued); a deletor takes it from there (DELETING), removes its bytes on a thread of
 * its own, and then it is DELETED.  The database is used on the scheduler's thread alone,
 * one transaction for many.
 *
 * What always holds: only an unclaimed generation reaches DELETING, and from there only
 * DELETED follows, when its last byte is gone; the path of a generation is used by no
 * other, so a slow deletor removes nothing that was made again.  What cannot be removed
 * stays DELETING, counts as used, and is tried again by whoever lives. */
#ifndef PINGO__MANAGER_DATASET_MANAGER_H
#define PINGO__MANAGER_DATASET_MANAGER_H

#include "manager/dataset/reclaim.h"

struct pingo__manager_datasets {
    struct pingo__manager_context *c;
    struct pingo__manager_chores queue; /* PROCESSING */
    struct pingo__manager_chores
        done;          /* DELETING: the deletors are through with it, the store does not know yet */
    size_t nhand;      /* DELETING: with the deletors, or done */
    int64_t looked_ms; /* monotonic: when we last looked for what others left; 0: never */
    int64_t held_until_ms; /* monotonic: nothing is taken from the queue before */
    struct pingo__manager_reclaimer reclaimer;
};

/* c: with workers. */
void pingo__manager_datasets_init(struct pingo__manager_datasets *m,
                                  struct pingo__manager_context *c);
/* Waits until what is in the queue or under way has gone. */
void pingo__manager_datasets_close(struct pingo__manager_datasets *m);

/* Takes what is done and hands out more; waits for nothing.  scrape: looks for more to delete.
 * *deleted: how many datasets have gone. */
int pingo__manager_datasets_tick(struct pingo__manager_datasets *m, bool scrape, size_t *deleted,
                                 struct pingo_error *err);
/* Datasets in the queue or under way. */
size_t pingo__manager_datasets_load(const struct pingo__manager_datasets *m);
/* Nothing moves any more: nothing is under way, trash included, nor will the queue be taken from now. */
bool pingo__manager_datasets_is_idle(const struct pingo__manager_datasets *m);

#endif
