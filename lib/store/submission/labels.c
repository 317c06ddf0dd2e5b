/* labels.c - see labels.h. */
#include "store/submission/labels.h"

#include <string.h>

#include "base/text.h"

int pingo__store_labels_insert(struct pingo__store_db *db, int64_t node, const char *const *labels,
                               size_t n, struct pingo_error *err)
{
    int rc = 0;
    for (size_t i = 0; !rc && i + 1 < n; i += 2)
        rc = pingo__db_write(db, err, "INSERT INTO label(node, key, value) VALUES(?, ?, ?)",
                             INT(node), TEXT(labels[i]), TEXT(labels[i + 1]));
    return rc;
}

/* Two texts one after the other are two rows of a list of texts. */
struct pair {
    const char *text[2];
};
PINGO__STORE_LIST(pairs, struct pair);
#define PAIR(F, T) F(T, TEXT, text[0], "key") F(T, TEXT, text[1], "value")
PINGO__KIND(pairs, struct pair, PAIR);

int pingo__store_labels_read(struct pingo__store_db *db, int64_t node,
                             struct pingo__store_text_list *list, struct pingo_error *err)
{
    struct pairs found = {.arena = list->arena};
    int rc =
        pingo__db_list(db, err, &pairs, &found,
                       PINGO__SELECT(PAIR) " FROM label WHERE node = ? ORDER BY key", INT(node));
    list->rows = (const char **)found.rows;
    list->n = 2 * found.n;
    return rc;
}

/* ---- who has a label ----------------------------------------------------------------------- */

#define FOUND(F, T) F(T, HASH, hash, "n.hash") F(T, TEXT, value, "l.value")
PINGO__ROW(found, struct found, FOUND);
#define LABELLED                                                                                   \
    PINGO__SELECT(FOUND)                                                                           \
    " FROM label l CROSS JOIN node n ON n.id = l.node"                                             \
    " WHERE l.key = ?1 AND (?3 IS NULL OR EXISTS (SELECT 1 FROM dataset d JOIN action a"           \
    " ON a.id = d.action JOIN workflow w ON w.id = a.workflow JOIN graph_part p"                   \
    " ON p.graph = w.graph AND l.node = p.part + a.position - p.first"                             \
    " AND a.position BETWEEN p.first AND p.first + p.n - 1"                                        \
    " WHERE d.hash = n.hash AND w.user = ?3))"

struct matching {
    const char *value;
    const struct pingo__store_each *each;
};

static int tell_matching(void *context, const void *row, struct pingo_error *err)
{
    const struct matching *m = context;
    const struct found *f = row;
    bool matches = strcmp(f->value, m->value) == 0 || pingo__text_glob(m->value, f->value);
    return matches ? m->each->fn(m->each->context, &f->hash, err) : 0;
}

PINGO__EACH(pingo__store_labels_each_hash(DB, const struct pingo__store_label_asked *asked,
                                          const struct pingo__store_each *each, ERR),
            found, tell_matching, &((struct matching){asked->value, each}),
            pingo__text_is_glob(asked->value) ? LABELLED " AND ?2 IS NOT NULL"
                                              : LABELLED " AND l.value = ?2",
            TEXT(asked->key), TEXT(asked->value), TEXT(asked->maker));
