/* report.h - the ways in which pingo report shows a report. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <pingo.h>

#include "command.h"

void cli_report_text(const struct cli *cli, const struct pingo_report *report);
void cli_report_json(FILE *out, const struct pingo_report *report);

/* "70.6 %", or "-" below 0; room for PINGO__UNITS_SIZE. */
void cli_report_percent(char out[PINGO__UNITS_SIZE], double share);
/* The name of a dataset's state; "-" where it was never computed. */
const char *cli_report_state(int state);
/* The most that was held in the period. */
int64_t cli_report_peak(const struct pingo_report *report);

#endif
