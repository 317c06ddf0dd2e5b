#!/usr/bin/env bats
# Where descriptors or processes are short: an error that says so, never the end of the process by a signal.
load helper

# With so many more descriptors open than a shell has, as a runner of tests or a host program would have them.
limited() { # LIMIT MORE
    local fd
    for ((fd = 20; fd < 20 + $2; fd++)); do eval "exec $fd</dev/null"; done
    ulimit -n "$1" && exec timeout 60 "$PINGO" run -q words.json
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

@test "few processes: it works, or says what there is too few of" {
    local n open pid
    [ "$(id -u)" -eq 0 ] || skip "root is not held to that limit, and must become somebody else"
    command -v setpriv >/dev/null || skip "no setpriv"
    open=$(mktemp -d)
    words
    jq '.shell = "sh"' words.json >"$open/words.json"
    cp text.txt "$open"
    mkdir "$open/libexec"
    cp "$PINGO" "$open/pingo"
    cp "$(dirname "$PINGO")"/libexec/* "$open/libexec"
    chown -R 65533:65533 "$open"
    as_other() { setpriv --reuid=65533 --regid=65533 --clear-groups "$@"; }
    cd "$open"
    as_other timeout 60 ./pingo init
    as_other timeout 60 ./pingo config sandbox off
    has_ended() { ! kill -0 "$pid" 2>/dev/null; }
    told_or_ended() { [ -s err ] || has_ended; }
    for n in 3 6 8 10; do
        echo "$n" >>text.txt
        as_other bash -c 'ulimit -u "$1" && exec ./pingo run -q words.json' - "$n" 2>err >out &
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
    as_other timeout 60 ./pingo run -q words.json
    end_all_of "$open"
    cd /
    rm -rf "$open"
}

# The supervisor of a store elsewhere.
end_all_of() {
    local inode
    inode=$(stat -c %i "$1/.pingo/executor/local.lock" 2>/dev/null) || return 0
    awk -v inode="$inode" '$2 == "FLOCK" && $6 ~ ":" inode "$" { print $5 }' /proc/locks |
        while read -r pid; do kill -KILL "$pid" 2>/dev/null || :; done
}
