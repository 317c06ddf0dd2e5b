/* hook_try.c - one try to tell somebody: a program is run, or a request sent.  See hooks.h. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/child.h"
#include "base/error.h"
#include "http/http.h"
#include "engine/hooks.h"

#define LOOK_MS 50
#define ANSWER_MOST 65536
#define SAID_MOST 300
#define KEEP_BYTES 65536 /* of what a program says */

/* ---- a program --------------------------------------------------------------------------------------- */

static void tell_end(struct pingo__child *child, int status, int64_t limit_ms, bool was_late,
                     struct pingo_error *message)
{
    struct pingo__buffer said = {0};
    pingo__child_said_last(child, true, SAID_MOST, &said);
    while (said.length > 0 && said.data[said.length - 1] == '\n')
        said.length--;
    const char *text = pingo__buffer_cstr(&said);
    if (was_late)
        pingo__fail(message, PINGO_EIO, "it has not ended within %lld s",
                    (long long)limit_ms / 1000);
    else if (status < 0)
        pingo__fail(message, PINGO_EIO, "a signal ended it");
    else
        pingo__fail(message, PINGO_EIO, "it ended with the status %d%s%.*s", status,
                    text && *text ? ": " : "", SAID_MOST, text ? text : "");
    pingo__buffer_clear(&said);
}

static enum pingo__engine_hook_result run(const struct pingo__engine_hook_try *t,
                                          struct pingo_error *message)
{
    char variable[128];
    const char *argv[] = {t->target, NULL};
    snprintf(variable, sizeof variable, "PINGO_HOOK_ID=%s", t->id);
    struct pingo__child *child = NULL;
    int status = -1;
    int rc = pingo__child_start(&(struct pingo__child_program){.argv = argv,
                                                               .variable = variable,
                                                               .in = t->body,
                                                               .limit_ms = t->limit_ms,
                                                               .keep_bytes = KEEP_BYTES},
                                &child);
    if (rc) {
        char reason[128];
        pingo__fail(message, PINGO_EIO, "it cannot be run: %s",
                    strerror_r(-rc, reason, sizeof reason));
        return PINGO__HOOK_FAILED;
    }
    int64_t until_ms = pingo__world_monotonic_ms() + t->limit_ms;
    bool has_ended = false;
    while (!has_ended && !atomic_load(t->leaves)) {
        struct pollfd fd = {pingo__child_fd(child), POLLIN, 0};
        poll(&fd, 1, LOOK_MS);
        has_ended = pingo__child_has_ended(child, &status);
    }
    if (has_ended && status != 0)
        tell_end(child, status, t->limit_ms,
                 status < 0 && pingo__world_monotonic_ms() + LOOK_MS >= until_ms, message);
    pingo__child_free(child);
    return !has_ended ? PINGO__HOOK_CUT : status == 0 ? PINGO__HOOK_DONE : PINGO__HOOK_FAILED;
}

/* ---- a request --------------------------------------------------------------------------------------- */

const char *pingo__engine_hook_place(const char *url, struct pingo__engine_hook_place *place)
{
    const char *host = strstr(url, "://"), *wrong = NULL;
    if (!host || (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0))
        return "a URL begins with http:// or https://";
    host += 3;
    size_t n = strcspn(host, "/?#");
    if (n >= sizeof place->host)
        return "its host is too long";
    if (host[n] == '?' || host[n] == '#')
        return "behind the host comes a /";
    place->path = host[n] ? host + n : "/";
    for (const char *at = place->path; *at; at++)
        if (*at <= ' ' || *at > '~' || *at == '#')
            return "its path has characters that must be written as %XX, or a #";
    snprintf(place->with_port, sizeof place->with_port, "%.*s", (int)n, host);
    if ((size_t)snprintf(place->server, sizeof place->server, "%.*s%s", (int)(host - url), url,
                         place->with_port) >= sizeof place->server)
        return "its host is too long";
    memcpy(place->host, place->with_port, sizeof place->host);
    char *port = strrchr(place->host, ':');
    if (port && !strchr(port, ']'))
        *port = '\0';
    return pingo__http_url_is_valid(place->server, &wrong) ? NULL : wrong;
}

/* Is it one of the words? */
static bool is_listed(const char *hosts, const char *host)
{
    size_t n = strlen(host);
    for (const char *at = hosts; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == n && strncasecmp(at, host, n) == 0)
            return true;
    return false;
}

bool pingo__engine_hook_may_lead(const struct pingo__engine_hook_place *place, const char *hosts)
{
    return is_listed(hosts, place->host) || is_listed(hosts, place->with_port);
}

static enum pingo__engine_hook_result ask(struct pingo__http_client *client,
                                          const struct pingo__engine_hook_try *t, const char *path,
                                          struct pingo_error *message)
{
    char id[128];
    snprintf(id, sizeof id, "Idempotency-Key: %s", t->id);
    const char *const headers[] = {"Content-Type: application/json", "Pingo-Event: workflow.ended",
                                   id, NULL};
    struct pingo__http_request request = {.method = "POST",
                                          .path = path,
                                          .headers = headers,
                                          .body = t->body,
                                          .length = strlen(t->body)};
    struct pingo__http_reply reply;
    if (pingo__http_send(client, &request, message) != 0)
        return PINGO__HOOK_FAILED;
    while (!pingo__http_wait(client, LOOK_MS, &reply))
        if (atomic_load(t->leaves))
            return PINGO__HOOK_CUT;
    if (reply.result != PINGO__HTTP_REPLIED)
        pingo__fail(message, PINGO_EIO, "%s", reply.message);
    else if (reply.status < 200 || reply.status > 299)
        pingo__fail(message, PINGO_EIO, "it was answered with the status %d", reply.status);
    else
        return PINGO__HOOK_DONE;
    return PINGO__HOOK_FAILED;
}

static enum pingo__engine_hook_result send(const struct pingo__engine_hook_try *t,
                                           struct pingo_error *message)
{
    struct pingo__engine_hook_place place;
    struct pingo__http_client *client = NULL;
    struct pingo__http_options options = {.connect_ms = t->limit_ms,
                                          .whole_ms = t->limit_ms,
                                          .stall_ms = t->limit_ms,
                                          .max_bytes = ANSWER_MOST,
                                          .connections = 1};
    const char *wrong = pingo__engine_hook_place(t->target, &place);
    if (wrong) {
        pingo__fail(message, PINGO_EINVAL, "%s", wrong);
        return PINGO__HOOK_REFUSED;
    }
    if (!pingo__engine_hook_may_lead(&place, t->hosts)) {
        pingo__fail(message, PINGO_EFORBIDDEN, "%s does not stand in hook.hosts", place.host);
        return PINGO__HOOK_REFUSED;
    }
    if (pingo__http_open(place.server, &options, &client, message) != 0)
        return PINGO__HOOK_FAILED;
    enum pingo__engine_hook_result result = ask(client, t, place.path, message);
    pingo__http_close(client);
    return result;
}

enum pingo__engine_hook_result pingo__engine_hook_do(const struct pingo__engine_hook_try *t,
                                                     struct pingo_error *message)
{
    message->message[0] = '\0';
    return t->way == PINGO_HOOK_COMMAND ? run(t, message) : send(t, message);
}
