/* runaway.c - see runaway.h. */
#include "manager/runaway.h"

#include <stdio.h>

#include "manager/shortfall.h"
#include "store/full.h"
#include "store/usage.h"

/* Could a decision still make room? */
static int something_may_go(struct pingo__context *c, bool *may, struct pingo_error *err)
{
    struct pingo__usage usage;
    struct pingo__held held;
    int rc = pingo__usage_read(c->db, &usage, err);

    if (!rc)
        rc = pingo__usage_held(c->db, &held, err);
    *may = !rc && usage.bytes[PINGO_DATASET_STORED] > held.kept_bytes + held.claimed_bytes;
    return rc;
}

int pingo__is_runaway(struct pingo__context *c, const struct pingo_job_end *end, char *message,
                      size_t size, struct pingo_error *err)
{
    int64_t before = -1;
    bool may_go = false;
    char held[PINGO__BYTES_SIZE];
    int rc = pingo__full_note(c->db, end->key.action, end->size_bytes, &before, err);

    if (rc || before < 0 || end->size_bytes <= before)
        return rc;
    rc = pingo__full_is_alone(c->db, end->key.action, end->started_ms, err);
    if (rc == 1)
        rc = something_may_go(c, &may_go, err);
    snprintf(message, size,
             "it filled the disk twice, though room was made and nobody else was writing (it held "
             "%s): taken for a runaway; if it needs that much, make room (pingo rm, pingo release)",
             pingo__bytes_text(held, end->size_bytes));
    return rc < 0 ? rc : may_go;
}
