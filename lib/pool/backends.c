/* backends.c - the kinds of pools that there are.  A new one is a folder here and its line below. */
#include "pool/backend.h"

#define KINDS(_) _(posix) _(hdfs) _(hdfs_tls) /* directories; HDFS, without and with TLS */

#define DECLARED(kind) extern const struct pingo__pool_backend pingo__pool_##kind;
KINDS(DECLARED)

#define LISTED(kind) &pingo__pool_##kind,
const struct pingo__pool_backend *const pingo__pool_backends[] = {KINDS(LISTED) NULL};
