/* token.h - by what slurmrestd knows us: fetched from a file or from a command, beside us, and renewed before it
 * expires.  It never stands on a command line, in a message or in a file of ours. */
#ifndef PINGO__EXECUTOR_SLURM_TOKEN_H
#define PINGO__EXECUTOR_SLURM_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pingo__child;

#define PINGO__SLURM_TOKEN_MOST 8192

struct pingo__executor_slurm_token {
    const char *source; /* a file, or a command; NULL: none is needed */
    int poll_fd;        /* an epoll, to which commands are added */
    struct pingo__child *child;
    char text[PINGO__SLURM_TOKEN_MOST]; /* "": there is none */
    int64_t fetched_ms, renew_ms;       /* monotonic; 0: we do not know when */
    char wrong[300];
};

/* Is there one that is good as far as we know?  Else it is being fetched, or *why tells why it cannot be. */
bool pingo__executor_slurm_token_is_there(struct pingo__executor_slurm_token *t, const char **why);
/* slurmrestd did not know us.  true: it was an old one, and the next will be better. */
bool pingo__executor_slurm_token_was_refused(struct pingo__executor_slurm_token *t);
/* By this machine's clock, which may not be right. */
bool pingo__executor_slurm_token_has_expired(const struct pingo__executor_slurm_token *t);
void pingo__executor_slurm_token_clear(struct pingo__executor_slurm_token *t);

/* "SLURM_JWT=TOKEN" or "TOKEN", and white space, of n bytes and a NUL: the token.  false: there is none.  Pure. */
bool pingo__executor_slurm_token_read(const char *said, size_t n,
                                      char token[PINGO__SLURM_TOKEN_MOST]);
/* Is a source the token itself, set by mistake?  It would stand on a shell's command line, and in messages.  Pure. */
bool pingo__executor_slurm_token_is_one(const char *source);
/* How many seconds after now (since 1970) it expires; -1: it does not say.  Pure. */
int64_t pingo__executor_slurm_token_lasts_s(const char *token, int64_t now_s);

#endif
