/* static.c - the files of the page: the first, which is asked again each time, and the others, whose path changes when
 * they do. */
#include <stdio.h>
#include <string.h>

#include "serve/page/page.h"
#include "serve/route/routes.h"

/* Clients that name what they take, and not gzip, are few: nothing is kept unpacked for them. */
static void give(const struct serve_page *page, const char *cache,
                 const struct serve_request *request, struct serve_answer *answer)
{
    if (serve_quality(request, "accept-encoding", "gzip") == 0) {
        serve_refuse(answer, 406, "the page is there in gzip alone: Accept-Encoding: gzip");
        return;
    }
    serve_header(answer, "Vary", "Accept-Encoding");
    answer->type = page->type;
    serve_header(answer, "Cache-Control", "%s", cache);
    serve_header(answer, "Content-Encoding", "gzip");
    pingo__buffer_append(&answer->body, page->data, (size_t)(page->end - page->data));
}

void serve_api_index(struct serve_ask *ask)
{
    if (!serve_pages[0].name) {
        ask->answer->status = 404;
        ask->answer->type = "text/html; charset=utf-8";
        pingo__buffer_text(&ask->answer->body,
                           "<!DOCTYPE html><html lang=\"en\"><title>Pingo</title><h1>There is no "
                           "page here</h1><p>This Pingo was built "
                           "where npm was missing or could not be asked. Install it, and run "
                           "<code>make</code> again. The API is "
                           "there all the same: see <code>/openapi.json</code>, and <code>man "
                           "pingo-api</code>.</p></html>\n");
        return;
    }
    snprintf(ask->answer->etag, sizeof ask->answer->etag, "%s", serve_page_version);
    if (!serve_is_known(ask->request, ask->answer))
        give(&serve_pages[0], "no-cache", ask->request, ask->answer);
}

void serve_api_static(struct serve_ask *ask)
{
    const char *file = strcmp(ask->request->parts[0], serve_page_version) == 0
                           ? ask->request->path + strlen("/page/") + strlen(serve_page_version) + 1
                           : "";
    for (const struct serve_page *page = serve_pages; page->name; page++)
        if (strcmp(page->name, file) == 0) {
            give(page, "public, max-age=31536000, immutable", ask->request, ask->answer);
            return;
        }
    serve_refuse(ask->answer, 404, "there is no such file of this version's page");
}
