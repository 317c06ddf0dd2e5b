#!/usr/bin/env bats
# Command lines: help, options, suggestions, exit statuses of wrong usage, standard output that is full.
load helper

@test "without a command: the list of commands on standard error, status 2" {
    go
    ends_with 2
    [ -z "$output" ]
    says "provenance"
}

@test "help lists the commands on standard output" {
    go help
    ends_with 0
    prints "  run "
    prints "  fsck "
    prints "--server URL"
    [ -z "$stderr" ]
    [ "$output" = "$(pingo --help)" ]
}

@test "a period that ends before it begins is told with both of its ends" {
    local line
    store
    for line in "errors --since 1m --until 2d" "errors --list --since 1m --until 2d" "history --since 1m --until 2d" \
        "report --since 1m --until 2d" "report --evictions --since 1m --until 2d"; do
        # shellcheck disable=SC2086 # words
        go $line
        ends_with 2 || { echo "$line"; return 1; }
        says "--since 1m is later than --until 2d"
    done
    go datasets --newer 2026-11-20 --older 2026-11-19
    ends_with 2
    says "--newer 2026-11-20 is later than --older 2026-11-19"
    go errors --since 2d --until 1m
    ends_with 0
    go errors --until 2d
    ends_with 0
}

@test "every command explains itself: usage, options, example, exit status" {
    local command
    pingo help --commands | grep -v ' ' >commands
    [ "$(wc -l <commands)" -ge 23 ]
    while read -r command; do
        go "$command" --help
        ends_with 0
        [ -z "$stderr" ]
        prints "usage: pingo $command "
        prints "options:"
        prints "--directory DIR"
        prints "example:"
        prints "exit status:"
        [ "$output" = "$(pingo help "$command")" ]
    done <commands
}

@test "help exit tells every exit status" {
    local n
    go help exit
    ends_with 0
    for n in 0 1 2 3 4 5 6 7 8 9 130; do
        grep -Eq "^ +$n  [a-z]" <<<"$output"
    done
}

@test "an unknown command: status 2 and the nearest one" {
    go statsu
    ends_with 2
    [ -z "$output" ]
    says 'did you mean "status"?'
    go xyzzyplugh
    ends_with 2
    says "try: pingo help"
    go runner # nor are the programs that executors start commands
    ends_with 2
    says 'no command "runner"'
    go help
    [[ $output != *"other programs"* ]]
    go help statsu
    ends_with 2
    says 'did you mean "status"?'
}

@test "an unknown command or setting is answered with what it means" {
    go clean
    ends_with 2
    says 'did you mean "release" or "rm"?'
    go stop
    says '"kill"'
    go ls
    says 'did you mean "status" or "datasets"?'
    go help explain
    says 'did you mean "why" or "plan"?'
    store
    go config budget
    ends_with 5
    says 'did you mean "pool.budget"?'
    go config pool.size 10G
    says 'did you mean "pool.budget"?'
    go config slot
    says 'did you mean "executor.slots"?'
    go config jobs 4
    says 'did you mean "executor.slots"?'
    go config xyzzyplugh
    [[ $stderr != *"did you mean"* ]]
    says "try: pingo config, which lists all settings"
    words
    pingo submit words.json
    for command in log why audit path "status" kill; do
        go $command last nosuch
        ends_with 5
        says "try: pingo status "
    done
}

@test "a letter means one thing in all commands" {
    local command
    pingo help --commands | grep -v ' ' >commands
    [ "$(wc -l <commands)" -gt 25 ]
    while read -r command; do
        pingo help "$command" | grep -oE '^  -[A-Za-z], --[a-z-]+'
    done <commands | sort -u >letters
    [ "$(wc -l <letters)" -gt 15 ]
    [ "$(cut -d, -f1 letters | uniq -d)" = "" ]
}

@test "run: options of a submission without a file are wrong usage" {
    # "--force w.json" takes the file for an action.
    words
    store
    go run --force words.json
    ends_with 2
    says "--force words.json is about a FILE to submit, and none is named"
    go run -t count
    ends_with 2
    go status --json
    [ "$output" = "[]" ]
    pingo run -q words.json
    for option in "--force count" "--priority 3" --strict --force-outputs "--user joe"; do
        # shellcheck disable=SC2086
        go run $option 1
        ends_with 2
        says "$option is about a FILE to submit, and none is named; rerun submits a WORKFLOW once more"
    done
}

@test "run: --once is about one file" {
    words
    store
    go run --tag T --once words.json words.json
    ends_with 2
    says "--once is about one FILE"
    go status --json
    [ "$output" = "[]" ]
}

@test "run: --all and --fail-fast are not given together" {
    words
    store
    go run --all --fail-fast words.json
    ends_with 2
    says "--all drives every other one too"
    go status --json
    [ "$output" = "[]" ]
}

@test "--quiet: of every command, and it says only what failed" {
    local command
    words
    while read -r command; do
        [ "$(pingo help "$command" | grep -c '^  -q, --quiet  ')" = 1 ]
    done < <(pingo help --commands | grep -v ' ')
    says_nothing() { # of a command that succeeds
        go "$@"
        ends_with 0
        [ -z "$stderr" ] || { echo "$* says: $stderr"; return 1; }
    }
    says_nothing init -q
    [ -z "$output" ]
    pingo config executor.slots 2
    pingo config sandbox off
    jq '.actions[0].inputs += [{name: "lock", path: "text.txt"}]' words.json >warns.json
    for command in validate plan submit; do
        go $command warns.json
        says warning
        says_nothing $command -q warns.json
        [ -n "$output" ] || [ "$command" = validate ]
    done
    says_nothing run -q last
    says_nothing -q run warns.json
    for command in "wait last" "status last" "export last out" "log last sort" "keep last" "release last" "rm last sort" \
        "submit --force sort words.json" "pause last" "resume last" "kill last" "forget last" "tick" "datasets"; do
        # shellcheck disable=SC2086
        says_nothing -q $command
    done
    for command in tick fsck "validate words.json"; do
        # shellcheck disable=SC2086
        says_nothing $command -q
        [ -z "$output" ]
    done
    rm -f "$(find .pingo/pool/objects -type f | head -n 1)"
    go fsck -q
    ends_with 1
    prints "I4 "
    one 'echo broken >&2; exit 3'
    go run -q one.json
    ends_with 1
    says "broken"
    says "repeat it by hand"
    go wait -q last
    ends_with 1
    says FAILED
    go rm -q last one
    ends_with 5
    says "never made"
}

@test "an option of another tool: what does it here" {
    local line
    while IFS='|' read -r line hint; do
        # shellcheck disable=SC2086
        go $line
        ends_with 2
        says "unknown option"
        says "try: "
        says "$hint"
    done <<'END'
run --dry-run w.json|pingo plan FILE
run -n w.json|pingo plan FILE
run -nj4 w.json|pingo plan FILE
run --dry-run=yes w.json|pingo plan FILE
run -k w.json|without it
run --keep-going w.json|--fail-fast
run --cores 4 w.json|--jobs N
run -B w.json|--force ACTION
run --forceall w.json|--force ACTION
run --until x w.json|--target ACTION
run --rerun-incomplete w.json|pingo run WORKFLOW
submit -j 4 w.json|executor.slots
run -v w.json|pingo plan --why FILE
rm -rf last x|nothing is asked
destroy --force|--yes
log -f last x|--follow
simulate -a lru|--algorithm LIST
generate -f iter-n|--family NAME
run --xyzzyplugh w.json|pingo run --help
END
}

@test "the help of a command fits into a terminal" {
    local command
    while read -r command; do
        pingo help "$command" | sed '/^families:/,$d' | awk -v c="$command" 'length($0) > 80 {print c ": " $0}'
    done < <(pingo help --commands | grep -v ' ') >long
    [ ! -s long ] || { cat long; false; }
}

@test "an unknown option: status 2 and the nearest one of that command" {
    go run --fail-fats words.json
    ends_with 2
    says "did you mean --fail-fast?"
    go run -z words.json
    ends_with 2
    says "unknown option -z"
    go status --sdtout
    ends_with 2
    [[ $stderr != *"did you mean --stdout"* ]]
}

@test "operands that are missing or too many, options without argument: status 2" {
    local line
    while read -r line; do
        # shellcheck disable=SC2086
        go $line
        ends_with 2
        [ -z "$output" ]
        says "try: pingo"
    done <<'END'
validate
validate a b
submit
plan
hash
hash a --input b
log last
path
export last
kill
rm
why
provenance
provenance --dot --json last one
init somewhere
exec
exec --stdout --output a -- true
exec --env X -- true
tick 3
config a b c
config --unset
datasets --state NONSENSE
datasets --sort NONSENSE
keep
report now
help a b
help --schema
completion tcsh
simulate --family zipf-n --together
release --superseded name --label a=b
help --schema exit
help --commands --schema status
exec --force-outputs -- true
config --no-check
config --check --no-check
shares set a --weight 2 --csv
END
    go run --jobs
    ends_with 2
    says "needs an argument"
    go status -n
    ends_with 2
    go run --jobs=0 x
    ends_with 2
    says "a whole number"
    go run --jobs 1x x
    ends_with 2
    go run --fail-fast=yes x
    ends_with 2
    says "takes no argument"
    go history --by
    says "WHAT: a row for each minute"
    go provenance --limit x last a
    says 'a whole number from 0 on, not "x"'
    says "try: pingo provenance --help"
    go status --time-style fortnight
    ends_with 2
    says "iso, local, relative or epoch"
}

@test "--json where nothing is reported is wrong usage, before and after the command" {
    go --json help
    ends_with 2
    go exec --json -- true
    ends_with 2
    [ -z "$output" ]
}

@test "--csv and --json exclude each other, wherever there are both" {
    local command
    store
    pingo help --commands | sed -n 's/ --csv$//p' >commands
    [ "$(wc -l <commands)" -ge 4 ]
    while read -r command; do
        go "$command" --csv --json
        ends_with 2
        [ -z "$output" ]
        says "$command: --csv and --json exclude each other"
    done <commands
}

@test "options are taken in every spelling and place" {
    words
    store
    go run -j1 -q words.json
    ends_with 0
    go run words.json -qj 1
    ends_with 0
    go run --jobs=1 --quiet -- words.json
    ends_with 0
    go -C . --json status
    ends_with 0
    json 'length == 3'
    go status --json -C.
    ends_with 0
    json 'length == 3'
}

@test "version needs no store and is JSON when asked" {
    cd /
    go version
    ends_with 0
    [[ $output =~ ^pingo\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    [ "$output" = "$(pingo --version)" ]
    go version --json
    json '.version == .library and (.version | test("^[0-9.]+$"))'
}

@test "a full disk behind standard output is an error" {
    run bash -c '"$1" version >/dev/full' - "$PINGO"
    [ "$status" -eq 9 ]
    [[ $output == *"standard output: No space left on device"* ]]
    # What does not fit into a buffer fails before that, and no reason is made up.
    run bash -c '"$1" --help >/dev/full' - "$PINGO"
    [ "$status" -eq 9 ]
    [[ $output == *"standard output"* && $output != *"Input/output error"* ]]
    jq -nc '{name: "w", actions: [range(1000) | {id: ., name: "a", type: "command-line", command: "true"}]}' >many.json
    run bash -c '"$1" hash --json many.json >/dev/full' - "$PINGO"
    [ "$status" -eq 9 ]
    [[ $output == *"standard output"* && $output != *memory* ]]
}

@test "what is to be typed is right for a shell, whatever the directory of -C is called" {
    mkdir "it's one"
    go -C "it's one" status
    ends_with 4
    eval "$(sed -n 's/^try: //p' <<<"$stderr")"
    [ -d "it's one/.pingo" ]
}

@test "without a store: status 4, and how to make one" {
    local line
    words
    cd /
    while read -r line; do
        # shellcheck disable=SC2086
        go $line
        ends_with 4
        [ -z "$output" ]
        says "pingo:"
        says "init"
    done <<END
status
submit $BATS_TEST_TMPDIR/work/words.json
plan $BATS_TEST_TMPDIR/work/words.json
run $BATS_TEST_TMPDIR/work/words.json
run 1
wait 1
tick
log 1 2
kill 1
datasets
path 1 2
export 1 /nowhere
exec -- true
provenance 1 2
why 1
rm 1 2
release 1
keep 1
report
report --evictions
fsck
config
END
}

# A copy of the program in place/pingo, with a program of its own beside it.
copy_of_pingo() {
    mkdir -p place/libexec
    cp "$PINGO" place/pingo
    cp "$(dirname "$PINGO")/libexec/pingo-lab" place/libexec
    PINGO=$PWD/place/pingo
}

# What says its line, and ends as it is told.
teller() {
    printf '#!/bin/sh\necho "%s:" "$@"\n[ $# -lt 2 ] || kill -s TERM $$\nexit 7\n' "$1" >"$2"
    chmod +x "$2"
}

@test "pingo NAME: the program from its own directory, never from PATH" {
    copy_of_pingo
    mkdir path
    teller PATH path/pingo-tool
    cp path/pingo-tool path/pingo-run
    PATH=$PWD/path:$PATH go tool
    ends_with 2
    says 'there is no command "tool"'
    go help
    [[ $output != *"other programs"* ]]
    teller own place/libexec/pingo-tool
    cp place/libexec/pingo-tool place/libexec/pingo-supervisor
    cp place/libexec/pingo-tool place/libexec/pingo-run
    PATH=$PWD/path:$PATH go tool --json
    ends_with 7
    [ "$output" = "own: --json" ]
    go -C here tool there
    ends_with 143
    [ "$output" = "own: -C here there" ]
    go help
    prints "other programs: run tool"
    for name in supervisor ../libexec/pingo-tool TOOL ''; do
        go "$name"
        ends_with 2
        [ -z "$output" ]
    done
    go run
    ends_with 4
    says "there is no store"
}

@test "the commands of the laboratory: everywhere, and told of where it is not installed" {
    copy_of_pingo
    go --json generate --list
    ends_with 0
    json 'map(.name) | index("iter-n")'
    [ "$(pingo lab generate --list --json)" = "$output" ]
    go complete -- generate --fam
    [ "${output%%$'\t'*}" = --family ]
    go simulate --nonsense
    ends_with 2
    [ "$stderr" = $'pingo: unknown option --nonsense\ntry: pingo simulate --help' ]
    go lab simulat
    ends_with 2
    [ "$stderr" = $'pingo: there is no command "simulat"; did you mean "simulate"?\ntry: pingo-lab help' ]
    rm place/libexec/pingo-lab
    for line in "generate --list" "help import" "help --commands"; do
        # shellcheck disable=SC2086 # a line of words
        go $line
        [ "$status" -eq 10 ] || [ "$status" -eq 0 ] # where it is installed for good
        [ "$status" -eq 0 ] || says "is a command of pingo-lab, which cannot be started: No such file or directory"
    done
    go help
    ends_with 0
    prints "  simulate "
}

@test "help: an option that takes one of some words names them" {
    local page command option words n=0
    for page in "$BATS_TEST_DIRNAME"/../../man/pingo-*.1; do
        command=$(basename "$page" .1)
        command=${command#pingo-}
        while read -r option words; do
            help=$(pingo "$command" --help | awk -v option="$option" '/^  .*--/ {is = index($0, option " ")} is')
            for word in $words; do
                grep -qw -e "$word" <<<"$help" || { echo "$command $option: no $word in: $help"; return 1; }
                n=$((n + 1))
            done
        done < <(awk '/^\.It.*Fl -/ {option = "-" $0; sub(/.* -/, "--", option); sub(/ .*/, "", option)}
            /^\.\\" words:/ {$1 = $2 = ""; print option, $0}' "$page")
    done
    [ "$n" -gt 30 ]
}
