/* numbers.h - the states' numbers as text of SQL.  Made by numbers.pl of states.c: change that. */
#ifndef PINGO__RULES_NUMBERS_H
#define PINGO__RULES_NUMBERS_H
/* clang-format off */

/* ---- actions ---- */

#define PINGO__ACTION_STATES 10 /* numbers below this; 0: none */
#define ACTION_WAITING "1"
#define ACTION_READY "2"
#define ACTION_PROCESSING "3"
#define ACTION_SUBMITTED "4"
#define ACTION_RUNNING "5"
#define ACTION_FINISHED "6"
#define ACTION_FAILED "7"
#define ACTION_KILLED "8"
#define ACTION_CANCELLED "9"
#define ACTION_IS_CLAIMED(column) column " BETWEEN 3 AND 5"
#define ACTION_IS_FINAL(column) column " BETWEEN 6 AND 9"
#define ACTION_IS_HANDED(column) column " BETWEEN 4 AND 5"
#define ACTION_IS_IDLE(column) column " < 3"
#define ACTION_IS_UNFINISHED(column) column " < 6"
/* f(name, number) of each, with commas between, as they are to be written. */
#define ACTION_EACH(f, comma) \
    f(waiting, 1) comma f(ready, 2) comma f(processing, 3) comma f(submitted, 4) comma f(running, 5) comma \
    f(finished, 6) comma f(failed, 7) comma f(killed, 8) comma f(cancelled, 9)

/* ---- datasets ---- */

#define PINGO__DATASET_STATES 10 /* numbers below this; 0: none */
#define DATASET_TO_DELETE "1"
#define DATASET_TO_STORE "2"
#define DATASET_TO_LEAF "3"
#define DATASET_STORED "4"
#define DATASET_LEAF "5"
#define DATASET_STORED_TO_DELETE "6"
#define DATASET_PROCESSING "7"
#define DATASET_DELETING "8"
#define DATASET_DELETED "9"
#define DATASET_IS_KEPT(column) column " BETWEEN 4 AND 5"
#define DATASET_IS_LEAVING(column) column " BETWEEN 6 AND 8"
#define DATASET_IS_PENDING(column) column " < 4"
#define DATASET_IS_REMOVING(column) column " BETWEEN 7 AND 8"
#define DATASET_IS_SPACE(column) column " BETWEEN 4 AND 8"
#define DATASET_IS_THERE(column) column " BETWEEN 4 AND 6"
#define DATASET_IS_WHOLE(column) column " BETWEEN 4 AND 7"
/* f(name, number) of each that takes space, with commas between, as they are to be written. */
#define DATASET_EACH(f, comma) \
    f(stored, 4) comma f(leaf, 5) comma f(stored_to_delete, 6) comma f(processing, 7) comma f(deleting, 8)

/* ---- workflows ---- */

#define PINGO__WORKFLOW_STATES 6 /* numbers below this; 0: none */
#define WORKFLOW_RUNNING "1"
#define WORKFLOW_FINISHED "2"
#define WORKFLOW_FAILED "3"
#define WORKFLOW_KILLED "4"
#define WORKFLOW_PAUSED "5"
#define WORKFLOW_IS_FINAL(column) column " BETWEEN 2 AND 4"
#define WORKFLOW_IS_UNFINISHED(column) "(" column " = 1" " OR " column " = 5" ")"

/* ---- attempts ---- */

#define PINGO__ATTEMPT_STATES 4 /* numbers below this; 0: none */
#define ATTEMPT_HANDED "1"
#define ATTEMPT_STARTED "2"
#define ATTEMPT_ENDED "3"
#define ATTEMPT_IS_OPEN(column) column " < 3"

#endif
