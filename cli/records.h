/* records.h - what is known of each action of a submission when all is over, for other programs: pingo trace. */
#ifndef CLI_RECORDS_H
#define CLI_RECORDS_H

#include "base/arena.h"
#include "base/map.h"
#include "session.h"

struct cli_record {
    int64_t id;
    const char *name; /* of the records */
    struct pingo_hash hash;
    enum pingo_action_state state; /* 0: there is no row */
    bool is_cached;                /* nothing of it ran here, and its dataset is there, or was */
    int64_t wall_ms, cpu_ms,
        max_rss_bytes; /* of what gave it its dataset, as far as it was read; -1: unknown */
    int64_t started_ms, ended_ms; /* -1: it did not run here */
    int64_t size_bytes;           /* of its dataset; -1: unknown */
    const char *node;             /* of the records; NULL: unknown */
};
struct cli_records {
    struct cli *cli;
    int64_t workflow, submitted_ms;
    char *name;
    struct cli_record *list; /* in the order of the definition */
    size_t n;
    struct pingo__arena arena;
    struct pingo__map names; /* of nodes, and whatever else repeats */
    const char **words;
    size_t nwords;
};

/* Reads them, with_datasets: what the datasets of all say, not those of what is cached alone.  CLI_OK, or the exit
 * status after a message.  Clear them in each case. */
int cli_records_read(struct cli_records *records, bool with_datasets);
void cli_records_clear(struct cli_records *records);
/* The same text for equal texts, as long as the records live; NULL stays NULL. */
const char *cli_records_word(struct cli_records *records, const char *text);

/* As trace events (chrome://tracing, Perfetto), and as a WfFormat document (WfCommons), on standard output.  CLI_OK, or
 * the exit status after a message. */
int cli_timeline_write(struct cli_records *records);
int cli_wfformat_write(struct cli_records *records);

#endif
