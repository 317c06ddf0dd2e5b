#!/usr/bin/env bats
# destroy: a store goes with its pool, and nothing else does.
load helper

busy() { # the store has something of everything
    words
    pingo run -q words.json
    one 'mkdir -p output/a/b; echo 1 > output/a/b/f; chmod -R a-w output'
    pingo run -q one.json
    one 'mkdir left; chmod 500 left; exit 1'
    pingo run -q one.json || :
    pingo run --detach one.json 3>&-
    pingo wait -q last || :
}

# Waits for a process that this shell started; its status in $status.  Each by itself: tail of
# coreutils 9.1 heeds the last --pid alone.
ended() { # PID
    status=0
    timeout 600 tail --pid="$1" -f /dev/null
    wait "$1" || status=$?
}

@test "destroy: all that Pingo made, read-only directories too" {
    store
    busy
    pingo export last split out || :
    pingo export 1 out
    echo mine >mine
    go destroy
    ends_with 2
    says "--yes"
    [ -d .pingo ]
    end_supervisors # an idle one would be waited for
    go destroy --yes --json
    ends_with 0
    json '.directory == "'"$PWD"'/.pingo" and .pool == "'"$PWD"'/.pingo/pool" and .datasets == 4 and .sizeBytes > 0 and .kept == []'
    [ ! -e .pingo ]
    [ "$(cat mine)" = mine ]
    [ -f out/sort ]
    go destroy --yes
    ends_with 4
    [[ $stderr != *"pingo init"* ]]
    go init
    ends_with 0
}

@test "destroy: of a pool that is not at its place it is told that it stays" {
    words
    pingo init --pool pool
    pingo run -q words.json
    end_supervisors
    mv pool away
    go destroy --yes
    ends_with 0
    says "kept: $PWD/pool: no pool is there"
    [ ! -e .pingo ]
    [ -e away/pingo-pool ]
}

@test "destroy: what Pingo did not make stays and is named; links are not followed" {
    mkdir pool elsewhere
    echo mine >elsewhere/1.1
    pingo init --pool pool
    busy
    echo mine >pool/notes
    echo mine >pool/objects/.DS_Store
    mkdir pool/attempts/results
    echo mine >.pingo/todo
    ln -s ../elsewhere "pool/attempts/9.9"
    end_supervisors
    go destroy --yes
    ends_with 0
    says "kept: $PWD/pool/notes"
    says "kept: $PWD/pool/objects/.DS_Store"
    says "kept: $PWD/pool/attempts/results"
    says "kept: $PWD/.pingo/todo"
    [ "$(grep -c kept: <<<"$stderr")" = 4 ] # not what they lie in
    [ "$(find pool .pingo ! -type d | sort | xargs)" = ".pingo/todo pool/notes pool/objects/.DS_Store" ]
    [ "$(cat elsewhere/1.1)" = mine ]
    go status
    ends_with 4
}

@test "destroy: what cannot be removed is told with its reason, and nothing else of it" {
    store
    one 'echo 1 >output'
    pingo run -q one.json
    file=$(find .pingo/pool/objects -type f)
    chattr +i "$file" || skip "nothing here is immutable"
    go destroy --yes
    chattr -i "$file"
    ends_with 0
    [ "$(grep kept: <<<"$stderr")" = "pingo: kept: $PWD/$file: Operation not permitted" ]
}

@test "destroy: not while it is used, not above, not another store's pool" {
    store
    pingo config sandbox off # the gate lies outside
    one "touch '$PWD/up'; while [ ! -e '$PWD/go' ]; do sleep 0.05; done; echo > output"
    "$PINGO" run -q one.json &
    STARTED=$!
    until_true test -e up
    go destroy --yes
    ends_with 6
    says "a process runs workflows of this store"
    kill -KILL "$STARTED"
    wait "$STARTED" || :
    go destroy --yes
    ends_with 6
    says "still run"
    touch go
    go run -q last
    ends_with 0
    mkdir below
    cd below
    go destroy --yes
    ends_with 4
    says "$PWD: there is no store here"
    cd ..
    printf 'another\n' >other
    mv -f other .pingo/pool/pingo-pool
    go destroy --yes
    ends_with 4
    says "is not this store's pool"
    [ -f .pingo/pingo.db ]
    pingo_id=$(sqlite3 .pingo/pingo.db "SELECT value FROM meta WHERE key = 'store.id'" 2>/dev/null) || skip "no sqlite3"
    rm -f .pingo/pool/pingo-pool
    printf '%s\n' "$pingo_id" >.pingo/pool/pingo-pool
    go destroy --yes
    ends_with 0
    [ ! -e .pingo ]
}

@test "destroy: on a terminal it asks; what was cut short is done again" {
    store
    busy
    command -v script >/dev/null || skip "no script"
    run script -qec "$PINGO destroy" /dev/null <<<n
    [ "$status" -eq 1 ]
    [[ $output == *"$PWD/.pingo/pool: 4 datasets"*"Remove it?"*"nothing was removed"* ]]
    [ -f .pingo/pingo.db ]
    end_supervisors
    rm -rf .pingo/pool # as if it had been killed in between
    run script -qec "$PINGO destroy" /dev/null <<<y
    [ "$status" -eq 0 ]
    [ ! -e .pingo ]
}

@test "a database that is put in the place of one in use: nothing more is written to that" {
    store
    sqlite3 .pingo/pingo.db ".backup back.db" || skip "no sqlite3"
    one "echo >'$PWD'/started; until [ -e '$PWD'/go ]; do sleep 0.05; done; echo x >output"
    "$PINGO" run one.json >out 2>err &
    runner=$!
    STARTED="$STARTED $runner"
    until_true test -e started
    rm .pingo/pingo.db-*
    mv back.db .pingo/pingo.db
    touch go
    ended "$runner"
    [ "$status" -eq 4 ]
    grep "$PWD/.pingo: the store was removed while it was in use, or moved, or another database put in its place" err
    go status
    ends_with 0
}

@test "a store that was removed by hand: whoever uses it says so, and ends" {
    store
    one "echo >'$PWD'/started; until [ -e '$PWD'/go ]; do sleep 0.05; done; echo x >output"
    "$PINGO" run one.json >out 2>err &
    runner=$!
    STARTED="$STARTED $runner"
    until_true test -e started
    "$PINGO" wait last >out2 2>err2 &
    waiter=$!
    STARTED="$STARTED $waiter"
    until_true eval "ls -l /proc/$waiter/fd | grep -q 'pingo[.]db'"
    until rm -rf .pingo; do :; done
    touch go
    ended "$runner"
    [ "$status" -eq 4 ]
    grep "$PWD/.pingo: the store was removed while it was in use" err
    ! grep 'go on' err || return 1
    ended "$waiter"
    [ "$status" -eq 4 ]
}
