/* provenance.c - what the origin of a dataset looks like. */
#include <string.h>

#include "base/quoting.h"
#include "base/text.h"
#include "view/columns.h"
#include "view/views.h"

static const struct pingo_description *description_of(const void *row)
{
    return ((const struct pingo_provenance *)row)->description;
}

/* ---- where it lay --------------------------------------------------------------------------- */

/* Below what it is of. */
#define PLACE "[path?            {path}[sizeBytes?, {sizeBytes}][modified?, of {modified}]]"

#define ROW struct pingo_place
static const struct pingo__view_column places[] = {
    COLUMN("path", TEXT, path, "where it lay when it was last seen", MISSING, .is_path = true),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size; null where it was not read", MISSING),
    COLUMN("modified", TIME, mtime_ms, "of when it was; null where it was not read", MISSING),
    COLUMN("seen", TIME, seen_ms, "when it was last seen", MISSING),
};
static const struct pingo__view_table place_view = VIEW("place", places, ROW);
#undef ROW

static void put_digest(const void *row, struct pingo__view_out *out);

struct input {
    struct pingo_described_input input;
    struct pingo_place place;
};
#define ROW struct input
static const struct pingo__view_column inputs[] = {
    COLUMN("name", TEXT, input.name, "the link in/NAME"),
    COLUMN("kind", TEXT, input.kind,
           "content (of a file), tree (content of a directory), stat or uri"),
    COLUMN("identity", TEXT, input.identity, "what tells it from others"),
    COLUMN("version", TEXT, input.version, "of a uri", .null = PINGO__NULL_ABSENT),
    MEMBERS(place, &place_view),
    SHOWN_AS("digest", put_digest),
};
static const struct pingo__view_table input_view =
    VIEW_TEXT("input", inputs, ROW,
              "  <input    > {name} = [kind=content?content {digest}|[kind=tree?tree {digest}|"
              "{identity}]][version? version {version}]",
              PLACE);
#undef ROW

static void put_digest(const void *row, struct pingo__view_out *out)
{
    pingo__buffer_format(out->b, "%.12s", ((const struct input *)row)->input.identity);
}

struct tool {
    struct pingo_described_tool tool;
    struct pingo_place place;
};
#define ROW struct tool
static const struct pingo__view_column tools[] = {
    COLUMN("name", TEXT, tool.name, "as it was declared"),
    COLUMN("content", HASH, tool.content, "the digest of the file that was found"),
    MEMBERS(place, &place_view),
};
static const struct pingo__view_table tool_view =
    VIEW_TEXT("tool", tools, ROW, "  <tool     > {name} = content {content}", PLACE);
#undef ROW

struct version {
    struct pingo_described_version version;
    struct pingo_place place;
};
/* Words as a shell would take them. */
static void put_argv(struct pingo__buffer *b, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pingo__buffer_text(b, i > 0 ? " " : "");
        pingo__quoting_shell_shown(b, words[i]);
    }
}

static void put_words(const void *row, struct pingo__view_out *out)
{
    const struct pingo_described_version *v = &((const struct version *)row)->version;
    put_argv(out->b, v->argv, v->nargv);
}

#define ROW struct version
static const struct pingo__view_column versions[] = {
    ARRAY("command", TEXTS, version.argv, version.nargv, "a command of \"versions\""),
    COLUMN("output", HASH, version.output, "the digest of what it wrote"),
    COLUMN("text", TEXT, place.text, "the first line of that", MISSING),
    COLUMN("path", TEXT, place.path, "where its program lay", MISSING, .is_path = true),
    COLUMN("seen", TIME, place.seen_ms, "when that was last seen", MISSING),
    SHOWN_AS("words", put_words),
    SHOWN("sizeBytes", BYTES, place.size_bytes),
    SHOWN("modified", TIME, place.mtime_ms),
};
static const struct pingo__view_table version_view =
    VIEW_TEXT("version", versions, ROW,
              "  <version  > {words} = [text?{text} (output {output})|output {output}]", PLACE);
#undef ROW

/* A function for EACH, of all inputs (tools, versions) with where they lay. */
#define EACH_WITH_PLACE(function, row_type, described, list_of, places)                            \
    static void function(const void *row, void (*fn)(void *context, const void *element),          \
                         void *context)                                                            \
    {                                                                                              \
        const struct pingo_provenance *p = row;                                                    \
        size_t n;                                                                                  \
        const struct described *list = list_of(p->description, &n);                                \
        for (size_t i = 0; i < n; i++)                                                             \
            fn(context, &(struct row_type){list[i], p->places[i]});                                \
    }
EACH_WITH_PLACE(each_input, input, pingo_described_input, pingo_description_inputs, input_places)
EACH_WITH_PLACE(each_tool, tool, pingo_described_tool, pingo_description_tools, tool_places)
EACH_WITH_PLACE(each_version, version, pingo_described_version, pingo_description_versions,
                version_places)

#define ROW struct pingo_described_parent
static const struct pingo__view_column parents[] = {
    COLUMN("as", TEXT, role, "its role; null where parents have none", MISSING),
    COLUMN("hash", HASH, hash, "its hash"),
};
static const struct pingo__view_table parent_view =
    VIEW_TEXT("parent", parents, ROW, "  <parent   > [as?{as} = ]{hash}");
#undef ROW

static void each_parent(const void *row, void (*fn)(void *context, const void *element),
                        void *context)
{
    size_t n;
    const struct pingo_described_parent *list = pingo_description_parents(description_of(row), &n);
    for (size_t i = 0; i < n; i++)
        fn(context, &list[i]);
}

/* ---- what it is --------------------------------------------------------------------------------- */

static void put_field(struct pingo__writer *w, const struct pingo_field *f)
{
    const char *first = f->nvalues > 0 ? f->values[0] : "";
    bool pairs = f->kind == PINGO_FIELD_PAIRS;
    switch (f->kind) {
    case PINGO_FIELD_TEXTS:
    case PINGO_FIELD_PAIRS:
        pingo__writer_open(w, f->key, pairs ? PINGO__WRITER_OBJECT : PINGO__WRITER_ARRAY);
        for (size_t i = 0; i + pairs < f->nvalues; i += 1 + pairs)
            pingo__writer_text(w, pairs ? f->values[i] : NULL, f->values[i + pairs]);
        pingo__writer_close(w);
        break;
    case PINGO_FIELD_FLAG:
        pingo__writer_flag(w, f->key, strcmp(first, "true") == 0);
        break;
    case PINGO_FIELD_NUMBER:
        pingo__writer_raw(w, f->key, first);
        break;
    case PINGO_FIELD_TEXT:
        pingo__writer_text(w, f->key, first);
        break;
    }
}

static void put_description(struct pingo__writer *w, const void *row)
{
    size_t n;
    const struct pingo_field *fields = pingo_description_fields(description_of(row), &n);
    for (size_t i = 0; i < n; i++)
        put_field(w, &fields[i]);
}

VALUE(get_type, struct pingo_provenance, text, pingo_description_type(r->description))
VALUE(get_salt, struct pingo_provenance, text, pingo_description_salt(r->description))
VALUE(get_output_path, struct pingo_provenance, text, pingo_description_output_path(r->description))

/* ---- in text: lines with a label ---------------------------------------------------------------- */

struct line {
    const char *label, *text;
};

/* A text of several lines is indented below its label. */
static void put_lines(const void *row, struct pingo__view_out *out)
{
    const struct line *l = row;
    const char *shown;
    size_t length, n;
    for (const char *at = l->text; *at != '\0'; at += length) {
        length = pingo__text_clean_next(at, &shown, &n);
        if (*at != '\n')
            pingo__buffer_append(out->b, shown, n);
        else if (at[1] != '\0')
            pingo__buffer_text(out->b, "\n            ");
    }
}

#define ROW struct line
static const struct pingo__view_column line_columns[] = {
    SHOWN("label", TEXT, label),
    SHOWN_AS("text", put_lines),
};
static const struct pingo__view_table line_view =
    VIEW_TEXT("line", line_columns, ROW, "  <{label:-9}> {text}");
#undef ROW

struct lines {
    void (*fn)(void *context, const void *line);
    void *context;
};

/* Clears the text. */
static void tell_line(const struct lines *to, const char *label, struct pingo__buffer *text)
{
    const char *whole = pingo__buffer_cstr(text);
    to->fn(to->context, &(struct line){label, whole ? whole : ""});
    pingo__buffer_clear(text);
}

/* NAME=, and words as a shell would take them. */
static void put_words_line(const struct lines *to, const char *label, const char *name,
                           const char *const *words, size_t n)
{
    struct pingo__buffer text = {0};
    if (name)
        pingo__buffer_format(&text, "%s=", name);
    put_argv(&text, words, n);
    tell_line(to, label, &text);
}

/* The same with a text that stands for itself. */
static void put_line(const struct lines *to, const char *label, const char *name, const char *value)
{
    struct pingo__buffer text = {0};
    if (name)
        pingo__buffer_format(&text, "%s=", name);
    pingo__buffer_text(&text, value);
    tell_line(to, label, &text);
}

static void put_field_line(const struct lines *to, const struct pingo_field *f)
{
    const char *first = f->nvalues > 0 ? f->values[0] : "";
    if (f->kind == PINGO_FIELD_PAIRS) {
        for (size_t i = 0; i + 1 < f->nvalues; i += 2)
            put_words_line(to, f->key, f->values[i], &f->values[i + 1], 1);
    } else if (f->kind == PINGO_FIELD_TEXTS) {
        put_words_line(to, f->key, NULL, f->values, f->nvalues);
    } else if (f->kind != PINGO_FIELD_FLAG || strcmp(first, "false") != 0) {
        put_line(to, f->key, NULL, first);
    }
}

static void each_line(const void *row, void (*fn)(void *context, const void *element), void *context)
{
    const struct pingo_provenance *p = row;
    const struct pingo_description *d = p->description;
    struct lines to = {fn, context};
    size_t n;
    for (size_t i = 0; i + 1 < p->nlabels; i += 2)
        put_line(&to, "label", p->labels[i], p->labels[i + 1]);
    const struct pingo_field *fields = pingo_description_fields(d, &n);
    for (size_t i = 0; i < n; i++)
        put_field_line(&to, &fields[i]);
    if (pingo_description_salt(d))
        put_line(&to, "salt", NULL, pingo_description_salt(d));
    if (pingo_description_output_path(d))
        put_line(&to, "goes to", NULL, pingo_description_output_path(d));
}

static void put_digits(const void *row, struct pingo__view_out *out)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(&((const struct pingo_provenance *)row)->hash, hex);
    pingo__buffer_append(out->b, hex, 12);
    out->tone = PINGO__TONE_BOLD;
}

static void put_title(const void *row, struct pingo__view_out *out)
{
    pingo__text_clean(out->b, ((const struct pingo_provenance *)row)->name, SIZE_MAX);
    out->tone = PINGO__TONE_MARKED;
}

#define ROW struct pingo_provenance
static const struct pingo__view_column provenance[] = {
    COLUMN("hash", HASH, hash, "the hash"),
    COLUMN("name", TEXT, name, "of an action with this hash"),
    GETTER("type", TEXT, get_type, "the type of the action"),
    COLUMN("state", NAME, state, "of the dataset; null where it was never computed", MISSING,
           .names = pingo__view_dataset_state_name),
    COLUMN("workflow", COUNT, workflow, "that made it last", .null = PINGO__NULL_ZERO),
    COLUMN("made", TIME, made_ms, "when it was made", MISSING),
    COLUMN("computeMs", MS, compute_ms, "what it took", MISSING),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size", MISSING),
    COLUMN("content", HASH, content, "the digest of its content", MISSING),
    COLUMN("adoptedFrom", TEXT, adopted_from, "where an adopted output was taken from", MISSING),
    GETTER("salt", TEXT, get_salt, "of the action", MISSING),
    GETTER("outputPath", TEXT, get_output_path, "where an unmanaged output goes", MISSING),
    ARRAY("labels", PAIRS, labels, nlabels, "of the action that made it"),
    PUTTER("description", ANY, put_description,
           "the fields of the type, such as \"command\" and \"env\""),
    {.kind = PINGO__VIEW_LIST, .of = &line_view, .each = each_line},
    EACH("inputs", &input_view, each_input, "its originals"),
    EACH("tools", &tool_view, each_tool, "its tools"),
    EACH("versions", &version_view, each_version, "its commands of \"versions\""),
    SHOWN_AS("digits", put_digits),
    SHOWN_AS("title", put_title),
    EACH("parents", &parent_view, each_parent, "what made its other inputs"),
};
const struct pingo__view_table pingo__view_provenance = VIEW_TEXT(
    "action", provenance, ROW, "{digits}  {title}",
    "  <state    > [state?{state}[sizeBytes?, {sizeBytes}][computeMs?, computed in {computeMs}]"
    "[adoptedFrom?, adopted from {adoptedFrom}][workflow? by workflow {workflow}][made?, {made}]|"
    "never computed]");
#undef ROW

#define ROW struct pingo__view_origin
static const struct pingo__view_column origin[] = {
    COLUMN("hash", HASH, hash, "the dataset that was asked for"),
    STREAM("actions", &pingo__view_provenance, "what made it, the nearest first"),
    COLUMN("more", FLAG, more,
           "are there ancestors that were left out?  Ask for them by the hash of a parent"),
};
const struct pingo__view_table pingo__view_origin = VIEW("provenance", origin, ROW);
#undef ROW
