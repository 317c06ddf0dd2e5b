/* growing.h - structs of the public headers that may be shorter or longer than this library's.
 *
 * Options come in with a version, of which the library knows where it ends; results and ends of jobs come in with
 * their size.  Nothing behind the caller's struct is read or written, and what it lacks is zero. */
#ifndef PINGO__BASE_GROWING_H
#define PINGO__BASE_GROWING_H

#include <stddef.h>

#include <pingo/error.h>

/* A struct of options, or a query: `unsigned version` comes first in it. */
struct pingo__growing_options_type {
    const char *name;
    size_t ends[4]; /* where versions 1, 2, ... end: the newest is all of it; 0: there is no such version */
};

/* *own: what the caller's version has; all zero where given is NULL.  Errors: PINGO_EINVAL: a version that is none. */
int pingo__growing_options_take(const struct pingo__growing_options_type *type, const void *given,
                                void *own, struct pingo_error *err);
/* The same of those that have one version. */
#define PINGO__OPTIONS_TAKE(type, given, own, err)                                                 \
    pingo__growing_options_take(                                                                   \
        &(const struct pingo__growing_options_type){#type, {sizeof(struct type)}}, given, own, err)

/* Is it NULL, or does its `size_t size` say how long it is?  Errors: PINGO_EINVAL: it was not set. */
int pingo__growing_result_check(const void *result, const char *name, struct pingo_error *err);
/* Fills in the caller's struct, as much as there is of it, with ours of so many bytes; what ours lacks is zero there.
 * NULL, and one without a size, stay as they are. */
void pingo__growing_result_put(void *result, const void *own, size_t size);
/* The way back, for what the caller fills in: *own of so many bytes, its size set to that. */
void pingo__growing_result_take(const void *result, void *own, size_t size);

#endif
