/* mapreduce_arm.c - makes what the submission of a MapReduce job needs; see mapreduce.h.
 *
 * What always holds: job.xml is the last thing that is put into the near directory, by rename; without it nothing is
 * submitted. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/path.h"
#include "executor/hadoop/mapreduce.h"
#include "hdfs/hdfs.h"

#define SUBMISSION_LIMIT_MS 900000 /* of JobClient, which may wait for the cluster as long */
#define MIB 1048576
#define JAR_END_MOST (22 + 65535)   /* where an archive's last record begins, at the earliest */
#define TEXT_MOST ((size_t)1 << 26) /* of a file in the near directory */

#ifndef PINGO_JAVA_OPENS
#define OPEN(package) "--add-opens=java.base/" package "=ALL-UNNAMED "
/* What Hadoop's own scripts say to Javas since 9; older ones do not look at the variable. */
/* clang-format off */
#define PINGO_JAVA_OPENS                                                                           \
    OPEN("java.io")                                                                                \
    OPEN("java.lang")                                                                              \
    OPEN("java.lang.reflect")                                                                      \
    OPEN("java.math") OPEN("java.net") OPEN("java.nio") OPEN("java.text") OPEN("java.util")        \
        OPEN("java.util.concurrent") OPEN("java.util.zip") OPEN("sun.security.util")               \
            OPEN("sun.security.x509")
/* clang-format on */
#endif

struct arming {
    struct pingo__executor_hadoop *h;
    struct pingo__executor_hadoop_job *job;
    struct pingo__executor_hadoop_plan plan;
    /* Lists of Hadoop's, as they grow. */
    struct pingo__buffer data, beside, classes, classpath;
    struct pingo_error *err;
};

char *pingo__executor_hadoop_near(struct pingo__executor_hadoop_job *job, const char *name)
{
    return pingo__arena_format(&job->arena, "%s/%s", job->job.attempt_dir, name);
}

char *pingo__executor_hadoop_near_text(struct pingo__executor_hadoop_job *job, const char *name)
{
    char *path = pingo__executor_hadoop_near(job, name), *text = NULL;
    size_t n;
    return path && pingo__file_read_whole(AT_FDCWD, path, TEXT_MOST, &text, &n) == 0 ? text : NULL;
}

char *pingo__executor_hadoop_far(struct pingo__executor_hadoop *h,
                                 struct pingo__executor_hadoop_job *job, const char *name)
{
    char attempt[PINGO__NAME_SIZE];
    pingo__name_attempt(attempt, job->job.key.action, job->job.key.epoch);
    return pingo__arena_format(&job->arena, "%s/%s/%s", h->pool_path, attempt, name);
}

static bool set(struct arming *a, const char *name, const char *text)
{
    return pingo__executor_hadoop_plan_set(&a->plan, name, text);
}

static bool set_number(struct arming *a, const char *name, int64_t n)
{
    return set(a, name, pingo__arena_format(&a->job->arena, "%lld", (long long)n));
}

/* ---- links ---------------------------------------------------------------------------------------------- */

/* The path below the pool; NULL: the url leads elsewhere.  One names the user, and another may not. */
static const char *below_pool(const struct arming *a, const char *url)
{
    struct pingo__hdfs_place at, pool;
    const char *wrong;
    if (!pingo__hdfs_read_url(url, &at, &wrong) ||
        !pingo__hdfs_read_url(a->h->pool_place, &pool, &wrong))
        return NULL;
    size_t n = strlen(pool.hosts);
    return strncmp(at.hosts, pool.hosts, n) == 0 && at.hosts[n] == '/' ? at.hosts + n + 1 : NULL;
}

/* A place in the pool, as Hadoop's programs call it. */
static char *to_hadoop(struct arming *a, const char *url)
{
    const char *path = below_pool(a, url);
    return path ? pingo__arena_format(&a->job->arena, "%s%s/%s", a->h->fs, a->h->pool_path, path)
                : pingo__arena_format(&a->job->arena, "%s", url);
}

static void put_item(struct pingo__buffer *list, const char *item, bool escape)
{
    if (list->length > 0)
        pingo__buffer_char(list, ',');
    for (; *item; item++) {
        if (escape && (*item == ',' || *item == '\\'))
            pingo__buffer_char(list, '\\');
        pingo__buffer_char(list, *item);
    }
}

/* A jar on this machine: where it lies, or will as a copy in the near directory.  NULL: no memory. */
static const char *jar_of(struct arming *a, size_t i)
{
    const struct pingo_job_link *link = &a->job->job.links[i];
    const char *name = pingo__path_last(link->name);
    return link->target
               ? link->target
               : pingo__arena_format(&a->job->arena, "%s/jars/%zu-%s%s", a->job->job.attempt_dir, i,
                                     name, strstr(name, ".jar") ? "" : ".jar");
}

/* What another action made. */
static int fetch_jar(struct arming *a, size_t i)
{
    const struct pingo_job *job = &a->job->job;
    const char *copy = jar_of(a, i), *from = job->places ? job->places[i] : NULL;
    const char *path = from ? below_pool(a, from) : NULL;
    if (job->links[i].target)
        return 0;
    if (!copy)
        return pingo__fail_memory(a->err);
    if (!path)
        return pingo__fail(a->err, PINGO_EINPUT, "the jar %s is not in the pool",
                           job->links[i].name);
    int rc = pingo__hdfs_get_tree(a->h->hdfs, path, copy, 0755, a->err);
    return rc == PINGO_EEXISTS ? 0 : rc;
}

/* Java passes over a jar that is none, and then misses its classes, or has YARN fail on it.  What makes it one stands
 * in its last bytes: APPNOTE.TXT of PKWARE, 4.3.16. */
static int check_jar(struct arming *a, size_t i)
{
    static const char mark[] = "PK\5\6";
    const char *path = jar_of(a, i);
    struct stat st;
    int rc = 0;
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (!path)
        return pingo__fail_memory(a->err);
    if (fd < 0 || fstat(fd, &st) != 0) {
        rc = pingo__fail_os(a->err, errno, "cannot be read", path);
    } else if (S_ISREG(st.st_mode)) {
        char end[JAR_END_MOST];
        off_t from = st.st_size > JAR_END_MOST ? st.st_size - JAR_END_MOST : 0;
        ssize_t n = pread(fd, end, sizeof end, from);
        if (n < 0)
            rc = pingo__fail_os(a->err, errno, "cannot be read", path);
        else if (!memmem(end, (size_t)n, mark, sizeof mark - 1))
            rc = pingo__fail(a->err, PINGO_EINVAL, "%.100s is no jar: it is no archive of Java's",
                             a->job->job.links[i].name);
    }
    pingo__file_close(fd);
    return rc;
}

static int add_jar(struct arming *a, size_t i)
{
    const char *path = jar_of(a, i);
    bool well = path;
    if (path) {
        put_item(&a->classpath, path, false);
        if (a->plan.jar && strcmp(a->job->job.links[i].name, a->plan.jar) == 0)
            well = set(a, "mapreduce.job.jar", path);
        else if ((path = pingo__arena_format(&a->job->arena, "file://%s", path)))
            put_item(&a->classes, path, false);
    }
    return well && path ? 0 : pingo__fail_memory(a->err);
}

static int add_link(struct arming *a, size_t i)
{
    const struct pingo_job_link *link = &a->job->job.links[i];
    enum pingo__executor_hadoop_use use = pingo__executor_hadoop_plan_use(&a->plan, link->name);
    if (use == PINGO__HADOOP_IS_CLASSES)
        return add_jar(a, i);
    char *url = to_hadoop(a, a->job->job.places[i]),
         *name = pingo__arena_format(&a->job->arena, "pingo.in.%s", link->name), *beside = NULL;
    if (!url)
        return pingo__fail_memory(a->err);
    if (use == PINGO__HADOOP_IS_DATA)
        put_item(&a->data, url, true);
    else if ((beside = pingo__arena_format(&a->job->arena, "%s#in/%s", url, link->name)))
        put_item(&a->beside, beside, false);
    bool well = name && (use == PINGO__HADOOP_IS_DATA || beside) && set(a, name, url);
    return well ? 0 : pingo__fail_memory(a->err);
}

/* What is no file is data that lies where its uri says. */
static void add_uris(struct arming *a)
{
    const struct pingo_job *job = &a->job->job;
    for (size_t i = 0; i < job->ninputs; i++)
        if (job->inputs[i].version &&
            pingo__executor_hadoop_plan_use(&a->plan, job->inputs[i].name) == PINGO__HADOOP_IS_DATA)
            put_item(&a->data, job->inputs[i].identity, false);
}

/* ---- Hadoop's own ---------------------------------------------------------------------------------------- */

/* The jar of Hadoop's streaming, in a directory of the client's class path or where distributions have it beside
 * one. */
static char *find_streaming(struct arming *a)
{
    static const char *const patterns[] = {"hadoop-streaming*.jar",
                                           "../tools/lib/hadoop-streaming*.jar",
                                           "../../tools/lib/hadoop-streaming*.jar"};
    char *found = NULL;
    for (const char *at = a->h->client_classpath; at && *at && !found;) {
        size_t n = strcspn(at, ":"), length = n >= 1 && at[n - 1] == '*' ? n - 1 : n;
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !found; i++) {
            glob_t g = {0};
            char *pattern =
                pingo__arena_format(&a->job->arena, "%.*s/%s", (int)length, at, patterns[i]);
            if (pattern && glob(pattern, 0, NULL, &g) == 0 && g.gl_pathc > 0)
                found = pingo__arena_format(&a->job->arena, "%s", g.gl_pathv[0]);
            globfree(&g);
        }
        at += n + (at[n] == ':');
    }
    return found;
}

static int set_streaming(struct arming *a)
{
    if (!a->plan.streaming || a->plan.jar)
        return 0;
    char *jar = find_streaming(a);
    if (!jar)
        return pingo__fail(
            a->err, PINGO_EINVAL,
            "no hadoop-streaming*.jar lies in a directory of executor.hadoop.client: "
            "add it, or give the action a \"jar\"");
    put_item(&a->classpath, jar, false);
    return set(a, "mapreduce.job.jar", jar) ? 0 : pingo__fail_memory(a->err);
}

static bool set_ours(struct arming *a)
{
    char tag[128];
    struct pingo__executor_hadoop *h = a->h;
    const struct pingo_job *job = &a->job->job;
    struct pingo__arena *arena = &a->job->arena;
    char *output = pingo__executor_hadoop_far(h, a->job, "output"),
         *staging = pingo__executor_hadoop_far(h, a->job, "staging"),
         *history = pingo__executor_hadoop_far(h, a->job, "history");
    int64_t mb = (job->memory_bytes + MIB - 1) / MIB;
    snprintf(tag, sizeof tag, "%s-%lld.%lld", h->tag, (long long)job->key.action,
             (long long)job->key.epoch);
    bool well = output && staging && history && set(a, "fs.defaultFS", h->fs) &&
                set(a, "mapreduce.framework.name", "yarn") &&
                set(a, "mapreduce.job.name", pingo__arena_format(arena, "%s_%s", tag, job->name)) &&
                set(a, "mapreduce.job.tags", pingo__arena_format(arena, "%s,%s", h->tag, tag)) &&
                set(a, "mapreduce.output.fileoutputformat.outputdir",
                    pingo__arena_format(arena, "%s%s", h->fs, output)) &&
                set(a, "mapreduce.fileoutputcommitter.algorithm.version", "1") &&
                set(a, "mapreduce.fileoutputcommitter.marksuccessfuljobs", "true") &&
                set(a, "yarn.app.mapreduce.am.staging-dir",
                    pingo__arena_format(arena, "%s%s", h->fs, staging)) &&
                set(a, "mapreduce.jobhistory.intermediate-done-dir",
                    pingo__arena_format(arena, "%s%s", h->fs, history)) &&
                set(a, "mapreduce.jobhistory.jhist.format", "json") &&
                set_number(a, "pingo.time.limit.ms", job->time_limit_ms);
    if (well && mb > 0)
        well = set_number(a, "mapreduce.map.memory.mb", mb) &&
               set_number(a, "mapreduce.reduce.memory.mb", mb);
    if (well && job->cpus > 1)
        well = set_number(a, "mapreduce.map.cpu.vcores", job->cpus) &&
               set_number(a, "mapreduce.reduce.cpu.vcores", job->cpus);
    if (well && h->queue)
        well = set(a, "mapreduce.job.queuename", h->queue);
    return well;
}

static bool set_lists(struct arming *a)
{
    const struct {
        const char *name;
        struct pingo__buffer *list;
    } lists[] = {{"mapreduce.input.fileinputformat.inputdir", &a->data},
                 {"mapreduce.job.cache.files", &a->beside},
                 {"tmpjars", &a->classes}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *text = pingo__buffer_cstr(lists[i].list);
        if (!text || (*text && !set(a, lists[i].name, text)))
            return false;
    }
    return true;
}

/* ---- the submission ------------------------------------------------------------------------------------------ */

/* NAME=VALUE of ours, if it is set. */
static void pass(struct arming *a, const char **env, size_t *n, const char *name)
{
    const char *text = getenv(name);
    if (text && (env[*n] = pingo__arena_format(&a->job->arena, "%s=%s", name, text)))
        (*n)++;
}

/* Java does not look at KRB5_CONFIG, by which libcurl finds the realm; of a list it gets the first.  NULL: no
 * memory. */
static const char *java_options(struct arming *a)
{
    static const char opens[] = "JDK_JAVA_OPTIONS=" PINGO_JAVA_OPENS;
    const char *realm = getenv("KRB5_CONFIG");
    return realm && *realm && !strpbrk(realm, "\"\\")
               ? pingo__arena_format(&a->job->arena, "%s\"-Djava.security.krb5.conf=%.*s\"", opens,
                                     (int)strcspn(realm, ":"), realm)
               : opens;
}

/* The attempt of this machine that submits it. */
static int arm_runner(struct arming *a)
{
    const struct pingo_job *job = &a->job->job;
    struct pingo__arena *arena = &a->job->arena;
    struct pingo__executor_hadoop *h = a->h;
    char *classpath = NULL, *jars = (char *)(uintptr_t)pingo__buffer_cstr(&a->classpath);
    const char *env[10] = {NULL};
    size_t n = 0;
    for (char *c = jars; c && *c; c++)
        *c = *c == ',' ? ':' : *c;
    classpath = pingo__arena_format(arena, "%s%s%s:%s", jars ? jars : "", jars && *jars ? ":" : "",
                                    h->conf_dir, h->client_classpath);
    const char *argv[] = {h->java ? h->java : "java",
                          "-Xmx512m",
                          "-XX:+UseSerialGC",
                          "-XX:TieredStopAtLevel=1",
                          "-cp",
                          classpath,
                          "org.apache.hadoop.mapred.JobClient",
                          "-submit",
                          pingo__executor_hadoop_near(a->job, "job.xml"),
                          NULL};
    env[n++] = java_options(a);
    env[n++] = "LANG=C.UTF-8";
    env[n++] = pingo__arena_format(arena, "HADOOP_USER_NAME=%s", h->user ? h->user : "");
    env[n++] = pingo__arena_format(arena, "HADOOP_CONF_DIR=%s", h->conf_dir);
    pass(a, env, &n, "PATH");
    pass(a, env, &n, "JAVA_HOME");
    pass(a, env, &n, "KRB5CCNAME");
    pass(a, env, &n, "KRB5_CONFIG");
    struct pingo_job local = {.key = job->key,
                              .name = job->name,
                              .argv = argv,
                              .env = env,
                              .attempt_dir = job->attempt_dir,
                              .staged_path = pingo__executor_hadoop_near(a->job, "submitted"),
                              .cpus = 1,
                              .time_limit_ms = SUBMISSION_LIMIT_MS};
    if (!classpath || !argv[8] || !local.staged_path || !env[0] || !env[2] || !env[3])
        return pingo__fail_memory(a->err);
    int rc = pingo_runner_arm(&local, &h->runner, a->err);
    return rc == PINGO_EEXISTS ? 0 : rc; /* a call before this one was not finished */
}

static int write_xml(struct arming *a)
{
    struct pingo__buffer xml = {0};
    char *path = pingo__executor_hadoop_near(a->job, "job.xml");
    pingo__executor_hadoop_plan_xml(&a->plan, &xml);
    int rc = xml.failed || !path ? pingo__fail_memory(a->err) : 0;
    int failed = rc ? 0 : pingo__file_keep(path, xml.data, xml.length);
    if (failed)
        rc = pingo__fail_os(a->err, -failed, "cannot be written", path);
    pingo__buffer_clear(&xml);
    return rc;
}

static int for_links(struct arming *a, int (*each)(struct arming *a, size_t i), bool only_classes)
{
    const struct pingo_job *job = &a->job->job;
    int rc = 0;
    for (size_t i = 0; !rc && i < job->nlinks; i++)
        if (!only_classes || pingo__executor_hadoop_plan_use(&a->plan, job->links[i].name) ==
                                 PINGO__HADOOP_IS_CLASSES)
            rc = a->h->is_leaving ? PINGO_EINTERRUPTED : each(a, i);
    return rc;
}

/* Where its jars are put. */
static int make_jars(struct arming *a)
{
    char *jars = pingo__executor_hadoop_near(a->job, "jars");
    if (!jars)
        return pingo__fail_memory(a->err);
    return mkdir(jars, 0755) == 0 || errno == EEXIST
               ? 0
               : pingo__fail_os(a->err, errno, "cannot be made", jars);
}

static bool is_no_jar(const void *plan, const char *link)
{
    return pingo__executor_hadoop_plan_use(plan, link) != PINGO__HADOOP_IS_CLASSES;
}

static int arm(struct arming *a)
{
    const struct pingo_job *job = &a->job->job;
    char *history = pingo__executor_hadoop_far(a->h, a->job, "history");
    if (!job->payload || !history)
        return pingo__fail_memory(a->err);
    int rc = pingo__executor_hadoop_plan_read(&a->plan, job->payload, a->err);
    if (!rc && !a->job->is_brought)
        rc = pingo__executor_hadoop_bring(a->h, a->job, is_no_jar, &a->plan, a->err);
    if (!rc && !a->job->is_brought)
        return 0;
    if (!rc && !set_ours(a))
        rc = pingo__fail_memory(a->err);
    if (!rc)
        rc = pingo__executor_hadoop_plan_options(&a->plan, job->executor_options, a->err);
    if (!rc)
        rc = set_streaming(a);
    if (!rc)
        rc = pingo__hdfs_make(a->h->hdfs, history, a->err);
    if (!rc)
        rc = for_links(a, add_link, false);
    if (!rc)
        add_uris(a);
    if (!rc && (!set_lists(a) || !pingo__executor_hadoop_plan_note(&a->plan)))
        rc = pingo__fail_memory(a->err);
    if (!rc)
        rc = arm_runner(a);
    if (!rc)
        rc = make_jars(a);
    if (!rc)
        rc = for_links(a, fetch_jar, true);
    if (!rc)
        rc = for_links(a, check_jar, true);
    return rc ? rc : write_xml(a);
}

int pingo__executor_hadoop_mapreduce_arm(struct pingo__executor_hadoop *h,
                                         struct pingo__executor_hadoop_job *job,
                                         struct pingo_error *err)
{
    struct arming a = {.h = h, .job = job, .plan = {.arena = &job->arena}, .err = err};
    struct pingo__buffer *const lists[] = {&a.data, &a.beside, &a.classes, &a.classpath};
    int rc = arm(&a);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        pingo__buffer_clear(lists[i]);
    return rc;
}
