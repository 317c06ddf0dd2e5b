/* path.c - what is asked for: paths with what stands in them and in their queries. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/times.h"
#include "remote/remote.h"

static void put_escaped(char **path, const char *text)
{
    struct pingo__buffer b = {0};
    pingo__text_percent(&b, text, "-_.~");
    char *escaped = cli_take(&b);
    cli_append(path, "%s", escaped);
    free(escaped);
}

char *cli_remote_path_of(const char *format, va_list *args)
{
    char *path = NULL;
    for (const char *at = format, *next; *at != '\0'; at = next) {
        size_t plain = strcspn(at, "%");
        cli_append(&path, "%.*s", (int)plain, at);
        next = at + plain;
        if (*next == '\0')
            break;
        if (next[1] == 'd')
            cli_append(&path, "%" PRId64, va_arg(*args, int64_t));
        else
            put_escaped(&path, va_arg(*args, const char *));
        next += 2;
    }
    return path;
}

char *cli_remote_path(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *path = cli_remote_path_of(format, &args);
    va_end(args);
    return path;
}

void cli_remote_query(char **path, const char *name, const char *value)
{
    if (!value)
        return;
    cli_append(path, "%c%s=", strchr(*path, '?') ? '&' : '?', name);
    put_escaped(path, value);
}

void cli_remote_query_number(char **path, const char *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    cli_remote_query(path, name, text);
}

void cli_remote_query_time(char **path, const char *name, int64_t time_ms)
{
    char text[PINGO__TIMES_SIZE];
    if (time_ms > 0)
        cli_remote_query(path, name, pingo__times_print(text, time_ms));
}

/* Of an option that is no list the last one counts, as on this machine. */
static bool is_meant(const struct cli_args *args, size_t i, const char *options)
{
    const char *option = args->given[i].option->long_name;
    char *list = cli_format("%s*", option);
    if (pingo__text_is_among(options, list))
        return true;
    while (++i < args->ngiven)
        if (strcmp(args->given[i].option->long_name, option) == 0)
            return false;
    return pingo__text_is_among(options, option);
}

void cli_remote_query_options(struct cli_remote *r, char **path, const char *options)
{
    for (size_t i = 0; i < r->args->ngiven; i++) {
        const char *option = r->args->given[i].option->long_name;
        const char *value = r->args->given[i].value;
        if (!is_meant(r->args, i, options))
            continue;
        char *name = cli_copy(option), *to = name;
        for (const char *at = option; *at != '\0'; at++)
            *to++ = *at == '-' ? (char)(*++at - 'a' + 'A') : *at;
        *to = '\0';
        cli_remote_query(path, name, value ? value : "true");
    }
}
