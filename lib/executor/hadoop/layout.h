/* layout.h - what lies in HDFS below the pool for attempts that Hadoop runs, and how its containers come to it: agreed
 * between the executor and pingo-hadoop-runner.  Pure.
 *
 * attempts/K/        K is ACTION.EPOCH
 *   job              what is to be run (pingo__runner_errand_put()): the gate.  Whose rename of it succeeds has the
 *                    attempt
 *   started.C.H.P.W  the same file, once the runner of container C on node H (its NodeManager's ports: P, W of its
 *                    pages) has renamed it
 *   revoked          the same file, once the scheduler has; or an empty directory, where there was no job
 *   kill             a directory that the scheduler makes: who runs the attempt looks for it every few seconds, ends
 *                    the command (TERM, grace_ms, KILL) and leaves an outcome that says KILLED
 *   stdout, stderr   the logs, where something stands in them; there before the outcome is
 *   outcome          the end (pingo__runner_outcome_encode()), by rename.  Only the owner of started.* leaves one
 * staged/K           the output, complete: uploaded under another name beside it, read-only, lengths compared, renamed;
 *                    there before the outcome is
 * bundles/A/         A is the application's id at YARN: the attempts that it runs
 *   list             their keys, a line each
 *   script           what each container runs, with pingo-hadoop-runner's bytes behind it: YARN puts no file of ours
 *                    into the shell's containers; the distributed shell renames it to script.sh
 *   started.K        a directory: a bell.  The runner makes it behind the gate, and renames it to
 *   ended.K          when the outcome is there.  Bells wake, and tell containers what to pass over; they are never the
 *                    truth
 * originals/SHA256   what an attempt needs of the gateway's files
 *
 * In `job` a link's target is a URL (webhdfs://..., swebhdfs://...) of what is to be fetched, a file or a directory; or
 * an absolute path on the node.  attempt_dir and staged_path are URLs.
 *
 *   pingo-hadoop-runner --bundle POOL A CONTAINERS
 * takes the next attempt of the list whose `job` it can rename, until none is left.  POOL is the pool's URL, CONTAINERS
 * how many containers run the list: each begins at its own share, which the number at the end of CONTAINER_ID tells,
 * and when a claim fails it lists bundles/A rather than try what others have.
 *   pingo-hadoop-runner --probe POOL DIR
 * answers in POOL/DIR as pingo__runner_probe_answer() does: `question` there, and `answer`, by rename.
 * YARN sets CONTAINER_ID, NM_HOST, NM_PORT and NM_HTTP_PORT; PINGO_HDFS_TOKEN is a delegation token, where one is
 * needed.  The working directory is the container's own.  On failure a line stands on standard error, and the exit
 * status says: */
#ifndef PINGO__EXECUTOR_HADOOP_LAYOUT_H
#define PINGO__EXECUTOR_HADOOP_LAYOUT_H

#include <stdbool.h>

#include <pingo/executor.h>

#include "base/names.h"

enum pingo__executor_hadoop_exit {
    PINGO__HADOOP_DONE = 0, /* nothing of the list is left; what came of it stands in its outcomes */
    PINGO__HADOOP_NO_HDFS = 90,   /* it is not reached from this node */
    PINGO__HADOOP_NO_BUNDLE = 91, /* there is no such list (any more) */
    PINGO__HADOOP_NO_PLACE = 92,  /* the node lacks what a runner needs: libcurl, room */
    PINGO__HADOOP_USAGE = 93
};

#define PINGO__HADOOP_ID_SIZE 64 /* of an application's or a container's id */
#define PINGO__HADOOP_PATH_SIZE (PINGO__NAME_SIZE + 264)
/* What lies in attempts/K, or in bundles/A; what: "": the directory itself. */
void pingo__executor_hadoop_in_attempt(char path[PINGO__HADOOP_PATH_SIZE], struct pingo_job_key key,
                                       const char *what);
void pingo__executor_hadoop_in_bundle(char path[PINGO__HADOOP_PATH_SIZE], const char *application,
                                      const char *what);

#define PINGO__HADOOP_STARTED "started."
#define PINGO__HADOOP_ENDED "ended."

struct pingo__executor_hadoop_owner { /* of an attempt: what stands in the name started.* */
    char container[PINGO__HADOOP_ID_SIZE];
    char node[256];
    int port, web_port;
};
/* "started.C.H.P.W"; false: these can be none, or it is too long. */
bool pingo__executor_hadoop_owner_name(const struct pingo__executor_hadoop_owner *owner,
                                       char name[256]);
/* false: it is none that a runner gives. */
bool pingo__executor_hadoop_owner_parse(const char *name,
                                        struct pingo__executor_hadoop_owner *owner);
/* "container_e17_1410450250506_0001_01_000002" -> "application_1410450250506_0001".  false: it is none. */
bool pingo__executor_hadoop_application_of(const char *container,
                                           char application[PINGO__HADOOP_ID_SIZE]);
/* Is it "application_NUMBER_NUMBER"? */
bool pingo__executor_hadoop_is_application(const char *id);
/* "started.17.3" or "ended.17.3", in bundles/A; false: no bell. */
bool pingo__executor_hadoop_bell_parse(const char *name, struct pingo_job_key *key, bool *ended);

#endif
