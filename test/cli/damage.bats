#!/usr/bin/env bats
# Stores that are damaged, moved, copied, or another user's: one clear message, nothing made worse.
load helper

# The write-ahead log goes into the database, so that the database alone can be damaged.
checkpoint() {
    python3 -c 'import sqlite3; sqlite3.connect(".pingo/pingo.db").execute("pragma wal_checkpoint(truncate)")'
}

# Nobody may hold the store open while its files are changed.
ran() {
    words
    store
    pingo run -q words.json
    end_supervisors
}

@test "a database that is none, cut, or empty" {
    ran
    checkpoint
    cp .pingo/pingo.db good.db
    head -c 9000 /dev/zero | tr '\0' x >.pingo/pingo.db
    for command in status fsck "run words.json"; do
        # shellcheck disable=SC2086
        go $command
        ends_with 4
        says "pingo.db is damaged: file is not a database"
    done
    head -c 100 good.db >.pingo/pingo.db
    go status
    ends_with 4
    says "pingo.db is damaged"
    : >.pingo/pingo.db
    go run words.json
    ends_with 4
    says "the database is empty"
    cp good.db .pingo/pingo.db
    go run words.json
    ends_with 0
    says "2 reused"
}

@test "fsck tells damaged pages as I6 and repairs nothing then" {
    ran
    checkpoint
    python3 - <<'END'
import sqlite3
db = sqlite3.connect(".pingo/pingo.db") # pages that opening does not read
pages = [row[0] for row in db.execute("SELECT rootpage FROM sqlite_schema WHERE name IN"
                                      " ('dependency', 'claim', 'action', 'attempt')")]
db.close()
with open(".pingo/pingo.db", "r+b") as f:
    for page in pages:
        f.seek((page - 1) * 4096)
        f.write(b"\xff" * 200)
END
    cp .pingo/pingo.db before.db
    go fsck --repair --json
    ends_with 1
    json '.clean == false and (.findings | length > 0 and all(.invariant == "I6" and .repaired == false))'
    cmp .pingo/pingo.db before.db
    [ ! -s .pingo/pingo.db-wal ]
}

@test "a description that is not what was hashed is told, and never run" {
    words
    store
    pingo submit words.json
    checkpoint
    python3 - <<'END'
import sqlite3
db = sqlite3.connect(".pingo/pingo.db")
for key, text in db.execute("SELECT hash, description FROM definition").fetchall():
    db.execute("UPDATE definition SET description = ? WHERE hash = ?",
               (text.replace(b"' '", b"'x'"), key))
db.commit()
END
    go fsck --deep --json
    ends_with 1
    json '.findings | length == 1 and all(.invariant == "I6" and .repairable == false)'
    go run last
    ends_with 1
    says "failed: 1 split: $PWD/.pingo/pingo.db is damaged: the description of"
    go run words.json
    [ "$status" -ne 0 ]
    says "the store knows another description with this hash"
}

@test "a decision that is none crashes nobody" {
    words
    store
    pingo run -q --target split words.json
    pingo run -q words.json
    [ "$(sqlite3 .pingo/pingo.db "UPDATE plan SET decision = 100000; SELECT changes()")" -gt 0 ]
    for command in "log 2 split" "status 2" "status 2 split" "why 2" history report; do
        # shellcheck disable=SC2086 # words
        go $command
        ends_with 0
    done
}

@test "a store on a disk that does not answer is no store that is not there" {
    command -v strace >/dev/null || skip "no strace"
    store
    sick() { run --separate-stderr timeout 600 strace -f -qq -o trace -P "$PWD/.pingo$1" -e inject="$2":error=EIO "$PINGO" status; }
    for call in access newfstatat; do
        for place in "" /pingo.db; do
            sick "$place" "$call"
            [ "$status" -ne 0 ] || continue
            grep -q INJECTED trace
            says "/.pingo: looking at the store: Input/output error"
            [[ $stderr != *"there is no store"* && $stderr != *"pingo init"* ]]
            told=yes
        done
    done
    [ "$told" = yes ]
    sick /pool openat
    ends_with 4
    says "the pool cannot be opened: Input/output error"
    [[ $stderr != *"if it was moved"* ]]
}

@test "a pool that is another's, or moved away, and back by a link" {
    ran
    mv .pingo/pool elsewhere
    go run words.json
    ends_with 4
    says "the pool cannot be opened"
    says "symbolic link"
    ln -s ../elsewhere .pingo/pool
    go run words.json
    ends_with 0
    says "2 reused"
    chmod u+w elsewhere/pingo-pool
    printf 'a\033[31mb\nc' >elsewhere/pingo-pool
    go status
    ends_with 4
    says 'is not this store'"'"'s pool: its pingo-pool says "a?\[31mb"'
    rm -f elsewhere/pingo-pool
    go status
    ends_with 4
    says "is not a pool: it has no pingo-pool"
    mkfifo elsewhere/pingo-pool
    run --separate-stderr timeout 600 "$PINGO" status
    ends_with 4
    says "its pingo-pool is not a file"
}

@test "of many datasets that vanished the first are named and the others counted" {
    store
    jq -n -c '{name: "w", actions: [range(30) | {id: ., name: "a\(.)", type: "command-line", command: "echo \(.) > output"}]}' >w.json
    for way in "submit w.json" "fsck --repair" tick; do
        pingo run -q w.json
        [ "$way" != tick ] || jq -c '.actions += [range(30) | {id: (. + 100), name: "r\(.)", type: "command-line",
            command: "cat in/up > output", parentActions: [{id: ., as: "up"}]}]' w.json | pingo submit -
        chmod -R u+w .pingo/pool/objects
        rm -rf .pingo/pool/objects/*
        go $way
        [ "$(grep -c 'vanished from the pool; it will' <<<"$stderr")" -eq 10 ]
        says 'and so did 20 more; they will be made again if needed'
    done
}

@test "fsck --repair: many datasets that vanished are mended at once, and each is told" {
    command -v strace >/dev/null || skip "no strace"
    store
    jq -n -c '{name: "w", actions: [range(60) | {id: ., name: "a\(.)", type: "command-line", command: "echo \(.) > output"}]}' >w.json
    pingo run -q w.json
    chmod -R u+w .pingo/pool/objects
    find .pingo/pool/objects -type f -delete
    strace -qq -f -e trace=fdatasync -o trace "$PINGO" fsck --repair >told 2>/dev/null
    [ "$(grep -c 'its file is gone (repaired)' told)" -eq 60 ]
    grep -qx '60 findings, 60 repaired' told
    # On a slow machine they are some in each of few transactions.
    [ "$(grep -c fdatasync trace)" -le 20 ]
    go fsck
    ends_with 0
}

@test "a pool that was deleted by hand is made anew as the message says" {
    ran
    chmod -R u+w .pingo/pool
    rm -r .pingo/pool
    go run words.json
    ends_with 4
    says "if it is lost, make a directory of mode 700 with a file pingo-pool that says \""
    mkdir -m 700 .pingo/pool
    sed -n 's/.*that says "\(.*\)"$/\1/p' <<<"$stderr" >.pingo/pool/pingo-pool
    go run words.json
    ends_with 0
    says "ran 3, reused 0"
    pingo fsck --repair
    go fsck --deep
    ends_with 0
}

@test "a dataset that was changed or removed by hand is given to nobody" {
    ran
    file=$(pingo path last sort)
    chmod u+w "$file"
    tr a-z A-Z <"$file" >other
    cat other >"$file"
    go path last sort
    ends_with 5
    says "was changed since it was made"
    says "with the action that makes it as a target"
    go export last there
    ends_with 5
    [ ! -e there/sort ]
    touch "$(pingo path last count)"
    go path last count
    ends_with 0
    chmod u+w "$(dirname "$file")"
    rm -f "$file"
    go path last sort
    ends_with 5
    says "vanished from the pool"
    go run -q words.json
    ends_with 0
    [ "$(wc -l <"$(pingo path last sort)")" -eq 9 ]
    pingo fsck --deep
}

@test "an unmanaged output that was removed is named by its path" {
    store
    one 'echo x >output' '{"isManaged": false, "outputPath": "out.txt"}'
    pingo run -q one.json
    rm out.txt
    go fsck
    ends_with 1
    prints "I4  dataset *: its file is gone: $PWD/out.txt"
}

@test "an unmanaged output that its reader misses is not said to have been in the pool" {
    store
    jq -n '{name: "u", actions: [
        {id: 1, name: "out", type: "command-line", isManaged: false, outputPath: "out.txt", command: "echo x > output"},
        {id: 2, name: "wait", type: "command-line", parentActions: [{id: 1, as: "x"}],
         command: "cp in/x output; until [ -e '"$PWD"'/go ]; do sleep 0.05; done", sandbox: false},
        {id: 3, name: "read", type: "command-line",
         parentActions: [{id: 1, as: "x"}, {id: 2, as: "y"}], command: "cat in/x in/y > output"}]}' >u.json
    pingo run u.json 2>said 3>&- &
    until_true eval 'pingo status last --json | jq -e ".actions[1].state == \"RUNNING\"" >/dev/null'
    rm out.txt
    touch go
    wait $!
    stderr=$(cat said)
    says "$PWD/out.txt: vanished; it will be made again if needed"
    [ "$(cat out.txt)" = x ]
}

@test "a dataset that only others read, and that nothing needs now, comes back as the message advises" {
    ran
    file=$(pingo path last split)
    chmod u+w "$file"
    echo other >"$file"
    go export last split there
    ends_with 5
    says "run the workflow again with it as a target"
    pingo run -q words.json
    pingo run -q --target split words.json
    go export last split there
    ends_with 0
}

@test "a pool of which a part is a link, or was left out by a copy" {
    ran
    mkdir elsewhere
    echo mine >elsewhere/keep
    rmdir .pingo/pool/staged
    go run words.json
    ends_with 0
    mv .pingo/pool/attempts attempts
    ln -s ../../elsewhere .pingo/pool/attempts
    go run words.json
    ends_with 4
    says "pool/attempts: is not a directory of the pool"
    [ "$(cat elsewhere/keep)" = mine ]
}

@test "a store moves with its directory" {
    mkdir here
    mv text.txt here
    cd here
    ran
    cd ..
    mv here there
    cd there
    go run words.json
    ends_with 0
    says "2 reused"
    [[ $(pingo path last sort) == "$PWD/.pingo/pool/objects/"* ]]
    [ "$(wc -l <"$(pingo path last sort)")" -eq 9 ]
    pingo fsck --deep
}

@test "a store that was put back from a copy keeps what has the same content" {
    ran
    copy() { # workers may still be going
        chmod -R u+w copy 2>/dev/null || :
        rm -rf copy
        cp -a .pingo copy 2>/dev/null
    }
    until_true copy
    chmod -R u+w .pingo
    rm -r .pingo
    mv copy .pingo
    file=$(pingo path last count)
    chmod u+w "$file"
    echo other >"$file"
    go fsck --json
    ends_with 1
    json '.findings | length == 1 and (.[0].message | contains("kind, size or mode"))'
    go fsck --repair --json
    ends_with 0
    json '.clean and (.findings | length == 1 and all(.repaired))'
    go fsck --deep
    ends_with 0
    go plan words.json --json
    json '[.actions[] | select(.decision == "reuse") | .name] | sort == ["sort", "split"]'
    json '.actions[] | select(.name == "count") | .decision == "compute"'
}

@test "a store of another user is refused, also when it could be read" {
    [ "$(id -u)" -eq 0 ] || skip "only root can become another user"
    command -v setpriv >/dev/null || skip "no setpriv"
    # The directories of the tests are closed to others.
    open=$(mktemp -d)
    chmod 755 "$open"
    cp "$PINGO" "$open/program"
    pingo -C "$open" init
    as_nobody() {
        run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$open/program" -C "$open" "$@"
    }
    as_nobody status
    closed_status=$status closed=$stderr
    chmod -R a+rwX "$open/.pingo"
    as_nobody status
    [ -z "$(find "$open" -user 65534)" ] || status=99
    chmod -R u+w "$open"
    rm -r "$open"
    ends_with 4
    says "only its owner can use it"
    says "pingo serve"
    [ "$closed_status" -eq 4 ]
    stderr=$closed
    says "belongs to the user with the id 0"
}

@test "an outputPath that would replace the store, or lies in it by a link, is refused" {
    store
    echo precious >file
    ln -s .pingo/pool link
    for path in . .. .pingo link/x link/new/x .pingo/pool/objects; do
        one 'mkdir output' "{\"isManaged\": false, \"outputPath\": \"$path\"}"
        go run one.json
        ends_with 3
        says outputPath
    done
    [ -s file ]
    pingo fsck
    one 'echo x > output' '{"isManaged": false, "outputPath": "link"}'
    go run --force-outputs one.json
    ends_with 0
    [ ! -L link ]
    go export last there
    ends_with 0
    says "nothing to export"
}

@test "what lies in the pool from another life of the database is not taken for what was just made" {
    one 'cat in/x > output; date +%N >> output' '{"inputs": [{"name": "x", "path": "text.txt"}]}'
    pingo init --pool "$PWD/pool" >/dev/null
    pingo config sandbox off || :
    cp -a .pingo before
    go run -q one.json
    ends_with 0
    end_supervisors
    rm -rf .pingo
    mv before .pingo
    cp "$(find pool/objects -type f)" former
    go run -q one.json
    ends_with 0
    go path last one
    if cmp -s "$output" former; then false; fi
    go fsck --deep
    ends_with 0
    [ -z "$(ls pool/staged)" ]
}

@test "a file where a directory of objects belongs stops nobody" {
    local shard
    words
    store
    shard=$(pingo hash --json words.json | jq -r '.[0].hash[0:2]')
    [ ${#shard} -eq 2 ]
    mkdir -p .pingo/pool/objects
    echo foreign >".pingo/pool/objects/$shard"
    go run -q words.json
    ends_with 0
    [ -d ".pingo/pool/objects/$shard" ]
    go fsck --deep
    ends_with 0
}

@test "fsck --repair: what cannot be read now is not deleted as what no row knows" {
    store
    one 'echo 1 > output'
    pingo run -q one.json
    path=$(pingo path last one)
    mv "$path" "${path%.*}.77"
    cat >shim.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int openat(int dir, const char *name, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    unsigned mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, unsigned) : 0;
    va_end(list);
    if (getenv("SICK") && strstr(name, getenv("SICK"))) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_openat, dir, name, flags, mode);
}
END
    "${CC:-cc}" -shared -fPIC -o shim.so shim.c
    SICK=$(basename "${path%.*}.77") LD_PRELOAD=$PWD/shim.so go fsck --repair
    ends_with 1
    prints 'and it stays:'
    prints 'Input/output error'
    [ -e "${path%.*}.77" ]
    go fsck --repair
    ends_with 0
    go run one.json
    ends_with 0
    says '0 to compute, 1 reused'
}
