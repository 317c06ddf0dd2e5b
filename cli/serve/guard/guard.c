/* guard.c - see guard.h: what a head says of who asks.
 *
 * Every process of this machine, and every page in a browser on it, can connect to TCP of this machine.  So names are
 * checked (a page's own server may have any name lead here), a page of elsewhere is refused by what its browser says of
 * it, and there are no cookies: who knows no token is nobody. */
#include "serve/guard/guard.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char serve_guard_headers[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
    "'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
    "'none'; require-trusted-types-for 'script'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

/* The word behind "NAME=" in "a=b c=d"; its length, 0: there is none. */
static size_t word_of(const char *list, const char *name, const char **word)
{
    size_t n = strlen(name);
    for (const char *p = list; p && *p; p += strcspn(p, " ,")) {
        p += strspn(p, " ,");
        if (strncmp(p, name, n) == 0 && p[n] == '=') {
            *word = p + n + 1;
            return strcspn(*word, " ,");
        }
    }
    return 0;
}

enum serve_role serve_guard_role(const char *users, const char *user)
{
    const char *word;
    char text[32];
    enum pingo_role role;
    size_t n = strpbrk(user, " ,=") ? 0 : word_of(users, user, &word);
    snprintf(text, sizeof text, "%.*s", (int)n, n > 0 ? word : "");
    return n < sizeof text && pingo_role_parse(text, &role) ? (enum serve_role)role : SERVE_NOBODY;
}

void serve_guard_peer(struct serve_peer *peer)
{
    const struct serve_guard *guard = peer->guard;
    char texts[4096];
    struct passwd row, *found = NULL;
    if (!peer->is_socket || peer->uid < 0 || peer->who.user)
        return;
    if (getpwuid_r((uid_t)peer->uid, &row, texts, sizeof texts, &found) == 0 && found)
        snprintf(peer->user, sizeof peer->user, "%s", found->pw_name);
    else
        snprintf(peer->user, sizeof peer->user, "%lld", (long long)peer->uid);
    bool is_owner = peer->uid == 0 || peer->uid == (int64_t)guard->owner;
    peer->who.role = is_owner ? SERVE_ADMIN : SERVE_NOBODY;
    peer->is_proxy = peer->uid == guard->proxy;
    peer->who.user = peer->user;
    peer->who.way = "socket";
}

/* Is the host of "HOST[:PORT]" one of "a b"? */
static bool is_among(const char *hosts, const char *host)
{
    size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    for (const char *p = hosts; p && *p; p += strcspn(p, " ,")) {
        p += strspn(p, " ,");
        if (strcspn(p, " ,") == n && strncasecmp(p, host, n) == 0)
            return true;
    }
    return false;
}

static bool is_host_ours(const struct serve_guard *guard, const char *host)
{
    return host && (is_among("localhost 127.0.0.1 [::1]", host) || is_among(guard->hosts, host));
}

/* "http[s]://HOST", where that is the host that was asked. */
static bool is_origin_ours(const char *origin, const char *host)
{
    const char *rest = strncmp(origin, "http://", 7) == 0    ? origin + 7
                       : strncmp(origin, "https://", 8) == 0 ? origin + 8
                                                             : NULL;
    return rest && host && strcasecmp(rest, host) == 0;
}

/* A page of elsewhere asks; a link that leads to a page of ours may be followed. */
static bool is_foreign(const struct serve_request *r)
{
    const char *site = serve_asked(r, "sec-fetch-site"), *mode = serve_asked(r, "sec-fetch-mode");
    if (!site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0)
        return false;
    return r->route->role != SERVE_NOBODY || strcmp(r->method, "GET") != 0 || !mode ||
           strcmp(mode, "navigate") != 0;
}

static const char *type_of(const struct serve_request *r)
{
    return r->route->type ? r->route->type : "application/json";
}

static bool is_type_ours(const struct serve_request *r)
{
    const char *type = serve_asked(r, "content-type");
    const char *ours = type_of(r);
    size_t n = type ? strcspn(type, "; \t") : 0;
    return n == strlen(ours) && strncasecmp(ours, type, n) == 0;
}

bool serve_guard_head(const struct serve_peer *peer, const struct serve_request *r,
                      struct serve_answer *answer)
{
    const char *host = serve_asked(r, "host"), *origin = serve_asked(r, "origin");
    const char *length = serve_asked(r, "content-length");
    const char *coding = serve_asked(r, "content-encoding");
    bool has_body = (length && strcmp(length, "0") != 0) || serve_asked(r, "transfer-encoding");
    if (!peer->is_socket && !is_host_ours(peer->guard, host))
        serve_refuse(answer, 421, "this server is not called %.128s (see serve.hosts)",
                     host ? host : "\"\"");
    else if ((origin && !is_origin_ours(origin, host)) || is_foreign(r))
        serve_refuse(answer, 403, "pages of elsewhere may not ask this");
    else if (has_body && r->route->most_bytes > 0 && !is_type_ours(r))
        serve_refuse(answer, 415, "the body must be of type %s", type_of(r));
    else if (has_body && coding && strcasecmp(coding, "identity") != 0)
        serve_refuse(answer, 415, "the body must come as it is, with no Content-Encoding");
    else
        return true;
    return false;
}
