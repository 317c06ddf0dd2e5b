/* story.h - small histories for the tests of the simulator, and what happened, each in a line.
 *
 * A submission is words, one an action: NAME[/MS/BYTES][*][!][=][<PARENT,PARENT].  "*" is asked for,
 * "!" forces, "=" is recorded as reused; names stand for hashes; time and size are given where it is new.
 * What happened: "[" a submission, "=" reuse, "~" join, "(" run, ")" publish (with "*" as a
 * leaf), "-" evict, "?" shortfall with the bytes, "]" the end of a submission. */
#ifndef TEST_SIMULATE_STORY_H
#define TEST_SIMULATE_STORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo-lab/simulate.h>

enum { STORY_WORDS = 64, STORY_LINKS = 256, STORY_SIZE = 8192 };

static inline struct pingo_hash story_hash(const char *name, size_t n)
{
    struct pingo_hash hash = {{0}};
    memcpy(hash.bytes, name, n < PINGO_HASH_SIZE ? n : PINGO_HASH_SIZE);
    return hash;
}

/* Appends a submission. */
static inline void story_submit(struct pingo_history *h, const char *text)
{
    struct pingo_history_mention mentions[STORY_WORDS] = {{.nparents = 0}};
    struct pingo_hash parents[STORY_LINKS];
    struct pingo_history_entry entry = {.user = "u", .workflow = "w", .mentions = mentions};
    struct pingo_error err = {0};
    size_t nparents = 0;
    for (const char *p = text; *p; p += *p == ' ') {
        struct pingo_history_mention *m = &mentions[entry.nmentions++];
        size_t n = strcspn(p, " /*!=<");
        assert_true(entry.nmentions <= STORY_WORDS);
        *m = (struct pingo_history_mention){
            .hash = story_hash(p, n), .size_bytes = -1, .compute_ms = -1, .has_parents = true};
        p += n;
        if (*p == '/') {
            char *end;
            m->compute_ms = strtoll(p + 1, &end, 10);
            m->size_bytes = strtoll(end + 1, &end, 10);
            p = end;
        }
        for (; *p == '*' || *p == '!' || *p == '='; p++)
            m->flags |= *p == '*'   ? PINGO_HISTORY_LEAF
                        : *p == '!' ? PINGO_HISTORY_FORCED
                                    : PINGO_HISTORY_REUSED;
        m->has_parents = m->size_bytes >= 0 || *p == '<';
        m->parents = parents + nparents;
        while (*p == '<' || *p == ',') {
            n = strcspn(++p, ", ");
            assert_true(nparents < STORY_LINKS);
            parents[nparents++] = story_hash(p, n);
            m->nparents++;
            p += n;
        }
    }
    if (pingo_history_append(h, &entry, NULL, &err) != 0)
        fail_msg("%s: %s", text, err.message);
}

struct story {
    struct pingo_history *history;
    struct pingo_workload *workload;
    struct pingo_simulation_options options;
    struct pingo_simulation_result result;
    char log[STORY_SIZE];
    size_t length;
};

static inline int story_event(void *context, const struct pingo_simulation_event *e)
{
    static const char signs[] = " [=~()-?]";
    struct story *s = context;
    char what[64];
    if (e->action != PINGO_HISTORY_NONE)
        snprintf(what, sizeof what, "%s%s",
                 (const char *)pingo_history_hash(s->history, e->action)->bytes,
                 e->kind == PINGO_SIMULATION_PUBLISH && e->leaf ? "*" : "");
    else if (e->kind == PINGO_SIMULATION_SHORTFALL)
        snprintf(what, sizeof what, "%lld", (long long)e->bytes);
    else
        snprintf(what, sizeof what, "%u", e->submission);
    assert_true(s->length + strlen(what) + 3 < sizeof s->log);
    s->length += (size_t)sprintf(s->log + s->length, "%s%c%s", s->length > 0 ? " " : "",
                                 signs[e->kind], what);
    return 0;
}

/* Lines of submissions; NULL at the end. */
static inline void story_open(struct story *s, const char *const *lines)
{
    *s = (struct story){.options = {.version = 1, .budget_bytes = -1},
                        .result.size = sizeof s->result};
    assert_int_equal(pingo_history_new(&s->history, NULL), 0);
    for (; *lines != NULL; lines++)
        story_submit(s->history, *lines);
    assert_int_equal(pingo_workload_new(s->history, &s->workload, NULL), 0);
}

static inline void story_close(struct story *s)
{
    pingo_workload_free(s->workload);
    pingo_history_free(s->history);
}

static inline void story_budget(struct story *s, const char *algorithm, int64_t budget)
{
    s->options.algorithm = pingo_decision_find(algorithm);
    s->options.budget_bytes = budget;
}

/* Runs, and compares what happened. */
static inline void story_expect(struct story *s, const char *expected)
{
    struct pingo_error err = {0};
    s->length = 0;
    s->log[0] = '\0';
    s->options.event = story_event;
    s->options.context = s;
    if (pingo_workload_simulate(s->workload, &s->options, &s->result, &err) != 0)
        fail_msg("%s", err.message);
    assert_string_equal(s->log, expected);
}

#endif
