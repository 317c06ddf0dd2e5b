#!/usr/bin/python3
"""Who may come may still do harm: floods of what is refused, streams that outlive a token."""
import json
import re
import threading
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
s.start("--port", "0", "--no-run")
rows = refused()
more = [int(m[1]) for m in (re.match(r"refused: (\d+) more ", r["result"]) for r in rows) if m]
same(len(rows) - len(more) + sum(more), N, f"{N} refusals are all told, one by one or by their number")
ok(len(rows) <= 21 * minutes, f"in {len(rows)} rows")
last = rows[0]
same((last["verb"], last["object"], last["way"]), ("killWorkflow", f"/v1/workflows/{N}/kill", "token look"), "with the last of them")
done()
