/* submissions.h - small histories for the tests, a submission in one line.
 *
 * Words, one an action: NAME[<PARENT,PARENT][:OUTCOME][!][^][*].  OUTCOME is C, J, R or S (computed,
 * joined, reused, skipped), "!" forces, "^" is unmanaged, "*" is a leaf.  "<" with nothing behind it: no parents, said
 * aloud; no "<": those that are known.  A name stands for the hash that begins with its bytes. */
#ifndef TEST_DECISION_SUBMISSIONS_H
#define TEST_DECISION_SUBMISSIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pingo/history.h>

enum { WORDS = 32, LINKS = 128 };

struct words {
    struct pingo_history_mention mentions[WORDS];
    struct pingo_hash parents[LINKS];
    size_t n, nparents;
};

static inline struct pingo_hash named(const char *name, size_t n)
{
    struct pingo_hash hash = {{0}};

    memcpy(hash.bytes, name, n < PINGO_HASH_SIZE ? n : PINGO_HASH_SIZE);
    return hash;
}

static inline const char *read_links(struct words *w, struct pingo_history_mention *m, const char *p)
{
    m->has_parents = true;
    m->parents = &w->parents[w->nparents];
    while (*p && !strchr(" :!^*", *p)) {
        size_t n = strcspn(p, ", :!^*");

        assert_true(w->nparents < LINKS);
        w->parents[w->nparents++] = named(p, n);
        m->nparents++;
        p += n;
        p += *p == ',';
    }
    return p;
}

static inline void read_words(struct words *w, const char *text)
{
    static const char outcomes[] = "?SRJC";

    memset(w, 0, sizeof *w);
    for (const char *p = text; *p; p += *p == ' ') {
        struct pingo_history_mention *m = &w->mentions[w->n++];
        size_t n = strcspn(p, " <:!^*");

        assert_true(w->n <= WORDS);
        m->hash = named(p, n);
        m->size_bytes = m->compute_ms = -1;
        p += n;
        if (*p == '<')
            p = read_links(w, m, p + 1);
        for (; *p && *p != ' '; p++) {
            if (*p == '!')
                m->flags |= PINGO_HISTORY_FORCED;
            else if (*p == '^')
                m->flags |= PINGO_HISTORY_UNMANAGED;
            else if (*p == '*')
                m->flags |= PINGO_HISTORY_LEAF;
            else if (*p != ':')
                m->flags |= (unsigned)(strchr(outcomes, *p) - outcomes);
        }
    }
}

static inline int submit(struct pingo_history *h, int64_t at_ms, const char *user,
                         const char *workflow, const char *text)
{
    struct words w;
    struct pingo_history_entry entry = {.at_ms = at_ms, .user = user, .workflow = workflow};

    read_words(&w, text);
    entry.mentions = w.mentions;
    entry.nmentions = w.n;
    return pingo_history_append(h, &entry, NULL, NULL);
}

static inline uint32_t find(const struct pingo_history *h, const char *name)
{
    struct pingo_hash hash = named(name, strlen(name));

    return pingo_history_find(h, &hash);
}

static inline struct pingo_history *new_history(void)
{
    struct pingo_history *h = NULL;

    assert_int_equal(pingo_history_new(&h, NULL), 0);
    return h;
}

#endif
