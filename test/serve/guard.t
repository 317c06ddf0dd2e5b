#!/usr/bin/python3
"""Who may come may still do harm: floods of what is refused, streams that outlive a token."""
import http.client
import json
import re
import time

from client import LIMIT, Server, Unix, action, done, eventually, ok, same

s = Server("--port", "0", "--no-run")


def token(name, user, role, **more):
    return {"Authorization": "Bearer " + s.post("/v1/tokens", json.dumps({"name": name, "user": user, "role": role, **more}), status=201).json["token"]}


# ---- floods of what is refused ---------------------------------------------------------------------

viewer = token("look", "victor", "viewer")
N = 3000
began = time.monotonic()
for i in range(N):
    s.raw("POST", f"/v1/workflows/{i + 1}/kill", headers=viewer)
minutes = int((time.monotonic() - began) / 60) + 2


def refused():
    rows, after = [], ""
    while after is not None:
        page = s.get(f"/v1/audit?limit=1000&user=victor{after and '&cursor=' + after}").json
        rows += page["items"]
        after = page["next"]
    return rows


eventually(lambda: len(refused()) >= 20, "the first of them are noted")
same(s.stop(), 0, "the server stops")
s.start("--port", "0")
rows = refused()
more = [int(m[1]) for m in (re.match(r"refused: (\d+) more ", r["result"]) for r in rows) if m]
same(len(rows) - len(more) + sum(more), N, f"{N} refusals are all told, one by one or by their number")
ok(len(rows) <= 21 * minutes, f"in {len(rows)} rows")
last = rows[0]
same((last["verb"], last["object"], last["way"]), ("killWorkflow", f"/v1/workflows/{N}/kill", "token look"), "with the last of them")

# ---- what outlives its token -------------------------------------------------------------------------

quiet = s.submit({"name": "quiet", "actions": [action(1, "sleeps", "echo said; sleep 900")]})
log = f"/v1/workflows/{quiet}/actions/1/stdout"
eventually(lambda: s.raw("GET", log).body == b"said\n", "it runs")
targets = {"/v1/events": {}, log + "?follow=1": {}, f"/v1/workflows/{quiet}/actions/1": {"Prefer": "wait=60"}}


def open_all(name, seconds):
    """All three by a token of so many seconds; None: it was too short to open them."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
    brief = token(name, "victor", "viewer", expiresAt=at)
    opened = {}
    for target, headers in targets.items():
        opened[target] = Unix(s.socket)
        opened[target].request("GET", target, headers={**headers, **brief})
    heads = {t: c.getresponse() for t, c in opened.items() if "wait" not in str(targets[t])}
    if any(r.status != 200 for r in heads.values()) or s.raw("GET", "/version", headers=brief).status != 200 or s.raw("GET", "/v1/workflows", headers=brief).status != 200:
        return None
    return opened, heads


opened, heads = next(filter(None, (open_all(f"brief{n}", n) for n in (6, 12, 24, 40))))
for target, response in heads.items():
    ended, end = "never", time.monotonic() + 2 * LIMIT  # a stream of events is never silent for long
    try:
        while ended == "never" and time.monotonic() < end:
            ended = "never" if response.read1(65536) else "whole"
    except TimeoutError:
        ended = "never"
    except (ConnectionResetError, OSError, http.client.IncompleteRead):
        ended = "cut"
    same(ended, "cut", f"{target} ends with its token")
answer = opened[f"/v1/workflows/{quiet}/actions/1"].getresponse()
same(answer.status, 401, "who waits is told that his token has expired")
s.post(f"/v1/workflows/{quiet}/kill", status=202)
s.wait(quiet)
done()
