/* helpers.c - for executors: where programs lie, how long to wait, and what the end of a job says of its output. */
#include <stdio.h>

#include <pingo/executor.h>

#include "base/backoff.h"
#include "base/error.h"
#include "base/growing.h"
#include "base/path.h"
#include "digest/content.h"

char *pingo_executor_context_program(const struct pingo_executor_context *context, const char *name)
{
    return pingo__path_child(context->helper_dir ? context->helper_dir : PINGO_LIBEXECDIR, name);
}

int64_t pingo_backoff_next(struct pingo_backoff *backoff)
{
    return pingo__backoff_next(&backoff->next_ms, backoff->first_ms, backoff->most_ms);
}

int pingo_job_end_output(struct pingo_job_end *end, const char *staged_path, struct pingo_error *err)
{
    struct pingo__digest_content_options options = {.make_readonly = true, .no_follow = true};
    struct pingo__digest_content content;
    struct pingo_error why = {0};
    struct pingo_job_end own;
    int rc = pingo__growing_result_check(end, "pingo_job_end", err);
    if (rc)
        return rc;
    pingo__growing_result_take(end, &own, sizeof own);
    rc = pingo__digest_content_read(staged_path, &options, &content, &why);
    own.output_kind = PINGO_OUTPUT_NONE;
    if (rc) {
        snprintf(own.message, sizeof own.message, "%.199s", why.message);
        rc = pingo__fail(err, rc, "%s", why.message);
    } else {
        own.output_kind = content.is_directory ? PINGO_OUTPUT_DIRECTORY : PINGO_OUTPUT_FILE;
        own.size_bytes = content.size_bytes;
        own.content = content.hash;
    }
    pingo__growing_result_put(end, &own, sizeof own);
    return rc;
}
