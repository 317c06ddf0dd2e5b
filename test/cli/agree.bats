#!/usr/bin/env bats
# What a store did under a budget, and what the simulator makes of its history.  How close they are is
# a benchmark's (test/bench/agree.py); where they must be equal is a unit test's (test_agreement.c).
load helper

@test "agree: a store that ran under a budget is simulated, by itself and from its export" {
    store
    pingo config executor.slots 1
    pingo config pool.budget 400000
    pingo generate --family iter-n --set workflows=6 --set stages-min=4 --set stages-max=6 --workflows runs \
        --time-scale 0.0001 --size-scale 0.0002
    for file in runs/*.json; do pingo run -q "$file" 2>/dev/null; done
    pingo history --export >own.jsonl
    [ "$(wc -l <own.jsonl)" -eq 6 ]
    pingo simulate --store --json --algorithm chain -b 400000 --trace store.trace >store.json
    pingo simulate own.jsonl --json --algorithm chain -b 400000 --trace own.trace >own.json
    cmp <(jq 'map(del(.history))' store.json) <(jq 'map(del(.history))' own.json)
    cmp <(tail -n +2 store.trace) <(tail -n +2 own.trace)
    # Sizes are as measured, so at the end of it all as much is there, or nearly: what went last differs.
    evictions=$(pingo report --json | jq '[.algorithms[].evictions] | add')
    [ "$evictions" -gt 5 ]
    jq -e --argjson real "$evictions" '.[0] | (.evictions - $real | fabs) <= $real / 3' store.json
    jq -e --argjson real "$(pingo history --json | jq '[.[].computed] | add')" \
        '.[0] | (.computed - $real | fabs) <= $real / 4' store.json
    # Without a limit each action ran once.
    pingo simulate --store --json --algorithm chain -b 1T >ideal.json
    jq -e --slurpfile own own.jsonl \
        '.[0] | .rho == 1 and .computed == ([$own[].actions[].hash] | unique | length)' ideal.json
}
