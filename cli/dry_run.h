/* dry_run.h - pingo decide --dry-run. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "args.h"

/* What a decision would delete of the store now.  Deletes nothing.  An exit status. */
int cli_dry_run(struct cli *cli, const struct cli_args *args);

#endif
