/* archive.c - the files in which lies what ended long ago. */
#include "serve/api/ask.h"
#include "serve/route/routes.h"

SERVE_ROWS(on_file, struct pingo_archive_file)

/* They are few, and come in one page. */
void serve_api_archive(struct serve_worker *worker, const struct serve_request *request,
                       struct serve_answer *answer)
{
    struct serve_ask ask = serve_ask(worker, request, answer, "");
    struct serve_list list;
    serve_list(&list, &ask, &pingo__view_archive_file);
    *list.next = '\0';
    int rc = ask.is_wrong ? PINGO_EINVAL
                          : pingo_store_archive_files(worker->store, on_file, &list, &worker->err);
    serve_list_end(&list, rc);
}
