/* openapi.c - the document of the API: openapi.json, in which stand the operations of the table of routes, and the
 * schemas of what the views write.
 *
 * Of an operation operations.json says what no table knows, below its tag: what it is for, and
 *   "query": of a name of the route what it means, where "parameters" does not tell it: a description, of a text or
 *       a list of texts, or an object with schema;
 *   "headers": which of "parameters" it takes besides;
 *   "isTagged": whether its answer has a tag, where not just what readers answer to GET has one;
 *   "requestBody", and "responses" by status, or that of 200 alone: the description, and behind that the schema or the
 *       media types; or the name of one of the components' responses; or the whole of it. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "json/reader.h"

/* A file as it is, with a NUL behind it. */
#define FILE_TEXT(name, path)                                                                      \
    extern const char name[];                                                                      \
    __asm__(".pushsection .rodata\n"                                                               \
            ".hidden " #name "\n"                                                                  \
            ".global " #name "\n" #name ":\n"                                                      \
            ".incbin \"" path "\"\n"                                                               \
            ".byte 0\n"                                                                            \
            ".popsection\n")
FILE_TEXT(serve_openapi, "cli/serve/api/openapi.json");
FILE_TEXT(serve_operations, "cli/serve/api/operations.json");

#define TEXT_SCHEMA "{\"type\":\"string\"}"
#define LIST_SCHEMA "{\"type\":\"array\",\"items\":" TEXT_SCHEMA "}"

/* By what name a schema refers to a view; of a list there is NAMEPage too. */
static const struct {
    const char *name, *page;
    const struct pingo__view_table *view;
} views[] = {
    {"Workflow", "WorkflowPage", &pingo__view_workflow},
    {"Group", "GroupPage", &pingo__view_group},
    {"Cost", NULL, &pingo__view_cost},
    {"CriticalStep", "CriticalStepPage", &pingo__view_critical},
    {"Neighbour", "NeighbourPage", &pingo__view_neighbour},
    {"Action", "ActionPage", &pingo__view_action},
    {"Attempt", "AttemptPage", &pingo__view_attempt},
    {"Ran", NULL, &pingo__view_ran},
    {"Why", NULL, &pingo__view_why},
    {"Dataset", "DatasetPage", &pingo__view_dataset},
    {"Origin", NULL, &pingo__view_origin},
    {"Usage", NULL, &pingo__view_usage},
    {"Eviction", "EvictionPage", &pingo__view_eviction},
    {"Report", NULL, &pingo__view_report},
    {"Decision", NULL, &pingo__view_decision},
    {"Submission", NULL, &pingo__view_submitted},
    {"Plan", NULL, &pingo__view_plan},
    {"Verdict", NULL, &pingo__view_verdict},
    {"Killed", NULL, &pingo__view_killed},
    {"Paused", NULL, &pingo__view_paused},
    {"Kept", NULL, &pingo__view_kept},
    {"Released", NULL, &pingo__view_released},
    {"Removed", NULL, &pingo__view_removed},
    {"Setting", "SettingPage", &pingo__view_setting},
    {"Change", NULL, &pingo__view_change},
    {"Token", "TokenPage", &pingo__view_token},
    {"Audit", "AuditPage", &pingo__view_audit},
    {"NewToken", NULL, &pingo__view_token_made},
    {"RevokedToken", NULL, &pingo__view_token_revoked},
    {"Error", "ErrorPage", &pingo__view_errors},
    {"FailedAttempt", "FailedAttemptPage", &pingo__view_failed},
    {"Used", "UsedPage", &pingo__view_used},
    {"ArchiveFile", "ArchivePage", &pingo__view_archive_file},
    {"Share", "SharePage", &pingo__view_share},
    {"Me", NULL, &pingo__view_me},
    {"Version", NULL, &pingo__view_server},
    {"Status", NULL, &pingo__view_health},
    {"WorkflowProblem", NULL, &pingo__view_problem},
};

static void put_page(struct pingo__writer *w, const char *name, const char *page)
{
    char schema[320];
    snprintf(
        schema, sizeof schema,
        "{\"type\":\"object\",\"properties\":{\"items\":{\"type\":\"array\",\"items\":{\"$ref\":"
        "\"#/components/schemas/%s\"}},\"next\":{\"type\":[\"string\",\"null\"]}},"
        "\"required\":[\"items\",\"next\"],\"additionalProperties\":false}",
        name);
    pingo__writer_raw(w, page, schema);
}

struct document {
    struct serve_ask *ask;
    struct pingo__json_reader reader; /* of operations.json, */
    const struct pingo__json_value *root;
    struct pingo__writer w;
};

/* ---- an operation -------------------------------------------------------------------------------- */

static void put_raw(struct document *d, const char *key, const struct pingo__json_value *v)
{
    size_t n = 0;
    const char *text = pingo__json_spelling(&d->reader.element, v, &n);
    text = text ? pingo__arena_text(d->ask->arena, text, n) : NULL;
    pingo__writer_raw(&d->w, key, text ? text : "");
    d->w.out.failed = d->w.out.failed || !text;
}

static void put_ref(struct document *d, const char *key, const char *where, const char *name)
{
    char ref[128];
    snprintf(ref, sizeof ref, "#/components/%s/%s", where, name);
    pingo__writer_open(&d->w, key, PINGO__WRITER_OBJECT);
    pingo__writer_text(&d->w, "$ref", ref);
    pingo__writer_close(&d->w);
}

/* own: what the operation says of it; NULL.  schema: of what is only described. */
static void put_parameter(struct document *d, const char *in, const char *name,
                          const struct pingo__json_value *own, const char *schema)
{
    char key[128];
    snprintf(key, sizeof key, "parameters.%s %s", in, name);
    const struct pingo__json_value *v = own ? own : pingo__json_at(d->root, key);
    pingo__writer_open(&d->w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&d->w, "name", name);
    pingo__writer_text(&d->w, "in", in);
    if (strcmp(in, "path") == 0)
        pingo__writer_flag(&d->w, "required", true);
    if (pingo__json_text(v)) {
        pingo__writer_text(&d->w, "description", pingo__json_text(v));
        pingo__writer_raw(&d->w, "schema", schema);
    }
    for (const struct pingo__json_value *m = pingo__json_first(v); m; m = pingo__json_next(m))
        put_raw(d, pingo__json_key(m), m);
    pingo__writer_close(&d->w);
}

static void put_parameters(struct document *d, const struct serve_route *r,
                           const struct pingo__json_value *op, bool is_tagged)
{
    char name[64];
    const struct pingo__json_value *query = pingo__json_at(op, "query");
    pingo__writer_open(&d->w, "parameters", PINGO__WRITER_ARRAY);
    for (const char *at = r->pattern; (at = strchr(at, '{')); at++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "}") - 1, at + 1);
        put_parameter(d, "path", name, NULL, TEXT_SCHEMA);
    }
    for (const char *at = r->names ? r->names : ""; *at; at += strspn(at, "*|")) {
        size_t n = strcspn(at, "*|");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n;
        put_parameter(d, "query", name, pingo__json_at(query, name),
                      *at == '*' ? LIST_SCHEMA : TEXT_SCHEMA);
    }
    if (is_tagged)
        put_parameter(d, "header", "If-None-Match", NULL, TEXT_SCHEMA);
    for (const struct pingo__json_value *v = pingo__json_first(pingo__json_at(op, "headers")); v;
         v = pingo__json_next(v))
        put_parameter(d, "header", pingo__json_text(v), NULL, TEXT_SCHEMA);
    pingo__writer_close(&d->w);
}

/* "DESCRIPTION", and of what it is. */
static void put_content(struct document *d, const struct pingo__json_value *v)
{
    pingo__writer_text(&d->w, "description", pingo__json_text(v));
    pingo__writer_open(&d->w, "content", PINGO__WRITER_OBJECT);
    while ((v = pingo__json_next(v))) {
        const char *what = pingo__json_text(v);
        bool is_type = strchr(what, '/');
        pingo__writer_open(&d->w, is_type ? what : "application/json", PINGO__WRITER_OBJECT);
        if (is_type)
            pingo__writer_raw(&d->w, "schema", TEXT_SCHEMA);
        else
            put_ref(d, "schema", "schemas", what);
        pingo__writer_close(&d->w);
    }
    pingo__writer_close(&d->w);
}

/* An answer or a body: one of the components, by its name; or what it is. */
static void put_given(struct document *d, const char *key, const struct pingo__json_value *v,
                      bool is_tagged)
{
    if (pingo__json_text(v)) {
        put_ref(d, key, "responses", pingo__json_text(v));
    } else if (pingo__json_kind(v) == PINGO__JSON_OBJECT) {
        put_raw(d, key, v);
    } else {
        pingo__writer_open(&d->w, key, PINGO__WRITER_OBJECT);
        put_content(d, pingo__json_first(v));
        if (strcmp(key, "requestBody") == 0)
            pingo__writer_flag(&d->w, "required", true);
        if (is_tagged && strcmp(key, "200") == 0) {
            pingo__writer_open(&d->w, "headers", PINGO__WRITER_OBJECT);
            put_ref(d, "ETag", "headers", "ETag");
            pingo__writer_close(&d->w);
        }
        pingo__writer_close(&d->w);
    }
}

static void put_responses(struct document *d, const struct pingo__json_value *op, bool is_tagged)
{
    const struct pingo__json_value *all = pingo__json_at(op, "responses");
    bool is_one = all && pingo__json_kind(all) == PINGO__JSON_ARRAY;
    pingo__writer_open(&d->w, "responses", PINGO__WRITER_OBJECT);
    if (is_one)
        put_given(d, "200", all, is_tagged);
    for (const struct pingo__json_value *v = is_one ? NULL : pingo__json_first(all); v;
         v = pingo__json_next(v))
        put_given(d, pingo__json_key(v), v, is_tagged);
    if (is_tagged)
        put_ref(d, "304", "responses", "NotModified");
    put_ref(d, "4XX", "responses", "Problem");
    put_ref(d, "5XX", "responses", "Problem");
    pingo__writer_close(&d->w);
}

static void put_operation(struct document *d, const struct serve_route *r)
{
    char method[8] = "";
    const struct pingo__json_value *tag = pingo__json_first(pingo__json_at(d->root, "operations"));
    while (tag && !pingo__json_at(tag, r->operation))
        tag = pingo__json_next(tag);
    const struct pingo__json_value *op = pingo__json_at(tag, r->operation);
    const struct pingo__json_value *body = pingo__json_at(op, "requestBody");
    const char *description = pingo__json_text_at(op, "description", NULL);
    const struct pingo__json_value *tagged = pingo__json_at(op, "isTagged");
    bool is_tagged = tagged ? pingo__json_is_true(tagged)
                            : strcmp(r->method, "GET") == 0 && r->by == SERVE_BY_READER;
    for (size_t i = 0; r->method[i]; i++)
        method[i] = (char)tolower((unsigned char)r->method[i]);
    pingo__writer_open(&d->w, method, PINGO__WRITER_OBJECT);
    pingo__writer_text(&d->w, "operationId", r->operation);
    pingo__writer_open(&d->w, "tags", PINGO__WRITER_ARRAY);
    pingo__writer_text(&d->w, NULL, tag ? pingo__json_key(tag) : "");
    pingo__writer_close(&d->w);
    pingo__writer_text(&d->w, "summary", pingo__json_text_at(op, "summary", ""));
    if (description)
        pingo__writer_text(&d->w, "description", description);
    put_parameters(d, r, op, is_tagged);
    if (body)
        put_given(d, "requestBody", body, false);
    put_responses(d, op, is_tagged);
    if (r->role == SERVE_NOBODY)
        pingo__writer_raw(&d->w, "security", "[]");
    else
        pingo__writer_text(&d->w, "x-role", pingo_role_name((enum pingo_role)r->role));
    pingo__writer_close(&d->w);
}

/* ---- the document -------------------------------------------------------------------------------- */

/* Each path where the table has it first. */
static void put_paths(struct document *d)
{
    for (const struct serve_route *r = serve_routes; r->method; r++) {
        const struct serve_route *first = serve_routes, *other = r;
        while (strcmp(first->pattern, r->pattern) != 0)
            first++;
        if (first != r)
            continue;
        pingo__buffer_char(&d->w.out, '\n');
        pingo__writer_open(&d->w, r->pattern, PINGO__WRITER_OBJECT);
        for (; other->method; other++)
            if (strcmp(other->pattern, r->pattern) == 0)
                put_operation(d, other);
        pingo__writer_close(&d->w);
    }
}

static void put_schemas(struct document *d)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        pingo__view_schema_of(&d->w, views[i].name, views[i].view);
        if (views[i].page)
            put_page(&d->w, views[i].name, views[i].page);
    }
}

/* Puts what comes before a place in openapi.json, and there the members that fn writes; *at: behind it. */
static void fill(struct document *d, const char **at, const char *place,
                 void (*fn)(struct document *d))
{
    struct pingo__buffer *body = &d->ask->answer->body;
    const char *here = strstr(*at, place);
    pingo__buffer_append(body, *at, (size_t)(here - *at));
    pingo__writer_open(&d->w, NULL, PINGO__WRITER_OBJECT);
    fn(d);
    if (!d->w.out.failed) /* without its brace; the other is that of the file */
        pingo__buffer_append(body, d->w.out.data + 1, d->w.out.length - 1);
    body->failed = body->failed || d->w.out.failed;
    pingo__writer_clear(&d->w);
    d->w = (struct pingo__writer){0};
    *at = here + strlen(place);
}

void serve_api_openapi(struct serve_ask *ask)
{
    struct document d = {.ask = ask};
    const char *at = serve_openapi;
    serve_end(ask, pingo__json_reader_open(&d.reader, serve_operations, strlen(serve_operations),
                                           "operations.json", ask->err));
    if (!ask->is_wrong)
        d.root = pingo__json_reader_value(&d.reader, d.reader.document.offset, "");
    if (d.root) {
        fill(&d, &at, "\"@PATHS@\": {}", put_paths);
        fill(&d, &at, "\"@VIEWS@\": {}", put_schemas);
        pingo__buffer_text(&ask->answer->body, at);
    }
    serve_end(ask, d.reader.rc);
    pingo__json_reader_clear(&d.reader);
}
