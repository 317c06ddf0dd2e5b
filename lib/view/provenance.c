/* provenance.c - what the origin of a dataset looks like. */
#include <string.h>

#include "view/columns.h"
#include "view/views.h"

static const struct pingo_description *description_of(const void *row)
{
    return ((const struct pingo_provenance *)row)->description;
}

/* ---- where it lay --------------------------------------------------------------------------- */

#define ROW struct pingo_place
static const struct pingo__view_column places[] = {
    COLUMN("path", TEXT, path, "where it lay when it was last seen", MISSING),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size; null where it was not read", MISSING),
    COLUMN("modified", TIME, mtime_ms, "of when it was; null where it was not read", MISSING),
    COLUMN("seen", TIME, seen_ms, "when it was last seen", MISSING),
};
static const struct pingo__view_table place_view = VIEW("place", places, ROW);
#undef ROW

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
};
static const struct pingo__view_table input_view = VIEW("input", inputs, ROW);
#undef ROW

static void put_inputs(struct pingo__writer *w, const void *row)
{
    const struct pingo_provenance *p = row;
    size_t n;
    const struct pingo_described_input *list = pingo_description_inputs(p->description, &n);
    for (size_t i = 0; i < n; i++)
        pingo__view_object(w, NULL, &input_view, &(struct input){list[i], p->input_places[i]});
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
static const struct pingo__view_table tool_view = VIEW("tool", tools, ROW);
#undef ROW

static void put_tools(struct pingo__writer *w, const void *row)
{
    const struct pingo_provenance *p = row;
    size_t n;
    const struct pingo_described_tool *list = pingo_description_tools(p->description, &n);
    for (size_t i = 0; i < n; i++)
        pingo__view_object(w, NULL, &tool_view, &(struct tool){list[i], p->tool_places[i]});
}

struct version {
    struct pingo_described_version version;
    struct pingo_place place;
};
#define ROW struct version
static const struct pingo__view_column versions[] = {
    ARRAY("command", TEXTS, version.argv, version.nargv, "a command of \"versions\""),
    COLUMN("output", HASH, version.output, "the digest of what it wrote"),
    COLUMN("text", TEXT, place.text, "the first line of that", MISSING),
    COLUMN("path", TEXT, place.path, "where its program lay", MISSING),
    COLUMN("seen", TIME, place.seen_ms, "when that was last seen", MISSING),
};
static const struct pingo__view_table version_view = VIEW("version", versions, ROW);
#undef ROW

static void put_versions(struct pingo__writer *w, const void *row)
{
    const struct pingo_provenance *p = row;
    size_t n;
    const struct pingo_described_version *list = pingo_description_versions(p->description, &n);
    for (size_t i = 0; i < n; i++)
        pingo__view_object(w, NULL, &version_view, &(struct version){list[i], p->version_places[i]});
}

#define ROW struct pingo_described_parent
static const struct pingo__view_column parents[] = {
    COLUMN("as", TEXT, role, "its role; null where parents have none", MISSING),
    COLUMN("hash", HASH, hash, "its hash"),
};
static const struct pingo__view_table parent_view = VIEW("parent", parents, ROW);
#undef ROW

static void put_parents(struct pingo__writer *w, const void *row)
{
    size_t n;
    const struct pingo_described_parent *list = pingo_description_parents(description_of(row), &n);
    for (size_t i = 0; i < n; i++)
        pingo__view_object(w, NULL, &parent_view, &list[i]);
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

static void get_type(const void *row, struct pingo__view_value *v)
{
    v->text = pingo_description_type(description_of(row));
    v->is_null = false;
}

static void get_salt(const void *row, struct pingo__view_value *v)
{
    v->text = pingo_description_salt(description_of(row));
    v->is_null = false;
}

static void get_output_path(const void *row, struct pingo__view_value *v)
{
    v->text = pingo_description_output_path(description_of(row));
    v->is_null = false;
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
    PUTTER("description", ANY, NULL, put_description,
           "the fields of the type, such as \"command\" and \"env\""),
    PUTTER("inputs", LIST, &input_view, put_inputs, "its originals"),
    PUTTER("tools", LIST, &tool_view, put_tools, "its tools"),
    PUTTER("versions", LIST, &version_view, put_versions, "its commands of \"versions\""),
    PUTTER("parents", LIST, &parent_view, put_parents, "what made its other inputs"),
};
const struct pingo__view_table pingo__view_provenance = VIEW("action", provenance, ROW);
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
