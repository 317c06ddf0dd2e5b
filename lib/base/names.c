/* names.c - see names.h. */
#include "base/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define COPY ".copy"
#define READY ".ready."
#define BUNDLES ".bundles"
#define HASH_DIGITS 64

const char *const pingo__name_parts[PINGO__PARTS] = {"objects", "attempts", "staged", "trash"};
const char pingo__name_met_full[] = "../" PINGO__NAME_MARKER;

/* ---- printing ------------------------------------------------------------------------- */

void pingo__name_object(char name[PINGO__NAME_SIZE], const char *hash, int64_t action, int64_t epoch)
{
    snprintf(name, PINGO__NAME_SIZE, "objects/%.2s/%.64s.%" PRId64 ".%" PRId64, hash, hash, action,
             epoch);
}

void pingo__name_object_of(char name[PINGO__NAME_SIZE], const char *entry)
{
    snprintf(name, PINGO__NAME_SIZE, "objects/%.2s/%s", entry, strlen(entry) < 120 ? entry : "");
}

void pingo__name_attempt(char name[PINGO__NAME_SIZE], int64_t action, int64_t epoch)
{
    snprintf(name, PINGO__NAME_SIZE, "attempts/%" PRId64 ".%" PRId64, action, epoch);
}

void pingo__name_staged(char name[PINGO__NAME_SIZE], int64_t action, int64_t epoch)
{
    snprintf(name, PINGO__NAME_SIZE, "staged/%" PRId64 ".%" PRId64, action, epoch);
}

void pingo__name_copy(char name[PINGO__NAME_SIZE], const char *of)
{
    snprintf(name, PINGO__NAME_SIZE, "%.*s" COPY, PINGO__NAME_SIZE - (int)sizeof COPY, of);
}

void pingo__name_deleting(char name[PINGO__NAME_SIZE], int64_t dataset)
{
    snprintf(name, PINGO__NAME_SIZE, "trash/d.%" PRId64, dataset);
}

void pingo__name_held(char name[PINGO__NAME_SIZE], int64_t owner, uint64_t token, uint64_t serial)
{
    snprintf(name, PINGO__NAME_SIZE, "trash/o.%" PRId64 ".%016" PRIx64 ".%" PRIu64, owner, token,
             serial);
}

void pingo__name_dropped(char name[PINGO__NAME_SIZE], uint64_t token, uint64_t serial)
{
    snprintf(name, PINGO__NAME_SIZE, "trash/%016" PRIx64 ".%" PRIu64, token, serial);
}

void pingo__name_ready(char name[PINGO__NAME_SIZE], int64_t pid, int64_t number)
{
    if (number < 0)
        snprintf(name, PINGO__NAME_SIZE, READY "%" PRId64 ".in", pid);
    else
        snprintf(name, PINGO__NAME_SIZE, READY "%" PRId64 ".%" PRId64, pid, number);
}

void pingo__name_bundle(char name[PINGO__NAME_SIZE], const char *hash, const char *what)
{
    snprintf(name, PINGO__NAME_SIZE, "attempts/" BUNDLES "%s%.16s%s%.64s", *hash ? "/" : "", hash,
             *what ? "/" : "", what);
}

/* ---- reading --------------------------------------------------------------------------- */

/* The digits of the number that stands there as it is printed; 0: none does. */
static size_t number_at(const char *text, int64_t *number)
{
    const char *end = text;
    bool is = pingo__text_digits(&end, number) && (*text != '0' || end == text + 1);
    return is ? (size_t)(end - text) : 0;
}

/* ACTION.EPOCH, and nothing behind it but the mark of a copy. */
static bool parse_key(const char *text, struct pingo__name *parsed)
{
    size_t n = number_at(text, &parsed->action);
    if (n == 0 || text[n] != '.')
        return false;
    text += n + 1;
    n = number_at(text, &parsed->epoch);
    const char *behind = strncmp(text + n, COPY, strlen(COPY)) == 0 ? text + n + strlen(COPY) : "?";
    parsed->is_copy = *behind == '\0' || *behind == '.';
    return n > 0 && (text[n] == '\0' || parsed->is_copy);
}

static size_t hash_digits(const char *text)
{
    return strspn(text, "0123456789abcdef");
}

static bool parse_object(const char *text, struct pingo__name *parsed)
{
    const char *base = hash_digits(text) == 2 && text[2] == '/' ? text + 3 : "";
    if (hash_digits(base) != HASH_DIGITS || base[HASH_DIGITS] != '.' || strncmp(base, text, 2) != 0)
        return false;
    memcpy(parsed->hash, base, HASH_DIGITS);
    return parse_key(base + HASH_DIGITS + 1, parsed);
}

static void parse_trash(const char *text, struct pingo__name *parsed)
{
    int64_t number = 0;
    size_t n = *text && text[1] == '.' ? number_at(text + 2, &number) : 0;
    if (n > 0 && *text == 'd' && text[2 + n] == '\0')
        parsed->dataset = number;
    if (n > 0 && *text == 'o' && text[2 + n] == '.')
        parsed->owner = number;
}

bool pingo__name_is_in(enum pingo__name_part part, const char *name)
{
    size_t n = strlen(pingo__name_parts[part]);
    return strncmp(name, pingo__name_parts[part], n) == 0 && name[n] == '/';
}

bool pingo__name_parse(const char *name, struct pingo__name *parsed)
{
    memset(parsed, 0, sizeof *parsed);
    while (parsed->part < PINGO__PARTS && !pingo__name_is_in(parsed->part, name))
        parsed->part++;
    if (parsed->part == PINGO__PARTS)
        return false;
    name += strlen(pingo__name_parts[parsed->part]) + 1;
    if (parsed->part == PINGO__OBJECTS)
        return parse_object(name, parsed);
    if (parsed->part != PINGO__TRASH)
        return parse_key(name, parsed);
    parse_trash(name, parsed);
    return true;
}

bool pingo__name_is_ready(const char *entry, int64_t pid)
{
    int64_t of, number;
    const char *rest = entry + strlen(READY);
    if (strncmp(entry, READY, strlen(READY)) != 0)
        return false;
    size_t n = number_at(rest, &of);
    if (n == 0 || rest[n] != '.' || of == 0 || (pid != 0 && of != pid))
        return false;
    rest += n + 1;
    n = number_at(rest, &number);
    return strcmp(rest, "in") == 0 || (n > 0 && rest[n] == '\0');
}

bool pingo__name_is_attempt(const char *entry, int64_t *action, int64_t *epoch)
{
    struct pingo__name parsed;
    bool is = parse_key(entry, &parsed) && !parsed.is_copy && parsed.action > 0 && parsed.epoch > 0;
    *action = is ? parsed.action : 0;
    *epoch = is ? parsed.epoch : 0;
    return is;
}

static bool begins_with_key(const char *entry)
{
    size_t n = strspn(entry, "0123456789");
    return n > 0 && entry[n] == '.' && strspn(entry + n + 1, "0123456789") > 0;
}

bool pingo__name_is_ours(enum pingo__name_part part, bool below, const char *entry)
{
    if (part == PINGO__OBJECTS && !below)
        return strlen(entry) == 2 && hash_digits(entry) == 2;
    if (part == PINGO__OBJECTS)
        return hash_digits(entry) == HASH_DIGITS && entry[HASH_DIGITS] == '.' &&
               begins_with_key(entry + HASH_DIGITS + 1);
    if (part == PINGO__ATTEMPTS &&
        (strncmp(entry, READY, strlen(READY)) == 0 || strcmp(entry, BUNDLES) == 0))
        return true;
    return part == PINGO__TRASH || begins_with_key(entry);
}

/* ---- paths ------------------------------------------------------------------------------- */

char *pingo__name_beside_attempt(const char *attempt_dir, const char *name)
{
    static const char part[] = "/attempts/";
    const char *last = strrchr(attempt_dir, '/');
    size_t n = last ? (size_t)(last + 1 - attempt_dir) : 0;
    if (n < sizeof part || memcmp(last + 2 - sizeof part, part, sizeof part - 1) != 0)
        return NULL;
    n -= sizeof part - 1;
    const char *slash = *name ? "/" : "";
    char *path;
    return asprintf(&path, "%.*s%s%s", (int)n, attempt_dir, slash, name) < 0 ? NULL : path;
}

/* The beginning of the path up to its nth slash from the end, with that; 0: it has fewer. */
static size_t up_to(const char *path, int nth)
{
    size_t n = strlen(path);
    while (n > 0 && (path[n - 1] != '/' || --nth > 0))
        n--;
    return n;
}

char *pingo__name_listed(const char *list, const char *text, int64_t line)
{
    char entry[64];
    int64_t action, epoch;
    size_t n = up_to(list, 3); /* .bundles/HASH/list */
    for (; line > 0 && (text = strchr(text, '\n')); line--)
        text++;
    const char *end = text ? strchr(text, '\n') : NULL;
    if (line < 0 || n == 0 || !end || (size_t)(end - text) >= sizeof entry)
        return NULL;
    snprintf(entry, sizeof entry, "%.*s", (int)(end - text), text);
    char *path;
    if (!pingo__name_is_attempt(entry, &action, &epoch))
        return NULL;
    return asprintf(&path, "%.*s%s", (int)n, list, entry) < 0 ? NULL : path;
}
