/* problem.c - errors as application/problem+json (RFC 9457). */
#include <stdarg.h>
#include <stdio.h>

#include "http/server/reason.h"
#include "serve/route/route.h"
#include "view/views.h"

int serve_status_of(int code)
{
    static const struct {
        int code, status;
    } all[] = {
        {PINGO_EINVAL, 400},       {PINGO_EWORKFLOW, 422}, {PINGO_EBUSY, 503},
        {PINGO_ENOTFOUND, 404},    {PINGO_EEXISTS, 409},   {PINGO_EINPUT, 422},
        {PINGO_ECOLLISION, 409},   {PINGO_ESTALE, 409},    {PINGO_ENOSPACE, 507},
        {PINGO_ELIMIT, 413},       {PINGO_ECLAIMED, 409},  {PINGO_EUNSUPPORTED, 501},
        {PINGO_EAMBIGUOUS, 409},   {PINGO_EEXECUTOR, 502}, {PINGO_ESTATE, 409},
        {PINGO_EINTERRUPTED, 503}, {PINGO_EAWAY, 503},     {PINGO_ENOMEM, 503},
        {PINGO_EFORBIDDEN, 403},   {PINGO_EKEY, 422},      {PINGO_EPENDING, 409},
        {PINGO_EQUOTA, 429},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].code == code)
            return all[i].status;
    return 500;
}

/* What was answered so far is dropped, but for what the next call needs, and what is still held. */
static void put(struct serve_answer *answer, int status, const struct pingo_error *err,
                const struct pingo_problems *problems)
{
    struct serve_answer kept = *answer;
    answer->drop = NULL;
    serve_answer_clear(answer);
    answer->state = kept.state;
    answer->drop = kept.drop;
    answer->held = kept.held;
    answer->is_wes = kept.is_wes;
    answer->status = status;
    answer->type = "application/problem+json";
    if (status == 503)
        serve_header(answer, "Retry-After", "1");
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, "type", "about:blank");
    pingo__writer_text(&w, "title", pingo__http_reason(status));
    pingo__writer_int(&w, "status", status);
    pingo__writer_text(&w, "detail", err->message);
    if (answer->is_wes) {
        pingo__writer_text(&w, "msg", err->message);
        pingo__writer_int(&w, "status_code", status);
    }
    if (err->code != 0)
        pingo__writer_text(&w, "code", pingo_error_name(err->code));
    if (pingo_problems_count(problems) > 0) {
        pingo__writer_open(&w, "errors", PINGO__WRITER_ARRAY);
        for (size_t i = 0; i < pingo_problems_count(problems); i++)
            pingo__view_object(&w, NULL, &pingo__view_problem, pingo_problems_at(problems, i));
        pingo__writer_close(&w);
    }
    pingo__writer_close(&w);
    serve_written(answer, &w);
}

void serve_problem(struct serve_answer *answer, const struct pingo_error *err,
                   const struct pingo_problems *problems)
{
    put(answer, serve_status_of(err->code), err, problems);
}

void serve_refuse(struct serve_answer *answer, int status, const char *format, ...)
{
    struct pingo_error err = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(err.message, sizeof err.message, format, args);
    va_end(args);
    put(answer, status, &err, NULL);
}
