/* originals_list.h - the inside of struct pingo_originals, for this room alone. */
#ifndef PINGO__DIGEST_ORIGINALS_LIST_H
#define PINGO__DIGEST_ORIGINALS_LIST_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/map.h"
#include "digest/originals.h"

struct pingo_originals {
    struct pingo__arena arena;           /* names and paths */
    struct pingo__digest_original *list; /* sorted by kind and name or path, declared ones last */
    size_t n, nread;                     /* all of them; without the declared ones */
    size_t capacity;
    const struct pingo_workflow *workflow; /* borrowed, to find an action's index; NULL of a list */
    size_t *first;  /* of each action: where its refs start; one more at the end */
    uint32_t *refs; /* indexes into list, or UINT32_MAX: inputs, tools, versions */
};

/* Makes the list of what is to be identified, sorted, from a workflow or an earlier list.
 * Nothing is read yet.  Errors: PINGO_ENOMEM. */
int pingo__digest_originals_collect(const struct pingo_workflow *workflow,
                                    struct pingo_originals *o, struct pingo_error *err);
int pingo__digest_originals_copy(const struct pingo__digest_original *list, size_t n,
                                 struct pingo_originals *o, struct pingo_error *err);

/* Finds a program on a PATH and sets original->path (in memory of malloc), or error and message.
 * Errors: PINGO_ENOMEM. */
int pingo__digest_tool_find(const struct pingo__world *world,
                            struct pingo__digest_original *original, const char *name,
                            const char *path, struct pingo_error *err);

/* Appends the name of a VERSION: the command, and the environment that the action's command has. */
void pingo__digest_version_name(struct pingo__buffer *name, const struct pingo_action *action,
                                const struct pingo_version_command *command);
/* Finds the program, and takes hash and text from the cache or runs it.  options: how the program is
 * read, with a cache; its progress says when to stop.  What is wrong is noted in the original.
 * Errors: PINGO_ENOMEM, PINGO_EINTERRUPTED. */
int pingo__digest_version_read(struct pingo__digest_original *version,
                               const struct pingo__digest_content_options *options,
                               struct pingo_error *err);

#endif
