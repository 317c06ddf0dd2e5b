/* submission.c - what YARN is asked to run, see hadoop.h. */
#include "executor/hadoop/hadoop.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quoting.h"
#include "base/writer.h"
#include "json/reader.h"

#define MASTER "org.apache.hadoop.yarn.applications.distributedshell.ApplicationMaster"
#define NO_LIMIT_MB 1024
#define MIB 1048576

/* ---- options -------------------------------------------------------------------------------------- */

static int read_one(struct pingo__json_reader *r, const struct pingo__json_member *m,
                    struct pingo__arena *arena, struct pingo__executor_hadoop_options *options)
{
    const struct pingo__json_value *v = pingo__json_reader_value(r, m->offset, "");
    const char **text = strcmp(m->key, "queue") == 0       ? &options->queue
                        : strcmp(m->key, "nodeLabel") == 0 ? &options->node_label
                                                           : NULL;
    int64_t number;
    if (!v)
        return PINGO_ENOMEM;
    if (text && m->kind == PINGO__JSON_STRING) {
        const char *given = pingo__json_text(v);
        if (!*given || !pingo__executor_hadoop_is_safe(given))
            return pingo__fail(r->err, PINGO_EINVAL, "executorOptions: %s \"%.60s\" is no name",
                               m->key, given);
        *text = pingo__arena_text(arena, given, strlen(given));
        return *text ? 0 : pingo__fail_memory(r->err);
    }
    if (!text && strcmp(m->key, "priority") == 0 && pingo__json_integer(&r->element, v, &number) &&
        number <= INT32_MAX) {
        options->priority = number;
        return 0;
    }
    return pingo__fail(r->err, PINGO_EINVAL,
                       "executorOptions: hadoop takes queue and nodeLabel, which are texts, and "
                       "priority, a number; %s \"%.60s\"",
                       text || strcmp(m->key, "priority") == 0 ? "not as it is given:" : "not",
                       m->key);
}

int pingo__executor_hadoop_options_read(const char *json, struct pingo__arena *arena,
                                        struct pingo__executor_hadoop_options *options,
                                        struct pingo_error *err)
{
    struct pingo__json_reader r;
    *options = (struct pingo__executor_hadoop_options){.priority = -1};
    if (!json)
        return 0;
    int rc = pingo__json_reader_open(&r, json, strlen(json), "executorOptions", err);
    for (size_t i = 0; !rc && i < r.document.nmembers; i++)
        rc = read_one(&r, &r.document.members[i], arena, options);
    pingo__json_reader_clear(&r);
    return rc;
}

/* ---- the body ------------------------------------------------------------------------------------- */

bool pingo__executor_hadoop_is_safe(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c <= ' ' || *c >= 127 || strchr("\"'`$\\;&|<>()", *c))
            return false;
    return true;
}

int64_t pingo__executor_hadoop_container_mb(const struct pingo_job *job)
{
    int64_t mb = job->memory_bytes > 0 ? (job->memory_bytes + MIB - 1) / MIB : NO_LIMIT_MB;
    return mb + PINGO__HADOOP_RUNNER_MB;
}

static void put_entry(struct pingo__writer *w, const char *key, const char *value)
{
    pingo__writer_open(w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "key", key);
    pingo__writer_text(w, "value", value);
    pingo__writer_close(w);
}

static void put_number_entry(struct pingo__writer *w, const char *key, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    put_entry(w, key, digits);
}

/* As distributions have it; what is not there does no harm. */
#define CP "<CPS>"
#define BELOW(home, part)                                                                          \
    "{{" home "}}/share/hadoop/" part "/*" CP "{{" home "}}/share/hadoop/" part "/lib/*"
static const char usual[] =
    "{{CLASSPATH}}" CP "./*" CP "{{HADOOP_CONF_DIR}}" CP BELOW("HADOOP_COMMON_HOME", "common")
        CP BELOW("HADOOP_HDFS_HOME", "hdfs") CP BELOW("HADOOP_YARN_HOME", "yarn");

static void put_environment(struct pingo__writer *w,
                            const struct pingo__executor_hadoop_submission *s)
{
    pingo__writer_open(w, "environment", PINGO__WRITER_OBJECT);
    pingo__writer_open(w, "entry", PINGO__WRITER_ARRAY);
    put_entry(w, "CLASSPATH", s->classpath ? s->classpath : usual);
    put_entry(w, "DISTRIBUTEDSHELLSCRIPTLOCATION", s->script);
    put_number_entry(w, "DISTRIBUTEDSHELLSCRIPTLEN", s->script_bytes);
    put_number_entry(w, "DISTRIBUTEDSHELLSCRIPTTIMESTAMP", s->script_mtime_ms);
    pingo__writer_close(w);
    pingo__writer_close(w);
}

/* No option that came later than the first of 3.x: --homedir and the like have a master remove what it did not make. */
static void put_command(struct pingo__writer *w, const struct pingo__executor_hadoop_submission *s)
{
    struct pingo__buffer b = {0};
    pingo__buffer_format(
        &b,
        "{{JAVA_HOME}}/bin/java -Xmx%lldm -XX:+UseSerialGC -XX:TieredStopAtLevel=1 " MASTER
        " --container_memory %lld --container_vcores %lld --num_containers %lld"
        " --priority 0 1><LOG_DIR>/am.out 2><LOG_DIR>/am.err",
        (long long)s->master_mb / 2, (long long)s->memory_mb, (long long)s->vcores,
        (long long)s->containers);
    const char *command = pingo__buffer_cstr(&b);
    w->out.failed = w->out.failed || !command;
    pingo__writer_open(w, "commands", PINGO__WRITER_OBJECT);
    pingo__writer_text(w, "command", command);
    pingo__writer_close(w);
    pingo__buffer_clear(&b);
}

static void put_token(struct pingo__writer *w, const char *token)
{
    pingo__writer_open(w, "credentials", PINGO__WRITER_OBJECT);
    pingo__writer_open(w, "tokens", PINGO__WRITER_OBJECT);
    pingo__writer_open(w, "entry", PINGO__WRITER_ARRAY);
    put_entry(w, "hdfs", token);
    pingo__writer_close(w);
    pingo__writer_close(w);
    pingo__writer_close(w);
}

void pingo__executor_hadoop_body(struct pingo__buffer *b,
                                 const struct pingo__executor_hadoop_submission *s)
{
    struct pingo__writer w = {.out = *b};
    pingo__writer_open(&w, NULL, PINGO__WRITER_OBJECT);
    pingo__writer_text(&w, "application-id", s->id);
    pingo__writer_text(&w, "application-name", s->name);
    pingo__writer_text(&w, "application-type", "PINGO");
    if (s->queue)
        pingo__writer_text(&w, "queue", s->queue);
    if (s->node_label)
        pingo__writer_text(&w, "app-node-label-expression", s->node_label);
    if (s->priority >= 0)
        pingo__writer_int(&w, "priority", s->priority);
    pingo__writer_int(&w, "max-app-attempts", 1);
    pingo__writer_open(&w, "application-tags", PINGO__WRITER_OBJECT);
    pingo__writer_open(&w, "tag", PINGO__WRITER_ARRAY);
    pingo__writer_text(&w, NULL, s->tag);
    pingo__writer_close(&w);
    pingo__writer_close(&w);
    pingo__writer_open(&w, "resource", PINGO__WRITER_OBJECT);
    pingo__writer_int(&w, "memory", s->master_mb);
    pingo__writer_int(&w, "vCores", 1);
    pingo__writer_close(&w);
    pingo__writer_flag(&w, "unmanaged-AM", false);
    pingo__writer_flag(&w, "keep-containers-across-application-attempts", false);
    pingo__writer_open(&w, "am-container-spec", PINGO__WRITER_OBJECT);
    put_command(&w, s);
    put_environment(&w, s);
    if (s->token)
        put_token(&w, s->token);
    pingo__writer_close(&w);
    pingo__writer_close(&w);
    *b = w.out;
}

/* ---- the script ----------------------------------------------------------------------------------- */

/* at: how long all of this is. */
static void put_head(struct pingo__buffer *b, const char *const *words, const char *token,
                     const struct pingo__executor_hadoop_program *program, size_t at)
{
    pingo__buffer_text(b, "umask 077\n");
    if (token) {
        pingo__buffer_text(b, "export PINGO_HDFS_TOKEN=");
        pingo__quoting_shell(b, token);
        pingo__buffer_char(b, '\n');
    }
    if (program->nlibrary)
        pingo__buffer_format(
            b, "tail -c +%08zu \"$0\" | head -c %zu >" PINGO__HADOOP_LIBRARY " || exit 92\n",
            at + 1, program->nlibrary);
    pingo__buffer_format(b, "tail -c +%08zu \"$0\" >" PINGO__HADOOP_PROGRAM " &&",
                         at + program->nlibrary + 1);
    pingo__buffer_text(b,
                       " chmod 700 " PINGO__HADOOP_PROGRAM " || exit 92\n./" PINGO__HADOOP_PROGRAM);
    for (size_t i = 0; words[i]; i++) {
        pingo__buffer_char(b, ' ');
        pingo__quoting_shell(b, words[i]);
    }
    pingo__buffer_text(b, "\nexit $?\n");
}

void pingo__executor_hadoop_script(struct pingo__buffer *b, const char *const *words,
                                   const char *token,
                                   const struct pingo__executor_hadoop_program *program)
{
    struct pingo__buffer head = {0};
    put_head(&head, words, token, program, 0); /* as long as it will be */
    size_t length = head.length;
    b->failed = b->failed || head.failed;
    pingo__buffer_clear(&head);
    put_head(b, words, token, program, length);
    pingo__buffer_append(b, program->library, program->nlibrary);
    pingo__buffer_append(b, program->bytes, program->n);
}
