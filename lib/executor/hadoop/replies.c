/* replies.c - see rm.h. */
#include "executor/hadoop/rm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "json/value.h"

typedef struct pingo__json_value value;

static const char *text(const value *object, const char *keys)
{
    return pingo__json_text_at(object, keys, "");
}

static int64_t number(struct pingo__json_element *e, const value *object, const char *key)
{
    return pingo__json_integer_at(e, object, key, 0);
}

/* The whole part of a number from 0 to 100. */
static int64_t percent(struct pingo__json_element *e, const value *object, const char *key)
{
    const value *v = pingo__json_at(object, key);
    size_t n;
    const char *digits =
        v && pingo__json_kind(v) == PINGO__JSON_NUMBER ? pingo__json_spelling(e, v, &n) : NULL;
    int64_t whole = digits ? strtoll(digits, NULL, 10) : 0;
    return whole < 0 ? 0 : whole > 100 ? 100 : whole;
}

/* Of a list that is an array, one that is its only element, or nothing. */
static const value *first(const value *list)
{
    if (!list || pingo__json_kind(list) == PINGO__JSON_OBJECT)
        return list;
    return pingo__json_kind(list) == PINGO__JSON_ARRAY ? pingo__json_first(list) : NULL;
}

static const value *next(const value *list, const value *one)
{
    return one == list ? NULL : pingo__json_next(one);
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

/* One line, fit to be shown. */
static void copy_shown(char *to, size_t size, const char *from)
{
    struct pingo__buffer line = {0};
    bool was_space = true;
    for (const char *c = from; *c && line.length < 4 * size; c++) {
        bool is_space = *c == ' ' || *c == '\n' || *c == '\t' || *c == '\r';
        if (!is_space || !was_space)
            pingo__buffer_char(&line, is_space ? ' ' : *c);
        was_space = is_space;
    }
    while (line.length && line.data[line.length - 1] == ' ')
        line.length--;
    const char *all = pingo__buffer_cstr(&line);
    pingo__text_clean_to(to, size, all ? all : "");
    pingo__buffer_clear(&line);
}

/* ---- applications ------------------------------------------------------------------------------- */

static enum pingo__executor_hadoop_state state_of(const char *state, const char *final)
{
    static const struct {
        const char *state, *final;
        enum pingo__executor_hadoop_state is;
    } rows[] = {
        {"RUNNING", NULL, PINGO__HADOOP_RUNS},
        {"FINISHED", "SUCCEEDED", PINGO__HADOOP_SUCCEEDED},
        {"FINISHED", "KILLED", PINGO__HADOOP_KILLED},
        {"FINISHED", NULL, PINGO__HADOOP_FAILED},
        {"FAILED", NULL, PINGO__HADOOP_FAILED},
        {"KILLED", NULL, PINGO__HADOOP_KILLED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].state, state) == 0 &&
            (!rows[i].final || strcmp(rows[i].final, final) == 0))
            return rows[i].is;
    return PINGO__HADOOP_WAITS;
}

/* "http://HOST:PORT/node/containerlogs/CONTAINER/USER" */
static void find_master(const value *v, struct pingo__executor_hadoop_app *app)
{
    static const char mark[] = "/containerlogs/";
    char container[PINGO__HADOOP_ID_SIZE] = "", application[PINGO__HADOOP_ID_SIZE];
    const char *at = strstr(text(v, "amContainerLogs"), mark);
    size_t n = at ? strcspn(at + strlen(mark), "/") : 0;
    if (n < sizeof container)
        snprintf(container, sizeof container, "%.*s", (int)n, at ? at + strlen(mark) : "");
    if (!pingo__executor_hadoop_application_of(container, application) ||
        strcmp(application, app->id) != 0)
        return;
    copy(app->master, sizeof app->master, container);
    copy(app->master_node, sizeof app->master_node, text(v, "amHostHttpAddress"));
}

static void tell_app(struct pingo__json_element *e, const value *v,
                     const struct pingo__executor_hadoop_on *on)
{
    struct pingo__executor_hadoop_app app = {.state = PINGO__HADOOP_UNHEARD};
    const char *state = text(v, "state");
    if (!on->app || !*state || !pingo__executor_hadoop_is_application(text(v, "id")))
        return;
    copy(app.id, sizeof app.id, text(v, "id"));
    app.state = state_of(state, text(v, "finalStatus"));
    copy_shown(app.diagnostics, sizeof app.diagnostics, text(v, "diagnostics"));
    int64_t submitted_ms = number(e, v, "startedTime"), launched_ms = number(e, v, "launchTime");
    app.started_ms = launched_ms > 0 ? launched_ms : submitted_ms; /* older ones do not tell it */
    app.ran_ms = submitted_ms + number(e, v, "elapsedTime") - app.started_ms;
    app.ended_ms = number(e, v, "finishedTime");
    app.percent = percent(e, v, "progress");
    find_master(v, &app);
    on->app(on->context, &app);
}

static void tell_apps(struct pingo__json_element *e, const value *apps,
                      const struct pingo__executor_hadoop_on *on)
{
    const value *list = pingo__json_at(apps, "app");
    for (const value *v = first(list); v; v = next(list, v))
        tell_app(e, v, on);
}

static void tell_nodes(const value *nodes, const struct pingo__executor_hadoop_on *on,
                       struct pingo__executor_hadoop_reply *reply)
{
    const value *list = pingo__json_at(nodes, "node");
    for (const value *v = first(list); v; v = next(list, v)) {
        bool runs = strcmp(text(v, "state"), "RUNNING") == 0;
        reply->nodes += runs;
        reply->has_node =
            reply->has_node || (runs && on->node && strcmp(text(v, "id"), on->node) == 0);
    }
}

static void search_queues(const value *queue, const char *wanted, int depth,
                          struct pingo__executor_hadoop_reply *r)
{
    const value *list = pingo__json_at(queue, "queues.queue");
    const value *below = pingo__json_at(queue, "childQueues.queue"); /* the fair scheduler's */
    const char *name = text(queue, "queueName"), *state = text(queue, "state");
    list = list ? list : below;
    if (strcmp(name, wanted) == 0 || strcmp(text(queue, "queuePath"), wanted) == 0)
        r->queue = first(list)                               ? PINGO__HADOOP_QUEUE_PARENT
                   : *state && strcmp(state, "RUNNING") != 0 ? PINGO__HADOOP_QUEUE_STOPPED
                                                             : PINGO__HADOOP_QUEUE_FINE;
    size_t n = strlen(r->queues);
    if (*name && !first(list) && n + strlen(name) + 3 < sizeof r->queues)
        snprintf(r->queues + n, sizeof r->queues - n, "%s%s", n ? ", " : "", name);
    if (depth < PINGO__JSON_DEPTH)
        for (const value *v = first(list); v; v = next(list, v))
            search_queues(v, wanted, depth + 1, r);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void take(struct pingo__json_element *e, const char *key,
                 const struct pingo__executor_hadoop_on *on, struct pingo__executor_hadoop_reply *r)
{
    const value *v = e->root;
    if (strcmp(key, "app") == 0) {
        tell_app(e, v, on);
    } else if (strcmp(key, "apps") == 0) {
        tell_apps(e, v, on);
    } else if (strcmp(key, "nodes") == 0) {
        tell_nodes(v, on, r);
    } else if (strcmp(key, "RemoteException") == 0) {
        copy(r->exception, sizeof r->exception, text(v, "exception"));
        copy_shown(r->message, sizeof r->message, text(v, "message"));
        if (!*r->exception)
            copy(r->exception, sizeof r->exception, "an exception without a name");
    } else if (strcmp(key, "maximum-resource-capability") == 0) {
        r->memory_mb = number(e, v, "memory");
        r->vcores = number(e, v, "vCores");
    } else if (strcmp(key, "clusterInfo") == 0) {
        r->started_ms = number(e, v, "startedOn");
        copy(r->version, sizeof r->version, text(v, "hadoopVersion"));
    } else if (strcmp(key, "scheduler") == 0 && on->queue) {
        const value *info = pingo__json_at(v, "schedulerInfo"),
                    *root = pingo__json_at(info, "rootQueue");
        search_queues(root ? root : info, on->queue, 0, r);
    } else if (strcmp(key, "container") == 0) {
        copy(r->state, sizeof r->state, text(v, "state"));
    } else if (pingo__json_kind(v) == PINGO__JSON_STRING) {
        if (strcmp(key, "application-id") == 0 &&
            pingo__executor_hadoop_is_application(pingo__json_text(v)))
            copy(r->id, sizeof r->id, pingo__json_text(v));
        else if (strcmp(key, "state") == 0)
            copy(r->state, sizeof r->state, pingo__json_text(v));
    }
}

int pingo__executor_hadoop_reply_read(const char *bytes, size_t length,
                                      const struct pingo__executor_hadoop_on *on,
                                      struct pingo__executor_hadoop_reply *reply)
{
    static const struct pingo__executor_hadoop_on nobody;
    struct pingo__json_document d;
    struct pingo__json_element e = {.document = &d};
    int rc = pingo__json_open_foreign(&d, bytes, length);
    *reply = (struct pingo__executor_hadoop_reply){.is_read = !rc && d.kind == PINGO__JSON_OBJECT};
    for (size_t i = 0; reply->is_read && i < d.nmembers; i++) {
        if (!pingo__json_element_open(&e, d.members[i].offset))
            rc = PINGO_ENOMEM;
        else
            take(&e, d.members[i].key, on ? on : &nobody, reply);
    }
    pingo__json_element_clear(&e);
    pingo__json_close(&d);
    return rc == PINGO_ENOMEM ? rc : 0;
}

bool pingo__executor_hadoop_is_gone(const struct pingo__executor_hadoop_reply *reply, const char *id)
{
    const char *at = strstr(reply->message, id);
    return reply->status == 404 && reply->is_read &&
           strcmp(reply->exception, "NotFoundException") == 0 && at &&
           strstr(at + strlen(id), "not found");
}

/* ---- diagnostics ---------------------------------------------------------------------------------- */

int pingo__executor_hadoop_exit_code(const char *diagnostics)
{
    static const char *const said[] = {"Exit code: ", "exitCode: "};
    char digits[12];
    int64_t code;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const char *at = strstr(diagnostics, said[i]);
        at = at ? at + strlen(said[i]) : "";
        size_t n = strspn(at, "-0123456789");
        snprintf(digits, sizeof digits, "%.*s", (int)(n < sizeof digits ? n : 0), at);
        if (n && pingo__text_to_int64(digits, -INT32_MAX, INT32_MAX, &code))
            return (int)code;
    }
    return -1;
}

bool pingo__executor_hadoop_was_memory(const char *diagnostics)
{
    return strstr(diagnostics, "memory limit") && strstr(diagnostics, "beyond");
}

bool pingo__executor_hadoop_task_was_memory(const char *log, const char *attempt, const char **line)
{
    const char *number = strrchr(attempt, '_'); /* attempt_1_2_m_3_0, _1, ... are of one task */
    char report[PINGO__HADOOP_ID_SIZE + 80], text[400];
    snprintf(report, sizeof report, "Diagnostics report from %.*s",
             number ? (int)(number + 1 - attempt) : 0, attempt);
    for (const char *at = log; number && (at = strstr(at, report)); at++) {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "\n"), at);
        *line = strstr(at, "Container [");
        if (*line && pingo__executor_hadoop_was_memory(text))
            return true;
    }
    return false;
}

bool pingo__executor_hadoop_was_away(const char *text)
{
    static const char *const words[] = {"ailed on local exception: ", /* DestHost:destPort ... */
                                        "End of File Exception between local host is",
                                        ".namenode.SafeModeException", ".ipc.StandbyException",
                                        ".ipc.RetriableException"};
    for (const char *call = text; (call = strstr(call, "Call From ")); call++) {
        const char *failed = strstr(call, " failed on ");
        if (failed && failed < call + strcspn(call, "\n"))
            return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}
