/* rm.c - see rm.h. */
#include "executor/hadoop/rm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/world.h"
#include "http/http.h"

#define SERVERS 8
#define SOON_MS                                                                                    \
    500 /* one that does not answer within this is not waited for where there is haste */
#define SLICE_MS 20 /* so soon is heard who rings */
#define APPS "/ws/v1/cluster/apps"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

static const struct pingo__http_options options = {.connect_ms = 5000,
                                                   .whole_ms = 15000,
                                                   .stall_ms = 30000,
                                                   .max_bytes = (size_t)256 << 20,
                                                   .connections = 1};

struct pingo__executor_hadoop_rm {
    struct pingo__http_client *clients[SERVERS];
    char *urls[SERVERS];
    size_t n, active;
    char user[128];
    bool negotiates; /* they ask who we are */
    const struct pingo__executor_hadoop_bells *bells;
    bool hurries, is_silent[SERVERS];
    uintptr_t nsent;
    _Atomic int64_t asked_ms; /* monotonic: what is not answered yet; 0: nothing */
};

/* ---- life ----------------------------------------------------------------------------------------- */

static int add_server(struct pingo__executor_hadoop_rm *rm, const char *at, size_t length,
                      struct pingo_error *err)
{
    struct pingo_error why = {0};
    char url[300];
    bool whole = length > 7 && (strncmp(at, "http://", 7) == 0 || strncmp(at, "https://", 8) == 0);
    if (rm->n == SERVERS || length == 0 || length > sizeof url - 16)
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.hadoop.rm: it has to be HOST:PORT, and up to %d of them with"
                           " ',' between",
                           SERVERS);
    while (length && at[length - 1] == '/')
        length--;
    snprintf(url, sizeof url, "%s%.*s", whole ? "" : "http://", (int)length, at);
    rm->urls[rm->n] = strdup(url);
    int rc = rm->urls[rm->n] ? pingo__http_open(url, &options, &rm->clients[rm->n], &why)
                             : pingo__fail_memory(&why);
    rm->n += rm->urls[rm->n] ? 1 : 0;
    return rc ? pingo__fail(err, rc, "executor.hadoop.rm: %.200s", why.message) : 0;
}

int pingo__executor_hadoop_rm_open(const char *list, const char *user,
                                   const struct pingo__executor_hadoop_bells *bells,
                                   struct pingo__executor_hadoop_rm **out, struct pingo_error *err)
{
    struct pingo__executor_hadoop_rm *rm = calloc(1, sizeof *rm);
    int rc = rm ? 0 : pingo__fail_memory(err);
    *out = NULL;
    if (rm) {
        rm->bells = bells;
        snprintf(rm->user, sizeof rm->user, "%s", user);
    }
    for (const char *at = list; !rc && at;) {
        size_t length = strcspn(at, ",");
        rc = add_server(rm, at, length, err);
        at = at[length] ? at + length + 1 : NULL;
    }
    if (!rc && (!*user || strspn(user, LETTERS) != strlen(user) || strlen(user) >= sizeof rm->user))
        rc = pingo__fail(err, PINGO_EINVAL, "executor.hadoop.user: \"%.40s\" is no user's name",
                         user);
    if (rc)
        pingo__executor_hadoop_rm_close(rm);
    else
        *out = rm;
    return rc;
}

void pingo__executor_hadoop_rm_close(struct pingo__executor_hadoop_rm *rm)
{
    for (size_t i = 0; rm && i < rm->n; i++) {
        pingo__http_close(rm->clients[i]);
        free(rm->urls[i]);
    }
    free(rm);
}

void pingo__executor_hadoop_rm_hurry(struct pingo__executor_hadoop_rm *rm, bool hurries)
{
    if (rm)
        rm->hurries = hurries;
}

int64_t pingo__executor_hadoop_rm_silent_ms(const struct pingo__executor_hadoop_rm *rm)
{
    int64_t asked = rm->asked_ms;
    return asked ? pingo__world_monotonic_ms() - asked : 0;
}

const char *pingo__executor_hadoop_rm_name(const struct pingo__executor_hadoop_rm *rm)
{
    return rm->urls[rm->active];
}

/* ---- asking --------------------------------------------------------------------------------------- */

/* The reply to what was sent last; others' were given up, and are passed over. */
static int wait_for(struct pingo__executor_hadoop_rm *rm, struct pingo__http_client *client,
                    struct pingo__http_reply *reply, struct pingo_error *err)
{
    bool hurries = rm->hurries;
    while (!pingo__http_wait(client, SLICE_MS, reply) || (uintptr_t)reply->own != rm->nsent) {
        hurries = hurries || rm->bells->urgent;
        if (rm->bells->stop)
            return pingo__fail(err, PINGO_EINTERRUPTED, "it is being closed");
        if (hurries && pingo__world_monotonic_ms() - rm->asked_ms >= SOON_MS)
            return pingo__fail(err, PINGO_EAWAY, "it does not answer");
    }
    return 0;
}

static int send_to(struct pingo__executor_hadoop_rm *rm, struct pingo__http_client *client,
                   const struct pingo__executor_hadoop_question *q, struct pingo__http_reply *reply,
                   struct pingo_error *err)
{
    static const char accept[] = "Accept: application/json, text/plain"; /* as logs are */
    static const char *const headers[] = {accept, NULL}, *const both[] = {
                                                             accept,
                                                             "Content-Type: application/json", NULL};
    char path[1024];
    int n = rm->negotiates ? snprintf(path, sizeof path, "%s", q->path)
                           : snprintf(path, sizeof path, "%s%suser.name=%s", q->path,
                                      strchr(q->path, '?') ? "&" : "?", rm->user);
    struct pingo__http_request request = {.method = q->method,
                                          .path = path,
                                          .headers = q->body ? both : headers,
                                          .body = q->body,
                                          .length = q->body ? strlen(q->body) : 0,
                                          .own = (void *)++rm->nsent,
                                          .negotiates = rm->negotiates};
    if (n < 0 || (size_t)n >= sizeof path)
        return pingo__fail(err, PINGO_EINVAL, "hadoop: too long a path");
    rm->asked_ms = pingo__world_monotonic_ms();
    int rc = pingo__http_send(client, &request, err);
    if (!rc)
        rc = wait_for(rm, client, reply, err);
    rm->asked_ms = 0;
    if (rc || reply->result != PINGO__HTTP_REPLIED || reply->status != 401 || rm->negotiates)
        return rc;
    rm->negotiates = true; /* Kerberos; but of who lets us in with it alone */
    rc = send_to(rm, client, q, reply, err);
    rm->negotiates = !rc && reply->result == PINGO__HTTP_REPLIED && reply->status != 401;
    return rc;
}

static int read_reply(const struct pingo__executor_hadoop_question *q,
                      const struct pingo__http_reply *reply,
                      struct pingo__executor_hadoop_reply *answer, struct pingo_error *err)
{
    int rc = pingo__executor_hadoop_reply_read(reply->body, reply->length, q->on, answer);
    answer->status = reply->status;
    if (reply->status == 401)
        snprintf(answer->message, sizeof answer->message, "%s", reply->message);
    if (!rc && q->raw) {
        pingo__buffer_reset(q->raw);
        pingo__buffer_append(q->raw, reply->body, reply->length);
        rc = q->raw->failed ? PINGO_ENOMEM : 0;
    }
    return rc ? pingo__fail_memory(err) : 0;
}

/* What was sent and given up shall not be in the way of what is asked next. */
static void drop_question(struct pingo__executor_hadoop_rm *rm, size_t k)
{
    struct pingo__http_client *fresh;
    if (pingo__http_count(rm->clients[k]) == 0 ||
        pingo__http_open(rm->urls[k], &options, &fresh, NULL))
        return;
    pingo__http_close(rm->clients[k]);
    rm->clients[k] = fresh;
}

/* A standby answers with a redirection, or with plain text that there is no active one; a submission that was taken has
 * an empty reply. */
static bool stands_by(const struct pingo__http_reply *reply,
                      const struct pingo__executor_hadoop_reply *answer)
{
    return (answer->status >= 300 && answer->status < 400) || answer->status >= 502 ||
           (!answer->is_read && answer->status < 300 && reply->length > 0);
}

struct asking {
    const struct pingo__executor_hadoop_question *q;
    struct pingo__executor_hadoop_reply *answer;
    bool is_served; /* somebody answers as the active one */
    char why[300];  /* who does not, as far as that tells most */
};

static int ask_one(struct pingo__executor_hadoop_rm *rm, size_t k, struct asking *a,
                   struct pingo_error *err)
{
    struct pingo__http_reply reply = {.result = PINGO__HTTP_LOST};
    struct pingo_error silent = {0};
    *a->answer = (struct pingo__executor_hadoop_reply){.status = 0};
    int rc = send_to(rm, rm->clients[k], a->q, &reply, &silent);
    bool replied = !rc && reply.result == PINGO__HTTP_REPLIED;
    rm->is_silent[k] = !replied;
    if (rc)
        drop_question(rm, k);
    if (rc && rc != PINGO_EAWAY)
        return pingo__fail(err, rc, "%s", silent.message);
    rc = replied ? read_reply(a->q, &reply, a->answer, err) : 0;
    a->is_served = replied && !rc && !stands_by(&reply, a->answer);
    if (replied)
        snprintf(a->why, sizeof a->why,
                 "%.200s: it is not the active ResourceManager, or none at all", rm->urls[k]);
    else if (!*a->why && *silent.message)
        snprintf(a->why, sizeof a->why, "%.200s: %.80s", rm->urls[k], silent.message);
    else if (!*a->why)
        snprintf(a->why, sizeof a->why, "%.290s", reply.message);
    return rc;
}

int pingo__executor_hadoop_rm_ask(struct pingo__executor_hadoop_rm *rm,
                                  const struct pingo__executor_hadoop_question *q,
                                  struct pingo__executor_hadoop_reply *answer,
                                  struct pingo_error *err)
{
    struct asking a = {.q = q, .answer = answer};
    size_t first = rm->active;
    int rc = 0;
    *answer = (struct pingo__executor_hadoop_reply){.status = 0};
    for (size_t i = 0; !rc && !a.is_served && i < rm->n; i++) {
        size_t k = (first + i) % rm->n;
        if (rm->hurries && rm->is_silent[k])
            continue;
        rc = ask_one(rm, k, &a, err);
        if (a.is_served)
            rm->active = k;
    }
    if (!rc && a.is_served && answer->status == 401)
        return pingo__fail(err, PINGO_EAWAY,
                           "the ResourceManager %s asks for Kerberos, and takes no ticket of ours: "
                           "kinit, or a key table, gives one%s%s%s",
                           pingo__executor_hadoop_rm_name(rm), *answer->message ? " (" : "",
                           answer->message, *answer->message ? ")" : "");
    if (rc || a.is_served)
        return rc;
    if (!*a.why)
        snprintf(a.why, sizeof a.why, "%.250s: it does not answer", rm->urls[first]);
    return pingo__fail(err, PINGO_EAWAY, "no ResourceManager answers: %s", a.why);
}

int pingo__executor_hadoop_rm_ask_node(struct pingo__executor_hadoop_rm *rm, const char *node,
                                       const struct pingo__executor_hadoop_question *q,
                                       struct pingo__executor_hadoop_reply *answer)
{
    struct pingo__http_client *client = NULL;
    struct pingo__http_reply reply;
    bool negotiates = rm->negotiates; /* what a node asks for is nothing to them */
    char url[300];
    *answer = (struct pingo__executor_hadoop_reply){.status = 0};
    snprintf(url, sizeof url, "http://%.280s", node);
    int rc = pingo__http_open(url, &options, &client, NULL);
    if (!rc)
        rc = send_to(rm, client, q, &reply, NULL);
    rm->negotiates = negotiates;
    if (!rc)
        rc = reply.result == PINGO__HTTP_REPLIED ? read_reply(q, &reply, answer, NULL) : PINGO_EAWAY;
    pingo__http_close(client);
    return rc;
}

/* ---- what is asked --------------------------------------------------------------------------------- */

/* What it says that is no answer to what was asked. */
static int refuse(const struct pingo__executor_hadoop_rm *rm,
                  const struct pingo__executor_hadoop_reply *a, int code, struct pingo_error *err)
{
    const char *said = a->message;
    static const char noise[] = "java.lang.Exception: ";
    if (strncmp(said, noise, strlen(noise)) == 0)
        said += strlen(noise);
    return pingo__fail(err, code, "the ResourceManager %s says: %s%s%.250s (%d)",
                       pingo__executor_hadoop_rm_name(rm), a->exception, *a->exception ? ": " : "",
                       said, a->status);
}

int pingo__executor_hadoop_rm_new(struct pingo__executor_hadoop_rm *rm,
                                  struct pingo__executor_hadoop_reply *reply,
                                  struct pingo_error *err)
{
    struct pingo__executor_hadoop_question q = {
        .method = "POST", .path = APPS "/new-application", .body = ""};
    int rc = pingo__executor_hadoop_rm_ask(rm, &q, reply, err);
    return rc || (reply->status == 200 && *reply->id) ? rc : refuse(rm, reply, PINGO_EEXECUTOR, err);
}

int pingo__executor_hadoop_rm_submit(struct pingo__executor_hadoop_rm *rm, const char *body,
                                     struct pingo_error *err)
{
    struct pingo__executor_hadoop_question q = {.method = "POST", .path = APPS, .body = body};
    struct pingo__executor_hadoop_reply a;
    int rc = pingo__executor_hadoop_rm_ask(rm, &q, &a, err);
    if (rc || a.status / 100 == 2)
        return rc;
    return refuse(rm, &a, a.status / 100 == 5 ? PINGO_EAWAY : PINGO_EEXECUTOR, err);
}

int pingo__executor_hadoop_rm_list(struct pingo__executor_hadoop_rm *rm, const char *tag,
                                   const struct pingo__executor_hadoop_on *on,
                                   struct pingo_error *err)
{
    char path[300];
    struct pingo__executor_hadoop_question q = {.method = "GET", .path = path, .on = on};
    struct pingo__executor_hadoop_reply a;
    snprintf(path, sizeof path,
             APPS "?applicationTags=%s&states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING"
                  "&deSelects=resourceRequests",
             tag);
    int rc = pingo__executor_hadoop_rm_ask(rm, &q, &a, err);
    return rc || a.status == 200 ? rc : refuse(rm, &a, PINGO_EAWAY, err);
}

static void take_app(void *context, const struct pingo__executor_hadoop_app *app)
{
    *(struct pingo__executor_hadoop_app *)context = *app;
}

int pingo__executor_hadoop_rm_look(struct pingo__executor_hadoop_rm *rm, const char *id,
                                   struct pingo__executor_hadoop_app *app, struct pingo_error *err)
{
    char path[200];
    const struct pingo__executor_hadoop_on on = {.app = take_app, .context = app};
    struct pingo__executor_hadoop_question q = {.method = "GET", .path = path, .on = &on};
    struct pingo__executor_hadoop_reply a;
    *app = (struct pingo__executor_hadoop_app){.state = PINGO__HADOOP_UNHEARD};
    snprintf(path, sizeof path, APPS "/%s", id);
    int rc = pingo__executor_hadoop_rm_ask(rm, &q, &a, err);
    if (!rc && pingo__executor_hadoop_is_gone(&a, id)) {
        app->state = PINGO__HADOOP_GONE;
        snprintf(app->id, sizeof app->id, "%s", id);
    }
    if (rc || (app->state && strcmp(app->id, id) == 0))
        return rc;
    app->state = PINGO__HADOOP_UNHEARD;
    return refuse(rm, &a, PINGO_EAWAY, err);
}

int pingo__executor_hadoop_rm_kill(struct pingo__executor_hadoop_rm *rm, const char *id,
                                   const char *why, struct pingo_error *err)
{
    char path[200], body[200];
    struct pingo__executor_hadoop_question q = {.method = "PUT", .path = path, .body = body};
    struct pingo__executor_hadoop_reply a;
    snprintf(path, sizeof path, APPS "/%s/state", id);
    snprintf(body, sizeof body, "{\"state\":\"KILLED\",\"diagnostics\":\"%.100s\"}", why);
    int rc = pingo__executor_hadoop_rm_ask(rm, &q, &a, err);
    if (rc || a.status / 100 == 2 || pingo__executor_hadoop_is_gone(&a, id))
        return rc;
    return refuse(rm, &a, a.status / 100 == 5 ? PINGO_EAWAY : PINGO_EEXECUTOR, err);
}
