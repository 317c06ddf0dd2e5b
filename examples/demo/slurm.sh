#!/bin/sh
# slurm.sh - the demo's workflow on a real Slurm: three nodes on this machine, which are started for it and stopped at
# the end.
#
# Use: examples/demo/slurm.sh [PINGO [DIRECTORY]]
# As demo.sh: what it says of itself it checks, and it ends with 1 as soon as one of its claims is not true.
name=slurm-demo
# shellcheck source=examples/demo/steps.sh
. "$(dirname "$0")/steps.sh"
cluster=$top/test/slurm/cluster

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
