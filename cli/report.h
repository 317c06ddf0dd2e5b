/* report.h - pingo report: the text that a person reads at a glance. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <pingo/pool.h>

#include "answer.h"

void cli_report_text(struct cli *cli, const struct pingo_report *report);

#endif
