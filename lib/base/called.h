/* called.h - what a result is called where it is put: one part of a path, for the library and for who fetches results
 * from a server. */
#ifndef PINGO__BASE_CALLED_H
#define PINGO__BASE_CALLED_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* All suffixes of the output's name, from its first dot on, but for dots that it begins with; "": none. */
const char *pingo__called_suffixes(const char *output);
/* How long the name is without what it has of the suffixes: "words.txt" with an output "x.txt" is words.txt, not
 * words.txt.txt. */
size_t pingo__called_stem(const char *name, const char *suffixes);
/* What has a meaning for the file system or for a terminal becomes '_'.  A byte that is no text stays.  part: where in
 * b the part of the path begins. */
void pingo__called_put(struct pingo__buffer *b, size_t part, const char *text, size_t length);
/* It is whole now: not empty, and not longer than a file system takes; then the action's id is at its end. */
void pingo__called_end(struct pingo__buffer *b, size_t part, int64_t id);

/* Tells names apart that repeat: with_id() makes names[i] anew, with its id, which is no other's; again where that is
 * the name of another.  NULL: none may repeat.  0, what with_id() returns, PINGO_ENOMEM, or PINGO_EAMBIGUOUS: clash are
 * two of one name. */
int pingo__called_apart(char **names, size_t n, int (*with_id)(void *context, size_t i),
                        void *context, size_t clash[2]);

#endif
