/* follow.h - a history that is the beginning of another one, and grows along it.
 *
 * Actions, submissions and names have the same indexes in both; the flags, and what
 * is known of sizes and times, are its own. */
#ifndef PINGO__DECISION_FOLLOW_H
#define PINGO__DECISION_FOLLOW_H

#include <pingo/history.h>

/* Appends the submission of whole that comes next, with these (valid) flags, one for each mention.  h has nothing but
 * what came this way from the same whole, and borrows from it: whole outlives h and does not change.
 * Errors: PINGO_ENOTFOUND (whole has no more), PINGO_ENOMEM. */
int pingo__history_follow(struct pingo_history *h, const struct pingo_history *whole,
                          const uint8_t *flags, struct pingo_error *err);

#endif
