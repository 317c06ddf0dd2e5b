/* settings.c - the settings of the store; and the files in which lies what ended long ago. */
#include "base/error.h"
#include "serve/api/ask.h"
#include "serve/route/routes.h"

static int on_setting(void *list, const char *key, const char *value, const char *default_value,
                      const char *meaning)
{
    return serve_row(list, &(struct pingo__view_setting){key, value, default_value, meaning});
}

/* All of them: they are few, and come in one page. */
void serve_api_settings(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_setting);
    SERVE_LIST(&list, pingo_store_settings, on_setting);
}

/* {"KEY": "VALUE" or null, ...}: all of them, or none. */
void serve_api_change_settings(struct serve_ask *ask)
{
    size_t n;
    struct serve_flat *members = serve_ask_body(ask, "{\"pool.budget\": \"10 GiB\"}", &n);
    struct pingo_setting *settings =
        pingo__arena_array(&ask->worker->arena, n + 1, sizeof *settings);
    for (size_t i = 0; settings && i < n; i++)
        settings[i] = (struct pingo_setting){members[i].key, members[i].value};
    if (!settings)
        serve_end(ask, pingo__fail_memory(ask->err));
    SERVE_CALL(ask, pingo_store_set_several, settings, n);
    if (!ask->is_wrong)
        serve_api_settings(ask);
}

SERVE_ROWS(on_file, struct pingo_archive_file)

/* They are few, and come in one page. */
void serve_api_archive(struct serve_ask *ask)
{
    struct serve_list list = serve_list(ask, &pingo__view_archive_file);
    SERVE_LIST(&list, pingo_store_archive_files, on_file);
}
