/* map_reduce.c - the action types "map-reduce-1" and "map-reduce-2": a MapReduce job by Hadoop's old interface,
 * org.apache.hadoop.mapred, or by its streaming, where mapper, reducer and combiner are commands; and by its new one,
 * org.apache.hadoop.mapreduce.
 *
 * What is hashed is what Pingo's keys say; here it becomes the job in Hadoop's own words, as job->payload: a JSON
 * object of
 *   "configuration"  an object of strings: properties of the job
 *   "input"          the links that are read as data; absent: all but jar and libs
 *   "jar", "libs"    the links that hold classes; absent where there are none
 *   "streaming"      a boolean: the classes are those of Hadoop's streaming
 * Places, queue and memory are the executor's. */
#include "workflow/types/map_reduce.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/writer.h"
#include "workflow/draft.h"
#include "workflow/kinds.h"
#include "workflow/types/command_line.h"
#include "workflow/workflow.h"

#define REDUCES_MAX 1000000

/* Hadoop's two interfaces. */
enum interface { OLD, NEW };
static const char *const packages[] = {"org.apache.hadoop.mapred.", "org.apache.hadoop.mapreduce."};
static const struct pingo_action_type types[2];

/* Keys that name a Java class, and the property that each becomes. */
static const struct class_key {
    const char *key, *of_old;
    const char *of_new;        /* NULL: it is the same in both, and takes classes of any package */
    const char *pipe, *stream; /* of Hadoop's streaming, where it is a command; NULL: it is none */
} classes[] = {
    {"mapper", "mapred.mapper.class", "mapreduce.job.map.class", "PipeMapper", "map"},
    {"reducer", "mapred.reducer.class", "mapreduce.job.reduce.class", "PipeReducer", "reduce"},
    {"combiner", "mapred.combiner.class", "mapreduce.job.combine.class", "PipeCombiner", "combine"},
    {"partitioner", "mapred.partitioner.class", "mapreduce.job.partitioner.class", NULL, NULL},
    {"inputFormat", "mapred.input.format.class", "mapreduce.job.inputformat.class", NULL, NULL},
    {"outputFormat", "mapred.output.format.class", "mapreduce.job.outputformat.class", NULL, NULL},
    {"outputKey", "mapreduce.job.output.key.class", NULL, NULL, NULL},
    {"outputValue", "mapreduce.job.output.value.class", NULL, NULL, NULL},
    {"mapOutputKey", "mapreduce.map.output.key.class", NULL, NULL, NULL},
    {"mapOutputValue", "mapreduce.map.output.value.class", NULL, NULL, NULL},
};
#define NCLASSES (sizeof classes / sizeof *classes)

/* ---- commands, as Hadoop's streaming takes them --------------------------------------------------
 *
 * Hadoop splits one at blanks and quotes and knows no escapes, so it is always one word for bash, in which every byte
 * that anybody could take for something else is written by its number; and the whole is encoded as in a URL. */

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
    if (pingo__buffer_cstr(&plain))
        pingo__text_percent(b, plain.data, ""); /* as java.net.URLDecoder reads it */
    pingo__buffer_clear(&plain);
}
#define COMMAND_LENGTH_MAX                                                                         \
    100000 /* encoded: the kernel takes no word over 128 KiB, and a task has it in its environment */
#define TEXT "org.apache.hadoop.io.Text"
#define ERROR PINGO_SEVERITY_ERROR

/* ---- rules: names of links -------------------------------------------------------------------- */

static bool is_link(const struct pingo_action *action, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < action->nparents && !found; i++)
        found = strcmp(action->parents[i].role, name) == 0;
    for (size_t i = 0; i < action->ninputs && !found; i++)
        found = strcmp(action->inputs[i].name, name) == 0;
    return found;
}

static void check_links(const struct pingo_action *action, struct pingo_problem_sink *sink,
                        const char *key)
{
    const struct pingo_field *f = pingo_action_field(action, key);
    for (size_t i = 0; f && i < f->nvalues; i++)
        if (!is_link(action, f->values[i]))
            pingo_problem_add(
                sink, ERROR,
                f->kind == PINGO_FIELD_TEXT
                    ? pingo__workflow_pointer(sink->draft, "/%s", key)
                    : pingo__workflow_pointer(sink->draft, "/%s/%zu", key, i),
                "\"%.*s\" is neither a role nor the name of an input: write the name, "
                "and the file into \"inputs\"",
                pingo__workflow_quoted(f->values[i]), f->values[i]);
}

/* ---- rules: classes and commands ----------------------------------------------------------------- */

static bool is_class(const char *name)
{
    for (bool begins = true; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (begins ? !isalpha(c) && c != '_' && c != '$' && c < 128
                   : !isalnum(c) && c != '_' && c != '$' && c != '.' && c < 128)
            return false;
        begins = c == '.';
        if (name[1] == '\0')
            return !begins;
    }
    return false;
}

static void check_class(enum interface of, const struct class_key *class,
                        const struct pingo_field *f, struct pingo_problem_sink *sink)
{
    const char *package = packages[of], *other = packages[!of];
    const char *pointer = pingo__workflow_pointer(sink->draft, "/%s", class->key);
    if (f->kind != PINGO_FIELD_TEXT || !is_class(f->values[0]))
        pingo_problem_add(sink, ERROR, pointer, "\"%s\" must be the whole name of a Java class%s",
                          class->key,
                          class->pipe && (f->kind != PINGO_FIELD_TEXT || strchr(f->values[0], ' '))
                              ? ": a command goes with \"streaming\": true"
                              : ", such as " TEXT);
    else if (class->of_new && strncmp(f->values[0], other, strlen(other)) == 0)
        pingo_problem_add(
            sink, ERROR, pointer,
            "%s is of the other interface, and Hadoop runs no job of both: take one of "
            "%.*s, or make all of it %s",
            f->values[0], (int)strlen(package) - 1, package, types[!of].name);
}

static void check_command(const struct pingo_field *f, struct pingo_problem_sink *sink)
{
    struct pingo__buffer encoded = {0};
    const char *pointer = pingo__workflow_pointer(sink->draft, "/%s", f->key);
    if (f->nvalues == 0 || f->values[0][0] == '\0') {
        pingo_problem_add(sink, ERROR, pointer,
                          "\"%s\" is empty: write a command for bash, or an array of a program and "
                          "its arguments",
                          f->key);
        return;
    }
    pingo__workflow_streaming_command(&encoded, f);
    sink->draft->no_memory = sink->draft->no_memory || encoded.failed;
    if (encoded.length > COMMAND_LENGTH_MAX)
        pingo_problem_add(sink, ERROR, pointer,
                          "\"%s\" is too long for a task's environment: write it into a file that "
                          "is an input, and run that",
                          f->key);
    pingo__buffer_clear(&encoded);
}

static bool is_streaming(const struct pingo_field *streaming)
{
    return streaming && strcmp(streaming->values[0], "true") == 0;
}

/* ---- rules: what never runs ------------------------------------------------------------------------ */

static void check_reduces(const struct pingo_action *action, struct pingo_problem_sink *sink)
{
    static const char *const of_reduces[] = {"reducer", "combiner", "partitioner"};
    const struct pingo_field *reduces = pingo_action_field(action, "reduces");
    int64_t n = 1;
    if (reduces && !pingo__text_to_int64(reduces->values[0], 0, REDUCES_MAX, &n))
        pingo_problem_add(sink, ERROR, "/reduces", "\"reduces\" is more than %d", REDUCES_MAX);
    for (size_t i = 0; n == 0 && i < sizeof of_reduces / sizeof *of_reduces; i++)
        if (pingo_action_field(action, of_reduces[i]))
            pingo_problem_add(
                sink, ERROR, pingo__workflow_pointer(sink->draft, "/%s", of_reduces[i]),
                "\"%s\" never runs with \"reduces\": 0: leave out one of them", of_reduces[i]);
}

/* ---- rules: configuration ---------------------------------------------------------------------------- */

static bool is_of_xml(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 32 && *text != '\t' && *text != '\n')
            return false;
        else if (memcmp(text, "\xef\xbf", 2) == 0 && ((unsigned char)text[2] & 0xfe) == 0xbe)
            return false; /* U+FFFE, U+FFFF */
    return true;
}

static void check_owner(struct pingo_problem_sink *sink, const char *pointer, const char *name)
{
    const char *key;
    switch (pingo__workflow_property_owner(name, &key)) {
    case PINGO__PROPERTY_FREE:
        break;
    case PINGO__PROPERTY_KEYS:
        pingo__workflow_report_key(
            sink, pointer, "%s is what the action's \"%s\" says: leave it out here", name, key);
        break;
    case PINGO__PROPERTY_RUNS:
        pingo__workflow_report_key(sink, pointer, "%s is set by Pingo for each run: leave it out",
                                   name);
        break;
    case PINGO__PROPERTY_OPTIONS:
        pingo__workflow_report_key(
            sink, pointer,
            "%s should change no output, and what stands here is hashed: write it into "
            "\"executorOptions\"",
            name);
    }
}

static void check_configuration(const struct pingo_action *action, struct pingo_problem_sink *sink)
{
    const struct pingo_field *f = pingo_action_field(action, "configuration");
    for (size_t i = 0; f && i + 1 < f->nvalues; i += 2) {
        const char *name = f->values[i], *value = f->values[i + 1];
        const char *pointer = pingo__workflow_pointer_to_key(sink->draft, "/configuration", name);
        if (name[0] == '\0' || strpbrk(name, " \t\n") || !is_of_xml(name))
            pingo__workflow_report_key(sink, pointer,
                                       "a property's name is a word of Hadoop's, such as "
                                       "mapreduce.output.fileoutputformat.compress");
        check_owner(sink, pointer, name);
        if (strstr(value, "${"))
            pingo_problem_add(sink, ERROR, pointer,
                              "Hadoop puts something from its own configuration in the place of "
                              "${...}, and that would be no part of the hash: write the value");
        if (!is_of_xml(value))
            pingo_problem_add(sink, ERROR, pointer,
                              "the value holds a control character, which Hadoop's configuration, "
                              "being XML, cannot hold");
    }
}

static void validate(const struct pingo_action *action, struct pingo_problem_sink *sink,
                     const struct pingo_workflow_options *options)
{
    enum interface of = action->type == &types[NEW] ? NEW : OLD;
    bool streaming = is_streaming(pingo_action_field(action, "streaming"));
    (void)options;
    check_links(action, sink, "input");
    check_links(action, sink, "jar");
    check_links(action, sink, "libs");
    for (size_t i = 0; i < NCLASSES; i++) {
        const struct pingo_field *f = pingo_action_field(action, classes[i].key);
        if (f && streaming && classes[i].pipe)
            check_command(f, sink);
        else if (f)
            check_class(of, &classes[i], f, sink);
    }
    check_reduces(action, sink);
    check_configuration(action, sink);
}

/* ---- rendering ------------------------------------------------------------------------------------------ */

struct words {
    enum interface of;
    const struct pingo_field *fields;
    size_t nfields;
    bool streaming;
    struct pingo__writer out;
};

static const struct pingo_field *find(const struct words *w, const char *key)
{
    return pingo__workflow_field(w->fields, w->nfields, key);
}

static void put_command(struct words *w, const struct class_key *class, const struct pingo_field *f)
{
    struct pingo__buffer text = {0};
    char property[64];
    pingo__buffer_format(&text, "org.apache.hadoop.streaming.%s", class->pipe);
    pingo__writer_text(&w->out, class->of_old, pingo__buffer_cstr(&text));
    pingo__buffer_reset(&text);
    pingo__workflow_streaming_command(&text, f);
    snprintf(property, sizeof property, "stream.%s.streamprocessor", class->stream);
    pingo__writer_text(&w->out, property, pingo__buffer_cstr(&text));
    w->out.out.failed = w->out.out.failed || text.failed;
    pingo__buffer_clear(&text);
}

static void put_properties(struct words *w)
{
    const struct pingo_field *f;
    const char *is_new = w->of == NEW ? "true" : "false";
    pingo__writer_open(&w->out, "configuration", PINGO__WRITER_OBJECT);
    for (size_t i = 0; i < NCLASSES; i++) {
        const struct class_key *class = &classes[i];
        bool is_of_streams =
            strcmp(class->key, "outputKey") == 0 || strcmp(class->key, "outputValue") == 0;
        f = find(w, class->key);
        if (f && w->streaming && class->pipe)
            put_command(w, class, f);
        else if (f || (w->streaming && is_of_streams))
            pingo__writer_text(&w->out,
                               w->of == NEW && class->of_new ? class->of_new : class->of_old,
                               f ? f->values[0] : TEXT);
    }
    if (w->streaming)
        pingo__writer_text(&w->out, "mapred.map.runner.class",
                           "org.apache.hadoop.streaming.PipeMapRunner");
    pingo__writer_text(&w->out, "mapred.mapper.new-api", is_new);
    pingo__writer_text(&w->out, "mapred.reducer.new-api", is_new);
    pingo__writer_text(&w->out, "mapreduce.job.reduces", find(w, "reduces")->values[0]);
    f = find(w, "configuration");
    for (size_t i = 0; f && i + 1 < f->nvalues; i += 2)
        pingo__writer_text(&w->out, f->values[i], f->values[i + 1]);
    pingo__writer_close(&w->out);
}

static void put_list(struct words *w, const char *key)
{
    const struct pingo_field *f = find(w, key);
    if (!f)
        return;
    pingo__writer_open(&w->out, key, PINGO__WRITER_ARRAY);
    for (size_t i = 0; i < f->nvalues; i++)
        pingo__writer_text(&w->out, NULL, f->values[i]);
    pingo__writer_close(&w->out);
}

static int render(struct words w, struct pingo_job *job, struct pingo_error *err)
{
    static const char *const nothing[] = {NULL};
    int rc = pingo__workflow_kinds_check(&types[w.of], w.fields, w.nfields, err);
    if (rc != 0)
        return rc;
    w.streaming = is_streaming(find(&w, "streaming"));
    pingo__writer_open(&w.out, NULL, PINGO__WRITER_OBJECT);
    put_properties(&w);
    put_list(&w, "input");
    if (find(&w, "jar"))
        pingo__writer_text(&w.out, "jar", find(&w, "jar")->values[0]);
    put_list(&w, "libs");
    pingo__writer_flag(&w.out, "streaming", w.streaming);
    pingo__writer_close(&w.out);
    job->argv = nothing;
    job->env = nothing;
    job->output = "output";
    job->payload = w.out.out.failed ? NULL : pingo_job_text(job, w.out.out.data, w.out.out.length);
    pingo__writer_clear(&w.out);
    return job->payload ? 0 : pingo__fail_memory(err);
}

static int render_old(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                      struct pingo_error *err)
{
    return render((struct words){.of = OLD, .fields = fields, .nfields = nfields}, job, err);
}

static int render_new(const struct pingo_field *fields, size_t nfields, struct pingo_job *job,
                      struct pingo_error *err)
{
    return render((struct words){.of = NEW, .fields = fields, .nfields = nfields}, job, err);
}

/* ---- the types ------------------------------------------------------------------------------------------ */

/* clang-format off */
#define KEYS_OF_BOTH                                                                               \
    {.key = "configuration", .kinds = PINGO_KEY_PAIRS},                                            \
    {.key = "input", .kinds = PINGO_KEY_TEXTS},                                                    \
    {.key = "inputFormat", .kinds = PINGO_KEY_TEXT},                                               \
    {.key = "jar", .kinds = PINGO_KEY_TEXT},                                                       \
    {.key = "libs", .kinds = PINGO_KEY_TEXTS},                                                     \
    {.key = "mapOutputKey", .kinds = PINGO_KEY_TEXT},                                              \
    {.key = "mapOutputValue", .kinds = PINGO_KEY_TEXT},                                            \
    {.key = "outputFormat", .kinds = PINGO_KEY_TEXT},                                              \
    {.key = "outputKey", .kinds = PINGO_KEY_TEXT},                                                 \
    {.key = "outputValue", .kinds = PINGO_KEY_TEXT},                                               \
    {.key = "partitioner", .kinds = PINGO_KEY_TEXT},                                               \
    {.key = "reduces", .kinds = PINGO_KEY_NUMBER, .default_text = "1"}
/* clang-format on */

static const struct pingo_key old_keys[] = {
    KEYS_OF_BOTH,
    {.key = "combiner", .kinds = PINGO_KEY_TEXT | PINGO_KEY_TEXTS},
    {.key = "mapper", .kinds = PINGO_KEY_TEXT | PINGO_KEY_TEXTS, .required = true},
    {.key = "reducer", .kinds = PINGO_KEY_TEXT | PINGO_KEY_TEXTS},
    {.key = "streaming", .kinds = PINGO_KEY_FLAG, .default_text = "false"},
};
static const struct pingo_key new_keys[] = {
    KEYS_OF_BOTH,
    {.key = "combiner", .kinds = PINGO_KEY_TEXT},
    {.key = "mapper", .kinds = PINGO_KEY_TEXT, .required = true},
    {.key = "reducer", .kinds = PINGO_KEY_TEXT},
};

static const struct pingo_action_type types[] = {
    {.abi_version = PINGO_ACTION_TYPE_ABI,
     .name = "map-reduce-1",
     .keys = old_keys,
     .nkeys = sizeof old_keys / sizeof *old_keys,
     .validate = validate,
     .render = render_old},
    {.abi_version = PINGO_ACTION_TYPE_ABI,
     .name = "map-reduce-2",
     .keys = new_keys,
     .nkeys = sizeof new_keys / sizeof *new_keys,
     .validate = validate,
     .render = render_new},
};

const struct pingo_action_type *pingo_action_type_map_reduce_1(void)
{
    return &types[OLD];
}

const struct pingo_action_type *pingo_action_type_map_reduce_2(void)
{
    return &types[NEW];
}
