/* tick.c - pingo tick: one pass over the store, and more until what it has begun goes on without it. */
#include <poll.h>

#include "answer.h"

/* What is being read, so that an action can start, and what is being brought to where it runs is waited for: who comes
 * next would begin anew.  For the latter alone nothing more is claimed, or there might be no end of it. */
static int tick(struct pingo_scheduler *scheduler, struct pingo_tick_result *all,
                struct pingo_error *err)
{
    static const int64_t none;
    struct pingo_tick_result r = {.size = sizeof r};
    bool claims = true;
    int rc;
    while ((rc = pingo_scheduler_tick(scheduler, &r, err)) == 0) {
        r.recovered += all->recovered;
        r.settled += all->settled;
        r.started += all->started;
        r.evicted += all->evicted;
        r.deleted += all->deleted;
        r.idle = r.idle && all->idle;
        *all = r;
        if (r.reading == 0 && r.bringing == 0)
            break;
        if (r.reading == 0 && claims) {
            claims = false;
            if ((rc = pingo_scheduler_scope(scheduler, &none, 0, err)) != 0)
                break;
        }
        struct pollfd fd = {.fd = pingo_scheduler_poll_fd(scheduler), .events = POLLIN};
        poll(&fd, 1, (int)pingo_scheduler_timeout_ms(scheduler));
    }
    return rc;
}

static int run(struct cli *cli, const struct cli_args *args)
{
    struct pingo_scheduler *scheduler = NULL;
    struct pingo_tick_result result = {.size = sizeof result, .idle = true};
    size_t deleted = 0;
    int rc = cli_open_scheduler(cli, cli_number(args, "jobs", 1, 1000000, 0), &scheduler);
    if (rc != CLI_OK)
        return rc;
    if (tick(scheduler, &result, &cli->err) != 0 ||
        pingo_scheduler_drain(scheduler, &deleted, &cli->err) != 0)
        rc = cli_error(cli);
    result.deleted += deleted;
    result.idle = result.idle && deleted == 0;
    pingo_scheduler_close(scheduler);
    if (rc != CLI_OK)
        return rc;
    cli_answer(cli, CLI_TALK, &pingo__view_tick, &result);
    if (!result.stuck_for_space)
        return CLI_OK;
    cli_message("%s", result.space_message);
    return CLI_NOSPACE;
}

const struct cli_command cli_tick = {"tick", NULL, run, CLI_PRINTS(&pingo__view_tick)};
