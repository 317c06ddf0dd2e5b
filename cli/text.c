/* text.c - numbers, times and strings as people read them. */
#include "text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/map.h"
#include "base/quoting.h"
#include "message.h"

bool cli_parse_time(const char *text, int64_t *time_ms)
{
    int64_t ago;
    if (pingo__units_parse_duration(text, &ago))
        *time_ms = pingo__world_wall_ms() - ago;
    else if (!pingo__times_parse(text, true, time_ms))
        return false;
    if (*time_ms <= 0)
        *time_ms = 1; /* 0 means: no bound */
    return true;
}

void cli_short_hash(char out[CLI_SHORT_HASH], const struct pingo_hash *hash)
{
    char hex[PINGO_HASH_HEX_SIZE];
    pingo_hash_to_hex(hash, hex);
    memcpy(out, hex, CLI_SHORT_HASH - 1);
    out[CLI_SHORT_HASH - 1] = '\0';
}

const char *cli_shown(const char *text)
{
    static char copies[4][64];
    static unsigned at;
    char *copy = copies[at++ % 4];
    pingo__text_clean_to(copy, sizeof copies[0], text);
    return copy;
}

void cli_cut(char *out, size_t size, const char *text, size_t length)
{
    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

void cli_print_clean(FILE *out, const char *text)
{
    while (*text != '\0') {
        const char *shown;
        size_t nshown, length = pingo__text_clean_next(text, &shown, &nshown);
        fwrite(shown, 1, nshown, out);
        text += length;
    }
}

void cli_print_data(FILE *out, const char *text)
{
    if (isatty(fileno(out)))
        cli_print_clean(out, text);
    else
        fputs(text, out);
}

void cli_print_lines(FILE *out, const char *bytes, size_t n)
{
    char character[5];
    for (size_t i = 0, length; i < n; i += length) {
        cli_cut(character, sizeof character, bytes + i, n - i < 4 ? n - i : 4);
        const char *shown = " ";
        size_t nshown = 1;
        length = 1;
        if (bytes[i] == '\n' || bytes[i] == '\t')
            shown = bytes + i;
        else if (bytes[i] == '\0')
            shown = "?";
        else if (bytes[i] != '\r')
            length = pingo__text_clean_next(character, &shown, &nshown);
        fwrite(shown, 1, nshown, out);
    }
}

void cli_print_said(const char *bytes, size_t n)
{
    if (isatty(STDOUT_FILENO) == 1)
        cli_print_lines(stdout, bytes, n);
    else
        fwrite(bytes, 1, n, stdout);
}

size_t cli_whole_characters(const char *bytes, size_t n)
{
    for (size_t tail = 1; tail <= 3 && tail < n; tail++) {
        unsigned char c = (unsigned char)bytes[n - tail];
        if (c >= 0xc2) /* begins one of so many bytes */
            return tail < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? n - tail : n;
        if (c < 0x80)
            break;
    }
    return n;
}

void cli_pad(FILE *out, const char *text, int width)
{
    struct pingo__buffer b = {0};
    pingo__view_pad(&b, text, -width);
    fputs(cli_take(&b), out);
}

const char *cli_environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value != '\0' ? value : NULL;
}

const char *cli_here(void)
{
    static char here[4096];
    return *here != '\0' || getcwd(here, sizeof here) ? here : NULL;
}

const char *cli_path_here(const char *path)
{
    return pingo__view_path(path, cli_here());
}

static void name_input(char *name, size_t size, const char *path)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t n = strlen(path), from;
    while (n > 1 && path[n - 1] == '/')
        n--;
    for (from = n; from > 0 && path[from - 1] != '/';)
        from--;
    cli_cut(name, size, from < n ? path + from : "_", from < n ? n - from : 1);
    for (char *c = name; *c != '\0'; c++)
        if (!strchr(letters, *c) && (c == name || !strchr(".-", *c)))
            *c = '_';
}

static void *no_memory(void)
{
    fputs("pingo: out of memory\n", stderr); /* whatever is formatted would take memory */
    exit(CLI_INTERNAL);
}

static bool is_taken(const struct pingo__map *taken, const char *name, uint32_t *by)
{
    *by = pingo__map_get(taken, name, strlen(name));
    return *by != PINGO__MAP_NONE;
}

/* last: of each, the number that was added last to its name. */
struct cli_input_name *cli_input_names(const char *const *paths, size_t n)
{
    struct cli_input_name *names = cli_alloc(n * sizeof *names);
    struct pingo__map taken = {0};
    unsigned *last = cli_alloc(n * sizeof *last);
    for (size_t i = 0; i < n; i++) {
        char plain[sizeof names->text - 12], *name = names[i].text;
        uint32_t first, by;
        name_input(plain, sizeof plain, paths[i]);
        snprintf(name, sizeof names->text, "%s", plain);
        if (is_taken(&taken, plain, &first)) {
            do
                snprintf(name, sizeof names->text, "%s-%u", plain, 2 + last[first]++);
            while (is_taken(&taken, name, &by));
        }
        if (!pingo__map_insert(&taken, name, strlen(name), (uint32_t)i, NULL))
            no_memory();
    }
    pingo__map_clear(&taken);
    free(last);
    return names;
}

void *cli_alloc(size_t size)
{
    return memset(cli_grow(NULL, size), 0, size);
}

/* What is kept until the end; it may have been freed before. */
static struct {
    void **list;
    size_t n, capacity;
} kept;

void *cli_own(void *memory)
{
    if (memory && !PINGO__ARRAY_ROOM(kept.list, kept.capacity, kept.n, 1))
        no_memory();
    if (memory)
        kept.list[kept.n++] = memory;
    return memory;
}

void *cli_grow(void *memory, size_t size)
{
    size_t i = memory ? kept.n : 0;
    while (i > 0 && kept.list[i - 1] != memory)
        i--;
    if (i > 0)
        kept.list[i - 1] =
            kept.list[--kept.n]; /* what grows is the newest again, and found at once */
    void *grown = realloc(memory, size == 0 ? 1 : size);
    return grown ? cli_own(grown) : no_memory();
}

void *cli_more(void *list, size_t n, size_t size)
{
    if (n == 0)
        return cli_grow(list, 16 * size);
    return n >= 16 && (n & (n - 1)) == 0 ? cli_grow(list, 2 * n * size) : list;
}

char *cli_take(struct pingo__buffer *b)
{
    char *text = pingo__buffer_take(b);
    return text ? cli_own(text) : no_memory();
}

char *cli_word(const char *text)
{
    struct pingo__buffer b = {0};
    pingo__quoting_shell(&b, text);
    return cli_take(&b);
}

char *cli_copy(const char *text)
{
    return text ? cli_format("%s", text) : NULL;
}

static void append(char **text, const char *format, va_list list)
{
    size_t length = *text ? strlen(*text) : 0;
    va_list copy;
    va_copy(copy, list);
    int n = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    *text = cli_grow(*text, length + (n < 0 ? 1 : (size_t)n + 1));
    (*text)[length] = '\0';
    vsnprintf(*text + length, n < 0 ? 1 : (size_t)n + 1, format, list);
}

char *cli_vformat(const char *format, va_list list)
{
    char *text = NULL;
    append(&text, format, list);
    return text;
}

char *cli_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = cli_vformat(format, list);
    va_end(list);
    return text;
}

void cli_append(char **text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(text, format, list);
    va_end(list);
}
