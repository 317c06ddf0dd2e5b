/* failures.c - the report at the end of a run: each failure with what a person needs to mend it. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer.h"
#include "base/file.h"
#include "running.h"

#define TAIL_LINES 10
#define TAIL_BYTES 65536

struct failures {
    struct cli *cli;
    int64_t workflow;
    size_t cancelled, killed;
};

char *cli_failure_text(const struct pingo_action_status *status)
{
    struct pingo__buffer b = {0};
    pingo__view_failure(&b, status);
    return cli_take(&b);
}

char *cli_tail(const char *path, size_t most, size_t *n)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    *n = 0;
    if (!file)
        return NULL;
    char *bytes = cli_alloc(most);
    if (fseek(file, -(long)most, SEEK_END) != 0)
        rewind(file);
    *n = fread(bytes, 1, most, file);
    fclose(file);
    return bytes;
}

void cli_tail_show(const char *path, int lines, const char *prefix)
{
    size_t n = 0;
    char *bytes = cli_tail(path, TAIL_BYTES, &n);
    size_t start = n;
    if (n > 0 && bytes[n - 1] == '\n')
        n--, start--;
    for (int newlines = 0; start > 0; start--)
        if (bytes[start - 1] == '\n' && ++newlines == lines)
            break;
    for (char *line = bytes + start; line < bytes + n;) {
        char *end = memchr(line, '\n', (size_t)(bytes + n - line));
        fputs(prefix, stderr);
        cli_print_lines(stderr, line, (size_t)((end ? end : bytes + n) - line));
        putc('\n', stderr);
        line = end ? end + 1 : bytes + n;
    }
    free(bytes);
}

static bool is_file_here(const char *name)
{
    struct stat st;
    return *name && *name != '/' && strncmp(name, "in/", 3) != 0 && stat(name, &st) == 0 &&
           S_ISREG(st.st_mode);
}

/* Who comes from make names a file by where it lies. */
static void explain_missing(const char *log)
{
    char *bytes = cli_alloc(TAIL_BYTES), *lines = bytes, *line, *word;
    bool is_told = !log;
    if (log)
        pingo__file_read_end(AT_FDCWD, log, bytes, TAIL_BYTES);
    while (!is_told && (line = strsep(&lines, "\n"))) {
        char *rest = strstr(line, "No such file") ? line : NULL;
        while (!is_told && (word = strsep(&rest, " \t\r'\"`:,;()[]<>")))
            if ((is_told = is_file_here(word)))
                cli_tell("  %s lies here, but a command runs in a directory of its own: name the"
                         " file in \"inputs\", and the command reads it as in/NAME",
                         word);
    }
    free(bytes);
}

static int show(void *context, const struct pingo_action_status *s)
{
    struct failures *f = context;
    struct pingo_store *store = f->cli->store;
    char id[32], *log = NULL;
    f->cancelled += s->state == PINGO_ACTION_CANCELLED;
    f->killed += s->state == PINGO_ACTION_KILLED;
    if (s->state != PINGO_ACTION_FAILED)
        return 0;
    snprintf(id, sizeof id, "%" PRId64, s->id);
    char *why = cli_failure_text(s);
    cli_said("failed: ", PINGO__TONE_BAD, "%s %s: %s", id, s->name, why);
    free(why);
    if (pingo_store_log_path(store, &(struct pingo_action_name){f->workflow, id},
                             PINGO_STREAM_STDERR, &log, NULL) == 0)
        cli_tail_show(log, TAIL_LINES, "  | ");
    explain_missing(log);
    free(log);
    if (s->attempt_dir)
        cli_tell("  scratch directory: %s", s->attempt_dir);
    if (s->attempts > 0)
        cli_tell("  repeat it by hand: %s log --command %" PRId64 " %s >again.sh",
                 cli_program(f->cli), f->workflow, id);
    return 0;
}

void cli_failures_show(struct cli *cli, int64_t workflow)
{
    struct failures f = {.cli = cli, .workflow = workflow};
    const struct pingo_action_query query = {.version = 1,
                                             .workflow = workflow,
                                             .states = 1u << PINGO_ACTION_FAILED |
                                                       1u << PINGO_ACTION_CANCELLED |
                                                       1u << PINGO_ACTION_KILLED};
    pingo_store_actions(cli->store, &query, show, &f, NULL);
    if (f.killed > 0)
        cli_tell("killed: %zu action%s", f.killed, f.killed == 1 ? "" : "s");
    if (f.cancelled > 0)
        cli_tell("cancelled: %zu action%s that had not started", f.cancelled,
                 f.cancelled == 1 ? "" : "s");
}
