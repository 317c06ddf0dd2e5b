/* encoding.h - the canonical encoding of an action, version 2, as pingo-hash(7)
 * specifies it.  Descriptions of version 1 are still read: they have another magic and
 * no record for versions.
 *
 *   description = magic record*
 *   record      = tag (1 byte) length (u32) payload
 *   text        = length (u32) bytes
 *
 * Integers are little-endian.  Records come in the order of the tags below, and
 * within a tag sorted by key, name, command or role, none twice (parents without a
 * role: by hash).  So a description has exactly one encoding, and no two have the same.
 * Nothing here may change without a new magic. */
#ifndef PINGO__DIGEST_ENCODING_H
#define PINGO__DIGEST_ENCODING_H

#include <stddef.h>
#include <stdint.h>

#include <pingo/digest.h>

#include "base/buffer.h"
#include "workflow/check.h"

#define PINGO__ENCODING_MAGIC "pingo-action-2\n"
#define PINGO__ENCODING_MAGIC_1 "pingo-action-1\n"
#define PINGO__ENCODING_VERSION 2
#define PINGO__ENCODING_MAGIC_SIZE (sizeof PINGO__ENCODING_MAGIC - 1)

enum pingo__digest_record_tag {
    PINGO__RECORD_TYPE = 'T',  /* bytes of the type's name; exactly one */
    PINGO__RECORD_FIELD = 'F', /* text key, kind (1 byte; see workflow/kinds.c), texts to the end */
    PINGO__RECORD_SALT = 'S',  /* bytes; at most one */
    PINGO__RECORD_OUTPUT = 'O',   /* bytes of the unmanaged output's path; at most one */
    PINGO__RECORD_INPUT = 'I',    /* text name, kind (1 byte), the rest by kind */
    PINGO__RECORD_TOOL = 'X',     /* text name, 32 bytes */
    PINGO__RECORD_VERSION = 'V',  /* number of arguments (u32), texts, 32 bytes: of the output */
    PINGO__RECORD_PARENT = 'P',   /* text role, 32 bytes */
    PINGO__RECORD_UNORDERED = 'Q' /* 32 bytes: a parent of a type whose parents have no order */
};

enum pingo__digest_input_letter {
    PINGO__INPUT_FILE = 'f', /* 32 bytes: SHA-256 of the file */
    PINGO__INPUT_TREE = 't', /* 32 bytes: hash of the tree */
    PINGO__INPUT_STAT = 's', /* bytes "PATH SIZE MTIME_NS" */
    PINGO__INPUT_URI = 'u'   /* text uri, text version */
};

struct pingo__digest_original;

/* One of a part: by what it is sorted, and its place in the action. */
struct pingo__digest_encode_slot {
    const char *const *words; /* a name, or the arguments of a command */
    size_t nwords;            /* 0: by hash */
    const struct pingo_hash *hash;
    size_t index;
};

/* What the encoder needs besides the action. */
struct pingo__digest_encode_source {
    const struct pingo__digest_original *originals;
    /* Into originals: one for each input (UINT32_MAX for a uri), each tool, each version. */
    const uint32_t *refs;
    const struct pingo_hash *hashes; /* of the workflow's actions; those of the parents are set */
};

/* Room to sort in, used again for each action. */
struct pingo__digest_encoder {
    struct pingo__digest_encode_slot *slots;
    size_t capacity;
};

/* Order of commands: argument by argument in byte order, a command before the longer ones that begin
 * with it. */
int pingo__digest_encoding_compare_commands(const char *const *a, size_t na, const char *const *b,
                                            size_t nb);

/* What is zeroed is a new one. */
void pingo__digest_encoder_clear(struct pingo__digest_encoder *encoder);
/* Sorts what an action has of a part into encoder->slots; a tool or command that is said twice is there once.
 * hashes: of the workflow's actions, for parents.  *n: how many.  0, or PINGO_ENOMEM. */
int pingo__digest_encode_sorted(struct pingo__digest_encoder *encoder,
                                const struct pingo_action *action, enum pingo__workflow_part part,
                                const struct pingo_hash *hashes, size_t *n);
/* How many of a part an action has; where they begin among its refs. */
size_t pingo__digest_encode_count(const struct pingo_action *action, enum pingo__workflow_part part);
size_t pingo__digest_encode_first_ref(const struct pingo_action *action,
                                      enum pingo__workflow_part part);
/* Appends the canonical description of action to out.  Errors: PINGO_ENOMEM, PINGO_ELIMIT
 * (over 4 GiB), PINGO_EINPUT (an original that is needed is not there; the message says which). */
int pingo__digest_encode_action(struct pingo__digest_encoder *encoder,
                                const struct pingo_action *action,
                                const struct pingo__digest_encode_source *source,
                                struct pingo__buffer *out, struct pingo_error *err);

#endif
