/* before.h - the inside of an executor hadoop without its thread, before the small HDFS of test/unit/hdfs and a ResourceManager
 * that is away. */
#ifndef TEST_HADOOP_BEFORE_H
#define TEST_HADOOP_BEFORE_H

#include "unit/hdfs/served.h"

#include "executor/hadoop/bundle.h"
#include "executor/hadoop/mailbox.h"
#include "executor/hadoop/rm.h"

#define ATTEMPT(n) ((struct pingo_job_key){n, 1})
typedef struct pingo__executor_hadoop_job job_of;

static struct pingo__executor_hadoop h;
static char near_dir[64], place[64];

static inline int begin(void **state)
{
    char path[96];
    (void)state;
    memset(&h, 0, sizeof h);
    snprintf(near_dir, sizeof near_dir, "%s/near", scratch);
    assert_int_equal(mkdir(near_dir, 0755), 0);
    snprintf(path, sizeof path, "%s/attempts", near_dir);
    assert_int_equal(mkdir(path, 0755), 0);
    h.hdfs = open_fs("/p", 5000);
    snprintf(place, sizeof place, "webhdfs://me@127.0.0.1:%d/p", server.ports[0]);
    h.pool_dir = near_dir;
    h.pool_place = place;
    h.poll_ms = 10000;
    strcpy(h.tag, "pingo-mark");
    h.troubles = (struct pingo_backoff){.first_ms = 500, .most_ms = 15000};
    assert_non_null(h.jobs = pingo_jobs_new(sizeof(job_of)));
    WELL(pingo__executor_hadoop_box_new(&h.box, err));
    WELL(pingo__executor_hadoop_rm_open("127.0.0.1:1", "me",
                                        pingo__executor_hadoop_box_bells(h.box), &h.rm, err));
    WELL(pingo__executor_hadoop_originals_new(&h.originals, err));
    return 0;
}

static inline int finish(void **state)
{
    (void)state;
    h.is_leaving = true; /* a test that failed waits for nobody */
    pingo__executor_hadoop_asides_free(&h, true);
    pingo__executor_hadoop_bundles_close(&h);
    for (job_of *job = NULL; (job = pingo_jobs_next(h.jobs, job));) {
        free(job->own);
        pingo__arena_clear(&job->arena);
    }
    pingo_jobs_free(h.jobs);
    pingo__executor_hadoop_rm_close(h.rm);
    pingo__hdfs_close(h.hdfs);
    pingo__executor_hadoop_originals_free(h.originals);
    pingo__executor_hadoop_box_leave(h.box);
    pingo__executor_hadoop_box_leave(h.box);
    free(h.apps);
    return pingo__tree_remove(AT_FDCWD, near_dir);
}

/* Until what is done for it beside the thread is done. */
static inline void wait_aside(const job_of *job)
{
    while (job->aside && !job->aside->is_done)
        poll(NULL, 0, 1);
}

/* What was reported since, a word each: "started 1", "ended 2 KILLED", "says ...". */
static inline const char *reported(void)
{
    static const char *const words[] = {"started", "named", "tells", "ended", "says"};
    static char text[2000];
    struct pingo__executor_hadoop_report *all = pingo__executor_hadoop_box_reports(h.box);
    size_t n = 0;
    text[0] = '\0';
    for (struct pingo__executor_hadoop_report *r = all; r; r = r->next)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %lld %s%d%s", n ? "; " : "",
                              words[r->kind], (long long)r->key.action, r->json ? r->json : "",
                              r->kind == PINGO__HADOOP_HAS_ENDED ? (int)r->end.reason : 0, r->text);
    pingo__executor_hadoop_report_free(all);
    return text;
}

#endif
