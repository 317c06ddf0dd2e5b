/* page.c - the page: its files, the first of which is asked again each time, while the path of the others changes when
 * they do; and how it comes to speak for somebody, by a code in its address, and a token for it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "serve/api/ask.h"
#include "serve/guard/pages.h"
#include "serve/page/page.h"
#include "serve/route/routes.h"
#include "serve/work/work.h"

/* What the page may by it lasts for half a day, as the owner, whatever becomes of the token by which somebody asked. */
void serve_api_page_code(struct serve_ask *ask)
{
    char code[SERVE_PAGE_TEXT];
    const char *url = ask->worker->serve->url;
    if (strcmp(ask->request->who.way, "socket") != 0)
        serve_ask_refuse(ask, 403, "a code is for clients of the socket: a token opens the page");
    else if (!url)
        serve_refuse(ask->answer, 409, "there is no TCP that a browser could open");
    else if (!serve_pages_code(code))
        serve_refuse(ask->answer, 503, "there is no randomness");
    else
        serve_json(ask->answer, &pingo__view_way_in,
                   &(struct pingo__view_way_in){
                       code, pingo__arena_format(ask->arena, "%s#t=%s", url, code)});
    ask->answer->status = ask->answer->status ? ask->answer->status : 201;
}

/* The code comes where a token would: no page of elsewhere can send that. */
void serve_api_page_token(struct serve_ask *ask)
{
    char token[SERVE_PAGE_TEXT];
    const char *code = serve_asked(ask->request, "authorization");
    struct pingo__writer w = {0};
    if (!code || strncasecmp(code, "Bearer ", 7) != 0 || !serve_pages_take(code + 7, token)) {
        serve_refuse(ask->answer, 401, "this code is none, was used, or is older than a minute");
        return;
    }
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, "token", token);
    pingo__writer_close(&w);
    ask->answer->status = 201;
    serve_written(ask->answer, &w);
}

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
