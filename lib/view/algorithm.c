/* algorithm.c - what algorithms, their parameters and their choices look like. */
#include "view/columns.h"
#include "view/views.h"

static bool is_choice(const struct pingo_decision_parameter *p)
{
    return p->kind == PINGO_PARAMETER_CHOICE;
}

static void get_default(const void *row, struct pingo__view_value *v)
{
    const struct pingo_decision_parameter *p = row;
    v->is_text = is_choice(p);
    v->real = p->value;
    v->text = is_choice(p) ? p->choices[(size_t)p->value] : NULL;
}

static void get_minimum(const void *row, struct pingo__view_value *v)
{
    const struct pingo_decision_parameter *p = row;
    v->is_null = is_choice(p);
    v->real = p->minimum;
}

static void get_maximum(const void *row, struct pingo__view_value *v)
{
    const struct pingo_decision_parameter *p = row;
    v->is_null = is_choice(p);
    v->real = p->maximum;
}

static void put_choices(struct pingo__writer *w, const void *row)
{
    const struct pingo_decision_parameter *p = row;
    for (size_t i = 0; is_choice(p) && p->choices[i]; i++)
        pingo__writer_text(w, NULL, p->choices[i]);
}

HAS(has_choices, struct pingo_decision_parameter, is_choice(r))

static void put_default(const void *row, struct pingo__view_out *out)
{
    const struct pingo_decision_parameter *p = row;
    if (is_choice(p))
        pingo__buffer_text(out->b, p->choices[(size_t)p->value]);
    else
        pingo__buffer_format(out->b, "%.16g", p->value);
}

/* What it can be. */
static void put_bounds(const void *row, struct pingo__view_out *out)
{
    const struct pingo_decision_parameter *p = row;
    if (!is_choice(p))
        pingo__buffer_format(out->b, "%.16g to %.16g", p->minimum, p->maximum);
    for (size_t i = 0; is_choice(p) && p->choices[i]; i++)
        pingo__buffer_format(out->b, "%s%s", i > 0 ? ", " : "", p->choices[i]);
}

#define ABSENT .null = PINGO__NULL_ROW | PINGO__NULL_ABSENT
#define ROW struct pingo_decision_parameter
static const struct pingo__view_column parameters[] = {
    COLUMN("name", TEXT, name, "the key in NAME:KEY=VALUE"),
    GETTER("default", SCALAR, get_default, "its value where none is given", .cell = put_default),
    GETTER("minimum", REAL, get_minimum, "of a number", .null = PINGO__NULL_ABSENT),
    GETTER("maximum", REAL, get_maximum, "of a number", .null = PINGO__NULL_ABSENT),
    PUTTER("choices", TEXTS, put_choices, "of a word", ABSENT),
    COLUMN("meaning", TEXT, meaning, "what it does", MISSING),
    SHOWN_AS("bounds", put_bounds),
};
const struct pingo__view_table pingo__view_parameter =
    VIEW_OF("parameter", parameters, ROW, has_choices,
            .text = LINES("    {name}={default}  [meaning?{meaning}] ({bounds})"));
#undef ROW

#define ROW struct pingo_decision_algorithm
static const struct pingo__view_column algorithms[] = {
    COLUMN("name", TEXT, name, "the name"),
    COLUMN("summary", TEXT, summary, "what it does"),
    LIST("parameters", parameters, nparameters, &pingo__view_parameter, "what can be set of it"),
};
const struct pingo__view_table pingo__view_algorithm =
    VIEW_TEXT("algorithm", algorithms, ROW, "{name}  {summary}");
#undef ROW

#define ROW struct pingo_scenario_victim
static const struct pingo__view_column victims[] = {
    COLUMN("hash", HASH, hash, "the dataset", HEADED("DATASET", -12)),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size", MISSING, HEADED("SIZE", 9)),
    COLUMN("computeMs", MS, compute_ms, "what it takes to compute", MISSING, HEADED("TIME", 8)),
    COLUMN("score", REAL, score, "the smallest goes first", HEADED("SCORE", 12)),
    COLUMN("reason", TEXT, reason, "what the score is made of", .heading = "WHY"),
};
static const struct pingo__view_table victim = VIEW("victim", victims, ROW);
#undef ROW

#define ROW struct pingo__view_scenario
static const struct pingo__view_column scenario[] = {
    COLUMN("algorithm", TEXT, algorithm, "who chose"),
    STREAM("victims", &victim, "what would go, in this order"),
    COLUMN("freedBytes", BYTES, result.freed_bytes, "what they hold"),
    COLUMN("shortfallBytes", BYTES, result.shortfall_bytes,
           "what is missing to the bytes that were to be freed, where no more may go"),
    SHOWN("n", COUNT, result.nvictims),
};
const struct pingo__view_table pingo__view_scenario =
    VIEW_TAIL("scenario", scenario, ROW, "{n} dataset{n||s} would go, {freedBytes}",
              "[shortfallBytes>0?{shortfallBytes} more cannot be freed: nothing else may go]");
#undef ROW
