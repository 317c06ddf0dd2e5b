/* archive.c - the files in which lies what ended long ago. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

SERVE_ROWS(on_file, struct pingo_archive_file)

/* They are few, and come in one page. */
void serve_api_archive(struct serve_ask *ask)
{
    struct serve_list list;
    serve_list(&list, ask, &pingo__view_archive_file);
    if (!ask->is_wrong)
        serve_end(ask, pingo_store_archive_files(ask->store, on_file, &list, ask->err));
    serve_list_end(&list);
}
