#!/usr/bin/env bats
# Every command once, well and badly used: quick enough for the builds with sanitizers.
load helper

@test "every command, all well" {
    words
    one 'echo out; echo err >&2; exit 3'
    store
    pingo validate words.json
    pingo hash words.json
    pingo hash --input text.txt
    pingo plan words.json
    pingo plan --json words.json | jq -e .summary
    pingo submit words.json
    pingo run 1
    pingo run --json --force count words.json | jq -e .workflows
    pingo run one.json || [ $? -eq 1 ]
    pingo wait 1
    pingo tick
    pingo tick --json | jq -e 'has("idle")'
    for command in status "status 1" "status last one" datasets "datasets --all" "provenance 1 count" "why 1" \
        "why 2 count" config "config executor.slots" fsck "fsck --deep" "log last one" \
        "datasets --value --sort size --limit 1" report "report --evictions" "keep 1" "keep 1 count"; do
        # shellcheck disable=SC2086
        pingo $command
        case $command in fsck*) ;; *)
            # shellcheck disable=SC2086
            pingo $command --json | jq -e . ;;
        esac
    done
    pingo fsck --json | jq -e .clean
    pingo provenance --dot 1 count
    pingo log --command 1 count
    pingo path 1 count
    pingo export 1 out
    pingo export --link 1 count linked
    pingo exec -i text.txt --env A=b -- cat in/text.txt
    pingo exec -i text.txt -o copy.txt -- cp in/text.txt copy.txt
    pingo release 1
    pingo rm 1 count
    pingo tick
    pingo submit --priority 3 --target split --force split words.json
    pingo kill last
    pingo config executor.slots 1
    pingo config --unset executor.slots
    pingo version
    pingo help
    pingo help run
    pingo help exit
    pingo completion bash
    pingo complete -- status ''
    pingo complete -- run --
}

@test "every command, badly used" {
    local command
    store
    pingo help --commands | grep -v ' ' >commands
    while read -r command; do
        go "$command" --no-such-option
        ends_with 2
        [ "$command" != exec ] || continue # takes any words
        go "$command" a b c d
        case $command in run | rerun | wait | pause | resume | priority | simulate | datasets | forget | status | kill | path | rm | keep | release | export) ends_with 5 ;; *) ends_with 2 ;; esac
    done <commands
    echo '{"name":"x","actions":[{"id":1}]}' >bad.json
    for command in "validate bad.json" "hash bad.json" "plan bad.json" "submit bad.json" "run bad.json"; do
        # shellcheck disable=SC2086
        go $command
        ends_with 3
        # shellcheck disable=SC2086
        go $command --json
        ends_with 3
    done
    for command in "status 9" "log 9 1" "kill 9" "path 9 1" "export 9 d" "provenance 9 1" "why 9" "rm 9 1" "release 9" \
        "keep 9" "keep 9 1" "datasets -w 9" "wait 9" "run 9" "rerun 9" "rm abcdef" "config no.such.key"; do
        # shellcheck disable=SC2086
        go $command
        ends_with 5
        [ -z "$output" ]
    done
}
