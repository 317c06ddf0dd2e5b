/* text.c - decisions and reasons in words. */
#include <pingo/plan.h>

static const char *const decisions[] = {[PINGO_PLAN_SKIP] = "skip",
                                        [PINGO_PLAN_REUSE] = "reuse",
                                        [PINGO_PLAN_JOIN] = "join",
                                        [PINGO_PLAN_COMPUTE] = "compute"};

static const char *const reasons[] = {
    [PINGO_REASON_NOT_NEEDED] = "not needed",
    [PINGO_REASON_STORED] = "stored",
    [PINGO_REASON_RESCUED] = "stored, and saved from deletion",
    [PINGO_REASON_COMPUTING] = "being computed",
    [PINGO_REASON_SAME_HASH] = "same as another action of this workflow",
    [PINGO_REASON_NEVER_COMPUTED] = "never computed",
    [PINGO_REASON_DELETED] = "was deleted",
    [PINGO_REASON_FORCED] = "forced",
    [PINGO_REASON_DESCENDS_FORCED] = "descends from a forced action",
    [PINGO_REASON_UNMANAGED] = "unmanaged"};

const char *pingo_plan_decision_name(enum pingo_plan_decision decision)
{
    return (size_t)decision < sizeof decisions / sizeof *decisions ? decisions[decision] : "?";
}

const char *pingo_plan_reason_text(enum pingo_plan_reason reason)
{
    return (size_t)reason < sizeof reasons / sizeof *reasons ? reasons[reason] : "?";
}
