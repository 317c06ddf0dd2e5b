/* page.h - the files of the page, as the program carries them: packed by gzip, made by pack.pl. */
#ifndef SERVE_PAGE_PAGE_H
#define SERVE_PAGE_PAGE_H

struct serve_page {
    const char *name; /* "app.js", "views/pool.js"; the first is index.html; NULL: the end */
    const char *type;
    const char *data, *end;
};
/* Without any where the libraries of npm could not be had when it was built. */
extern const struct serve_page serve_pages[];
/* Of all their bytes. */
extern const char serve_page_version[];

#endif
