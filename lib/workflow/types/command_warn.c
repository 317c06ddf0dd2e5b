/* command_warn.c - what is probably a mistake in a command.
 *
 * A command is looked at as runs of the characters that names are made of; no
 * shell is imitated.  In doubt nothing is said: a pattern such as in/$x or the
 * directory in itself counts as a mention of every link.  Time is linear in the
 * command and in the number of links. */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/path.h"
#include "workflow/draft.h"
#include "workflow/types/command_line.h"

#define LONGEST_NAME 600 /* that a link can have, and its option */
#define PATTERN_CHARS "*?[{$`\\~"
#define MOST_BYTES 600 /* of a path that may name a link; a longer one leads below one at most */

struct look {
    const struct pingo_action *action;
    struct pingo_problem_sink *sink;
    const struct pingo_workflow_options *options;
    size_t nlinks;           /* parents, then inputs */
    bool *mentioned;         /* each link and, from nlinks, each folder in their names */
    struct pingo__map names; /* of links and of folders: their places in mentioned */
    bool all_mentioned;
    struct pingo__map told;     /* what was warned of already */
    struct pingo__map declared; /* paths and tools; filled when first needed */
    bool declared_is_filled;
    const char *pointer; /* of the text that is being read */
    bool is_quiet;       /* only mentions count */
};

/* A piece of the command. */
struct run {
    const char *text;
    size_t length;
};

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

static struct run run_at(const char *text)
{
    struct run run = {text, 0};
    while (is_name_char(text[run.length]))
        run.length++;
    return run;
}

static bool run_is(const struct run *run, const char *word)
{
    return run->length == strlen(word) && memcmp(run->text, word, run->length) == 0;
}

static void no_memory(struct look *look)
{
    look->sink->draft->no_memory = true;
}

/* Is it new?  So that each thing is told once an action. */
static bool is_untold(struct look *look, const char *text, size_t length)
{
    uint32_t before;
    if (!pingo__map_insert(&look->told, text, length, 0, &before)) {
        no_memory(look);
        return false;
    }
    return before == PINGO__MAP_NONE;
}

/* ---- links ----------------------------------------------------------------------
 *
 * A path below in/ is a mention of the link that it names or leads through, and of all links that lie below it. */

enum mention {
    MENTIONS_NOTHING = 0,
    MENTIONS_LINK,
    MENTIONS_URI /* what is no file is fetched by the command: no link is made */
};

static bool is_uri(const struct look *look, size_t i)
{
    const struct pingo_action *a = look->action;
    return i >= a->nparents && a->inputs[i - a->nparents].uri;
}

/* false: no memory. */
static bool name_links(struct look *look, struct pingo__arena *arena)
{
    size_t nfolders = 0;
    look->nlinks = look->action->nparents + look->action->ninputs;
    for (size_t i = 0; i < look->nlinks; i++) {
        const char *name = pingo__workflow_link_name(look->action, i), *slash = name;
        uint32_t before = 0;
        if (!pingo__map_insert(&look->names, name, strlen(name), (uint32_t)i, NULL))
            return false;
        while ((slash = strchr(slash, '/'))) {
            if (!pingo__map_insert(&look->names, name, (size_t)(slash - name),
                                   (uint32_t)(look->nlinks + nfolders), &before))
                return false;
            nfolders += before == PINGO__MAP_NONE;
            slash++;
        }
    }
    look->mentioned = pingo__arena_array(arena, look->nlinks + nfolders, sizeof *look->mentioned);
    return look->mentioned;
}

/* Notes a path below in/, n bytes without a slash at either end. */
static enum mention mention(struct look *look, const char *path, size_t n)
{
    uint32_t at = n > 0 && n <= MOST_BYTES ? pingo__map_get(&look->names, path, n) : PINGO__MAP_NONE;
    for (size_t i = 0; at == PINGO__MAP_NONE && i < n && i <= MOST_BYTES; i++) {
        at = path[i] == '/' ? pingo__map_get(&look->names, path, i) : PINGO__MAP_NONE;
        at = at < look->nlinks ? at : PINGO__MAP_NONE; /* a folder has nothing else in it */
    }
    if (at == PINGO__MAP_NONE)
        return MENTIONS_NOTHING;
    if (at < look->nlinks && is_uri(look, at))
        return MENTIONS_URI;
    look->mentioned[at] = true;
    return MENTIONS_LINK;
}

/* Was the i-th link mentioned, or need it not be? */
static bool is_mentioned(const struct look *look, size_t i)
{
    const char *name = pingo__workflow_link_name(look->action, i), *slash = name;
    if (look->mentioned[i] || name[0] == '\0' || is_uri(look, i))
        return true;
    while ((slash = strchr(slash, '/'))) {
        uint32_t at = pingo__map_get(&look->names, name, (size_t)(slash - name));
        if (at != PINGO__MAP_NONE && at >= look->nlinks && look->mentioned[at])
            return true;
        slash++;
    }
    return false;
}

/* ---- in/NAME -------------------------------------------------------------------- */

/* A path of names: how many bytes, at most as many as given. */
static size_t path_of_names(const char *text, size_t most)
{
    size_t n = 0;
    while (n < most && (is_name_char(text[n]) || (text[n] == '/' && n > 0)))
        n++;
    return n;
}

static size_t without_slashes(const char *text, size_t n)
{
    while (n > 0 && text[n - 1] == '/')
        n--;
    return n;
}

static void warn_of_nothing(struct look *look, const char *text, size_t n, enum mention found)
{
    int shown = n > 64 ? 64 : (int)n;
    if (is_untold(look, text, n))
        pingo_problem_add(
            look->sink, PINGO_SEVERITY_WARNING, look->pointer,
            found == MENTIONS_URI
                ? "in/%.*s: the input \"%.*s\" is a URI, which the command has to fetch"
                : "in/%.*s: no parent has the role and no input the name \"%.*s\"",
            shown, text, shown, text);
}

/* After "in/": a path, a pattern, or nothing.  Returns how many bytes it has. */
static size_t read_link(struct look *look, const char *text, bool is_certain)
{
    size_t slashes = strspn(text, "/"), n;
    text += slashes;
    size_t whole = n = path_of_names(text, SIZE_MAX);
    /* A pattern stands for what lies in its folder. */
    if (text[n] != '\0' && strchr(PATTERN_CHARS, text[n]))
        while (n > 0 && text[n - 1] != '/')
            n--;
    n = without_slashes(text, n);
    if (n == 0) {
        look->all_mentioned = true;
        return slashes + whole;
    }
    enum mention found = mention(look, text, n);
    /* The end of a sentence is no part of a name. */
    while (found == MENTIONS_NOTHING && n > 1 && text[n - 1] == '.')
        found = mention(look, text, --n);
    if (found != MENTIONS_LINK && is_certain && !look->is_quiet)
        warn_of_nothing(look, text, n, found);
    return slashes + whole;
}

/* Does a path that has a slash before this point begin in the working directory? */
static bool begins_here(const char *text, size_t at)
{
    if (at == 0 || text[at - 1] != '/')
        return true;
    return at >= 2 && text[at - 2] == '.' &&
           (at == 2 || (!is_name_char(text[at - 3]) && text[at - 3] != '/'));
}

/* Is the word "in" at this point the directory, and not the word of a shell's loop? */
static bool is_directory_word(const char *text, size_t at, const struct run last[2])
{
    static const char *const loops[] = {"for", "case", "select"};
    static const char borders[] = " \t\n\"'`();&|<>=,:";
    if (at > 0 && !strchr(borders, text[at - 1]) && !begins_here(text, at))
        return false;
    if (text[at + 2] != '\0' && !strchr(borders, text[at + 2]))
        return false;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (run_is(&last[1], loops[i]))
            return false;
    return true;
}

/* An option of one letter with its directory, such as -Iin or -Iin/include: what comes behind "in", or
 * NULL. */
static const char *behind_option(const char *text, const struct run *run)
{
    if (run->length != 4 || text[0] != '-' || text[1] == '-' || text[2] != 'i' || text[3] != 'n')
        return NULL;
    return text + 4;
}

/* A word that is no path below in/ may still be a link's name, or a folder, for those who cd. */
static void read_word(struct look *look, const char *text, const struct run *run)
{
    const char *behind = behind_option(text, run);
    if (behind && behind[0] == '/')
        read_link(look, behind, false);
    else if (behind)
        look->all_mentioned = true;
    if (look->all_mentioned)
        return;
    size_t n = without_slashes(text, path_of_names(text, LONGEST_NAME));
    mention(look, text, n);
    if (text[0] == '-' && run->length > 2) /* -Iinclude */
        mention(look, text + 2, n - 2);
}

/* ---- absolute paths ----------------------------------------------------------------- */

static void declare(struct look *look, const char *text)
{
    if (text && !pingo__map_insert(&look->declared, text, strlen(text), 0, NULL))
        no_memory(look);
}

/* Is the path an input, below one, a tool, or where the output goes? */
static bool is_declared(struct look *look, const char *path)
{
    const struct pingo_action *a = look->action;
    const char *base = strrchr(path, '/') + 1;
    for (size_t i = 0; !look->declared_is_filled && i < a->ninputs; i++)
        declare(look, a->inputs[i].path);
    for (size_t i = 0; !look->declared_is_filled && i < a->ntools; i++)
        declare(look, a->tools[i]);
    if (!look->declared_is_filled)
        declare(look, a->output_path);
    look->declared_is_filled = true;
    if (pingo__map_get(&look->declared, base, strlen(base)) != PINGO__MAP_NONE)
        return true;
    for (size_t n = strlen(path); n > 0; n--)
        if ((path[n] == '/' || path[n] == '\0') &&
            pingo__map_get(&look->declared, path, n) != PINGO__MAP_NONE)
            return true;
    return false;
}

/* Warns of a path that begins at text and has n bytes, if there is such a file.  Returns whether
 * it is told now or known. */
static bool check_path(struct look *look, const char *text, size_t n)
{
    struct pingo__arena *arena = &look->sink->draft->scratch;
    char *copy = pingo__arena_text(arena, text, n);
    char *path = copy ? pingo__path_join(NULL, copy) : NULL;
    copy = path ? pingo__arena_text(arena, path, strlen(path)) : NULL;
    free(path);
    if (!copy) {
        no_memory(look);
        return false;
    }
    if (strcmp(copy, "/") == 0 || pingo__path_is_below(copy, "/dev") ||
        pingo__path_is_below(copy, "/proc") || is_declared(look, copy))
        return true;
    if (!look->options->file_exists(look->options->context, copy))
        return false;
    if (is_untold(look, copy, strlen(copy)))
        pingo_problem_add(look->sink, PINGO_SEVERITY_WARNING, look->pointer,
                          "the file %s exists and nothing declares it, so its content is no part "
                          "of the hash: add it to \"inputs\", or a program to \"tools\"",
                          copy);
    return true;
}

/* How many bytes the absolute path at this point has; 0: it is none, or holds a pattern. */
static size_t path_length(const char *text, size_t at)
{
    size_t n = 0;
    if (at > 0 && !strchr(" \t\n\"'`();&|<>=,:", text[at - 1]))
        return 0;
    while (is_name_char(text[at + n]) || (text[at + n] != '\0' && strchr("/+@%~", text[at + n])) ||
           (unsigned char)text[at + n] >= 0x80)
        n++;
    if (text[at + n] != '\0' && strchr("*?[{$\\", text[at + n]))
        return 0;
    return n;
}

/* ---- the whole ------------------------------------------------------------------------ */

static bool wants_paths(const struct look *look)
{
    return look->options && look->options->file_exists && !look->is_quiet;
}

/* paths_from: before this offset no absolute path is looked for. */
static void read_text(struct look *look, const char *text, size_t paths_from)
{
    struct run last[2] = {{text, 0}, {text, 0}}; /* the runs before, newest first */
    for (size_t at = 0; text[at] != '\0' && !look->sink->draft->no_memory;) {
        struct run run = run_at(text + at);
        if (run.length == 0) {
            size_t n =
                text[at] == '/' && at >= paths_from && wants_paths(look) ? path_length(text, at) : 0;
            if (n > 0) {
                check_path(look, text + at, n);
                paths_from = at + n;
            }
            at++;
            continue;
        }
        if (run_is(&run, "in") && text[at + 2] == '/') {
            at += 2 + read_link(look, text + at + 2, begins_here(text, at));
        } else {
            if (run_is(&run, "in") && is_directory_word(text, at, last))
                look->all_mentioned = true;
            read_word(look, text + at, &run);
            at += run.length;
        }
        last[1] = last[0];
        last[0] = run;
    }
}

static void read_array(struct look *look, const struct pingo_field *command)
{
    struct pingo__workflow_draft *d = look->sink->draft;
    for (size_t i = 0; i < command->nvalues && !d->no_memory; i++) {
        const char *text = command->values[i];
        look->pointer = pingo__workflow_pointer(d, "/command/%zu", i);
        if (strcmp(text, "|") == 0 || strcmp(text, ">") == 0)
            pingo_problem_add(look->sink, PINGO_SEVERITY_WARNING, look->pointer,
                              "\"%s\" is handed to the program as an argument: write the command "
                              "as a string, and a shell will interpret it",
                              text);
        /* An element that is a path may hold any character. */
        bool is_path = text[0] == '/' && wants_paths(look) && check_path(look, text, strlen(text));
        read_text(look, text, is_path ? strlen(text) : 0);
    }
}

/* By its name: what such a one reads is not known here. */
static bool is_script(const char *name)
{
    static const char *const ends[] = {".sh", ".py",  ".pl", ".R",  ".r",
                                       ".rb", ".awk", ".jl", ".mk", "akefile" /* with M or m */};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(name), length = strlen(ends[i]);
        if (n > length && strcmp(name + n - length, ends[i]) == 0)
            return true;
    }
    return false;
}

static void warn_of_unmentioned(struct look *look)
{
    const struct pingo_action *a = look->action;
    struct pingo__workflow_draft *d = look->sink->draft;
    for (size_t i = 0; i < look->nlinks && !look->all_mentioned; i++)
        look->all_mentioned = is_mentioned(look, i) && is_script(pingo__workflow_link_name(a, i));
    for (size_t i = 0; i < look->nlinks && !look->all_mentioned; i++) {
        const char *name = pingo__workflow_link_name(a, i);
        bool is_role = i < a->nparents;
        if (is_mentioned(look, i))
            continue;
        pingo_problem_add(look->sink, PINGO_SEVERITY_WARNING,
                          is_role ? pingo__workflow_pointer(d, "/parentActions/%zu", i)
                                  : pingo__workflow_pointer(d, "/inputs/%zu", i - a->nparents),
                          "the command never mentions the %s \"%s\": it would be in/%s",
                          is_role ? "role" : "input", name, name);
    }
}

void pingo__workflow_command_warn(const struct pingo_action *action,
                                  const struct pingo_field *command, struct pingo_problem_sink *sink,
                                  const struct pingo_workflow_options *options)
{
    struct pingo__arena *arena = &sink->draft->scratch;
    struct look look = {.action = action,
                        .sink = sink,
                        .options = options,
                        .names.arena = arena,
                        .told.arena = arena,
                        .declared.arena = arena};
    const struct pingo_field *env = pingo_action_field(action, "env");
    if (!name_links(&look, arena)) {
        no_memory(&look);
        return;
    }
    look.pointer = "/command";
    if (command->kind == PINGO_FIELD_TEXT)
        read_text(&look, command->values[0], 0);
    else
        read_array(&look, command);
    look.is_quiet = true;
    for (size_t i = 1; env && i < env->nvalues; i += 2)
        read_text(&look, env->values[i], 0);
    warn_of_unmentioned(&look);
}
