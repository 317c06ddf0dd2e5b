/* page.c - how the page comes to speak for somebody: a code in its address, and a token for it. */
#include <string.h>
#include <strings.h>

#include "serve/guard/pages.h"
#include "serve/route/routes.h"
#include "serve/work/work.h"

static void put(struct serve_answer *answer, const char *key, const char *value, const char *url)
{
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, key, value);
    if (url) {
        struct pingo__buffer whole = {0};
        pingo__buffer_format(&whole, "%s#t=%s", url, value);
        pingo__writer_text(&w, "url", pingo__buffer_cstr(&whole));
        pingo__buffer_clear(&whole);
    }
    pingo__writer_close(&w);
    answer->status = 201;
    serve_written(answer, &w);
}

/* What the page may by it lasts for half a day, as the owner, whatever becomes of the token by which somebody asked. */
void serve_api_page_code(struct serve_ask *ask)
{
    char code[SERVE_PAGE_TEXT];
    if (strcmp(ask->request->who.way, "socket") != 0)
        serve_refuse(ask->answer, 403,
                     "a code is for clients of the socket: a token opens the page");
    else if (!ask->worker->serve->url)
        serve_refuse(ask->answer, 409, "there is no TCP that a browser could open");
    else if (serve_pages_code(code))
        put(ask->answer, "code", code, ask->worker->serve->url);
    else
        serve_refuse(ask->answer, 503, "there is no randomness");
}

/* The code comes where a token would: no page of elsewhere can send that. */
void serve_api_page_token(struct serve_ask *ask)
{
    char token[SERVE_PAGE_TEXT];
    const char *code = serve_asked(ask->request, "authorization");
    if (code && strncasecmp(code, "Bearer ", 7) == 0 && serve_pages_take(code + 7, token))
        put(ask->answer, "token", token, NULL);
    else
        serve_refuse(ask->answer, 401, "this code is none, was used, or is older than a minute");
}
