/* settings.c - the settings of the executor hadoop, and what they make of it. */
#include "executor/hadoop/hadoop.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/process.h"
#include "executor/hadoop/rm.h"
#include "hdfs/hdfs.h"

#define HDFS "hdfs://"
#define MIB 1048576

const struct pingo_executor_setting pingo__executor_hadoop_settings[PINGO__HADOOP_SETTINGS] = {
    {"rm", PINGO_SETTING_TEXT, 0, 0,
     NULL, "where the ResourceManager's pages are: HOST:PORT, with ',' before a standby's; or https://..."},
    {"user", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the user that YARN is told; else the pool's, else whoever runs pingo"},
    {"queue", PINGO_SETTING_TEXT, 0, 0, NULL, "the queue of actions that name none"},
    {"fs", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the pool's file system as Hadoop's own programs call it; else hdfs://HOST:8020 of the pool"},
    {"amClasspath", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the class path of the distributed shell on the nodes; else as a distribution has it"},
    {"amMemory", PINGO_SETTING_SIZE, 64 * MIB, INT64_C(1) << 40, "256MiB",
     "the memory of the distributed shell's master"},
    {"bundle", PINGO_SETTING_NUMBER, 1, 10000, "500",
     "how many attempts are one application at most"},
    {"containers", PINGO_SETTING_NUMBER, 1, 10000, "100",
     "how many containers one application has at most"},
    {"maxJobs", PINGO_SETTING_NUMBER, 1, 65536, "1000", "how many attempts it has in hand at once"},
    {"pollSeconds", PINGO_SETTING_NUMBER, 1, 3600, "10",
     "the longest pause before the cluster is asked again what became of them"},
    {"java", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the java of this machine that submits MapReduce jobs; else the one on the PATH"},
    {"client", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the class path of Hadoop's client on this machine, for MapReduce: DIR/*:DIR/*"},
    {"conf", PINGO_SETTING_TEXT, 0, 0, NULL,
     "the directory with core-site.xml and the like of the cluster, for MapReduce"},
};

static char *find_user(struct pingo__executor_reading *r, const char *of_pool)
{
    char us[PINGO__PROCESS_USER_SIZE];
    char *set = pingo__executor_context_read(r, "user");
    if (set || r->failed)
        return set;
    if (!*of_pool)
        pingo__process_user(us);
    return pingo__executor_context_copy(r, *of_pool ? of_pool : us);
}

static void make_tag(struct pingo__executor_hadoop *h, const char *store_id)
{
    char mark[PINGO__EXECUTOR_MARK_SIZE];
    pingo__executor_mark(mark, store_id, h->pool_place);
    snprintf(h->tag, sizeof h->tag, "pingo-%s", mark);
    for (char *c = h->tag; *c; c++)
        *c = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : '-');
}

/* All that has to do with the pool. */
static void read_place(struct pingo__executor_hadoop *h, struct pingo__executor_reading *r)
{
    struct pingo__hdfs_place at = {.user = ""};
    const char *place = r->context->version >= 3 ? r->context->pool_place : NULL, *wrong;
    if (place && pingo__hdfs_read_url(place, &at, &wrong)) {
        size_t root = (size_t)(at.path - place), n = strlen(place);
        h->pool_place = pingo__executor_context_copy(r, place);
        while (h->pool_place && n > root + 1 && place[n - 1] == '/') /* names come behind one */
            h->pool_place[--n] = '\0';
        h->pool_path = pingo__executor_context_copy(r, h->pool_place ? h->pool_place + root : NULL);
        size_t host = *at.hosts == '[' ? strcspn(at.hosts, "]") + 1 : strcspn(at.hosts, ":,/");
        if (!h->fs)
            h->fs = pingo__arena_format(&h->texts, "hdfs://%.*s:8020", (int)host, at.hosts);
        r->failed = r->failed || !h->fs;
        if (!r->failed)
            make_tag(h, r->context->store_id);
        if (at.nservers > 1 && h->fs && strncmp(h->fs, HDFS, strlen(HDFS)) == 0 &&
            !strchr(h->fs + strlen(HDFS), ':'))
            h->nameservice = h->fs + strlen(HDFS);
    }
    h->user = find_user(r, at.user);
}

int pingo__executor_hadoop_check_text(const char *key, const char *text, struct pingo_error *err)
{
    struct pingo__executor_hadoop_rm *rm = NULL;
    bool is_fs = strcmp(key, "fs") == 0, is_rm = strcmp(key, "rm") == 0;
    if (*text && (is_rm || strcmp(key, "user") == 0)) {
        int rc = pingo__executor_hadoop_rm_open(is_rm ? text : "localhost", is_rm ? "x" : text,
                                                NULL, &rm, err);
        pingo__executor_hadoop_rm_close(rm);
        return rc;
    }
    if ((is_fs || strcmp(key, "queue") == 0) && !pingo__executor_hadoop_is_safe(text))
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.hadoop.%s: \"%.100s\" cannot be given to YARN", key, text);
    if (is_fs && *text && strncmp(text, HDFS, strlen(HDFS)) != 0 &&
        strncmp(text, "viewfs://", 9) != 0)
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.hadoop.fs: \"%.100s\" is not hdfs://HOST:PORT", text);
    if (strcmp(key, "amClasspath") == 0 && strpbrk(text, " \"'`$\\;&|\n"))
        return pingo__fail(err, PINGO_EINVAL,
                           "executor.hadoop.amClasspath: it goes through two shells, and can hold "
                           "no blanks, quotes, $ and the like; {{HADOOP_CONF_DIR}} stands for the "
                           "node's");
    return 0;
}

static void check(struct pingo__executor_hadoop *h, const char *rm)
{
    size_t size = sizeof h->unset;
    const struct {
        const char *key, *text;
    } texts[] = {{"queue", h->queue}, {"fs", h->fs}, {"amClasspath", h->am_classpath}};
    struct pingo_error why;
    if (!rm || !*rm)
        snprintf(h->unset, size,
                 "executor.hadoop.rm is not set: pingo config executor.hadoop.rm HOST:8088");
    else if (!h->pool_place)
        snprintf(h->unset, size,
                 "the pool is not in HDFS, where Hadoop's nodes would find it: pingo init --pool "
                 "webhdfs://HOST:9870/PATH");
    for (size_t i = 0; !*h->unset && i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text && pingo__executor_hadoop_check_text(texts[i].key, texts[i].text, &why))
            snprintf(h->unset, size, "%.250s", why.message);
    if (!*h->unset &&
        (!pingo__executor_hadoop_is_safe(h->pool_path) || strpbrk(h->pool_path, ",#%*?[]{}")))
        snprintf(h->unset, size,
                 "the pool's path \"%.100s\" holds a blank, a comma, a quote or the like, which "
                 "Hadoop's own programs take for something else",
                 h->pool_path);
    size_t n = h->fs ? strlen(h->fs) : 0;
    while (n > 0 && h->fs[n - 1] == '/')
        h->fs[--n] = '\0';
}

int pingo__executor_hadoop_read_settings(struct pingo__executor_hadoop *h,
                                         const struct pingo_executor_context *context,
                                         struct pingo_error *err)
{
    struct pingo__executor_reading r = {context, &h->texts, false};
    h->queue = pingo__executor_context_read(&r, "queue");
    h->fs = pingo__executor_context_read(&r, "fs");
    h->am_classpath = pingo__executor_context_read(&r, "amClasspath");
    h->java = pingo__executor_context_read(&r, "java");
    h->client_classpath = pingo__executor_context_read(&r, "client");
    h->conf_dir = pingo__executor_context_read(&r, "conf");
    h->pool_dir = pingo__executor_context_copy(&r, context->pool_dir);
    h->helper_dir = pingo__executor_context_copy(&r, context->helper_dir);
    h->am_memory_mb = pingo_executor_context_number(context, "amMemory") / MIB;
    h->bundle = pingo_executor_context_number(context, "bundle");
    h->containers = pingo_executor_context_number(context, "containers");
    h->max_jobs = pingo_executor_context_number(context, "maxJobs");
    h->poll_ms = pingo_executor_context_number(context, "pollSeconds") * 1000;
    h->runner = pingo__executor_context_runner(context);
    read_place(h, &r);
    if (r.failed)
        return pingo__fail_memory(err);
    check(h, pingo_executor_context_text(context, "rm"));
    return 0;
}
