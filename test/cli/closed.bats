#!/usr/bin/env bats
# Places of the pool that another user has closed, as somebody meets them whom modes bind: root is not.
# shellcheck disable=SC2154 # run sets stderr
load helper

setup() {
    if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
        skip "only root can close what is another user's"
    fi
    open=$(mktemp -d)
    chown 65534:65534 "$open"
    cd "$open" || return 1
    AS=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${AS[@]}" test -x "$PINGO" || skip "nobody cannot run it"
    nobody init
    nobody config sandbox off
    workflow ''
    nobody run -q w.json
    one=$(echo .pingo/pool/objects/*/*.1.1)
}

teardown() {
    local pid
    for pid in $STARTED; do
        kill -KILL "$pid" 2>/dev/null || :
    done
    BATS_TEST_TMPDIR=$open end_supervisors
    until_true rm -rf "$open" # somebody may just be ending
}

nobody() { run --separate-stderr timeout 600 "${AS[@]}" "$PINGO" "$@"; }

# w.json: left and right, and what reads them; right may wait for a file.
workflow() { # WHAT-RIGHT-DOES-FIRST
    jq -n --arg wait "$1" '{name: "w", actions: [
        {id: 1, name: "left", type: "command-line", command: "echo 1 > output"},
        {id: 2, name: "right", type: "command-line", command: ($wait + "echo 2 > output")},
        {id: 3, name: "both", type: "command-line", command: "cat in/* > output",
         parentActions: [{id: 1, as: "left"}, {id: 2, as: "right"}]}]}' >w.json
}

close() { # PLACE
    chown root:root "$1"
    chmod 0400 "$1"
}

reopen() { # PLACE MODE
    chmod "$2" "$1"
    chown 65534:65534 "$1"
}

until_it_says() { # PATTERN COMMAND...
    local pattern=$1 i
    shift
    for ((i = 0; i < 600; i++)); do
        nobody "$@"
        case $output in *$pattern*) return 0 ;; esac
        sleep 0.1
    done
    printf 'never said: %s\nbut: %s\n' "$pattern" "$output"
    return 1
}

@test "closed: a dataset that may not be read is told, and kept" {
    close "$one"
    nobody fsck --json
    ends_with 1
    json '.findings[0].message | contains("reading: Permission denied; it is used again once this user can read it")'
    nobody fsck --deep --repair --json
    ends_with 1
    json '.findings | length == 1 and (.[0] | .repaired or .repairable | not)'
    reopen "$one" 0444
    nobody fsck --deep
    ends_with 0
    nobody plan w.json
    ends_with 0
    [[ $output == *"0 to compute"* ]]
}

@test "closed: who would reuse such a dataset learns what to do" {
    close "$one"
    workflow 'true; '
    nobody submit w.json
    ends_with 9
    says 'Permission denied; it is used again once this user can read it'
    reopen "$one" 0444
    nobody run w.json
    ends_with 0
    says '2 to compute, 1 reused'
}

@test "closed: who reads such a dataset waits for it" {
    workflow 'while [ ! -e "$PINGO_GATE" ]; do sleep 0.1; done; '
    jq '.actions[0].salt = "anew" | .actions[1].env = {PINGO_GATE: $gate}' --arg gate "$open/gate" w.json >again.json
    nobody submit again.json
    "${AS[@]}" "$PINGO" run -q >log 2>&1 3>&- &
    STARTED="$STARTED $!"
    until_it_says 'FINISHED    left' status last
    anew=$(find .pingo/pool/objects -newer again.json -type f)
    close "$anew"
    touch gate
    until_it_says 'reading: Permission denied' status last
    reopen "$anew" 0444
    wait "$!"
    nobody fsck --deep
    ends_with 0
}

@test "closed: a directory of objects is told of by fsck, and the sweep passes it over" {
    mkdir .pingo/pool/objects/00
    close .pingo/pool/objects/00
    nobody fsck --repair --json
    ends_with 1
    json '.findings | length == 1 and (.[0].message | contains("objects/00: reading: Permission denied"))'
    sqlite3 .pingo/pingo.db "DELETE FROM meta WHERE key = 'sweep.at'"
    close .pingo/pool/staged
    nobody tick
    ends_with 0
    says 'the pool is not swept: staged: reading: Permission denied'
}

@test "closed: a damaged dataset that cannot be moved away keeps nobody from making it again" {
    directory=$(dirname "$one")
    chmod u+w "$one"
    echo other >"$one"
    chown root:root "$directory"
    chmod 0755 "$directory"
    nobody fsck --repair --json
    ends_with 1
    json '[.findings[].message] | any(startswith("is in the pool, but no row knows it, and it stays: "))'
    workflow 'true; '
    "${AS[@]}" "$PINGO" run -q w.json >log 2>&1 3>&- &
    STARTED="$STARTED $!"
    until_it_says 'it goes there once this user can write there' status last
    reopen "$directory" 0700
    wait "$!"
    nobody fsck --deep --repair
    nobody fsck --deep
    ends_with 0
}

@test "closed: a set with one of its own is kept, and forgotten, all the same" {
    workflow 'true; '
    nobody run -q w.json
    close "$(echo .pingo/pool/objects/*/*.5.*)"
    nobody keep last
    ends_with 0
    nobody datasets
    [[ $output == *both*'(pinned)'* ]]
    jq '.actions[:2][].command = "false"' w.json >fails.json
    nobody run -q fails.json
    ends_with 1
    first=$(find .pingo/pool/attempts -name '[0-9]*' | sort | head -1)
    chown root:root "$first"
    nobody forget last
    ends_with 9
    says "not all is forgotten: *attempts/${first##*/}: moving: "
    [ "$(find .pingo/pool/attempts -name '[0-9]*')" = "$first" ]
    reopen "$first" 0700
    nobody forget last
    ends_with 0
    [ ! -e "$first" ]
}

@test "closed: what was killed waits for no place" {
    jq -n '{name: "tree", actions: [
        {id: 1, name: "tree", type: "command-line", command: "mkdir output; echo 1 > output/file"},
        {id: 2, name: "reader", type: "command-line", command: "echo begins; sleep 300", parentActions: [{id: 1, as: "tree"}]}]}' >tree.json
    nobody submit tree.json
    "${AS[@]}" "$PINGO" run -q >log 2>&1 3>&- &
    STARTED="$STARTED $!"
    until_it_says begins log last reader
    close .pingo/pool/objects/*/*/file
    nobody kill last
    wait "$!" || :
    nobody tick
    ends_with 0
    case $stderr$(<log) in *waits*) false ;; esac
    nobody fsck --deep
    ends_with 1
}

@test "closed: where exec may not put its output nothing runs" {
    mkdir closed
    cd closed
    PINGO_DIR=$open/.pingo nobody exec -o x -- sh -c 'echo 1 > x'
    [ "$status" -eq 5 ]
    says "cannot write into"
    nobody -C "$open" status --json
    [ "$(jq length <<<"$output")" -eq 1 ]
}
