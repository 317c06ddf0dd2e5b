/* log.c - see log.h. */
#include "serve/work/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

void serve_log(const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    struct pingo__buffer b = {0};
    pingo__text_clean(&b, line, sizeof line);
    fprintf(stderr, "pingo: %.*s\n", (int)b.length, b.length > 0 ? b.data : "");
    pingo__buffer_clear(&b);
}

void serve_log_store(void *context, enum pingo_log_level level, const char *message)
{
    (void)context;
    if (level == PINGO_LOG_WARNING)
        serve_log("%s", message);
}
