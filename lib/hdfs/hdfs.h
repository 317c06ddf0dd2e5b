/* hdfs.h - files in HDFS, by WebHDFS.
 *
 * What always holds: nothing is replaced (a rename is Hadoop's rename2 without options, a file is made only where there
 * is none); a file of ours appears under its name whole, after its length was compared; what was asked for and not
 * answered is not asked again before the numbers of the files (fileId, which no two ever have) tell what became of it.
 * Functions wait, but not for ever: where no NameNode serves (none answers, all stand by, safe mode) they ask all of
 * them again until the patience is over; bytes may take as long as they move.  All of them may be called on any thread,
 * several at once.  A path is absolute or lies below the path of the url.
 * Errors, besides what is said below: PINGO_EAWAY (no NameNode, or no DataNode, answers), PINGO_ESTATE (they do, and
 * none serves: standby, safe mode), PINGO_ENOSPACE (quota, or no DataNode has room), PINGO_EINVAL (a name that HDFS
 * cannot hold: said before anything is sent), PINGO_EUNSUPPORTED (no libcurl, or it lacks Kerberos; HttpFS, whose
 * rename replaces), PINGO_EINTERRUPTED (stop), PINGO_EIO (what else the cluster refuses, with its own words),
 * PINGO_ENOMEM. */
#ifndef PINGO__HDFS_HDFS_H
#define PINGO__HDFS_HDFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pingo/error.h>

#include "base/buffer.h"
#include "base/world.h"

/* ---- life -------------------------------------------------------------------------------------- */

struct pingo__hdfs;

struct pingo__hdfs_options { /* what is 0 is as it is usual */
    const char *token;       /* a delegation token, as token gives it; NULL: none */
    const char *ca_file; /* whom TLS trusts, besides nobody; NULL: those that the system trusts */
    int64_t patience_ms; /* 30 s */
    int64_t answer_ms;   /* until one that takes a question has answered it, 60 s */
    int64_t stall_ms;    /* without a byte that moves, 60 s */
    /* An outage is waited for once: until somebody serves again calls fail at once, as the one that waited did, but for
     * one at a time, each half second, which asks. */
    bool shares_outages;
    const struct pingo__world *world; /* of files of this machine; NULL: the real one */
    /* Called before each question; where it fails that is the answer. */
    int (*guard)(void *context, struct pingo_error *err);
    void *guard_context;
};

/* webhdfs://[USER@]HOST[:PORT][,HOST[:PORT]...]/PATH, and swebhdfs:// with TLS.  More than one: NameNodes of one file
 * system, of which one serves.  USER: else the one of this process; a cluster with Kerberos asks who we are, and takes
 * the ticket of this user. */
#define PINGO__HDFS_SERVERS 8     /* NameNodes of one file system */
#define PINGO__HDFS_USER_SIZE 128 /* with the NUL */
struct pingo__hdfs_place {
    bool tls;
    char user[PINGO__HDFS_USER_SIZE];       /* "": none */
    char servers[PINGO__HDFS_SERVERS][300]; /* http[s]://HOST:PORT */
    size_t nservers;
    const char *hosts, *path; /* in the url: behind USER@, and from the first slash behind them on */
};
/* false: *wrong says what is wrong with it, static. */
bool pingo__hdfs_read_url(const char *url, struct pingo__hdfs_place *place, const char **wrong);

/* Asks nobody yet.  options may be NULL.  PINGO_EINVAL: the url. */
int pingo__hdfs_open(const char *url, const struct pingo__hdfs_options *options,
                     struct pingo__hdfs **out, struct pingo_error *err);
/* No call may be under way.  NULL is allowed. */
void pingo__hdfs_close(struct pingo__hdfs *fs);
/* Calls that are under way, and later ones, end with PINGO_EINTERRUPTED soon.  Any thread. */
void pingo__hdfs_stop(struct pingo__hdfs *fs);
/* While it hurries, a question waits 5 seconds for its answer, and bytes under way for the next one; then that counts
 * as lost, and all behind it fail at once with PINGO_EAWAY. */
void pingo__hdfs_hurry(struct pingo__hdfs *fs, bool hurries);
/* By which it is found by whomever: the url, with the user that we are, and the path.  Yours. */
int pingo__hdfs_uri(const struct pingo__hdfs *fs, const char *path, char **uri,
                    struct pingo_error *err);
/* The path in HDFS: absolute.  Yours; NULL: no memory. */
char *pingo__hdfs_path(const struct pingo__hdfs *fs, const char *path);

/* ---- what is there --------------------------------------------------------------------------------- */

struct pingo__hdfs_status {
    bool exists, is_directory, is_link; /* neither: a file */
    int64_t file_id;                    /* never used again, and kept by a rename */
    int64_t length;                     /* of a file */
    int64_t mtime_ms;
    int64_t replicas; /* of a file */
    unsigned mode;    /* permissions, 0755 */
};
/* Nothing there is no error. */
int pingo__hdfs_status(struct pingo__hdfs *fs, const char *path, struct pingo__hdfs_status *status,
                       struct pingo_error *err);

/* Other than 0 ends the list, and is what it returns. */
typedef int (*pingo__hdfs_entry_fn)(void *context, const char *name,
                                    const struct pingo__hdfs_status *status,
                                    struct pingo_error *err);
/* What lies in a directory, by its own name each, in no order to rely on.  PINGO_ENOTFOUND: no such directory. */
int pingo__hdfs_list(struct pingo__hdfs *fs, const char *path, pingo__hdfs_entry_fn fn,
                     void *context, struct pingo_error *err);

/* The same of a tree: it (by the name ""), and all that is in it by paths below it, a directory before what it
 * holds. */
int pingo__hdfs_walk(struct pingo__hdfs *fs, const char *path, pingo__hdfs_entry_fn fn,
                     void *context, struct pingo_error *err);

struct pingo__hdfs_summary {
    int64_t bytes;        /* as long as the files are */
    int64_t stored_bytes; /* with all replicas */
    int64_t files, directories;
    int64_t quota_bytes; /* with all replicas; -1: none */
};
/* PINGO_ENOTFOUND. */
int pingo__hdfs_summary(struct pingo__hdfs *fs, const char *path,
                        struct pingo__hdfs_summary *summary, struct pingo_error *err);

struct pingo__hdfs_space {          /* -1: unknown */
    int64_t free_bytes, used_bytes; /* with all replicas */
    int64_t own_bytes,
        own_stored_bytes; /* of the directory: as long as its files are; with all replicas */
};
/* Of the cluster, or what a quota on the directory leaves of it.  The NameNode counts all files of the directory. */
int pingo__hdfs_space(struct pingo__hdfs *fs, const char *path, struct pingo__hdfs_space *space,
                      struct pingo_error *err);

/* Hadoop's own checksum of a file: hex digits, which depend on the sizes of blocks and chunks.  PINGO_ENOTFOUND;
 * PINGO_EINPUT: no DataNode has its bytes, and none is missing.  PINGO_EIO: it may be had later. */
#define PINGO__HDFS_CHECKSUM_SIZE 160
int pingo__hdfs_checksum(struct pingo__hdfs *fs, const char *path,
                         char text[PINGO__HDFS_CHECKSUM_SIZE], struct pingo_error *err);

/* ---- changes ------------------------------------------------------------------------------------------ */

/* A directory with those above it, unless it is there.  PINGO_EEXISTS: a file is in the way. */
int pingo__hdfs_make(struct pingo__hdfs *fs, const char *path, struct pingo_error *err);
/* In one step; who of several renames the same entry, one alone succeeds.  PINGO_ENOTFOUND: from is not there, or to
 * has no directory; PINGO_EEXISTS: something is at to, even an empty directory. */
int pingo__hdfs_rename(struct pingo__hdfs *fs, const char *from, const char *to,
                       struct pingo_error *err);
/* The same, and the directory of `to` is made where it is not there.  PINGO_ENOTFOUND: from is not there. */
int pingo__hdfs_move(struct pingo__hdfs *fs, const char *from, const char *to,
                     struct pingo_error *err);
/* A file or a whole tree, at once.  Nothing there is fine.  To be used where no name is ever given twice. */
int pingo__hdfs_remove(struct pingo__hdfs *fs, const char *path, struct pingo_error *err);
/* A directory with nothing in it; else PINGO_EEXISTS. */
int pingo__hdfs_remove_empty(struct pingo__hdfs *fs, const char *path, struct pingo_error *err);
/* PINGO_ENOTFOUND. */
int pingo__hdfs_set_mode(struct pingo__hdfs *fs, const char *path, unsigned mode,
                         struct pingo_error *err);

/* Sets when it was written last, for who tells by that what is in use.  PINGO_ENOTFOUND. */
int pingo__hdfs_touch(struct pingo__hdfs *fs, const char *path, int64_t mtime_ms,
                      struct pingo_error *err);

/* ---- bytes --------------------------------------------------------------------------------------------- */

/* A new file, with the directories above it: written at `by` (NULL: a name beside path that nobody else has), its
 * length compared, then renamed.  What cannot be finished is removed, if that can be.  PINGO_EEXISTS. */
int pingo__hdfs_put_bytes(struct pingo__hdfs *fs, const char *path, const void *bytes,
                          size_t length, struct pingo_error *err);
/* The same of a file or tree of this machine (source: absolute, or a link to one).  Nobody may write its files then.
 * Executable bits go with it, and empty directories.  A link in it becomes a copy of what it leads to, as long as that
 * lies in the tree.
 * PINGO_EINPUT, before anything is sent: a link that leads elsewhere, what is neither file nor directory, a name
 * that HDFS cannot hold. */
int pingo__hdfs_put_tree(struct pingo__hdfs *fs, const char *source, const char *path,
                         const char *by, struct pingo_error *err);

struct pingo__hdfs_range {
    int64_t offset, most; /* bytes */
};
/* As many of these as there are, behind what is in the buffer.  PINGO_ENOTFOUND. */
int pingo__hdfs_get_bytes(struct pingo__hdfs *fs, const char *path, struct pingo__hdfs_range range,
                          struct pingo__buffer *bytes, struct pingo_error *err);
/* A file or a tree to a path of this machine (absolute) where nothing lies: PINGO_EEXISTS.  Its lengths are compared;
 * what cannot be finished is removed.  Files are 0444, and 0555 where somebody may execute them; where most has 0200,
 * their owner may write them, and the umask counts, too.  Of the root's mode nothing is beyond most. */
int pingo__hdfs_get_tree(struct pingo__hdfs *fs, const char *path, const char *target, mode_t most,
                         struct pingo_error *err);

/* ---- who we are ------------------------------------------------------------------------------------------ */

/* A token by which others may be us for a while, until renewer (who may renew it) lets it end.  Yours; *token NULL:
 * this cluster has none, since it asks nobody who he is. */
int pingo__hdfs_token(struct pingo__hdfs *fs, const char *renewer, char **token,
                      struct pingo_error *err);
/* The same token as Hadoop's own programs, which speak to the NameNode by its other port, find it.  nameservice: what
 * they call several NameNodes of one file system; NULL: it is of the one that gave it.  Yours.  PINGO_EIO: it is
 * none.  Pure. */
int pingo__hdfs_token_for_hadoop(const char *token, const char *nameservice, char **out,
                                 struct pingo_error *err);

#endif
