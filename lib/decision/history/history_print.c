/* history_print.c - a submission as a line of the exchange format, pingo-history(5).
 *
 * A line stands for itself: it says all that is known of its actions, so lines
 * can be cut out, filtered and sorted. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/text.h"
#include "base/times.h"
#include "decision/history/history.h"
#include "base/writer.h"

struct printer {
    const struct pingo_history *h;
    struct pingo_history_print_options options;
    struct pingo__writer w;
};

static void put_name(struct printer *p, const char *key, char letter, uint32_t number,
                     const char *name)
{
    char alias[16];
    snprintf(alias, sizeof alias, "%c%" PRIu32, letter, number + 1);
    pingo__writer_text(&p->w, key, p->options.anonymous ? alias : name);
}

static int put_hash(struct printer *p, const char *key, uint32_t action)
{
    struct pingo_hash hash = p->h->actions[action].hash;
    char text[PINGO_HASH_HEX_SIZE + 2] = "\"";
    int rc = p->options.anonymous
                 ? p->options.rehash(p->options.context, &p->h->actions[action].hash, &hash)
                 : 0;
    pingo__text_hex(hash.bytes, PINGO_HASH_SIZE, text + 1);
    text[PINGO_HASH_HEX_SIZE] = '"';
    pingo__writer_raw(&p->w, key, text);
    return rc;
}

/* Below 0: nobody knows it. */
static void put_fact(struct printer *p, const char *key, int64_t value)
{
    if (value >= 0)
        pingo__writer_int(&p->w, key, value);
    else
        pingo__writer_null(&p->w, key);
}

static int put_action(struct printer *p, uint32_t action, uint8_t flags)
{
    static const char *const decisions[] = {NULL, "skip", "reuse", "join", "compute"};
    const struct pingo__decision_history_action *a = &p->h->actions[action];
    const struct pingo__decision_history_facts *facts = &p->h->facts[action];
    uint32_t n = pingo__decision_history_nparents(p->h, action);
    const char *decision = decisions[flags & PINGO_HISTORY_OUTCOME];
    pingo__writer_open(&p->w, NULL, PINGO__WRITER_OBJECT);
    int rc = put_hash(p, "hash", action);
    pingo__writer_open(&p->w, "parents", PINGO__WRITER_ARRAY);
    for (uint32_t i = 0; !rc && i < n; i++)
        rc = put_hash(p, NULL, p->h->parents[a->first_edge + i]);
    pingo__writer_close(&p->w);
    put_fact(p, "sizeBytes", facts->size_bytes);
    put_fact(p, "computeMs", facts->compute_ms);
    pingo__writer_flag(&p->w, "leaf", flags & PINGO_HISTORY_LEAF);
    pingo__writer_flag(&p->w, "forced", flags & PINGO_HISTORY_FORCED);
    if (flags & PINGO_HISTORY_UNMANAGED)
        pingo__writer_flag(&p->w, "unmanaged", true);
    if (decision)
        pingo__writer_text(&p->w, "decision", decision);
    pingo__writer_close(&p->w);
    return rc;
}

int pingo_history_print_line(const struct pingo_history *h, uint32_t submission,
                             const struct pingo_history_print_options *options, char **text,
                             struct pingo_error *err)
{
    struct printer p = {.h = h};
    struct pingo_history_submission s = {.size = sizeof s};
    int rc = PINGO__OPTIONS_TAKE(pingo_history_print_options, options, &p.options, err);
    *text = NULL;
    if (rc)
        return rc;
    if (p.options.anonymous && !p.options.rehash)
        return pingo__fail(err, PINGO_EINVAL, "an anonymous line needs a rehash");
    if (pingo_history_submission(h, submission, &s))
        return pingo__fail(err, PINGO_ENOTFOUND, "the history has no submission %" PRIu32,
                           submission);
    char at[PINGO__TIMES_SIZE];
    pingo__times_print(at, s.at_ms);
    pingo__writer_open(&p.w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&p.w, "at", at);
    put_name(&p, "user", 'u', s.user_index, s.user);
    put_name(&p, "workflow", 'w', s.workflow_index, s.workflow);
    pingo__writer_open(&p.w, "actions", PINGO__WRITER_ARRAY);
    for (size_t i = 0; !rc && i < s.nactions; i++)
        rc = put_action(&p, s.actions[i], s.flags[i]);
    pingo__writer_close(&p.w);
    pingo__writer_close(&p.w);
    if (rc)
        pingo__fail(err, rc, "a hash could not be made anonymous");
    if (!rc && !(*text = pingo__buffer_take(&p.w.out)))
        rc = pingo__fail_memory(err);
    pingo__writer_clear(&p.w);
    return rc;
}
