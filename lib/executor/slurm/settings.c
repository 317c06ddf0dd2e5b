/* settings.c - the settings of the executor slurm, and what they make of it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/writer.h"
#include "executor/slurm/slurm.h"
#include "http/http.h"

const struct pingo_executor_setting pingo__executor_slurm_settings[PINGO__SLURM_SETTINGS] = {
    {"url", PINGO_SETTING_TEXT, 0, 0, NULL,
     "where slurmrestd listens: http://HOST:PORT or unix:PATH"},
    {"token", PINGO_SETTING_TEXT, 0, 0, NULL,
     "a file that holds slurmrestd's token, or a command for sh that prints it (scontrol token)"},
    {"user", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the user that slurmrestd is told; else whoever runs pingo"},
    {"partition", PINGO_SETTING_TEXT, 0, 0, NULL, "the partition of jobs that name none"},
    {"account", PINGO_SETTING_TEXT, 0, 0, NULL, "the account of jobs that name none"},
    {"via", PINGO_SETTING_TEXT, 0, 0, "rest", "rest: slurmrestd; commands: sbatch, squeue, scancel"},
    {"runner", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the path of pingo-runner on the nodes; else where it is installed here"},
    {"maxJobs", PINGO_SETTING_NUMBER, 1, 65536, "1000", "how many jobs it has in Slurm at once"},
    {"bundle", PINGO_SETTING_NUMBER, 1, 65536, "1000",
     "how many attempts are one array job at most; 1: each is a job of its own"},
    {"pollSeconds", PINGO_SETTING_NUMBER, 1, 3600, "10",
     "the longest pause before Slurm is asked again what became of its jobs"},
    {"wake", PINGO_SETTING_TEXT, 0, 0, NULL,
     "a file that Slurm's completion hook touches: then it is asked at once"},
};

int pingo__executor_slurm_check_text(const char *key, const char *text, struct pingo_error *err)
{
    const char *wrong = NULL;
    if (strcmp(key, "via") == 0 && strcmp(text, "rest") != 0 && strcmp(text, "commands") != 0)
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.slurm.via is \"%.40s\"; it can be rest or commands", text);
    if (strcmp(key, "runner") == 0 && *text && *text != '/')
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.slurm.runner is \"%.100s\"; it has to be an absolute path",
                           text);
    if (strcmp(key, "user") == 0 && (strpbrk(text, "\r\n") || strlen(text) >= PINGO__SLURM_USER_SIZE))
        return pingo__fail(err, PINGO_EINVAL, "executor.slurm.user: \"%.40s\" is no name", text);
    if (strcmp(key, "token") == 0 && pingo__executor_slurm_token_is_one(text))
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.slurm.token is a token itself, which others may read; it has "
                           "to be a file that holds one, or a command that prints one");
    if (strcmp(key, "url") == 0 && *text && !pingo__http_url_is_valid(text, &wrong))
        return pingo__fail(err, PINGO_EINVAL, "executor.slurm.url: \"%.200s\": %s", text, wrong);
    return 0;
}

/* As executorOptions, so that both are read by one function. */
static char *defaults(struct pingo__executor_reading *r)
{
    static const char *const keys[] = {"partition", "account"};
    struct pingo__writer w = {0};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = pingo_executor_context_text(r->context, keys[i]);
        if (text && *text)
            pingo__writer_text(&w, keys[i], text);
    }
    pingo__writer_close(&w);
    char *own = pingo__executor_context_copy(r, pingo__buffer_cstr(&w.out));
    r->failed = r->failed || !own;
    pingo__writer_clear(&w);
    return own;
}

int pingo__executor_slurm_read_settings(struct pingo__executor_slurm *s,
                                        const struct pingo_executor_context *context,
                                        struct pingo_error *err)
{
    struct pingo__executor_reading r = {context, &s->texts, false};
    s->url = pingo__executor_context_read(&r, "url");
    s->token = pingo__executor_context_read(&r, "token");
    s->user = pingo__executor_context_read(&r, "user");
    s->wake = pingo__executor_context_read(&r, "wake");
    s->runner = pingo__executor_context_read(&r, "runner");
    s->defaults = defaults(&r);
    s->pool = pingo__executor_context_copy(&r, context->pool_dir);
    pingo__executor_mark(s->mark, context->store_id, s->pool ? s->pool : "");
    char *installed = pingo_executor_context_program(context, "pingo-runner");
    if (!s->runner)
        s->runner = pingo__executor_context_copy(&r, installed);
    free(installed);
    s->max_jobs = pingo_executor_context_number(context, "maxJobs");
    s->bundle_most = s->at_once_most = pingo_executor_context_number(context, "bundle");
    s->poll_ms = pingo_executor_context_number(context, "pollSeconds") * 1000;
    return r.failed || !s->runner ? pingo__fail_memory(err) : 0;
}
