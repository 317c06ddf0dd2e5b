/* backend.h - what a kind of pool can do: a table of functions, and nothing else of it is known outside its folder.
 *
 * Entries have names below the pool, as base/names.h prints them; a name's parts are separated by '/'.  What holds for
 * every kind: an entry appears under its name whole; nothing is ever replaced; a link is never followed, and nothing
 * that somebody mounted is entered; what cannot be done leaves all as it was, but for remove and stage.
 * All functions of an open pool may be called on any thread, several at once.  They return 0 or a PINGO_E*, err with
 * it: PINGO_ENOTFOUND and PINGO_EEXISTS where it is said, PINGO_ENOSPACE, PINGO_ENOMEM, PINGO_ESTATE where nothing can
 * be changed now (a file system is read-only), PINGO_EAWAY where it cannot be seen now what is there, else PINGO_EIO.
 * A new kind is a folder of lib/pool with a table, and its line in backends.c. */
#ifndef PINGO__POOL_BACKEND_H
#define PINGO__POOL_BACKEND_H

#include "base/names.h"
#include "base/stamp.h"
#include "base/world.h"
#include "digest/content.h"

struct pingo__pool_state {
    bool exists;
    bool directory;
    bool other_kind;    /* neither a file nor a directory */
    bool link;          /* a symbolic link */
    bool executable;    /* by its owner */
    bool closed;        /* another user's, who does not let us read it */
    int64_t size_bytes; /* of a file */
    struct pingo__stamp stamp;
};

struct pingo__pool_extent {
    int64_t held_bytes; /* as the budget counts what has no row: a hole is none */
    int64_t bytes;      /* as long as the files are */
    size_t entries;
    bool whole; /* else more was there than was asked for */
};

struct pingo__pool_space {
    int64_t free_bytes;  /* to this user; -1: unknown */
    int64_t taken_bytes; /* by whomever; -1: unknown */
    /* Of a pool that keeps more than one copy of a file: as long as all that lies in it is, and with the copies; <= 0:
     * unknown.  The bytes before are without copies. */
    int64_t own_bytes, own_stored_bytes;
};

/* What of a removal stays. */
struct pingo__pool_rest {
    char what[128]; /* the first entry that could not be removed, below the name; "": it as a whole */
    char why[400];
    bool read_only; /* pingo__pool_is_closed() */
};

/* Where a pool is, and what its store has for it. */
struct pingo__pool_site {
    const struct pingo__world *world;
    const char *place; /* a path, or KIND://... */
    const char *near; /* a directory of this machine, absolute, which a pool that lies elsewhere makes and fills */
};

/* After why something there cannot be looked at. */
#define PINGO__POOL_UNTIL "; it is used again once this user can read it"

/* Nothing can be changed in it now: it is read-only, does not answer, or is not this store's any more. */
static inline bool pingo__pool_is_closed(int rc)
{
    return rc == PINGO_ESTATE || rc == PINGO_EAWAY || rc == PINGO_ESTORE;
}

typedef int (*pingo__pool_name_fn)(void *context, const char *name, struct pingo_error *err);
/* Who is told of what destroy leaves.  Other than 0 stops. */
struct pingo__pool_told {
    int (*kept)(void *context, const char *path, const char *why); /* NULL: nobody */
    void *context;
};

struct pingo__pool_backend {
    const char *scheme; /* "x": pools at x://...; "": at directories */

    /* A new pool, which belongs to the store; one of its own, in which nothing is, is made whole.  PINGO_ESTORE: it is
     * another store's; PINGO_EEXISTS: something lies there where parts of it belong. */
    int (*create)(const struct pingo__pool_site *site, const char *store_id,
                  struct pingo_error *err);
    /* PINGO_ESTORE: there is no pool, or not this store's. */
    int (*open)(const struct pingo__pool_site *site, const char *store_id, void **pool,
                struct pingo_error *err);
    void (*close)(void *pool);
    /* Is there a pool of this store?  Is there nothing of one, but perhaps what destroy left to its user? */
    bool (*is_of)(const struct pingo__pool_site *site, const char *store_id);
    bool (*is_destroyed)(const struct pingo__pool_site *site);
    /* Takes an open one apart: what is Pingo's by its name; the mark of the pool goes last. */
    int (*destroy)(void *pool, const struct pingo__pool_told *told, struct pingo_error *err);
    /* Text that a copy of the pool does not share. */
    int (*identity)(void *pool, char text[64], struct pingo_error *err);
    /* What was noted in this pool (not in one that it is a copy of) by note: where its store is; "": nothing. */
    void (*noted)(void *pool, char *text, size_t size);
    void (*note)(void *pool, const char *text);

    /* What is there.  Nothing is no error. */
    int (*state)(void *pool, const char *name, struct pingo__pool_state *state,
                 struct pingo_error *err);
    /* Its content, as pingo__digest_content_read() tells it; options->world is the backend's to choose. */
    int (*read)(void *pool, const char *name, const struct pingo__digest_content_options *options,
                struct pingo__digest_content *content, struct pingo_error *err);
    /* A copy of a file or tree of this machine.  PINGO_EEXISTS: the name is taken.  What is cut short may leave a part
     * there. */
    int (*stage)(void *pool, const char *path, const char *name, struct pingo_error *err);
    /* Gives an entry another name, in one step.  PINGO_ENOTFOUND: it is not there, or was to go to the trash, could not
     * be moved, and was removed; PINGO_EEXISTS: something lies there, or is in the way. */
    int (*move)(void *pool, const char *from, const char *to, struct pingo_error *err);
    /* From now on nobody writes it.  Files below were seen to by read with make_readonly. */
    int (*seal)(void *pool, const char *name, struct pingo_error *err);
    /* A copy on this machine, at a path that must not be there, that its owner may write.  It lets group and others do
     * at most what `most` and the umask let them, from the start. */
    int (*copy_out)(void *pool, const char *name, const char *path, mode_t most,
                    struct pingo_error *err);
    /* Names of what lies in a directory, in any order, as NAME/ENTRY. */
    int (*list)(void *pool, const char *name, pingo__pool_name_fn fn, void *context,
                struct pingo_error *err);
    /* Of a file or a tree, up to so many entries.  PINGO_ENOTFOUND. */
    int (*measure)(void *pool, const char *name, size_t most, struct pingo__pool_extent *extent,
                   struct pingo_error *err);
    /* A file, a link or a tree.  Neither depth, nor width, nor permissions that we may change end it. */
    bool (*remove)(void *pool, const char *name, struct pingo__pool_rest *rest);
    /* All that was done is on the disk.  NULL: it always is, as with a NameNode, before it answers. */
    int (*sync)(void *pool, struct pingo_error *err);
    struct pingo__pool_space (*space)(void *pool);
    /* Where processes of this machine find it, or put it.  Yours; *path NULL: they cannot.  Of "": the directory with
     * attempts/ and staged/ in it, which every pool has on this machine: it, or one of its own from which move and
     * stage take things into it. */
    int (*path)(void *pool, const char *name, char **path, struct pingo_error *err);

    /* ---- a pool on this machine leaves all of it out ---- */

    /* It lies elsewhere: each function but path and shed asks somebody there, and may take long.  What is in staged/,
     * attempts/ and trash/ may be here or there, and is found in both; what is moved to objects/ is there. */
    bool is_remote;
    /* Brings a copy of an object to this machine, where path finds it until the object is moved or shed takes it; or of
     * an attempt's log, where this process finds it.  PINGO_ENOTFOUND. */
    int (*fetch)(void *pool, const char *name, struct pingo_error *err);
    /* Makes what was fetched small, that which was used longest ago first.  is_needed: a process uses it now. */
    int (*shed)(void *pool, int64_t keep_bytes, bool (*is_needed)(void *context, const char *name),
                void *context, struct pingo_error *err);
    /* What an engine finds it by: an URL, the pool's place and the name.  Yours. */
    int (*place)(void *pool, const char *name, char **uri, struct pingo_error *err);
    /* Into the trash goes what executors keep there beside the parts, and nobody has made or touched since (ms since
     * 1970). */
    int (*trim)(void *pool, int64_t before_ms, struct pingo_error *err);
    /* Who closes does not wait long for somebody who says nothing: until it is false again, a question is given up
     * after a few seconds, its answer counts as lost, and all others fail at once; so are bytes under way, of which
     * none moved. */
    void (*hurry)(void *pool, bool hurries);
};

/* backends.c: those that there are; ends with NULL. */
extern const struct pingo__pool_backend *const pingo__pool_backends[];

#endif
