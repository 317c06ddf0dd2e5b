/* text.c - decisions and reasons in words. */
#include <pingo/plan.h>

const char *pingo_plan_decision_name(enum pingo_plan_decision decision)
{
    switch (decision) {
    case PINGO_PLAN_SKIP:
        return "skip";
    case PINGO_PLAN_REUSE:
        return "reuse";
    case PINGO_PLAN_JOIN:
        return "join";
    case PINGO_PLAN_COMPUTE:
        return "compute";
    }
    return "?";
}

const char *pingo_plan_reason_text(enum pingo_plan_reason reason)
{
    switch (reason) {
    case PINGO_REASON_NOT_NEEDED:
        return "not needed";
    case PINGO_REASON_STORED:
        return "stored";
    case PINGO_REASON_RESCUED:
        return "stored, and saved from deletion";
    case PINGO_REASON_COMPUTING:
        return "being computed";
    case PINGO_REASON_SAME_HASH:
        return "same as another action of this workflow";
    case PINGO_REASON_NEVER_COMPUTED:
        return "never computed";
    case PINGO_REASON_DELETED:
        return "was deleted";
    case PINGO_REASON_FORCED:
        return "forced";
    case PINGO_REASON_DESCENDS_FORCED:
        return "descends from a forced action";
    case PINGO_REASON_UNMANAGED:
        return "unmanaged";
    }
    return "?";
}
