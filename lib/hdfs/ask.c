/* ask.c - questions, and who answers them.
 *
 * What always holds: a connection is in one hand at a time; a change whose answer was lost is not asked for again
 * here. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/error.h"
#include "base/process.h"
#include "base/world.h"
#include "hdfs/inside.h"

#define PATIENCE_MS 30000
#define ANSWER_MS 60000
#define STALL_MS 60000
#define ANSWER_MOST ((size_t)32 << 20) /* a thousand entries with long names are 3 MB */
#define STOP_SEEN_MS 200
#define PAUSE_FIRST_MS 100
#define PAUSE_MOST_MS 2000
#define PROBE_MS 500
#define ROOT "/webhdfs/v1"
#define HURRY_MS 5000

struct pingo__hdfs_line {
    struct pingo__hdfs_line *next;
    struct pingo__http_client *client;
};

/* ---- life ------------------------------------------------------------------------------------ */

static int fill(struct pingo__hdfs *fs, const char *url, const struct pingo__hdfs_options *options,
                struct pingo_error *err)
{
    const char *wrong = NULL;
    if (!pingo__hdfs_read_url(url, &fs->place, &wrong))
        return pingo__fail(err, PINGO_EINVAL, "\"%s\": %s", url, wrong);
    size_t n = strlen(url);
    while (url + n > fs->place.path + 1 && url[n - 1] == '/')
        n--;
    fs->url = strndup(url, n);
    if (!fs->url)
        return pingo__fail_memory(err);
    pingo__hdfs_read_url(fs->url, &fs->place, &wrong);
    fs->root = strdup(fs->place.path[1] ? fs->place.path : "");
    fs->token = options->token ? strdup(options->token) : NULL;
    fs->ca_file = options->ca_file ? strdup(options->ca_file) : NULL;
    if (!fs->root || (options->token && !fs->token) || (options->ca_file && !fs->ca_file))
        return pingo__fail_memory(err);
    fs->world = options->world ? options->world : pingo__world_real();
    fs->patience_ms = options->patience_ms ? options->patience_ms : PATIENCE_MS;
    fs->shares_outages = options->shares_outages;
    fs->guard = options->guard;
    fs->guard_context = options->guard_context;
    fs->http =
        (struct pingo__http_options){.connect_ms = 5000,
                                     .whole_ms = options->answer_ms ? options->answer_ms : ANSWER_MS,
                                     .stall_ms = options->stall_ms ? options->stall_ms : STALL_MS,
                                     .max_bytes = ANSWER_MOST,
                                     .connections = 1,
                                     .ca_file = fs->ca_file};
    /* Who this process is: what a cluster without Kerberos believes. */
    if (*fs->place.user || pingo__process_user(fs->place.user))
        return 0;
    return pingo__fail(err, PINGO_EINVAL,
                       "user %ld of this machine has no name; write webhdfs://USER@HOST:PORT/...",
                       (long)geteuid());
}

int pingo__hdfs_open(const char *url, const struct pingo__hdfs_options *options,
                     struct pingo__hdfs **out, struct pingo_error *err)
{
    static const struct pingo__hdfs_options usual = {.token = NULL};
    struct pingo__hdfs *fs = calloc(1, sizeof *fs);
    *out = NULL;
    if (!fs)
        return pingo__fail_memory(err);
    pthread_mutex_init(&fs->lock, NULL);
    int rc = fill(fs, url, options ? options : &usual, err);
    if (rc)
        pingo__hdfs_close(fs);
    else
        *out = fs;
    return rc;
}

void pingo__hdfs_close(struct pingo__hdfs *fs)
{
    if (!fs)
        return;
    for (struct pingo__hdfs_line *line; (line = fs->idle);) {
        fs->idle = line->next;
        pingo__http_close(line->client);
        free(line);
    }
    pthread_mutex_destroy(&fs->lock);
    free(fs->url);
    free(fs->root);
    free(fs->token);
    free(fs->ca_file);
    free(fs);
}

void pingo__hdfs_stop(struct pingo__hdfs *fs)
{
    atomic_store(&fs->stopped, true);
}

void pingo__hdfs_hurry(struct pingo__hdfs *fs, bool hurries)
{
    atomic_store(&fs->has_hurried, false);
    atomic_store(&fs->hurries, hurries);
}

int pingo__hdfs_uri(const struct pingo__hdfs *fs, const char *path, char **uri,
                    struct pingo_error *err)
{
    const struct pingo__hdfs_place *p = &fs->place;
    struct pingo__buffer text = {0};
    char *whole = pingo__hdfs_path(fs, path);
    pingo__buffer_format(&text, "%s://%s@%.*s%s", p->tls ? "swebhdfs" : "webhdfs", p->user,
                         (int)(p->path - p->hosts), p->hosts, whole ? whole : "");
    *uri = whole ? pingo__buffer_take(&text) : NULL;
    pingo__buffer_clear(&text);
    free(whole);
    return *uri ? 0 : pingo__fail_memory(err);
}

/* ---- one exchange ----------------------------------------------------------------------------- */

static int take_line(struct pingo__hdfs *fs, struct pingo__hdfs_line **line, struct pingo_error *err)
{
    pthread_mutex_lock(&fs->lock);
    *line = fs->idle;
    if (*line)
        fs->idle = (*line)->next;
    pthread_mutex_unlock(&fs->lock);
    if (*line)
        return 0;
    *line = calloc(1, sizeof **line);
    if (!*line)
        return pingo__fail_memory(err);
    int rc = pingo__http_open(fs->place.servers[0], &fs->http, &(*line)->client, err);
    if (rc)
        free(*line);
    return rc;
}

/* One on which something is under way is of no more use; nor is one whose cookie says that we are somebody who may not:
 * with another ticket we may. */
static void give_back(struct pingo__hdfs *fs, struct pingo__hdfs_line *line, bool is_refused)
{
    struct pingo__http_reply none;
    pingo__http_next(line->client, &none);
    if (is_refused || pingo__http_count(line->client)) {
        pingo__http_close(line->client);
        free(line);
        return;
    }
    pthread_mutex_lock(&fs->lock);
    line->next = fs->idle;
    fs->idle = line;
    pthread_mutex_unlock(&fs->lock);
}

static int stopped(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EINTERRUPTED, "stopped");
}

static int in_a_hurry(struct pingo_error *err)
{
    return pingo__fail(err, PINGO_EAWAY, "no answer came within %d s, and nobody waits longer",
                       HURRY_MS / 1000);
}

/* A question was given up since it hurries; what is left of another hurry says nothing. */
static bool has_hurried(const struct pingo__hdfs *fs)
{
    return atomic_load(&fs->hurries) && atomic_load(&fs->has_hurried);
}

/* Is nobody waited for any longer who has been silent since? */
static int is_given_up(struct pingo__hdfs *fs, int64_t silent_ms, struct pingo_error *err)
{
    if (atomic_load(&fs->stopped))
        return stopped(err);
    if (!atomic_load(&fs->hurries) || pingo__world_monotonic_ms() - silent_ms < HURRY_MS)
        return 0;
    atomic_store(&fs->has_hurried, true);
    return in_a_hurry(err);
}

/* Keeps what is said.  0, whatever that is; PINGO_EAWAY where nothing was. */
static int keep(struct pingo__hdfs_answer *a, const struct pingo__http_reply *reply,
                struct pingo_error *err)
{
    pingo__hdfs_answer_clear(a);
    a->status = reply->status;
    a->lost = reply->result >= PINGO__HTTP_LOST;
    if (reply->result != PINGO__HTTP_REPLIED)
        return pingo__fail(err, PINGO_EAWAY, "%s", reply->message);
    snprintf(a->no_ticket, sizeof a->no_ticket, "%s", reply->message);
    pingo__buffer_append(&a->body, reply->body, reply->length);
    if (reply->location && !(a->location = strdup(reply->location)))
        return pingo__fail_memory(err);
    return pingo__buffer_cstr(&a->body) ? 0 : pingo__fail_memory(err);
}

/* asked_ms: 0: of bytes, which may take long: it is since they moved last. */
static int exchange(struct pingo__hdfs *fs, const struct pingo__http_request *request,
                    int64_t asked_ms, struct pingo__hdfs_answer *a, struct pingo_error *err)
{
    struct pingo__hdfs_line *line;
    struct pingo__http_reply reply;
    int rc = take_line(fs, &line, err);
    if (rc)
        return rc;
    rc = pingo__http_send(line->client, request, err);
    bool is_over = rc != 0;
    int64_t silent_ms = asked_ms ? asked_ms : pingo__world_monotonic_ms(), moved = 0;
    while (!is_over) {
        rc = is_given_up(fs, silent_ms, err);
        if (rc) {
            a->lost = true;
            break;
        }
        is_over = pingo__http_wait(line->client, STOP_SEEN_MS, &reply);
        if (!asked_ms && pingo__http_moved(line->client) != moved) {
            moved = pingo__http_moved(line->client);
            silent_ms = pingo__world_monotonic_ms();
        }
        rc = is_over ? keep(a, &reply, err) : 0;
    }
    give_back(fs, line, request->negotiates && a->status == 403);
    return rc;
}

void pingo__hdfs_answer_clear(struct pingo__hdfs_answer *a)
{
    pingo__buffer_clear(&a->body);
    free(a->location);
    *a = (struct pingo__hdfs_answer){.status = 0};
}

/* ---- whoever serves ------------------------------------------------------------------------------ */

void pingo__hdfs_pause(struct pingo__hdfs *fs, int64_t *next_ms)
{
    int64_t ms = pingo__backoff_next(next_ms, PAUSE_FIRST_MS, PAUSE_MOST_MS);
    for (; ms > 0 && !atomic_load(&fs->stopped); ms -= STOP_SEEN_MS)
        poll(NULL, 0, (int)(ms < STOP_SEEN_MS ? ms : STOP_SEEN_MS));
}

static int make_url(const struct pingo__hdfs *fs, const struct pingo__hdfs_question *q,
                    struct pingo__buffer *path, struct pingo_error *err)
{
    const char *fault = pingo__hdfs_path_fault(q->path);
    if (fault)
        return pingo__fail(err, PINGO_EINVAL, "%s: %s", q->path, fault);
    pingo__buffer_reset(path);
    pingo__buffer_text(path, fs->place.servers[atomic_load(&fs->serving) % fs->place.nservers]);
    pingo__buffer_text(path, ROOT);
    pingo__hdfs_encode(path, q->path);
    pingo__buffer_format(path, "?%s", q->query);
    if (fs->token || !atomic_load(&fs->negotiates)) {
        pingo__buffer_text(path, fs->token ? "&delegation=" : "&user.name=");
        pingo__hdfs_encode(path, fs->token ? fs->token : fs->place.user);
    }
    return pingo__buffer_cstr(path) ? 0 : pingo__fail_memory(err);
}

/* Java composes letters and the marks behind them where it writes a url (Unicode's NFC), and that is another name: what
 * is to be followed gets the path that was asked for. */
static int lead_to(const char *path, char **location, struct pingo_error *err)
{
    struct pingo__buffer url = {0};
    char *root = *location ? strstr(*location, ROOT) : NULL,
         *query = root ? strchr(root, '?') : NULL;
    const char *at = path;
    while (*at && (unsigned char)*at < 0x80)
        at++;
    if (!*at || !query)
        return 0;
    pingo__buffer_append(&url, *location, (size_t)(root - *location));
    pingo__buffer_text(&url, ROOT);
    pingo__hdfs_encode(&url, path);
    pingo__buffer_text(&url, query);
    free(*location);
    *location = pingo__buffer_take(&url);
    return *location ? 0 : pingo__fail_memory(err);
}

/* What one of them says: *again: another one, or the same later, may say something else. */
static int ask_one(struct pingo__hdfs *fs, const struct pingo__hdfs_question *q,
                   struct pingo__hdfs_answer *a, bool *again, struct pingo_error *err)
{
    struct pingo__buffer url = {0};
    bool negotiates = atomic_load(&fs->negotiates);
    char why[512];
    *again = false;
    int rc = make_url(fs, q, &url, err);
    if (!rc)
        rc = exchange(fs,
                      &(struct pingo__http_request){.method = q->method,
                                                    .path = url.data,
                                                    .negotiates = negotiates && !fs->token},
                      pingo__world_monotonic_ms(), a, err);
    if (rc) {
        *again = rc == PINGO_EAWAY && !(a->lost && q->changes);
    } else if (a->status == 401 && !negotiates && !fs->token) {
        atomic_store(&fs->negotiates, true);
        *again = true;
        rc = PINGO_EAWAY;
    } else if (a->status >= 400) {
        *again = pingo__hdfs_refused(a, &rc, why) != PINGO__HDFS_FINAL;
        pingo__fail(err, rc, "%s: %s", q->path, why);
    } else {
        rc = lead_to(q->path, &a->location, err);
    }
    pingo__buffer_clear(&url);
    return rc;
}

/* May this call ask?  Else it fails as the one that waited. */
static int join_outage(struct pingo__hdfs *fs, bool *probes, struct pingo_error *err)
{
    int rc = 0;
    *probes = false;
    if (!atomic_load(&fs->is_away))
        return 0;
    pthread_mutex_lock(&fs->lock);
    if (fs->is_probed || pingo__world_monotonic_ms() - fs->probed_ms < PROBE_MS)
        rc = pingo__fail(err, fs->why.code, "%s", fs->why.message);
    else
        *probes = fs->is_probed = true;
    pthread_mutex_unlock(&fs->lock);
    return rc;
}

static void note_outage(struct pingo__hdfs *fs, bool probed, bool is_away, int rc,
                        const struct pingo_error *why)
{
    bool is_back = !is_away && rc != PINGO_EAWAY && rc != PINGO_EINTERRUPTED && rc != PINGO_ENOMEM;
    if (!fs->shares_outages || (!probed && !is_away && !atomic_load(&fs->is_away)))
        return;
    pthread_mutex_lock(&fs->lock);
    if (is_away)
        pingo__fail(&fs->why, rc, "%s", why->message);
    if (is_away || is_back)
        atomic_store(&fs->is_away, is_away);
    fs->is_probed = fs->is_probed && !probed;
    fs->probed_ms = pingo__world_monotonic_ms();
    pthread_mutex_unlock(&fs->lock);
}

/* *is_away: nobody served for as long as the patience lasts. */
static int ask_all(struct pingo__hdfs *fs, const struct pingo__hdfs_question *q,
                   struct pingo__hdfs_answer *a, bool *is_away, struct pingo_error *err)
{
    int64_t until = pingo__world_monotonic_ms() + (*is_away ? 0 : fs->patience_ms), pause = 0;
    bool again = true, served = false;
    int rc = 0;
    *is_away = false;
    while (again) {
        for (size_t i = 0; again && i < fs->place.nservers; i++) {
            unsigned asked = atomic_load(&fs->serving);
            bool knew = atomic_load(&fs->negotiates);
            rc = ask_one(fs, q, a, &again, err);
            if (again && !knew && atomic_load(&fs->negotiates)) /* now he gets what he wants */
                rc = ask_one(fs, q, a, &again, err);
            if (again)
                atomic_compare_exchange_strong(&fs->serving, &asked, asked + 1);
            served = served || rc == PINGO_ESTATE;
        }
        *is_away = again && (has_hurried(fs) || pingo__world_monotonic_ms() >= until);
        if (*is_away) /* who answers tells more than who does not */
            return served ? PINGO_ESTATE : PINGO_EAWAY;
        if (again)
            pingo__hdfs_pause(fs, &pause);
        if (again && atomic_load(&fs->stopped))
            return stopped(err);
    }
    return rc;
}

int pingo__hdfs_ask(struct pingo__hdfs *fs, const struct pingo__hdfs_question *q,
                    struct pingo__hdfs_answer *a, struct pingo_error *err)
{
    struct pingo_error why = {0};
    bool probes = false;
    int rc = fs->guard ? fs->guard(fs->guard_context, err) : 0;
    if (!rc && has_hurried(fs))
        rc = in_a_hurry(err);
    if (!rc)
        rc = join_outage(fs, &probes, err);
    if (rc)
        return rc;
    bool is_away = probes;
    rc = ask_all(fs, q, a, &is_away, &why);
    note_outage(fs, probes, is_away, rc, &why);
    return rc ? pingo__fail(err, rc, "%s", why.message) : 0;
}

int pingo__hdfs_follow(struct pingo__hdfs *fs, const struct pingo__http_request *request,
                       struct pingo__hdfs_answer *a, struct pingo_error *err)
{
    char why[512];
    if (!request->path)
        return pingo__hdfs_not_understood("a file's bytes", err);
    int rc = exchange(fs, request, 0, a, err);
    if (rc == PINGO_EINVAL)
        return pingo__hdfs_not_understood("where a file's bytes are", err);
    if (rc || a->status < 400)
        return rc;
    pingo__hdfs_refused(a, &rc, why);
    return pingo__fail(err, rc == PINGO_ESTATE ? PINGO_EAWAY : rc, "%.*s: %s",
                       (int)strcspn(request->path, "?"), request->path, why);
}
