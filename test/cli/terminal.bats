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

# Of those that are so; a colour may be in several sequences: \e[0m\e[31m.
@test "a terminal: each state in its colour, also what runs" {
    store
    jq -n --arg go "$PWD/go" '{name: "w", actions: [
        {id: 1, name: "good", type: "command-line", command: "echo > output"},
        {id: 2, name: "bad", type: "command-line", command: "exit 1"},
        {id: 3, name: "slow", type: "command-line", command: "until [ -e \($go) ]; do sleep 0.05; done; cat in/p > output",
         parentActions: [{id: 1, as: "p"}]}]}' >w.json
    export TERM=xterm
    pingo config executor.slots 2
    pingo submit w.json
    pingo run -q last >run.out 2>&1 3>&- &
    until_true eval 'pingo status last --json | jq -e "[.actions[].state] == [\"FINISHED\",\"FAILED\",\"RUNNING\"]" >/dev/null'
    run on_terminal "'$PINGO' status"
    [ "$status" -eq 0 ]
    [[ $output == *"${escape}[36mRUNNING"* ]]
    run on_terminal "'$PINGO' status last"
    [ "$status" -eq 0 ]
    [[ $output == *"${escape}[32mFINISHED"* && $output == *"${escape}[31mFAILED"* && $output == *"${escape}[36mRUNNING"* ]]
    touch go
    wait $! || :
    for line in "provenance last slow" errors datasets "why last" "log last bad" report "plan w.json" "history" shares; do
        run on_terminal "'$PINGO' $line"
        [ "$status" -eq 0 ]
    done
    run on_terminal "'$PINGO' errors"
    [[ $output == *"${escape}[2m"* ]]
}

@test "a terminal: what a message quotes brings no colours of its own" {
    export TERM=xterm
    run on_terminal "'$PINGO' validate 'no${escape}[31mfile.json'"
    [[ $output == *"${escape}[31mpingo:"* ]]
    [[ $output != *"${escape}[31mfile"* ]]
}

@test "a terminal: the progress line, and it is gone at the end" {
    store
    one "until [ -e $PWD/go ]; do sleep 0.05; done; echo > output" # until the line tells of it
    export TERM=xterm
    on_terminal "'$PINGO' run one.json" >shown 3>&- &
    until_true grep -q '1 running' shown
    touch go
    wait $!
    output=$(cat shown)
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

# C1 controls (CSI as C2 9B, OSC, ST), what turns the direction, and a byte that is no UTF-8.
csi=$'\xc2\x9b' turn=$'\xe2\x80\xae' isolate=$'\xe2\x81\xa6' raw=$'\x9b'

clean() { # TEXT
    for bad in "$escape" "$csi" "$turn" "$isolate" $'\xc2\x9d' $'\xc2\x85' $'\a'; do
        [[ $1 != *"$bad"* ]] || {
            printf 'it holds %q: %q\n' "$bad" "$1"
            return 1
        }
    done
    LC_ALL=C grep -q "$raw" <<<"${1//$'\xc2'/}" && return 1
    return 0
}

@test "C1 controls and what turns the direction of writing do not reach the screen either" {
    store
    name="x${csi}31m${turn}evil${isolate}"$'\xc2\x9d'"0;t"$'\xc2\x85'
    jq -n --arg name "$name" '{name: $name, actions: [{id: 1, name: $name, type: "command-line", command: "echo > output"}]}' >evil.json
    go run evil.json
    ends_with 0
    clean "$stderr"
    for line in status "status 1" datasets report "provenance 1 1" "why 1" "hash evil.json" "plan --all evil.json" \
        "run evil.json" "status ${name}" "path 1 ${name}x" "run no${csi}file${turn}.json"; do
        # shellcheck disable=SC2086
        go $line
        clean "$output$stderr"
    done
    go status --json
    json 'length == 2'
    [ "$(jq -r '.[0].name' <<<"$output")" = "$name" ]
    cp evil.json "a${csi}b${turn}.json"
    sed -i 's/"command"/"comand"/' "a${csi}b${turn}.json"
    go validate "a${csi}b${turn}.json"
    ends_with 3
    clean "$output$stderr"
    mkdir "d${csi}31m"
    run on_terminal "'$PINGO' export last 'd${csi}31m'"
    clean "$output"
    go export last "d${csi}31m" --force
    [[ $output == *"d${csi}31m/"* ]] # a program reads it
}

@test "what a failed action wrote to standard error is shown without what a terminal would obey" {
    store
    one "printf 'bad \\033]0;title\\007 \\302\\2332J \\342\\200\\256 \\233x\\tend\\n' >&2; exit 3"
    go run one.json
    ends_with 1
    clean "$stderr"
    says "bad ?]0;title? ?2J ? ?x	end"
}

@test "log: a terminal sees what it would obey, a pipe gets every byte" {
    store
    one "printf 'a\\tb \033[2Jx \302\2332J \303\244\r\n\000\342\202' && { head -c 20000 /dev/zero | sed 's/\x00/\xc3\xa4/g'; } >&2 && echo > output"
    pingo run -q one.json
    printf 'a\tb \033[2Jx \302\2332J \303\244\r\n\000\342\202' >wanted
    pingo log --stdout last one >got
    cmp wanted got
    run on_terminal "'$PINGO' log --stdout last one"
    clean "$output"
    [ "${output//$'\r'/}" = $'a\tb ?[2Jx ?2J ä \n???' ]
    # No character is parted where a block ends.
    run on_terminal "'$PINGO' log --follow --stderr last one"
    [ "$(tr -d '\r\n' <<<"$output" | sed 's/ä//g')" = "" ]
    [ "$(tr -d '\r\n' <<<"$output" | wc -m)" -eq 20000 ] || [ "$(tr -d '\r\n' <<<"$output" | wc -c)" -eq 40000 ]
}

@test "a standard stream that is closed is no error, and no file of the store" {
    words
    store
    run --separate-stderr bash -c '"$1" submit words.json >&-' - "$PINGO"
    ends_with 0
    run --separate-stderr bash -c '"$1" run -q words.json <&- >&- 2>&-' - "$PINGO"
    ends_with 0
    go fsck
    ends_with 0
    [ "$(pingo status --json | jq length)" -eq 2 ]
    run --separate-stderr bash -c '"$1" status >/dev/full' - "$PINGO"
    ends_with 9
}

@test "names of exports and of files hold nothing that a terminal obeys" {
    local c1=$'\u009b31m' turn=$'\u202e' file
    file="w$turn$c1.json"
    "$PINGO" init >/dev/null
    printf '{"name": "w", "actions": [{"id": 1, "name": "a%s%s", "type": "command-line", "command": "echo a > output"}]}' \
        "$c1" "$turn" >"$file"
    run --separate-stderr "$PINGO" validate "$file"
    [ "$status" -eq 0 ]
    [[ $output != *"$turn"* && $output != *$'\u009b'* && $output == *"is valid"* ]]
    "$PINGO" run -q "$file"
    "$PINGO" export last out
    [ "$(ls out)" = a_31m_ ]
}
