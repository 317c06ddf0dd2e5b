/* main.c - pingo-hadoop-runner: runs attempts in a container of YARN.
 *
 *   pingo-hadoop-runner --bundle POOL APPLICATION CONTAINERS
 *   pingo-hadoop-runner --probe POOL DIR
 *
 * See node.h, and what was agreed with the executor: executor/hadoop/layout.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pingo/version.h>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"
#include "base/tree.h"
#include "base/world.h"
#include "executor/hadoop/node/node.h"

#define WATCH_PATIENCE_MS 5000
#define CONTAINERS_MOST 100000
#define LOCK_MS 5000 /* an earlier start of this container may be about to end */
#define LOCK_PAUSE_MS 100
#define BELOW "--below" /* in the place of --bundle: the child of the guard */

struct pingo__hdfs *pingo__executor_node_open(const struct pingo__executor_node *n,
                                              struct pingo_error *err)
{
    struct pingo__hdfs_options options = {.token = n->token};
    struct pingo__hdfs *fs = NULL;
    return pingo__hdfs_open(n->pool, &options, &fs, err) == 0 ? fs : NULL;
}

/* ---- the container ----------------------------------------------------------------------------- */

static int number_of(const char *name, int fallback)
{
    const char *text = getenv(name);
    int64_t number;
    return text && pingo__text_to_int64(text, 0, 65535, &number) ? (int)number : fallback;
}

/* NM_HOST may be an address or a name; what cannot stand in the name of a file becomes '_'. */
static bool read_owner(struct pingo__executor_node *n)
{
    const char *container = getenv("CONTAINER_ID"), *node = getenv("NM_HOST");
    char application[PINGO__HADOOP_ID_SIZE];
    char host[64] = "";
    if (!container || !pingo__executor_hadoop_application_of(container, application) ||
        strcmp(application, n->application) != 0) {
        warnx("CONTAINER_ID is %s: this is no container of %s", container ? container : "not set",
              n->application);
        return false;
    }
    gethostname(host, sizeof host - 1);
    snprintf(n->owner.container, sizeof n->owner.container, "%s", container);
    snprintf(n->owner.node, sizeof n->owner.node, "%.100s", node && *node ? node : host);
    for (char *c = n->owner.node; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c))
            *c = '_';
    n->owner.port = number_of("NM_PORT", 1);
    n->owner.web_port = number_of("NM_HTTP_PORT", 0);
    return pingo__executor_hadoop_owner_name(&n->owner, n->started);
}

/* Tells a second start of this container from the first, if that still runs. */
static int take_lock(struct pingo__executor_node *n)
{
    int rc = 0;
    for (int64_t end = pingo__world_monotonic_ms() + LOCK_MS;;) {
        rc = flock(n->dir, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
        if (rc != -EWOULDBLOCK || pingo__world_monotonic_ms() > end ||
            pingo__runner_alone_told(&n->alone, LOCK_PAUSE_MS))
            return rc;
    }
}

/* Where lib/runner expects a pool; empty, whatever an earlier start has left. */
static int make_place(struct pingo__executor_node *n)
{
    static const enum pingo__name_part parts[] = {PINGO__ATTEMPTS, PINGO__STAGED, PINGO__OBJECTS};
    char *here = get_current_dir_name();
    int rc = here && asprintf(&n->root, "%s/pingo", here) >= 0 ? 0 : -ENOMEM;
    free(here);
    if (!rc &&
        asprintf(&n->inputs.directory, "%s/%s", n->root, pingo__name_parts[PINGO__OBJECTS]) < 0)
        rc = -ENOMEM;
    if (!rc && mkdir(n->root, 0700) != 0) {
        n->is_again = errno == EEXIST;
        rc = n->is_again ? 0 : -errno;
    }
    n->dir = rc ? -1 : open(n->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (!rc)
        rc = n->dir < 0 ? -errno : take_lock(n);
    if (!rc && n->is_again)
        rc = pingo__tree_empty(n->dir, NULL);
    for (size_t i = 0; !rc && i < sizeof parts / sizeof *parts; i++)
        if (mkdirat(n->dir, pingo__name_parts[parts[i]], 0755) != 0)
            rc = -errno;
    if (rc == -EWOULDBLOCK)
        warnx("%s: another runner of this container has it", n->root);
    else if (rc)
        warnx("%s: %s", n->root ? n->root : "pingo", strerror(-rc));
    return rc;
}

/* ---- the program ------------------------------------------------------------------------------- */

static const char help[] =
    "usage: pingo-hadoop-runner --bundle POOL APPLICATION CONTAINERS\n"
    "       pingo-hadoop-runner --probe POOL DIR\n"
    "       pingo-hadoop-runner --help | --version\n"
    "\n"
    "Runs attempts of actions of Pingo in a container of Hadoop's YARN, one after the other, "
    "until\n"
    "none is left of those that POOL/bundles/APPLICATION/list names.  POOL is a pool in HDFS\n"
    "(webhdfs://...), CONTAINERS how many containers run the list.  The executor hadoop has it\n"
    "started; people do not start it by hand.\n"
    "\n"
    "With --probe it answers what the executor asks in POOL/DIR, to see that attempts can run "
    "here.\n"
    "\n"
    "Exit status: 0 nothing is left; 90 HDFS is not reached; 91 there is no such list; 92 the "
    "node\n"
    "lacks what is needed; 93 wrong usage.  See pingo-hadoop-runner(8).\n";

/* For 0 what is asked for can begin. */
static int begin(struct pingo__executor_node *n, struct pingo_error *err)
{
    struct pingo__hdfs_options brief = {.token = n->token, .patience_ms = WATCH_PATIENCE_MS};
    struct pingo__hdfs *watched = NULL;
    int rc = pingo__runner_alone_listen(&n->alone, n->watch.ended);
    if (rc)
        return pingo__fail_os(err, -rc, "signals cannot be taken", "the container");
    n->alone.is_hurried = true; /* YARN's KILL comes 250 ms behind its TERM */
    n->fs = pingo__executor_node_open(n, err);
    rc = n->fs ? pingo__hdfs_open(n->pool, &brief, &watched, err) : err->code;
    if (!rc && (rc = pingo__executor_node_watch_start(&n->watch, watched, n->alone.signals)) != 0)
        rc = pingo__fail_os(err, -rc, "a thread cannot be started", "the container");
    return rc;
}

static int run(struct pingo__executor_node *n)
{
    struct pingo_error err = {0};
    int rc = pingo__executor_node_watch_init(&n->watch);
    rc = rc ? pingo__fail_os(&err, -rc, "there is no descriptor", "the container") : begin(n, &err);
    if (rc) {
        warnx("%s", err.message);
        rc = rc == PINGO_EINVAL ? PINGO__HADOOP_USAGE : PINGO__HADOOP_NO_PLACE;
    } else
        rc = n->probe             ? pingo__executor_node_probe(n)
             : make_place(n) != 0 ? PINGO__HADOOP_NO_PLACE
                                  : pingo__executor_node_bundle(n);
    pingo__executor_node_inputs_clear(&n->inputs);
    pingo__executor_node_claims_clear(&n->claims);
    pingo__executor_node_watch_clear(&n->watch);
    pingo__hdfs_close(n->fs);
    return rc;
}

static bool read_arguments(struct pingo__executor_node *n, int argc, char **argv)
{
    int64_t containers;
    bool probe = argc == 4 && strcmp(argv[1], "--probe") == 0;
    bool bundle = argc == 5 && (strcmp(argv[1], "--bundle") == 0 || strcmp(argv[1], BELOW) == 0) &&
                  pingo__executor_hadoop_is_application(argv[3]) &&
                  pingo__text_to_int64(argv[4], 1, CONTAINERS_MOST, &containers);
    if (!probe && !bundle)
        return false;
    n->pool = n->inputs.url = argv[2];
    n->probe = probe ? argv[3] : NULL;
    n->application = bundle ? argv[3] : NULL;
    n->containers = bundle ? (size_t)containers : 0;
    n->token = n->inputs.token = getenv("PINGO_HDFS_TOKEN");
    return true;
}

static int guard(char **argv)
{
    static char below[] = BELOW;
    argv[1] = below;
    int status = pingo__executor_node_guard(argv);
    if (status < 0)
        warnx("it cannot be started: %s", strerror(errno));
    return status < 0 ? PINGO__HADOOP_NO_PLACE : status;
}

int main(int argc, char **argv)
{
    static struct pingo__executor_node node = {.dir = -1};
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0;
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("pingo-hadoop-runner %s\n", PINGO_VERSION) < 0 || fflush(stdout) != 0;
    if (argc < 2 || strncmp(argv[1], "--", 2) != 0 || !read_arguments(&node, argc, argv)) {
        fputs(help, stderr);
        return PINGO__HADOOP_USAGE;
    }
    if (strcmp(argv[1], "--bundle") == 0)
        return guard(argv);
    if (!pingo__executor_node_guarded())
        return PINGO__HADOOP_DONE;
    if (node.application && !read_owner(&node))
        return PINGO__HADOOP_USAGE;
    pingo__runner_alone_ground();
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE); /* a DataNode that goes away is no end */
    sigprocmask(SIG_BLOCK, &pipe, NULL);
    return run(&node);
}
