#!/bin/sh
# demo.sh - Pingo at work, step by step, on text that every Debian machine has.
#
# Use: examples/demo/demo.sh [PINGO [DIRECTORY]]
# PINGO is the program ($PINGO, else build/pingo), DIRECTORY where to work (demo beside
# the program; it is emptied first).  What the demo says of itself it checks: it ends with 1 as soon
# as one of its claims is not true.  Nothing is left running.
name=demo
# shellcheck source=examples/demo/steps.sh
. "$(dirname "$0")/steps.sh"

# How many actions of the last workflow were computed, by pingo's own account.
computed() {
    pingo status last --json | jq '[.actions[] | select(.decision == "compute")
        | if .state == "FINISHED" and .attempts == 1 then 1 else error("\(.name): \(.state)") end]
        | length'
}

# How many actions of a definition are that of this name or descend from it.
descendants() { # FILE NAME
    jq --arg name "$2" '
        .actions as $all
        | {done: [], todo: [$all[] | select(.name == $name) | .id]}
        | until(.todo == []; .done as $done | .todo as $todo
            | {done: ($done + $todo | unique),
               todo: ([$all[] | select(any(.parentActions[]?.id; IN($todo[]))) | .id]
                      - $done - $todo)})
        | .done | length' "$1"
}

say "Which words are typical of which free software licence? Each licence of this" \
    "machine is split into words, the words are counted, the counts of a family (GPL-1," \
    "GPL-2, GPL-3) are merged, each family is compared with all, and the result is one" \
    "table. A workflow says so in JSON; this one is written by a short jq program."
# Real files only: GPL is a link to GPL-3.
show "find $texts -maxdepth 1 -type f | LC_ALL=C sort > texts"
show "jq -n -f licences.jq --arg trim '' --args \$(cat texts) > licences.json"
actions=$(jq '.actions | length' licences.json)
show "jq -c '.actions[0], .actions[-1]' licences.json"
say "These are the first and the last of its $actions actions. Each runs in a fresh" \
    "directory where in/NAME are its inputs and its parents' outputs."

say "1. The first time, everything is computed, as many actions at once as there are" \
    "processors."
show "pingo init"
show "pingo run licences.json"
expect "actions computed in the first run" "$(computed)" "$actions"
show "pingo export last results"
show "cat 'results/typical words.txt'"

say "2. The same again. Pingo knows each action by a hash of its description, of its" \
    "inputs' content and of its parents' hashes, and has all of them: nothing runs."
show "pingo run licences.json"
expect "actions computed in the second run" "$(computed)" 0

say "3. One step changes: of GPL-3 we read the terms only, and not the advice at its end" \
    "how to apply them. What would that cost?"
show "jq -n -f licences.jq --arg trim GPL-3 --args \$(cat texts) > terms.json"
show "diff licences.json terms.json || true"
show "pingo plan terms.json"
changed=$(descendants terms.json "split GPL-3")
expect "actions to compute, by the plan" "$(pingo plan terms.json --json | jq .summary.compute)" "$changed"
say "Only what descends from that step is done: $changed of $actions actions."
show "pingo run terms.json"
expect "actions computed in the third run" "$(computed)" "$changed"
show "pingo export last terms-only"
show "diff 'results/typical words.txt' 'terms-only/typical words.txt' || true"
cmp -s 'results/typical words.txt' 'terms-only/typical words.txt' && fail "the table did not change"

say "4. Why was something computed? Pingo finds the nearest action that it knew before," \
    "and the field that differs."
show "pingo why last 'split GPL-3'"
pingo why last 'split GPL-3' --json | jq -e 'any(.. | .field? // empty; . == "command")' > /dev/null ||
    fail "why does not name the command"
show "pingo why last 'merge GPL'"

say "5. Back to the first definition: both tables are there, and nothing runs."
show "pingo run licences.json"
expect "actions computed in the fourth run" "$(computed)" 0

say "6. Where does a dataset come from? Everything that went into one of the merged counts:"
show "pingo provenance last 'merge MPL'"
if command -v dot > /dev/null; then
    show "pingo provenance last 'typical words' --dot | dot -Tsvg > provenance.svg"
    say "The whole graph is drawn in $dir/provenance.svg."
fi

say "7. Storage is bounded. Say how much the pool may hold, and Pingo deletes what costs" \
    "least to make again for the room that it takes, results never. What would go?"
show "pingo config pool.budget 100K"
show "pingo decide --dry-run | head -n 4"
show "pingo decide --dry-run | tail -n 1"
show "pingo tick"
evicted=$(pingo report --json | jq .evictions)
[ "$evicted" -gt 0 ] || fail "nothing was evicted"
expect "the pool is within its budget" "$(pingo report --json | jq '.pool | .usedBytes <= .budgetBytes')" true
say "Now a step changes that reads what was evicted. Pingo makes that again, and nothing else."
show "echo '# The counts are sorted afterwards.' >>merge.awk"
show "pingo plan licences.json | grep -e evicted -e 'to compute'"
show "pingo run -q licences.json"
show "pingo export last results"
expect "actions left to compute" "$(pingo plan licences.json --json | jq .summary.compute)" 0
say "What reuse has saved, and what the evictions have cost, is in the ledger."
show "pingo report --limit 3"
[ "$(pingo report --json | jq .lostMs)" -gt 0 ] || fail "no eviction is booked as regretted"

say "8. The store checks itself, down to every byte."
show "pingo fsck --deep"

# The supervisor that ran the commands goes away by itself when there is nothing to do.
supervisors() {
    for process in /proc/[0-9]*; do
        tr '\0' ' ' 2> /dev/null < "$process/cmdline" | grep -F "pingo-supervisor $dir/.pingo" || :
    done | wc -l
}
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    [ "$(supervisors)" -gt 0 ] || break
    sleep 1
done
expect "supervisors left running" "$(supervisors)" 0

say "That was it. Everything is in $dir: change licences.jq or an .awk file there," \
    "write licences.json again, and see what pingo run does." \
    "To look at it in a browser: pingo -C '$dir' serve --open"
