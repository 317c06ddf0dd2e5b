#!/usr/bin/env bats
# Users take turns: whoever has work gets his part, whoever comes new is next, weights and quotas hold.
# What is counted are starts, in their order, never times: but who has fewer than his part of them had it of the use all the
# same, for the machine held up what he started.
load helper

# N actions of a user that take S seconds each: USER.json.
actions_of() {
    jq -n --arg user "$1" --argjson n "$2" --arg s "$3" '{name: $user, actions: [range($n) | {id: ., name: "\($user)\(.)",
        type: "command-line", command: ["/bin/sh", "-c", "echo \($user)\(.) >output; sleep \($s)"]}]}' >"$1.json"
}

# A letter a start, in their order; $1: of those since a time, 0: of all.
starts() {
    sqlite3 .pingo/pingo.db "SELECT group_concat(u, '') FROM (SELECT w.user AS u FROM attempt t JOIN action a
        ON a.id = t.action JOIN workflow w ON w.id = a.workflow WHERE t.started_ms >= $1 ORDER BY t.started_ms, t.action)"
}

is() { # a test, looked at anew
    eval "$1"
}

count() { # LETTER TEXT
    local only=${2//[^$1]/}
    echo ${#only}
}

# USER's use by the starts from the FIRST on, LAST of them at most, in percent of that of all; of what USERS have, where they
# are named.
part_of() { # USER FIRST LAST [USERS]
    sqlite3 .pingo/pingo.db "WITH t AS (SELECT w.user AS u, coalesce(t.wall_ms, 0) AS ms FROM attempt t JOIN action a
        ON a.id = t.action JOIN workflow w ON w.id = a.workflow WHERE t.started_ms IS NOT NULL ORDER BY t.started_ms, t.action
        LIMIT $3 OFFSET $2) SELECT 100 * sum(iif(u = '$1', ms, 0)) / max(1, sum(ms)) FROM t WHERE instr('${4:-abcd}', u)"
}

# The actions of a file, from the Nth start of any on, wait for the file "go".
hold_from() { # N FILE...
    local n=$1 file
    shift
    for file; do
        jq --arg d "$PWD" --argjson n "$n" '.actions[].command[2] |= "echo x >>\($d)/begun; [ $(wc -l <\($d)/begun) -lt \($n) ] ||
            until [ -e \($d)/go ]; do sleep 0.05; done; \(.)"' "$file" >held.json
        mv held.json "$file"
    done
}

# Of the use that was booked, and of what attempts took.
is_exact() {
    [ "$(sqlite3 .pingo/pingo.db 'SELECT name, usage_ms, running FROM user ORDER BY name')" = \
        "$(sqlite3 .pingo/pingo.db 'SELECT w.user, sum(t.wall_ms), 0 FROM attempt t JOIN action a ON a.id = t.action
            JOIN workflow w ON w.id = a.workflow WHERE t.wall_ms IS NOT NULL GROUP BY w.user ORDER BY w.user')" ]
}

@test "shares: four users have as much, the fourth from where he comes on" {
    store
    # More than can start before d is there, and each longer than what is armed ahead, which is chosen by the use of then.
    for u in a b c; do actions_of $u 400 0.3; done
    actions_of d 24 0.3
    for u in a b c; do pingo submit -q --user $u $u.json >last; done
    "$PINGO" run --all -q &
    runs=$! STARTED="$STARTED $!"
    until_true is '[ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM attempt WHERE state = 3")" -ge 12 ]'
    pingo submit -q --user d d.json >last
    until_true is '[ "$(pingo status 4 --json | jq -r .state)" = FINISHED ]'
    kill -INT $runs
    wait $runs || true
    s=$(starts 0)
    first=${s%%d*}
    # From d's first start on, as long as all four have work: of 36 starts each has 9.
    among=${s:${#first}:36}
    jain=$(for u in a b c d; do count $u "$among"; done | awk '{s += $1; q += $1 * $1} END {print s * s / (4 * q)}')
    awk "BEGIN {exit !($jain >= 0.95)}" || {
        end=$((${#first} + 36))
        for u in a b c; do [ "$(count $u "$among")" -ge 6 ] || [ "$(part_of $u 0 $end abc)" -ge 33 ]; done
        [ "$(count d "$among")" -ge 6 ] || [ "$(part_of d ${#first} 36)" -ge 25 ]
    }
    # Before, the three had as many.
    for u in a b c; do [ $((3 * $(count $u "$first") + 6)) -ge ${#first} ] || [ "$(part_of $u 0 ${#first})" -ge 33 ]; done
    is_exact
    go fsck
    ends_with 0
}

@test "shares: whoever comes new is among the next starts, beside 20,000 of another's" {
    store
    pingo config executor.slots 4
    actions_of a 20000 0.4
    actions_of b 2 0.4
    pingo submit -q --user a a.json >last
    "$PINGO" run --all -q 2>/dev/null &
    runs=$! STARTED="$STARTED $!"
    until_true is '[ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM attempt WHERE started_ms IS NOT NULL")" -ge 8 ]'
    pingo submit -q --user b b.json >last
    until_true is '[ "$(pingo status 2 --json | jq -r .state)" = FINISHED ]'
    # As many as there are slots, twice at most where the machine is busy: b's is among the next that are handed out.
    [ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM attempt WHERE action <= 20000 AND
        handed_ms > (SELECT submitted_ms FROM workflow WHERE id = 2) AND
        handed_ms < (SELECT min(handed_ms) FROM attempt WHERE action > 20000)")" -lt 9 ]
    kill -INT $runs
    wait $runs || true
    go fsck
    ends_with 0
}

@test "shares: weights say who gets how much" {
    store
    pingo config executor.slots 4
    actions_of a 40 0.05
    actions_of b 40 0.05
    go shares set b --weight 3
    ends_with 0
    for u in a b; do pingo submit -q --user $u $u.json >last; done
    [ "$(pingo shares --json | jq -r 'map("\(.user) \(.weight + 0) \(.part + 0) \(.waiting)") | join(", ")')" = "b 3 0.75 40, a 1 0.25 40" ]
    pingo run --all -q
    s=$(starts 0)
    nb=$(count b "${s:0:40}")
    [ "$nb" -ge 26 ] || [ "$(part_of b 0 40)" -ge 75 ]
    [ "$nb" -le 34 ] || [ "$(part_of a 0 40)" -ge 25 ]
    is_exact
}

@test "shares: two that drive a store, and one is killed: all is booked, and nothing twice" {
    store
    for u in a b; do actions_of $u 30 0.05; done
    hold_from 21 a.json b.json
    for u in a b; do pingo submit -q --user $u $u.json >last; done
    "$PINGO" run --all -q 2>/dev/null &
    one=$! STARTED="$STARTED $!"
    "$PINGO" run --all -q &
    other=$! STARTED="$STARTED $!"
    until_true is '[ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM attempt WHERE state = 3")" -ge 10 ]'
    kill -KILL $one
    touch go
    wait $other
    wait $one || true
    [ "$(pingo status --json | jq -r 'map(.state) | unique | join(" ")')" = FINISHED ]
    s=$(starts 0)
    na=$(count a "${s:0:40}")
    [ "$na" -ge 14 ] || [ "$(part_of a 0 40)" -ge 50 ]
    [ "$na" -le 26 ] || [ "$(part_of b 0 40)" -ge 50 ]
    is_exact
    go fsck
    ends_with 0
}

@test "shares: what others wait for too has the better place" {
    store
    pingo config executor.slots 1
    actions_of a 60 0.02
    # The last of a's, by his order; b asks for it, and for nothing else.
    pingo submit -q --user a a.json >last
    LAST=$(sqlite3 .pingo/pingo.db 'SELECT n.user_id FROM action a JOIN graph_node n ON n.graph = 1 AND n.position = a.position ORDER BY a.rank, a.hash DESC LIMIT 1')
    export LAST
    jq '{name: "b", actions: [.actions[] | select(.id == (env.LAST | tonumber))]}' a.json >b.json
    pingo submit -q --user b b.json >last
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*) FROM action WHERE queue < 0')" = 1 ]
    pingo run --all -q
    [ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM attempt t WHERE t.started_ms < (SELECT started_ms FROM attempt s
        JOIN action a ON a.id = s.action WHERE a.queue < 0)")" -le 2 ]
    # It counted for b, whose turn it took.
    [ "$(pingo shares --json | jq '.[] | select(.user == "b") | .usageMs > 0')" = true ]
}

@test "shares: who asks for more slots than there are has used what he had" {
    store
    one 'echo $PINGO_CPUS >output; sleep 0.2' '{"resources": {"cpus": 65536}}'
    pingo run -q --user ann one.json
    [ "$(cat "$(pingo path last one)")" = 2 ]
    [ "$(sqlite3 .pingo/pingo.db "SELECT usage_ms = 2 * (SELECT sum(wall_ms) FROM attempt) AND usage_ms > 0 FROM user
        WHERE name = 'ann'")" = 1 ]
}

@test "shares: a priority above 0 is before all, a quota of slots holds" {
    store
    actions_of a 6 0.05
    actions_of b 6 0.05
    pingo submit -q --user a a.json >last
    pingo submit -q --user b --priority 1 b.json >last
    pingo run --all -q
    s=$(starts 0)
    [ "$(count b "${s:0:6}")" -eq 6 ]
    # With one slot at once, a is never in hand twice.
    actions_of c 12 0.1
    pingo shares set c --slots 1
    pingo submit -q --user c c.json >last
    pingo run -q last
    [ "$(sqlite3 .pingo/pingo.db "SELECT count(*) FROM attempt t JOIN attempt s ON s.action <> t.action AND s.started_ms > t.started_ms
        AND s.started_ms < t.ended_ms - 1 WHERE t.action > 12 AND s.action > 12")" -eq 0 ]
}

@test "shares: what is rare goes by turns too" {
    store
    pingo config executor.slots 4
    pingo config executor.local.licences matlab=1
    for u in a b; do
        actions_of $u 8 0.02
        jq '.actions[].resources = {licences: {matlab: 1}}' $u.json >$u.rare
        pingo submit -q --user $u $u.rare >last
    done
    pingo run --all -q
    # One after the other, in turns: the first eight starts are not those of one.
    s=$(starts 0)
    for u in a b; do [ "$(count $u "${s:0:8}")" -ge 3 ] || [ "$(part_of $u 0 8)" -ge 50 ]; done
    go fsck
    ends_with 0
}

@test "shares: a submission beyond a quota is refused, and leaves nothing" {
    store
    actions_of a 3 0
    actions_of b 2 0
    go shares set a --actions 4 --bytes 4
    ends_with 0
    go submit --user a a.json
    ends_with 0
    sed 's/"b/"bb/' b.json >c.json
    go submit --user a b.json
    ends_with 5
    says 'a may have 4 actions that wait, and has 3: no room for 2 more'
    [ "$(pingo status --json | jq length)" -eq 1 ]
    go submit --user b b.json
    ends_with 0
    go run -q 1
    ends_with 0
    go submit --user a c.json
    says 'a may have 4 bytes of results and pins, and has 9: release some first'
    ends_with 5
    # What is known already costs nothing.
    go submit --user a a.json
    ends_with 0
    go shares set a --bytes 0 --actions 0
    go submit --user a c.json
    ends_with 0
    [ "$(pingo shares --json | jq -c 'map([.user, .maxActions, .maxBytes, .bytes])')" = '[["a",null,null,9],["b",null,null,0]]' ]
}

@test "shares: the one that drives a store is killed: the next one goes on with both users, nothing is done twice" {
    store
    pingo config executor.slots 4
    for u in a b; do actions_of $u 12 0.2; done
    hold_from 1 a.json b.json
    go shares set b --weight 3
    for u in a b; do pingo submit -q --user $u $u.json >last; done
    "$PINGO" run --all -q 2>/dev/null &
    runs=$! STARTED="$STARTED $!"
    # Both have something that runs.
    until_true is '[ "$(sqlite3 .pingo/pingo.db "SELECT count(DISTINCT w.user) FROM attempt t JOIN action a ON a.id = t.action
        JOIN workflow w ON w.id = a.workflow WHERE t.started_ms IS NOT NULL")" -eq 2 ]'
    kill -KILL $runs
    wait $runs || true
    touch go
    go run --all -q
    ends_with 0
    [ "$(pingo status --json | jq -r 'map(.state) | unique | join(" ")')" = FINISHED ]
    # What ran went on to its end: each has started once.
    [ "$(sqlite3 .pingo/pingo.db 'SELECT count(*), count(DISTINCT action) FROM attempt WHERE started_ms IS NOT NULL')" = '24|24' ]
    # b had three of four slots, before and after: until his last start a had a third of his, or some more.
    s=$(starts 0)
    until_b_ends=${s%b*}
    [ "$(count a "$until_b_ends")" -le 8 ] || [ "$(part_of b 0 ${#until_b_ends})" -ge 75 ]
    is_exact
    go fsck
    ends_with 0
}

@test "shares: a pin counts against the quota of whose submission made it, and of nobody else" {
    store
    actions_of a 1 0
    jq '.name = "chain" | .actions += [.actions[0] + {id: 1, name: "end", parentActions: [{id: 0, as: "p"}]}]' a.json >chain.json
    pingo submit -q --user a chain.json >last
    pingo run -q last
    pingo release -q 1
    pingo shares set a --bytes 3
    [ "$(pingo shares --json | jq '.[0].bytes')" -eq 0 ]
    pingo keep -q 1 a0
    [ "$(pingo shares --json | jq '.[0].bytes')" -eq 3 ]
    jq '.actions[0].command[2] += " # other"' a.json >new.json
    go submit --user a new.json
    says 'a may have 3 bytes of results and pins, and has 3: release some first'
    ends_with 5
    go submit --user b new.json
    ends_with 0
    go release -q 1 a0
    ends_with 0
    jq '.actions[0].command[2] += " # again"' a.json >new.json
    go submit --user a new.json
    ends_with 0
}

@test "shares: a priority is told, and set while the workflow runs" {
    store
    for u in a b; do
        actions_of $u 3 0
        pingo submit -q --user $u $u.json >last
    done
    go priority 1 last
    ends_with 0
    [ "$output" = $'workflow 1 has priority 0\nworkflow 2 has priority 0' ]
    go priority --set 2 last --json
    ends_with 0
    json '.workflows == [{workflow: 2, state: "RUNNING", priority: 2, changed: true}]'
    go priority --set 2 2 --json
    json '.workflows[0].changed == false'
    go priority --set -7 1 99
    ends_with 5
    go priority --set two 1
    ends_with 2
    says 'a whole number'
    go priority 1
    [ "$output" = 'workflow 1 has priority 0' ]
    pingo config executor.slots 1
    pingo run --all -q
    [ "$(starts 0)" = bbbaaa ]
    go priority --set 1 1
    ends_with 5
    says 'has ended'
    actions_of c 1 0
    pingo submit -q c.json
    go priority --set 1 last 1 --json
    ends_with 5
    says 'has ended'
    json '.workflows == [{workflow: 3, state: "RUNNING", priority: 1, changed: true}]'
}

@test "shares: what is wrong is said" {
    store
    go shares take a
    ends_with 2
    says '"take" is not the word set: write set USER'
    go shares set
    ends_with 2
    go shares set a
    ends_with 2
    go shares --weight 2
    ends_with 2
    go shares set a --weight 0
    ends_with 2
    go shares set '' --weight 1
    ends_with 2
    [ "$(pingo shares --json)" = '[]' ]
    [ "$(pingo shares --csv)" = user,weight,part,running,waiting,usageMs,bytes,maxSlots,maxActions,maxBytes ]
}
