/* match.c - which route a request takes. */
#include <stdio.h>
#include <string.h>

#include "serve/route/routes.h"

#define ROUTE(method, pattern, role, by, handler, operation, names)                                \
    {method, pattern, SERVE_##role, SERVE_BY_##by, handler, operation, names, 0, NULL},
#define BODY(method, pattern, role, by, handler, operation, names, most, type)                     \
    {method, pattern, SERVE_##role, SERVE_BY_##by, handler, operation, names, most, type},
const struct serve_route serve_routes[] = {SERVE_ROUTES(ROUTE, BODY){0}};
#undef ROUTE
#undef BODY

/* Is the path one of the pattern's?  Notes where its parts lie. */
static bool fits(const char *pattern, const char *path, struct pingo__arena *arena,
                 struct serve_match *match)
{
    match->nparts = 0;
    while (*pattern) {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        size_t length = strcspn(path, "/");
        if (length == 0 || match->nparts == SERVE_PARTS)
            return false;
        match->parts[match->nparts] = pingo__arena_text(arena, path, length);
        if (!match->parts[match->nparts++])
            return false;
        path += length;
        pattern += strcspn(pattern, "}") + 1;
    }
    return *path == '\0';
}

const struct serve_route *serve_match(struct pingo__arena *arena, const char *method,
                                      const char *path, struct serve_match *match)
{
    memset(match, 0, sizeof *match);
    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    for (const struct serve_route *r = serve_routes; r->method; r++) {
        if (!fits(r->pattern, path, arena, match))
            continue;
        if (strcmp(r->method, method) == 0)
            return r;
        size_t n = strlen(match->allowed);
        snprintf(match->allowed + n, sizeof match->allowed - n, "%s%s%s", n > 0 ? ", " : "",
                 r->method, strcmp(r->method, "GET") == 0 ? ", HEAD" : "");
    }
    return NULL;
}
