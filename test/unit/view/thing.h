/* thing.h - a row with a column of every kind, and its view. */
#ifndef TEST_VIEW_THING_H
#define TEST_VIEW_THING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <pingo/digest.h>

#include "view/columns.h"
#include "view/views.h"

struct part {
    int64_t size;
};
struct thing {
    int32_t id;
    const char *name;
    char inside[16];
    bool flag;
    uint64_t bytes;
    int64_t ms, at;
    double share, ratio, real;
    struct pingo_hash hash;
    int state;
    const char *const *labels;
    size_t nlabels;
    struct part part, other;
    const struct part *pointer;
    const struct part *list;
    size_t nlist;
};

static inline const char *name_of(int value)
{
    return value == 1 ? "ONE" : value == 2 ? "TWO" : NULL;
}

static inline bool has_times(const void *row)
{
    return ((const struct thing *)row)->id != 0;
}

static inline void get_twice(const void *row, struct pingo__view_value *v)
{
    v->number = 2 * (int64_t)((const struct thing *)row)->bytes;
    v->is_null = false;
}

static inline void each_part(const void *row, void (*fn)(void *context, const void *element),
                             void *context)
{
    fn(context, &(struct part){((const struct thing *)row)->id});
}

static inline void put_cell(const void *row, struct pingo__view_out *out)
{
    pingo__buffer_text(out->b, ((const struct thing *)row)->flag ? "note" : "");
    out->tone = PINGO__TONE_BAD;
}

#define ROW struct part
static const struct pingo__view_column part_columns[] = {
    COLUMN("sizeBytes", BYTES, size, "its size", MISSING, .heading = "SIZE", .width = 8)};
static const struct pingo__view_table part_view =
    VIEW_TEXT("part", part_columns, ROW, "[sizeBytes?part of {sizeBytes}]");
#undef ROW

#define ROW struct thing
static const struct pingo__view_column columns[] = {
    COLUMN("id", COUNT, id, "the id", .heading = "ID", .width = 4),
    COLUMN("name", TEXT, name, "the name", MISSING, .heading = "NAME", .width = -6, .cut = 9),
    COLUMN("inside", TEXT, inside, "an array", .null = PINGO__NULL_EMPTY),
    COLUMN("flag", FLAG, flag, "a flag"),
    COLUMN("bytes", BYTES, bytes, "a size", .heading = "BYTES", .width = 8, .option = 1),
    GETTER("twice", COUNT, get_twice, "a getter"),
    COLUMN("ms", MS, ms, "a duration", .null = PINGO__NULL_ROW),
    COLUMN("at", TIME, at, "a time", MISSING, .heading = "AT", .width = -20),
    COLUMN("share", SHARE, share, "a share", MISSING),
    COLUMN("ratio", RATIO, ratio, "a ratio"),
    COLUMN("real", REAL, real, "a real"),
    COLUMN("hash", HASH, hash, "a hash", MISSING),
    COLUMN("state", NAME, state, "a name", .names = name_of, .null = PINGO__NULL_ABSENT),
    ARRAY("labels", PAIRS, labels, nlabels, "pairs"),
    {.key = "part",
     .kind = PINGO__VIEW_OBJECT,
     .offset = offsetof(ROW, part),
     .of = &part_view,
     .meaning = "a struct"},
    {.key = "pointer",
     .kind = PINGO__VIEW_OBJECT,
     .type = PINGO__TYPE_POINTER,
     .null = PINGO__NULL_MISSING,
     .offset = offsetof(ROW, pointer),
     .of = &part_view,
     .meaning = "a pointer"},
    MEMBERS(other, &part_view),
    LIST("list", list, nlist, &part_view, "a list"),
    EACH("put", &part_view, each_part, "told"),
    CELL("NOTE", 0, put_cell),
    SHOWN("hidden", COUNT, id),
    {.name = "cell",
     .kind = PINGO__VIEW_TEXT,
     .type = PINGO__TYPE_TEXT,
     .size = sizeof(char *),
     .offset = offsetof(ROW, name),
     .cell = put_cell},
};
static const struct pingo__view_table view = {.name = "thing",
                                              .columns = columns,
                                              .ncolumns = sizeof columns / sizeof *columns,
                                              .size = sizeof(ROW),
                                              .has = has_times};
static const struct pingo__view_column stream_columns[] = {
    COLUMN("id", COUNT, id, "before"),
    STREAM("things", &part_view, "the stream"),
    COLUMN("flag", FLAG, flag, "behind"),
};
static const struct pingo__view_table stream = VIEW("stream", stream_columns, ROW);
#undef ROW

static const char *const labels[] = {"k", "v\"1\"", "l", ""};
static const struct part parts[] = {{1}, {-1}};

static inline struct thing full(void)
{
    return (struct thing){.id = 7,
                          .name = "a,\"b\"\x01\xff long name",
                          .inside = "in",
                          .flag = true,
                          .bytes = UINT64_C(9007199254740993),
                          .ms = 1500,
                          .at = INT64_C(1763632800123),
                          .share = 0.5,
                          .ratio = 1.25,
                          .real = 0.1,
                          .hash = {{0xab}},
                          .state = 2,
                          .labels = labels,
                          .nlabels = 4,
                          .part = {5},
                          .other = {2048},
                          .pointer = parts,
                          .list = parts,
                          .nlist = 2};
}

/* What was written since; borrowed until the next call. */
static inline const char *text_of(struct pingo__buffer *b)
{
    static char text[8192];
    assert_false(b->failed);
    assert_true(b->length < sizeof text);
    memcpy(text, b->length > 0 ? b->data : "", b->length);
    text[b->length] = '\0';
    pingo__buffer_clear(b);
    return text;
}

#endif
