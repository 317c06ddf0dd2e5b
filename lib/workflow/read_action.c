/* read_action.c - one element of "actions" -> struct pingo_action_spec.
 *
 * Only kinds and spellings are looked at here; the rules are checked where a
 * program's specs are, in pingo__workflow_draft_add().  What was wrong here is marked as
 * reported, so that nothing is told twice. */
#include <stddef.h>
#include <string.h>

#include "workflow/kinds.h"
#include "workflow/read.h"
#include "workflow/resources.h"

static const struct pingo__workflow_range any_id = {0, PINGO_ID_MAX, PINGO__REPORTED_ID, false};

/* Which of n known keys a member has; n: none of them. */
static size_t which_key(const struct pingo__json_value *v, const char *const *known, size_t n)
{
    size_t k = 0;
    while (k < n && strcmp(known[k], pingo__json_key(v)) != 0)
        k++;
    return k;
}

/* Says that a member of the object at prefix has none of n known keys. */
static void unknown_key(struct pingo_problem_sink *r, const char *prefix,
                        const struct pingo__json_value *v, const char *const *known, size_t n)
{
    const char *key = pingo__json_key(v);
    if (!pingo__workflow_is_free_key(key))
        pingo__workflow_report_unknown_key(r, pingo__workflow_pointer_to_key(r->draft, prefix, key),
                                           key, known, n);
}

/* ---- lists of things -------------------------------------------------------------------- */

struct list {
    const char *pointer, *words; /* what it must be */
    size_t size;                 /* of an element */
    void (*read)(struct pingo_problem_sink *r, const struct pingo__json_value *v, size_t i,
                 void *element);
};

/* NULL: it is no array, or there is no memory. */
static void *read_list(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                       const struct list *list, size_t *n)
{
    struct pingo__workflow_draft *d = r->draft;
    *n = 0;
    if (!pingo__workflow_read_is(r, v, list->pointer, PINGO__JSON_ARRAY, list->words))
        return NULL;
    char *elements =
        pingo__workflow_draft_array(d, &d->scratch, pingo__workflow_read_count(v), list->size);
    for (v = pingo__json_first(v); elements && v && !d->no_memory; v = pingo__json_next(v), ++*n)
        list->read(r, v, *n, elements + *n * list->size);
    return elements;
}

/* Pointers are made for messages alone: there may be very many parents. */
static void read_parent(struct pingo_problem_sink *r, const struct pingo__json_value *entry,
                        size_t i, void *element)
{
    static const char *const keys[] = {"id", "as"};
    struct pingo__workflow_draft *d = r->draft;
    struct pingo_parent_spec *parent = element;
    bool has_id = false;
    parent->id = PINGO__REPORTED_ID;
    if (pingo__json_kind(entry) != PINGO__JSON_OBJECT) {
        pingo__workflow_read_is(r, entry, pingo__workflow_pointer(d, "/parentActions/%zu", i),
                                PINGO__JSON_OBJECT,
                                "an object such as {\"id\": 1, \"as\": \"words.txt\"}");
        parent->as = pingo__workflow_reported;
        return;
    }
    for (const struct pingo__json_value *v = pingo__json_first(entry); v; v = pingo__json_next(v)) {
        size_t key = which_key(v, keys, 2);
        has_id = has_id || key == 0;
        if (key == 0 && !pingo__json_integer(&d->source->element, v, &parent->id))
            parent->id = pingo__workflow_read_integer(
                r, v, pingo__workflow_pointer(d, "/parentActions/%zu/id", i), &any_id);
        else if (key == 1 && pingo__json_kind(v) == PINGO__JSON_STRING)
            parent->as = pingo__json_text(v);
        else if (key == 1)
            parent->as = pingo__workflow_read_text(
                r, v, pingo__workflow_pointer(d, "/parentActions/%zu/as", i));
        else if (key == 2)
            unknown_key(r, pingo__workflow_pointer(d, "/parentActions/%zu", i), v, keys, 2);
    }
    if (!has_id)
        pingo__workflow_report(r, pingo__workflow_pointer(d, "/parentActions/%zu", i),
                               "\"id\" is missing: say which action is the parent");
}

static enum pingo_identity read_identity(struct pingo_problem_sink *r,
                                         const struct pingo__json_value *v, const char *pointer)
{
    const char *text = pingo__workflow_read_text(r, v, pointer);
    if (text == pingo__workflow_reported || strcmp(text, "content") == 0)
        return PINGO_IDENTITY_CONTENT;
    if (strcmp(text, "stat") == 0)
        return PINGO_IDENTITY_STAT;
    pingo__workflow_report(r, pointer, "\"identity\" must be \"content\" or \"stat\", not \"%.*s\"",
                           pingo__workflow_quoted(text), text);
    return PINGO_IDENTITY_CONTENT;
}

static void read_input(struct pingo_problem_sink *r, const struct pingo__json_value *entry,
                       size_t i, void *element)
{
    static const char *const keys[] = {"name", "path", "uri", "version", "sha256", "identity"};
    const char *pointer = pingo__workflow_pointer(r->draft, "/inputs/%zu", i);
    struct pingo_input *input = element;
    const char **const texts[] = {&input->name, &input->path, &input->uri, &input->version,
                                  &input->sha256};
    if (!pingo__workflow_read_is(r, entry, pointer, PINGO__JSON_OBJECT,
                                 "an object such as {\"name\": \"text\", \"path\": \"a.txt\"}")) {
        input->name = input->path = pingo__workflow_reported;
        return;
    }
    for (const struct pingo__json_value *v = pingo__json_first(entry); v; v = pingo__json_next(v)) {
        size_t key = which_key(v, keys, 6);
        const char *place = pingo__workflow_pointer_to_key(r->draft, pointer, pingo__json_key(v));
        if (key < 5)
            *texts[key] = pingo__workflow_read_text(r, v, place);
        else if (key == 5)
            input->identity = read_identity(r, v, place);
        else
            unknown_key(r, pointer, v, keys, 6);
    }
}

static void read_version(struct pingo_problem_sink *r, const struct pingo__json_value *v, size_t i,
                         void *element)
{
    const char *pointer = pingo__workflow_pointer(r->draft, "/versions/%zu", i);
    struct pingo_version_command *version = element;
    version->argv = &pingo__workflow_reported_list;
    if (pingo__workflow_read_is(r, v, pointer, PINGO__JSON_ARRAY,
                                "an array of a program and its arguments, such as "
                                "[\"samtools\", \"--version\"]"))
        version->argv = pingo__workflow_read_texts(r, v, pointer, &version->nargv);
}

/* ---- the keys that every action may have ------------------------------------------------ */

typedef struct pingo_problem_sink reader;
typedef const struct pingo__json_value json;

static void read_id(reader *r, json *v, struct pingo_action_spec *spec)
{
    static const struct pingo__workflow_range own_id = {0, PINGO_ID_MAX, PINGO__REPORTED_ID, true};
    spec->id = pingo__workflow_read_integer(r, v, "/id", &own_id);
}

static void read_parents(reader *r, json *v, struct pingo_action_spec *spec)
{
    static const struct list list = {"/parentActions",
                                     "an array such as [{\"id\": 1, \"as\": \"words.txt\"}]",
                                     sizeof *spec->parents, read_parent};
    spec->parents = read_list(r, v, &list, &spec->nparents);
}

static void read_inputs(reader *r, json *v, struct pingo_action_spec *spec)
{
    static const struct list list = {"/inputs",
                                     "an array such as [{\"name\": \"text\", \"path\": \"a.txt\"}]",
                                     sizeof *spec->inputs, read_input};
    spec->inputs = read_list(r, v, &list, &spec->ninputs);
}

static void read_versions(reader *r, json *v, struct pingo_action_spec *spec)
{
    static const struct list list = {"/versions",
                                     "an array of commands such as [[\"samtools\", \"--version\"]]",
                                     sizeof *spec->versions, read_version};
    spec->versions = read_list(r, v, &list, &spec->nversions);
}

static void read_tools(reader *r, json *v, struct pingo_action_spec *spec)
{
    spec->tools = pingo__workflow_read_texts(r, v, "/tools", &spec->ntools);
}

static void read_labels(reader *r, json *v, struct pingo_action_spec *spec)
{
    spec->labels = pingo__workflow_read_pairs(r, v, "/labels", &spec->nlabels);
}

static void read_options(reader *r, json *v, struct pingo_action_spec *spec)
{
    spec->executor_options = pingo__workflow_read_options(r, v);
}

static void read_force(reader *r, json *v, struct pingo_action_spec *spec)
{
    spec->force_computation = pingo__workflow_read_flag(r, v, "/forceComputation", false);
}

static void read_managed(reader *r, json *v, struct pingo_action_spec *spec)
{
    spec->unmanaged = !pingo__workflow_read_flag(r, v, "/isManaged", true);
}

static void read_keep(reader *r, json *v, struct pingo_action_spec *spec)
{
    if (pingo__workflow_read_is(r, v, "/keep", PINGO__JSON_BOOLEAN, "true or false"))
        spec->keep = pingo__json_is_true(v) ? PINGO_KEEP_ALWAYS : PINGO_KEEP_NEVER;
}

static void read_sandbox(reader *r, json *v, struct pingo_action_spec *spec)
{
    if (pingo__workflow_read_is(r, v, "/sandbox", PINGO__JSON_BOOLEAN, "true or false"))
        spec->sandbox = pingo__json_is_true(v) ? PINGO_SANDBOX_ON : PINGO_SANDBOX_OFF;
}

static void read_retries(reader *r, json *v, struct pingo_action_spec *spec)
{
    static const struct pingo__workflow_range range = {0, PINGO__RETRIES_MAX, 0, false};
    spec->retries = pingo__workflow_read_integer(r, v, "/retries", &range);
}

/* A number, or a list of numbers by the try. */
static void read_amount(reader *r, json *v, const struct pingo__workflow_amount *amount,
                        struct pingo_action_spec *spec)
{
    const struct pingo__workflow_range range = {amount->min, amount->max, amount->fallback, false};
    const struct pingo__workflow_range of_element = {amount->min, amount->max, amount->min, false};
    struct pingo_by_try *list = (struct pingo_by_try *)((char *)spec + amount->spec_list);
    if (pingo__json_kind(v) != PINGO__JSON_ARRAY) {
        *(int64_t *)((char *)spec + amount->spec) =
            pingo__workflow_read_integer(r, v, amount->pointer, &range);
        return;
    }
    int64_t *values = pingo__workflow_draft_array(r->draft, &r->draft->scratch,
                                                  pingo__workflow_read_count(v), sizeof *values);
    size_t n = 0;
    for (json *of = pingo__json_first(v); values && of; of = pingo__json_next(of), n++)
        values[n] = pingo__workflow_read_integer(
            r, of, pingo__workflow_pointer(r->draft, "%s/%zu", amount->pointer, n), &of_element);
    if (values && n == 0)
        pingo__workflow_report(
            r, amount->pointer,
            "the list is empty: write what the first try gets, and the next ones");
    *list = (struct pingo_by_try){values, n};
}

static void read_licences(reader *r, json *v, struct pingo_action_spec *spec)
{
    static const char pointer[] = "/resources/licences";
    static const struct pingo__workflow_range range = {1, PINGO__CPUS_MAX, 1, false};
    if (!pingo__workflow_read_is(r, v, pointer, PINGO__JSON_OBJECT,
                                 "an object of numbers such as {\"matlab\": 1}"))
        return;
    struct pingo_counter *licences = pingo__workflow_draft_array(
        r->draft, &r->draft->scratch, pingo__workflow_read_count(v), sizeof *licences);
    size_t n = 0;
    for (v = pingo__json_first(v); licences && v; v = pingo__json_next(v), n++) {
        const char *name = pingo__json_key(v);
        licences[n].name = name;
        licences[n].n = pingo__workflow_read_integer(
            r, v, pingo__workflow_pointer_to_key(r->draft, pointer, name), &range);
    }
    spec->licences = licences;
    spec->nlicences = n;
}

static void read_resources(reader *r, json *v, struct pingo_action_spec *spec)
{
    static const char *const keys[] = {"cpus", "memoryMB",    "timeLimitSeconds", "gpus",
                                       "grow", "maxMemoryMB", "licences"};
    static const struct pingo__workflow_range range = {1, PINGO__MEMORY_MB_MAX, 0, false};
    if (!pingo__workflow_read_is(r, v, "/resources", PINGO__JSON_OBJECT,
                                 "an object such as {\"cpus\": 2, \"memoryMB\": 500}"))
        return;
    for (v = pingo__json_first(v); v; v = pingo__json_next(v)) {
        size_t k = which_key(v, keys, 7);
        const struct pingo__workflow_amount *amount = pingo__workflow_amount(k);
        if (amount)
            read_amount(r, v, amount, spec);
        else if (k == 4)
            spec->no_growth = !pingo__workflow_read_flag(r, v, "/resources/grow", true);
        else if (k == 5)
            spec->max_memory_mb =
                pingo__workflow_read_integer(r, v, "/resources/maxMemoryMB", &range);
        else if (k == 6)
            read_licences(r, v, spec);
        else
            unknown_key(r, "/resources", v, keys, 7);
    }
}

/* In the order in which they are told.  read NULL: a text, at this place in a spec. */
static const struct common {
    const char *pointer; /* '/' and the key */
    void (*read)(reader *r, json *v, struct pingo_action_spec *spec);
    size_t text;
} commons[] = {
    {"/id", read_id, 0},
    {"/name", NULL, offsetof(struct pingo_action_spec, name)},
    {"/type", NULL, offsetof(struct pingo_action_spec, type)},
    {"/parentActions", read_parents, 0},
    {"/inputs", read_inputs, 0},
    {"/tools", read_tools, 0},
    {"/forceComputation", read_force, 0},
    {"/isManaged", read_managed, 0},
    {"/outputPath", NULL, offsetof(struct pingo_action_spec, output_path)},
    {"/salt", NULL, offsetof(struct pingo_action_spec, salt)},
    {"/resources", read_resources, 0},
    {"/retries", read_retries, 0},
    {"/keep", read_keep, 0},
    {"/versions", read_versions, 0},
    {"/executor", NULL, offsetof(struct pingo_action_spec, executor)},
    {"/executorOptions", read_options, 0},
    {"/sandbox", read_sandbox, 0},
    {"/labels", read_labels, 0},
};

const char *pingo__workflow_action_key(size_t i)
{
    return i < sizeof commons / sizeof *commons ? commons[i].pointer + 1 : NULL;
}

/* Reads a key that every action may have.  false: it is none. */
static bool read_common(reader *r, json *v, struct pingo_action_spec *spec)
{
    const char *key = pingo__json_key(v);
    for (const struct common *c = commons; c < commons + sizeof commons / sizeof *commons; c++) {
        /* Most keys differ in their first letter. */
        if (c->pointer[1] != key[0] || strcmp(c->pointer + 1, key) != 0)
            continue;
        if (c->read)
            c->read(r, v, spec);
        else
            *(const char **)((char *)spec + c->text) = pingo__workflow_read_text(r, v, c->pointer);
        return true;
    }
    return false;
}

/* ---- the type's own keys ------------------------------------------------------------------ */

/* The digits of a number; NULL where it is no integer, which is reported. */
static const char *read_number(struct pingo_problem_sink *r, const struct pingo__json_value *v)
{
    static const struct pingo__workflow_range any = {0, PINGO_ID_MAX, -1, false};
    const char *pointer = pingo__workflow_pointer(r->draft, "/%s", pingo__json_key(v));
    int64_t number = pingo__workflow_read_integer(r, v, pointer, &any);
    return number < 0 ? NULL : pingo__workflow_pointer(r->draft, "%lld", (long long)number);
}

/* The text, the flag or the number as the one value of a field; NULL where there is none. */
static const char *const *read_single(struct pingo_problem_sink *r,
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

void pingo__workflow_read_field(struct pingo_problem_sink *r, const struct pingo__json_value *v,
                                const struct pingo_key *key, struct pingo_field *field)
{
    struct pingo__workflow_draft *d = r->draft;
    enum pingo_field_kind kind = pingo__workflow_kind_of_json(pingo__json_kind(v));
    if ((key->kinds & 1u << kind) == 0) {
        pingo__workflow_report(
            r, pingo__workflow_pointer(d, "/%s", key->key), "\"%s\" must be %s, not %s", key->key,
            pingo__workflow_kind_words(d, key->kinds), pingo__json_kind_name(pingo__json_kind(v)));
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

static void read_members(struct pingo_problem_sink *r, const struct pingo__json_value *root,
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
    for (size_t i = 0; i < nothers; i++) {
        const struct pingo_key *key = pingo__workflow_type_key(type, pingo__json_key(others[i]));
        fields[i] = (struct pingo_field){pingo__json_key(others[i]), PINGO__REPORTED_KIND, NULL, 0};
        if (key) /* else the fields' rules know what to say */
            pingo__workflow_read_field(r, others[i], key, &fields[i]);
    }
    spec->fields = fields;
    spec->nfields = nothers;
}

void pingo__workflow_read_action(struct pingo__workflow_draft *d, size_t offset)
{
    struct pingo_problem_sink r = {d, d->workflow->nactions};
    struct pingo_action_spec spec = {.version = 1, .id = PINGO__REPORTED_ID};
    bool has_id = false;
    pingo__arena_reset(&d->scratch);
    const struct pingo__json_value *root = pingo__workflow_source_action(d->source, offset);
    if (!root) {
        d->no_memory = true;
        return;
    }
    if (pingo__json_kind(root) != PINGO__JSON_OBJECT) {
        pingo__workflow_report(&r, "", "an action must be an object, not %s",
                               pingo__json_kind_name(pingo__json_kind(root)));
        pingo__workflow_draft_add(d, NULL);
        return;
    }
    for (const struct pingo__json_value *v = pingo__json_first(root); v && !has_id;
         v = pingo__json_next(v))
        has_id = strcmp(pingo__json_key(v), "id") == 0;
    if (!has_id)
        pingo__workflow_report(&r, "", "\"id\" is missing: an action needs an integer of its own");
    read_members(&r, root, &spec);
    pingo__workflow_draft_add(d, &spec);
}
