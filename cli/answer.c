/* answer.c - see answer.h. */
#include "answer.h"

#include <string.h>

static const char *paint(enum pingo__view_tone tone)
{
    return cli_colour(stdout, tone);
}

/* How text looks on a stream that a person reads: times as --time-style says. */
static struct pingo__view_style style_of(struct cli *cli, FILE *stream)
{
    bool coloured = *cli_colour(stream, PINGO__TONE_BOLD) != '\0';
    return (struct pingo__view_style){.times = cli->time_style,
                                      .now_ms = pingo__world_wall_ms(),
                                      .paint = coloured ? paint : NULL,
                                      .program = cli_program(cli),
                                      .here = cli_here()};
}

static int take(void *context, const char *bytes, size_t n)
{
    return fwrite(bytes, 1, n, context) != n;
}

void cli_writer(struct pingo__writer *w, FILE *out)
{
    *w = (struct pingo__writer){.take = take, .context = out};
}

void cli_write(struct cli *cli, struct pingo__writer *w)
{
    cli->lacks_memory = pingo__writer_flush(w) == PINGO_ENOMEM || cli->lacks_memory;
    pingo__writer_clear(w);
}

static void put_text(struct cli *cli, struct pingo__buffer *b)
{
    if (b->length)
        fwrite(b->data, 1, b->length, stdout);
    cli->lacks_memory = b->failed || cli->lacks_memory;
    pingo__buffer_clear(b);
}

/* The lines of a buffer, each a note. */
static void note_lines(struct cli *cli, struct pingo__buffer *b)
{
    for (size_t at = 0, n; at < b->length; at += n + 1) {
        n = (size_t)((char *)memchr(b->data + at, '\n', b->length - at) - (b->data + at));
        cli_note("%.*s", (int)n, b->data + at);
    }
    cli->lacks_memory = b->failed || cli->lacks_memory;
    pingo__buffer_clear(b);
}

static void say_lines(struct cli *cli, enum cli_way way, const char *const *lines,
                      const struct pingo__view_table *view, const void *row)
{
    struct pingo__buffer b = {0};
    struct pingo__view_style style = style_of(cli, way == CLI_NOTE ? stderr : stdout);
    if (way != CLI_TALK || !cli_is_quiet())
        pingo__view_text(&b, lines, view, row, &style);
    if (way == CLI_NOTE)
        note_lines(cli, &b);
    else
        put_text(cli, &b);
}

void cli_say(struct cli *cli, enum cli_way way, const char *line,
             const struct pingo__view_table *view, const void *row)
{
    say_lines(cli, way, (const char *const[]){line, NULL}, view, row);
}

char *cli_text(struct cli *cli, const char *line, const struct pingo__view_table *view,
               const void *row)
{
    struct pingo__buffer b = {0};
    struct pingo__view_style style = style_of(cli, stdout);
    style.paint = NULL;
    pingo__view_say(&b, line, view, row, &style);
    return cli_take(&b);
}

void cli_answer(struct cli *cli, enum cli_way way, const struct pingo__view_table *view,
                const void *row)
{
    struct pingo__writer w;
    if (!cli->json) {
        say_lines(cli, way, view->text, view, row);
        return;
    }
    cli_writer(&w, stdout);
    pingo__view_object(&w, NULL, view, row);
    cli_write(cli, &w);
}

static void begin(struct cli_answer *a, struct cli *cli, const struct pingo__view_table *rows)
{
    *a = (struct cli_answer){.cli = cli, .rows = rows, .style = style_of(cli, stdout)};
    a->form = cli->csv ? CLI_ANSWER_CSV : cli->json ? CLI_ANSWER_JSON : CLI_ANSWER_TEXT;
    cli_writer(&a->json, stdout);
    if (cli->csv)
        pingo__view_csv_keys(&a->line, rows);
}

void cli_list(struct cli_answer *a, struct cli *cli, const struct pingo__view_table *rows)
{
    begin(a, cli, rows);
    if (cli->json)
        pingo__writer_open(&a->json, NULL, PINGO__WRITER_LINES);
}

void cli_list_within(struct cli_answer *a, struct cli *cli, const struct pingo__view_table *whole,
                     const void *row)
{
    begin(a, cli, pingo__view_stream(whole));
    a->whole = whole;
    if (cli->json)
        pingo__view_open(&a->json, whole, row);
    else
        say_lines(cli, CLI_DATA, whole->text, whole, row);
}

int cli_pages(struct cli_answer *a, const struct cli_args *args,
              const struct pingo__view_table *page, int64_t least)
{
    const char *after = cli_value(args, "after");
    if (after)
        cli_list_within(a, args->cli, page, NULL);
    else
        cli_list(a, args->cli, pingo__view_stream(page));
    a->after = after;
    a->limit = (size_t)cli_number(args, "limit", least, INT64_MAX, 0);
    a->is_page = after || cli_value(args, "limit");
    int rc = cli_open(args->cli);
    if (rc != CLI_OK)
        cli_list_drop(a);
    return rc;
}

int cli_row(void *answer, const void *row)
{
    struct cli_answer *a = answer;
    struct pingo__buffer *b = &a->line;
    if (a->form == CLI_ANSWER_JSON) {
        pingo__view_object(&a->json, NULL, a->rows, row);
    } else if (a->form == CLI_ANSWER_CSV) {
        pingo__view_csv(b, a->rows, row);
    } else if (a->rows->text) {
        pingo__view_text(b, a->rows->text, a->rows, row, &a->style);
        pingo__view_parts(b, a->rows, row, &a->style);
    } else {
        if (a->n == 0)
            pingo__view_line(b, a->rows, NULL, &a->style);
        pingo__view_line(b, a->rows, row, &a->style);
    }
    a->n++;
    cli_progress_clear();
    if (b->length)
        fwrite(b->data, 1, b->length, stdout);
    b->length = 0;
    return ferror(stdout) || b->failed || a->json.out.failed;
}

void cli_list_drop(struct cli_answer *a)
{
    pingo__writer_clear(&a->json);
    pingo__buffer_clear(&a->line);
}

int cli_list_end(struct cli_answer *a, const void *row, int rc)
{
    struct pingo__view_page page = {a->next};
    bool is_json = a->form == CLI_ANSWER_JSON, is_text = a->form == CLI_ANSWER_TEXT;
    a->cli->lacks_memory = a->line.failed || a->cli->lacks_memory;
    if (rc != 0 && (rc != PINGO_EINTERRUPTED || !(ferror(stdout) || a->line.failed))) {
        cli_list_drop(a);
        return cli_error(a->cli);
    }
    if (a->is_page && !row)
        row = &page;
    if (a->line.length > 0) /* the keys of CSV alone */
        fwrite(a->line.data, 1, a->line.length, stdout);
    if (is_json && a->whole)
        pingo__view_close(&a->json, a->whole, row);
    else if (is_json)
        pingo__writer_close(&a->json);
    cli_write(a->cli, &a->json);
    if (is_text && a->whole)
        say_lines(a->cli, CLI_DATA, a->whole->tail, a->whole, row);
    if (!is_json && a->is_page && *a->next != '\0')
        cli_note("there are more: go on with --after %s", a->next);
    cli_list_drop(a);
    return CLI_OK;
}

int cli_list_close(struct cli_answer *a, int rc)
{
    if (rc == CLI_OK || a->n > 0)
        cli_list_end(a, NULL, 0);
    cli_list_drop(a);
    return rc;
}
