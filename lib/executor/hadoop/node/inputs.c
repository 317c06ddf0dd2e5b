/* inputs.c - see node.h. */
#include "executor/hadoop/node/node.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/tree.h"
#include "digest/content.h"

/* ---- urls -------------------------------------------------------------------------------------- */

/* Where the path begins in a url; NULL: it is none. */
static const char *path_of(const char *url)
{
    const char *at = strstr(url, "://");
    return at && at > url && *url != '/' ? strchr(at + 3, '/') : NULL;
}

/* Whose files they are is the same whoever asks. */
static bool is_of(const char *url, const char *other)
{
    struct pingo__hdfs_place a, b;
    const char *wrong;
    return pingo__hdfs_read_url(url, &a, &wrong) && pingo__hdfs_read_url(other, &b, &wrong) &&
           a.tls == b.tls && a.path - a.hosts == b.path - b.hosts &&
           strncmp(a.hosts, b.hosts, (size_t)(a.path - a.hosts)) == 0;
}

/* ---- one --------------------------------------------------------------------------------------- */

static int stamp(const char *path, bool make_readonly, struct pingo_hash *hash,
                 struct pingo_error *err)
{
    struct pingo__digest_content_options options = {
        .only_stamp = true, .no_follow = true, .make_readonly = make_readonly};
    struct pingo__digest_content content;
    int rc = pingo__digest_content_read(path, &options, &content, err);
    if (!rc)
        *hash = content.stamp;
    return rc;
}

static void drop(struct pingo__executor_node_inputs *inputs, size_t i)
{
    pingo__tree_remove(AT_FDCWD, inputs->list[i].path);
    free(inputs->list[i].path);
    free(inputs->list[i].url);
    inputs->list[i] = inputs->list[--inputs->n];
}

/* Only what lies in another file system than the pool needs a handle of its own. */
static int fetch_to(const struct pingo__executor_node_inputs *inputs, struct pingo__hdfs *data,
                    const struct pingo__executor_node_input *input, struct pingo_error *err)
{
    struct pingo__hdfs *other = NULL;
    struct pingo__hdfs_options options = {.token = inputs->token};
    int rc =
        is_of(input->url, inputs->url) ? 0 : pingo__hdfs_open(input->url, &options, &other, err);
    if (!rc)
        rc = pingo__hdfs_get_tree(other ? other : data, path_of(input->url), input->path, 0555, err);
    pingo__hdfs_close(other);
    return rc;
}

/* Read again after the write bits went, so that the stamp is that of what stays. */
static int seal(struct pingo__executor_node_input *input, struct pingo_error *err)
{
    int rc = stamp(input->path, true, &input->stamp, err);
    return rc ? rc : stamp(input->path, false, &input->stamp, err);
}

static int fetch(struct pingo__executor_node_inputs *inputs, const char *url,
                 struct pingo__hdfs *data, struct pingo_error *err)
{
    struct pingo__executor_node_input input = {.url = strdup(url)};
    if (!PINGO__ARRAY_ROOM(inputs->list, inputs->capacity, inputs->n, 1) || !input.url ||
        asprintf(&input.path, "%s/%lu", inputs->directory, inputs->made++) < 0) {
        free(input.url);
        return pingo__fail_memory(err);
    }
    int rc = fetch_to(inputs, data, &input, err);
    if (!rc)
        rc = seal(&input, err);
    input.is_wanted = true;
    inputs->list[inputs->n++] = input;
    if (rc)
        drop(inputs, inputs->n - 1);
    return rc;
}

/* ---- all --------------------------------------------------------------------------------------- */

static struct pingo__executor_node_input *find(const struct pingo__executor_node_inputs *inputs,
                                               const char *url)
{
    for (size_t i = 0; i < inputs->n; i++)
        if (strcmp(inputs->list[i].url, url) == 0)
            return &inputs->list[i];
    return NULL;
}

/* Notes what is here already: that stays when there is no room. */
static void want(struct pingo__executor_node_inputs *inputs, const struct pingo__runner_job *job)
{
    for (size_t i = 0; i < job->nlinks; i++) {
        struct pingo__executor_node_input *input = find(inputs, job->links[i].target);
        if (input)
            input->is_wanted = true;
    }
}

/* Is there more room now? */
static bool make_room(struct pingo__executor_node_inputs *inputs)
{
    size_t before = inputs->n;
    for (size_t i = inputs->n; i-- > 0;)
        if (!inputs->list[i].is_wanted)
            drop(inputs, i);
    return inputs->n < before;
}

int pingo__executor_node_inputs_fetch(struct pingo__executor_node_inputs *inputs,
                                      struct pingo__runner_job *job, struct pingo__hdfs *data,
                                      const struct pingo_job_link **at, struct pingo_error *err)
{
    int rc = 0;
    want(inputs, job);
    for (size_t i = 0; !rc && i < job->nlinks; i++) {
        const char *url = job->links[i].target;
        *at = &job->links[i];
        job->links[i].mark = 0; /* what stands behind a fetched one is nobody else's */
        if (!path_of(url) || find(inputs, url))
            continue;
        do
            rc = fetch(inputs, url, data, err);
        while (rc == PINGO_ENOSPACE && make_room(inputs));
    }
    for (size_t i = 0; !rc && i < job->nlinks; i++) {
        const struct pingo__executor_node_input *input = find(inputs, job->links[i].target);
        if (input)
            job->links[i].target = input->path;
    }
    return rc;
}

void pingo__executor_node_inputs_check(struct pingo__executor_node_inputs *inputs)
{
    for (size_t i = inputs->n; i-- > 0;) {
        struct pingo_hash now;
        bool is_wanted = inputs->list[i].is_wanted;
        inputs->list[i].is_wanted = false;
        if (is_wanted && (stamp(inputs->list[i].path, false, &now, NULL) != 0 ||
                          memcmp(&now, &inputs->list[i].stamp, sizeof now) != 0))
            drop(inputs, i);
    }
}

void pingo__executor_node_inputs_clear(struct pingo__executor_node_inputs *inputs)
{
    while (inputs->n > 0)
        drop(inputs, inputs->n - 1);
    free(inputs->list);
    inputs->list = NULL;
    inputs->capacity = 0;
}
