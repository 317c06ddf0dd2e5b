#!/usr/bin/env bats
# far.bats - a pool in HDFS, where a NameNode in memory stands for the real one (that: test/hadoop/pool.t).

load helper

@test "an output that HDFS cannot hold fails its action, and nobody else" {
    mkfifo held
    exec 9<>held
    "$BATS_TEST_DIRNAME/../unit/hdfs/server.py" <&9 >ports 3>&- 9>&- &
    STARTED="$STARTED $!"
    until_true test -s ports
    read -r port _ <ports
    pingo init --pool "webhdfs://me@127.0.0.1:$port/pool"
    pingo config sandbox off
    cat >w.json <<'END'
{"name": "w", "actions": [
  {"id": 1, "name": "bad", "type": "command-line", "command": "mkdir output; echo a >output/a:b"},
  {"id": 2, "name": "good", "type": "command-line", "command": "echo b >output"}]}
END
    go run -q w.json
    [ "$status" -ne 0 ]
    says ': a:b: HDFS can hold no name with a colon'
    go status --json last
    [ "$(jq -r '[.actions[] | .state] | join(" ")' <<<"$output")" = 'FAILED FINISHED' ]
    pingo export last good out
    [ "$(cat out/*)" = b ]
}
