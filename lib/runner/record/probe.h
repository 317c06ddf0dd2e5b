/* probe.h - what a machine that is to run attempts says of itself, before there is any.
 *
 * Who wants to know makes a directory in the pool and asks there; pingo-runner, started there with its path,
 * answers. */
#ifndef PINGO__RUNNER_PROBE_H
#define PINGO__RUNNER_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct pingo__runner_probe {
    char question[40]; /* as it was read there */
    char version[40];  /* of pingo-runner */
    char host[65];
    int64_t wall_ms;  /* its clock */
    int64_t user;     /* who it runs as there; */
    int64_t owner;    /* and whose that is which it makes, as we see it */
    int64_t landlock; /* 0: it can confine nothing */
};

#define PINGO__RUNNER_PROBE_SIZE 512 /* of an answer with its NUL */
/* What this machine answers; and the same read back: false: it is no answer. */
void pingo__runner_probe_print(const char *question, char text[PINGO__RUNNER_PROBE_SIZE]);
bool pingo__runner_probe_parse(char text[PINGO__RUNNER_PROBE_SIZE],
                               struct pingo__runner_probe *probe);

/* Writes DIR/question.  0 or a negative errno. */
int pingo__runner_probe_ask(int dir, const char *question);
/* Over there: PATH/answer, whole and on the disk.  0 or a negative errno. */
int pingo__runner_probe_answer(const char *path);
/* false: no answer is there yet. */
bool pingo__runner_probe_read(int dir, struct pingo__runner_probe *probe);

#endif
