/* page.h - a page of HTML that draws itself from a document of JSON, and needs nothing else.
 *
 * It is the page of pingo serve in one file, report.html beside the helper programs, which serve/page/pack.pl makes.
 * It is read when it is needed, so that no other command carries it.  The document: {"view": where the page begins,
 * "answers": {path of the API: what a GET would answer}}. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "answer.h"

/* Could it be written?  For what takes long; leaves all as it is.  CLI_OK, or the exit status after a message. */
int cli_page_check(const char *path);
/* Answers go into it, as members of what is open. */
void cli_page_open(struct pingo__writer *page, const char *view);
/* rc: the exit status so far; other than CLI_OK: nothing is written.  It, or another one after a message. */
int cli_page_close(struct pingo__writer *page, const char *path, int rc);

#endif
