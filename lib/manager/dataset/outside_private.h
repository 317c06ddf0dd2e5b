/* outside_private.h - what outside.c and outside_write.c share. */
#ifndef PINGO__MANAGER_OUTSIDE_PRIVATE_H
#define PINGO__MANAGER_OUTSIDE_PRIVATE_H

#include "manager/dataset/outside.h"

struct pingo__manager_outside_found {
    bool is_there;
    bool is_young; /* the stamp must not be remembered */
    struct stat st;
    struct pingo__store_written what; /* kind 0: nothing that we could have made */
};

/* whole: with the content; else with the stamp alone. */
int pingo__manager_outside_read(const struct pingo__manager_context *c, const char *path, bool whole,
                                struct pingo__manager_outside_found *found, struct pingo_error *err);
/* Under which name the store remembers a path, and back.  Yours; NULL: no memory. */
char *pingo__manager_outside_key(const struct pingo__manager_context *c, const char *path);
char *pingo__manager_outside_path_of(const struct pingo__manager_context *c, const char *key);

#endif
