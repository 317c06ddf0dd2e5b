/* report_page.h - the documents of a report's page: what GET of the API would have answered, by its path. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "answer.h"

/* One run.  CLI_OK, or the exit status after a message. */
int cli_report_run(struct cli *cli, const char *workflow, const char *path);
/* A period, with its evictions. */
int cli_report_period(struct cli *cli, const struct pingo_report *report, const char *path);

#endif
