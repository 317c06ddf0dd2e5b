/* room.c - the rows of the bound that keep what is stored within its room.
 *
 * A row for the end of each submission, with all that is kept over it, would make as many
 * elements as stretches are long.  So the rows stand in a chain: `used` of a row is a column
 * of at most its room, and
 *
 *     used before + what begins to be kept - what is kept no longer  <=  used,
 *
 * which says the same: what is kept <= used <= room.
 * Ends of submissions over which not more is kept than over one that has a row need none: a
 * row stands where something ends to be kept, if since the row before something has
 * begun or the room has shrunk.  Room never grows. */
#include "lab/bound/model.h"

/* Of the end of a submission. */
#define BEGINS 1u
#define ENDS 2u

/* ranks[i]: how many rows stand at ends before that of submission i; how many in all. */
static int choose_rows(const struct pingo__lab_bound_model *m, const uint8_t *marks, int *ranks,
                       uint32_t *ends)
{
    uint32_t n = m->walk.next;
    bool is_open = true;
    int nrows = 0;
    for (uint32_t i = 0; i < n; i++) {
        ranks[i] = nrows;
        is_open =
            is_open || (marks[i] & BEGINS) || (i > 0 && m->room_bytes[i] < m->room_bytes[i - 1]);
        if (!(marks[i] & ENDS) || !is_open)
            continue;
        ends[nrows++] = i;
        is_open = false;
    }
    ranks[n] = nrows;
    return nrows;
}

/* Could more be kept than there is room for?  Sizes are summed up as they come, so huge ones say yes. */
static bool is_tight(struct pingo__lab_bound_model *m, const int *ranks, int nrows,
                     const uint32_t *ends)
{
    int64_t *change = pingo__arena_array(&m->arena, (size_t)nrows + 1, sizeof *change), sum = 0;
    bool tight = false;
    if (!change) {
        m->failure = PINGO_ENOMEM;
        return false;
    }
    for (size_t k = 0; !tight && k < m->nstretches; k++) {
        const struct pingo__lab_bound_stretch *s = &m->stretches[k];
        tight = __builtin_add_overflow(sum, s->size_bytes, &sum); /* so no sum of them overflows */
        change[ranks[s->first]] += tight ? 0 : s->size_bytes;
        change[ranks[s->last + 1]] -= tight ? 0 : s->size_bytes;
    }
    sum = 0;
    for (int k = 0; !tight && k < nrows; k++) {
        sum += change[k];
        tight = sum > m->room_bytes[ends[k]];
    }
    return tight;
}

/* Bytes as numbers about 1. */
static double choose_scale(const struct pingo__lab_bound_model *m)
{
    double scale = 1;
    int64_t most = m->walk.next > 0 ? m->room_bytes[0] : 0; /* it never grows */
    while (pingo__lab_at_least(most) * scale > 1)
        scale /= 2;
    return scale;
}

static void add_rows(struct pingo__lab_bound_model *m, int *rows, int nrows, const uint32_t *ends,
                     double scale)
{
    int used = PINGO__BOUND_NO_COLUMN;
    for (int k = 0; k < nrows; k++) {
        rows[k] = pingo__lab_bound_row(m);
        pingo__lab_bound_element(m, rows[k], used, 1);
        used = pingo__lab_bound_column(m, 0, pingo__lab_at_least(m->room_bytes[ends[k]]) * scale);
        pingo__lab_bound_element(m, rows[k], used, -1);
    }
}

static void add_stretches(struct pingo__lab_bound_model *m, const int *ranks, const int *rows,
                          int nrows, double scale)
{
    for (size_t k = 0; k < m->nstretches; k++) {
        const struct pingo__lab_bound_stretch *s = &m->stretches[k];
        double size = pingo__lab_at_most(s->size_bytes) * scale;
        int first = ranks[s->first], end = ranks[s->last + 1];
        if (size == 0)
            continue;
        pingo__lab_bound_element(m, rows[first], s->column, size);
        if (end < nrows)
            pingo__lab_bound_element(m, rows[end], s->column, -size);
    }
}

void pingo__lab_bound_room(struct pingo__lab_bound_model *m)
{
    size_t n = m->walk.next;
    uint8_t *marks = pingo__arena_array(&m->arena, n, sizeof *marks);
    int *ranks = pingo__arena_array(&m->arena, n + 1, sizeof *ranks);
    int *rows = pingo__arena_array(&m->arena, n, sizeof *rows);
    uint32_t *ends = pingo__arena_array(&m->arena, n, sizeof *ends);
    if (!marks || !ranks || !rows || !ends)
        m->failure = PINGO_ENOMEM;
    if (m->failure != 0)
        return;
    for (size_t k = 0; k < m->nstretches; k++) {
        marks[m->stretches[k].first] |= BEGINS;
        marks[m->stretches[k].last] |= ENDS;
    }
    int nrows = choose_rows(m, marks, ranks, ends);
    if (!is_tight(m, ranks, nrows, ends))
        return;
    double scale = choose_scale(m);
    add_rows(m, rows, nrows, ends, scale);
    if (m->failure == 0)
        add_stretches(m, ranks, rows, nrows, scale);
}
