/* reasons.c - why actions are computed, and what differs, equal reasons together.
 *
 * What differs is put into words once an action; equal words are one group, and so are those of which only what did
 * not change has other numbers or names of files, as the commands of a fan-out.  The hashes of parents
 * differ from action to action, so those that differ in turn are left out of the words and told by name below. */

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reasons.h"

#include "answer.h"

#define ACTIONS_SHOWN 24
#define PARENTS_SHOWN 8

struct member {
    int64_t id;
    char *name;
};

struct cli_reason {
    enum pingo_plan_decision decision;
    char *reason, *words, *key; /* key: both, which tell groups apart */
    struct member *members;
    size_t n;
    bool has_nearest, same_nearest;  /* same_nearest: all of one workflow */
    bool same_words;                 /* of all; else words are the first one's */
    struct pingo_hash hash, nearest; /* of the first */
    int64_t nearest_workflow;
    char *parents; /* of the first: "words.txt, counts" */
    size_t with_parents;
};

/* ---- one difference in words ---------------------------------------------------------- */

/* Text with every whole hash in it cut to its first 12 digits. */
static void print_value(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t digits = strspn(text, "0123456789abcdef");
        char part[128];
        if (digits == 0)
            digits = strcspn(text, "0123456789abcdef");
        else if (digits == 2 * PINGO_HASH_SIZE) {
            fprintf(out, "%.12s", text);
            text += digits;
            continue;
        }
        for (; digits > 0; digits -= strlen(part), text += strlen(part)) {
            cli_cut(part, sizeof part, text, digits);
            cli_print_clean(out, part);
        }
    }
}

static void print_path(FILE *out, const char *path)
{
    fputs(" (", out);
    cli_print_clean(out, cli_path_here(path));
    fputs(")", out);
}

static void print_files(FILE *out, const struct pingo_difference *d)
{
    for (size_t i = 0; i < d->nfiles && i < 10; i++) {
        const struct pingo_file_change *f = &d->files[i];
        fprintf(out, "      %s ", !f->before ? "added:  " : f->after ? "changed:" : "removed:");
        cli_print_clean(out, f->path);
        fputs(f->before && f->after && *f->before != *f->after ? ": " : "", out);
        if (f->before && f->after && *f->before != *f->after)
            fprintf(out, "%s -> %s", f->before, f->after);
        putc('\n', out);
    }
    if (d->changed_files == 0 && d->before && d->after && strncmp(d->before, "tree ", 5) == 0 &&
        strncmp(d->after, "tree ", 5) == 0)
        fputs("      which of its files is not known: they were too many, or an older version"
              " hashed them\n",
              out);
    if (d->changed_files > 10)
        fprintf(out, "      and %zu more\n", d->changed_files - 10);
}

static bool has_place(const struct pingo_difference *d)
{
    return strncmp(d->field, "input ", 6) == 0 || strncmp(d->field, "tool ", 5) == 0 ||
           strncmp(d->field, "version ", 8) == 0;
}

/* "input R1.fq.gz (fastq/s1.R1.fq.gz): content a5df... -> 7bdb..." */
static void print_original(FILE *out, const struct pingo_difference *d)
{
    bool moved = d->before_path && d->after_path && strcmp(d->before_path, d->after_path) != 0;
    const char *path = d->after_path ? d->after_path : d->before_path;
    if (!moved && path && strcmp(cli_path_here(path), strchr(d->field, ' ') + 1) != 0)
        print_path(out, path);
    fprintf(out, "%s: ", cli_colour(stdout, PINGO__TONE_PLAIN));
    print_value(out, d->before ? d->before : "(absent)");
    if (moved)
        print_path(out, d->before_path);
    fputs(" -> ", out);
    print_value(out, d->after ? d->after : "(absent)");
    if (moved)
        print_path(out, d->after_path);
    putc('\n', out);
    print_files(out, d);
}

static bool is_parent(const struct pingo_difference *d)
{
    return strncmp(d->field, "parent ", 7) == 0;
}

static void print_difference(FILE *out, const struct pingo_difference *d)
{
    fprintf(out, "    %s", cli_colour(stdout, PINGO__TONE_BOLD));
    cli_print_clean(out, d->field);
    if (has_place(d)) {
        print_original(out, d);
        return;
    }
    if (is_parent(d)) {
        fprintf(out, "%s: %s\n", cli_colour(stdout, PINGO__TONE_PLAIN),
                d->after ? "added" : "removed");
        return;
    }
    fprintf(out, "%s\n      before: ", cli_colour(stdout, PINGO__TONE_PLAIN));
    print_value(out, d->before ? d->before : "(absent)");
    fputs("\n      now:    ", out);
    print_value(out, d->after ? d->after : "(absent)");
    putc('\n', out);
}

/* Text with one # for each word that has a digit, a dot or a slash: a number, or the name of a file. */
static void put_shape(FILE *out, const char *text, size_t n)
{
    size_t word = 0;
    bool is_name = false;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && (isalnum((unsigned char)text[i]) || strchr("./_-", text[i]))) {
            is_name = is_name || strchr("0123456789./", text[i]);
            continue;
        }
        fprintf(out, "%.*s", is_name ? 1 : (int)(i - word), is_name ? "#" : text + word);
        if (i < n)
            putc(text[i], out);
        word = i + 1;
        is_name = false;
    }
}

/* Word by word what changed, to the letter, and the shape of what did not. */
static void put_change(FILE *out, const char *a, size_t na, const char *b, size_t nb)
{
    const char *end_a = a + na, *end_b = b + nb;
    while (a < end_a || b < end_b) {
        size_t wa = 0, wb = 0;
        while (a + wa < end_a && a[wa] != ' ')
            wa++;
        while (b + wb < end_b && b[wb] != ' ')
            wb++;
        if (wa == wb && memcmp(a, b, wa) == 0)
            put_shape(out, a, wa);
        else
            fprintf(out, "%.*s\002%.*s", (int)wa, a, (int)wb, b);
        putc(' ', out);
        a += wa + (a + wa < end_a);
        b += wb + (b + wb < end_b);
    }
}

/* What tells differences apart: what changed, and what stands before and behind it but for numbers and names of
 * files. */
static void put_key(FILE *out, const struct pingo_difference *d)
{
    if (has_place(d) || !d->before || !d->after) {
        print_difference(out, d);
        return;
    }
    const char *a = d->before, *b = d->after;
    size_t from = 0, na = strlen(a), nb = strlen(b), whole = na;
    while (from < na && a[from] == b[from])
        from++;
    while (from > 0 && isdigit((unsigned char)a[from - 1])) /* a number is not parted */
        from--;
    while (na > from && nb > from && a[na - 1] == b[nb - 1])
        na--, nb--;
    while (isdigit((unsigned char)a[na]))
        na++, nb++;
    fprintf(out, "%s\001", d->field);
    put_shape(out, a, from);
    putc('\001', out);
    put_change(out, a + from, na - from, b + from, nb - from);
    putc('\001', out);
    put_shape(out, a + na, whole - na);
}

static void put_parent(FILE *out, const struct pingo_difference *d)
{
    if (!is_parent(d))
        return;
    fputs(ftell(out) > 0 ? ", " : "", out);
    cli_print_clean(out, d->field + strlen("parent "));
}

/* Of the first differences of parents that differ in turn, or of those that are none: their words, or what tells them
 * apart.  Yours. */
static char *all_of(const struct pingo_why *why, bool inherited, size_t most,
                    void (*put)(FILE *, const struct pingo_difference *))
{
    char *text = NULL;
    size_t size = 0;
    if (why->ndifferences == 0)
        return cli_copy("");
    FILE *out = open_memstream(&text, &size);
    if (!out)
        cli_alloc(SIZE_MAX); /* ends the program */
    for (size_t i = 0; out && i < why->ndifferences && most > 0; i++) {
        if (why->differences[i].inherited != inherited)
            continue;
        put(out, &why->differences[i]);
        most--;
    }
    if (out)
        fclose(out);
    return text;
}

/* ---- groups ----------------------------------------------------------------------------- */

void cli_reasons_clear(struct cli_reasons *r)
{
    pingo__map_clear(&r->groups);
}

static void add_member(struct cli_reason *g, const struct pingo_why *why)
{
    g->members = cli_more(g->members, g->n, sizeof *g->members);
    g->members[g->n++] = (struct member){why->id, cli_copy(why->name)};
    g->same_nearest = g->same_nearest && g->nearest_workflow == why->nearest_workflow;
    g->with_parents += why->inherited > 0;
}

size_t cli_reasons_add(struct cli_reasons *r, const struct pingo_why *why, bool groups_inherited)
{
    if (!groups_inherited && why->ndifferences > 0 && why->inherited == why->ndifferences) {
        r->inherited++;
        return 0;
    }
    char *words = all_of(why, false, SIZE_MAX, print_difference);
    char *told_by = all_of(why, false, SIZE_MAX, put_key);
    char *key = cli_format("%s\001%s", why->reason_text, told_by);
    free(told_by);
    uint32_t at = pingo__map_get(&r->groups, key, strlen(key));
    if (at == PINGO__MAP_NONE) {
        at = (uint32_t)r->n;
        r->list = cli_more(r->list, r->n, sizeof *r->list);
        r->list[r->n++] =
            (struct cli_reason){.decision = why->decision,
                                .key = key,
                                .reason = cli_copy(why->reason_text),
                                .words = words,
                                .has_nearest = why->has_nearest,
                                .same_nearest = true,
                                .same_words = true,
                                .hash = why->hash,
                                .nearest = why->nearest,
                                .nearest_workflow = why->nearest_workflow,
                                .parents = all_of(why, true, PARENTS_SHOWN, put_parent)};
        if (!pingo__map_insert(&r->groups, key, strlen(key), at, NULL))
            cli_alloc(SIZE_MAX); /* ends the program */
    } else {                     /* there may be many */
        r->list[at].same_words = r->list[at].same_words && strcmp(words, r->list[at].words) == 0;
        free(key);
        free(words);
    }
    add_member(&r->list[at], why);
    return at + 1;
}

/* ---- printing ----------------------------------------------------------------------------- */

static void print_members(const struct cli_reason *g)
{
    int column = 1;
    fputs(" ", stdout);
    for (size_t i = 0; i < g->n && i < ACTIONS_SHOWN; i++) {
        char name[40], both[64];
        pingo__text_clean_to(name, sizeof name, g->members[i].name);
        int n = snprintf(both, sizeof both, " %" PRId64 " %s%s", g->members[i].id, name,
                         i + 1 < g->n ? "," : "");
        if (column > 1 && column + n > 78) {
            fputs("\n ", stdout);
            column = 1;
        }
        fputs(both, stdout);
        column += n;
    }
    if (g->n > ACTIONS_SHOWN)
        printf(" and %zu more", g->n - ACTIONS_SHOWN);
    putchar('\n');
}

/* What was decided: what was to be computed may have been cancelled since, or adopted. */
static const char *verb_of(bool is_plan, size_t n, enum pingo_plan_decision decision)
{
    static const char *const verbs[][3] = {
        {"would be skipped", "was skipped", "were skipped"},
        {"would be reused", "was reused", "were reused"},
        {"would be joined", "was joined", "were joined"},
        {"would be computed", "was to be computed", "were to be computed"}};
    return verbs[decision][is_plan ? 0 : n == 1 ? 1 : 2];
}

static void print_head(const struct cli_reason *g, bool is_plan)
{
    const char *verb = verb_of(is_plan, g->n, g->decision);
    char hash[CLI_SHORT_HASH];
    cli_short_hash(hash, &g->hash);
    if (g->n == 1) {
        printf("%" PRId64 " %s", g->members[0].id, cli_colour(stdout, PINGO__TONE_MARKED));
        cli_print_clean(stdout, g->members[0].name);
        printf("%s (%s) %s: ", cli_colour(stdout, PINGO__TONE_PLAIN), hash, verb);
    } else {
        printf("%zu actions %s: ", g->n, verb);
    }
    cli_print_clean(stdout, g->reason);
    putchar('\n');
    if (g->n > 1)
        print_members(g);
}

static void print_group(const struct cli_reason *g, bool is_plan)
{
    print_head(g, is_plan);
    if (!g->has_nearest)
        return;
    char nearest[CLI_SHORT_HASH];
    cli_short_hash(nearest, &g->nearest);
    printf("  the nearest known before ");
    if (g->n == 1)
        printf("is %s", nearest);
    else
        printf("%s", g->same_nearest ? "are" : "are of several workflows");
    if (g->same_nearest && g->nearest_workflow > 0)
        printf(" of workflow %" PRId64, g->nearest_workflow);
    printf("; what differs%s:\n%s",
           g->same_words ? "" : ", of the first and likewise of the others", g->words);
    if (g->n == 1 && g->with_parents > 0 && g->parents[0] != '\0')
        printf("    parents that differ in turn: %s\n", g->parents);
    else if (g->with_parents > 0)
        printf("    parents that differ in turn, of %zu of them\n", g->with_parents);
}

void cli_reasons_print(const struct cli_reasons *r, bool is_plan)
{
    for (size_t i = 0; i < r->n; i++) {
        if (i > 0)
            putchar('\n');
        print_group(&r->list[i], is_plan);
    }
    if (r->inherited > 0)
        printf("%s%zu more action%s %s because a parent differs, and for nothing else\n",
               r->n > 0 ? "\n" : "", r->inherited, r->inherited == 1 ? "" : "s",
               verb_of(is_plan, r->inherited, PINGO_PLAN_COMPUTE));
}
