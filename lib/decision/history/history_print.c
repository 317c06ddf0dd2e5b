/* history_print.c - a submission as a line of the exchange format, pingo-history(5).
 *
 * A line stands for itself: it says all that is known of its actions, so lines
 * can be cut out, filtered and sorted. */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/text.h"
#include "base/times.h"
#include "decision/history/history.h"
#include "base/writer.h"

struct printer {
    const struct pingo_history *h;
    struct pingo_history_print_options options;
    struct pingo__buffer out;
};

static void put_name(struct printer *p, const char *key, char letter, uint32_t number,
                     const char *name)
{
    pingo__buffer_format(&p->out, ",\"%s\":", key);
    if (p->options.anonymous)
        pingo__buffer_format(&p->out, "\"%c%" PRIu32 "\"", letter, number + 1);
    else
        pingo__writer_quote(&p->out, name);
}

static int put_hash(struct printer *p, uint32_t action)
{
    struct pingo_hash hash = p->h->actions[action].hash;
    int rc = p->options.anonymous
                 ? p->options.rehash(p->options.context, &p->h->actions[action].hash, &hash)
                 : 0;
    if (rc)
        return rc;
    char text[PINGO_HASH_HEX_SIZE + 2];
    text[0] = '"';
    pingo__text_hex(hash.bytes, PINGO_HASH_SIZE, text + 1);
    text[PINGO_HASH_HEX_SIZE] = '"';
    pingo__buffer_append(&p->out, text, PINGO_HASH_HEX_SIZE + 1);
    return 0;
}

static void put_facts(struct printer *p, const struct pingo__decision_history_facts *facts,
                      uint8_t flags)
{
    static const char *const decisions[] = {NULL, "skip", "reuse", "join", "compute"};
    unsigned outcome = flags & PINGO_HISTORY_OUTCOME;
    if (facts->size_bytes >= 0)
        pingo__buffer_format(&p->out, ",\"sizeBytes\":%" PRId64, facts->size_bytes);
    else
        pingo__buffer_text(&p->out, ",\"sizeBytes\":null");
    if (facts->compute_ms >= 0)
        pingo__buffer_format(&p->out, ",\"computeMs\":%" PRId64, facts->compute_ms);
    else
        pingo__buffer_text(&p->out, ",\"computeMs\":null");
    pingo__buffer_format(&p->out, ",\"leaf\":%s,\"forced\":%s",
                         flags & PINGO_HISTORY_LEAF ? "true" : "false",
                         flags & PINGO_HISTORY_FORCED ? "true" : "false");
    if (flags & PINGO_HISTORY_UNMANAGED)
        pingo__buffer_text(&p->out, ",\"unmanaged\":true");
    if (outcome != PINGO_HISTORY_UNKNOWN)
        pingo__buffer_format(&p->out, ",\"decision\":\"%s\"", decisions[outcome]);
    pingo__buffer_char(&p->out, '}');
}

static int put_action(struct printer *p, uint32_t action, uint8_t flags)
{
    const struct pingo__decision_history_action *a = &p->h->actions[action];
    uint32_t n = pingo__decision_history_nparents(p->h, action);
    pingo__buffer_text(&p->out, "{\"hash\":");
    int rc = put_hash(p, action);
    pingo__buffer_text(&p->out, ",\"parents\":[");
    for (uint32_t i = 0; !rc && i < n; i++) {
        if (i)
            pingo__buffer_char(&p->out, ',');
        rc = put_hash(p, p->h->parents[a->first_edge + i]);
    }
    pingo__buffer_char(&p->out, ']');
    put_facts(p, &p->h->facts[action], flags);
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
    pingo__buffer_format(&p.out, "{\"at\":\"%s\"", at);
    put_name(&p, "user", 'u', s.user_index, s.user);
    put_name(&p, "workflow", 'w', s.workflow_index, s.workflow);
    pingo__buffer_text(&p.out, ",\"actions\":[");
    for (size_t i = 0; !rc && i < s.nactions; i++) {
        if (i)
            pingo__buffer_char(&p.out, ',');
        rc = put_action(&p, s.actions[i], s.flags[i]);
    }
    pingo__buffer_text(&p.out, "]}\n");
    if (rc)
        pingo__fail(err, rc, "a hash could not be made anonymous");
    if (!rc && !(*text = pingo__buffer_take(&p.out)))
        rc = pingo__fail_memory(err);
    pingo__buffer_clear(&p.out);
    return rc;
}
