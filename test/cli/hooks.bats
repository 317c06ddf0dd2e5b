#!/usr/bin/env bats
# Who is told that a workflow has ended, by real receivers.
load helper

# A receiver on a port of this machine: each request becomes a line of "got" as JSON, and is answered with what stands in
# "status" (a number, "hang", or "kill": of the process in "pid").
receiver() {
    cat >receiver.py <<'P'
import http.server, json, os, signal, time
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("got", "a") as f:
            f.write(json.dumps({"path": self.path, "key": self.headers["Idempotency-Key"],
                "event": self.headers["Pingo-Event"], "type": self.headers["Content-Type"], "body": json.loads(body)}) + "\n")
        status = open("status").read().strip()
        if status == "kill": # who sends dies before he knows that it came
            open("status", "w").write("200")
            os.kill(int(open("pid").read()), signal.SIGKILL)
        if status == "hang": time.sleep(300)
        self.send_response(int(status) if status.isdigit() else 200)
        if status == "302": self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
open("port.new", "w").write(str(s.server_port))
os.rename("port.new", "port")
s.serve_forever()
P
    echo 200 >status
    : >got
    /usr/bin/python3 receiver.py 3>&- &
    STARTED="$STARTED $!"
    until_true test -e port
    URL="http://127.0.0.1:$(cat port)/ended?x=1"
}

told_by_url() {
    store
    receiver
    pingo config hook.hosts 127.0.0.1
    pingo config hook.url "$URL"
    pingo config hook.retrySeconds 0
    pingo config hook.seconds 60 # a loaded machine may take its time
}

states() { pingo hooks --json | jq -c 'map(.state)'; }

is_delivered() { pingo tick -q && [ "$(states)" = '["delivered"]' ]; }

@test "hooks: the end of each workflow is told once, as a request and to a program" {
    told_by_url
    cat >told.sh <<'X'
#!/bin/sh
{ cat; echo; } >"$(dirname "$0")/$PINGO_HOOK_ID.json"
X
    chmod 755 told.sh
    pingo config hook.command "$PWD/told.sh"
    one 'echo 1 > output'
    pingo run -q --tag t --user ann one.json
    pingo run -q one.json # all of it is reused: it has ended when it is submitted
    [ "$(states)" = '["delivered","delivered","delivered","delivered"]' ]
    one 'exit 3'
    pingo run -q one.json || :
    [ "$(wc -l <got)" -eq 3 ]
    jq -es '(map(.body.workflow) == [1, 2, 3]) and (map(.body.state) == ["FINISHED", "FINISHED", "FAILED"]) and
        all(.[]; .path == "/ended?x=1" and .event == "workflow.ended" and .type == "application/json" and
            .key == .body.id and .body.event == "workflow.ended" and .body.name == "single") and
        (map(.key) | unique | length == 3) and .[0].body.user == "ann" and .[0].body.tag == "t" and
        .[0].body.counts == {finished: 1, failed: 0, reused: 0, skipped: 0} and .[1].body.counts.reused == 1 and
        .[2].body.counts.failed == 1 and (.[0].body.ended >= .[0].body.submitted)' got
    [ "$(cat ./*-*.json | jq -s 'map(.workflow) | sort == [1, 2, 3]')" = true ]
    go hooks --json
    json 'length == 6 and all(.[]; .state == "delivered" and .tries == 1 and .message == null and .due == null)'
    json 'map(.way) | sort == ["command", "command", "command", "url", "url", "url"]'
    go hooks --limit 4 --after '' --json
    json '(.rows | length) == 4 and .next != null'
    go hooks --after "$(jq -r .next <<<"$output")" --json
    json '(.rows | length) == 2 and .next == null'
    go hooks
    prints 'delivered'
    pingo tick -q
    [ "$(wc -l <got)" -eq 3 ]
    go fsck
    ends_with 0
}

@test "hooks: five tries and no more; what fails, and why, is seen" {
    told_by_url
    pingo config hook.url "$URL?key=secret"
    echo 503 >status
    one 'echo 1 > output'
    pingo run -q one.json
    [ "$(states)" = '["pending"]' ]
    for _ in 1 2 3 4 5 6; do pingo tick -q 2>>said; done
    [ "$(wc -l <got)" -eq 5 ]
    [ "$(jq -s 'map(.key) | unique | length' got)" -eq 1 ]
    go hooks --failed --json
    json 'length == 1 and .[0].state == "given up" and .[0].tries == 5 and (.[0].message | test("503"))'
    grep -q 'hook.url could not be told of the end of workflow 1: http://127.0.0.1:[0-9]*: it was' said
    run ! grep secret said # journals and mails have more readers than settings
    # It comes back: the next one is delivered, at its second try.
    one 'echo 2 > output'
    pingo run -q one.json
    echo 204 >status
    pingo tick -q
    go hooks --json
    json '.[0].state == "delivered" and .[0].tries == 2'
    # A redirection is no delivery, and leads nowhere.
    echo 302 >status
    one 'echo 3 > output'
    pingo run -q one.json
    go hooks --json
    json '.[0].state == "pending" and (.[0].message | test("302"))'
    [ "$(jq -r .path got | grep -c elsewhere)" -eq 0 ]
}

@test "hooks: a program that is gone is named once" {
    store
    printf '#!/bin/sh\n' >told
    chmod +x told
    pingo config hook.command "$PWD/told"
    rm told
    one 'echo 1 > output'
    pingo run -q one.json
    go hooks --json
    json ".[0].target == \"$PWD/told\" and .[0].message == \"it cannot be run: No such file or directory\""
}

@test "hooks: only to hosts that are listed, and settings are checked" {
    told_by_url
    go config hook.hosts "example.org localhost"
    says 'hook.url leads to 127.0.0.1, which does not stand in hook.hosts'
    go config hook.url "$URL"
    says 'hook.url leads to 127.0.0.1, which does not stand in hook.hosts'
    one 'echo 1 > output'
    pingo run -q one.json 2>said
    go hooks --json
    json '.[0].state == "given up" and .[0].tries == 1 and (.[0].message | test("hook.hosts"))'
    [ ! -s got ]
    go config hook.hosts "127.0.0.1:$(cat port)"
    [ -z "$stderr" ]
    one 'echo 2 > output'
    pingo run -q one.json
    [ "$(wc -l <got)" -eq 1 ]
    for bad in ftp://x/ http:// "http://a b/" http://user@x/ http://x?y 'http://x/#y' x; do
        go config hook.url "$bad"
        ends_with 2 || { echo "$bad"; return 1; }
    done
    go config hook.command told.sh
    ends_with 2
    go config hook.seconds 0
    ends_with 2
    pingo config hook.url none
    one 'echo 3 > output'
    pingo run -q one.json
    go hooks --json
    json 'length == 2'
}

@test "hooks: who hangs is left, and the rest goes on meanwhile" {
    told_by_url
    echo hang >status
    pingo config hook.seconds 1
    cat >slow.sh <<'X'
#!/bin/sh
sleep 300
X
    chmod 755 slow.sh
    pingo config hook.command "$PWD/slow.sh"
    one 'echo 1 > output'
    SECONDS=0
    pingo run -q one.json
    [ "$SECONDS" -lt 100 ]
    go hooks --json
    json 'all(.[]; .state == "pending" and .tries == 1) and (map(.message) | any(test("within 1 s")))'
    # A server drives other workflows while notices hang.
    pingo config hook.seconds 300
    "$PINGO" serve --no-tcp >served 2>&1 3>&- &
    server=$!
    STARTED="$STARTED $server"
    until_true eval '[ "$(wc -l <got)" -ge 2 ]'
    one 'echo 2 > output'
    pingo submit -q one.json
    SECONDS=0
    pingo wait -q 2
    [ "$SECONDS" -lt 100 ]
    # It stops without waiting for them, and they are due at once.
    SECONDS=0
    kill -TERM "$server"
    wait "$server" || :
    [ "$SECONDS" -lt 100 ]
    json_of=$(pingo hooks --json)
    jq -e 'map(select(.workflow == 1)) | all(.state == "pending" and .tries == 1)' <<<"$json_of" # which was no try
    jq -e 'map(select(.workflow == 2)) | length == 2 and all(.state == "pending" and .tries == 0)' <<<"$json_of"
}

@test "hooks: of what a command says the last lines are told, however much it is" {
    store
    cat >loud.sh <<'X'
#!/bin/sh
echo the first >&2
yes much | head -c 100000000 >&2
yes much | head -c 100000000
echo 'no such host' >&2
exit 3
X
    chmod 755 loud.sh
    pingo config hook.command "$PWD/loud.sh"
    pingo config hook.seconds 60
    one 'echo 1 > output'
    pingo run -q one.json
    go hooks --json
    json '.[0] | .state == "pending" and (.message | test("the status 3: much[^t]*no such host$"))'
}

@test "hooks: kill -9 between delivery and its note: delivered again, with the same id" {
    told_by_url
    pingo config hook.url none
    cat >told.sh <<X
#!/bin/sh
cat >>"$PWD/told"
echo "\$PINGO_HOOK_ID" >>"$PWD/ids"
[ -e "$PWD/killed" ] || { : >"$PWD/killed"; kill -9 "\$(cat "$PWD/pid")"; }
X
    chmod 755 told.sh
    pingo config hook.command "$PWD/told.sh"
    one 'echo 1 > output'
    # Who delivers is killed by the one to whom he delivers.
    sh -c 'echo $$ >pid; exec "$0" run -q one.json' "$PINGO" 3>&- || :
    [ "$(wc -l <ids)" -eq 1 ]
    [ "$(states)" = '["pending"]' ]
    until_true is_delivered
    [ "$(wc -l <ids)" -eq 2 ]
    [ "$(sort -u ids | wc -l)" -eq 1 ]
    [ "$(jq -s 'map(.workflow) == [1, 1] and .[0] == .[1]' told)" = true ]
}

# When the try of hook 1 that follows is due: so many seconds after the last one, which was made between two times.
due_after() {
    local due
    due=$(sqlite3 .pingo/pingo.db 'SELECT due_ms FROM hook WHERE id = 1')
    [ "$due" -ge $(($2 + $1 * 1000)) ]
    [ "$due" -le $(($3 + $1 * 1000)) ]
}

now() { date +%s%3N; }

@test "hooks: after each try that failed the pause is twice as long, and nothing is sent before it is over" {
    told_by_url
    echo 503 >status
    pingo config hook.retrySeconds 10000
    one 'echo 1 > output'
    before=$(now)
    pingo run -q one.json
    due_after 10000 "$before" "$(now)"
    pause=10000
    for tries in 2 3 4; do
        pingo tick -q
        [ "$(wc -l <got)" -eq $((tries - 1)) ] # it is not due
        sqlite3 .pingo/pingo.db 'UPDATE hook SET due_ms = 1'
        pause=$((pause * 2))
        before=$(now)
        pingo tick -q
        [ "$(wc -l <got)" -eq "$tries" ]
        due_after "$pause" "$before" "$(now)"
    done
    [ "$pause" -eq 80000 ]
}

@test "hooks: kill -9 between a request and its note: sent again, with the same id" {
    told_by_url
    echo kill >status
    one 'echo 1 > output'
    # Who sends is killed by the one to whom he sends.
    sh -c 'echo $$ >pid; exec "$0" run -q one.json' "$PINGO" 3>&- || :
    [ "$(wc -l <got)" -eq 1 ]
    [ "$(states)" = '["pending"]' ]
    until_true is_delivered
    [ "$(jq -s 'length == 2 and .[0].key == .[1].key and .[0].body == .[1].body and .[0].body.workflow == 1' got)" = true ]
    [ "$(pingo hooks --json | jq '.[0].tries')" -eq 2 ]
}
