/* mapreduce_plan.c - a MapReduce job as Hadoop's properties; see mapreduce.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "executor/hadoop/mapreduce.h"
#include "json/reader.h"
#include "workflow/types/map_reduce.h"

#define ASKED "pingo.asked" /* the names of what must be as we say */

typedef struct pingo__json_value value;

bool pingo__executor_hadoop_plan_set(struct pingo__executor_hadoop_plan *plan, const char *name,
                                     const char *text)
{
    size_t i = 0;
    while (i < plan->nproperties && strcmp(plan->properties[i].name, name) != 0)
        i++;
    if (!text || (i == plan->nproperties &&
                  !PINGO__ARENA_ROOM(plan->arena, plan->properties, i, plan->capacity)))
        return false;
    struct pingo__executor_hadoop_property *p = &plan->properties[i];
    p->name = pingo__arena_text(plan->arena, name, strlen(name));
    p->value = pingo__arena_text(plan->arena, text, strlen(text));
    plan->nproperties += i == plan->nproperties;
    return p->name && p->value;
}

/* ---- what the action says ------------------------------------------------------------------------ */

static bool take_list(struct pingo__executor_hadoop_plan *plan, const value *list,
                      const char ***texts, size_t *n)
{
    size_t capacity = 0;
    *n = 0;
    for (const value *v = pingo__json_first(list); v; v = pingo__json_next(v)) {
        const char *text = pingo__json_kind(v) == PINGO__JSON_STRING ? pingo__json_text(v) : "";
        if (!PINGO__ARENA_ROOM(plan->arena, *texts, *n, capacity) ||
            !((*texts)[*n] = pingo__arena_text(plan->arena, text, strlen(text))))
            return false;
        (*n)++;
    }
    return true;
}

static bool take(struct pingo__executor_hadoop_plan *plan, const char *key, const value *v)
{
    bool well = true;
    if (strcmp(key, "configuration") == 0)
        for (v = pingo__json_first(v); v && well; v = pingo__json_next(v))
            well = pingo__json_kind(v) == PINGO__JSON_STRING &&
                   pingo__executor_hadoop_plan_set(plan, pingo__json_key(v), pingo__json_text(v));
    else if (strcmp(key, "streaming") == 0)
        plan->streaming = pingo__json_kind(v) == PINGO__JSON_BOOLEAN && pingo__json_is_true(v);
    else if (strcmp(key, "libs") == 0)
        well = take_list(plan, v, &plan->libs, &plan->nlibs);
    else if (strcmp(key, "input") == 0)
        plan->has_input = well = take_list(plan, v, &plan->input, &plan->ninput);
    else if (strcmp(key, "jar") == 0 && pingo__json_kind(v) == PINGO__JSON_STRING)
        well = (plan->jar = pingo__arena_text(plan->arena, pingo__json_text(v),
                                              strlen(pingo__json_text(v))));
    return well;
}

int pingo__executor_hadoop_plan_read(struct pingo__executor_hadoop_plan *plan, const char *payload,
                                     struct pingo_error *err)
{
    struct pingo__json_reader r;
    bool well = true;
    int rc = pingo__json_reader_open(&r, payload, strlen(payload), "a MapReduce job", err);
    for (size_t i = 0; !rc && well && i < r.document.nmembers; i++) {
        const struct pingo__json_member *m = &r.document.members[i];
        const value *v = pingo__json_reader_value(&r, m->offset, "");
        well = v && take(plan, m->key, v);
    }
    pingo__json_reader_clear(&r);
    plan->nhashed = plan->nproperties;
    return rc || well ? rc : pingo__fail_memory(err);
}

bool pingo__executor_hadoop_plan_note(struct pingo__executor_hadoop_plan *plan)
{
    static const char *const ours[] = {"mapreduce.output.fileoutputformat.outputdir",
                                       "mapreduce.input.fileinputformat.inputdir",
                                       "mapreduce.job.cache.files",
                                       "mapreduce.job.jar",
                                       "tmpjars",
                                       "mapreduce.fileoutputcommitter.algorithm.version",
                                       "mapreduce.fileoutputcommitter.marksuccessfuljobs",
                                       "yarn.app.mapreduce.am.staging-dir",
                                       "mapreduce.jobhistory.intermediate-done-dir",
                                       "mapreduce.jobhistory.jhist.format"};
    struct pingo__buffer names = {0};
    for (size_t i = 0; i < plan->nhashed; i++)
        pingo__buffer_format(&names, "%s ", plan->properties[i].name);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        pingo__buffer_format(&names, "%s ", ours[i]);
    bool well = pingo__executor_hadoop_plan_set(plan, ASKED, pingo__buffer_cstr(&names));
    pingo__buffer_clear(&names);
    return well;
}

/* ---- executorOptions -------------------------------------------------------------------------------- */

/* Hadoop's name of an option; NULL: it is none. */
static const char *property_of(const char *key)
{
    static const char *const names[][2] = {{"queue", "mapreduce.job.queuename"},
                                           {"priority", "mapreduce.job.priority"},
                                           {"nodeLabel", "mapreduce.job.node-label-expression"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], key) == 0)
            return names[i][1];
    return strchr(key, '.') ? key : NULL;
}

static int take_option(struct pingo__executor_hadoop_plan *plan, struct pingo__json_reader *r,
                       const struct pingo__json_member *m)
{
    const char *name = property_of(m->key), *ours, *text = NULL;
    const value *v = pingo__json_reader_value(r, m->offset, "");
    size_t n = 0;
    if (!v)
        return PINGO_ENOMEM;
    enum pingo__workflow_property_owner owner =
        name ? pingo__workflow_property_owner(name, &ours) : PINGO__PROPERTY_FREE;
    if (!name || owner == PINGO__PROPERTY_KEYS || owner == PINGO__PROPERTY_RUNS)
        return pingo__fail(
            r->err, PINGO_EINVAL,
            "executorOptions: a MapReduce action takes queue, nodeLabel, priority and "
            "properties of Hadoop's that say how it runs; not \"%.60s\"",
            m->key);
    for (size_t i = 0; i < plan->nhashed; i++)
        if (strcmp(plan->properties[i].name, name) == 0)
            return pingo__fail(r->err, PINGO_EINVAL,
                               "executorOptions: %.80s stands in the action's \"configuration\", "
                               "and is hashed: leave it out of one of them",
                               name);
    if (m->kind == PINGO__JSON_NUMBER)
        text = pingo__json_spelling(&r->element, v, &n);
    else if (m->kind == PINGO__JSON_STRING)
        n = strlen(text = pingo__json_text(v));
    text = text ? pingo__arena_text(plan->arena, text, n) : NULL;
    return pingo__executor_hadoop_plan_set(plan, name, text) ? 0 : pingo__fail_memory(r->err);
}

int pingo__executor_hadoop_plan_options(struct pingo__executor_hadoop_plan *plan, const char *json,
                                        struct pingo_error *err)
{
    struct pingo__json_reader r;
    if (!json)
        return 0;
    int rc = pingo__json_reader_open(&r, json, strlen(json), "executorOptions", err);
    for (size_t i = 0; !rc && i < r.document.nmembers; i++)
        rc = take_option(plan, &r, &r.document.members[i]);
    pingo__json_reader_clear(&r);
    return rc;
}

/* ---- links --------------------------------------------------------------------------------------------- */

static bool is_among(const char *const *names, size_t n, const char *name)
{
    while (n > 0 && strcmp(names[n - 1], name) != 0)
        n--;
    return n > 0;
}

enum pingo__executor_hadoop_use pingo__executor_hadoop_plan_use(
    const struct pingo__executor_hadoop_plan *plan, const char *link)
{
    if (plan->has_input && is_among(plan->input, plan->ninput, link))
        return PINGO__HADOOP_IS_DATA;
    if ((plan->jar && strcmp(plan->jar, link) == 0) || is_among(plan->libs, plan->nlibs, link))
        return PINGO__HADOOP_IS_CLASSES;
    return plan->has_input ? PINGO__HADOOP_IS_BESIDE : PINGO__HADOOP_IS_DATA;
}

/* ---- XML ------------------------------------------------------------------------------------------------ */

static const struct {
    char c;
    const char *entity;
} entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'\n', "&#10;"}, {'\t', "&#9;"}};
#define ENTITIES (sizeof entities / sizeof *entities)

static void put_escaped(struct pingo__buffer *b, const char *text)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < ENTITIES && entities[i].c != *text)
            i++;
        if (i < ENTITIES)
            pingo__buffer_text(b, entities[i].entity);
        else
            pingo__buffer_char(b, *text);
    }
}

void pingo__executor_hadoop_plan_xml(const struct pingo__executor_hadoop_plan *plan,
                                     struct pingo__buffer *b)
{
    pingo__buffer_text(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n");
    for (size_t i = 0; i < plan->nproperties; i++) {
        pingo__buffer_text(b, "<property><name>");
        put_escaped(b, plan->properties[i].name);
        pingo__buffer_text(b, "</name><value>");
        put_escaped(b, plan->properties[i].value);
        pingo__buffer_text(b, "</value></property>\n");
    }
    pingo__buffer_text(b, "</configuration>\n");
}

/* ---- what Hadoop has made of it -------------------------------------------------------------------------- */

/* A property in such a text: as it stands there, up to the next '<'. */
struct element {
    const char *name, *value, *end;
};

/* NULL: not within it. */
static const char *find_within(const struct element *e, const char *words)
{
    return memmem(e->name, (size_t)(e->end - e->name), words, strlen(words));
}

static bool next_element(const char **at, struct element *e)
{
    const char *name = strstr(*at, "<name>"), *end = name ? strstr(name, "</property>") : NULL;
    if (!end)
        return false;
    *e = (struct element){.name = name + 6, .end = end};
    const char *full = find_within(e, "<value>");
    e->value = full ? full + 7 : find_within(e, "<value/>");
    *at = end;
    return true;
}

static bool is_called(const struct element *e, const char *name, size_t n)
{
    return strncmp(e->name, name, n) == 0 && e->name[n] == '<';
}

/* "&#128512;": what no unit of UTF-16 is alone, Java writes by its number.  Behind it. */
static const char *put_number(const char *at, struct pingo__buffer *text)
{
    char *end;
    unsigned long c = strtoul(at + 2, &end, 10);
    int rest = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    pingo__buffer_char(text, (char)(first[rest] | (unsigned char)(c >> 6 * rest)));
    while (rest-- > 0)
        pingo__buffer_char(text, (char)(0x80 | (c >> 6 * rest & 0x3f)));
    return *end == ';' ? end + 1 : end;
}

static void put_plain(const char *from, struct pingo__buffer *text)
{
    while (from && *from && *from != '<') {
        size_t i = 0;
        while (i < ENTITIES && strncmp(from, entities[i].entity, strlen(entities[i].entity)) != 0)
            i++;
        if (i == ENTITIES && strncmp(from, "&#", 2) == 0) {
            from = put_number(from, text);
            continue;
        }
        pingo__buffer_char(text, i < ENTITIES ? entities[i].c : *from);
        from += i < ENTITIES ? strlen(entities[i].entity) : 1;
    }
}

static bool find_element(const char *xml, const char *name, size_t n, struct element *e)
{
    while (next_element(&xml, e))
        if (is_called(e, name, n))
            return e->value;
    return false;
}

bool pingo__executor_hadoop_xml_find(const char *xml, const char *name, struct pingo__buffer *text)
{
    struct element e;
    bool found = find_element(xml, name, strlen(name), &e);
    if (found)
        put_plain(e.value, text);
    return found;
}

static bool is_same(const struct element *a, const struct pingo__buffer *wanted)
{
    struct pingo__buffer text = {0};
    put_plain(a->value, &text);
    bool same = text.length == wanted->length &&
                (!text.length || memcmp(text.data, wanted->data, text.length) == 0);
    pingo__buffer_clear(&text);
    return same;
}

/* Under an older name Hadoop does not keep it: a property that ours has not has the value, and is said to come from
 * ours. */
static bool is_renamed(const char *ours, const char *theirs, const char *source,
                       const struct pingo__buffer *wanted)
{
    struct element e, same;
    while (next_element(&theirs, &e))
        if (find_within(&e, source) && is_same(&e, wanted) &&
            !find_element(ours, e.name, strcspn(e.name, "<"), &same))
            return true;
    return false;
}

bool pingo__executor_hadoop_xml_is_kept(const char *ours, const char *theirs, const char *source,
                                        char why[200])
{
    struct pingo__buffer asked = {0}, wanted = {0}, given = {0};
    struct element e;
    bool kept = true;
    pingo__executor_hadoop_xml_find(ours, ASKED, &asked);
    const char *name = pingo__buffer_cstr(&asked);
    for (size_t n; kept && name && *name; name += n + (name[n] == ' ')) {
        n = strcspn(name, " ");
        pingo__buffer_reset(&wanted);
        pingo__buffer_reset(&given);
        if (!find_element(ours, name, n, &e))
            continue;
        put_plain(e.value, &wanted);
        if (find_element(theirs, name, n, &e))
            kept = !find_within(&e, "<final>true<") || is_same(&e, &wanted);
        else if ((kept = is_renamed(ours, theirs, source, &wanted)))
            continue;
        else
            e.value = NULL;
        put_plain(e.value, &given);
        const char *is = e.value ? pingo__buffer_cstr(&given) : "something else",
                   *was = pingo__buffer_cstr(&wanted);
        if (!kept)
            snprintf(why, 200,
                     "%.*s is \"%.30s\", and \"%.30s\" was asked for: the cluster marks it final",
                     n > 70 ? 70 : (int)n, name, is ? is : "", was ? was : "");
    }
    pingo__buffer_clear(&asked);
    pingo__buffer_clear(&wanted);
    pingo__buffer_clear(&given);
    return kept;
}
