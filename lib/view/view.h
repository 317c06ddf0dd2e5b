/* view.h - what a status looks like: one table a struct, of which JSON, CSV, text and the schema are made.
 *
 * A view is a list of columns.  A column says how its value is had from a row (where it lies and of what type, or a
 * function that tells it), what it is (a size, a time, ...), its key in JSON and CSV, its heading in a table for
 * people, and what it means.  Columns stand in every form in the order of the table.
 *
 * Nothing here prints, reads a clock, keeps state or ends the program: memory that is not there is told by `failed`
 * of the writer's buffer, or of the buffer. */
#ifndef PINGO__VIEW_VIEW_H
#define PINGO__VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/writer.h"

struct pingo_hash;
struct pingo__view_table;

/* What a value is. */
enum pingo__view_kind {
    PINGO__VIEW_TEXT,
    PINGO__VIEW_FLAG,
    PINGO__VIEW_COUNT,
    PINGO__VIEW_BYTES,
    PINGO__VIEW_MS,
    PINGO__VIEW_TIME,    /* ms since 1970; RFC 3339 in JSON and CSV */
    PINGO__VIEW_SHARE,   /* 0 to 1, with 4 digits; percent in text */
    PINGO__VIEW_RATIO,   /* with 6 digits; 3 in text */
    PINGO__VIEW_REAL,    /* as it is */
    PINGO__VIEW_HASH,    /* 64 digits; 12 in text */
    PINGO__VIEW_NAME,    /* the number of a name */
    PINGO__VIEW_SCALAR,  /* text or a number: get tells */
    PINGO__VIEW_PAIRS,   /* k1, v1, k2, v2, ...: an object with keys of its own */
    PINGO__VIEW_TEXTS,   /* an array of texts */
    PINGO__VIEW_JSON,    /* the text of an object of which no schema is known */
    PINGO__VIEW_ANY,     /* an object of which no schema is known: put writes it */
    PINGO__VIEW_OBJECT,  /* a struct within the row, or where a pointer leads; NULL: null */
    PINGO__VIEW_MEMBERS, /* a struct within the row, whose columns are the row's own */
    PINGO__VIEW_LIST,    /* a pointer to structs, and how many there are; or each tells them */
    PINGO__VIEW_STREAM   /* an array whose elements come one after the other: pingo__view_open() */
};

/* How it lies in the row: its size is told besides. */
enum pingo__view_type {
    PINGO__TYPE_NONE,
    PINGO__TYPE_BOOL,
    PINGO__TYPE_SIGNED,
    PINGO__TYPE_UNSIGNED,
    PINGO__TYPE_DOUBLE,
    PINGO__TYPE_TEXT,   /* a pointer, or an array of the row */
    PINGO__TYPE_POINTER /* of OBJECT and MEMBERS: not within the row, but where a pointer leads */
};

/* When a value is null in JSON, nothing in CSV, and "-" in text. */
enum pingo__view_null {
    PINGO__NULL_MISSING = 1, /* below 0, NULL, a hash of zeros, no name */
    PINGO__NULL_ZERO = 2,    /* 0 as well */
    PINGO__NULL_EMPTY = 4,   /* "" */
    PINGO__NULL_ROW = 8,     /* the view's has() says that the row has none of these */
    PINGO__NULL_ABSENT = 16, /* and then its key is left out */
    PINGO__NULL_BLANK = 32   /* and nothing stands in text */
};

static inline bool pingo__view_is_number(enum pingo__view_kind kind)
{
    return kind >= PINGO__VIEW_COUNT && kind <= PINGO__VIEW_TIME;
}
static inline bool pingo__view_is_real(enum pingo__view_kind kind)
{
    return kind >= PINGO__VIEW_SHARE && kind <= PINGO__VIEW_REAL;
}

struct pingo__view_value {
    bool is_null;
    bool is_text; /* of SCALAR: text, else real */
    bool flag;
    int64_t number;
    double real;
    const char *text;
    const struct pingo_hash *hash;
};

/* How a cell looks; whoever prints knows what that is on a terminal or a page. */
enum pingo__view_tone {
    PINGO__TONE_PLAIN,
    PINGO__TONE_BOLD,
    PINGO__TONE_DIM,
    PINGO__TONE_BAD,
    PINGO__TONE_GOOD,
    PINGO__TONE_BUSY,
    PINGO__TONE_MARKED
};

enum pingo__view_times {
    PINGO__TIMES_ISO = 0,
    PINGO__TIMES_LOCAL,
    PINGO__TIMES_RELATIVE,
    PINGO__TIMES_EPOCH
};

struct pingo__view_style {
    enum pingo__view_times times;
    int64_t now_ms; /* for relative times, and for what runs */
    unsigned shown; /* which of the columns that are not always shown are: 1u << column.option */
    const char *indent;
    const char *(*paint)(
        enum pingo__view_tone tone); /* what begins a tone, or ends it (PLAIN); NULL: nothing does */
    const char *program;             /* how it is called on this store; NULL: pingo */
    const char *here; /* paths are shown without this directory; NULL: they are absolute */
};

/* Where the text of a cell goes. */
struct pingo__view_out {
    struct pingo__buffer *b;
    const struct pingo__view_style *style;
    size_t from;                /* of what was there before it in the buffer */
    enum pingo__view_tone tone; /* PLAIN before */
};
/* The name of a number, or "?" of one that has none: a row may come from a server, or be damaged. */
static inline void pingo__view_put_name(struct pingo__view_out *out, const char *name)
{
    pingo__buffer_text(out->b, name ? name : "?");
}

struct pingo__view_column {
    const char *key;  /* NULL: only in text */
    const char *name; /* of one without a key, for templates */
    enum pingo__view_kind kind;
    enum pingo__view_type type;
    size_t size, offset;
    const char *meaning;
    unsigned null;                      /* enum pingo__view_null */
    const struct pingo__view_table *of; /* what it consists of */
    size_t count; /* LIST, PAIRS, TEXTS: where the number of elements lies, a size_t */
    const char *(*names)(int value);
    /* Reads it; value is not null before, and all of it 0. */
    void (*get)(const void *row, struct pingo__view_value *value);
    /* Writes the elements of TEXTS, the members of ANY. */
    void (*put)(struct pingo__writer *w, const void *row);
    /* Calls fn for each element of LIST, where they lie nowhere. */
    void (*each)(const void *row, void (*fn)(void *context, const void *element), void *context);
    const char *heading; /* in text; NULL: not there */
    int width; /* in text: to the right in so many columns of a terminal; below 0: to the left; 0: the last one */
    size_t cut;      /* in text: of at most so many bytes; 0: whole */
    bool is_path;    /* in text: without the directory that style.here says */
    unsigned option; /* shown only if style.shown has it; 0: always */
    /* What stands in text instead. */
    void (*cell)(const void *row, struct pingo__view_out *out);
};

struct pingo__view_table {
    const char *name;
    const struct pingo__view_column *columns;
    size_t ncolumns, size; /* size: of a row */
    bool (*has)(const void *row);
    /* Lines for people, as templates (text.c), which end with NULL: what stands instead of a line of a table, and
     * before what a STREAM has; and behind that. */
    const char *const *text, *const *tail;
};

/* ---- values ---- */
void pingo__view_read(const struct pingo__view_table *view, const struct pingo__view_column *column,
                      const void *row, struct pingo__view_value *value);

/* What OBJECT and MEMBERS are read from; NULL of NULL. */
const void *pingo__view_part(const void *row, const struct pingo__view_column *column);

/* Calls fn for each element of a LIST. */
void pingo__view_each(const struct pingo__view_column *column, const void *row,
                      void (*fn)(void *context, const void *element), void *context);

/* ---- JSON ---- */
/* A row as an object; key as pingo__writer_open() takes it. */
void pingo__view_object(struct pingo__writer *w, const char *key,
                        const struct pingo__view_table *view, const void *row);
/* The same of a row with a STREAM: up to it, with its array open; then the elements are written, then the rest, for
 * which the row may say more than before. */
void pingo__view_open(struct pingo__writer *w, const struct pingo__view_table *view,
                      const void *row);
void pingo__view_close(struct pingo__writer *w, const struct pingo__view_table *view,
                       const void *row);
/* Of what its stream's elements are. */
const struct pingo__view_table *pingo__view_stream(const struct pingo__view_table *view);

/* ---- CSV: the keys, and what is one value; a line ends with a newline ---- */
void pingo__view_csv_keys(struct pingo__buffer *b, const struct pingo__view_table *view);
void pingo__view_csv(struct pingo__buffer *b, const struct pingo__view_table *view, const void *row);

/* ---- text ---- */
/* A line of a table, without what is empty at its end; it ends with a newline.  row NULL: the headings. */
void pingo__view_line(struct pingo__buffer *b, const struct pingo__view_table *view,
                      const void *row, const struct pingo__view_style *style);
/* A value as a cell shows it, in so many columns of a terminal: to the right, below 0 to the left.  row NULL: the
 * heading. */
struct pingo__view_place {
    const struct pingo__view_table *view;
    const struct pingo__view_column *column;
    const void *row;
};
void pingo__view_cell(struct pingo__buffer *b, const struct pingo__view_style *style,
                      const struct pingo__view_place *place, int width);
/* The lines of a view's text or tail. */
void pingo__view_text(struct pingo__buffer *b, const char *const *lines,
                      const struct pingo__view_table *view, const void *row,
                      const struct pingo__view_style *style);
/* The lines of each element of its lists, whose views have lines. */
void pingo__view_parts(struct pingo__buffer *b, const struct pingo__view_table *view,
                       const void *row, const struct pingo__view_style *style);
/* One template. */
void pingo__view_say(struct pingo__buffer *b, const char *template,
                     const struct pingo__view_table *view, const void *row,
                     const struct pingo__view_style *style);
/* Text in so many columns: to the right, below 0 to the left. */
void pingo__view_pad(struct pingo__buffer *b, const char *text, int width);
/* A path as one reads it in a directory (NULL: nowhere), without its part.  Borrowed from path. */
const char *pingo__view_path(const char *path, const char *here);
/* "-" below 0. */
void pingo__view_time(struct pingo__buffer *b, int64_t time_ms,
                      const struct pingo__view_style *style);

/* ---- the schema ---- */
/* What a command prints with --json: an object, or an array of them. */
struct pingo__view_document {
    const char *when; /* "without operand"; NULL: always */
    const struct pingo__view_table *view;
    bool is_list;
};
/* A JSON Schema (draft 2020-12) for documents, which end with one without view. */
void pingo__view_schema(struct pingo__writer *w, const char *title,
                        const struct pingo__view_document *documents);
/* The schema of one object alone. */
void pingo__view_schema_of(struct pingo__writer *w, const char *key,
                           const struct pingo__view_table *view);

#endif
