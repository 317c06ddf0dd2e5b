/* probe.c - what a node answers before it runs anything. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "executor/hadoop/node/node.h"
#include "runner/record/probe.h"

#define PATIENCE_MS 20000

int pingo__executor_node_probe(struct pingo__executor_node *n)
{
    char path[256], answer[PINGO__RUNNER_PROBE_SIZE];
    struct pingo__buffer question = {0};
    struct pingo_error err = {0};
    const struct pingo__executor_node_file file = {n->fs, path, 64, PATIENCE_MS};
    snprintf(path, sizeof path, "%.200s/question", n->probe);
    int rc = pingo__executor_node_read(n, &file, &question, &err);
    const char *text = rc ? NULL : pingo__buffer_cstr(&question);
    snprintf(path, sizeof path, "%.200s/answer", n->probe);
    if (text) {
        pingo__runner_probe_print(text, answer);
        rc = pingo__hdfs_put_bytes(n->fs, path, answer, strlen(answer), &err);
    }
    if (rc || !text)
        warnx("%s/%s: %s", n->pool, n->probe, rc ? err.message : "out of memory");
    pingo__buffer_clear(&question);
    return !rc && text                                      ? PINGO__HADOOP_DONE
           : rc == PINGO_ENOTFOUND                          ? PINGO__HADOOP_NO_BUNDLE
           : rc == PINGO_EUNSUPPORTED || rc == PINGO_ENOMEM ? PINGO__HADOOP_NO_PLACE
                                                            : PINGO__HADOOP_NO_HDFS;
}
