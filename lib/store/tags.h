/* tags.h - tags of submissions: by which a program finds again what it submitted. */
#ifndef PINGO__STORE_TAGS_H
#define PINGO__STORE_TAGS_H

#include "base/arena.h"
#include "store/db.h"

/* In the write transaction of the submission. */
int pingo__store_tag_set(struct pingo__store_db *db, int64_t workflow, const char *tag,
                         struct pingo_error *err);
/* 1 and the newest submission with this tag, or 0. */
int pingo__store_tag_find(struct pingo__store_db *db, const char *tag, int64_t *workflow,
                          struct pingo_error *err);
/* 1 and the tag, in the arena, or 0 and NULL. */
int pingo__store_tag_get(struct pingo__store_db *db, int64_t workflow, struct pingo__arena *arena,
                         const char **tag, struct pingo_error *err);

#endif
