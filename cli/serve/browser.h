/* browser.h - pingo serve --open: the page, in the browser of whoever sits at the terminal. */
#ifndef SERVE_BROWSER_H
#define SERVE_BROWSER_H

/* Prints an address of the page that is good once and for a minute, and opens it where there is a terminal and a
 * desktop with xdg-open.  url: of the server; directory: of the store. */
void serve_browser_open(const char *url, const char *directory);
/* Removes what that left in the directory. */
void serve_browser_close(const char *directory);

#endif
