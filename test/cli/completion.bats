#!/usr/bin/env bats
# Completion: what the scripts ask, and the script of bash itself.
# shellcheck disable=SC2088 # what a person writes, ~ too, is completed as it is written
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
    complete_words help --schema ex
    [ "${COMPREPLY[*]}" = export ]
    complete_words help --schema complet
    [ "${#COMPREPLY[@]}" -eq 0 ]
    complete_words help --schema sim
    [ "${COMPREPLY[*]}" = simulate ]
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
    complete_words import ''
    [ "${COMPREPLY[*]}" = wfformat ]
    complete_words completion ''
    [ "${COMPREPLY[*]}" = "bash zsh fish" ]
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
    complete_words config sandbox ''
    [ "${COMPREPLY[*]}" = "on off" ]
    complete_words config executor.slurm.via ''
    [ "${COMPREPLY[*]}" = "rest commands" ]
    complete_words config decision.algorithm ch
    [ "${COMPREPLY[*]}" = chain ]
    complete_words config pool.budget ''
    [ "${COMPREPLY[*]}" = 0 ]
    complete_words config --check ''
    [ "${COMPREPLY[*]}" = "hadoop local mine slurm" ]
    cd /
    complete_words -C "$BATS_TEST_TMPDIR/work" path last c
    [ "${COMPREPLY[*]}" = count ]
}

@test "datasets are offered by name, and by the first digits of their hashes" {
    words
    store
    pingo run -q words.json
    pingo run -q --force split words.json
    complete_words datasets ''
    [ "${COMPREPLY[*]}" = "count sort split" ]
    hash=$(pingo hash words.json --json | jq -r '.[1].hash')
    complete_words rm "${hash:0:1}" # there may be many
    [[ "${COMPREPLY[*]}" != *"${hash:0:12}"* ]]
    complete_words rm "${hash:0:4}"
    [ "${COMPREPLY[*]}" = "${hash:0:12}" ]
}

@test "the store is that of -C, however it is written" {
    words
    store
    pingo submit words.json
    for way in "-C $PWD" "-C$PWD" "--directory $PWD" "--directory=$PWD"; do
        # shellcheck disable=SC2086 # an option and its argument
        (cd / && go complete -- $way path last c && [ "${output%%$'\t'*}" = count ]) || { echo "$way"; return 1; }
    done
}

@test "where a server is meant no store here is asked" {
    words
    store
    pingo submit words.json
    for way in '--server http://nowhere' '--server=http://nowhere'; do
        # shellcheck disable=SC2086 # an option and its argument
        go complete -- $way kill ''
        [ -z "$output" ]
    done
    export PINGO_SERVER=http://nowhere
    go complete -- kill ''
    [ -z "$output" ]
    go complete -- -C "$PWD" kill ''
    [ -n "$output" ]
}

@test "behind -- and behind a command for exec there are no options" {
    words
    store
    go complete -- status --
    [ -n "$output" ]
    go complete -- status 1 -- -
    [ -z "$output" ]
    go complete -- exec --inp
    [ -n "$output" ]
    go complete -- exec tar --inp
    [ "$output" = :file ]
    go complete -- exec -- tar --input=w
    [ "$output" = :file ]
    go complete -- exec tar --input ''
    [ "$output" = :file ]
    go complete -- datasets -- --label ''
    [ -z "$output" ]
}

@test "a name that would be taken for an option is offered behind -- alone" {
    store
    printf '{"name": "w", "actions": [{"id": 1, "name": "-f", "type": "external", "description": "d"}]}' >w.json
    pingo submit w.json
    go complete -- log 1 ''
    [ -z "$output" ]
    go complete -- log -- 1 ''
    [ "$output" = $'-f\t1' ]
}

@test "files and directories are the shell's" {
    words
    mkdir dir
    complete_words validate wo
    [ "${COMPREPLY[*]}" = words.json ]
    complete_words init --pool d
    [ "${COMPREPLY[*]}" = dir ]
    complete_words export last '' d
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

# A store in "a dir" below the home directory, with actions whose names a shell quotes.
quoted_names() {
    export HOME=$PWD
    mkdir 'a dir'
    cd 'a dir' || return
    store
    jq -n '{name: "w", actions: [["two words", "two $HOME", "back\\slash", "quo\"te"] | to_entries[] |
        {id: .key, name: .value, type: "external", description: "d"}]}' >w.json
    pingo submit w.json
    cd .. || return
}

@test "words are completed as they are written, quoted or not" {
    quoted_names
    complete_words -C '"a dir"' log last ''
    [ "${#COMPREPLY[@]}" -eq 4 ]
    complete_words -C '~/a\ dir' log last 'two\ w'
    [ "${COMPREPLY[*]}" = 'two\ words' ]
    complete_words -C "~/'a dir'" log last '"two'
    [ "${COMPREPLY[*]}" = 'two words two \$HOME' ]
    complete_words -C 'a\ dir' log last "'two \$"
    [ "${COMPREPLY[*]}" = 'two $HOME' ]
    complete_words -C 'a\ dir' log last 'back\\s'
    [ "${COMPREPLY[*]}" = 'back\\slash' ]
    complete_words -C 'a\ dir' log last '"quo\"'
    [ "${COMPREPLY[*]}" = 'quo\"te' ]
    complete_words init --pool '"a d'
    [ "${COMPREPLY[*]}" = 'a dir' ]
    at_home
    COMP_WORDS=('~/a\ dir/pingo' sta) COMP_CWORD=1
    _pingo "${COMP_WORDS[@]}" ''
    [ "${COMPREPLY[*]}" = status ]
}

at_home() { ln -s "$PINGO" 'a dir/pingo'; }

# What zsh is told to offer for these words, the last of them as far as it is typed.
zsh_offers() {
    zsh -f -c 'compdef() { }; _describe() { print -rl -- "${candidates[@]}" }; compset() { print -r -- "but for $2" }
        _files() { print -r -- "files $*" }; source <("$1" completion zsh)
        words=("${PROGRAM-$1}" "${@[2,-1]}"); CURRENT=$#; PREFIX=${@[-1]#[\"'"\\'"']}; _pingo' zsh "$PINGO" "$@"
}

@test "zsh: what is offered" {
    command -v zsh >/dev/null || skip 'no zsh'
    quoted_names
    [ "$(zsh_offers sta)" = 'status:show the workflows, or the actions of one' ]
    [ "$(zsh_offers -C '"a dir"' log last 'two\ w')" = 'two words:0' ]
    [ "$(zsh_offers -C '~/a\ dir' log last '"two')" = $'two words:0\ntwo $HOME:1' ]
    [ "$(zsh_offers -C 'a\ dir' log last 'back')" = 'back\\slash:2' ]
    [ "$(zsh_offers datasets --state=ST)" = $'but for *=\nSTORED\nSTORED_TO_DELETE' ]
    [ "$(zsh_offers init --pool=x)" = $'but for *=\nfiles -/' ]
    at_home
    [ "$(PROGRAM='~/a\ dir/pingo' zsh_offers sta)" = 'status:show the workflows, or the actions of one' ]
}

@test "fish: what is offered" {
    command -v fish >/dev/null || skip 'no fish'
    quoted_names
    fish_offers() { fish --no-config -c '$argv[1] completion fish | source; complete -C$argv[2]' "$PINGO" "$1"; }
    PATH=$(dirname "$PINGO"):$PATH
    [ "$(fish_offers 'pingo sta')" = $'status\tshow the workflows, or the actions of one' ]
    [ "$(fish_offers 'pingo -C "a dir" log last two\ w')" = $'two words\t0' ]
    [ "$(fish_offers 'pingo -C ~/a\ dir log last "two')" = $'two $HOME\t1\ntwo words\t0' ]
    [ "$(fish_offers 'pingo datasets --state=STORED_')" = '--state=STORED_TO_DELETE' ]
    fish_offers 'pingo init --pool=a' | grep -q '^--pool=a dir/'
    fish_offers 'pingo run a' | grep -q '^a dir/'
    at_home
    [ "$(fish_offers '~/a\ dir/pingo sta')" = $'status\tshow the workflows, or the actions of one' ]
}

@test "the scripts are sound shell" {
    pingo completion bash | bash -n
    ! command -v zsh >/dev/null || pingo completion zsh | zsh -n
    ! command -v fish >/dev/null || pingo completion fish | fish --no-config -n
    pingo completion zsh | grep -q '^#compdef pingo$'
}

@test "every option of every command can be completed" {
    local command
    pingo help --commands >all
    for command in $(grep -v ' ' all); do
        diff <(sed -n "s/^$command //p" all | sort) <(pingo complete -- "$command" -- | cut -f1 | sort)
    done
}
