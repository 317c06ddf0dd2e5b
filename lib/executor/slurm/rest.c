/* rest.c - Slurm is asked through slurmrestd.
 *
 * Which version of its interface it has is found by asking; the ones that were tried come first.  A status other than
 * 200 is read by its numbers alone: that a job is not there is told by one of them, by nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"
#include "executor/slurm/slurm.h"
#include "http/http.h"

#define PATH_SIZE 96
#define EXPIRED ", which has expired by this machine's clock"
#define FULL 11           /* Slurm's number: MaxJobCount */
#define BAD_ARRAY 2081    /* MaxArraySize */
#define OVER_LIMIT 2050   /* the account's: fewer may be in it */
#define NO_SUCH_TASK 9002 /* slurmrestd's, also of one that waits */
#define TASKS_FROM 40     /* a list of tasks: by their path all of the array would go, or none */
#define UNCHANGED_TO 38   /* later versions say that nothing has changed as if there were no jobs */
#define NOT_REACHED 1800  /* Slurm's number: its controller was not there to hear it */
#define NOT_LET_IN 1007   /* Slurm's number: its controller does not take the token */

/* v0.0.36 tells one task alone of an array, and v0.0.39 cancels all where one is to be. */
static const int versions[] = {38, 42, 41, 40, 43, 37};
enum { VERSIONS = sizeof versions / sizeof *versions, NEWEST = 43, LAST = 59 };

/* The i-th that is asked for: behind those that are known newer ones, which are spoken to as the newest. */
static int version_of(size_t i)
{
    return i < VERSIONS ? versions[i] : NEWEST + 1 + (int)(i - VERSIONS);
}

static const struct pingo__http_options http_options = {.connect_ms = 10000,
                                                        .whole_ms = 60000,
                                                        .max_bytes = (size_t)512 << 20,
                                                        .connections = 4,
                                                        .drop = free};

struct rest {
    struct pingo__executor_slurm *s;
    struct pingo__http_client *client;
    struct pingo__executor_slurm_token token;
    char user[PINGO__SLURM_USER_SIZE], as[300]; /* a header */
    int version;                                /* 0: not known yet */
    size_t probed;                              /* index of the version that is asked for */
    bool probing, version_told;
    char wrong[300], told[300];
};

static void rest_close(void *way)
{
    struct rest *r = way;
    pingo__http_close(r->client);
    pingo__executor_slurm_token_clear(&r->token);
    free(r);
}

/* setting user; else who we are. */
static int find_user(struct rest *r, struct pingo_error *err)
{
    char us[PINGO__PROCESS_USER_SIZE];
    const char *user = r->s->user;
    if (!user && pingo__process_user(us))
        user = us;
    if (!user)
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.slurm.user: not set, and this user has no name");
    int rc = pingo__executor_slurm_check_text("user", user, err);
    if (rc)
        return rc;
    snprintf(r->user, sizeof r->user, "%s", user);
    snprintf(r->as, sizeof r->as, "X-SLURM-USER-NAME: %s", r->user);
    return 0;
}

static int rest_open(struct pingo__executor_slurm *s, void **way, struct pingo_error *err)
{
    struct rest *r = calloc(1, sizeof *r);
    if (!r)
        return pingo__fail_memory(err);
    r->s = s;
    r->token.source = s->token;
    r->token.poll_fd = s->poll_fd;
    int rc = find_user(r, err);
    if (!rc)
        rc = pingo__executor_slurm_check_text("url", s->url, err);
    if (!rc && s->token)
        rc = pingo__executor_slurm_check_text("token", s->token, err);
    if (!rc)
        rc = pingo__http_open(s->url, &http_options, &r->client, err);
    struct epoll_event event = {.events = EPOLLIN};
    if (!rc && epoll_ctl(s->poll_fd, EPOLL_CTL_ADD, pingo__http_poll_fd(r->client), &event) != 0)
        rc = pingo__fail(err, PINGO_EIO, "executor slurm: no descriptor to wait on");
    if (rc)
        rest_close(r);
    else
        *way = r;
    return rc;
}

static int send_request(struct rest *r, const struct pingo__http_request *request,
                        struct pingo_error *err)
{
    char token[PINGO__SLURM_TOKEN_MOST + 32] = "";
    const char *headers[4] = {r->as};
    struct pingo__http_request own = *request;
    size_t n = 1;
    if (r->token.source) {
        snprintf(token, sizeof token, "X-SLURM-USER-TOKEN: %s", r->token.text);
        headers[n++] = token;
    }
    if (request->body)
        headers[n++] = "Content-Type: application/json";
    own.headers = headers;
    int rc = pingo__http_send(r->client, &own, err);
    explicit_bzero(token, sizeof token);
    return rc;
}

/* ---- the version ------------------------------------------------------------------------------ */

static void probe(struct rest *r)
{
    char path[PATH_SIZE];
    struct pingo_error why = {0};
    snprintf(path, sizeof path, "/slurm/v0.0.%d/ping", version_of(r->probed));
    if (send_request(r, &(struct pingo__http_request){.method = "GET", .path = path}, &why))
        snprintf(r->wrong, sizeof r->wrong, "%.250s", why.message);
    else
        r->probing = true;
}

static void tell_version(struct rest *r)
{
    if (r->version > NEWEST && !r->version_told)
        pingo__executor_say(
            &r->s->log,
            "slurm: slurmrestd speaks v0.0.%d, and this version of Pingo knows none newer than "
            "v0.0.%d: it is tried as that",
            r->version, NEWEST);
    r->version_told = true;
}

static void probed(struct rest *r, const struct pingo__http_reply *reply)
{
    r->probing = false;
    r->s->is_unreached = reply->result != PINGO__HTTP_REPLIED;
    if (reply->result != PINGO__HTTP_REPLIED) {
        snprintf(r->wrong, sizeof r->wrong, "%s", reply->message);
    } else if (reply->status == 401 || reply->status == 403) {
        if (!pingo__executor_slurm_token_was_refused(&r->token))
            snprintf(r->wrong, sizeof r->wrong, "%s: user %.60s is not let in (status %d)%s",
                     r->s->url, r->user, reply->status,
                     r->token.source ? "; is executor.slurm.token right?"
                                     : "; executor.slurm.token is not set");
    } else if (reply->status == 404) {
        if (version_of(r->probed++) == LAST) {
            r->probed = 0;
            snprintf(r->wrong, sizeof r->wrong,
                     "%s: it has none of the interfaces v0.0.37, v0.0.38, v0.0.40 to "
                     "v0.0.%d; is it slurmrestd?",
                     r->s->url, LAST);
        }
    } else {
        r->version = version_of(r->probed);
        tell_version(r);
    }
}

static const char *rest_about(void *way)
{
    struct rest *r = way;
    snprintf(r->told, sizeof r->told, "%.160s answers user %.60s, by v0.0.%d%s", r->s->url, r->user,
             r->version, r->version > NEWEST ? ", which is newer than what Pingo knows" : "");
    return r->told;
}

static bool rest_is_ready(void *way, const char **why)
{
    struct rest *r = way;
    *why = NULL;
    if (*r->wrong) { /* told once; then it is tried anew */
        memcpy(r->told, r->wrong, sizeof r->told);
        r->wrong[0] = '\0';
        *why = r->told;
        return false;
    }
    if (!pingo__executor_slurm_token_is_there(&r->token, why))
        return false;
    if (!r->version && !r->probing)
        probe(r);
    return r->version;
}

/* ---- calls ------------------------------------------------------------------------------------ */

static int send_call(struct rest *r, const struct pingo__executor_slurm_call *call,
                     const struct pingo__executor_slurm_request *request,
                     struct pingo__executor_slurm_call *own, struct pingo_error *err)
{
    static const char *const methods[] = {"POST", "GET", "GET", "DELETE", "GET", "GET"};
    char path[PATH_SIZE];
    struct pingo__buffer body = {0};
    int n = snprintf(path, sizeof path, "/slurm/v0.0.%d/", r->version);
    size_t size = sizeof path - (size_t)n;
    if (call->kind == PINGO__SLURM_SUBMIT) {
        snprintf(path + n, size, "job/submit");
        pingo__executor_slurm_body(&body, request, r->version);
    } else if (call->kind == PINGO__SLURM_LIST && call->since && r->version <= UNCHANGED_TO) {
        snprintf(path + n, size, "jobs?update_time=%lld", (long long)call->since);
    } else if (call->kind == PINGO__SLURM_LIST) {
        snprintf(path + n, size, "jobs");
    } else if (call->kind >= PINGO__SLURM_NODES) {
        snprintf(path + n, size, call->kind == PINGO__SLURM_NODES ? "nodes" : "partitions");
    } else if (call->kind == PINGO__SLURM_CANCEL && call->ntasks && r->version >= TASKS_FROM) {
        char id[PATH_SIZE];
        pingo__executor_slurm_call_id(call, "[", "]", id, sizeof id);
        snprintf(path + n, size, "jobs");
        pingo__buffer_format(&body, "{\"jobs\":[\"%s\"]}", id);
    } else {
        n += snprintf(path + n, size, "job/");
        pingo__executor_slurm_call_id(call, "%5B", "%5D", path + n, sizeof path - (size_t)n);
    }
    int rc = body.failed ? pingo__fail_memory(err)
                         : send_request(r,
                                        &(struct pingo__http_request){.method = methods[call->kind],
                                                                      .path = path,
                                                                      .body = body.data,
                                                                      .length = body.length,
                                                                      .own = own},
                                        err);
    pingo__buffer_clear(&body);
    return rc;
}

static int rest_ask(void *way, const struct pingo__executor_slurm_call *call,
                    const struct pingo__executor_slurm_request *request, struct pingo_error *err)
{
    struct pingo__executor_slurm_call *own = malloc(sizeof *own);
    if (!own)
        return pingo__fail_memory(err);
    *own = *call;
    int rc = send_call(way, call, request, own, err);
    if (rc)
        free(own);
    return rc; /* NOLINT(clang-analyzer-unix.Malloc): else the request has it */
}

struct seeing {
    struct rest *rest;
    const struct pingo__executor_slurm_call *call;
};

/* Anybody may give a job our key.  Without a token it is slurmrestd that says whose our jobs are. */
static bool is_others(const struct rest *r, const struct pingo__executor_slurm_record *record)
{
    return r->token.source && record->user && *record->user && strcmp(record->user, r->user) != 0 &&
           strcmp(record->user, "nobody") != 0 && record->uid != (int64_t)geteuid();
}

static void on_job(void *context, const struct pingo__executor_slurm_record *record)
{
    const struct seeing *x = context;
    struct pingo__executor_slurm_record told = *record;
    if (is_others(x->rest, record))
        told.name = told.comment = NULL;
    pingo__executor_slurm_saw(x->rest->s, x->call, &told);
}

/* Slurm's own numbers begin at 2000; those below are of the way to its controller.  A site's plug-in has none. */
static bool is_refusal(const struct pingo__executor_slurm_call *call,
                       const struct pingo__executor_slurm_reply *told)
{
    return (told->error_number >= 2000 && told->error_number < PINGO__SLURM_RESTD) ||
           (call->kind == PINGO__SLURM_SUBMIT && strcmp(told->error, PINGO__SLURM_UNSPECIFIED) == 0);
}

static bool is_full(const struct pingo__executor_slurm_call *call, int64_t number)
{
    return call->kind == PINGO__SLURM_SUBMIT &&
           (number == FULL || (call->bundle && (number == BAD_ARRAY || number == OVER_LIMIT)));
}

static bool is_unknown(const struct pingo__executor_slurm_call *call, int64_t number)
{
    return call->kind != PINGO__SLURM_SUBMIT &&
           (number == PINGO__SLURM_UNKNOWN_JOB || (call->ntasks && number == NO_SUCH_TASK));
}

/* Does it say what was asked for?  That jobs are not told is no word of theirs. */
static bool is_whole(const struct pingo__executor_slurm_call *call,
                     const struct pingo__executor_slurm_reply *told)
{
    return told->is_read && (call->kind == PINGO__SLURM_SUBMIT   ? told->job_id > 0
                             : call->kind == PINGO__SLURM_CANCEL ? !told->has_error
                                                                 : told->has_rows);
}

/* slurmrestd does not tell a token that has expired from a controller that is down. */
static void judge(struct rest *r, const struct pingo__http_reply *reply,
                  const struct pingo__executor_slurm_reply *told,
                  struct pingo__executor_slurm_answer *a)
{
    bool submits = a->call.kind == PINGO__SLURM_SUBMIT;
    snprintf(a->message, sizeof a->message, "%s: %.200s%s", r->s->url,
             *told->error ? told->error : "an answer that cannot be read",
             submits ? pingo__executor_slurm_advice(told->error) : "");
    if (is_unknown(&a->call, told->error_number)) {
        a->said = PINGO__SLURM_UNKNOWN;
    } else if (reply->status == 304 && a->call.since) {
        a->said = PINGO__SLURM_DONE;
        a->is_unchanged = true;
        a->message[0] = '\0';
    } else if (is_full(&a->call, told->error_number)) {
        a->said = PINGO__SLURM_FULL;
    } else if (reply->status == 200 && is_whole(&a->call, told)) {
        a->said = PINGO__SLURM_DONE;
        a->id = told->job_id;
        a->newest_s = told->newest_s;
        if (!submits || told->error_number != PINGO__SLURM_NEVER_STARTS)
            a->message[0] = '\0';
    } else if (is_refusal(&a->call, told) || reply->status == 400) {
        a->said = PINGO__SLURM_REFUSED;
    } else if (reply->status == 200 && !told->is_read) {
        a->said = PINGO__SLURM_UNSURE;
    } else if (told->error_number != NOT_REACHED &&
               pingo__executor_slurm_token_was_refused(&r->token)) {
        a->said = PINGO__SLURM_AGAIN;
    } else if (reply->status == 404) { /* another slurmrestd has come */
        r->version = 0;
        a->said = PINGO__SLURM_AGAIN;
    } else {
        a->said = reply->status == 401 || told->error_number == NOT_REACHED ? PINGO__SLURM_DOWN
                                                                            : PINGO__SLURM_UNSURE;
        if (told->error_number < 0 || told->error_number >= PINGO__SLURM_RESTD ||
            told->error_number == NOT_LET_IN)
            snprintf(a->message, sizeof a->message,
                     "%s: slurmrestd does not reach Slurm's controller, or does not take the "
                     "token%s (%.80s)",
                     r->s->url, pingo__executor_slurm_token_has_expired(&r->token) ? EXPIRED : "",
                     *told->error ? told->error : "no reason told");
    }
}

static bool rest_next(void *way, struct pingo__executor_slurm_answer *answer)
{
    struct rest *r = way;
    struct pingo__http_reply reply;
    pingo__http_drive(r->client);
    while (pingo__http_next(r->client, &reply)) {
        if (!reply.own) {
            probed(r, &reply);
            continue;
        }
        *answer = (struct pingo__executor_slurm_answer){
            .call = *(struct pingo__executor_slurm_call *)reply.own};
        free(reply.own);
        if (reply.result != PINGO__HTTP_REPLIED) {
            answer->said = reply.result < PINGO__HTTP_LOST ? PINGO__SLURM_DOWN : PINGO__SLURM_UNSURE;
            snprintf(answer->message, sizeof answer->message, "%.255s", reply.message);
            return true;
        }
        struct pingo__executor_slurm_reply told;
        struct seeing seeing = {r, &answer->call};
        bool asks =
            answer->call.kind != PINGO__SLURM_SUBMIT && answer->call.kind != PINGO__SLURM_CANCEL;
        if (pingo__executor_slurm_reply_read(reply.body, reply.length,
                                             asks && reply.status == 200 ? on_job : NULL, &seeing,
                                             &told))
            told.is_read = false;
        judge(r, &reply, &told, answer);
        return true;
    }
    return false;
}

const struct pingo__executor_slurm_way pingo__executor_slurm_rest = {
    .open = rest_open,
    .close = rest_close,
    .is_ready = rest_is_ready,
    .ask = rest_ask,
    .next = rest_next,
    .about = rest_about,
};
