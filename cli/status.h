/* status.h - the status of a submission and who goes on with it, for the commands that print or ask it. */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <pingo.h>

#include "answer.h"
#include "select.h"

/* The status of one submission, copied; its strings are left out. */
int cli_workflow_status(struct cli *cli, int64_t workflow, struct pingo_workflow_status *status,
                        struct pingo_error *err);
/* What its view shows, with the processes other than this one that go on with it, which are there until the next look;
 * after an error they are not known.  0 or a PINGO_E*. */
int cli_workflow_look(struct cli *cli, const struct pingo_workflow_status *status,
                      struct pingo__view_workflow *look, struct pingo_error *err);
/* The status of a submission with all of its actions, as an element of what is open.  0 or a PINGO_E*. */
int cli_status_write(struct cli *cli, struct pingo__writer *w, int64_t workflow,
                     struct pingo_error *err);

/* follow.c: prints what changes, until a workflow (NULL: never) has ended, or a signal comes.  An exit status. */
int cli_follow(struct cli *cli, const char *workflow);

/* What is told of it, of a store here and of one behind a server. */
struct cli_following {
    struct cli *cli;
    int64_t workflow; /* 0: all */
    bool has_ended;
    bool is_unread; /* nobody reads what is told */
    enum pingo_workflow_state state;
};
/* A change, if it is meant; and the workflow's state, as it is, not as it changed.  0, or a PINGO_E* in cli->err. */
int cli_follow_change(void *following, const struct pingo_change *change);
int cli_follow_state(struct cli_following *f, int64_t number);

/* Why actions that are ready cannot start. */
struct cli_unstarted {
    char *const *told; /* reasons that do not count */
    size_t ntold;
    char *reason;   /* the first other one; yours; NULL: there is none */
    size_t n;       /* how many actions say so */
    size_t nothers; /* and how many say something else */
};
/* Of one action, or of all (NULL), which reads each that is ready. */
void cli_unstarted(struct cli *cli, int64_t workflow, const char *action, struct cli_unstarted *u);

#endif
