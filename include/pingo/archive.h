/* archive.h - what ended long ago: its attempts move to files of their month beside the database.
 *
 * A month file, archive/YYYY-MM.db in the store's directory (YYYY-MM.2.db and so on once one holds 4 GiB), has the
 * attempts of all submissions that ended in that month.  Schedulers move them when they have nothing else to do, from
 * archive.afterDays (setting; 7) after the end on, whole submissions at a time; not while a scratch directory of one is
 * kept, or an attempt of it still ends.  Nothing else changes: every function answers the same before and after, and
 * planning, deciding and saying why read no month file.  A month that is more than two months past is sealed: its file,
 * YYYY-MM.sealed.db from then on, never changes again.
 * Where a month file is gone or damaged, what needs it fails with PINGO_ECORRUPT and names it; all else goes on.
 * What <pingo/store.h> says of threads, errors, strings, callbacks and units holds here as well.
 * Source: the live and archive tables of PanDA (Golosova et al., Procedia Computer Science 66, 2015). */
#ifndef PINGO_ARCHIVE_H
#define PINGO_ARCHIVE_H

#include <pingo/error.h>
#include <pingo/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pingo_archived {
    size_t size;                 /* sizeof, set by the caller */
    int64_t workflows, attempts; /* that were moved, or would be */
    int64_t sealed;              /* month files */
    int64_t held_ms;             /* the longest that the store's lock was held for it */
};
struct pingo_archive_options {
    unsigned version;   /* 1 */
    int64_t before_ms;  /* what ended before that; 0: as archive.afterDays says */
    bool dry_run;       /* counts, and moves nothing */
    bool seal;          /* also files of months that are not past that long */
    int64_t part_bytes; /* a file that holds so many bytes gets no more; 0: 4 GiB */
    /* Told now and then what was moved so far; other than 0 stops it: PINGO_EINTERRUPTED, and nothing is half done.
     * It must not call back. */
    int (*progress)(void *context, const struct pingo_archived *so_far);
    void *context;
};
/* Moves all that may go, now.  options: may be NULL; result: may be NULL.  May be cut short anywhere, and begun again.
 * Errors: PINGO_EBUSY (another process moves), PINGO_ENOSPACE, PINGO_EFORBIDDEN, PINGO_ECORRUPT (the month file that it
 * would go to is damaged). */
PINGO_API int pingo_store_archive(struct pingo_store *store,
                                  const struct pingo_archive_options *options,
                                  struct pingo_archived *result, struct pingo_error *err);

/* A month file. */
struct pingo_archive_file {
    const char *name;            /* in the directory archive of the store */
    bool sealed;                 /* it never changes again */
    int64_t workflows, attempts; /* that are in it */
    int64_t bytes;               /* -1: it is gone */
    int64_t first_ms, last_ms;   /* of the ends of these workflows; -1: there are none */
};
typedef int (*pingo_archive_file_fn)(void *context, const struct pingo_archive_file *file);
/* Calls fn for each month file, in the order in which they were made.  fn may call back. */
PINGO_API int pingo_store_archive_files(struct pingo_store *store, pingo_archive_file_fn fn,
                                        void *context, struct pingo_error *err);

#ifdef __cplusplus
}
#endif
#endif
