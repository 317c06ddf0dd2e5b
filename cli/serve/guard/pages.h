/* pages.h - for whom the page works: a code that is good once and for a minute is exchanged for a token that lives as
 * long as this process, at most half a day.  No cookie: those are sent to each port of this machine.  Any thread. */
#ifndef SERVE_PAGES_H
#define SERVE_PAGES_H

#include <stdbool.h>

#define SERVE_PAGE_TEXT 65 /* bytes of a code or a token with its NUL */

/* false: there is no randomness. */
bool serve_pages_code(char code[SERVE_PAGE_TEXT]);
/* false: it is none, was used, or has expired. */
bool serve_pages_take(const char *code, char token[SERVE_PAGE_TEXT]);
bool serve_pages_check(const char *token);

#endif
