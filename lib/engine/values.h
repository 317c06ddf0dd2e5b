/* values.h - what some settings may be. */
#ifndef PINGO__ENGINE_VALUES_H
#define PINGO__ENGINE_VALUES_H

#include <stdbool.h>

#include <pingo/error.h>
#include <pingo/store.h>

/* 0, or PINGO_EINVAL with a message that says what is wrong with the value of key. */
int pingo__engine_value_algorithm(const char *key, const char *value, struct pingo_error *err);
/* A URL that can be asked, or the absolute path of a program. */
int pingo__engine_value_hook(const char *key, const char *value, bool is_url,
                             struct pingo_error *err);
/* A warning, where hook.url leads to a host that hook.hosts does not have: now, not at the end of a workflow. */
void pingo__engine_value_tell_hook(struct pingo_store *store);
int pingo__engine_value_paths(const char *key, const char *value, struct pingo_error *err);
/* The paths between the ':' of what such a value is, with NULL behind the last.  Free with one free(). */
int pingo__engine_value_split(const char *text, const char ***paths, struct pingo_error *err);
/* Words with single spaces between; where they are roles, each is NAME=ROLE. */
int pingo__engine_value_words(const char *key, const char *value, bool are_roles,
                              struct pingo_error *err);

#endif
