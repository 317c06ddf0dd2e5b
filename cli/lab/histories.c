/* histories.c - reading and writing files in the format of pingo-history(5). */
#include "histories.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pingo-lab/generate.h>

#include "args.h"
#include "message.h"

static int read_lines(struct cli *cli, FILE *file, const char *label, struct pingo_history *history)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    ssize_t length;
    int rc = CLI_OK;
    while (rc == CLI_OK && (length = getline(&line, &capacity, file)) >= 0) {
        if (pingo_history_read_line(history, line, (size_t)length, ++number, &cli->err) != 0)
            rc = cli_error_of(cli, label);
    }
    free(line);
    if (rc == CLI_OK && ferror(file))
        rc = cli_file_error("read", label, errno);
    return rc;
}

int cli_history_read(struct cli *cli, const char *operand, struct pingo_history **history)
{
    bool is_stdin = strcmp(operand, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(operand, "re");
    *history = NULL;
    if (!file)
        return cli_file_error("read", operand, errno);
    int rc = CLI_OK;
    if (pingo_history_new(history, &cli->err) != 0)
        rc = cli_error(cli);
    if (rc == CLI_OK)
        rc = read_lines(cli, file, is_stdin ? "standard input" : operand, *history);
    if (rc != CLI_OK) {
        pingo_history_free(*history);
        *history = NULL;
    }
    if (!is_stdin)
        fclose(file);
    return rc;
}

static int write_lines(struct cli *cli, const struct pingo_history *history, FILE *out)
{
    uint32_t n = pingo_history_count_submissions(history);
    for (uint32_t i = 0; i < n && !ferror(out); i++) {
        char *line = NULL;
        if (pingo_history_print_line(history, i, NULL, &line, &cli->err) != 0)
            return cli_error(cli);
        fputs(line, out);
        free(line);
    }
    return CLI_OK;
}

int cli_history_write(struct cli *cli, const struct pingo_history *history, const char *path)
{
    if (!path)
        return write_lines(cli, history, stdout);
    FILE *out = fopen(path, "we");
    if (!out)
        return cli_file_error("write", path, errno);
    int rc = write_lines(cli, history, out);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        rc = cli_file_error("write", path, errno);
    return rc;
}

int cli_history_check_output(const struct cli_args *args, const char *option)
{
    const char *path = cli_value(args, option);
    struct stat out, in;
    if (!path || stat(path, &out) != 0 || !S_ISREG(out.st_mode))
        return CLI_OK;
    for (size_t i = 0; i < args->noperands; i++)
        if (stat(args->operands[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return cli_usage(args, "--%s %s would be written over what is read; name another file",
                             option, cli_shown(path));
    return CLI_OK;
}

const char *cli_family_at(size_t i, const char **summary)
{
    const struct pingo_generate_family *family = pingo_generate_family_at(i);
    *summary = family ? family->summary : NULL;
    return family ? family->name : NULL;
}
