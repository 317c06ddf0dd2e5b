/* context.c - see context.h. */
#include "manager/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mix.h"
#include "store/meta.h"
#include "workflow/workflow.h"

#define COPIES "pool.copies"
#define TROUBLE_MS 600000 /* it is over if it is not met for so long: more than the longest delay */

void pingo__manager_log(const struct pingo__manager_context *c, enum pingo_log_level level,
                        const char *format, ...)
{
    va_list args;
    if (!c->log)
        return;
    va_start(args, format);
    char message[1024];
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    pingo__store_db_say(c->db,
                        &(struct pingo__store_db_saying){c->log, c->log_context, level, message});
}

int64_t pingo__manager_now_ms(const struct pingo__manager_context *c)
{
    return c->world->now_ns(c->world->context) / 1000000;
}

int64_t pingo__manager_elapsed_ms(const struct pingo__manager_context *c)
{
    return c->world->monotonic_ns(c->world->context) / 1000000;
}

bool pingo__manager_trouble_is_new(struct pingo__manager_context *c, const char *reason)
{
    int64_t now = pingo__manager_elapsed_ms(c);
    uint64_t hash = 1;
    for (const char *at = reason; *at; at++)
        if (*at < '0' || *at > '9') /* how many milliseconds, and the like */
            hash = pingo__mix(hash ^ (unsigned char)*at);
    struct pingo__manager_trouble *t = c->troubles;
    for (size_t i = 0; t->hash != hash && i < sizeof c->troubles / sizeof *t; i++)
        if (c->troubles[i].hash == hash || c->troubles[i].seen_ms < t->seen_ms)
            t = &c->troubles[i];
    bool is_new = t->hash != hash || now - t->seen_ms >= TROUBLE_MS;
    *t = (struct pingo__manager_trouble){hash, now};
    return is_new;
}

int pingo__manager_copies_known(struct pingo__manager_context *c, int64_t *thousandths,
                                struct pingo_error *err)
{
    int64_t n = 0;
    int rc = pingo__store_meta_number(c->db, COPIES, &n, err);
    *thousandths = n > 0 ? n : 1000;
    return rc;
}

int pingo__manager_copies_learn(struct pingo__manager_context *c,
                                const struct pingo__pool_space *space, struct pingo_error *err)
{
    int64_t known = 0, now = 0;
    char text[32];
    if (space->own_bytes <= 0 || space->own_stored_bytes < space->own_bytes)
        return 0;
    now = (int64_t)((double)space->own_stored_bytes / (double)space->own_bytes * 1000 + 0.5);
    int rc = pingo__manager_copies_known(c, &known, err);
    if (rc || known == now)
        return rc;
    snprintf(text, sizeof text, "%lld", (long long)now);
    rc = pingo__store_db_begin(c->db, err);
    if (!rc)
        rc = pingo__store_db_end(c->db, pingo__store_meta_set(c->db, COPIES, text, err), err);
    c->ncopies += rc == 0;
    return rc;
}

const struct pingo_action_type *pingo__manager_type_find(const struct pingo__manager_context *c,
                                                         const char *name)
{
    const struct pingo_action_type *builtin;
    for (size_t i = 0; (builtin = pingo__workflow_type_builtin(i)); i++)
        if (strcmp(builtin->name, name) == 0)
            return builtin;
    for (size_t i = 0; i < c->ntypes; i++)
        if (strcmp(c->types[i]->name, name) == 0)
            return c->types[i];
    return NULL;
}

int pingo__manager_type_render(const struct pingo_action_type *type,
                               const struct pingo_description *description, struct pingo_job *job,
                               struct pingo_error *err)
{
    size_t n = 0;
    const struct pingo_field *fields = pingo_description_fields(description, &n);
    struct pingo_error why = {0};
    int rc = type->render(fields, n, job, &why);
    why.message[sizeof why.message - 1] = '\0';
    if (rc == 0 || rc == PINGO_ENOMEM)
        return rc ? pingo__fail_memory(err) : 0;
    if (*why.message)
        return pingo__fail(err, PINGO_ECORRUPT, "%s", why.message);
    return pingo__fail(err, PINGO_ECORRUPT, "action type \"%s\": render returned %d (%s)",
                       type->name, rc, pingo_error_name(rc));
}

bool pingo__manager_type_is_embedders(const struct pingo_action_type *type)
{
    return type && type->abi_version >= 2 && type->is_embedders;
}
