/* originals.h - what an attempt reads from outside the pool: is it still what was hashed?
 *
 * Originals and tools are compared when an attempt starts and again before it is published: by
 * stamp (stat), and where that differs or is too young, by content; a tool is looked for anew.
 * What changed meanwhile, and back, is seen by what touched.h keeps. */
#ifndef PINGO__MANAGER_ORIGINALS_H
#define PINGO__MANAGER_ORIGINALS_H

#include "manager/attempt/job.h"

/* 0: unchanged; 1: changed or gone, *message says which and since when (in the arena); else an error.
 * stamps: room for p->noriginals numbers, or NULL: each is another when what it stands for was touched.
 * p->description: on its PATH tools are looked for again; NULL: they are where they were. */
int pingo__originals_check(struct pingo__context *c, const struct pingo__prepared *p,
                           uint64_t *stamps, struct pingo__arena *arena, const char **message,
                           struct pingo_error *err);

#endif
