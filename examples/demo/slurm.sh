#!/bin/sh
# slurm.sh - the demo's workflow on a real Slurm: three nodes on this machine, which are started for it and stopped at
# the end.
#
# Use: examples/demo/slurm.sh [PINGO [DIRECTORY]]
# As demo.sh: what it says of itself it checks, and it ends with 1 as soon as one of its claims is not true.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
pingo=${1:-${PINGO:-$top/build/pingo}}
dir=${2:-$(dirname "$pingo")/slurm-demo}
cluster=$top/test/slurm/cluster
texts=/usr/share/common-licenses

fail() {
    printf '\nslurm-demo: %s\n' "$*" >&2
    exit 1
}

say() {
    printf '\n'
    printf '%s ' "$@" | fold -s -w 76 | sed 's/^/# /; s/ *$//'
    printf '\n'
}

# Shows a command line as one would type it, and runs it.
show() {
    printf '\n$ %s\n' "$1"
    sh -ec "$1"
}

expect() { # WHAT IS WANTED
    [ "$2" = "$3" ] || fail "$1: $2, but it should be $3"
}

[ -x "$pingo" ] || fail "$pingo is not there: make first"
command -v jq > /dev/null || fail "jq is not installed: apt-get install jq"
if [ -e "$dir" ]; then
    [ -e "$dir/.pingo" ] || [ -z "$(ls -A "$dir")" ] || fail "$dir is there and is no demo's"
    chmod -R u+w "$dir"
    rm -rf "$dir"
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
exec 2>&1
PATH=$(cd "$(dirname "$pingo")" && pwd):$PATH
export PATH
unset PINGO_DIR
cp "$here/licences.jq" "$here"/*.awk "$dir"
cd "$dir"

say "A Slurm with three nodes, all of them this machine. It is yours alone, and goes" \
    "when this demo ends."
state=$(mktemp -d)
trap '"$cluster" down "$state" 2> /dev/null || :; rm -rf "$state"' EXIT
"$cluster" up "$state" --while $$
eval "$("$cluster" env "$state")"
show "sinfo"

say "Pingo is told where its slurmrestd is, as which user to ask it, and which command" \
    "prints a token. From now on actions run there."
show "pingo init"
show "pingo config executor.slurm.url $REST_URL"
show "pingo config executor.slurm.user $REST_USER"
show "pingo config executor.slurm.token '$TOKEN_COMMAND'"
show "pingo config executor slurm"

say "The workflow of 'make demo': which words are typical of which licence?"
# Real files only: GPL is a link to GPL-3.
find "$texts" -maxdepth 1 -type f | LC_ALL=C sort > names
# shellcheck disable=SC2046 # none of these has a space
jq -n -f licences.jq --arg trim '' --args $(cat names) > licences.json
show "pingo run licences.json"
show "pingo export last results"
show "cat 'results/typical words.txt'"
elsewhere=$(pingo status last --json | jq '[.actions[] | select(.node | test("^n[123]$") | not)] | length')
expect "actions that ran elsewhere than on its nodes" "$elsewhere" 0

say "Each action was a job of Slurm:"
show "squeue -t all -S i -o '%.6i %.10T %.4C %.8N  %k' | head -n 6"
expect "jobs left" "$(squeue -h | wc -l)" 0

say "What Slurm has made this machine reuses, and the other way round: nothing runs."
show "pingo config executor local"
show "pingo run licences.json"
expect "actions left to compute" "$(pingo plan licences.json --json | jq .summary.compute)" 0

say "Everything of it is in $dir. To keep a Slurm for tries: test/slurm/cluster up DIR."
"$cluster" down "$state"
