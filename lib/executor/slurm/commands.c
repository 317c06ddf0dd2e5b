/* commands.c - Slurm is asked through its commands: sbatch, squeue, scancel, run beside us, a few at a time.
 *
 * Of our environment they get by what they and Slurm are found.  The rest is none of theirs: SQUEUE_... and SBATCH_...
 * would change what they do, and sbatch hands all that it has to the job.  (With --export=NONE, or a list, slurmd
 * would run a login shell on the node for each job, which may take long.) */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "base/child.h"
#include "executor/slurm/slurm.h"

#define AT_ONCE 8
#define LIMIT_MS 120000
#define ARGUMENTS 48
#define LIST_FORMAT "%i|%T|%r|%N|%j|%k"
#define OUT_MOST ((size_t)512 << 20)
#define LOOK_MS 1000 /* without a word from the descriptors */

struct asked {
    STAILQ_ENTRY(asked) next;
    struct pingo__executor_slurm_call call;
    struct pingo__child *child; /* NULL: it waits for its turn */
    struct pingo__arena arena;
    const char *argv[ARGUMENTS];
    size_t nwords;
    bool is_short; /* of memory, or of room for words */
    const char *in;
};

struct commands {
    struct pingo__executor_slurm *s;
    STAILQ_HEAD(line, asked) asked;
};

static int commands_open(struct pingo__executor_slurm *s, void **way, struct pingo_error *err)
{
    struct commands *c = calloc(1, sizeof *c);
    if (!c)
        return pingo__fail_memory(err);
    c->s = s;
    STAILQ_INIT(&c->asked);
    *way = c;
    return 0;
}

static void free_asked(struct asked *a)
{
    pingo__child_free(a->child);
    pingo__arena_clear(&a->arena);
    free(a);
}

static void commands_close(void *way)
{
    struct commands *c = way;
    for (struct asked *a = STAILQ_FIRST(&c->asked), *next; a; a = next) {
        next = STAILQ_NEXT(a, next);
        free_asked(a);
    }
    free(c);
}

static const char *commands_about(void *way)
{
    return way ? "sbatch, squeue and scancel are asked" : "";
}

static bool commands_is_ready(void *way, const char **why)
{
    *why = NULL;
    return way;
}

/* ---- words ------------------------------------------------------------------------------------- */

static __attribute__((format(printf, 2, 3))) void add(struct asked *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *word = pingo__arena_vformat(&a->arena, format, args);
    va_end(args);
    a->is_short = a->is_short || !word || a->nwords == ARGUMENTS - 1;
    if (!a->is_short)
        a->argv[a->nwords++] = word;
}

static void add_all(struct asked *a, const char *const *words)
{
    while (*words)
        add(a, "%s", *words++);
}

static void submit_words(struct asked *a, const struct pingo__executor_slurm_request *r)
{
    static const char *const sbatch[] = {"sbatch",       "--parsable", "--export=ALL",
                                         "--no-requeue", "--chdir=/",  "--input=/dev/null",
                                         "--ntasks=1",   "--nodes=1",  NULL};
    add_all(a, sbatch);
    add(a, "--job-name=%s", r->name);
    add(a, "--comment=%s", r->comment);
    add(a, "--output=%s", r->log);
    add(a, "--error=%s", r->log);
    if (r->array)
        add(a, "--array=%s", r->array);
    add(a, "--cpus-per-task=%lld", (long long)r->cpus);
    if (r->memory_mb)
        add(a, "--mem=%lldM", (long long)r->memory_mb);
    if (r->minutes)
        add(a, "--time=%lld", (long long)r->minutes);
    for (size_t i = 0; i < PINGO__SLURM_OPTIONS; i++)
        if (r->options[i])
            add(a, "%s=%s", pingo__executor_slurm_options[i].flag, r->options[i]);
    a->in = pingo__arena_text(&a->arena, r->script, strlen(r->script));
    a->is_short = a->is_short || !a->in;
}

/* Of an array a line is wanted for each task. */
static void make_words(struct asked *a, const struct pingo__executor_slurm_request *request)
{
    static const char *const squeue[] = {
        "squeue", "--noheader", "--all", "--array", "--states=all", "--format=" LIST_FORMAT, NULL};
    static const char *const sinfo[] = {"sinfo", "--Node",         "--noheader",
                                        "--all", "--format=%P|%m", NULL};
    char id[80];
    pingo__executor_slurm_call_id(&a->call, "[", "]", id, sizeof id);
    if (a->call.kind == PINGO__SLURM_SUBMIT)
        submit_words(a, request);
    else if (a->call.kind >= PINGO__SLURM_NODES)
        add_all(a, sinfo);
    else if (a->call.kind == PINGO__SLURM_CANCEL)
        add(a, "scancel");
    else
        add_all(a, squeue);
    if (a->call.kind == PINGO__SLURM_LIST) /* names of others could hold lines of their making */
        add(a, "--me");
    if (a->call.kind == PINGO__SLURM_LOOK)
        add(a, "--jobs=%s", id);
    if (a->call.kind == PINGO__SLURM_CANCEL)
        add(a, "%s", id);
}

static int commands_ask(void *way, const struct pingo__executor_slurm_call *call,
                        const struct pingo__executor_slurm_request *request, struct pingo_error *err)
{
    struct commands *c = way;
    struct asked *a = calloc(1, sizeof *a);
    if (!a)
        return pingo__fail_memory(err);
    a->call = *call;
    make_words(a, request);
    if (a->is_short) {
        free_asked(a);
        return pingo__fail_memory(err);
    }
    STAILQ_INSERT_TAIL(&c->asked, a, next);
    return 0;
}

/* ---- answers ------------------------------------------------------------------------------------- */

static void tell_jobs(struct commands *c, const struct pingo__executor_slurm_call *call, char *text)
{
    struct pingo__executor_slurm_record record;
    for (char *line; (line = strsep(&text, "\n"));)
        if (call->kind >= PINGO__SLURM_NODES ? pingo__executor_slurm_node_read(line, &record)
                                             : pingo__executor_slurm_line_read(line, &record))
            pingo__executor_slurm_saw(c->s, call, &record);
}

/* What the commands say where Slurm's controller is not reached, or its answer does not come. */
static enum pingo__executor_slurm_said judge(const struct pingo__executor_slurm_call *call,
                                             const char *errors, int status)
{
    static const char *const of_the_way[] = {"Unable to contact", "timed out", "Socket",
                                             "Zero Bytes",        "connect",   "onfiguration",
                                             "communication"};
    if (call->bundle &&
        (strstr(errors, "Invalid job array") || strstr(errors, "accounting/QOS policy")))
        return PINGO__SLURM_FULL; /* as BAD_ARRAY and OVER_LIMIT of slurmrestd */
    if (status == 127 || strstr(errors, "connect failure"))
        return PINGO__SLURM_DOWN;
    for (size_t i = 0; i < sizeof of_the_way / sizeof *of_the_way; i++)
        if (strstr(errors, of_the_way[i]) && !strstr(errors, "node configuration"))
            return PINGO__SLURM_UNSURE;
    if (status < 0)
        return PINGO__SLURM_UNSURE;
    return call->kind != PINGO__SLURM_SUBMIT && strstr(errors, "Invalid job id")
               ? PINGO__SLURM_UNKNOWN
               : PINGO__SLURM_REFUSED;
}

/* "sbatch: error: WORDS": the words of the last line, or of the one before, where a site's plug-in says why. */
static const char *last_words(char *errors)
{
    size_t n = strlen(errors);
    while (n > 0 && errors[n - 1] == '\n')
        errors[--n] = '\0';
    char *newline = strrchr(errors, '\n');
    const char *words = newline ? newline + 1 : errors, *error = strstr(words, "error: ");
    if (newline && strstr(words, PINGO__SLURM_UNSPECIFIED)) {
        *newline = '\0';
        return last_words(errors);
    }
    return error ? error + strlen("error: ") : words;
}

static void read_answer(struct commands *c, struct asked *a, int status,
                        struct pingo__executor_slurm_answer *answer)
{
    struct pingo__buffer out = {0}, errors = {0};
    char shown[201] = "";
    pingo__child_said(a->child, false, OUT_MOST, &out);
    pingo__child_said(a->child, true, 4096, &errors);
    const char *said = pingo__buffer_cstr(&out), *wrong = pingo__buffer_cstr(&errors);
    if (wrong)
        pingo__text_clean_to(shown, sizeof shown, last_words(errors.data));
    *answer = (struct pingo__executor_slurm_answer){.call = a->call};
    snprintf(answer->message, sizeof answer->message, "%s: %s%s", a->argv[0],
             *shown ? shown : "it said nothing", wrong ? pingo__executor_slurm_advice(wrong) : "");
    if (!said || !wrong) {
        answer->said = PINGO__SLURM_UNSURE;
    } else if (status != 0) {
        answer->said = judge(&a->call, wrong, status);
    } else if (a->call.kind == PINGO__SLURM_SUBMIT) { /* "12" or "12;CLUSTER" */
        out.data[strspn(said, "0123456789")] = '\0';
        if (!pingo__text_to_int64(said, 1, INT64_MAX, &answer->id))
            answer->said = PINGO__SLURM_UNSURE;
    } else if (a->call.kind != PINGO__SLURM_CANCEL) {
        tell_jobs(c, &a->call, out.data);
    }
    if (answer->said == PINGO__SLURM_DONE)
        answer->message[0] = '\0';
    pingo__buffer_clear(&out);
    pingo__buffer_clear(&errors);
}

static bool start(struct commands *c, struct asked *a, struct pingo__executor_slurm_answer *answer)
{
    struct epoll_event event = {.events = EPOLLIN};
    const char *env[3] = {NULL};
    struct pingo__child_program program = {
        .argv = a->argv, .env = env, .in = a->in, .limit_ms = LIMIT_MS};
    size_t n = 0;
    for (char **e = environ; *e && n < 2; e++)
        if (strncmp(*e, "PATH=", 5) == 0 || strncmp(*e, "SLURM_CONF=", 11) == 0)
            env[n++] = *e;
    int rc = pingo__child_start(&program, &a->child);
    if (rc) {
        *answer = (struct pingo__executor_slurm_answer){.call = a->call, .said = PINGO__SLURM_DOWN};
        snprintf(answer->message, sizeof answer->message, "%.200s: cannot be run: %s", a->argv[0],
                 strerror(-rc));
        return false;
    }
    epoll_ctl(c->s->poll_fd, EPOLL_CTL_ADD, pingo__child_fd(a->child), &event);
    return true;
}

static bool commands_next(void *way, struct pingo__executor_slurm_answer *answer)
{
    struct commands *c = way;
    size_t running = 0;
    int status;
    for (struct asked *a = STAILQ_FIRST(&c->asked); a && running < AT_ONCE;
         a = STAILQ_NEXT(a, next)) {
        bool over = false;
        if (!a->child) {
            over = !start(c, a, answer);
        } else if (pingo__child_has_ended(a->child, &status)) {
            read_answer(c, a, status, answer);
            over = true;
        }
        if (over) {
            STAILQ_REMOVE(&c->asked, a, asked, next);
            free_asked(a);
            return true;
        }
        running++;
    }
    return false;
}

static int64_t commands_timeout_ms(void *way)
{
    return STAILQ_EMPTY(&((struct commands *)way)->asked) ? -1 : LOOK_MS;
}

const struct pingo__executor_slurm_way pingo__executor_slurm_commands = {
    .open = commands_open,
    .close = commands_close,
    .is_ready = commands_is_ready,
    .ask = commands_ask,
    .next = commands_next,
    .timeout_ms = commands_timeout_ms,
    .about = commands_about,
};
