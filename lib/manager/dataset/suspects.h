/* suspects.h - datasets that lie at their paths, but as other files than were published: the store was
 * copied, moved to another disk or put back from a copy, or somebody changed them.  Content decides.
 *
 * What always holds: nothing is read inside a transaction; what has the content that was published
 * stays, and its row learns what the file system says of it now. */
#ifndef PINGO__MANAGER_SUSPECTS_H
#define PINGO__MANAGER_SUSPECTS_H

#include <pingo/digest.h>

#include "base/map.h"
#include "manager/attempt/inputs.h"
#include "store/dataset/datasets.h"

struct pingo__manager_suspect; /* one of them, and what was found out */

struct pingo__manager_suspects {
    struct pingo__manager_context *c;
    struct pingo__arena arena;
    struct pingo__manager_suspect *list;
    size_t n, capacity;
    size_t nread; /* those before are read */
    bool must_tell; /* a pool that does not answer is an error; else what it does not tell is as the store says */
    const struct pingo_identify_options *progress; /* of verify; may be NULL */
    struct pingo__map by_dataset;
};

void pingo__manager_suspects_clear(struct pingo__manager_suspects *s);

/* What is known of a dataset that is not as it was stamped: is it another?  What is to be read first is noted for that,
 * and counts as the same until then. */
int pingo__manager_suspects_judge(struct pingo__manager_suspects *s,
                                  const struct pingo__store_dataset_row *row, bool *is_other,
                                  struct pingo_error *err);
bool pingo__manager_suspects_is_any_unread(const struct pingo__manager_suspects *s);
/* Outside any transaction: reads those that are noted, several at a time, and writes down the new stamps of those
 * that are the same.  progress may be NULL.  Errors: PINGO_EINTERRUPTED. */
int pingo__manager_suspects_read(struct pingo__manager_suspects *s,
                                 const struct pingo_identify_options *progress,
                                 struct pingo_error *err);

/* Outside any transaction: is the first of n datasets what was published, by its stamp or else by its content?  THERE,
 * CHANGED or GONE; THERE also where that is not known yet, and fails.  The first that is asked for and has to be read
 * is read with those behind it that look so, for each time that some learn their new stamps waits for the disk. */
int pingo__manager_suspects_verify(struct pingo__manager_suspects *s,
                                   const struct pingo__store_dataset_row *rows, size_t n,
                                   enum pingo__manager_presence *is, struct pingo_error *err);
/* One alone. */
int pingo__manager_dataset_verify(struct pingo__manager_context *c,
                                  const struct pingo__store_dataset_row *row,
                                  enum pingo__manager_presence *is, struct pingo_error *err);

#endif
