/* labels.h - the labels of actions, to find things by; they enter no hash. */
#ifndef PINGO__STORE_LABELS_H
#define PINGO__STORE_LABELS_H

#include "store/db.h"

/* labels: k1,v1,k2,v2,...; n strings; node: its number.  In a write transaction. */
int pingo__store_labels_insert(struct pingo__store_db *db, int64_t node, const char *const *labels,
                               size_t n, struct pingo_error *err);
/* Likewise, by key. */
int pingo__store_labels_read(struct pingo__store_db *db, int64_t node,
                             struct pingo__store_text_list *list, struct pingo_error *err);

struct pingo__store_label_asked {
    const char *key, *value; /* value: itself, or a pattern */
    const char *maker; /* NULL: of actions of any submission; else of those that made a dataset, or do, for this user */
};
/* The hash of each action that has such a label. */
int pingo__store_labels_each_hash(DB, const struct pingo__store_label_asked *asked,
                                  const struct pingo__store_each *each, ERR);
/* The positions in a graph whose actions have a label, a key and just this value, in order. */
static inline PINGO__LIST(
    pingo__store_labels_positions(DB, int64_t graph, const char *const label[2],
                                  struct pingo__store_number_list *list, ERR),
    pingo__store_numbers, list,
    "SELECT 0, gp.first + l.node - gp.part FROM graph_part gp CROSS JOIN label l"
    " ON l.key = ?2 AND l.value = ?3 AND l.node BETWEEN gp.part AND gp.part + gp.n - 1"
    " WHERE gp.graph = ?1 ORDER BY gp.first, l.node",
    INT(graph), TEXT(label[0]), TEXT(label[1]));

#endif
