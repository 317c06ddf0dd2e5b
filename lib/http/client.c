/* client.c - see http.h.
 *
 * What always holds: a request is in one of the lines (it waits, is over) or in a slot; a slot's handle is in the hands
 * of libcurl as long as the slot has a request.  The descriptor is an epoll of libcurl's sockets and of a timer, which
 * is set to libcurl's time, or to now where something can go on. */
#include "http/http.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/world.h"
#include "http/request.h"

#define UNIX "unix:"
#define EVENTS 16 /* looked at in one go */
#define STREAM_BYTES 524288L
#define KEEP_S 60L /* of silence, until the system asks whether a server is there */
#define OTHERS 3   /* connections kept, besides those to the client's own server */

struct slot {
    CURL *easy;
    struct pingo__http_entry *entry; /* NULL: it is free */
};

struct pingo__http_client {
    struct pingo__http_options options;
    char *url;
    const char *socket; /* in it; NULL: none */
    bool is_loaded;
    struct pingo__http_curl curl;
    CURLM *multi;
    struct slot *slots;
    int poll_fd, timer_fd;
    int64_t curl_due_ms; /* monotonic; -1: none */
    struct pingo__http_line waiting, over;
    struct pingo__http_entry *taken; /* what next has given */
    size_t count;
};

/* ---- what libcurl asks for ----------------------------------------------------------------------- */

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *of_socket)
{
    struct pingo__http_client *c = context;
    struct epoll_event event = {.data.fd = fd};
    (void)easy;
    (void)of_socket;
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
    if (what == CURL_POLL_REMOVE)
        epoll_ctl(c->poll_fd, EPOLL_CTL_DEL, fd, NULL);
    else if (epoll_ctl(c->poll_fd, EPOLL_CTL_MOD, fd, &event) != 0 &&
             epoll_ctl(c->poll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        return -1;
    return 0;
}

static int on_timer(CURLM *multi, long after_ms, void *context)
{
    struct pingo__http_client *c = context;
    (void)multi;
    c->curl_due_ms = after_ms < 0 ? -1 : pingo__world_monotonic_ms() + after_ms;
    return 0;
}

static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)context;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* ---- life ------------------------------------------------------------------------------------------ */

static int set_up(struct pingo__http_client *c, const char *url, struct pingo_error *err)
{
    c->slots = calloc(c->options.connections, sizeof *c->slots);
    c->url = strdup(url);
    if (!c->slots || !c->url)
        return pingo__fail_memory(err);
    c->socket = strncmp(url, UNIX, strlen(UNIX)) == 0 ? c->url + strlen(UNIX) : NULL;
    c->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = c->timer_fd};
    if (c->poll_fd < 0 || c->timer_fd < 0 ||
        epoll_ctl(c->poll_fd, EPOLL_CTL_ADD, c->timer_fd, &event) != 0)
        return pingo__fail_os(err, errno, "a descriptor to wait on", url);
    return 0;
}

int pingo__http_open(const char *url, const struct pingo__http_options *options,
                     struct pingo__http_client **client, struct pingo_error *err)
{
    const char *wrong;
    struct pingo__http_client *c = calloc(1, sizeof *c);
    *client = NULL;
    if (!c)
        return pingo__fail_memory(err);
    STAILQ_INIT(&c->waiting);
    STAILQ_INIT(&c->over);
    c->options = *options;
    c->curl_due_ms = c->poll_fd = c->timer_fd = -1;
    int rc = pingo__http_url_is_valid(url, &wrong)
                 ? set_up(c, url, err)
                 : pingo__fail(err, PINGO_EINVAL, "\"%s\": %s", url, wrong);
    if (rc)
        pingo__http_close(c);
    else
        *client = c;
    return rc;
}

static void drop(struct pingo__http_client *c, struct pingo__http_entry *entry)
{
    if (entry && c->options.drop)
        c->options.drop(entry->reply.own);
    pingo__http_entry_free(&c->curl, entry);
}

static void free_line(struct pingo__http_client *c, struct pingo__http_line *line)
{
    struct pingo__http_entry *entry;
    while ((entry = STAILQ_FIRST(line))) {
        STAILQ_REMOVE_HEAD(line, next);
        drop(c, entry);
    }
}

void pingo__http_close(struct pingo__http_client *c)
{
    if (!c)
        return;
    for (unsigned i = 0; c->multi && i < c->options.connections; i++) {
        if (c->slots[i].entry)
            c->curl.multi_remove_handle(c->multi, c->slots[i].easy);
        drop(c, c->slots[i].entry);
        if (c->slots[i].easy)
            c->curl.easy_cleanup(c->slots[i].easy);
    }
    if (c->multi)
        c->curl.multi_cleanup(c->multi);
    free_line(c, &c->waiting);
    free_line(c, &c->over);
    pingo__http_entry_free(&c->curl, c->taken);
    pingo__file_close(c->poll_fd);
    pingo__file_close(c->timer_fd);
    free(c->slots);
    free(c->url);
    free(c);
}

static int begin(struct pingo__http_client *c, struct pingo_error *err)
{
    int rc = c->is_loaded ? 0 : pingo__http_curl_load(&c->curl, err);
    c->is_loaded = c->is_loaded || !rc;
    if (rc || c->multi)
        return rc;
    c->multi = c->curl.multi_init();
    if (!c->multi || c->curl.multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket) != CURLM_OK ||
        c->curl.multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c) != CURLM_OK ||
        c->curl.multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer) != CURLM_OK ||
        c->curl.multi_setopt(c->multi, CURLMOPT_TIMERDATA, c) != CURLM_OK ||
        c->curl.multi_setopt(c->multi, CURLMOPT_MAXCONNECTS,
                             (long)c->options.connections + OTHERS) != CURLM_OK)
        return pingo__fail_memory(err);
    return 0;
}

/* ---- a request ----------------------------------------------------------------------------------------- */

static bool set_body(const struct pingo__http_curl *curl, CURL *easy,
                     const struct pingo__http_entry *e)
{
    bool done = true;
    if (e->stream && e->stream->give)
        done = !curl->easy_setopt(easy, CURLOPT_UPLOAD, 1L) &&
               !curl->easy_setopt(easy, CURLOPT_READFUNCTION, pingo__http_entry_give) &&
               !curl->easy_setopt(easy, CURLOPT_READDATA, e) &&
               !curl->easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, STREAM_BYTES) &&
               !curl->easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)e->stream->length);
    if (e->body)
        done = !curl->easy_setopt(easy, CURLOPT_POSTFIELDS, e->body) &&
               !curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)e->length);
    return done && !curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, e->method);
}

/* What Kerberos says where there is no ticket to show; libcurl tells it in no other way. */
static int on_told(CURL *easy, curl_infotype type, char *text, size_t n, void *entry)
{
    static const char before[] = "gss_init_sec_context() failed: ";
    struct pingo__http_entry *e = entry;
    size_t from = strlen(before);
    (void)easy;
    while (n > from && strchr(". \n", text[n - 1]))
        n--;
    if (type == CURLINFO_TEXT && n > from && memcmp(text, before, from) == 0)
        snprintf(e->reply.message, sizeof e->reply.message, "%.*s", (int)(n - from), text + from);
    return 0;
}

/* What a stream has instead of a time for all of it, and what Kerberos needs. */
static bool set_more(const struct pingo__http_client *c, CURL *easy,
                     const struct pingo__http_entry *e)
{
    const struct pingo__http_curl *curl = &c->curl;
    bool done = true;
    if (e->stream)
        done = !curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, 0L) &&
               !curl->easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L) &&
               !curl->easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
                                  (long)((c->options.stall_ms + 999) / 1000)) &&
               !curl->easy_setopt(easy, CURLOPT_BUFFERSIZE, STREAM_BYTES);
    if (!e->negotiates)
        return done;
    /* Cookies are kept from now on: a comment is none.  A COOKIEFILE, which does the same, 7.88 never frees. */
    curl->easy_setopt(easy, CURLOPT_COOKIELIST, "#");
    return done && !curl->easy_setopt(easy, CURLOPT_VERBOSE, 1L) &&
           !curl->easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_told) &&
           !curl->easy_setopt(easy, CURLOPT_DEBUGDATA, e) &&
           !curl->easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_NEGOTIATE) &&
           !curl->easy_setopt(easy, CURLOPT_USERPWD, ":");
}

static bool set_options(const struct pingo__http_client *c, CURL *easy, struct pingo__http_entry *e)
{
    const struct pingo__http_curl *curl = &c->curl;
    const struct {
        CURLoption option;
        long value;
    } numbers[] = {{CURLOPT_NOSIGNAL, 1},
                   {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
                   {CURLOPT_CONNECTTIMEOUT_MS, (long)c->options.connect_ms},
                   {CURLOPT_TIMEOUT_MS, (long)c->options.whole_ms},
                   {CURLOPT_PATH_AS_IS, 1}, /* or "/a/../b" becomes "/b", which is something else */
                   {CURLOPT_TCP_KEEPALIVE, 1},
                   {CURLOPT_TCP_KEEPIDLE, KEEP_S},
                   {CURLOPT_TCP_KEEPINTVL, KEEP_S / 4}};
    const struct {
        CURLoption option;
        const void *value;
    } pointers[] = {{CURLOPT_URL, e->url},
                    {CURLOPT_UNIX_SOCKET_PATH, c->socket},
                    {CURLOPT_PROTOCOLS_STR, "http,https"},
                    {CURLOPT_CAINFO, c->options.ca_file},
                    {CURLOPT_PROXY, ""},
                    {CURLOPT_HTTPHEADER, e->headers},
                    {CURLOPT_WRITEDATA, e},
                    {CURLOPT_HEADERDATA, e},
                    {CURLOPT_ERRORBUFFER, e->wrong},
                    {CURLOPT_PRIVATE, e}};
    CURLcode failed = CURLE_OK;
    curl->easy_reset(easy);
    for (size_t i = 0; !failed && i < sizeof numbers / sizeof *numbers; i++)
        failed = curl->easy_setopt(easy, numbers[i].option, numbers[i].value);
    for (size_t i = 0; !failed && i < sizeof pointers / sizeof *pointers; i++)
        if (pointers[i].value)
            failed = curl->easy_setopt(easy, pointers[i].option, pointers[i].value);
    /* Else a name server that does not answer is waited for, be it that our time is over; before 7.87 it is. */
    curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    return !failed && !curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, pingo__http_entry_take_body) &&
           !curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, pingo__http_entry_take_header) &&
           !curl->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open) &&
           set_body(curl, easy, e) && set_more(c, easy, e);
}

static bool is_of_certificate(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
}

/* Says why there is no reply, and whose. */
static void tell(const struct pingo__http_client *c, struct pingo__http_entry *e, CURLcode code)
{
    char *message = e->reply.message, server[128];
    /* Of a certificate it says more than its code does; of all else the code's words, which are the same each time. */
    const char *host = strstr(e->url, "://");
    size_t shown = host ? (size_t)(host + 3 - e->url) + strcspn(host + 3, "/") : 0;
    snprintf(server, sizeof server, "%.*s", c->socket ? INT_MAX : (int)shown,
             c->socket ? c->url : e->url);
    if (e->too_much)
        snprintf(message, sizeof e->reply.message, "%s: its reply is longer than %zu bytes", server,
                 e->max_bytes);
    else if (code)
        snprintf(message, sizeof e->reply.message, "%s: %.126s", server,
                 is_of_certificate(code) && *e->wrong ? e->wrong : c->curl.easy_strerror(code));
}

static void finish(struct pingo__http_client *c, struct pingo__http_entry *e, CURLcode code,
                   CURL *easy)
{
    struct pingo__http_reply *reply = &e->reply;
    long status = 0, sent = 0;
    if (easy) {
        c->curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        c->curl.easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &sent);
    }
    reply->status = code ? 0 : (int)status;
    reply->result = !code                     ? PINGO__HTTP_REPLIED
                    : e->too_much             ? PINGO__HTTP_UNREAD
                    : is_of_certificate(code) ? PINGO__HTTP_UNTRUSTED
                    : sent                    ? PINGO__HTTP_LOST
                                              : PINGO__HTTP_UNSENT;
    tell(c, e, code);
    reply->body = code ? "" : pingo__buffer_cstr(&e->in);
    reply->length = code ? 0 : e->in.length;
    reply->location = code ? NULL : e->location;
    reply->type = code ? NULL : e->type;
    if (!reply->body) { /* no memory for its end */
        reply->result = PINGO__HTTP_LOST;
        reply->body = "";
        reply->length = 0;
    }
    STAILQ_INSERT_TAIL(&c->over, e, next);
}

static void start(struct pingo__http_client *c, struct slot *slot, struct pingo__http_entry *e)
{
    e->max_bytes = c->options.max_bytes;
    if (!slot->easy)
        slot->easy = c->curl.easy_init();
    if (!slot->easy || !set_options(c, slot->easy, e) ||
        c->curl.multi_add_handle(c->multi, slot->easy) != CURLM_OK)
        finish(c, e, CURLE_OUT_OF_MEMORY, NULL);
    else
        slot->entry = e;
}

static struct slot *free_slot(struct pingo__http_client *c)
{
    for (unsigned i = 0; i < c->options.connections; i++)
        if (!c->slots[i].entry)
            return &c->slots[i];
    return NULL;
}

static void fill_slots(struct pingo__http_client *c)
{
    struct slot *slot;
    struct pingo__http_entry *e;
    while ((e = STAILQ_FIRST(&c->waiting)) && (slot = free_slot(c))) {
        STAILQ_REMOVE_HEAD(&c->waiting, next);
        start(c, slot, e);
    }
}

/* ---- going on -------------------------------------------------------------------------------------- */

static bool take_ends(struct pingo__http_client *c)
{
    int left;
    bool any = false;
    for (CURLMsg *m; (m = c->curl.multi_info_read(c->multi, &left));) {
        CURL *easy = m->easy_handle;
        CURLcode code = m->data.result;
        for (unsigned i = 0; m->msg == CURLMSG_DONE && i < c->options.connections; i++) {
            struct pingo__http_entry *e = c->slots[i].entry;
            if (!e || c->slots[i].easy != easy)
                continue;
            c->slots[i].entry = NULL;
            finish(c, e, code, easy);
            c->curl.multi_remove_handle(c->multi, easy);
            any = true;
            break;
        }
    }
    return any;
}

static void set_timer(struct pingo__http_client *c)
{
    int64_t due = c->curl_due_ms, now = pingo__world_monotonic_ms();
    if (!STAILQ_EMPTY(&c->over) || (!STAILQ_EMPTY(&c->waiting) && free_slot(c)))
        due = now;
    int64_t left = due < 0 ? 0 : due > now ? due - now : 0;
    struct itimerspec when = {.it_value = {left / 1000, left % 1000 * 1000000}};
    if (due >= 0 && !left)
        when.it_value.tv_nsec = 1;
    timerfd_settime(c->timer_fd, 0, &when, NULL);
}

static int serve_sockets(struct pingo__http_client *c)
{
    struct epoll_event events[EVENTS];
    int running, served = 0, n = epoll_wait(c->poll_fd, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.fd == c->timer_fd)
            continue;
        int what = (events[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
                   (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                   (events[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0);
        c->curl.multi_socket_action(c->multi, events[i].data.fd, what, &running);
        served++;
    }
    if (c->curl_due_ms >= 0 && c->curl_due_ms <= pingo__world_monotonic_ms()) {
        c->curl_due_ms = -1;
        c->curl.multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        served++;
    }
    return served;
}

void pingo__http_drive(struct pingo__http_client *c)
{
    uint64_t expired;
    if (!c->multi)
        return;
    if (read(c->timer_fd, &expired, sizeof expired) < 0 && errno != EAGAIN)
        return;
    /* A peer that answers at once keeps us going, but not for ever: whoever has us open has other work. */
    for (int round = 0; round < 64; round++) {
        fill_slots(c);
        int served = serve_sockets(c);
        if (!take_ends(c) && !served)
            break;
    }
    set_timer(c);
}

int pingo__http_send(struct pingo__http_client *c, const struct pingo__http_request *request,
                     struct pingo_error *err)
{
    struct pingo__http_entry *e = NULL;
    int rc = begin(c, err);
    if (!rc)
        rc = pingo__http_entry_new(&c->curl, c->socket ? "http://localhost" : c->url, request, &e,
                                   err);
    if (rc)
        return rc;
    STAILQ_INSERT_TAIL(&c->waiting, e, next);
    c->count++;
    set_timer(c);
    return 0;
}

bool pingo__http_next(struct pingo__http_client *c, struct pingo__http_reply *reply)
{
    pingo__http_entry_free(&c->curl, c->taken);
    c->taken = STAILQ_FIRST(&c->over);
    if (!c->taken)
        return false;
    STAILQ_REMOVE_HEAD(&c->over, next);
    *reply = c->taken->reply;
    c->count--;
    return true;
}

int pingo__http_poll_fd(const struct pingo__http_client *client)
{
    return client->poll_fd;
}

bool pingo__http_wait(struct pingo__http_client *client, int most_ms,
                      struct pingo__http_reply *reply)
{
    struct pollfd polled = {client->poll_fd, POLLIN, 0};
    poll(&polled, 1, most_ms);
    pingo__http_drive(client);
    return pingo__http_next(client, reply);
}

size_t pingo__http_count(const struct pingo__http_client *client)
{
    return client->count;
}

int64_t pingo__http_moved(const struct pingo__http_client *client)
{
    int64_t moved = 0;
    for (size_t i = 0; i < client->options.connections; i++)
        moved += client->slots[i].entry ? client->slots[i].entry->moved : 0;
    return moved;
}
