/* archive.c - what month files look like. */
#include "view/columns.h"
#include "view/views.h"

#define ROW struct pingo_archive_file
static const struct pingo__view_column files[] = {
    COLUMN("file", TEXT, name, "its name, in the directory archive of the store",
           HEADED("FILE", -20), .cut = 27),
    COLUMN("sealed", FLAG, sealed, "it never changes again", HEADED("SEALED", 6)),
    COLUMN("workflows", COUNT, workflows, "workflows whose attempts are in it",
           HEADED("WORKFLOWS", 9)),
    COLUMN("attempts", COUNT, attempts, "theirs", HEADED("ATTEMPTS", 10)),
    COLUMN("bytes", BYTES, bytes, "of the file; null: it is gone", MISSING, HEADED("BYTES", 9)),
    COLUMN("firstEnd", TIME, first_ms, "when the first of these workflows ended; null: there is none",
           MISSING, HEADED("FIRST END", 20)),
    COLUMN("lastEnd", TIME, last_ms, "and the last one", MISSING, HEADED("LAST END", 20)),
};
const struct pingo__view_table pingo__view_archive_file = VIEW("file of the archive", files, ROW);
#undef ROW
