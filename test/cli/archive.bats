#!/usr/bin/env bats
# What ended long ago, in its month file: all answers are as before, and a lost file hurts nobody else.
load helper

# What is looked for in one month file has ended in one month: a test that would see the next one begin waits for it.
in_one_month() {
    while [ "$(date -u +%m)" != "$(date -u -d '3 minutes' +%m)" ]; do sleep 1; done
}

# Three submissions: one that fails in part, one that reuses, one of another text.
ended() {
    in_one_month
    store
    pingo config pool.failedDays 0 # no scratch directory is kept, which would hold a workflow back
    echo some >in.txt
    cat >w.json <<'X'
{"name": "w", "actions": [
 {"id": 1, "name": "good", "type": "command-line", "command": "cat in/f > output; echo one line",
  "inputs": [{"name": "f", "path": "in.txt"}]},
 {"id": 2, "name": "next", "type": "command-line", "command": "cat in/good > output", "parentActions": [{"id": 1, "as": "good"}]},
 {"id": 3, "name": "bad", "type": "command-line", "command": "echo 'cannot open /a/b12.txt: 17' >&2; exit 3"},
 {"id": 4, "name": "behind", "type": "command-line", "command": "cat in/bad > output", "parentActions": [{"id": 3, "as": "bad"}]},
 {"id": 5, "name": "flaky", "type": "command-line", "retries": 1,
  "command": "test -e FLAG || { : > FLAG; echo no flag >&2; exit 1; }; echo 1 > output"}]}
X
    sed -i "s|FLAG|$PWD/flag|g" w.json
    pingo run -q w.json || :
    printf '{"name": "two", "actions": [{"id": 1, "name": "good", "type": "command-line",
      "command": "cat in/f > output; echo one line", "inputs": [{"name": "f", "path": "in.txt"}]},
      {"id": 7, "name": "own", "type": "command-line", "command": "echo 7 > output"}]}' >two.json
    pingo run -q two.json
    pingo run -q w.json || :
    sweep
}

# What is not kept goes.
sweep() {
    sqlite3 .pingo/pingo.db "UPDATE meta SET value = '0' WHERE key = 'sweep.at'"
    pingo tick >tick 2>&1
}

# All that reads of a store, each with what it says on both streams and its status.
everything() {
    local w id n
    {
        for w in 1 2 3; do
            printf '%s\n' "status $w" "status --json $w" "status --attempts $w" "status --attempts --json $w" \
                "status --groups --json $w" "wait -q $w" "why $w" "why --json $w" "script $w 1" "report $w"
            for id in 1 2 3 4 5 7; do
                printf '%s\n' "log $w $id" "log --attempt 1 $w $id" "script $w $id" "provenance $w $id" "why $w $id" \
                    "status --json $w $id" "status --attempts --json $w $id"
            done
        done
        printf '%s\n' "status" "status --json" "report" "report --json" "datasets --json" "history --json" "errors --json" \
            "errors" "errors --csv" "errors --by name --json" "errors --by name --name bad --step 1d --json" \
            "errors --by node --json" "errors --by user --step 30m --json" "errors --list --json" "errors --list" \
            "errors --list --limit 1 --after ''" "errors --list --error 32 --json" "shares --json" "decide --dry-run --free 1 --json" \
            "plan w.json" "plan --json w.json" "simulate --store --json"
    } | while read -r n; do
        echo "## $n"
        # shellcheck disable=SC2086,SC2294 # words
        eval "timeout 600 '$PINGO' $n" 2>&1 </dev/null && echo "-> 0" || echo "-> $?"
    done | # but for what moves with the clock: a period that is not named begins with a half hour
        sed -e 's/"from":"[^"]*:[03]0:00[.]000Z"//' -e 's/^20[0-9-]*T[0-9]*:[03]0:00[.]000Z,//' |
        sed -e '/^{"from".*"heldBytes"/d' -e 's/"fileSystemBytes":[0-9]*//' -e '/^period /d' -e '/^  disk free/d' \
            -e '/at most .* were held/d' -e 's/"until":"[^"]*"//; s/"stepMs":[0-9]*//; s/"usageMs":[0-9]*//' >"$1"
}

rows() {
    sqlite3 "$1" "select count(*) from $2"
}

@test "archive: every command answers the same before and after, and nothing is in two places" {
    ended
    everything before
    grep -c '^-> 0' before | { read -r n && [ "$n" -gt 90 ]; }
    n=$(rows .pingo/pingo.db attempt)
    [ "$n" -ge 7 ]
    go archive --dry-run --before 0s --json
    json '.workflows == 3 and .attempts == '"$n"
    [ "$(rows .pingo/pingo.db attempt)" -eq "$n" ]
    go archive --now --before soon
    ends_with 2
    go archive --before 0s # is no order to move
    ends_with 2
    go archive --now --json # nothing ended a week ago
    json '.workflows == 0'
    go archive --now --before 0s
    ends_with 0
    prints "3 workflows with $n attempts moved"
    [ "$(rows .pingo/pingo.db attempt)" -eq 0 ]
    [ "$(rows .pingo/pingo.db dependency)" -eq 0 ]
    [ "$(rows .pingo/archive/????-??.db attempt)" -eq "$n" ]
    everything after
    diff before after
    go fsck
    ends_with 0
    go archive --json
    json 'length == 1 and .[0].attempts == '"$n"' and (.[0].sealed | not) and .[0].workflows == 3'
    # Sealed, it is the same again.
    go archive --seal --json
    json '.sealed == 1 and .workflows == 0'
    ls .pingo/archive/????-??.sealed.db
    [ "$(find .pingo/archive -name '*.db*' | wc -l)" -eq 1 ]
    everything sealed
    diff before sealed
    go fsck
    ends_with 0
    # What comes later goes to another file, and both are read.
    pingo run -q w.json || :
    sweep
    go archive --now --before 0s --json
    json '.workflows == 1'
    go archive --json
    json 'length == 2'
    go errors --list --json
    json 'map(.workflow) | unique == [1, 3, 4]'
    go fsck
    ends_with 0
}

@test "archive: a month file that its disk does not give is not called damaged" {
    command -v strace >/dev/null || skip "no strace"
    ended
    pingo archive --now --before 0s
    file=$(echo .pingo/archive/????-??.db)
    run --separate-stderr strace -qq -o trace -P "$PWD/$file" -e inject=pread64:error=EIO "$PINGO" status --attempts 1
    ends_with 9
    says "$file"
    says 'this month file of the archive cannot be read or written: disk I/O error'
    go status --attempts 1
    ends_with 0
}

@test "archive: a lost or damaged month file is named, and nothing else stops" {
    ended
    pingo archive --now --before 0s
    file=$(ls .pingo/archive/????-??.db)
    cp "$file" kept.db
    rm "$file"*
    for command in "status 1" "errors --list" "status --attempts 1" "log 1 3"; do
        # shellcheck disable=SC2086 # words
        go $command
        ends_with 9
        says "$file"
        says 'put it back from a copy'
    done
    for command in status "errors --json" "why 1" "report" "datasets" "plan w.json" "archive" "decide --dry-run --free 1"; do
        # shellcheck disable=SC2086 # words
        go $command
        ends_with 0
    done
    go archive --json
    json '.[0].bytes == null'
    pingo run -q two.json # all of it is reused
    [ "$(ls .pingo/pool/attempts | wc -l)" -gt 0 ]
    sweep # knows nothing of these attempts, and leaves their logs
    [ "$(ls .pingo/pool/attempts | wc -l)" -gt 0 ]
    one 'echo a secret; exit 1' # what is not in it is forgotten
    go run -q one.json
    go log last 1
    prints "a secret"
    go forget last
    ends_with 9
    says "not all is forgotten: "
    run grep -r "a secret" .pingo/pool/attempts
    [ "$status" -eq 1 ]
    go fsck --repair
    ends_with 1
    prints "archive/"
    prints 'is gone'
    says 'try: what a finding says, else a copy of the store'
    go errors --json # the sums are what they were
    json '(map(.failed) | add) == 4' # and that one
    head -c 5000 kept.db >"$file" # torn
    go status 1
    ends_with 9
    says "$file"
    go fsck
    ends_with 1
    says 'try: what a finding says, else a copy of the store' # no repair mends it
    : >"$file"
    go status 1
    ends_with 9
    cp kept.db "$file"
    go status 1
    ends_with 0
    go fsck
    ends_with 0
}

@test "archive: fsck finds what is in two places or in none, and finishes what was begun" {
    ended
    cp .pingo/pingo.db early.db
    n=$(rows .pingo/pingo.db attempt)
    pingo archive --now --before 0s
    file=$(ls .pingo/archive/????-??.db)
    sqlite3 .pingo/pingo.db "ATTACH '$file' AS m; INSERT INTO attempt SELECT * FROM m.attempt WHERE action = 1"
    go fsck
    ends_with 1
    prints 'workflow 1: is in the archive, but has attempts here as well'
    says 'try: pingo fsck --repair'
    go fsck --repair
    ends_with 0
    go archive --now
    [ "$(rows .pingo/pingo.db attempt)" -eq 0 ]
    go fsck
    ends_with 0
    sqlite3 "$file" "DELETE FROM attempt WHERE action = 2"
    go fsck
    ends_with 1
    prints 'workflow 1: has another number of attempts'
    prints 'is summed otherwise'
}

# The database as it was then; all else stays as it is now.
put_back() {
    rm -f .pingo/pingo.db .pingo/pingo.db-wal .pingo/pingo.db-shm
    cp early.db .pingo/pingo.db
}

@test "archive: a database that is older than the month file takes nothing of what it does not know" {
    ended
    sqlite3 .pingo/pingo.db ".backup early.db"
    for i in 1 2; do # these are lost
        printf '{"name": "lost", "actions": [{"id": 1, "name": "l", "type": "command-line", "retries": 3,
            "command": "echo lost %s >&2; false"}, {"id": 2, "name": "m", "type": "command-line", "command": "echo m%s > output"}]}' \
            $i $i >lost.json
        pingo run -q lost.json || :
    done
    sweep
    pingo archive --now --before 0s
    put_back
    printf '{"name": "new", "actions": [{"id": 1, "name": "n", "type": "command-line", "command": "echo new > output"},
        {"id": 2, "name": "o", "type": "command-line", "command": "echo o > output; echo said", "parentActions": [{"id": 1}]}]}' >new.json
    pingo run -q new.json
    sweep
    for n in 1 2 3 4; do pingo status --attempts --json $n; done >before
    go archive --now --before 0s --json
    json '.workflows == 4'
    for n in 1 2 3 4; do pingo status --attempts --json $n; done >after
    diff before after
    pingo fsck
    go archive --seal --json # without what is not known
    json '.sealed == 1'
    [ "$(rows .pingo/archive/????-??.sealed.db moved)" -eq 4 ]
    for n in 1 2 3 4; do pingo status --attempts --json $n; done >sealed
    diff before sealed
    pingo fsck
}

@test "archive: a database that is older than the seal finds its month file; what a crash left of it goes" {
    ended
    pingo archive --now --before 0s
    sqlite3 .pingo/pingo.db ".backup early.db"
    pingo status --attempts --json 1 >before
    file=$(ls .pingo/archive/????-??.db)
    cp "$file" kept.db
    pingo archive --seal
    put_back
    pingo status --attempts --json 1 >after
    diff before after
    pingo fsck
    pingo run -q w.json || : # it goes to another file
    sweep
    pingo archive --now --before 0s
    go archive --json
    json 'map(.sealed) == [true, false] and all(.bytes > 0)'
    cp kept.db "$file" # it was killed before this could go
    pingo archive --now
    [ ! -e "$file" ]
    pingo status --attempts --json 1 >after
    diff before after
    pingo fsck
}

@test "archive: a sealed file in the place of the one that the store knows is looked into before it is taken" {
    ended
    pingo archive --now --before 0s
    sqlite3 .pingo/pingo.db ".backup early.db"
    pingo status --attempts --json 1 >before
    pingo archive --seal
    sealed=$(ls .pingo/archive/????-??.sealed.db)
    cp "$sealed" kept.db
    put_back
    # Another one of that name: it is whole, and without what the store says is there.
    sqlite3 "$sealed" "PRAGMA journal_mode=DELETE; DELETE FROM attempt; DELETE FROM moved" >/dev/null
    go status --attempts 1
    ends_with 9
    says "$sealed"
    says 'put it back from a copy'
    pingo archive --now
    [ "$(sqlite3 .pingo/pingo.db 'SELECT sealed FROM archive')" -eq 0 ]
    # One that was cut.
    head -c 5000 kept.db >"$sealed"
    go status --attempts 1
    ends_with 9
    says 'put it back from a copy'
    pingo archive --now
    [ "$(sqlite3 .pingo/pingo.db 'SELECT sealed FROM archive')" -eq 0 ]
    # Its own.
    cp kept.db "$sealed"
    pingo archive --now
    [ "$(sqlite3 .pingo/pingo.db 'SELECT sealed FROM archive')" -eq 1 ]
    pingo status --attempts --json 1 >after
    diff before after
    pingo fsck
}

@test "archive: month files on a medium that is only read are read" {
    unshare -m mount --bind . . 2>/dev/null || skip "only root has file systems of his own"
    ended
    pingo status --attempts --json 1 >before
    pingo archive --now --before 0s
    sqlite3 .pingo/archive/????-??.db "PRAGMA wal_checkpoint(TRUNCATE)" >checkpoint # nothing stands beside it then
    unshare -m sh -c 'mount --bind .pingo/archive .pingo/archive && mount -o remount,ro,bind .pingo/archive &&
        pingo status --attempts --json 1 >after && pingo errors --list --json >listed && pingo archive --json >/dev/null'
    diff before after
    pingo fsck
}

@test "archive: whoever ticks moves what is old, and only that; never switches it off" {
    ended
    pingo config archive.afterDays never
    old=$((($(date +%s) - 8 * 86400) * 1000))
    sqlite3 .pingo/pingo.db "UPDATE workflow SET ended_ms = $old WHERE id = 1"
    pingo tick >tick 2>&1
    [ ! -e .pingo/archive ]
    pingo config archive.afterDays 7
    for _ in 1 2 3; do pingo tick >tick 2>&1; done
    go archive --json
    json 'map(.workflows) == [1]'
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM attempt t JOIN action a ON a.id = t.action WHERE a.workflow = 1')" -eq 0 ]
    go fsck
    ends_with 0
    # What is kept of a failed action holds its workflow back.
    pingo config pool.failedDays 7
    pingo run -q w.json || :
    sqlite3 .pingo/pingo.db "UPDATE workflow SET ended_ms = $old WHERE id > 3"
    go archive --dry-run --json
    json '.workflows == 0'
}

@test "archive: what is forgotten leaves nothing that a person wrote, and its words go with the last that has them" {
    ended
    pingo archive --now --before 0s
    pingo forget 1
    go errors --json
    json 'map(.text) | index("cannot open b#.txt: #") != null' # of 3 as well
    pingo forget 3
    go errors --json
    json 'map(.text) | index("cannot open b#.txt: #") == null and length > 0'
    run grep -h -c -a 'cannot open' .pingo/pingo.db .pingo/archive/*.db
    [[ $output != *[1-9]* ]]
    go fsck
    ends_with 0
    go destroy --yes
    ends_with 0
    [ ! -e .pingo ]
}
