/* mapreduce_history.c - what a MapReduce job leaves of itself, and what a Java says; see mapreduce.h.
 *
 * Bytes from elsewhere are taken as hostile: what does not read is as if it were not there. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/writer.h"
#include "executor/hadoop/mapreduce.h"
#include "executor/hadoop/rm.h"
#include "json/reader.h"

typedef struct pingo__json_value value;
typedef struct pingo__executor_hadoop_history history;

/* ---- the name --------------------------------------------------------------------------------------- */

enum { ID, SUBMITTED, USER, NAME, FINISHED, MAPS, REDUCES, STATE, QUEUE, STARTED, PARTS };

static int64_t number_of(const char *text)
{
    int64_t n;
    return pingo__text_to_int64(text, 0, INT64_MAX, &n) ? n : 0;
}

void pingo__executor_hadoop_history_name(const char *name, history *found)
{
    static const struct {
        const char *word;
        enum pingo__executor_hadoop_state state;
    } states[] = {{"SUCCEEDED", PINGO__HADOOP_SUCCEEDED},
                  {"FAILED", PINGO__HADOOP_FAILED},
                  {"KILLED", PINGO__HADOOP_KILLED},
                  {"ERROR", PINGO__HADOOP_FAILED}};
    char copy[512], *parts[PARTS + 1] = {copy};
    size_t n = strlen(name), count = 1;
    *found = (history){.state = PINGO__HADOOP_UNHEARD};
    if (n < 7 || n >= sizeof copy || strcmp(name + n - 6, ".jhist") != 0 ||
        strncmp(name, "job_", 4) != 0)
        return;
    snprintf(copy, sizeof copy, "%.*s", (int)n - 6, name);
    for (char *c = copy; *c && count <= PARTS; c++)
        if (*c == '-') {
            *c = '\0';
            parts[count++] = c + 1;
        }
    if (count != PARTS)
        return;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(parts[STATE], states[i].word) == 0)
            found->state = states[i].state;
    found->ended_ms = number_of(parts[FINISHED]);
    found->started_ms = number_of(parts[STARTED]);
}

/* ---- exceptions --------------------------------------------------------------------------------------- */

/* "a.b.OneException: c.d.TwoException: what" -> "TwoException: what". */
static const char *without_wrappers(const char *text, size_t n)
{
    for (;;) {
        size_t i = 0, dot = 0;
        while (i < n && (isalnum((unsigned char)text[i]) || strchr("._$", text[i]))) {
            dot = text[i] == '.' ? i + 1 : dot;
            i++;
        }
        if (dot == 0)
            return text;
        bool more = i + 2 < n && text[i] == ':' && text[i + 1] == ' ';
        size_t next = i + 2, k = next;
        while (more && k < n && (isalnum((unsigned char)text[k]) || strchr("._$", text[k])))
            k++;
        bool wraps = more && k < n && text[k] == ':' && memchr(text + next, '.', k - next);
        if (!wraps)
            return text + dot;
        text += next;
        n -= next;
    }
}

/* "... Diagnostics report from attempt_T_N_m_0_0: a.b.OneException: what", as a job's master logs it, the last one. */
static const char *last_report(const char *text)
{
    static const char head[] = "Diagnostics report from attempt_";
    const char *found = NULL;
    for (const char *at = text; (at = strstr(at, head)); at++) {
        const char *line_end = at + strcspn(at, "\n"), *said = strstr(at, ": ");
        found = said && said < line_end ? said + 2 : found;
    }
    return found;
}

void pingo__executor_hadoop_exception(const char *text, char *to, size_t size)
{
    static const char *const heads[] = {"Caused by: ", "Exception in thread \"main\" ",
                                        "Error: ", "Error occurred during "};
    const char *found = NULL;
    char line[1024] = "";
    for (size_t i = 0; !found && i < sizeof heads / sizeof *heads; i++)
        for (const char *at = text; (at = strstr(at, heads[i])); at++)
            if (at == text || at[-1] == '\n')
                found = at + (i == 3 ? 0 : strlen(heads[i]));
    found = found ? found : last_report(text);
    if (found) {
        size_t n = strcspn(found, "\n");
        const char *from = without_wrappers(found, n);
        snprintf(line, sizeof line, "%.*s", (int)(n - (size_t)(from - found)), from);
    }
    pingo__text_clean_to(to, size, line);
}

bool pingo__executor_hadoop_exception_is_away(const char *exception)
{
    static const char *const words[] = {
        "ConnectException",     "Connection refused",
        "NoRouteToHost",        "SocketTimeout",
        "StandbyException",     "SafeModeException",
        "RetriableException",   "Name node is in safe mode",
        "UnknownHostException", "ConnectTimeoutException",
        "Connection reset",     "OutOfMemoryError: unable to create"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(exception, words[i]))
            return true;
    return false;
}

bool pingo__executor_hadoop_find_job(const char *text, char application[PINGO__HADOOP_ID_SIZE])
{
    static const char *const heads[] = {"job_", "application_"};
    const char *last = NULL;
    for (size_t i = 0; i < 2; i++)
        for (const char *at = text; (at = strstr(at, heads[i]));) {
            at += strlen(heads[i]);
            size_t n = strspn(at, "0123456789");
            if (n > 0 && at[n] == '_' && isdigit((unsigned char)at[n + 1]) && (!last || at > last))
                last = at;
        }
    if (!last)
        return false;
    size_t n = strspn(last, "0123456789_");
    snprintf(application, PINGO__HADOOP_ID_SIZE, "application_%.*s", n > 40 ? 40 : (int)n, last);
    return pingo__executor_hadoop_is_application(application);
}

/* ---- events ------------------------------------------------------------------------------------------- */

static const char *text_of(const value *object, const char *keys)
{
    return pingo__json_text_at(object, keys, "");
}

static void take_counter(history *h, const char *name, int64_t n)
{
    if (strcmp(name, "CPU_MILLISECONDS") == 0)
        h->cpu_ms = n;
    if (strstr(name, "_PHYSICAL_MEMORY_BYTES_MAX") && n > h->memory_bytes)
        h->memory_bytes = n;
}

static void tell_group(struct pingo__json_element *e, const value *group, history *h,
                       struct pingo__writer *w)
{
    const char *name = text_of(group, "name"), *dot = strrchr(name, '.');
    const value *counts = pingo__json_at(group, "counts");
    pingo__writer_open(w, dot ? dot + 1 : name, PINGO__WRITER_OBJECT);
    for (const value *c = pingo__json_first(counts); c; c = pingo__json_next(c)) {
        int64_t n = pingo__json_integer_at(e, c, "value", 0);
        take_counter(h, text_of(c, "name"), n);
        if (n != 0)
            pingo__writer_int(w, text_of(c, "name"), n);
    }
    pingo__writer_close(w);
}

static void tell_finished(struct pingo__json_element *e, const value *event, history *h,
                          struct pingo__buffer *told)
{
    static const char *const tasks[][2] = {{"finishedMaps", "maps"},
                                           {"failedMaps", "failedMaps"},
                                           {"finishedReduces", "reduces"},
                                           {"failedReduces", "failedReduces"}};
    const value *groups = pingo__json_at(event, "totalCounters.groups");
    pingo__buffer_reset(told);
    struct pingo__writer w = {.out = *told};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        pingo__writer_int(&w, tasks[i][1], pingo__json_integer_at(e, event, tasks[i][0], 0));
    pingo__writer_open(&w, "counters", PINGO__WRITER_OBJECT);
    for (const value *g = pingo__json_first(groups); g; g = pingo__json_next(g))
        tell_group(e, g, h, &w);
    pingo__writer_close(&w);
    pingo__writer_close(&w);
    *told = w.out;
}

/* What a task died of: the line, or the cause at its root. */
static void take_error(history *h, const char *error)
{
    if (strncmp(error, ", ", 2) == 0)
        error += 2;
    h->was_memory = h->was_memory || strstr(error, "java.lang.OutOfMemoryError") ||
                    pingo__executor_hadoop_was_memory(error);
    h->was_away = h->was_away || pingo__executor_hadoop_was_away(error);
    if (*h->message)
        return;
    struct pingo__buffer text = {0};
    pingo__buffer_text(&text, "Caused by: "); /* so that a text without causes has one */
    pingo__buffer_append(&text, error, strcspn(error, "\n"));
    const char *cause = strstr(error, "\nCaused by: "), *all;
    if (cause)
        pingo__buffer_text(&text, cause);
    all = pingo__buffer_cstr(&text);
    pingo__executor_hadoop_exception(all ? all : "", h->message, sizeof h->message);
    pingo__buffer_clear(&text);
}

/* attempt_1_2_m_3_0 and attempt_1_2_m_3_1 are of one. */
static bool is_of_same_task(const char *a, const char *b)
{
    const char *end_a = strrchr(a, '_'), *end_b = strrchr(b, '_');
    return end_a && end_b && end_a - a == end_b - b && memcmp(a, b, (size_t)(end_a - a)) == 0;
}

static void read_event(const char *line, size_t n, history *h, struct pingo__buffer *told)
{
    struct pingo__json_reader r;
    const value *event = NULL;
    const char *type = "";
    char said[sizeof h->message];
    if (pingo__json_reader_open(&r, line, n, "an event", NULL) == 0 &&
        pingo__json_element_open(&r.element, r.document.offset)) {
        type = text_of(r.element.root, "type");
        event = pingo__json_first(pingo__json_at(r.element.root, "event"));
    }
    if (event && strcmp(type, "JOB_FINISHED") == 0)
        tell_finished(&r.element, event, h, told);
    else if (event && strcmp(type, "TASK_FAILED") == 0) {
        const char *attempt = text_of(event, "failedDueToAttempt.string");
        take_error(h, text_of(event, "error"));
        if (!*h->attempt)
            snprintf(h->attempt, sizeof h->attempt, "%s", attempt);
    } else if (event && strstr(type, "_ATTEMPT_STARTED") && *h->attempt &&
               strcmp(text_of(event, "attemptId"), h->attempt) == 0) {
        snprintf(h->container, sizeof h->container, "%s", text_of(event, "containerId"));
        snprintf(h->node, sizeof h->node, "%.255s:%lld", text_of(event, "trackerName"),
                 (long long)pingo__json_integer_at(&r.element, event, "httpPort", 0));
    } else if (event && strstr(type, "_ATTEMPT_FAILED")) {
        if (is_of_same_task(text_of(event, "attemptId"), h->attempt))
            h->was_memory =
                h->was_memory || pingo__executor_hadoop_was_memory(text_of(event, "error"));
    } else if (event && !*h->message && strncmp(type, "JOB_", 4) == 0) {
        const char *text = text_of(event, "diagnostics.string");
        snprintf(said, sizeof said, "%.*s", (int)strcspn(text, "\n"), text);
        memcpy(h->message, said, sizeof said);
        h->was_away = h->was_away || pingo__executor_hadoop_was_away(text);
    }
    pingo__json_reader_clear(&r);
}

/* Twice: which task could not be done is told behind what its tries did. */
void pingo__executor_hadoop_history_events(const char *bytes, size_t n, history *h,
                                           struct pingo__buffer *told)
{
    for (int pass = 0; pass == 0 || (pass == 1 && *h->attempt); pass++)
        for (size_t at = 0; at < n;) {
            const char *end = memchr(bytes + at, '\n', n - at);
            size_t length = end ? (size_t)(end - bytes) - at : n - at;
            read_event(bytes + at, length, h, told);
            at += length + 1;
        }
}
