/* process.h - starting processes, and what the system says of them. */
#ifndef PINGO__BASE_PROCESS_H
#define PINGO__BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* A pipe whose ends are at least this number, close-on-exec; reading from ends[0] does not block.  0 or a negative
 * errno: then both are -1. */
int pingo__process_pipe(int ends[2], int least);

#define PINGO__PROCESS_NULL (-1) /* /dev/null */
#define PINGO__PROCESS_SAME (-2) /* the caller's */
#define PINGO__PROCESS_FDS_MOST 5

struct pingo__process_start {
    const char *path; /* without a slash it is looked up on our PATH */
    const char *const *argv, *const *env;
    int fds[PINGO__PROCESS_FDS_MOST]; /* its descriptor i is this one of ours, which is none of 0 to nfds-1 */
    int nfds;
    bool in_group;   /* of its own */
    bool in_session; /* likewise: without our terminal */
    bool at_root;    /* works in "/" */
};
/* Starts it with each signal's default, and none blocked.  0 or a negative errno. */
int pingo__process_start(const struct pingo__process_start *start, pid_t *pid);

/* The name of the user as whom this process works; "", and false: he has none. */
#define PINGO__PROCESS_USER_SIZE 128
bool pingo__process_user(char name[PINGO__PROCESS_USER_SIZE]);
/* Of which what it makes is, where the directory says nothing else. */
gid_t pingo__process_group(void);

/* What /proc/PID/stat says. */
struct pingo__process_state {
    char letter;           /* 'R', 'T', ... */
    long parent, terminal; /* terminal 0: it has none */
};
/* false: it is not there, or not readable. */
bool pingo__process_look(long pid, struct pingo__process_state *state);
/* Is it stopped (SIGSTOP, ctrl-z)?  false also where there is none. */
bool pingo__process_is_stopped(long pid);
/* In which this one's number is its own: a PID namespace, such as containers have.  0: it cannot be told. */
unsigned long long pingo__process_namespace(void);
/* Are the numbers in /proc those of our PID namespace? */
bool pingo__process_is_in_proc(void);

#endif
