/* model.h - the linear program whose least value no policy stays below; see model.c. */
#ifndef PINGO__LAB_BOUND_MODEL_H
#define PINGO__LAB_BOUND_MODEL_H

#include "base/arena.h"
#include "lab/bound/walk.h"
#include "lab/bound/program.h"

struct pingo__lab_bound_element {
    int row, column;
    double value;
};

/* A dataset is kept over the ends of submissions first to last, as far as its column says. */
struct pingo__lab_bound_stretch {
    uint32_t first, last;
    int column;
    int64_t size_bytes;
};

/* The columns of a dataset at a visit; PINGO__BOUND_NO_COLUMN where there is none. */
struct pingo__lab_bound_columns {
    int kept;   /* of the stretch that ends with the visit */
    int remade; /* at a MAYBE */
    int cause;  /* at a MAYBE: the row that says that it is made again only for a child */
    bool may_lack; /* it was a MAYBE: afterwards it is there as far as kept and remade say, else for certain */
};
#define PINGO__BOUND_NO_COLUMN (-1)

struct pingo__lab_bound_model {
    struct pingo__lab_program program; /* its costs are ms times cost_scale */
    double cost_scale;                 /* a power of two */
    int64_t ideal_ms;                  /* what is made whatever is stored */
    int64_t least_ms;                  /* ideal_ms, and what no policy can keep */
    int64_t constant_ms; /* least_ms, and all that is NEEDED: what is added to the program's value */
    /* Of the builder. */
    struct pingo__arena arena; /* of the arrays that do not grow */
    struct pingo__lab_bound_walk walk;
    struct pingo__lab_bound_columns *columns; /* of each action: its last visit */
    struct pingo__lab_bound_stretch *stretches;
    int64_t *room_bytes; /* at the end of each submission, for all that is no leaf */
    struct pingo__lab_bound_element *elements;
    size_t nstretches, stretches_capacity, nelements, elements_capacity;
    size_t columns_capacity, uppers_capacity, rows_capacity;
    int failure; /* a PINGO_E* that stops the builder: nothing is added any more */
};

/* Fills in the model.  model: zeroed, pingo__lab_bound_model_clear() in any case.  Errors: PINGO_ENOMEM,
 * PINGO_ELIMIT (too large for int indexes, or times that add up to more than 2^63). */
int pingo__lab_bound_model_build(struct pingo__lab_bound_model *model,
                                 const struct pingo_history *history, int64_t budget_bytes,
                                 bool leaves_inside, struct pingo_error *err);
void pingo__lab_bound_model_clear(struct pingo__lab_bound_model *model);

/* ---- for the builder's files ---- */
/* A new column, or row, whose limit is 0.  After a failure: 0. */
int pingo__lab_bound_column(struct pingo__lab_bound_model *model, double cost, double upper);
int pingo__lab_bound_row(struct pingo__lab_bound_model *model);
/* Nothing where column is PINGO__BOUND_NO_COLUMN. */
void pingo__lab_bound_element(struct pingo__lab_bound_model *model, int row, int column,
                              double value);
/* room.c: the rows that keep what is stored within room_bytes. */
void pingo__lab_bound_room(struct pingo__lab_bound_model *model);

/* The nearest doubles that are not above, or not below, a number that is not negative. */
static inline double pingo__lab_at_most(int64_t n)
{
    return (double)(n < INT64_C(1) << 53 ? n : n & ~INT64_C(2047));
}
static inline double pingo__lab_at_least(int64_t n)
{
    return pingo__lab_at_most(n) + (n >> 53 != 0 && (n & 2047) != 0 ? 2048 : 0);
}

#endif
