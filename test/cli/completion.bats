#!/usr/bin/env bats
# Completion: what the scripts ask, and the script of bash itself.
load helper

# Completes a line of words (the last may be empty) as bash would; candidates in COMPREPLY.
complete_words() {
    eval "$(pingo completion bash)"
    COMP_WORDS=("$PINGO" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    compopt() { :; }
    _pingo "$PINGO" "${!#}" ''
}

@test "commands, options and their values" {
    complete_words sta
    [ "${COMPREPLY[*]}" = status ]
    complete_words run --fa
    [ "${COMPREPLY[*]}" = --fail-fast ]
    complete_words datasets --state STORED
    [ "${COMPREPLY[*]}" = "STORED STORED_TO_DELETE" ]
    complete_words datasets --sort s
    [ "${COMPREPLY[*]}" = "state size" ]
    complete_words status --time-style r
    [ "${COMPREPLY[*]}" = relative ]
    complete_words help ex
    [ "${COMPREPLY[*]}" = "export exec exit" ] || [ "${COMPREPLY[*]}" = "exec export exit" ]
    complete_words simulate --algorithm mo
    [ "${COMPREPLY[*]}" = most-commonly-used ]
    complete_words simulate --algorithm lru,cha
    [ "${COMPREPLY[*]}" = lru,chain ]
    complete_words simulate --family uniform-n,zipf
    [ "${COMPREPLY[*]}" = "uniform-n,zipf-n uniform-n,zipf-h" ]
    complete_words simulate --decide w
    [ "${COMPREPLY[*]}" = workflow-end ]
    complete_words decide --algorithm cha
    [ "${COMPREPLY[*]}" = chain ]
    complete_words decide --algorithm cl
    [ "${#COMPREPLY[@]}" -eq 0 ]
    complete_words generate --family recent
    [ "${COMPREPLY[*]}" = "recent-n recent-h" ]
    complete_words import --as u
    [ "${COMPREPLY[*]}" = users ]
    complete_words token re
    [ "${COMPREPLY[*]}" = revoke ]
    complete_words token create --role s
    [ "${COMPREPLY[*]}" = submitter ]
    complete_words nonsense ''
    [ "${#COMPREPLY[@]}" -eq 0 ]
}

@test "workflow numbers and action names come from the store" {
    words
    store
    pingo submit words.json
    complete_words status ''
    [ "${COMPREPLY[*]}" = "last 1" ]
    complete_words status 1 s
    [ "${COMPREPLY[*]}" = "split sort" ]
    complete_words log -f last c
    [ "${COMPREPLY[*]}" = count ]
    pingo token create laptop
    complete_words token revoke l
    [ "${COMPREPLY[*]}" = laptop ]
    complete_words config executor.slo
    [ "${COMPREPLY[*]}" = executor.slots ]
    pingo config executor.mine.url x
    complete_words config executor.mi
    [ "${COMPREPLY[*]}" = executor.mine.url ]
    cd /
    complete_words -C "$BATS_TEST_TMPDIR/work" path last c
    [ "${COMPREPLY[*]}" = count ]
}

@test "files and directories are the shell's" {
    words
    mkdir dir
    complete_words validate wo
    [ "${COMPREPLY[*]}" = words.json ]
    complete_words init --pool d
    [ "${COMPREPLY[*]}" = dir ]
}

@test "without a store, or with nonsense: quiet" {
    cd /
    go complete -- status ''
    ends_with 0
    [ -z "$output$stderr" ]
    go complete --
    ends_with 0
    go complete -- -C
    ends_with 0
}

@test "release --superseded completes names of workflows" {
    words
    store
    pingo submit words.json
    go complete -- release --superseded wo
    ends_with 0
    [ "$output" = words ]
}

@test "users come from the store, not the names of actions" {
    words
    store
    pingo run --user ann words.json
    for line in "shares set " "datasets --user "; do
        go complete -- $line a
        ends_with 0
        [ "$output" = ann ]
    done
}

@test "labels come from the actions of the workflow, and of the newest ones" {
    store
    one 'echo > output' '{"labels": {"sample": "3", "k": "21"}}'
    pingo submit one.json
    one 'echo > output' '{"labels": {"sample": "4"}}'
    pingo submit one.json
    complete_words path 1 --label ''
    [ "${COMPREPLY[*]}" = "k=21 sample=3" ]
    complete_words datasets --label sa
    [ "${COMPREPLY[*]}" = "sample=4 sample=3" ]
    # readline parts words at =.
    complete_words status --label sample = ''
    [ "${COMPREPLY[*]}" = "4 3" ]
    complete_words status --label sample =
    [ "${COMPREPLY[*]}" = "4 3" ]
    complete_words status 1 --label = sample = 3
    [ "${COMPREPLY[*]}" = 3 ]
    complete_words datasets --state = STORED_
    [ "${COMPREPLY[*]}" = STORED_TO_DELETE ]
}

@test "the scripts are sound shell" {
    pingo completion bash | bash -n
    ! command -v zsh >/dev/null || pingo completion zsh | zsh -n
    pingo completion zsh | grep -q '^#compdef pingo$'
}

@test "every option of every command can be completed" {
    local command
    pingo help --commands >all
    for command in $(grep -v ' ' all); do
        diff <(sed -n "s/^$command //p" all | sort) <(pingo complete -- "$command" -- | cut -f1 | sort)
    done
}
