/* read_action.c - one element of "actions" -> struct pingo_action_spec.
 *
 * Only kinds and spellings are looked at here; the rules are checked where a
 * program's specs are, in pingo__workflow_draft_add().  What was wrong here is marked as
 * reported, so that nothing is told twice. */
#include <string.h>

#include "base/buffer.h"
#include "base/writer.h"
#include "workflow/kinds.h"
#include "workflow/read.h"

static const struct pingo__workflow_range any_id = {0, PINGO_ID_MAX, PINGO__REPORTED_ID, false};
static const struct pingo__workflow_range own_id = {0, PINGO_ID_MAX, PINGO__REPORTED_ID, true};

/* Says that a key is not one of these. */
static void unknown_key(struct pingo__workflow_read *r, const char *prefix, const char *key,
                        const char *const *known, size_t n)
{
    if (!pingo__workflow_is_free_key(key))
        pingo__workflow_report_unknown_key(
            &r->sink, pingo__workflow_pointer_to_key(r->draft, prefix, key), key, known, n);
}

/* ---- parentActions ------------------------------------------------------------------ */

static void read_parent(struct pingo__workflow_read *r, const struct pingo__json_value *entry,
                        size_t i, struct pingo_parent_spec *parent)
{
    static const char *const keys[] = {"id", "as"};
    const struct pingo__json_value *id = NULL, *as = NULL;
    struct pingo__workflow_draft *d = r->draft;
    parent->id = PINGO__REPORTED_ID;
    if (pingo__json_kind(entry) != PINGO__JSON_OBJECT) {
        pingo__workflow_read_is(r, entry, pingo__workflow_pointer(d, "/parentActions/%zu", i),
                                PINGO__JSON_OBJECT,
                                "an object such as {\"id\": 1, \"as\": \"words.txt\"}");
        parent->as = pingo__workflow_reported;
        return;
    }
    for (const struct pingo__json_value *v = pingo__json_first(entry); v; v = pingo__json_next(v)) {
        const char *key = pingo__json_key(v);
        if (strcmp(key, "id") == 0)
            id = v;
        else if (strcmp(key, "as") == 0)
            as = v;
        else
            unknown_key(r, pingo__workflow_pointer(d, "/parentActions/%zu", i), key, keys, 2);
    }
    if (!id)
        pingo__workflow_report(&r->sink, pingo__workflow_pointer(d, "/parentActions/%zu", i),
                               "\"id\" is missing: say which action is the parent");
    /* The common case needs no pointer. */
    else if (pingo__json_integer(&d->source->element, id, &parent->id) != 1)
        parent->id = pingo__workflow_read_integer(
            r, id, pingo__workflow_pointer(d, "/parentActions/%zu/id", i), &any_id);
    if (!as)
        return;
    const char *found = pingo__json_kind(as) == PINGO__JSON_STRING ? pingo__json_text(as) : NULL;
    if (!found)
        found = pingo__workflow_read_text(r, as,
                                          pingo__workflow_pointer(d, "/parentActions/%zu/as", i));
    parent->as = found;
}

static void read_parents(struct pingo__workflow_read *r, const struct pingo__json_value *v,
                         struct pingo_action_spec *spec)
{
    struct pingo__workflow_draft *d = r->draft;
    size_t n = 0;
    if (!pingo__workflow_read_is(r, v, "/parentActions", PINGO__JSON_ARRAY,
                                 "an array such as [{\"id\": 1, \"as\": \"words.txt\"}]"))
        return;
    struct pingo_parent_spec *parents =
        pingo__workflow_draft_array(d, &d->scratch, pingo__workflow_read_count(v), sizeof *parents);
    if (!parents)
        return;
    for (v = pingo__json_first(v); v && !d->no_memory; v = pingo__json_next(v), n++)
        read_parent(r, v, n, &parents[n]);
    spec->parents = parents;
    spec->nparents = n;
}

/* ---- inputs -------------------------------------------------------------------------- */

static enum pingo_identity read_identity(struct pingo__workflow_read *r,
                                         const struct pingo__json_value *v, const char *pointer)
{
    const char *text = pingo__workflow_read_text(r, v, pointer);
    if (text == pingo__workflow_reported || strcmp(text, "content") == 0)
        return PINGO_IDENTITY_CONTENT;
    if (strcmp(text, "stat") == 0)
        return PINGO_IDENTITY_STAT;
    pingo__workflow_report(&r->sink, pointer,
                           "\"identity\" must be \"content\" or \"stat\", not \"%.*s\"",
                           pingo__workflow_quoted(text), text);
    return PINGO_IDENTITY_CONTENT;
}

static void read_input(struct pingo__workflow_read *r, const struct pingo__json_value *entry,
                       size_t i, struct pingo_input *input)
{
    static const char *const keys[] = {"name", "path", "uri", "version", "sha256", "identity"};
    const char *const prefix = pingo__workflow_pointer(r->draft, "/inputs/%zu", i);
    if (!pingo__workflow_read_is(r, entry, prefix, PINGO__JSON_OBJECT,
                                 "an object such as {\"name\": \"text\", \"path\": \"a.txt\"}")) {
        input->name = input->path = pingo__workflow_reported;
        return;
    }
    for (const struct pingo__json_value *v = pingo__json_first(entry); v; v = pingo__json_next(v)) {
        const char **const texts[] = {&input->name, &input->path, &input->uri, &input->version,
                                      &input->sha256};
        const char *key = pingo__json_key(v);
        size_t k = 0;
        while (k < sizeof keys / sizeof keys[0] && strcmp(keys[k], key) != 0)
            k++;
        if (k < sizeof texts / sizeof texts[0])
            *texts[k] = pingo__workflow_read_text(
                r, v, pingo__workflow_pointer(r->draft, "%s/%s", prefix, key));
        else if (k < sizeof keys / sizeof keys[0])
            input->identity =
                read_identity(r, v, pingo__workflow_pointer(r->draft, "%s/identity", prefix));
        else
            unknown_key(r, prefix, key, keys, sizeof keys / sizeof keys[0]);
    }
}

static void read_inputs(struct pingo__workflow_read *r, const struct pingo__json_value *v,
                        struct pingo_action_spec *spec)
{
    struct pingo__workflow_draft *d = r->draft;
    size_t n = 0;
    if (!pingo__workflow_read_is(r, v, "/inputs", PINGO__JSON_ARRAY,
                                 "an array such as [{\"name\": \"text\", \"path\": \"a.txt\"}]"))
        return;
    struct pingo_input *inputs =
        pingo__workflow_draft_array(d, &d->scratch, pingo__workflow_read_count(v), sizeof *inputs);
    if (!inputs)
        return;
    for (v = pingo__json_first(v); v && !d->no_memory; v = pingo__json_next(v), n++)
        read_input(r, v, n, &inputs[n]);
    spec->inputs = inputs;
    spec->ninputs = n;
}

/* ---- resources and the other common keys ------------------------------------------------ */

static void read_resources(struct pingo__workflow_read *r, const struct pingo__json_value *v,
                           struct pingo_action_spec *spec)
{
    static const char *const keys[] = {"cpus", "memoryMB", "timeLimitSeconds"};
    static const struct pingo__workflow_range ranges[] = {
        {1, PINGO__CPUS_MAX, 0, false},
        {1, PINGO__MEMORY_MB_MAX, 0, false},
        {1, PINGO__TIME_LIMIT_SECONDS_MAX, 0, false},
    };
    int64_t *const values[] = {&spec->cpus, &spec->memory_mb, &spec->time_limit_seconds};
    if (!pingo__workflow_read_is(r, v, "/resources", PINGO__JSON_OBJECT,
                                 "an object such as {\"cpus\": 2, \"memoryMB\": 500}"))
        return;
    for (v = pingo__json_first(v); v; v = pingo__json_next(v)) {
        const char *key = pingo__json_key(v);
        size_t k = 0;
        while (k < 3 && strcmp(keys[k], key) != 0)
            k++;
        if (k < 3)
            *values[k] = pingo__workflow_read_integer(
                r, v, pingo__workflow_pointer(r->draft, "/resources/%s", keys[k]), &ranges[k]);
        else
            unknown_key(r, "/resources", key, keys, 3);
    }
}

/* Most keys differ in their first letter. */
static bool is_key(const char *key, const char *known)
{
    return key[0] == known[0] && strcmp(key, known) == 0;
}

static void read_versions(struct pingo__workflow_read *r, const struct pingo__json_value *v,
                          struct pingo_action_spec *spec)
{
    struct pingo__workflow_draft *d = r->draft;
    size_t n = 0;
    if (!pingo__workflow_read_is(r, v, "/versions", PINGO__JSON_ARRAY,
                                 "an array of commands such as [[\"samtools\", \"--version\"]]"))
        return;
    struct pingo_version_command *versions =
        pingo__workflow_draft_array(d, &d->scratch, pingo__workflow_read_count(v), sizeof *versions);
    if (!versions)
        return;
    for (v = pingo__json_first(v); v && !d->no_memory; v = pingo__json_next(v), n++) {
        const char *pointer = pingo__workflow_pointer(d, "/versions/%zu", n);
        versions[n].argv = &pingo__workflow_reported_list;
        if (pingo__workflow_read_is(r, v, pointer, PINGO__JSON_ARRAY,
                                    "an array of a program and its arguments, such as "
                                    "[\"samtools\", \"--version\"]"))
            versions[n].argv = pingo__workflow_read_texts(r, v, pointer, &versions[n].nargv);
    }
    spec->versions = versions;
    spec->nversions = n;
}

const char *pingo__workflow_read_options(struct pingo__workflow_read *r,
                                         const struct pingo__json_value *v, const char *pointer)
{
    struct pingo__workflow_draft *d = r->draft;
    struct pingo__buffer text;
    const char *copy = NULL;
    size_t n = 0;
    if (!pingo__workflow_read_is(r, v, pointer, PINGO__JSON_OBJECT,
                                 "an object of strings and numbers"))
        return pingo__workflow_reported;
    pingo__buffer_init(&text);
    for (v = pingo__json_first(v); v; v = pingo__json_next(v)) {
        enum pingo__json_kind kind = pingo__json_kind(v);
        const char *key = pingo__json_key(v);
        size_t length = 0;
        const char *spelling = "";
        if (kind == PINGO__JSON_NUMBER) {
            spelling = pingo__json_spelling(&d->source->element, v, &length);
            text.failed = text.failed || !spelling;
        } else if (!pingo__workflow_read_is(r, v, pingo__workflow_pointer_to_key(d, pointer, key),
                                            PINGO__JSON_STRING, "a string or a number")) {
            continue;
        }
        pingo__buffer_text(&text, n++ == 0 ? "{" : ", ");
        pingo__writer_quote(&text, key);
        pingo__buffer_text(&text, ": ");
        if (kind == PINGO__JSON_STRING)
            pingo__writer_quote(&text, pingo__json_text(v));
        else if (!text.failed)
            pingo__buffer_append(&text, spelling, length);
    }
    pingo__buffer_text(&text, n == 0 ? "{}" : "}");
    if (!text.failed)
        copy = pingo__arena_text(&d->scratch, text.data, text.length);
    d->no_memory = d->no_memory || !copy;
    pingo__buffer_clear(&text);
    return copy ? copy : pingo__workflow_reported;
}

/* Versions, and the keys that say where the action runs and how it is found. */
static bool read_placing(struct pingo__workflow_read *r, const struct pingo__json_value *v,
                         struct pingo_action_spec *spec)
{
    const char *key = pingo__json_key(v);
    if (is_key(key, "versions"))
        read_versions(r, v, spec);
    else if (is_key(key, "labels"))
        spec->labels = pingo__workflow_read_pairs(r, v, "/labels", &spec->nlabels);
    else if (is_key(key, "executor"))
        spec->executor = pingo__workflow_read_text(r, v, "/executor");
    else if (is_key(key, "executorOptions"))
        spec->executor_options = pingo__workflow_read_options(r, v, "/executorOptions");
    else if (!is_key(key, "sandbox"))
        return false;
    else if (pingo__workflow_read_is(r, v, "/sandbox", PINGO__JSON_BOOLEAN, "true or false"))
        spec->sandbox = pingo__json_is_true(v) ? PINGO_SANDBOX_ON : PINGO_SANDBOX_OFF;
    return true;
}

/* Reads a key that every action may have.  false: it is none. */
static bool read_common(struct pingo__workflow_read *r, const struct pingo__json_value *v,
                        struct pingo_action_spec *spec)
{
    static const struct pingo__workflow_range retries = {0, PINGO__RETRIES_MAX, 0, false};
    const char *key = pingo__json_key(v);
    if (is_key(key, "id"))
        spec->id = pingo__workflow_read_integer(r, v, "/id", &own_id);
    else if (is_key(key, "name"))
        spec->name = pingo__workflow_read_text(r, v, "/name");
    else if (is_key(key, "type"))
        spec->type = pingo__workflow_read_text(r, v, "/type");
    else if (is_key(key, "parentActions"))
        read_parents(r, v, spec);
    else if (is_key(key, "inputs"))
        read_inputs(r, v, spec);
    else if (is_key(key, "tools"))
        spec->tools = pingo__workflow_read_texts(r, v, "/tools", &spec->ntools);
    else if (is_key(key, "forceComputation"))
        spec->force_computation = pingo__workflow_read_flag(r, v, "/forceComputation", false);
    else if (is_key(key, "isManaged"))
        spec->unmanaged = !pingo__workflow_read_flag(r, v, "/isManaged", true);
    else if (is_key(key, "outputPath"))
        spec->output_path = pingo__workflow_read_text(r, v, "/outputPath");
    else if (is_key(key, "salt"))
        spec->salt = pingo__workflow_read_text(r, v, "/salt");
    else if (is_key(key, "resources"))
        read_resources(r, v, spec);
    else if (is_key(key, "retries"))
        spec->retries = pingo__workflow_read_integer(r, v, "/retries", &retries);
    else if (!is_key(key, "keep"))
        return read_placing(r, v, spec);
    else if (pingo__workflow_read_is(r, v, "/keep", PINGO__JSON_BOOLEAN, "true or false"))
        spec->keep = pingo__json_is_true(v) ? PINGO_KEEP_ALWAYS : PINGO_KEEP_NEVER;
    return true;
}

/* ---- the type's own keys ------------------------------------------------------------------ */

static const struct pingo_key *find_key(const struct pingo_action_type *type, const char *key)
{
    for (size_t i = 0; type && i < type->nkeys; i++)
        if (strcmp(type->keys[i].key, key) == 0)
            return &type->keys[i];
    return NULL;
}

/* The digits of a number; NULL where it is no integer, which is reported. */
static const char *read_number(struct pingo__workflow_read *r, const struct pingo__json_value *v)
{
    static const struct pingo__workflow_range any = {0, PINGO_ID_MAX, -1, false};
    const char *pointer = pingo__workflow_pointer(r->draft, "/%s", pingo__json_key(v));
    int64_t number = pingo__workflow_read_integer(r, v, pointer, &any);
    return number < 0 ? NULL : pingo__workflow_pointer(r->draft, "%lld", (long long)number);
}

/* The text, the flag or the number as the one value of a field; NULL where there is none. */
static const char *const *read_single(struct pingo__workflow_read *r,
                                      const struct pingo__json_value *v, enum pingo_field_kind kind)
{
    const char **value = pingo__workflow_draft_array(r->draft, &r->draft->scratch, 1, sizeof *value);
    if (!value)
        return NULL;
    if (kind == PINGO_FIELD_TEXT)
        value[0] = pingo__json_text(v);
    else if (kind == PINGO_FIELD_FLAG)
        value[0] = pingo__json_is_true(v) ? "true" : "false";
    else
        value[0] = read_number(r, v);
    return value[0] ? value : NULL;
}

static void read_field(struct pingo__workflow_read *r, const struct pingo__json_value *v,
                       const struct pingo_action_type *type, struct pingo_field *field)
{
    struct pingo__workflow_draft *d = r->draft;
    const struct pingo_key *key = find_key(type, pingo__json_key(v));
    enum pingo_field_kind kind = pingo__workflow_kind_of_json(pingo__json_kind(v));
    field->key = pingo__json_key(v);
    field->kind = PINGO__REPORTED_KIND;
    if (!key)
        return; /* the fields' rules know what to say */
    if ((key->kinds & 1u << kind) == 0) {
        pingo__workflow_report(&r->sink, pingo__workflow_pointer(d, "/%s", key->key),
                               "\"%s\" must be %s, not %s", key->key,
                               pingo__workflow_kind_words(d, key->kinds),
                               pingo__json_kind_name(pingo__json_kind(v)));
        return;
    }
    field->nvalues = 1;
    if (kind == PINGO_FIELD_TEXTS) {
        field->values = pingo__workflow_read_texts(
            r, v, pingo__workflow_pointer(d, "/%s", key->key), &field->nvalues);
        /* A list with holes has nothing more to tell. */
        for (size_t i = 0; field->values && i < field->nvalues; i++)
            if (field->values[i] == pingo__workflow_reported)
                return;
    } else if (kind == PINGO_FIELD_PAIRS) {
        field->values = pingo__workflow_read_pairs(
            r, v, pingo__workflow_pointer(d, "/%s", key->key), &field->nvalues);
    } else {
        field->values = read_single(r, v, kind);
    }
    if (field->values)
        field->kind = kind;
}

static void read_members(struct pingo__workflow_read *r, const struct pingo__json_value *root,
                         struct pingo_action_spec *spec)
{
    struct pingo__workflow_draft *d = r->draft;
    size_t count = pingo__workflow_read_count(root), nothers = 0;
    const struct pingo__json_value **others =
        pingo__workflow_draft_array(d, &d->scratch, count, sizeof(struct pingo__json_value *));
    struct pingo_field *fields = pingo__workflow_draft_array(d, &d->scratch, count, sizeof *fields);
    const struct pingo_action_type *type = NULL;
    if (!others || !fields)
        return;
    for (const struct pingo__json_value *v = pingo__json_first(root); v; v = pingo__json_next(v))
        if (!read_common(r, v, spec) && !pingo__workflow_is_free_key(pingo__json_key(v)))
            others[nothers++] = v;
    /* The type may stand behind its keys. */
    if (spec->type)
        type = pingo__workflow_draft_type(d, spec->type);
    for (size_t i = 0; i < nothers; i++)
        read_field(r, others[i], type, &fields[i]);
    spec->fields = fields;
    spec->nfields = nothers;
}

void pingo__workflow_read_action(struct pingo__workflow_draft *d, size_t offset)
{
    struct pingo__workflow_read r = {d, {d, d->workflow->nactions}};
    struct pingo_action_spec spec = {.version = 1, .id = PINGO__REPORTED_ID};
    bool has_id = false;
    pingo__arena_reset(&d->scratch);
    const struct pingo__json_value *root = pingo__workflow_source_action(d->source, offset);
    if (!root) {
        d->no_memory = true;
        return;
    }
    if (pingo__json_kind(root) != PINGO__JSON_OBJECT) {
        pingo__workflow_report(&r.sink, "", "an action must be an object, not %s",
                               pingo__json_kind_name(pingo__json_kind(root)));
        pingo__workflow_draft_add(d, NULL);
        return;
    }
    for (const struct pingo__json_value *v = pingo__json_first(root); v && !has_id;
         v = pingo__json_next(v))
        has_id = strcmp(pingo__json_key(v), "id") == 0;
    if (!has_id)
        pingo__workflow_report(&r.sink, "",
                               "\"id\" is missing: an action needs an integer of its own");
    read_members(&r, root, &spec);
    pingo__workflow_draft_add(d, &spec);
}
