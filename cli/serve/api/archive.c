/* archive.c - the files in which lies what ended long ago. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

SERVE_ROWS(on_file, struct pingo_archive_file)

/* They are few, and come in one page. */
void serve_api_archive(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_archive_file);
    SERVE_LIST(&list, pingo_store_archive_files, on_file);
}
