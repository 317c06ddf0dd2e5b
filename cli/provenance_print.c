/* provenance_print.c - one dataset's origin as text, as a node of a graph. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quoting.h"
#include "message.h"
#include "provenance.h"
#include "reasons.h"
#include "select.h"

/* ---- text --------------------------------------------------------------------- */

/* A word as a shell would take it. */
static void print_word(const char *word)
{
    struct pingo__buffer b;
    pingo__buffer_init(&b);
    pingo__quoting_shell_shown(&b, word);
    fwrite(b.data, 1, b.length, stdout);
    pingo__buffer_clear(&b);
}

static void print_words(const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            putchar(' ');
        print_word(words[i]);
    }
}

static void print_label(const char *label)
{
    printf("  %s", cli_colour(stdout, CLI_DIM));
    cli_pad(stdout, label, 9);
    printf("%s ", cli_colour(stdout, CLI_PLAIN));
}

/* A text of several lines is indented below its label. */
static void print_lines(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n' && text[1] != '\0')
            printf("\n            ");
        else if (*text != '\n')
            putchar((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
    }
    putchar('\n');
}

static void print_field(const struct pingo_field *field)
{
    if (field->kind == PINGO_FIELD_PAIRS) {
        for (size_t i = 0; i + 1 < field->nvalues; i += 2) {
            print_label(field->key);
            printf("%s=", field->values[i]);
            print_word(field->values[i + 1]);
            putchar('\n');
        }
        return;
    }
    if (field->kind == PINGO_FIELD_FLAG && strcmp(field->values[0], "false") == 0)
        return;
    print_label(field->key);
    if (field->kind == PINGO_FIELD_TEXTS) {
        print_words(field->values, field->nvalues);
        putchar('\n');
    } else {
        print_lines(field->nvalues > 0 ? field->values[0] : "");
    }
}

static void print_head(const struct pingo_provenance *p, enum pingo__view_times style)
{
    char hash[CLI_SHORT_HASH], text[PINGO__UNITS_SIZE];
    cli_short_hash(hash, &p->hash);
    printf("%s%s%s  %s", cli_colour(stdout, CLI_BOLD), hash, cli_colour(stdout, CLI_PLAIN),
           cli_colour(stdout, CLI_CYAN));
    cli_print_clean(stdout, p->name);
    printf("%s\n", cli_colour(stdout, CLI_PLAIN));
    print_label("state");
    if (p->state == 0) {
        printf("never computed\n");
        return;
    }
    printf("%s", pingo_dataset_state_name(p->state));
    if (p->size_bytes >= 0) {
        pingo__units_print_size(text, p->size_bytes);
        printf(", %s", text);
    }
    if (p->compute_ms >= 0) {
        pingo__units_print_duration(text, p->compute_ms);
        printf(", computed in %s", text);
    }
    if (p->adopted_from) {
        printf(", adopted from ");
        cli_print_clean(stdout, p->adopted_from);
    }
    if (p->workflow > 0)
        printf(" by workflow %" PRId64, p->workflow);
    if (p->made_ms >= 0) {
        cli_format_time(text, p->made_ms, style);
        printf(", %s", text);
    }
    putchar('\n');
}

/* Where it lay, how large it was, and from when. */
static void print_place(const struct pingo_place *place, enum pingo__view_times style)
{
    if (!place->path) {
        putchar('\n');
        return;
    }
    printf("\n            ");
    cli_print_clean(stdout, cli_path_here(place->path));
    char text[PINGO__UNITS_SIZE];
    if (place->size_bytes >= 0) {
        pingo__units_print_size(text, place->size_bytes);
        printf(", %s", text);
    }
    if (place->mtime_ms >= 0) {
        cli_format_time(text, place->mtime_ms, style);
        printf(", of %s", text);
    }
    putchar('\n');
}

static void print_input(const struct pingo_described_input *input, const struct pingo_place *place,
                        enum pingo__view_times style)
{
    print_label("input");
    cli_print_clean(stdout, input->name);
    printf(" = ");
    if (strcmp(input->kind, "content") == 0 || strcmp(input->kind, "tree") == 0)
        printf("%s %.12s", input->kind, input->identity);
    else
        cli_print_clean(stdout, input->identity);
    if (input->version) {
        printf(" version ");
        cli_print_clean(stdout, input->version);
    }
    print_place(place, style);
}

void cli_provenance_text(const struct pingo_provenance *p, enum pingo__view_times style, bool first)
{
    const struct pingo_description *d = p->description;
    if (!first)
        putchar('\n');
    print_head(p, style);
    for (size_t i = 0; i + 1 < p->nlabels; i += 2) {
        print_label("label");
        cli_print_clean(stdout, p->labels[i]);
        putchar('=');
        cli_print_clean(stdout, p->labels[i + 1]);
        putchar('\n');
    }
    size_t n;
    const struct pingo_field *fields = pingo_description_fields(d, &n);
    for (size_t i = 0; i < n; i++)
        print_field(&fields[i]);
    if (pingo_description_salt(d)) {
        print_label("salt");
        print_lines(pingo_description_salt(d));
    }
    if (pingo_description_output_path(d)) {
        print_label("goes to");
        print_lines(pingo_description_output_path(d));
    }
    const struct pingo_described_input *inputs = pingo_description_inputs(d, &n);
    for (size_t i = 0; i < n; i++)
        print_input(&inputs[i], &p->input_places[i], style);
    const struct pingo_described_tool *tools = pingo_description_tools(d, &n);
    char hash[CLI_SHORT_HASH];
    for (size_t i = 0; i < n; i++) {
        cli_short_hash(hash, &tools[i].content);
        print_label("tool");
        cli_print_clean(stdout, tools[i].name);
        printf(" = content %s", hash);
        print_place(&p->tool_places[i], style);
    }
    const struct pingo_described_version *versions = pingo_description_versions(d, &n);
    for (size_t i = 0; i < n; i++) {
        cli_short_hash(hash, &versions[i].output);
        print_label("version");
        print_words(versions[i].argv, versions[i].nargv);
        printf(" = ");
        if (p->version_places[i].text) {
            cli_print_clean(stdout, p->version_places[i].text);
            printf(" (output %s)", hash);
        } else {
            printf("output %s", hash);
        }
        print_place(&p->version_places[i], style);
    }
    const struct pingo_described_parent *parents = pingo_description_parents(d, &n);
    for (size_t i = 0; i < n; i++) {
        cli_short_hash(hash, &parents[i].hash);
        print_label("parent");
        if (parents[i].role)
            printf("%s = ", parents[i].role);
        printf("%s\n", hash);
    }
}

/* ---- a graph ---------------------------------------------------------------------- */

/* Within double quotes of the dot language; a label must not hold its own escapes. */
static void print_dot(const char *text)
{
    char shown[81];
    cli_clean(shown, sizeof shown, text);
    for (const char *p = shown; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            putchar('\\');
        putchar(*p);
    }
}

/* A note for an original or a tool, told apart by content and place: its name, and where it lay. */
static void dot_original(const char *hex, const char *kind, const char *name, const char *identity,
                         const struct pingo_place *place)
{
    char size[PINGO__UNITS_SIZE];
    const char *path = place->path ? place->path : "";
    for (int edge = 0; edge < 2; edge++) {
        printf("  \"%s ", kind);
        print_dot(identity);
        putchar(' ');
        print_dot(path);
        if (edge == 1) {
            printf("\" -> \"%s\";\n", hex);
            break;
        }
        printf("\" [shape=%s, style=solid, label=\"",
               strcmp(kind, "tool") == 0 ? "component" : "note");
        print_dot(name);
        if (*path != '\0' && strcmp(path, name) != 0) {
            printf("\\n");
            print_dot(cli_path_here(path));
        }
        if (place->size_bytes >= 0) {
            pingo__units_print_size(size, place->size_bytes);
            printf("\\n%s", size);
        }
        printf("\"];\n");
    }
}

void cli_provenance_dot(const struct pingo_provenance *p)
{
    char hash[CLI_SHORT_HASH], hex[PINGO_HASH_HEX_SIZE], other[PINGO_HASH_HEX_SIZE];
    const struct pingo_description *d = p->description;
    cli_short_hash(hash, &p->hash);
    pingo_hash_to_hex(&p->hash, hex);
    printf("  \"%s\" [label=\"", hex);
    print_dot(p->name);
    printf("\\n%s\"%s];\n", hash, p->state == 0 ? ", style=\"rounded,dashed\"" : "");
    size_t n;
    const struct pingo_described_parent *parents = pingo_description_parents(d, &n);
    for (size_t i = 0; i < n; i++) {
        pingo_hash_to_hex(&parents[i].hash, other);
        printf("  \"%s\" -> \"%s\" [label=\"", other, hex);
        print_dot(parents[i].role ? parents[i].role : "");
        printf("\"];\n");
    }
    const struct pingo_described_input *inputs = pingo_description_inputs(d, &n);
    for (size_t i = 0; i < n; i++)
        dot_original(hex, "input", inputs[i].name, inputs[i].identity, &p->input_places[i]);
    const struct pingo_described_tool *tools = pingo_description_tools(d, &n);
    for (size_t i = 0; i < n; i++) {
        pingo_hash_to_hex(&tools[i].content, other);
        dot_original(hex, "tool", tools[i].name, other, &p->tool_places[i]);
    }
}
