/* drivers.c - see drivers.h. */
#include "drivers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "session.h"
#include "status.h"

#define TAKE_OVER_MS                                                                               \
    8000                 /* what a stopped process has in hand can be taken from it after so long */
#define ORPHANS_MS 30000 /* what does not end in so long is ended by a tick */

static int copy_status(void *context, const struct pingo_workflow_status *status)
{
    struct pingo_workflow_status *copy = context;
    *copy = *status;
    copy->name = copy->user = NULL;
    return 0;
}

int cli_workflow_status(struct cli *cli, int64_t workflow, struct pingo_workflow_status *status,
                        struct pingo_error *err)
{
    memset(status, 0, sizeof *status);
    return pingo_store_workflow(cli->store, workflow, copy_status, status, err);
}

static int add_driver(void *context, const struct pingo_driver *driver)
{
    struct cli_drivers *d = context;
    if (driver->pid == getpid())
        return 0;
    d->list = cli_grow(d->list, (d->n + 1) * sizeof *d->list);
    d->list[d->n++] = *driver;
    d->driven = d->driven || !driver->stopped;
    return 0;
}

int cli_drivers_find(struct cli *cli, int64_t workflow, struct cli_drivers *drivers,
                     struct pingo_error *err)
{
    memset(drivers, 0, sizeof *drivers);
    return pingo_store_drivers(cli->store, workflow, add_driver, drivers, err);
}

void cli_drivers_clear(struct cli_drivers *drivers)
{
    free(drivers->list);
    memset(drivers, 0, sizeof *drivers);
}

static char *stopped_text(const struct cli_drivers *drivers)
{
    const struct pingo_driver *d = NULL;
    for (size_t i = 0; i < drivers->n; i++)
        if (drivers->list[i].stopped && (!d || drivers->list[i].handed > d->handed))
            d = &drivers->list[i];
    if (!d)
        return NULL;
    char has[64] = "";
    if (d->handed > 0)
        snprintf(has, sizeof has, ", which has %zu of its actions in hand,", d->handed);
    return cli_format("process %" PRId64 "%s is stopped; let it go on: kill -CONT %" PRId64
                      " (or fg in its terminal)",
                      d->pid, has, d->pid);
}

char *cli_drivers_text(const struct cli *cli, const struct cli_drivers *drivers,
                       const struct pingo_workflow_status *status)
{
    bool paused = status->state == PINGO_WORKFLOW_PAUSED;
    char *text = stopped_text(drivers);
    if (text)
        return text;
    for (size_t i = 0; i < drivers->n; i++)
        if (drivers->list[i].claims && !paused)
            return cli_format("process %" PRId64 " drives it", drivers->list[i].pid);
    if (drivers->n > 0)
        return cli_format(
            "%sprocess %" PRId64 " waits for what runs; then go on with: %s run %" PRId64,
            paused ? "paused; " : "", drivers->list[0].pid, cli_program(cli), status->workflow);
    return cli_format("%s; go on with: %s run %" PRId64, paused ? "paused" : "no process runs it",
                      cli_program(cli), status->workflow);
}

void cli_orphans_look(struct cli *cli, int64_t workflow, struct cli_orphans *orphans)
{
    struct pingo_workflow_status s;
    struct cli_drivers drivers = {0};
    if (cli_workflow_status(cli, workflow, &s, NULL) != 0 || s.running == 0)
        return;
    if (cli_drivers_find(cli, workflow, &drivers, NULL) == 0 && !drivers.driven) {
        orphans->any = true;
        orphans->stopped = orphans->stopped || drivers.n > 0;
    }
    cli_drivers_clear(&drivers);
}

int cli_orphans_end(struct cli *cli, const struct cli_orphans *orphans)
{
    struct pingo_scheduler *scheduler = NULL;
    struct pingo_tick_result tick = {.size = sizeof tick};
    struct pingo_error err = {0};
    if (!orphans->any)
        return CLI_OK;
    int64_t start = cli_monotonic_ms(), least = orphans->stopped ? TAKE_OVER_MS : 0, elapsed = 0;
    int rc = cli_open_scheduler(cli, 0, &scheduler);
    if (rc == CLI_OK && pingo_scheduler_pause(scheduler, &err) != 0)
        rc = cli_error(cli, &err);
    while (rc == CLI_OK && elapsed < ORPHANS_MS) {
        struct pollfd fd = {.fd = pingo_scheduler_poll_fd(scheduler), .events = POLLIN};
        if (pingo_scheduler_tick(scheduler, &tick, &err) != 0)
            rc = cli_error(cli, &err);
        elapsed = cli_monotonic_ms() - start;
        if (elapsed >= least && tick.ending == 0)
            break;
        poll(&fd, 1, (int)pingo_scheduler_timeout_ms(scheduler));
    }
    pingo_scheduler_close(scheduler);
    return rc;
}
