/* listing.h - what lies in a tree, in short, so that one can say later which of its files changed.
 *
 * A remark: it enters no hash, and nothing depends on it.  Entries come in the order in which the
 * tree is walked, a directory before what is in it. */
#ifndef PINGO__DIGEST_LISTING_H
#define PINGO__DIGEST_LISTING_H

#include <pingo/digest.h>

#include "base/buffer.h"

/* A tree whose listing would be longer has none: about twenty thousand files. */
#define PINGO__LISTING_LIMIT ((size_t)1 << 20)
#define PINGO__LISTING_MARK 8 /* so many bytes of a hash tell contents apart */

struct pingo__digest_listing {
    struct pingo__buffer bytes;
    bool too_long; /* bytes is empty then */
};

struct pingo__digest_listing_entry {
    const char *path; /* below the tree */
    char kind; /* 'f', 'x': a file and one that can be executed; 'l': a link; 'd': a directory */
    uint8_t mark[PINGO__LISTING_MARK]; /* of the content, of the link's text; zero of a directory */
};

void pingo__digest_listing_add(struct pingo__digest_listing *listing,
                               const struct pingo__digest_listing_entry *entry);

/* Calls fn with each entry that one of two listings has, or has otherwise, in their order; the other is NULL where
 * it has none.  Of a directory that only one has, its entries are not told.  0, or PINGO_ECORRUPT: these bytes
 * are no listings. */
typedef void (*pingo__digest_listing_fn)(void *context,
                                         const struct pingo__digest_listing_entry *before,
                                         const struct pingo__digest_listing_entry *after);
struct pingo__digest_listing_text {
    const void *bytes;
    size_t n;
};
int pingo__digest_listing_compare(const struct pingo__digest_listing_text *before,
                                  const struct pingo__digest_listing_text *after,
                                  pingo__digest_listing_fn fn, void *context);

#endif
