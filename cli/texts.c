/* texts.c - see texts.h. */
#include "texts.h"

#include <string.h>

const struct cli_help *cli_help_of(const char *command)
{
    const struct cli_help *help = cli_helps;
    while (help->command && strcmp(help->command, command) != 0)
        help++;
    return help;
}

const char *const *cli_file_of(const char *file)
{
    const struct cli_file *f = cli_files;
    while (f->file && strcmp(f->file, file) != 0)
        f++;
    return f->lines;
}

void cli_text_print(FILE *out, const char *const *lines)
{
    for (; *lines; lines++)
        fprintf(out, "%s\n", *lines);
}
