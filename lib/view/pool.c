/* pool.c - what the pool looks like against its budget: usage, decisions, evictions, the report. */
#include <pingo/history.h>

#include "base/text.h"
#include "base/units.h"
#include "view/columns.h"
#include "view/views.h"

VALUE(get_going, struct pingo_pool_usage, number, r->leaving_bytes - r->undeletable_bytes)
VALUE(get_replicas, struct pingo_pool_usage, number, r->replicated_bytes - r->content_bytes)

#define ROW struct pingo_pool_usage
static const struct pingo__view_column usage[] = {
    COLUMN("budgetBytes", BYTES, budget_bytes, "the budget; null: there is none", MISSING),
    COLUMN("highBytes", BYTES, high_bytes, "a decision is made when more is used; null likewise",
           MISSING),
    COLUMN("lowBytes", BYTES, low_bytes, "and frees down to this; null likewise", MISSING),
    COLUMN(
        "usedBytes", BYTES, used_bytes,
        "what counts against the budget: what is stored, leaves, what cannot be deleted, and the "
        "scratch directories of failed actions"),
    COLUMN("storedBytes", BYTES, stored_bytes, "in datasets that are STORED"),
    COLUMN("keptBytes", BYTES, kept_bytes, "of them: pinned"),
    COLUMN("claimedBytes", BYTES, claimed_bytes, "of them: claimed or read, and not pinned"),
    COLUMN("candidateBytes", BYTES, candidate_bytes, "of them: may go"),
    COLUMN("leafBytes", BYTES, leaf_bytes, "in leaves"),
    COLUMN("leavingBytes", BYTES, leaving_bytes, "on its way out, and not counted as used"),
    COLUMN("undeletableBytes", BYTES, undeletable_bytes,
           "of that: could not be removed, and will be tried again"),
    COLUMN("failedBytes", BYTES, failed_bytes, "in scratch directories of failed actions"),
    COLUMN("orphanBytes", BYTES, orphan_bytes, "no dataset's, and could not be removed"),
    COLUMN("fileSystemBytes", BYTES, file_system_bytes,
           "free to this user on the file system of the pool", MISSING),
    COLUMN("contentBytes", BYTES, content_bytes, "what is used, each byte counted once"),
    COLUMN("replicatedBytes", BYTES, replicated_bytes,
           "the same with all replicas that a pool in HDFS keeps"),
    SHOWN_BY("going", BYTES, get_going),
    SHOWN_BY("replicaBytes", BYTES, get_replicas),
};
/* A line where there is something to tell. */
#define PART(name, key, more)                                                                      \
    "[" key ">0?  " name "{" key ":9}[budgetBytes>0? ({" key "%budgetBytes} of the budget)]" more  \
    "]"
const struct pingo__view_table pingo__view_usage = VIEW_TEXT(
    "usage", usage, ROW,
    "  used          {usedBytes:9}[budgetBytes? of a budget of {budgetBytes}; above {highBytes} it "
    "frees down to {lowBytes}|, and no budget (pingo config pool.budget)]",
    PART("  may go      ", "candidateBytes", ""), PART("  claimed     ", "claimedBytes", ""),
    PART("  kept        ", "keptBytes", ""),
    PART("  leaves      ", "leafBytes", "  pingo release lets them go"),
    PART("  undeletable ", "undeletableBytes", "  will be tried again"),
    PART("  failed      ", "failedBytes", "  scratch directories of failed actions"),
    PART("  orphans     ", "orphanBytes", "  no dataset's; will be tried again"),
    PART("on its way out ", "going", ""),
    "[replicaBytes>0?  replicated    {replicatedBytes:9}  on disks, with all replicas; without "
    "{contentBytes}]",
    "  disk free     {fileSystemBytes:9}");
#undef ROW

#define ROW struct pingo_decided
static const struct pingo__view_column decided[] = {
    COLUMN("hash", HASH, hash, "the dataset", HEADED("DATASET", -12)),
    COLUMN("name", TEXT, name, "of the action that made it", HEADED("NAME", -16), .cut = 23),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size", HEADED("SIZE", 9)),
    COLUMN("computeMs", MS, compute_ms, "what it took to compute: the mean", MISSING),
    COLUMN("remakeMs", MS, remake_ms,
           "what it takes to make it again once it is gone, with its missing ancestors",
           HEADED("MAKE AGAIN", 12)),
    COLUMN("score", REAL, score, "the smallest goes first", HEADED("SCORE", 12)),
    COLUMN("reason", TEXT, reason, "what the score is made of", .heading = "WHY"),
};
const struct pingo__view_table pingo__view_decided = VIEW("victim", decided, ROW);
#undef ROW

#define ROW struct pingo__view_decision
static const struct pingo__view_column decision[] = {
    STREAM("victims", &pingo__view_decided, "what would go, in this order"),
    COLUMN("algorithm", TEXT, summary.algorithm, "who chose"),
    OBJECT("usage", usage, &pingo__view_usage, "what the pool holds"),
    COLUMN("freeBytes", BYTES, summary.free_bytes, "what was asked for"),
    COLUMN("freedBytes", BYTES, summary.freed_bytes, "what the victims hold"),
    COLUMN("shortfallBytes", BYTES, summary.shortfall_bytes, "what is missing, where no more may go"),
    COLUMN("remakeMs", MS, summary.remake_ms, "what it takes to make all victims again"),
    SHOWN("n", COUNT, summary.nvictims),
};
const struct pingo__view_table pingo__view_decision = VIEW_TAIL(
    "decision", decision, ROW,
    "[freeBytes>0?{n} dataset{n||s} would go, {freedBytes}, {remakeMs} to make again, chosen by "
    "{algorithm}|the pool holds {usage.usedBytes} [usage.budgetBytes?of its budget of "
    "{usage.budgetBytes}|and has no budget (pool.budget)]: nothing has to go; --free SIZE tells "
    "what would go to free SIZE]",
    "[freeBytes>0?[shortfallBytes>0?{shortfallBytes} more cannot be freed: leaves hold "
    "{usage.leafBytes} (pingo release), kept datasets {usage.keptBytes}, claimed ones "
    "{usage.claimedBytes}[usage.failedBytes>0?, failed attempts {usage.failedBytes} "
    "(for pool.failedDays days)][usage.undeletableBytes>0?, undeletable "
    "{usage.undeletableBytes} (pingo fsck)][usage.orphanBytes>0?, orphans "
    "{usage.orphanBytes} (pingo tick)]]]");
#undef ROW

static void put_end(const void *row, struct pingo__view_out *out)
{
    const struct pingo_eviction *e = row;
    char cost[PINGO__UNITS_SIZE];
    bool rescued = e->rescued_ms >= 0;
    pingo__text_clean(out->b, e->name, 31);
    if (rescued || e->regretted_ms >= 0) {
        pingo__buffer_text(out->b, rescued ? "  (rescued " : "  (made again ");
        pingo__view_time(out->b, rescued ? e->rescued_ms : e->regretted_ms, out->style);
        if (!rescued)
            pingo__buffer_format(out->b, ", %s", pingo__units_print_duration(cost, e->regret_ms));
        pingo__buffer_char(out->b, ')');
    }
    pingo__buffer_text(out->b, *e->reason != '\0' ? "\n    " : "");
    pingo__text_clean(out->b, e->reason, SIZE_MAX);
}

#define ROW struct pingo_eviction
static const struct pingo__view_column evictions[] = {
    COLUMN("at", TIME, evicted_ms, "when it was evicted", HEADED("EVICTED", -20)),
    COLUMN("hash", HASH, hash, "the dataset", HEADED("DATASET", -12)),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size", HEADED("SIZE", 9)),
    COLUMN("remakeMs", MS, remake_ms,
           "what it took then to make it again, with its missing ancestors", HEADED("REMAKE", 9)),
    COLUMN("algorithm", TEXT, algorithm, "who chose it", HEADED("ALGORITHM", -18), .cut = 19),
    COLUMN("score", REAL, score, "its score", HEADED("SCORE", 12)),
    COLUMN("name", TEXT, name, "of the action that made it", .heading = "NAME", .cell = put_end),
    COLUMN("reason", TEXT, reason, "what the score was made of"),
    COLUMN("rescued", TIME, rescued_ms, "when it was needed before its bytes went, and stayed",
           MISSING),
    COLUMN("remade", TIME, regretted_ms, "when it was made again", MISSING),
    COLUMN("regretMs", MS, regret_ms, "what that took", MISSING),
};
const struct pingo__view_table pingo__view_eviction = VIEW("eviction", evictions, ROW);
#undef ROW
PAGE_OF(pingo__view_eviction_page, &pingo__view_eviction);

#define ROW struct pingo__view_state
static const struct pingo__view_column states[] = {
    COLUMN("state", NAME, state, "a state", .names = pingo__view_dataset_state_name),
    COLUMN("datasets", COUNT, ndatasets, "how many datasets are in it"),
    COLUMN("bytes", BYTES, bytes, "and what they hold"),
};
const struct pingo__view_table pingo__view_state =
    VIEW_TEXT("state", states, ROW, "[datasets>0?  {state:-16}  {datasets:8}  {bytes:9}]");
#undef ROW

static void each_state(const void *row, void (*fn)(void *context, const void *element),
                       void *context)
{
    const struct pingo_report *r = row;
    for (enum pingo_dataset_state state = 1; state < r->nstates; state++)
        if (pingo_dataset_state_takes_space(state))
            fn(context, &(struct pingo__view_state){state, r->ndatasets[state], r->bytes[state]});
}

#define ROW struct pingo_report_step
static const struct pingo__view_column steps[] = {
    COLUMN("from", TIME, from_ms, "when it begins: a multiple of its length"),
    COLUMN("heldBytes", BYTES, held_bytes, "the most that managed datasets held at any time in it"),
    COLUMN("spentMs", MS, spent_ms, "compute time spent"),
    COLUMN("savedMs", MS, saved_ms, "compute time saved by reuse"),
    COLUMN("lostMs", MS, lost_ms, "compute time lost to evictions"),
    COLUMN("evictedBytes", BYTES, evicted_bytes, "what was evicted"),
};
static const struct pingo__view_table step_view = VIEW("step", steps, ROW);
#undef ROW

#define ROW struct pingo_report_algorithm
static const struct pingo__view_column algorithms[] = {
    COLUMN("algorithm", TEXT, name, "its name", HEADED("ALGORITHM", -20), .cut = 31),
    COLUMN("evictions", COUNT, nevictions, "its evictions in the period", HEADED("EVICTIONS", 9)),
    COLUMN("evictedBytes", BYTES, evicted_bytes, "and what they held", HEADED("BYTES", 9)),
    COLUMN("rescued", COUNT, nrescued, "of them: rescued, in the period or later",
           HEADED("RESCUED", 7)),
    COLUMN("regrets", COUNT, nregretted, "evictions that were regretted in the period",
           HEADED("MADE AGAIN", 10)),
    COLUMN("lostMs", MS, lost_ms, "and what that took", HEADED("LOST", 11)),
};
const struct pingo__view_table pingo__view_report_algorithm = VIEW("algorithm", algorithms, ROW);
#undef ROW

#define ROW struct pingo_report_dataset
static const struct pingo__view_column datasets[] = {
    COLUMN("hash", HASH, hash, "the dataset", HEADED("DATASET", -12)),
    COLUMN("valueMs", MS, value_ms, "what its reuse has saved, in the period or not",
           HEADED("VALUE", 11)),
    COLUMN("lostMs", MS, lost_ms, "regret booked in the period", HEADED("LOST", 9)),
    COLUMN("sizeBytes", BYTES, size_bytes, "its size", MISSING, HEADED("SIZE", 9)),
    COLUMN("computeMs", MS, compute_ms, "what it took to compute: the mean", MISSING,
           HEADED("COMPUTE", 9)),
    COLUMN("state", NAME, state, "its state; null where it was never computed", MISSING,
           .names = pingo__view_dataset_state_name, HEADED("STATE", -16)),
    COLUMN("name", TEXT, name, "of the action that made it, or will", .heading = "NAME", .cut = 39),
    COLUMN("regrets", COUNT, nregretted, "how often its eviction was regretted in the period"),
};
const struct pingo__view_table pingo__view_report_dataset = VIEW("dataset", datasets, ROW);
#undef ROW

VALUE(get_rate, struct pingo_report, real, pingo_history_reuse_rate(r->history))

#define ROW struct pingo_report
static const struct pingo__view_column report[] = {
    COLUMN("from", TIME, from_ms, "the period, which is no longer than from the first event ..."),
    COLUMN("until", TIME, until_ms,
           "... to now; from, where nothing of what was asked for is in that"),
    MEMBERS_AT(history, &pingo__view_history_counts),
    GETTER("hitRate", SHARE, get_rate, "the same as reuseRate", MISSING),
    COLUMN("lostMs", MS, lost_ms, "regret booked in the period"),
    COLUMN("evictions", COUNT, nevictions, "in the period"),
    COLUMN("evictedBytes", BYTES, evicted_bytes, "what these held"),
    OBJECT_AT("pool", usage, &pingo__view_usage, "the pool now"),
    EACH("states", &pingo__view_state, each_state, "managed datasets now, by state"),
    COLUMN("stepMs", MS, step_ms, "how long each step is"),
    LIST("steps", steps, nsteps, &step_view, "the period, in at most 200 pieces without a gap"),
    LIST("algorithms", algorithms, nalgorithms, &pingo__view_report_algorithm,
         "what each let go in the period"),
    LIST("valuable", valuable, nvaluable, &pingo__view_report_dataset, "the greatest value first"),
    LIST("regretted", regretted, nregretted, &pingo__view_report_dataset, "the greatest loss first"),
    SHOWN("nsteps", COUNT, nsteps),
};
const struct pingo__view_table pingo__view_report = VIEW_TEXT(
    "report", report, ROW,
    "period          [nsteps>0?{from} to {until}|none: nothing has happened then]",
    "submissions     {submissions}",
    "actions         {mentions}: {computed} computed, {joined} joined, {reused} reused, {skipped} "
    "skipped",
    "hit rate        {hitRate}",
    "compute time    {spentMs} spent, {savedMs} saved by reuse, {lostMs} lost to evictions",
    "evictions       {evictions}, {evictedBytes}");
#undef ROW
