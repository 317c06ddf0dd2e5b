#!/usr/bin/env bats
# Where descriptors or processes are short: an error that says so, never the end of the process by a signal.
load helper

@test "few file descriptors" {
    local n
    words
    store
    for n in 6 7 8 9 10 11 12 13 14 16 18 20 22 24; do
        run --separate-stderr bash -c 'ulimit -n "$1" && exec timeout 60 "$2" run -q words.json' - "$n" "$PINGO"
        [ "$status" -lt 124 ] || {
            printf 'ulimit -n %s: status %s\n%s\n' "$n" "$status" "$stderr"
            return 1
        }
        [ "$n" -ge 10 ] || [ "$status" -ne 0 ]
        [ "$status" -eq 0 ] || [ -n "$stderr" ]
    done
    go run -q words.json
    ends_with 0
    go fsck
    ends_with 0
}

@test "few processes" {
    local n open
    [ "$(id -u)" -eq 0 ] || skip "root is not held to that limit, and must become somebody else"
    command -v setpriv >/dev/null || skip "no setpriv"
    open=$(mktemp -d)
    words
    cp words.json text.txt "$open"
    mkdir "$open/libexec"
    cp "$PINGO" "$open/pingo"
    cp "$(dirname "$PINGO")"/libexec/* "$open/libexec"
    chown -R 65533:65533 "$open"
    as_other() { setpriv --reuid=65533 --regid=65533 --clear-groups timeout "$limit" "$@"; }
    limit=60
    cd "$open"
    as_other ./pingo init
    # Where no helper can be started it waits, and says so: that is not what is asked here.
    limit=2
    for n in 2 3 4 5 6 7 8 10 12; do
        run --separate-stderr as_other bash -c 'ulimit -u "$1" && exec ./pingo run -q words.json' - "$n"
        [ "$status" -lt 125 ] || break
    done
    printf 'ulimit -u %s: status %s\n%s\n' "$n" "$status" "$stderr"
    [ "$status" -lt 125 ]
    limit=60
    run as_other ./pingo run -q words.json
    [ "$status" -eq 0 ]
    end_all_of "$open"
    cd /
    rm -rf "$open"
}

# The supervisor of a store elsewhere.
end_all_of() {
    local inode
    inode=$(stat -c %i "$1/.pingo/executor/local.lock")
    awk -v inode="$inode" '$2 == "FLOCK" && $6 ~ ":" inode "$" { print $5 }' /proc/locks |
        while read -r pid; do kill -KILL "$pid" 2>/dev/null || :; done
}
