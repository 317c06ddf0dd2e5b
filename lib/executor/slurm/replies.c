/* replies.c - see states.h. */
#include "executor/slurm/states.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "json/value.h"

/* 7, {"set": true, "number": 7}; -1: none, or another kind of number. */
static int64_t number(struct pingo__json_element *e, const struct pingo__json_value *v)
{
    const struct pingo__json_value *set = pingo__json_at(v, "set");
    bool is_set = !set || pingo__json_kind(set) != PINGO__JSON_BOOLEAN || pingo__json_is_true(set);
    bool is_object = v && pingo__json_kind(v) == PINGO__JSON_OBJECT;
    return is_set ? pingo__json_integer_at(e, v, is_object ? "number" : "", -1) : -1;
}

/* "a", ["a", ...] */
static const char *text(const struct pingo__json_value *v)
{
    if (v && pingo__json_kind(v) == PINGO__JSON_ARRAY)
        v = pingo__json_first(v);
    return pingo__json_text(v);
}

/* Of a list flags stand behind the state: what is tidied up behind it has not ended, whatever it will be. */
static const char *state_of(const struct pingo__json_value *v)
{
    bool is_list = v && pingo__json_kind(v) == PINGO__JSON_ARRAY;
    for (const struct pingo__json_value *flag = is_list ? pingo__json_first(v) : NULL; flag;
         flag = pingo__json_next(flag))
        if (text(flag) && strcmp(text(flag), "COMPLETING") == 0)
            return text(flag);
    return text(v);
}

/* As of wait(2): a number; since v0.0.40 it is taken apart. */
static int64_t wait_status(struct pingo__json_element *e, const struct pingo__json_value *v)
{
    int64_t n = number(e, v);
    if (n < 0 && pingo__json_at(v, "return_code")) {
        int64_t code = number(e, pingo__json_at(v, "return_code"));
        const struct pingo__json_value *id = pingo__json_at(v, "signal.id");
        int64_t by = number(e, id ? id : pingo__json_at(v, "signal.signal_id"));
        n = by > 0 ? by & 127 : code > 0 ? (code & 255) << 8 : 0;
    }
    return n > 0 && n <= 65535 ? n : 0;
}

static void tell(struct pingo__json_element *e,
                 void (*on_job)(void *context, const struct pingo__executor_slurm_record *record),
                 void *context)
{
    int64_t array = number(e, pingo__json_at(e->root, "array_job_id")),
            task = number(e, pingo__json_at(e->root, "array_task_id"));
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)task);
    struct pingo__executor_slurm_record r = {
        .id = array > 0 ? array : number(e, pingo__json_at(e->root, "job_id")),
        .tasks = array <= 0  ? NULL
                 : task >= 0 ? digits
                             : text(pingo__json_at(e->root, "array_task_string")),
        .name = text(pingo__json_at(e->root, "name")),
        .comment = text(pingo__json_at(e->root, "comment")),
        .state = state_of(pingo__json_at(e->root, "job_state")),
        .reason = text(pingo__json_at(e->root, "state_reason")),
        .nodes = text(pingo__json_at(e->root, "nodes")),
        .user = text(pingo__json_at(e->root, "user_name")),
        .uid = number(e, pingo__json_at(e->root, "user_id")),
        .wait_status = wait_status(e, pingo__json_at(e->root, "exit_code")),
        .restarts = number(e, pingo__json_at(e->root, "restart_cnt"))};
    if (r.id > 0 && r.state)
        on_job(context, &r);
}

static void note_time(struct pingo__json_element *e, struct pingo__executor_slurm_reply *reply)
{
    static const char *const past[] = {"submit_time", "last_sched_evaluation"};
    for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
        int64_t s = number(e, pingo__json_at(e->root, past[i]));
        reply->newest_s = s > reply->newest_s ? s : reply->newest_s;
    }
}

/* Of a node each of its partitions, with the node's memory; or a partition, which may be the default. */
static void tell_partitions(struct pingo__json_element *e,
                            void (*on_job)(void *context,
                                           const struct pingo__executor_slurm_record *record),
                            void *context)
{
    const struct pingo__json_value *of = pingo__json_at(e->root, "partitions");
    struct pingo__executor_slurm_record r = {.memory_mb =
                                                 number(e, pingo__json_at(e->root, "real_memory"))};
    if (!of) {
        const struct pingo__json_value *flag = pingo__json_at(e->root, "flags");
        if (flag && pingo__json_kind(flag) == PINGO__JSON_ARRAY)
            flag = pingo__json_first(flag);
        for (; flag; flag = pingo__json_next(flag))
            r.is_default = r.is_default || (text(flag) && strcasecmp(text(flag), "default") == 0);
        r.partition = text(pingo__json_at(e->root, "name"));
        if (r.partition)
            on_job(context, &r);
        return;
    }
    for (of = pingo__json_kind(of) == PINGO__JSON_ARRAY ? pingo__json_first(of) : of; of;
         of = pingo__json_next(of))
        if ((r.partition = text(of)))
            on_job(context, &r);
}

/* An error of Slurm's own is told by its name; what slurmrestd says besides is which call it was.  Its own say more. */
static void note(struct pingo__executor_slurm_reply *reply, int64_t n, const char *what,
                 const char *more)
{
    if (reply->has_error && (reply->error_number > 0 || n <= 0))
        return;
    reply->has_error = true;
    reply->error_number = n > 0 ? n : -1;
    if (what && (!more || n < PINGO__SLURM_RESTD))
        snprintf(reply->error, sizeof reply->error, "%s", what);
    else
        snprintf(reply->error, sizeof reply->error, "%s%s%s", what ? what : "", what ? ": " : "",
                 more ? more : "an error without a name");
}

static void note_error(struct pingo__json_element *e, struct pingo__executor_slurm_reply *reply)
{
    const struct pingo__json_value *code = pingo__json_at(e->root, "error_number");
    note(reply, number(e, code ? code : pingo__json_at(e->root, "error_code")),
         text(pingo__json_at(e->root, "error")), text(pingo__json_at(e->root, "description")));
}

/* What became of one of several jobs that were to be cancelled. */
static void note_status(struct pingo__json_element *e, struct pingo__executor_slurm_reply *reply)
{
    int64_t n = number(e, pingo__json_at(e->root, "error.code"));
    if (n > 0)
        note(reply, n, text(pingo__json_at(e->root, "error.string")), NULL);
}

int pingo__executor_slurm_reply_read(
    const char *bytes, size_t length,
    void (*on_job)(void *context, const struct pingo__executor_slurm_record *record), void *context,
    struct pingo__executor_slurm_reply *reply)
{
    struct pingo__json_document d;
    struct pingo__json_element e = {.document = &d};
    *reply = (struct pingo__executor_slurm_reply){.error_number = -1};
    int rc = pingo__json_open_foreign(&d, bytes, length);
    reply->is_read = !rc && d.kind == PINGO__JSON_OBJECT;
    for (size_t i = 0; reply->is_read && !rc && i < d.nmembers; i++) {
        const struct pingo__json_member *m = &d.members[i];
        bool errors = strcmp(m->key, "errors") == 0, jobs = strcmp(m->key, "jobs") == 0;
        bool ends = strcmp(m->key, "status") == 0;
        bool sizes = strcmp(m->key, "nodes") == 0 || strcmp(m->key, "partitions") == 0;
        reply->has_rows = reply->has_rows || ((jobs || sizes) && m->kind == PINGO__JSON_ARRAY);
        size_t at = m->kind == PINGO__JSON_ARRAY && (errors || ends || ((jobs || sizes) && on_job))
                        ? pingo__json_next_element(&d, m->offset + 1)
                        : 0;
        while (!rc && at) {
            rc = pingo__json_element_open(&e, at) ? 0 : PINGO_ENOMEM;
            if (!rc && errors)
                note_error(&e, reply);
            else if (!rc && ends)
                note_status(&e, reply);
            else if (!rc && sizes) {
                tell_partitions(&e, on_job, context);
            } else if (!rc) {
                note_time(&e, reply);
                tell(&e, on_job, context);
            }
            at = rc ? 0 : pingo__json_next_element(&d, e.end);
        }
        if (!rc && strcmp(m->key, "job_id") == 0) {
            rc = pingo__json_element_open(&e, m->offset) ? 0 : PINGO_ENOMEM;
            int64_t id = rc ? 0 : number(&e, e.root);
            reply->job_id = id > 0 ? id : 0;
        }
    }
    pingo__json_element_clear(&e);
    pingo__json_close(&d);
    return rc == PINGO_ENOMEM ? rc : 0;
}

bool pingo__executor_slurm_node_read(char *line, struct pingo__executor_slurm_record *record)
{
    char *memory = line, *name = strsep(&memory, "|");
    size_t n = strlen(name);
    *record = (struct pingo__executor_slurm_record){.partition = name};
    record->is_default = n && name[n - 1] == '*';
    if (record->is_default)
        name[n - 1] = '\0';
    return memory && pingo__text_to_int64(memory, 1, INT64_MAX, &record->memory_mb);
}

bool pingo__executor_slurm_line_read(char *line, struct pingo__executor_slurm_record *record)
{
    enum { COLUMNS = 5 };
    char *columns[COLUMNS], *comment = line;
    for (size_t i = 0; i < COLUMNS; i++)
        if (!(columns[i] = strsep(&comment, "|")))
            return false;
    char *task = strchr(columns[0], '_'); /* 12, 12_7, 12_[8-20] */
    if (task)
        *task++ = '\0';
    *record = (struct pingo__executor_slurm_record){.tasks = task && *task == '[' ? task + 1 : task,
                                                    .state = columns[1],
                                                    .reason = columns[2],
                                                    .nodes = columns[3],
                                                    .name = columns[4],
                                                    .comment = comment};
    return comment && pingo__text_to_int64(columns[0], 1, INT64_MAX, &record->id);
}
