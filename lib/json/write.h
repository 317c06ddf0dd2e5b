/* write.h - writing JSON text. */
#ifndef PINGO__JSON_WRITE_H
#define PINGO__JSON_WRITE_H

#include "base/buffer.h"

/* A string with its quotes; text is valid UTF-8. */
void pingo__json_write_text(struct pingo__buffer *b, const char *text);

#endif
