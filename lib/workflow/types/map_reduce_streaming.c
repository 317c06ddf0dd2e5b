/* map_reduce_streaming.c - a command as Hadoop's streaming takes it.
 *
 * Hadoop splits it at blanks and quotes and knows no escapes, so it is always one word for bash, in which every byte
 * that anybody could take for something else is written by its number; and the whole is encoded as in a URL. */
#include <ctype.h>
#include <string.h>

#include "workflow/types/command_line.h"
#include "workflow/types/map_reduce.h"

static bool is_plain(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_./=-,:", c));
}

/* $'...' */
static void put_word(struct pingo__buffer *b, const char *word)
{
    pingo__buffer_text(b, "$'");
    for (; *word; word++)
        if ((unsigned char)*word < 128 && is_plain(*word))
            pingo__buffer_char(b, *word);
        else
            pingo__buffer_format(b, "\\%03o", (unsigned)(unsigned char)*word);
    pingo__buffer_text(b, "'");
}

/* As java.net.URLDecoder reads it. */
static void encode(struct pingo__buffer *b, const struct pingo__buffer *plain)
{
    for (size_t i = 0; i < plain->length; i++)
        if (isalnum((unsigned char)plain->data[i]))
            pingo__buffer_char(b, plain->data[i]);
        else
            pingo__buffer_format(b, "%%%02X", (unsigned)(unsigned char)plain->data[i]);
}

void pingo__workflow_streaming_command(struct pingo__buffer *b, const struct pingo_field *command)
{
    static const char *const bash[] = {"/bin/bash", "-euo", "pipefail", "-c"};
    struct pingo__buffer plain = {0};
    pingo__buffer_text(&plain, "/bin/bash -c \"export");
    for (size_t i = 0; i < PINGO__COMMAND_CONSTANTS; i++)
        pingo__buffer_format(&plain, " %s=%s", pingo__workflow_command_constants[i][0],
                             pingo__workflow_command_constants[i][1]);
    pingo__buffer_text(&plain, "; exec");
    for (size_t i = 0; command->kind == PINGO_FIELD_TEXT && i < sizeof bash / sizeof *bash; i++)
        pingo__buffer_format(&plain, " %s", bash[i]);
    for (size_t i = 0; i < command->nvalues; i++) {
        pingo__buffer_char(&plain, ' ');
        put_word(&plain, command->values[i]);
    }
    pingo__buffer_char(&plain, '"');
    b->failed = b->failed || plain.failed;
    encode(b, &plain);
    pingo__buffer_clear(&plain);
}
