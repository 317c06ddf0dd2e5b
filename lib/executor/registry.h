/* registry.h - the executors that the library brings, and what any table of one must be.
 *
 * An executor is known by the name in its table; nobody else compares names, but asks for what a table says. */
#ifndef PINGO__EXECUTOR_REGISTRY_H
#define PINGO__EXECUTOR_REGISTRY_H

#include <pingo/executor.h>

#define PINGO__LOCAL_GPUS "executor." PINGO_EXECUTOR_DEFAULT ".gpus"
#define PINGO__LOCAL_LICENCES "executor." PINGO_EXECUTOR_DEFAULT ".licences"

bool pingo__executor_is_name(const char *name);
/* Is it what the setting executor says where nobody has chosen?  Then whichever executor runs their type runs actions
 * that name none, and any scheduler has one for the common types. */
bool pingo__executor_is_default(const char *name);
/* The library's own table of this name; NULL. */
const struct pingo_executor_type *pingo__executor_builtin(const char *name);
/* The i-th of the library's own; NULL: there are no more. */
const struct pingo_executor_type *pingo__executor_nth(size_t i);
/* Does it run actions of this type? */
bool pingo__executor_type_runs(const struct pingo_executor_type *type, const char *action_type);
/* Errors: PINGO_EINVAL (what is missing, a name or a setting that cannot be), PINGO_EVERSION. */
int pingo__executor_check(const struct pingo_executor_type *type, struct pingo_error *err);
/* As a table of the newest version: what an older one does not have is zero. */
struct pingo_executor_type pingo__executor_table(const struct pingo_executor_type *type);

/* ---- settings of its own ---- */
/* The row of this key; NULL. */
const struct pingo_executor_setting *pingo__executor_setting(const struct pingo_executor_type *type,
                                                             const char *key);
/* PINGO_EINVAL: what would be right. */
int pingo__executor_setting_check(const char *executor, const struct pingo_executor_setting *row,
                                  const char *value, struct pingo_error *err);
/* The same of what is set now: no counter stands in it twice, as in older stores, of which the last one counts. */
int pingo__executor_setting_check_new(const char *executor, const struct pingo_executor_setting *row,
                                      const char *value, struct pingo_error *err);

/* So many of a licence has such a setting, which was checked: "matlab=2,ansys=1", or "none". */
int64_t pingo__executor_counters_find(const char *text, const char *name);

/* What a context points to: the texts of a table's settings, in the table's order; NULL: not set. */
struct pingo__executor_values {
    const struct pingo_executor_setting *rows;
    size_t n;
    char **texts;
};

#endif
