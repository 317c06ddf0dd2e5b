/* originals.h - the identity of each original and tool of a workflow.
 *
 * The list is sorted and holds each (kind, path) once, so that a store can keep
 * it and ask later, without parsing the workflow, whether anything changed. */
#ifndef PINGO__DIGEST_ORIGINALS_H
#define PINGO__DIGEST_ORIGINALS_H

#include <pingo/digest.h>

#include "base/arena.h"
#include "digest/content.h"
#include "workflow/check.h"

enum pingo__digest_original_kind {
    PINGO__ORIGINAL_CONTENT = 1,  /* an input whose content is hashed */
    PINGO__ORIGINAL_STAT = 2,     /* an input with "identity": "stat" */
    PINGO__ORIGINAL_TOOL = 3,     /* a tool: name is as declared, path as found */
    PINGO__ORIGINAL_DECLARED = 4, /* an input with "sha256": not read */
    PINGO__ORIGINAL_VERSION = 5   /* a command of "versions": path is its program as found */
};
/* Of an input with a path. */
enum pingo__digest_original_kind pingo__digest_original_kind_of(const struct pingo_input *input);

struct pingo__digest_original {
    enum pingo__digest_original_kind kind;
    const char *name; /* TOOL: name and the PATH it was searched on, "NAME\nPATH"; VERSION: command and
                         environment (see version.c); else NULL */
    const char *path; /* absolute; TOOL, VERSION: what was found, or NULL */
    int error;        /* 0, or PINGO_EINPUT: absent or unreadable; message tells */
    const char *message;
    struct pingo_hash
        hash; /* CONTENT, TOOL: content; DECLARED: as declared; STAT: SHA-256 of "PATH SIZE MTIME_NS";
                 VERSION: of the output */
    struct pingo_hash
        stamp; /* see struct pingo__digest_content; of STAT: of the path's own stat; zero for DECLARED */
    bool stamp_is_young;
    bool is_directory;
    int64_t size, mtime_ns; /* STAT: of the path; else as in struct pingo__digest_content */
    char mtime[PINGO__TIME_TEXT_SIZE]; /* STAT: the same in ns, with all its digits */
    const char *text;          /* VERSION: the first line of the output, for people; else NULL */
    struct pingo_hash program; /* VERSION: content of the program; stamp is of it, too */
    char *listing; /* CONTENT, a directory: what lies in it; NULL where that is too long */
    size_t listing_length;
};

/* What is identified, and how. */
struct pingo__digest_identify {
    const struct pingo_workflow *workflow; /* NULL: what an earlier list names (kind, name, path are read) */
    const struct pingo__digest_original *list;
    size_t n;
    const struct pingo_identify_options *options;    /* NULL: the defaults */
    const struct pingo__world *world;                /* NULL: the real one */
    const struct pingo__digest_content_cache *cache; /* NULL: none */
    bool at_once; /* it is compared with what was identified before: no STAT waits until its time is old */
};
/* As pingo_originals_identify(). */
int pingo__digest_originals_identify(const struct pingo__digest_identify *what,
                                     struct pingo_originals **originals, struct pingo_error *err);
/* The list; borrowed.  DECLARED ones are not in it. */
const struct pingo__digest_original *pingo__digest_originals_list(
    const struct pingo_originals *originals, size_t *n);
/* The same with the DECLARED ones behind. */
const struct pingo__digest_original *pingo__digest_originals_all(
    const struct pingo_originals *originals, size_t *n);
/* One hash over the whole list (kinds, names, paths, hashes, errors): equal means that every action
 * of the same workflow hashes to the same.  0, or PINGO_ENOMEM (then *digest is zero). */
int pingo__digest_originals_digest(const struct pingo_originals *originals,
                                   struct pingo_hash *digest);
/* The original behind the i-th input, tool or command of an action of the workflow that was identified; NULL
 * for uri inputs, past the end, and where there was no workflow (a list).  Borrowed.
 * DECLARED ones: an entry with hash and path, made at identification. */
const struct pingo__digest_original *pingo__digest_originals_of(
    const struct pingo_originals *originals, const struct pingo_action *action,
    enum pingo__workflow_part part, size_t i);

/* The originals behind the inputs, tools and version commands of an action's description, in its order; NULL for
 * uris.
 * *list: in the arena.  0, or PINGO_ENOMEM. */
int pingo__digest_originals_described(const struct pingo_originals *originals,
                                      const struct pingo_action *action, struct pingo__arena *arena,
                                      const struct pingo__digest_original *const **list, size_t *n);

#endif
