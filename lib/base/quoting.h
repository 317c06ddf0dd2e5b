/* quoting.h - words for a shell, fields of CSV. */
#ifndef PINGO__BASE_QUOTING_H
#define PINGO__BASE_QUOTING_H

#include "base/buffer.h"

/* One word of a POSIX shell, in single quotes where it needs them. */
void pingo__quoting_shell(struct pingo__buffer *b, const char *word);
/* The same for people's eyes: what a terminal obeys and bytes that are not UTF-8 are escaped (\n, \x1b). */
void pingo__quoting_shell_shown(struct pingo__buffer *b, const char *word);
/* Text as it is, but for those, which are escaped. */
void pingo__quoting_shown(struct pingo__buffer *b, const char *text);
/* A field of RFC 4180. */
void pingo__quoting_csv(struct pingo__buffer *b, const char *field);

#endif
