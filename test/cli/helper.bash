# helper.bash - what the tests of the CLI share: a store of their own in a directory of their own,
# small workflows, and ways to look at what was said.
#
# $PINGO names the program under test.  Every test ends what it started; its store's supervisor is
# ended by the pid that holds the store's lock.
# shellcheck disable=SC2154 # output, stderr and status are set by run
bats_require_minimum_version 1.5.0

PINGO=${PINGO:-$BATS_TEST_DIRNAME/../../build/pingo}
case $PINGO in
/*) ;;
*) PINGO=$(cd "$(dirname "$PINGO")" && pwd)/$(basename "$PINGO") ;;
esac
unset PINGO_DIR NO_COLOR

# No test may hang: whatever it starts has three minutes.  What is printed with --json is kept, for teardown_file.
pingo() {
    local command
    case " $* " in
    *' --json '*)
        command=$(first_operand "$@")
        mkdir -p "$BATS_FILE_TMPDIR/documents"
        timeout --foreground 600 "$PINGO" "$@" | tee "$(mktemp "$BATS_FILE_TMPDIR/documents/$command.XXXXXXXX")"
        return "${PIPESTATUS[0]}"
        ;;
    *) timeout --foreground 600 "$PINGO" "$@" ;;
    esac
}

# Who looks into a store waits for whoever has it for himself for a moment.
sqlite3() { command sqlite3 -cmd '.timeout 60000' "$@"; }

# The command of a call.
first_operand() {
    while [ $# -gt 0 ]; do
        case $1 in
        -C | --directory | --server | --time-style) shift ;;
        lab | -*) ;;
        *) break ;;
        esac
        shift
    done
    printf '%s\n' "${1:-none}"
}

# Whatever the tests of a file printed with --json is as pingo help --schema says.
check_documents() {
    if [ -d "$BATS_FILE_TMPDIR/documents" ]; then
        /usr/bin/python3 "$BATS_TEST_DIRNAME/documents.py" "$PINGO" "$BATS_FILE_TMPDIR/documents"
    fi
}

teardown_file() {
    check_documents
}

# Standard output in $output, standard error in $stderr, the status in $status.
go() {
    run --separate-stderr pingo "$@"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir work
    cd work || return 1
    printf 'the quick brown fox\njumps over the lazy dog\n' >text.txt
}

teardown() {
    local pid
    for pid in $STARTED; do
        kill -KILL "$pid" 2>/dev/null || :
    done
    end_supervisors
    chmod -R u+w "$BATS_TEST_TMPDIR" 2>/dev/null || :
}

# Ends the supervisor of each store below the test's directory, and so its workers.
end_supervisors() {
    local lock inode pid
    find "$BATS_TEST_TMPDIR" -path '*/executor/local.lock' 2>/dev/null | while read -r lock; do
        inode=$(stat -c %i "$lock")
        awk -v inode="$inode" '$2 == "FLOCK" && $6 ~ ":" inode "$" { print $5 }' /proc/locks |
            while read -r pid; do
                if [ "$pid" -gt 1 ]; then kill -KILL "$pid" 2>/dev/null || :; fi
            done
    done
}

# Commands of most tests note outside what they did, and wait for files there; sandbox.bats has its own.
store() {
    pingo init >/dev/null
    pingo config executor.slots 2
    pingo config sandbox off
}

# A store whose actions may wait for files that the test makes: they lie outside of what a sandbox shows.
open_store() {
    store
    pingo config sandbox off
}

# words.json: split reads text.txt; sort and count read what split made.
words() {
    cat >words.json <<'END'
{"name": "words", "actions": [
  {"id": 1, "name": "split", "type": "command-line",
   "command": "tr ' ' '\\n' < in/text > output", "inputs": [{"name": "text", "path": "text.txt"}]},
  {"id": 2, "name": "sort", "type": "command-line",
   "command": "sort in/words > output", "parentActions": [{"id": 1, "as": "words"}]},
  {"id": 3, "name": "count", "type": "command-line", "output": "n.txt",
   "command": "wc -l < in/words > n.txt", "parentActions": [{"id": 1, "as": "words"}]}]}
END
}

# one.json: a single action "one" of this command (a shell line), and more keys if given.
one() {
    jq -n --arg command "$1" --argjson more "${2:-{\}}" \
        '{name: "single", actions: [{id: 1, name: "one", type: "command-line", command: $command} + $more]}' \
        >one.json
}

# The output is a JSON document for which this jq program is true.
json() {
    jq -e "$1" <<<"$output" >/dev/null || {
        printf 'not true: %s\nof: %s\n' "$1" "$output"
        return 1
    }
}

ends_with() { # STATUS
    [ "$status" -eq "$1" ] || {
        printf 'status %s, not %s\nstdout: %s\nstderr: %s\n' "$status" "$1" "$output" "$stderr"
        return 1
    }
}

says() { # PATTERN of a shell, somewhere in standard error
    # shellcheck disable=SC2254
    case $stderr in
    *$1*) ;;
    *)
        printf 'standard error lacks: %s\nit is: %s\n' "$1" "$stderr"
        return 1
        ;;
    esac
}

prints() { # PATTERN of a shell, somewhere in standard output
    # shellcheck disable=SC2254
    case $output in
    *$1*) ;;
    *)
        printf 'standard output lacks: %s\nit is: %s\n' "$1" "$output"
        return 1
        ;;
    esac
}

# jq, whose 1.6 ends `-e` with 0 where nothing came in (later ones with 4): a test that fails in the
# pipe before it has failed.
jq() {
    case $1 in
    -*e*) ;;
    *)
        command jq "$@"
        return
        ;;
    esac
    local answer status=0
    answer=$(command jq "$@") || status=$?
    [ -n "$answer" ] || return $((status ? status : 4))
    printf '%s\n' "$answer"
    return $status
}

# Waits up to ten minutes until a command is true.
until_true() {
    local end=$((SECONDS + 600))
    while [ $SECONDS -lt $end ]; do
        "$@" && return 0
        sleep 0.05
    done
    printf 'never true: %s\n' "$*"
    return 1
}
