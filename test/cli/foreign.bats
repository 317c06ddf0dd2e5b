#!/usr/bin/env bats
# A .pingo that is not ours, or is none: nothing of it, and nothing that it points to, is written.
load helper

# Every command that opens a store, the reading ones first.
commands=("status" "datasets" "report" "plan words.json" "fsck" "tick" "submit words.json" "fsck --repair")

# Fails unless each command ends with a status of its own (no signal) and with this one, and leaves the files alone.
refused() { # STATUS FILE...
    local status_wanted=$1 before after command
    shift
    before=$(stat -c '%n %s %Y %i' "$@" && sha256sum "$@")
    for command in "${commands[@]}"; do
        # shellcheck disable=SC2086
        go $command
        ends_with "$status_wanted" || return 1
        [ -n "$stderr" ]
    done
    after=$(stat -c '%n %s %Y %i' "$@" && sha256sum "$@")
    [ "$before" = "$after" ] || {
        printf 'before:\n%s\nafter:\n%s\n' "$before" "$after"
        return 1
    }
}

foreign() { # FILE [MODE]
    python3 - "$@" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
if len(sys.argv) > 2:
    db.execute("PRAGMA journal_mode=" + sys.argv[2])
db.executescript("CREATE TABLE meta(key TEXT, value TEXT); INSERT INTO meta VALUES('a', 'b');"
                 "CREATE TABLE action(id INTEGER PRIMARY KEY); PRAGMA user_version=2;")
db.close()
END
}

other_user() {
    [ "$(id -u)" -eq 0 ] || skip "only root can give files away"
}

@test "the store of another user that points to files of ours" {
    other_user
    words
    foreign any.sqlite
    echo "precious = 1" >victim.conf
    mkdir -p s/.pingo/pool
    ln -s "$PWD/any.sqlite" s/.pingo/pingo.db
    ln -s "$PWD/victim.conf" s/.pingo/lock
    cp words.json text.txt s
    chown -hR 65534:65534 s
    cd s
    refused 4 ../any.sqlite ../victim.conf
    says "belongs to the user with the id 65534"
    [ -z "$(find . -user 0)" ]
}

@test "a .pingo that another user made a link to our store" {
    other_user
    words
    store
    mkdir s
    ln -s "$PWD/.pingo" s/.pingo
    chown -h 65534 s s/.pingo
    cp words.json text.txt s
    sqlite3 .pingo/pingo.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
    cd s
    refused 4 ../.pingo/pingo.db ../.pingo/lock
    says "this link belongs to the user with the id 65534"
    cd ..
    go status
    ends_with 0
}

@test "a link of our own leads to the store" {
    words
    mkdir elsewhere
    pingo -C elsewhere init >/dev/null
    ln -s elsewhere/.pingo .pingo
    go submit words.json
    ends_with 0
    [ "$(pingo -C elsewhere status --json | jq length)" -eq 1 ]
}

@test "a database or a lock that is a link, or no file" {
    words
    foreign any.sqlite
    echo "precious = 1" >victim.conf
    store
    pingo submit words.json >/dev/null
    mv .pingo/lock lock
    ln -s "$PWD/victim.conf" .pingo/lock
    refused 4 victim.conf
    says ".pingo/lock: is a link"
    rm .pingo/lock
    mkfifo .pingo/lock
    refused 4 victim.conf
    says ".pingo/lock: is no plain file"
    rm .pingo/lock
    mv lock .pingo/lock
    mv .pingo/pingo.db pingo.db
    ln -s "$PWD/any.sqlite" .pingo/pingo.db
    refused 4 any.sqlite
    says "pingo.db: is a link"
    rm .pingo/pingo.db
    mkfifo .pingo/pingo.db
    refused 4 victim.conf
    rm .pingo/pingo.db
    mv pingo.db .pingo/pingo.db
    go status
    ends_with 0
}

@test "another program's database that is called pingo.db" {
    words
    mkdir .pingo
    for mode in delete wal; do
        rm -f .pingo/*
        foreign .pingo/pingo.db $mode
        refused 4 .pingo/pingo.db
        says "another program"
        [ "$(ls .pingo)" = pingo.db ]
        rm -f .pingo/*
        foreign .pingo/pingo.db $mode
        sqlite3 .pingo/pingo.db "PRAGMA application_id=77; PRAGMA user_version=0"
        refused 4 .pingo/pingo.db
        says "application id 77"
        [ "$(ls .pingo)" = pingo.db ]
    done
}

@test "another program's database that was left in the middle of a transaction" {
    words
    mkdir .pingo
    python3 - <<'END'
import os, sqlite3
db = sqlite3.connect(".pingo/pingo.db", isolation_level=None)
db.executescript("CREATE TABLE t(x); PRAGMA cache_size=1; BEGIN")
for _ in range(200):
    db.execute("INSERT INTO t VALUES(zeroblob(4000))")
os._exit(0)
END
    [ -s .pingo/pingo.db-journal ]
    refused 4 .pingo/pingo.db .pingo/pingo.db-journal
    says "another program"
}

@test "a store with the version of a newer one, or one that cannot be" {
    words
    store
    pingo submit words.json >/dev/null
    version=$(sqlite3 .pingo/pingo.db "PRAGMA user_version")
    for wrong in -1 -2 -3 -2147483648 0 1; do
        sqlite3 .pingo/pingo.db "PRAGMA user_version=$wrong; PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
        refused 4 .pingo/pingo.db
        says "pingo.db is damaged: its version is $wrong"
    done
    sqlite3 .pingo/pingo.db "PRAGMA user_version=$((version + 1)); PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
    refused 4 .pingo/pingo.db
    says "the store is of version $((version + 1)), this Pingo knows up to $version: use a newer Pingo"
    sqlite3 .pingo/pingo.db "PRAGMA user_version=$version" >/dev/null
    go status
    ends_with 0
}

@test "bytes of the database that were changed at random: an error or an answer, never a crash" {
    words
    store
    pingo run -q words.json
    end_supervisors
    sqlite3 .pingo/pingo.db "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
    rm -f .pingo/pingo.db-wal .pingo/pingo.db-shm
    cp .pingo/pingo.db good.db
    python3 - <<'END'
import random
good = open("good.db", "rb").read()
for seed in range(1, 41):
    r = random.Random(seed)
    data = bytearray(good)
    for _ in range(r.choice((1, 4, 40))):
        data[r.randrange(0, 100 if r.random() < 0.2 else len(data))] = r.randrange(256)
    open("bad.%d" % seed, "wb").write(data)
END
    for seed in $(seq 40); do
        cp "bad.$seed" .pingo/pingo.db
        rm -f .pingo/pingo.db-wal .pingo/pingo.db-shm
        for command in status "submit words.json" tick; do
            # shellcheck disable=SC2086
            go $command
            [ "$status" -lt 124 ] || {
                printf 'seed %s, %s: status %s\n%s\n' "$seed" "$command" "$status" "$stderr"
                return 1
            }
        done
    done
}

@test "a store whose path is too long for its database: said with the limit, and nothing is left" {
    local long i
    long=$(printf 'd%.0s' $(seq 100))
    for i in 1 2 3 4 5 6; do mkdir "$long" && cd "$long"; done
    go init
    ends_with 4
    says "may have 5"
    says "put the store nearer to the root"
    [ ! -e .pingo/pingo.db ]
}
