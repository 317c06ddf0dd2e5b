#!/usr/bin/env bats
# Where descriptors or processes are short: an error that says so, never the end of the process by a signal.
load helper

# With so many more descriptors open than a shell has, as a runner of tests or a host program would have them.
limited() { # LIMIT MORE
    local fd
    for ((fd = 20; fd < 20 + $2; fd++)); do eval "exec $fd</dev/null"; done
    ulimit -n "$1" && exec timeout 600 "$PINGO" run -q words.json
}

@test "few file descriptors" {
    local n more worked=0
    words
    store
    for n in 6 8 9 10 12 14 16 20 24 26 28 32 36 40 44 46 48 52 56 60 64; do
        more=$((n * 5 % 13))
        [ "$n" -gt $((20 + more)) ] || more=0
        run --separate-stderr bash -c "$(declare -f limited); PINGO=$PINGO; limited $n $more"
        case $status in
        0) worked=$((worked + 1)) ;;
        124) false ;;
        *) [ "$n" -lt 12 ] || [[ $stderr = *'ulimit -n'* ]] ;;
        esac || {
            printf 'ulimit -n %s, %s more open: status %s\n%s\n' "$n" "$more" "$status" "$stderr"
            return 1
        }
        [ "$status" -lt 128 ]
    done
    go run -q words.json
    ends_with 0
    go fsck
    ends_with 0
}

# A store of somebody who is not root, where we are; words.json lies there.
become_other() {
    [ "$(id -u)" -eq 0 ] || skip "root is not held to limits, and must become somebody else"
    command -v setpriv >/dev/null || skip "no setpriv"
    open=$(mktemp -d)
    words
    jq '.shell = "sh"' words.json >"$open/words.json"
    cp text.txt "$open"
    mkdir "$open/libexec"
    cp "$PINGO" "$open/pingo"
    cp "$(dirname "$PINGO")"/libexec/* "$open/libexec"
    chown -R 65533:65533 "$open"
    cd "$open" || return
    as_other timeout 600 ./pingo init
    as_other timeout 600 ./pingo config sandbox off || : # version 0.1 has none
}

AS_OTHER=(setpriv --reuid=65533 --regid=65533 --clear-groups)
as_other() { "${AS_OTHER[@]}" "$@"; }

leave_other() {
    end_all_of "$open"
    cd /
    rm -rf "$open"
}

@test "few processes: it works, or says what there is too few of" {
    local n open pid
    become_other
    has_ended() { ! kill -0 "$pid" 2>/dev/null; }
    told_or_ended() { [ "$(wc -l <err)" -gt 0 ] || has_ended; }
    for n in 3 6 8 10; do
        echo "$n" >>text.txt
        : >err # what an earlier one said; this one may be late to empty it
        "${AS_OTHER[@]}" bash -c 'ulimit -u "$1" && exec ./pingo run -q words.json' - "$n" 2>err >out 3>&- &
        pid=$!
        STARTED="$STARTED $pid"
        until_true told_or_ended
        ! has_ended || { [ -s err ] || wait "$pid"; }
        [ ! -s err ] || grep -E 'processes|[fF]ork' err || { cat err; false; }
        kill -TERM "$pid" 2>/dev/null || :
        until_true has_ended
        status=0
        wait "$pid" || status=$?
        [ "$status" -le 129 ] || [ "$status" -eq 143 ]
        end_all_of "$open"
    done
    as_other timeout 600 ./pingo run -q words.json
    leave_other
}

# The Nth allocation fails, or with FROM all from it on.
fail_memory() { # FROM N WHAT...
    local from=$1 at=$2
    shift 2
    run --separate-stderr timeout 600 env FAIL_FROM="$from" FAIL_AT="$at" LD_PRELOAD="$PWD/shim.so" "$PINGO" "$@"
    [ "$status" -lt 124 ] || {
        printf 'allocation %s (from: %s) of %s: status %s\n' "$at" "$from" "$*" "$status"
        return 1
    }
}

@test "no memory: an error, at the start too" {
    local at
    cat >shim.c <<'END'
#include <errno.h>
#include <stdlib.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
static long left = -1;
static int fails(void)
{
    if (left < 0)
        left = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
    if (left == 0 || (left > 1 && left--))
        return 0;
    left = *getenv("FAIL_FROM") == '1';
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
END
    cc -shared -fPIC -o shim.so shim.c 2>/dev/null || skip "no compiler, or another C library"
    words
    store
    go run -q words.json
    fail_memory 0 1000000 path last sort
    [ "$status" -eq 0 ]
    for at in {8..30}; do fail_memory 0 "$at" path last sort; done
    for at in 12 15 20 {1300..1500..25}; do fail_memory 0 "$at" hash words.json; done
    for at in 3 15 40 150; do
        fail_memory 1 "$at" path last sort
        [ "$status" -ne 0 ]
    done
}

# What actions are under, in a file that does not depend on who asks: the workflow's name makes it new.
bounds_json() { # NAME
    jq -n --arg name "$1" '{name: $name, actions: [{id: 1, name: "bounds", type: "command-line", salt: $name,
      command: "{ ulimit -H -t; ulimit -H -v; ulimit -H -f; ulimit -H -n; nice; } > output"}]}' >"$1.json"
}

@test "limits and nice value of who comes first are not those of another's actions" {
    local open pid expected
    become_other
    bounds_json plain
    as_other timeout 600 ./pingo run -q plain.json
    expected=$(cat "$(as_other ./pingo path last bounds)")
    end_all_of "$open"
    for bound in 'ulimit -v 8000000' 'ulimit -t 3000' 'renice -n $(($(nice) + 5)) $$'; do
        bounds_json first
        bounds_json second
        # While the supervisor that was started so still has something to do, and when it has not.
        jq '.actions[0] += {command: "touch \($dir)/runs; while [ ! -e \($dir)/go ]; do sleep 0.05; done; nice > output"}' \
            --arg dir "$open" first.json >busy.json
        for before in busy first; do
            rm -f go runs
            as_other bash -c "$bound >/dev/null && exec timeout 600 ./pingo run -q -f bounds $before.json" &
            pid=$!
            STARTED="$STARTED $pid"
            [ "$before" = first ] && wait "$pid" || until_true test -e runs
            : >err
            as_other timeout 600 ./pingo run -q -f bounds second.json 2>err &
            second=$!
            STARTED="$STARTED $second"
            [ "$before" = first ] || { until_true grep 'stricter limit' err && touch go && wait "$pid"; }
            wait "$second"
            [ "$(cat "$(as_other ./pingo path last bounds)")" = "$expected" ] || {
                printf '%s, %s:\n' "$bound" "$before"
                cat "$(as_other ./pingo path last bounds)"
                return 1
            }
            end_all_of "$open"
        done
    done
    leave_other
}

# The supervisor of a store elsewhere.
end_all_of() {
    local inode
    inode=$(stat -c %i "$1/.pingo/executor/local.lock" 2>/dev/null) || return 0
    awk -v inode="$inode" '$2 == "FLOCK" && $6 ~ ":" inode "$" { print $5 }' /proc/locks |
        while read -r pid; do kill -KILL "$pid" 2>/dev/null || :; done
}
