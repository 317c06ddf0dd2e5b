/* digest.h - the Merkle hash of an action, the content of original datasets.
 *
 * The encoding is specified in pingo-hash(7); this header gives the means.
 * Originals, digests and descriptions do not change once they are made, and any thread may read them.
 * Source: thesis section 2.1.2, "The encryption alternative". */
#ifndef PINGO_DIGEST_H
#define PINGO_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <pingo/error.h>
#include <pingo/workflow.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PINGO_HASH_SIZE 32     /* bytes of SHA-256 */
#define PINGO_HASH_HEX_SIZE 65 /* hex digits and NUL */

/* A SHA-256.  Fixed: it never grows. */
struct pingo_hash {
    uint8_t bytes[PINGO_HASH_SIZE];
};

struct pingo_originals;   /* opaque: the identity of every original and tool of a workflow */
struct pingo_digests;     /* opaque: the hash and canonical description of every action */
struct pingo_description; /* opaque: one canonical description, decoded */

/* Writes 64 lower-case hex digits and NUL. */
PINGO_API void pingo_hash_to_hex(const struct pingo_hash *hash, char hex[PINGO_HASH_HEX_SIZE]);
/* Reads 64 hex digits.  0, or PINGO_EINVAL. */
PINGO_API int pingo_hash_from_hex(const char *hex, struct pingo_hash *hash);

/* ---- originals ------------------------------------------------------------ */

struct pingo_identify_progress {
    uint64_t files_done, files; /* files known so far; grows while trees are walked */
    uint64_t bytes_done, bytes;
};

struct pingo_identify_options {
    unsigned version; /* 1 */
    unsigned threads; /* 0: as many as there are processors, at most 8 */
    /* Called from the calling thread now and then; a return other than 0 stops
     * with PINGO_EINTERRUPTED; it may call back.  May be NULL. */
    int (*progress)(void *context, const struct pingo_identify_progress *progress);
    void *context;
};

/* The content identity of one file or directory, as it enters hashes; of a file what sha256sum prints.
 * The named path itself is followed.  Errors: PINGO_EINPUT (absent, unreadable,
 * special file, a link that leads out of the tree), PINGO_ENOMEM.  Any thread. */
PINGO_API int pingo_content_hash(const char *path, struct pingo_hash *hash, struct pingo_error *err);

/* Finds the identity of every original and tool of a workflow: reads what has
 * content identity, in parallel.  An input that is absent or unreadable is noted,
 * not an error, until a hash needs it (pingo_workflow_hash()).
 * *originals: yours.  Errors: PINGO_ENOMEM, PINGO_EINTERRUPTED. */
PINGO_API int pingo_originals_identify(const struct pingo_workflow *workflow,
                                       const struct pingo_identify_options *options,
                                       struct pingo_originals **originals, struct pingo_error *err);
/* Frees the list.  NULL is fine. */
PINGO_API void pingo_originals_free(struct pingo_originals *originals);

/* ---- hashes ----------------------------------------------------------------- */

/* Hashes every action.  originals: of the same workflow.  *digests: yours; it
 * borrows nothing.  Errors: PINGO_EINPUT with the path of the first original
 * that is needed and absent, PINGO_ENOMEM.  Any thread.  Linear in the size of the workflow. */
PINGO_API int pingo_workflow_hash(const struct pingo_workflow *workflow,
                                  const struct pingo_originals *originals,
                                  struct pingo_digests **digests, struct pingo_error *err);
/* Frees the hashes and all they lent.  NULL is fine. */
PINGO_API void pingo_digests_free(struct pingo_digests *digests);
/* The hash of the i-th action; borrowed; NULL past the end. */
PINGO_API const struct pingo_hash *pingo_digests_hash(const struct pingo_digests *digests, size_t i);
/* The canonical description of the i-th action, whose SHA-256 its hash is; borrowed. */
PINGO_API const void *pingo_digests_description(const struct pingo_digests *digests, size_t i,
                                                size_t *length);

/* ---- canonical descriptions, decoded --------------------------------------- */

struct pingo_described_input {
    const char *name; /* the link in/NAME */
    const char *kind; /* "content" (of a file), "tree" (content of a directory), "stat", "uri" */
    const char *identity; /* content, tree: 64 hex digits; stat: "PATH SIZE MTIME_NS"; uri: the uri */
    const char *version; /* of a uri, else NULL */
};

struct pingo_described_parent {
    const char *role;       /* NULL where the type's parents are unordered */
    struct pingo_hash hash; /* of the parent */
};

struct pingo_described_tool {
    const char *name;          /* as declared */
    struct pingo_hash content; /* of the file that was found */
};

/* A command of "versions". */
struct pingo_described_version {
    const char *const *argv;
    size_t nargv;
    struct pingo_hash output; /* SHA-256 of what the command wrote: see pingo-hash(7) */
};

/* Decodes a canonical description, of this or an earlier encoding.  *description: yours; borrows nothing.
 * Errors: PINGO_ECORRUPT (not an encoding that this version knows), PINGO_ENOMEM. */
PINGO_API int pingo_description_decode(const void *bytes, size_t length,
                                       struct pingo_description **description,
                                       struct pingo_error *err);
/* Frees the description and all it lent.  NULL is fine. */
PINGO_API void pingo_description_free(struct pingo_description *description);
/* The version of its encoding: 2, or 1 of what Pingo 0.1 made. */
PINGO_API unsigned pingo_description_encoding(const struct pingo_description *description);
/* The type of the action, such as "command-line"; borrowed. */
PINGO_API const char *pingo_description_type(const struct pingo_description *description);
/* The salt; borrowed; NULL when not given. */
PINGO_API const char *pingo_description_salt(const struct pingo_description *description);
/* Where an unmanaged output goes; borrowed; NULL when managed. */
PINGO_API const char *pingo_description_output_path(const struct pingo_description *description);
/* The describing fields of the type, in byte order of the keys; borrowed; *n their number. */
PINGO_API const struct pingo_field *pingo_description_fields(
    const struct pingo_description *description, size_t *n);
/* The inputs, in byte order of their names; borrowed; *n their number. */
PINGO_API const struct pingo_described_input *pingo_description_inputs(
    const struct pingo_description *description, size_t *n);
/* The tools, in byte order of their names; borrowed; *n their number. */
PINGO_API const struct pingo_described_tool *pingo_description_tools(
    const struct pingo_description *description, size_t *n);
/* The commands of "versions", in the order of pingo-hash(7); borrowed; *n their number. */
PINGO_API const struct pingo_described_version *pingo_description_versions(
    const struct pingo_description *description, size_t *n);
/* The parents, in byte order of their roles, or by hash where the type's parents are unordered; borrowed;
 * *n their number. */
PINGO_API const struct pingo_described_parent *pingo_description_parents(
    const struct pingo_description *description, size_t *n);

/* One entry of a directory that changed, came or went: "file 0123456789abcdef" (the beginning of its content's
 * hash), "executable ...", "link ...", "directory"; NULL: it is not there. */
struct pingo_file_change {
    const char *path; /* below the directory */
    const char *before;
    const char *after;
};

/* One field in which two descriptions differ.  Borrowed for the call. */
struct pingo_difference {
    const char *field; /* "command", "env PATH", "input text", "tool sort", "parent words", "salt", "encoding", ... */
    const char *before; /* readable text, shortened; NULL: absent there */
    const char *after;
    /* What follows is known to a store alone (pingo_store_why(), pingo_store_plan()). */
    const char *before_path; /* where the input or tool lay when it was last seen; NULL: not known */
    const char *after_path;
    const struct pingo_file_change *files; /* of a directory: what changed in it, the first ones */
    size_t nfiles;
    size_t changed_files; /* how many in all; 0: what lay in one of them is not known (it was too much, or
                             hashed by an older version) */
    bool inherited; /* also known without a store: it is a parent that differs in turn; one that came or went is such
                       only where parents have no roles, and nobody knows which came for which */
};
typedef int (*pingo_difference_fn)(void *context, const struct pingo_difference *difference);

/* Calls fn for each differing field, in a fixed order; stops when it returns other than 0.
 * Returns the number of differences told, or PINGO_ENOMEM.  fn may call back. */
PINGO_API int pingo_description_compare(const struct pingo_description *before,
                                        const struct pingo_description *after,
                                        pingo_difference_fn fn, void *context);

#ifdef __cplusplus
}
#endif
#endif
