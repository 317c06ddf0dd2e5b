/* context.c - see context.h. */
#include "executor/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *pingo__executor_context_copy(struct pingo__executor_reading *r, const char *text)
{
    char *own = text && *text ? strdup(text) : NULL;
    r->failed = r->failed || (text && *text && !own);
    return own;
}

char *pingo__executor_context_read(struct pingo__executor_reading *r, const char *key)
{
    return pingo__executor_context_copy(r, pingo_executor_context_text(r->context, key));
}

void pingo__executor_say(const struct pingo__executor_log *log, const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (log->take)
        log->take(log->context, message);
}

void pingo__executor_tell(const struct pingo_check_options *options, enum pingo_check_result result,
                          const char *what, const char *format, ...)
{
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    options->found(options->context, result, what, message);
}
