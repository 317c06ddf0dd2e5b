/* change.c - what became of what was asked of a store: kills, pauses, what is kept, released and removed, verdicts;
 * which version it was, and of a server that it is there. */
#include "view/columns.h"
#include "view/views.h"

#define ROW struct pingo__view_killed
static const struct pingo__view_column killed[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("killed", COUNT, killed, "how many actions' state changed"),
};
const struct pingo__view_table pingo__view_killed =
    VIEW_TEXT("kill", killed, ROW, "killed {killed} action{killed||s} of workflow {workflow}");
#undef ROW

#define ROW struct pingo__view_paused
static const struct pingo__view_column paused[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("state", NAME, state, "the state now", .names = pingo__view_workflow_state_name),
    COLUMN("changed", FLAG, changed, "it was not so before"),
};
const struct pingo__view_table pingo__view_paused = VIEW("workflow", paused, ROW);
#undef ROW

#define ROW struct pingo__view_priority
static const struct pingo__view_column priority[] = {
    COLUMN("workflow", COUNT, workflow, "its number"),
    COLUMN("state", NAME, state, "the state now", .names = pingo__view_workflow_state_name),
    COLUMN("priority", COUNT, priority, "greater first; above 0 before the shares of all users"),
    COLUMN("changed", FLAG, changed, "it was another before"),
};
const struct pingo__view_table pingo__view_priority =
    VIEW_TEXT("workflow", priority, ROW, "workflow {workflow} has priority {priority}");
#undef ROW

#define ROW struct pingo_released
static const struct pingo__view_column kept[] = {
    COLUMN("kept", COUNT, released, "how many datasets changed; 0 where they were pinned before"),
};
const struct pingo__view_table pingo__view_kept = VIEW_TEXT(
    "kept", kept, ROW,
    "[kept>0?kept {kept} dataset{kept||s}|nothing to keep: pinned already, or not in the pool]");
static const struct pingo__view_column released[] = {
    COLUMN("released", COUNT, released,
           "how many datasets changed; 0 where there was nothing to release"),
    COLUMN("wanted", COUNT, wanted, "how many stay, because other submissions want them"),
    COLUMN("wantedBy", COUNT, wanted_by, "one of these submissions", .null = PINGO__NULL_ZERO),
    SHOWN("others", FLAG, wanted_by_others),
    COLUMN("unmade", COUNT, unmade, "how many are not made yet, and will be no results"),
};
const struct pingo__view_table pingo__view_released =
    VIEW_TEXT("released", released, ROW,
              "[released>0?released {released} dataset{released||s}|[wanted>0?|[unmade>0?|nothing "
              "to release: no result in the pool, and not pinned]]]",
              "[unmade>0?{unmade} dataset{unmade||s} {unmade|is|are} not made yet, and will be no "
              "result{unmade||s}]",
              "[wanted>0?{wanted} of these {wanted|stays|stay}: {wanted|it is|they are} also "
              "{wanted|a result|results} of workflow {wantedBy}[others? and others]]");
#undef ROW

#define ROW struct pingo__view_removed
static const struct pingo__view_column removed[] = {
    COLUMN("hash", HASH, first, "the first that was deleted"),
    ARRAY("hashes", TEXTS, hashes, n, "all that were deleted"),
    COLUMN("passedOver", COUNT, passed, "how many a pattern or label met that were not there"),
};
const struct pingo__view_table pingo__view_removed = VIEW("removal", removed, ROW);
#undef ROW

#define ROW struct pingo__view_verdict
static const struct pingo__view_column verdict[] = {
    COLUMN("valid", FLAG, valid, "no rule is broken"),
    STREAM("problems", &pingo__view_problem, "in the order of the text"),
};
const struct pingo__view_table pingo__view_verdict = VIEW("verdict", verdict, ROW);
#undef ROW

#define ROW struct pingo__view_versions
static const struct pingo__view_column versions[] = {
    COLUMN("version", TEXT, program, "of the program"),
    COLUMN("library", TEXT, library, "of the library that it runs with"),
    SHOWN("differs", FLAG, differs),
};
const struct pingo__view_table pingo__view_versions =
    VIEW_TEXT("version", versions, ROW, "pingo {version}[differs?, with libpingo {library}]");
#undef ROW

#define ROW struct pingo__view_server
static const struct pingo__view_column server[] = {
    COLUMN("version", TEXT, version, "of the server"),
    COLUMN("api", TEXT, api, "of the API, as in its paths"),
};
const struct pingo__view_table pingo__view_server = VIEW("server", server, ROW);
#undef ROW

#define ROW struct pingo__view_health
static const struct pingo__view_column health[] = {
    COLUMN("status", TEXT, status, "ok, or ready"),
};
const struct pingo__view_table pingo__view_health = VIEW("health", health, ROW);
#undef ROW
