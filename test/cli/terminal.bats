#!/usr/bin/env bats
# Colours and the progress line: on a terminal only.
load helper

# Runs a command line on a terminal of its own and prints what it showed there.
on_terminal() {
    script -qec "$1" /dev/null </dev/null
}

escape=$'\033'

@test "no terminal: no escape sequence anywhere" {
    words
    store
    one 'exit 1'
    for line in "run words.json" "run one.json" "status" "status 1" "datasets" "config" "plan words.json" "why 1" \
        "provenance 1 sort" "nonsense" "validate one.json" "help run"; do
        # shellcheck disable=SC2086
        go $line
        [[ $output$stderr != *"$escape"* ]]
    done
}

@test "a terminal: colours, unless NO_COLOR or TERM=dumb" {
    words
    store
    pingo run -q words.json
    export TERM=xterm
    run on_terminal "'$PINGO' status"
    [[ $output == *"${escape}["* ]]
    run on_terminal "NO_COLOR=1 '$PINGO' status"
    [[ $output != *"${escape}["* ]]
    run on_terminal "TERM=dumb '$PINGO' status"
    [[ $output != *"${escape}["* ]]
    run on_terminal "'$PINGO' status | cat"
    [[ $output != *"${escape}["* ]]
}

@test "a terminal: the progress line, and it is gone at the end" {
    store
    one 'sleep 1.3; echo > output'
    export TERM=xterm
    run on_terminal "'$PINGO' run one.json"
    [[ $output == *"[0/1]"* ]]
    [[ $output == *"1 running"* ]]
    last=$(tail -n 1 <<<"$output")
    [[ $last == *"ran 1"* ]]
}

@test "names with control characters do not reach the screen as they are" {
    store
    jq -n '{name: "a\u001b[31mb", actions: [{id: 1, name: "x\u001b]0;y\u0007", type: "command-line", command: "echo > output"}]}' >evil.json
    pingo run -q evil.json
    pingo run -q evil.json
    for line in status "status 1" datasets report "provenance 1 1" "why 1" "hash evil.json" "plan --all evil.json"; do
        # shellcheck disable=SC2086
        go $line
        ends_with 0
        [[ $output$stderr != *"$escape"* ]]
    done
    go status 1 --json
    json '.name == "a\u001b[31mb"'
}
