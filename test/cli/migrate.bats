#!/usr/bin/env bats
# A store of version 0.1: what it has stays reachable by its hash, is not reused, and what was
# submitted goes on as it was hashed.
load helper

DATA=$BATS_TEST_DIRNAME/../data/store-0.1
FIRST=13c306830effc568eb7852137402284b17518eea155d7f68b5ddeb9918e2f9d4
SECOND=5d7a823ef7c6e8fdd6818a6a75e35cee50367795f5a706cf7ce3f818c441038b

# The store as the older version left it.
old_files() {
    local path
    mkdir -p .pingo/executor .pingo/owners .pingo/pool/{objects,attempts,staged,trash}
    chmod 700 .pingo
    sqlite3 .pingo/pingo.db <"$DATA/pingo.sql"
    chmod 600 .pingo/pingo.db
    sqlite3 .pingo/pingo.db "SELECT value FROM meta WHERE key = 'store.id'" >.pingo/pool/pingo-pool
    for path in "13/$FIRST.1.1" "5d/$SECOND.2.1"; do
        mkdir -p ".pingo/pool/objects/${path%/*}"
        echo 'made by sh' >".pingo/pool/objects/$path"
        chmod 444 ".pingo/pool/objects/$path"
        # As a store has them that was never moved.
        sqlite3 .pingo/pingo.db "UPDATE dataset SET inode = $(stat -c %i ".pingo/pool/objects/$path"),
            mtime_ns = $(stat -c %.9Y ".pingo/pool/objects/$path" | tr -d .) WHERE path = 'objects/$path'"
    done
    PINGO_DIR=$PWD/.pingo
    export PINGO_DIR
}

# What ended before there were sums is in them; so many failed.
is_summed() {
    [ "$(sqlite3 .pingo/pingo.db 'SELECT sum(n) FROM summary_day')" -eq \
        "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM attempt WHERE state = 3')" ]
    [ "$(sqlite3 .pingo/pingo.db 'SELECT total(n) FROM error')" = "$1.0" ]
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM attempt WHERE error > 0')" -eq "$1" ]
}

# And the settings as in helper.bash, which migrates it.
old_store() {
    old_files
    [ "$(sqlite3 .pingo/pingo.db 'PRAGMA user_version')" -lt 3 ]
    pingo config executor.slots 2
    [ "$(sqlite3 .pingo/pingo.db 'PRAGMA user_version')" -ge 3 ] # or what follows is about the old one
}

@test "migrate: what an older version made is found by its hash" {
    old_store
    is_summed 0
    go path "$FIRST"
    ends_with 0
    [ "$(cat "$output")" = 'made by sh' ]
    go provenance "$SECOND"
    ends_with 0
    prints "$(printf 'command   cat in/first')"
    prints "false | echo made by"
    go datasets --json
    json '[.[] | select(.state == "LEAF" or .state == "STORED")] | length == 2'
    go path 1 second
    [ "$(cat "$output")" = 'made by sh' ]
    go fsck --deep
    ends_with 0
}

@test "migrate: it is not reused, also where the text is the same; that is said once" {
    old_store
    cd /
    run --separate-stderr pingo plan - <"$DATA/old.json"
    prints '2 to compute, 0 reused'
    run --separate-stderr pingo submit - <"$DATA/old.json"
    ends_with 0
    [ "$output" = 3 ]
    says 'was hashed by Pingo 0.1'
    says 'computed once more'
    run --separate-stderr pingo submit - <"$DATA/pending.json"
    ends_with 0
    [ -z "$stderr" ]
    go run -q 3
    # bash -euo pipefail does not pass over what fails
    ends_with 1
    says 'exit status 1'
    go why 3 first
    prints 'encoding'
    prints 'before: 1'
    go path 3 second
    ends_with 5
    go path "$SECOND"
    ends_with 0
}

@test "migrate: what was submitted goes on as it was hashed" {
    old_store
    go run -q 2
    ends_with 0
    go path 2 third
    [ "$(cat "$output")" = 'third made by sh' ]
    go log --command 2 third
    prints '/bin/sh -c'
}

@test "migrate: an action of the older version whose input vanished is planned again" {
    old_store
    rm -f ".pingo/pool/objects/13/$FIRST.1.1"
    go run 2
    ends_with 0
    go path 2 third
    [ "$(cat "$output")" = 'third made by sh' ]
}

@test "migrate: a new store says nothing" {
    store
    one 'echo x > output'
    go submit one.json
    ends_with 0
    [ -z "$stderr" ]
}

# Another one: three chains of a large result and its length, of which two large ones were evicted; one released; one
# failed; one submitted for a target; one runs, and whoever drove it was killed.
busy_files() {
    local path size
    mkdir -p .pingo/executor .pingo/owners .pingo/pool/{objects,attempts,staged,trash}
    chmod 700 .pingo
    sqlite3 .pingo/pingo.db <"$DATA/busy.sql"
    chmod 600 .pingo/pingo.db
    sqlite3 .pingo/pingo.db "SELECT value FROM meta WHERE key = 'store.id'" >.pingo/pool/pingo-pool
    sqlite3 -separator ' ' .pingo/pingo.db "SELECT path, size_bytes FROM dataset WHERE state IN (4, 5)" |
        while read -r path size; do
            mkdir -p ".pingo/pool/${path%/*}"
            if [ "$size" -eq 60000 ]; then head -c 60000 /dev/zero; else echo 60000; fi >".pingo/pool/$path"
            chmod 444 ".pingo/pool/$path"
        done
    PINGO_DIR=$PWD/.pingo
    export PINGO_DIR
}

@test "migrate: history, evictions, a failure, a target, and what was running" {
    busy_files
    [ "$(pingo status --json | jq -r 'sort_by(.workflow) | map(.state) | join(" ")')" = \
        "FINISHED FINISHED FINISHED FAILED FINISHED RUNNING" ]
    go report --evictions --json
    ends_with 0
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM eviction')" -eq 3 ]
    leaves() { pingo datasets --state LEAF --json | jq -r '[.[].name] | sort | join(" ")'; }
    [ "$(leaves)" = "big2 leaf1 leaf3" ]
    go run -q 6
    ends_with 0
    go path 6 slow
    [ "$(cat "$output")" = slow ]
    go release 2 # released before, by the older version
    says "nothing to release"
    go release 1
    says "released 1 dataset"
    go release 5
    says "released 1 dataset"
    [ "$(leaves)" = "leaf3 slow" ]
    go decide --dry-run --free 1
    ends_with 0
    go fsck --deep
    ends_with 0
}

# As the version before this one left a store (schema 3): three chains, one of them twice, of which a large one was
# evicted; one that failed; equal actions, at first for a target; one that is forgotten; one that runs, and whoever drove
# it was killed.
newer_files() {
    mkdir -p .pingo/executor .pingo/owners .pingo/pool/{objects,attempts,staged,trash}
    chmod 700 .pingo
    sqlite3 .pingo/pingo.db <"$DATA/../store-0.2/store.sql"
    sqlite3 .pingo/pingo.db "UPDATE dataset SET mark = 0" # these are other files
    chmod 600 .pingo/pingo.db
    sqlite3 .pingo/pingo.db "SELECT value FROM meta WHERE key = 'store.id'" >.pingo/pool/pingo-pool
    sqlite3 -separator ' ' .pingo/pingo.db "SELECT d.path, a.name FROM dataset d JOIN action a ON a.id = d.action
        WHERE d.state IN (4, 5) AND d.path IS NOT NULL" |
        while read -r path name; do
            mkdir -p ".pingo/pool/${path%/*}"
            case $name in
            big*) head -c 60000 /dev/zero ;;
            leaf*) echo 60000 ;;
            one | two) echo same ;;
            both) printf 'same\nsame\n' ;;
            '') echo hidden ;; # forgotten, and so without a name
            *) echo "$name" ;;
            esac >".pingo/pool/$path"
            chmod 444 ".pingo/pool/$path"
        done
    PINGO_DIR=$PWD/.pingo
    export PINGO_DIR
}

# What each action of a submission was decided to be, and why.
decisions() {
    pingo status "$1" --json | jq -r '[.actions[] | .name + " " + .decision] | join(", ")'
}

@test "migrate: graphs and plans of schema 3 are rows" {
    newer_files
    [ "$(pingo status --json | jq -r 'sort_by(.workflow) | map(.state) | join(" ")')" = \
        "FINISHED FINISHED FINISHED FINISHED FAILED FINISHED FINISHED FINISHED RUNNING" ]
    is_summed 1
    [ "$(decisions 1)" = "big1 compute, leaf1 compute" ]
    [ "$(decisions 4)" = "big1 skip, leaf1 reuse" ]
    [ "$(decisions 6)" = "one skip, two skip, other compute, both skip" ]
    [ "$(decisions 8)" = "one compute, two join, other reuse, both compute" ]
    [ "$(pingo status 9 --json | jq -r '[.actions[].state] | join(" ")')" = "SUBMITTED RUNNING WAITING" ]
    go why 8 two
    prints 'same as action 7'
    go why 5 after
    prints 'never computed'
    go status 1 --label kind=leaf
    prints leaf1
    go path 1 20
    [ "$(cat "$output")" = 60000 ]
    go status 7 seen
    ends_with 5
    says 'was forgotten'
    go log --command 8 both
    prints '"$dir/work"'
    go decide --dry-run --free 1
    ends_with 0
    [ "$(sqlite3 .pingo/pingo.db "SELECT name || hex(parents) FROM graph_node n JOIN workflow w ON w.graph = n.graph
        WHERE w.id = 7 AND n.position = 1")" = 01 ] # an edge, but no name
    go run -q 9
    ends_with 0
    go path 9 last
    [ "$(cat "$output")" = "$(printf 'first\nslow')" ]
    go fsck
    prints 'clean'
}

# As the version before this one left a store (schema 5): two texts that differ in their last action, with originals and
# labels; one that is forgotten; one of which an action failed and another runs, and whoever drove it was killed.
files_of_5() {
    local path
    mkdir -p .pingo/executor .pingo/owners .pingo/pool/{objects,attempts,staged,trash}
    chmod 700 .pingo
    sqlite3 .pingo/pingo.db <"$DATA/../store-5/store.sql"
    sqlite3 .pingo/pingo.db "UPDATE object SET mark = 0"
    chmod 600 .pingo/pingo.db
    sqlite3 .pingo/pingo.db "SELECT value FROM meta WHERE key = 'store.id'" >.pingo/pool/pingo-pool
    sqlite3 -separator ' ' .pingo/pingo.db "SELECT o.path, n.user_id FROM object o JOIN action a ON a.id = o.action
        JOIN workflow w ON w.id = a.workflow JOIN node n ON n.graph = w.graph AND n.position = a.position
        WHERE w.id = 1" |
        while read -r path id; do
            mkdir -p ".pingo/pool/${path%/*}"
            case $id in
            1) echo one ;;
            2) printf 'one\ntwo\n' ;;
            3) echo 2 ;;
            esac >".pingo/pool/$path"
            chmod 444 ".pingo/pool/$path"
        done
    PINGO_DIR=$PWD/.pingo
    export PINGO_DIR
}

# What migration 8 has made.
without_8='DROP TABLE hook; DROP TABLE feed; DROP TABLE token; DROP TABLE audit; DROP TABLE request; DROP TABLE user; DROP TABLE joint; DROP INDEX action_ready; ALTER TABLE workflow DROP COLUMN user_number; ALTER TABLE action DROP COLUMN user; ALTER TABLE action DROP COLUMN queue;
    DROP TABLE error; DROP TABLE summary_30m; DROP TABLE summary_day; DROP TABLE summary_total; DROP TABLE eviction_total; DROP INDEX attempt_error;
    DROP INDEX attempt_failed; ALTER TABLE attempt DROP COLUMN error; ALTER TABLE written DROP COLUMN told;
    DROP TABLE here; DROP TABLE archive; DROP TABLE leaving; DROP INDEX workflow_old; ALTER TABLE workflow DROP COLUMN archived'

# What a store of schema 5 said, and says now.
is_as_5() {
    [ "$(pingo status --json | jq -r 'sort_by(.workflow) | map(.state) | join(" ")')" = "FINISHED FINISHED FINISHED RUNNING" ]
    [ "$(decisions 2)" = "first skip, second reuse, third compute" ]
    [ "$(pingo status 4 --json | jq -r '[.actions[].state] | join(" ")')" = "RUNNING WAITING FAILED" ]
    [ "$(pingo status 1 --label kind=leaf --json | jq -r '[.actions[].name] | join(" ")')" = third ]
    [ "$(pingo status 2 --label kind=root --json | jq -r '[.actions[].id] | join(" ")')" = 1 ]
    [ "$(cat "$(pingo path 1 second)")" = "$(printf 'one\ntwo')" ]
    # Everybody has a share of his own; what is in hand, or waits, counts for who submitted it.
    [ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM workflow w JOIN user u ON u.id = w.user_number WHERE u.name <> w.user")" -eq 0 ]
    [ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM action a JOIN workflow w ON w.id = a.workflow WHERE a.state < 6 AND a.user = w.user_number AND a.queue = a.user")" -eq 2 ]
    [ "$(sqlite3 .pingo/pingo.db "SELECT sum(running) FROM user")" -eq 1 ]
    # What somebody has in hand of a submission is counted in an index.
    [[ $(sqlite3 .pingo/pingo.db "SELECT sql FROM sqlite_master WHERE name = 'action_handed'") == *'action(owner, workflow)'* ]]
}

@test "migrate: graphs of schema 5 are in parts that they share" {
    files_of_5
    is_as_5
    # Of the first two a part would be shared if it ended before the third action; that is too small for a part.
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM part')" -eq 4 ]
    [ "$(sqlite3 .pingo/pingo.db 'SELECT name || hex(parents) FROM graph_node WHERE graph = 3 AND position = 1')" = 01 ]
    go log --command 1 first
    ends_with 0
    prints '/data/old/one.txt'
    [ "$(sqlite3 .pingo/pingo.db "SELECT path FROM input WHERE name = 'a' LIMIT 1")" = one.txt ]
    go run -q 4
    ends_with 1
    go path 4 last
    [ "$(cat "$output")" = slow ]
    go fsck
    [ "$(sqlite3 .pingo/pingo.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
    # Schema 6 had no index by which one is found in its part, and nothing that an engine tells of an attempt.
    sqlite3 .pingo/pingo.db "$without_8; DROP INDEX graph_part_of; ALTER TABLE attempt DROP COLUMN progress; PRAGMA user_version=6"
    go status 4 last
    ends_with 0
    is_summed 2
    [[ $(sqlite3 .pingo/pingo.db 'SELECT group_concat(text) FROM error WHERE n > 0') == *'exit status '* ]]
    [ "$(sqlite3 .pingo/pingo.db 'SELECT sum(n) FROM summary_30m WHERE error = 0')" -gt 0 ] # today's
    go fsck
    [[ $output != *I8* ]]
    [ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM sqlite_master WHERE name = 'graph_part_of'")" -eq 1 ]
}

@test "migrate: killed at any write, schema 5 is as it was or the new one" {
    local n=0
    command -v strace >/dev/null || skip "no strace"
    files_of_5
    cp -a .pingo old
    while :; do
        n=$((n < 10 ? n + 1 : n + 7))
        rm -rf .pingo
        cp -a old .pingo
        run timeout 600 strace -f -qq -o /dev/null -e trace=pwrite64,ftruncate,fdatasync \
            -e "inject=pwrite64,ftruncate,fdatasync:signal=KILL:when=$n" "$PINGO" status --json
        [ "$status" -ne 0 ] || break
        [ "$n" -lt 600 ]
        is_as_5
    done
    [ "$n" -gt 5 ] # it was killed, and more than once
    [ "$(sqlite3 .pingo/pingo.db 'PRAGMA integrity_check')" = ok ]
}

@test "migrate: what cannot be taken over is named, and nothing is changed" {
    local sql table
    newer_files
    cp -a .pingo old
    while IFS='|' read -r sql table; do
        rm -rf .pingo
        cp -a old .pingo
        sqlite3 .pingo/pingo.db "$sql"
        go status
        [ "$status" -ne 0 ]
        says "$table cannot be taken over"
        [ "$(sqlite3 .pingo/pingo.db 'PRAGMA user_version')" -lt 5 ]
    done <<'END'
UPDATE action SET hash = x'00' WHERE id = 3|row 3 of table action
UPDATE dataset SET content = x'00' WHERE id = 4|row 4 of table dataset
END
}

@test "migrate: killed at any write, schema 3 is as it was or the new one" {
    local n=0
    command -v strace >/dev/null || skip "no strace"
    newer_files
    cp -a .pingo old
    while :; do
        n=$((n < 10 ? n + 1 : n + 19))
        rm -rf .pingo
        cp -a old .pingo
        run timeout 600 strace -f -qq -o /dev/null -e trace=pwrite64,ftruncate,fdatasync \
            -e "inject=pwrite64,ftruncate,fdatasync:signal=KILL:when=$n" "$PINGO" status --json
        [ "$status" -ne 0 ] || break
        [ "$n" -lt 600 ]
        go status 8 --json
        ends_with 0
        json '.actions | length == 4'
    done
    [ "$n" -gt 5 ] # it was killed, and more than once
    [ "$(decisions 8)" = "one compute, two join, other reuse, both compute" ]
    [ "$(sqlite3 .pingo/pingo.db 'PRAGMA integrity_check')" = ok ]
}

@test "migrate: killed at any write, it is the old store or the new one" {
    local n=0
    command -v strace >/dev/null || skip "no strace"
    old_files
    cp -a .pingo old
    while :; do
        n=$((n < 10 ? n + 1 : n + 9))
        rm -rf .pingo
        cp -a old .pingo
        run timeout 600 strace -f -qq -o /dev/null -e trace=pwrite64,ftruncate,fdatasync \
            -e "inject=pwrite64,ftruncate,fdatasync:signal=KILL:when=$n" "$PINGO" status --json
        [ "$status" -ne 0 ] || break
        go status --json
        ends_with 0
        json 'length == 2'
        go path "$FIRST"
        ends_with 0
        [ "$n" -lt 1000 ]
    done
    [ "$n" -gt 5 ] # it was killed, and more than once
    go fsck
    ends_with 0
    [ "$(sqlite3 .pingo/pingo.db 'PRAGMA integrity_check')" = ok ]
}

@test "migrate: what was asked for is still wanted, and can be released" {
    old_store
    [ "$(pingo datasets --state LEAF --json | jq -r '.[].hash')" = "$SECOND" ]
    go release 1
    says "released 1 dataset"
    [ "$(pingo datasets --state LEAF --json | jq length)" -eq 0 ]
    go run -q 2
    ends_with 0
    go release 2
    says "released 1 dataset"
}

@test "a store that is migrated says so, once" {
    old_files
    go status
    ends_with 0
    says "the store was brought up to date for Pingo 0.2"
    says "an older Pingo cannot use it any more"
    go status
    [[ $stderr != *"brought up to date"* ]]
    mkdir new
    cd new
    unset PINGO_DIR
    go init
    go status
    [[ $stderr != *"brought up to date"* ]]
}
