/* page.c - how the page comes to speak for somebody: a code in its address, and a token for it. */
#include <string.h>
#include <strings.h>

#include "serve/api/ask.h"
#include "serve/guard/pages.h"
#include "serve/route/routes.h"
#include "serve/work/work.h"
#include "view/views.h"

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
