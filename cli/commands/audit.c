/* audit.c - pingo audit: what an attempt touches beyond what its action declares.
 *
 * The script of `pingo log --command` runs in a fresh directory, its command under strace, outside
 * the sandbox, but as in it nothing is written elsewhere: in/ leads into the pool.  What strace noted is
 * compared with what the sandbox would allow. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer.h"
#include "base/file.h"
#include "base/process.h"
#include "base/sandbox.h"
#include "base/thread.h"
#include "base/tree.h"
#include "running.h"
#include "select.h"
#include "touched.h"
#include "view/columns.h"

#define TRACE_MOST ((size_t)1 << 40)

struct audit {
    struct cli *cli;
    struct pingo_action_name of;
    int64_t id;
    bool is_free; /* its last attempt ran outside the sandbox */
    char *name;
    char *script;
    char **readable;
    char dir[PATH_MAX];    /* of its own, by its real path; "" while there is none */
    char around[PATH_MAX]; /* the working directory */
    int status;            /* of the script, as wait gives it */
    struct cli_touched touched;
};

static int take_action(void *context, const struct pingo_action_status *status)
{
    struct audit *a = context;
    a->id = status->id;
    a->is_free = status->confined == 0;
    a->name = cli_copy(status->name);
    return 0;
}

/* Where strace lies; false: it is not there.  What it starts is found as it is itself. */
static bool find_strace(char path[PATH_MAX])
{
    setenv("PATH", "/usr/bin:/bin", 0);
    for (const char *at = getenv("PATH"); at && *at != '\0';) {
        size_t n = strcspn(at, ":");
        int length = snprintf(path, PATH_MAX, "%.*s/strace", (int)n, at);
        if (length < PATH_MAX && access(path, X_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static int make_directory(struct audit *a)
{
    const char *where = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/pingo-audit-XXXXXX", where && where[0] == '/' ? where : "/tmp");
    if (!mkdtemp(path) || !realpath(path, a->dir))
        return cli_file_error("make", path, errno);
    return CLI_OK;
}

static char *below(const struct audit *a, const char *name)
{
    return cli_format("%s/%s", a->dir, name);
}

/* ---- running ----------------------------------------------------------------------------- */

struct start {
    const struct audit *audit;
    struct pingo__process_start how;
    pid_t pid;
    int failed; /* a negative errno */
};

/* The sandbox holds for a thread and what it starts: the rest of this process stays free. */
static void *start(void *argument)
{
    struct start *s = argument;
    s->failed = s->audit->is_free ? 0 : -pingo__sandbox_enter_read_only(s->audit->dir);
    if (s->failed == 0)
        s->failed = pingo__process_start(&s->how, &s->pid);
    return NULL;
}

static int open_said(const struct audit *a, const char *name)
{
    return open(below(a, name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int spawn(struct audit *a, char *const argv[], pid_t *pid)
{
    int out = open_said(a, "stdout"), err = open_said(a, "stderr");
    struct start s = {.audit = a,
                      .how = {.path = "/bin/sh",
                              .argv = (const char *const *)argv,
                              .env = (const char *const *)environ,
                              .fds = {PINGO__PROCESS_NULL, out, err},
                              .nfds = 3}};
    pthread_t thread;
    int failed = out < 0 || err < 0 ? errno : pingo__thread_start(&thread, start, &s);
    if (failed == 0)
        failed = pthread_join(thread, NULL);
    if (failed == 0)
        failed = -s.failed;
    *pid = s.pid;
    pingo__file_close(out);
    pingo__file_close(err);
    return failed == 0 ? CLI_OK : cli_file_error("run", "/bin/sh", failed);
}

static int run_script(struct audit *a, char *strace)
{
    char sh[] = "sh", flag[] = "-o";
    static const char *const options[] = {CLI_TRACE_OPTIONS};
    enum { NOPTIONS = sizeof options / sizeof options[0] };
    char *script = below(a, "script"), *prefix = below(a, "trace");
    size_t n = 0;
    pid_t pid = 0;
    FILE *file = fopen(script, "we");
    int rc = CLI_OK;
    if (!file || fputs(a->script, file) == EOF || fclose(file) != 0)
        rc = cli_file_error("write", script, errno);
    setenv("PINGO_AUDIT", "1", 1); /* it is confined, and so need not copy what it reads */
    char *argv[NOPTIONS + 8];
    argv[n++] = sh;
    argv[n++] = script;
    argv[n++] = a->dir;
    argv[n++] = strace;
    for (size_t i = 0; i < NOPTIONS; i++)
        argv[n++] = (char *)(uintptr_t)options[i];
    argv[n++] = flag;
    argv[n++] = prefix;
    argv[n] = NULL;
    /* Ctrl-C ends the command, and what it touched until then is told. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGINT, &ignore, &old);
    if (rc == CLI_OK)
        rc = spawn(a, argv, &pid);
    while (rc == CLI_OK && waitpid(pid, &a->status, 0) < 0 && errno == EINTR)
        continue;
    sigaction(SIGINT, &old, NULL);
    return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int is_trace(const struct dirent *entry)
{
    return strncmp(entry->d_name, "trace.", 6) == 0;
}

/* false: strace wrote nothing. */
static bool read_traces(struct audit *a)
{
    struct dirent **names = NULL;
    char *work = below(a, "work");
    bool any = false;
    int n = scandir(a->dir, &names, is_trace, alphasort);
    for (int i = 0; i < n; i++) {
        char *text = NULL;
        size_t length;
        if (pingo__file_read_whole(AT_FDCWD, below(a, names[i]->d_name), TRACE_MOST, &text,
                                   &length) == 0)
            cli_touched_read(&a->touched, text, work);
        any = any || text;
        free(text);
        free(names[i]);
    }
    free(names);
    cli_touched_finish(&a->touched);
    return any;
}

/* ---- telling ----------------------------------------------------------------------------------- */

struct input {
    const char *name, *path;
};
#define ROW struct input
static const struct pingo__view_column input_columns[] = {
    COLUMN("name", TEXT, name, "a name for it"),
    COLUMN("path", TEXT, path, "where it lies"),
};
static const struct pingo__view_table input_view = VIEW("input", input_columns, ROW);
#undef ROW

static void each_input(const void *row, void (*fn)(void *context, const void *element),
                       void *context)
{
    const struct cli_paths *inputs = &((const struct audit *)row)->touched.inputs;
    const struct cli_input_name *names =
        cli_input_names((const char *const *)inputs->list, inputs->n);
    for (size_t i = 0; i < inputs->n; i++)
        fn(context, &(struct input){names[i].text, inputs->list[i]});
}

VALUE(get_exit_code, struct audit, number, WIFEXITED(r->status) ? WEXITSTATUS(r->status) : -1)
VALUE(get_signal, struct audit, number, WIFSIGNALED(r->status) ? WTERMSIG(r->status) : -1)

#define ROW struct audit
#define PATHS(key, member, ...)                                                                    \
    ARRAY(key, TEXTS, touched.member.list, touched.member.n, __VA_ARGS__)
static const struct pingo__view_column columns[] = {
    COLUMN("workflow", COUNT, of.workflow, "its number"),
    COLUMN("action", COUNT, id, "the id of the action"),
    COLUMN("name", TEXT, name, "its name"),
    GETTER("exitCode", COUNT, get_exit_code, "how the second run ended", MISSING),
    GETTER("signal", COUNT, get_signal, "or what ended it", MISSING),
    EACH("inputs", &input_view, each_input, "what it read: for \"inputs\""),
    PATHS("tools", tools, "what it executed: for \"tools\""),
    PATHS("sandboxRead", places, "what it read: for the setting sandbox.read"),
    PATHS("writes", writes, "where it wrote, which the sandbox denies"),
};
static const struct pingo__view_table view = VIEW("audit", columns, ROW);
#undef ROW

static void print_lines(const char *title, const struct cli_paths *paths, bool inputs)
{
    const struct cli_input_name *names =
        inputs ? cli_input_names((const char *const *)paths->list, paths->n) : NULL;
    if (paths->n > 0)
        printf("%s\n", title);
    for (size_t i = 0; i < paths->n; i++) {
        struct pingo__writer w = {0};
        if (names)
            pingo__view_object(&w, NULL, &input_view,
                               &(struct input){names[i].text, paths->list[i]});
        else
            pingo__writer_text(&w, NULL, paths->list[i]);
        const char *line = cli_take(&w.out);
        printf("  %.*s%s\n", (int)strcspn(line, "\n"), line, i + 1 < paths->n ? "," : "");
        pingo__writer_clear(&w);
    }
}

/* As a word for a shell, behind what is set. */
static void print_places(const struct audit *a)
{
    char *set = NULL, *all = NULL;
    if (a->touched.places.n == 0)
        return;
    if (pingo_store_get(a->cli->store, "sandbox.read", &set, NULL) == 0 && set && set[0] == '/')
        all = cli_copy(set);
    for (size_t i = 0; i < a->touched.places.n; i++)
        cli_append(&all, "%s%s", all ? ":" : "", a->touched.places.list[i]);
    printf("for the setting sandbox.read, which is no part of any hash:\n  %s config sandbox.read ",
           cli_program(a->cli));
    cli_print_data(stdout, cli_word(all));
    putchar('\n');
    free(set);
}

/* Where nothing was touched that the sandbox denies, it is the mode of a file that did. */
static bool was_denied(const struct audit *a)
{
    static const char denied[] = "ermission denied";
    size_t n;
    char *said = cli_tail(below(a, "stderr"), 65536, &n);
    bool was = said && memmem(said, n, denied, sizeof denied - 1);
    free(said);
    return was;
}

static void print(const struct audit *a)
{
    const struct cli_touched *t = &a->touched;
    print_lines("for \"inputs\":", &t->inputs, true);
    print_lines("for \"tools\":", &t->tools, false);
    print_places(a);
    print_lines(
        "written outside its own directories, which the sandbox denies; TMPDIR names one of "
        "them, and \"sandbox\": false lets it:",
        &t->writes, false);
    bool none = t->inputs.n + t->tools.n + t->places.n + t->writes.n == 0;
    if (none)
        printf("nothing beyond what is declared was touched\n");
    if ((none && a->status != 0 && was_denied(a)) || t->writes_in)
        cli_note("what lies in in/ is read-only, and so is what cp copies of it: chmod -R u+w");
}

/* A failure by hand is told with what the command said last. */
static void tell_end(const struct audit *a)
{
    if (WIFSIGNALED(a->status))
        cli_note("by hand it was ended by signal %d", WTERMSIG(a->status));
    else if (WEXITSTATUS(a->status) != 0)
        cli_note("by hand it ended with status %d", WEXITSTATUS(a->status));
    if (a->status != 0)
        cli_tail_show(below(a, "stderr"), 20, "  | ");
}

static int audit(struct audit *a)
{
    char strace[PATH_MAX];
    if (!find_strace(strace)) {
        cli_message("strace is not installed");
        cli_try("apt-get install strace");
        return CLI_HELPER;
    }
    int rc = make_directory(a);
    if (rc == CLI_OK)
        rc = run_script(a, strace);
    if (rc != CLI_OK)
        return rc;
    cli_touched_init(&a->touched, a->dir, a->around, a->readable);
    if (!read_traces(a)) {
        tell_end(a);
        cli_message("strace could not follow the command");
        return CLI_INTERNAL;
    }
    tell_end(a);
    if (a->cli->json)
        cli_answer(a->cli, CLI_DATA, &view, a);
    else
        print(a);
    return CLI_OK;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct audit a = {.cli = cli, .of.action = cli_operand(args, 1)};
    int rc = cli_workflow_of(cli, cli_operand(args, 0), &a.of.workflow);
    if (rc != CLI_OK)
        return rc;
    if (!getcwd(a.around, sizeof a.around))
        a.around[0] = '\0';
    if (pingo_store_action(cli->store, &a.of, take_action, &a, &cli->err) != 0 ||
        pingo_store_readable(cli->store, &a.of, &a.readable, &cli->err) != 0 ||
        pingo_store_script(cli->store, &a.of, &a.script, &cli->err) != 0)
        rc = cli_not_found(cli, cli_operand(args, 0));
    else
        rc = audit(&a);
    if (a.dir[0] != '\0')
        pingo__tree_remove(AT_FDCWD, a.dir);
    free(a.readable);
    free(a.script);
    return rc;
}

const struct cli_command cli_audit = {"audit", "workflow action", run, CLI_OPENS_STORE,
                                      CLI_PRINTS(&view)};
