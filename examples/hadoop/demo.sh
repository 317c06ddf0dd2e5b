#!/bin/sh
# demo.sh - words are counted by a real Hadoop: a NameNode, a DataNode, a ResourceManager and two NodeManagers on this
# machine, which are started for it and stopped at the end.
#
# Use: examples/hadoop/demo.sh [PINGO [DIRECTORY]]
# What it says of itself it checks, and it ends with 1 as soon as one of its claims is not true.
name=hadoop-demo
# shellcheck source=examples/demo/steps.sh
. "$(dirname "$0")/../demo/steps.sh"
up=$top/test/hadoop/up

say "A Hadoop on this machine, with two nodes that run containers. It is yours alone, and" \
    "goes when this demo ends."
state=$(mktemp -d)
trap '"$up" stop "$state" > "$state.out" 2>&1 || :; rm -rf "$state" "$state.out"' EXIT
"$up" start "$state" --while $$
eval "$("$up" env "$state")"

say "The pool, with everything that actions make, lies in HDFS; and actions run there where" \
    "Hadoop has room for them."
show "pingo init --pool webhdfs://$HADOOP_USER@$NN_HTTP/user/$HADOOP_USER/pool"
show "pingo config executor.hadoop.rm $RM_HTTP"
show "pingo config executor.hadoop.fs $NN_RPC"
echo
echo "# What a distribution of Hadoop sets by itself, for this one:"
show "pingo config executor.hadoop.amClasspath '$HADOOP_JARS'"
show "pingo config executor.hadoop.client '$HADOOP_JARS'"
show "pingo config executor.hadoop.conf $HADOOP_CONF_DIR"
show "pingo config executor.hadoop.java $JAVA_HOME/bin/java"
show "pingo config executor.hadoop.pollSeconds 1"
show "pingo config executor hadoop"

say "Which words are the most frequent ones in the licences of this system? A command makes" \
    "them one text, a MapReduce job counts, a command sorts."
find "$texts" -maxdepth 1 -type f | LC_ALL=C sort > names
# shellcheck disable=SC2089 # it is a text
counts="uniq -c | awk '{ print \$2 \"\\t\" \$1 }'"
write() { # REDUCER
    # shellcheck disable=SC2046 # none of these has a space
    jq -n -f words.jq --arg reducer "$1" --args $(cat names) > words.json
}
write "$counts"
show "pingo run words.json"
show "pingo export last results"
show "cat 'results/most frequent words'"
xargs cat < names | tr '[:upper:]' '[:lower:]' | tr -cs '[:lower:]' '\n' | grep . | sort | uniq -c | awk '{ print $2 "\t" $1 }' |
    sort -k 2,2nr -k 1,1 | sed -n 1,10p > expected
cmp expected 'results/most frequent words' || fail "this machine counts otherwise"
applications() { curl -s "http://$RM_HTTP/ws/v1/cluster/apps?deSelects=resourceRequests" | jq '.apps.app | length'; }
ran=$(applications)
echo "# As Hadoop tells it:"
show "curl -s 'http://$RM_HTTP/ws/v1/cluster/apps' | jq -r '.apps.app[] | [.id, .applicationType, .finalStatus, .name] | @tsv'"

say "Again: all of it is known, and nothing runs."
show "pingo run words.json"
expect "applications" "$(applications)" "$ran"

say "Now the reducer leaves out short words. What it reads is known: that is not made again."
write "awk 'length(\$1) > 6' | $counts"
show "pingo plan words.json"
expect "actions to compute" "$(pingo plan words.json --json | jq .summary.compute)" 2
show "pingo run words.json"
show "pingo export last longer"
show "cat 'longer/most frequent words'"

say "HDFS has room for so much. Say how much the pool may hold, and Pingo deletes there what" \
    "costs least to make again; results never."
show "pingo config pool.budget 100K"
show "pingo tick"
[ "$(pingo report --json | jq .evictions)" -gt 0 ] || fail "nothing was evicted"
expect "the pool is within its budget" "$(pingo report --json | jq '.pool | .usedBytes <= .budgetBytes')" true
say "What was deleted is made again when something needs it, and nothing else."
write "awk 'length(\$1) > 9' | $counts"
show "pingo plan words.json"
show "pingo run -q words.json"
show "pingo export last longest"
show "cat 'longest/most frequent words'"
expect "actions left to compute" "$(pingo plan words.json --json | jq .summary.compute)" 0

say "The store checks itself, what lies in HDFS too."
show "pingo fsck --deep"

say "Everything of it but the datasets is in $dir. To keep a Hadoop for tries:" \
    "test/hadoop/up start DIR."
"$up" stop "$state"
