/* log.h - what the server says on standard error: a line each, from any thread. */
#ifndef SERVE_LOG_H
#define SERVE_LOG_H

#include <pingo.h>

void serve_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Warnings of the library, as its stores' option `log`. */
void serve_log_store(void *context, enum pingo_log_level level, const char *message);

#endif
