/* changes.h - has the store changed, whoever did it? */
#ifndef SERVE_CHANGES_H
#define SERVE_CHANGES_H

#include "serve/route/route.h"

/* A number that differs once something was changed, by any process; the one before where it is not known. */
int64_t serve_changes(struct serve_worker *worker, int64_t before);

#endif
