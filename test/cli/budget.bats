#!/usr/bin/env bats
# The pool against its budget, as people see it: settings, what would go, what goes, why, and what
# it costs when it is needed again.
load helper

# wK.json: root (400 kB) -> midK (300 kB) -> leafK.  root is the same in all.
workflow() {
    jq -n --arg k "$1" '{name: ("w" + $k), actions: [
        {id: 1, name: "root", type: "command-line",
         command: "sleep 0.2; head -c 400000 /dev/zero > output; echo root >> output"},
        {id: 2, name: ("mid" + $k), type: "command-line", parentActions: [{id: 1, as: "p1"}],
         command: ("head -c 300000 in/p1 > output; echo " + $k + " >> output")},
        {id: 3, name: ("leaf" + $k), type: "command-line", parentActions: [{id: 2, as: "p2"}],
         command: "cksum < in/p2 > output"}]}' >"w$1.json"
}

three() {
    store
    for k in 1 2 3; do
        workflow $k
        pingo run -q w$k.json
    done
}

# The rows that a query gives, one value each.
ledger() {
    python3 -c 'import sqlite3, sys
for row in sqlite3.connect(".pingo/pingo.db").execute(sys.argv[1]): print(row[0])' "$1"
}

@test "budget: settings are checked, and refused with the reason" {
    store
    for good in 10G 500M 0 none; do
        pingo config pool.budget $good
        [ "$(pingo config pool.budget)" = $good ]
    done
    for bad in -1 10X 1.5 much ''; do
        go config pool.budget -- "$bad"
        ends_with 2
        says "is not none or a size in bytes"
    done
    pingo config pool.lowWatermark 80%
    pingo config pool.highWatermark 0.9
    go config pool.lowWatermark 95%
    ends_with 2
    says "pool.lowWatermark would be 0.95 and pool.highWatermark 0.9"
    go config pool.highWatermark 79.9%
    ends_with 2
    says "pool.highWatermark 0.799"
    go config --unset pool.lowWatermark
    ends_with 2
    says "pool.lowWatermark would be 0.95"
    [ "$(pingo config pool.lowWatermark)" = 80% ]
    for bad in 1.1 101% 0.12345678 .5 5 x '' 5%%; do
        go config pool.highWatermark "$bad"
        ends_with 2
        says "is not a share such as 0.95 or 95%"
    done
    go config decision.algorithm chian
    ends_with 2
    says 'did you mean "chain"'
    go config decision.algorithm gdsf:cost=none
    ends_with 2
    go config decision.algorithm ./mine.so
    ends_with 2
    says "absolute path"
    pingo config decision.algorithm gdsf:cost=local
    pingo config pool.leafDays 30
    pingo config pool.leafDays never
    go config pool.leafDays soon
    ends_with 2
    says "is not never or a whole number"
}

@test "budget: what --dry-run says is what goes; the plan and the ledger tell who let it go" {
    three
    go decide --dry-run
    ends_with 0
    prints "has no budget"
    pingo config pool.budget 900K
    go decide --dry-run
    ends_with 0
    prints "chosen by chain"
    prints "once in"
    go decide --dry-run --json
    json '.algorithm == "chain" and .usage.budgetBytes == 921600 and .usage.lowBytes == 875520'
    json '.freeBytes == .usage.usedBytes - .usage.lowBytes and .freedBytes >= .freeBytes and .shortfallBytes == 0'
    json '(.victims | length) > 0 and ([.victims[].sizeBytes] | add) == .freedBytes'
    json '[.victims[] | .remakeMs >= .computeMs] | all'
    told=$(jq -r '.victims[].hash' <<<"$output")
    [ "$(ledger 'SELECT count(*) FROM eviction')" = 0 ] # it deleted nothing
    go tick --json
    ends_with 0
    json '.evicted > 0 and .deleted == .evicted and .shortfallBytes == 0'
    [ "$(ledger 'SELECT lower(hex(hash)) FROM eviction ORDER BY id')" = "$told" ]
    go decide --dry-run
    prints "of its budget of 900 KiB: nothing has to go"
    gone=$(ledger "SELECT DISTINCT name FROM node WHERE hash IN (SELECT hash FROM eviction) ORDER BY name" | head -n 1)
    # A new reader of what went: it is made again, and that is booked.
    case $gone in
    root) k=9 ;;
    *) k=${gone#mid} ;;
    esac
    workflow "$k"
    jq '.actions[2] += {name: "other", command: "md5sum < in/p2 > output"}' "w$k.json" >again.json
    go plan again.json
    ends_with 0
    [[ $output =~ $gone.*"evicted "20[0-9-]+" by chain" ]]
    pingo config --unset pool.budget
    go run again.json
    ends_with 0
    [ "$(ledger "SELECT count(*) FROM eviction WHERE regretted_ms IS NOT NULL AND regret_ms >= 0 AND hash IN (SELECT hash FROM node WHERE name = '$gone')")" = 1 ]
    go why last "$gone"
    prints "evicted 20"
    prints "by chain"
    go history --json
    json '.[0].evictedBytes > 0'
    go history --since 1h --by day --json
    json '([.[].evictedBytes] | add) > 0'
    go history --until 1h --json
    json '.[0].evictedBytes == 0'
    pingo fsck --deep
}

@test "budget: --free and --algorithm ask what would go" {
    three
    go decide --dry-run --free 1 --algorithm largest-first
    ends_with 0
    prints "root"
    prints "1 dataset would go, 391 KiB"
    go decide --dry-run --free 10M --algorithm lru --json
    ends_with 0
    json '.algorithm == "lru" and (.victims | length) == 4 and .shortfallBytes == 10485760 - .freedBytes'
    # root goes first or last: what is gone before counts
    json '([.victims[].computeMs] | add) == .remakeMs'
    go decide --dry-run --free 10M
    prints "more cannot be freed: leaves hold"
    go decide --dry-run --free 0
    prints "nothing has to go; --free SIZE tells what would go to free SIZE"
    go decide --dry-run --free much
    ends_with 2
    says "--free takes a size"
    go decide --dry-run --algorithm nothing
    ends_with 2
    go decide --free 10
    ends_with 2
    says "give --dry-run"
    go decide --list --free 10
    ends_with 2
    says "--free goes with --dry-run"
    go decide --dry-run --scenario s.json
    ends_with 2
    says "exclude each other"
    [ "$(ledger 'SELECT count(*) FROM eviction')" = 0 ]
}

# The workflow comes again and again.  sum stays, so nobody needs what it read; out is made each time, and needs read.
# As long to make and larger, read would be the first to go if that were not known.
@test "budget: what is read each time stays, be its reader forced or unmanaged" {
    steps='{"id": 1, "name": "unread", "type": "command-line", "command": "sleep 0.2; head -c 200000 /dev/zero > output"},
        {"id": 2, "name": "sum", "type": "command-line", "parentActions": [{"id": 1, "as": "p"}], "command": "cksum < in/p > output"},
        {"id": 3, "name": "read", "type": "command-line", "command": "sleep 0.2; head -c 300000 /dev/zero > output"},
        {"id": 4, "name": "out", "type": "command-line", "parentActions": [{"id": 3, "as": "p"}], "command": "wc -c < in/p > output"'
    for how in '"isManaged": false, "outputPath": "out"' '"forceComputation": true'; do
        rm -rf .pingo
        store
        echo "{\"name\": \"w\", \"actions\": [$steps, $how}]}" >w.json
        for _ in 1 2 3 4 5; do pingo run -q w.json; done
        go decide --dry-run --free 100K --json
        json '[.victims[].name] == ["unread"]'
    done
}

@test "budget: one that is smaller than a workflow is told, and nothing runs twice" {
    store
    pingo config pool.budget 1K
    workflow 1
    jq '.actions[0].keep = true' w1.json >kept.json
    go run kept.json
    ends_with 0
    says "over its budget of 1.0 KiB: kept 391"
    # The last lines say how it stands: the pin is what stays.
    [[ ${stderr##*finished} == *"kept 391 KiB (pingo release lets go of it), leaves 17 B (pingo release lets go of them)"* ]]
    [ "$(ledger 'SELECT count(*) FROM attempt')" = 3 ]
    [ "$(ledger 'SELECT max(generation) FROM dataset')" = 1 ]
    [ "$(ledger 'SELECT count(*) FROM eviction')" = 1 ]
    go tick --json
    json '.evicted == 0 and .shortfallBytes > 300000'
    pingo release last root
    go tick --json
    json '.evicted == 1 and .shortfallBytes == 0'
    [ "$(pingo datasets --json | jq '[.[] | select(.state == "LEAF")] | length')" = 1 ]
    pingo fsck --deep
}

@test "budget: a plug-in decides, and one that vanished is replaced by the default" {
    three
    plugin=${BUILD:-$BATS_TEST_DIRNAME/../../build}/examples/decision-plugin.so
    [ -e "$plugin" ]
    cp "$plugin" mine.so
    pingo config decision.algorithm "$PWD/mine.so:per=byte"
    pingo config pool.budget 1000000
    go tick --json
    json '.evicted >= 1'
    [ "$(ledger 'SELECT DISTINCT algorithm FROM eviction')" = cheapest ]
    rm mine.so
    pingo config pool.budget 500000
    go tick --json
    ends_with 0
    json '.evicted >= 1'
    says "which cannot be used"
    [ "$(ledger "SELECT count(*) > 0 FROM eviction WHERE algorithm = 'chain'")" = 1 ]
    pingo fsck --deep
}

@test "budget: what a run says in the end is what is so then" {
    store
    pingo config pool.budget 100K
    cat >w.json <<'END'
{"name": "w", "actions": [
  {"id": 1, "name": "big", "type": "command-line", "command": "head -c 300000 /dev/zero > output"},
  {"id": 2, "name": "reads", "type": "command-line", "command": "sleep 600", "parentActions": [{"id": 1}]},
  {"id": 3, "name": "fails", "type": "command-line", "command": "exit 3", "parentActions": [{"id": 1}]}]}
END
    go run --fail-fast w.json
    ends_with 1
    says "until the actions that read it have ended"
    [ "$(grep -c "^the pool holds" <<<"$stderr")" -eq 0 ] # the line in the end; warnings begin with "pingo: "
    go datasets --json
    json 'length == 0'
}
