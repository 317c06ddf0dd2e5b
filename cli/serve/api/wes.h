/* wes.h - what the handlers of WES share. */
#ifndef SERVE_API_WES_H
#define SERVE_API_WES_H

#include "serve/api/ask.h"

#define SERVE_WES_TYPE "PINGO" /* of workflows, in its version 1 */

/* The member run_id. */
void serve_wes_id(struct pingo__writer *w, int64_t run);

#endif
