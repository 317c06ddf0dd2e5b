/* task.c - one job in its thread: reads its inputs, writes the output, rings the bell. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "task.h"

struct task *new_task(const struct pingo_job *job, int bell)
{
    struct task *task = calloc(1, sizeof *task);
    bool failed = task == NULL;

    if (!failed) {
        task->end.key = job->key;
        task->bell = bell;
        task->function = find_function(job->payload);
        task->output = strdup(job->staged_path);
        task->inputs = calloc(job->nlinks + 1, sizeof *task->inputs);
        failed = task->function == NULL || task->output == NULL || task->inputs == NULL;
    }
    while (!failed && task->ninputs < job->nlinks) {
        task->inputs[task->ninputs] = strdup(job->links[task->ninputs].target);
        failed = task->inputs[task->ninputs++] == NULL;
    }
    if (failed && task != NULL) {
        free_task(task);
        task = NULL;
    }
    return task;
}

void free_task(struct task *task)
{
    if (task->state != ARMED)
        pthread_join(task->thread, NULL);
    for (size_t i = 0; task->inputs != NULL && i < task->ninputs; i++)
        free(task->inputs[i]);
    free(task->inputs);
    free(task->output);
    free(task);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* The body of a thread: the output is complete and read-only before the end is told. */
void *run_task(void *argument)
{
    struct task *task = argument;
    struct pingo_job_end *end = &task->end;
    struct stat st;
    uint64_t ring = 1;
    FILE *out = fopen(task->output, "w");

    end->started_ms = now_ms(); /* when, and how long: what was quick to make is deleted first */
    for (size_t i = 0; out != NULL && i < task->ninputs; i++) {
        FILE *in = fopen(task->inputs[i], "r");
        if (in == NULL) {
            end->exit_code = 1;
            snprintf(end->message, sizeof end->message, "input %zu cannot be read", i + 1);
            break;
        }
        task->function->run(in, out);
        fclose(in);
    }
    end->size = sizeof *end;
    end->ended_ms = now_ms();
    end->wall_ms = end->ended_ms - end->started_ms;
    end->user_ms = end->system_ms = end->max_rss_bytes = -1;
    end->reason = PINGO_END_EXITED;
    if (out == NULL || fclose(out) != 0 || chmod(task->output, 0444) != 0 ||
        stat(task->output, &st) != 0 || pingo_content_hash(task->output, &end->content, NULL) != 0)
        end->reason = PINGO_END_NO_OUTPUT;
    if (end->reason == PINGO_END_EXITED && end->exit_code == 0) {
        end->output_kind = PINGO_OUTPUT_FILE;
        end->size_bytes = st.st_size;
    }
    atomic_store(&task->state, ENDED);
    if (write(task->bell, &ring, sizeof ring) < 0)
        return NULL; /* it is rung already */
    return NULL;
}
