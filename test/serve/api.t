#!/usr/bin/python3
"""The API of a real server: what it answers is what the commands print, and as its document says; it stands whatever
is asked."""
import fcntl
import gzip
import io
import json
import os
import re
import socket
import sqlite3
import subprocess
import tarfile
import threading
import time
import urllib.parse

import hypothesis
import hypothesis.configuration
from hypothesis import strategies as st

from client import PINGO, ROOT, Server, absent, action, done, eventually, ok, same

s = Server("--port", "0")
hypothesis.configuration.set_hypothesis_home_dir(s.dir)
quote = urllib.parse.quote


def spew(name, text=""):
    with open(os.path.join(s.dir, name), "w") as out:
        out.write(text)


# ---- the document and the code ---------------------------------------------------------------------

with open(f"{ROOT}/cli/serve/route/routes.h") as text:
    routes = {(m, p): role.lower() for m, p, role in re.findall(r'(?:ROUTE|BODY)\("(\w+)", "([^"]+)", (\w+)', text.read())}
told = {(m.upper(), p): o for p, methods in s.document["paths"].items() for m, o in methods.items()}
same(sorted(routes.keys() - told.keys()), [], "each route is in the document")
same(sorted(told.keys() - routes.keys()), [], "and nothing else is")
same({at: o.get("x-role", "nobody" if o.get("security") == [] else None) for at, o in told.items()}, routes, "which says for whom each is")
same({at: [p["name"] for p in o["parameters"] if p["in"] == "path" and p.get("required")] for at, o in told.items()},
     {at: re.findall(r"\{(\w+)\}", at[1]) for at in told}, "and what its path needs")
same({p["name"] for o in told.values() for p in o["parameters"] if p["schema"].get("type") == "array"}, {"action", "force", "label", "name", "state", "target"},
     "what may be repeated is a list")
headers = {at: {p["name"] for p in o["parameters"] if p["in"] == "header"} for at, o in told.items()}
same(set.union(*headers.values()), {"If-None-Match", "Idempotency-Key", "Last-Event-ID", "Prefer", "Range"}, "headers that are heeded are told")
same({at for at in told if "If-None-Match" in headers[at]}, {at for at, o in told.items() if "304" in o["responses"]}, "that of a tag where answers have one")
ok("304" not in told["GET", "/v1/events"]["responses"], "a stream has none")


def unsaid(schema, where):
    """Lists of which it is not said what is in them: generators of clients leave them out."""
    found = [where] if "array" in schema.get("type", "") and "items" not in schema else []
    return found + [at for key, v in schema.items() for of in (v if isinstance(v, list) else [v]) if isinstance(of, dict) for at in unsaid(of, f"{where}/{key}")]


same(unsaid(s.document, ""), [], "of each list it is said what is in it")
ids = [o["operationId"] for _, _, o in s.operations]
same(len(ids), len(set(ids)), "each operation has a name of its own")

# ---- workflows run ---------------------------------------------------------------------------------

spew("text.txt", "one two three\n")
words = {"name": "words", "actions": [
    action(1, "split", "tr ' ' '\\n' <in/text >output; echo said; echo complained >&2",
           inputs=[{"name": "text", "path": "text.txt"}]),
    action(2, "count", "wc -l <in/p1 >output", 1)]}
first = s.submit(words)
same(s.wait(first)["state"], "FINISHED", "a workflow that is posted is run")
broken = s.submit({"name": "broken", "actions": [action(1, "bad", "echo no >&2; exit 3"), action(2, "after", "true >output", 1)]})
same(s.wait(broken)["state"], "FAILED", "one that fails is known to have failed")
second = s.submit(words)
same(s.get(f"/v1/workflows/{second}").json["summary"], {"compute": 0, "reuse": 1, "join": 0, "skip": 1},
     "what is there is reused")

# ---- as the commands print it ----------------------------------------------------------------------

same(s.get("/v1/workflows").json["items"], s.pingo_json("status"), "submissions are as status --json prints them")
status = s.pingo_json("status", str(first))
same(s.get(f"/v1/workflows/{first}/actions").json["items"], status["actions"], "actions too")
same(s.get(f"/v1/workflows/{first}/actions/count").json, status["actions"][1], "one action too, by its name")
same(s.get(f"/v1/workflows/{first}/attempts").json["items"], s.pingo_json("status", "--attempts", str(first)),
     "attempts too")
same(s.get(f"/v1/workflows/{first}/actions/1/attempts").json["items"],
     s.pingo_json("status", "--attempts", str(first), "1"), "those of one action too")
same([s.get(f"/v1/workflows/{first}/actions/2/why").json], s.pingo_json("why", str(first), "2"), "why too")
same(s.get("/v1/datasets?sort=name").json["items"], s.pingo_json("datasets", "--sort", "name"), "datasets too")
s.get("/v1/datasets?sort=name,size", status=400)
split = status["actions"][0]["hash"]
same([s.get(f"/v1/datasets/{split[:12]}").json], s.pingo_json("datasets", "split"), "one dataset too, by its first digits")
same(s.get(f"/v1/datasets/{split}/provenance").json, s.pingo_json("provenance", str(first), "1"), "provenance too")
usage = s.get("/v1/pool").json
same(usage["usedBytes"], s.pingo_json("decide", "--dry-run")["usage"]["usedBytes"], "the pool too")
same(s.get("/v1/pool/decide?free=1").json["victims"], s.pingo_json("decide", "--dry-run", "--free", "1")["victims"],
     "what would go too")
same(s.get("/v1/pool/evictions").json["items"], [], "nothing went yet")
ok("text.txt" in s.get(f"/v1/workflows/{first}/actions/1/script").body.decode(), "a script repeats an attempt")
same(s.get(f"/v1/workflows/{first}/actions/1/ran").json, {"workflow": first, "ranWorkflow": first, "ranId": 1}, "whose run it was")
same(s.post("/v1/validate", json.dumps(words), status=200).json["valid"], False, "a relative path needs a base")
plan = s.post(f"/v1/plan?baseDir={quote(s.dir)}", json.dumps(words), status=200).json
spew("words.json", json.dumps(words))
same(plan, s.pingo_json("plan", "words.json"), "plans too")

same(s.get(f"/v1/workflows/{first}/text").json, words, "the text is as it was submitted")

cost = s.get(f"/v1/workflows/{first}/cost").json
chain = s.get(f"/v1/workflows/{first}/critical").json["items"]
same([cost["ran"], cost["saved"], [step["name"] for step in chain]], [2, 0, ["split", "count"]], "what it cost, and the chain that took longest")
same(sum(step["wallMs"] for step in chain), cost["criticalMs"], "which took as long as its steps")
same(s.get(f"/v1/workflows/{second}/cost").json["saved"], 2, "what was reused was saved")
shape = s.get(f"/v1/workflows/{first}/states?depths=true").json
numbers = [a["id"] for a in status["actions"]]
same(shape["ids"], numbers, "states are of the actions in their order")
same(shape["states"], "".join({"FINISHED": "F", "FAILED": "X"}[a["state"]] for a in status["actions"]), "a letter each")
same(len(shape["depths"]), len(numbers), "with depths where they are asked for")
same(set(s.get(f"/v1/workflows/{second}/states").json), {"workflow", "states"}, "and without")
near = s.get(f"/v1/workflows/{first}/graph?around={numbers[0]}").json["items"]
same([n["id"] for n in near if n["hops"] == 0], [numbers[0]], "the graph is around the action that is asked about")
ok(all(set(p["id"] for p in n["parents"]) <= {n["id"] for n in near} for n in near), "its edges lead to what is told")
s.get(f"/v1/workflows/{first}/graph", status=400)
same(s.get(f"/v1/workflows/{first}/groups").json["items"], s.pingo_json("status", "--groups", str(first)), "groups too")

# ---- pages -----------------------------------------------------------------------------------------

seen, cursor = [], ""
while cursor is not None:
    page = s.get(f"/v1/workflows?limit=1&cursor={quote(cursor)}").json
    seen += [w["workflow"] for w in page["items"]]
    cursor = page["next"]
same(seen, [second, broken, first], "pages of one are all submissions, once")
same([w["workflow"] for w in s.get("/v1/workflows?state=FAILED").json["items"]], [broken], "by state")
same([a["name"] for a in s.get(f"/v1/workflows/{broken}/actions?state=FAILED,CANCELLED").json["items"]],
     ["bad", "after"], "actions by state")
some = f"/v1/workflows/{first}/actions?action=c*&action=1"
same(s.get(some).json["items"], s.pingo_json("status", str(first), "c*", "1")["actions"], "actions that are named, by patterns too")
seen, cursor = [], ""
while cursor is not None:
    page = s.get(f"{some}&limit=1&cursor={cursor}").json
    seen += [a["name"] for a in page["items"]]
    cursor = page["next"]
same(seen, ["split", "count"], "in pages too")
for wrong, status in (("action=nobody", 404), ("label=x", 400), ("label=x=y", 404), ("action=1&state=FAILED", 400), ("action=1&cursor=x", 400)):
    s.get(f"/v1/workflows/{first}/actions?{wrong}", status=status)

# ---- what is known is not sent again ---------------------------------------------------------------

answer = s.get(f"/v1/workflows/{first}")
tag = answer.headers["ETag"]
ok(re.fullmatch(r'"[^"]+"', tag or ""), "a strong tag", repr(answer))
for _ in range(2):
    s.get(f"/v1/workflows/{first}", {"If-None-Match": tag}, 304)
s.get(f"/v1/workflows/{first}", {"If-None-Match": '"x", ' + tag}, 304)
s.get(f"/v1/workflows/{broken}", {"If-None-Match": tag}, 200)
same(s.get("/v1/archive").json["items"], s.pingo_json("archive"), "the month files too")
for path in ("/v1/me", "/readyz"):
    s.get(path, {"If-None-Match": s.get(path).headers["ETag"]}, 304)
before = {"If-None-Match": s.get("/v1/tokens").headers["ETag"]}
s.post("/v1/tokens", json.dumps({"name": "seen"}), status=201)
same([t["name"] for t in s.get("/v1/tokens", before, 200).json["items"]], ["seen"], "what the server wrote is seen at once, whatever was known")
s.ask("DELETE", "/v1/tokens/seen", status=200)
head = s.ask("HEAD", f"/v1/workflows/{first}", status=200)
same((head.body, head.headers["ETag"]), (b"", tag), "HEAD has the head alone")

# ---- waiting ---------------------------------------------------------------------------------------

gated = s.submit({"name": "gated", "actions": [
    action(1, "gate", f"for i in 1 2 3; do echo line $i; done; while ! test -e {s.dir}/go; do sleep 0.05; done; echo end; : >output")]})
gate = f"/v1/workflows/{gated}/actions/1"
eventually(lambda: s.get(gate).json["state"] == "RUNNING", "it runs")
began = time.monotonic()
answer = s.get(gate, {"Prefer": "wait=1"})
ok(time.monotonic() - began > 0.9, "the answer waits for an end as long as it was asked to")
same((answer.json["state"], answer.headers["Preference-Applied"]), ("RUNNING", "wait=1"), "and comes all the same")
s.get(gate, {"Prefer": "wait=1", "If-None-Match": answer.headers["ETag"]}, 304)

# ---- logs ------------------------------------------------------------------------------------------

log = f"/v1/workflows/{first}/actions/1/stdout"
same(s.get(log).body, b"said\n", "what an action said")
same(s.get(log.replace("stdout", "stderr")).body, b"complained\n", "and what it complained of")
same(s.get(f"/v1/workflows/{second}/actions/1/stdout").body, b"said\n", "what was reused has the log of who ran")
same([s.get(f"/v1/workflows/{first}/actions/1/attempts/1/{name}").body for name in ("stdout", "stderr")],
     [b"said\n", b"complained\n"], "by the attempt too")
answer = s.get(log, {"Range": "bytes=1-2"}, 206)
same((answer.body, answer.headers["Content-Range"]), (b"ai", "bytes 1-2/5"), "a range")
same(s.get(log, {"Range": "bytes=9-"}, 416).headers["Content-Range"], "bytes */5", "one that is not there")
answer = s.get(log + "?tail=2")
same((answer.body, answer.headers["Pingo-Left-Out"]), (b"d\n", "3"), "the end of it")
same((answer.headers["Content-Type"].split(";")[0], answer.headers["X-Content-Type-Options"]),
     ("text/plain", "nosniff"), "it is text, whatever is in it")
spew("go")
same(s.get(gate + "/stdout?follow=1").body, b"line 1\nline 2\nline 3\nend\n", "it is followed to its end")
same(s.get(gate + "/stdout?follow=1&from=14").body, b"line 3\nend\n", "and from where another answer was cut")
same(s.get(gate + "/stdout?follow=1&from=1000").body, b"line 1\nline 2\nline 3\nend\n", "but a shorter one whole: another attempt's was cut")
s.get(gate + "/stdout?from=14", status=400)
s.get(gate + "/stdout?follow=1&tail=5&from=14", status=400)
same(s.wait(gated)["state"], "FINISHED", "and so the workflow ended")
again = s.submit({"name": "again", "actions": [action(1, "again", f"if mkdir {s.dir}/once; then echo first; while ! test -e {s.dir}/again; do sleep 0.05; done; exit 1; fi; "
                                                     "echo second; : >output", retries=1)]})
eventually(lambda: s.get(f"/v1/workflows/{again}/actions/1/stdout", status=None).body == b"first\n", "an action that will be made again runs")
with socket.socket(socket.AF_UNIX) as following:
    following.connect(s.socket)
    following.settimeout(60)  # it ends with the connection, whatever the client would like
    following.sendall(f"GET /v1/workflows/{again}/actions/1/stdout?follow=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".encode())
    some = b""
    while b"first\n" not in some:
        some += following.recv(4096)
    spew("again")
    while more := following.recv(4096):
        some += more
same(some.partition(b"\r\n\r\n")[2], b"first\nsecond\n", "the log of the next attempt is followed, too")
long = s.submit({"name": "long", "actions": [action(1, "long", "yes 0123456 | head -c 3000000; : >output")]})
s.wait(long)
answer = s.get(f"/v1/workflows/{long}/actions/1/stdout")
same((len(answer.body), answer.headers["Pingo-Left-Out"]), (1 << 20, str(3000000 - (1 << 20))),
     "no more than 1 MiB comes unasked")

# ---- datasets ----------------------------------------------------------------------------------------

answer = s.get(f"/v1/datasets/{split}/content")
same((answer.body, answer.headers["Content-Type"]), (b"one\ntwo\nthree\n", "application/octet-stream"), "the bytes of a file")
ok("attachment" in answer.headers["Content-Disposition"] and "sandbox" in ", ".join(answer.headers.get_all("Content-Security-Policy")),
   "which no browser shows", answer)
same(s.get(f"/v1/datasets/{split}/content", {"Range": "bytes=4-6"}, 206).body, b"two", "a range of them")
tree = s.submit({"name": "tree", "actions": [
    action(1, "a <b>", "mkdir output; head -c 3000000 /dev/zero >output/zeros; echo x >output/x; ln -s x output/link")]})
s.wait(tree)
hash = s.get(f"/v1/workflows/{tree}/actions/1").json["hash"]
answer = s.get(f"/v1/datasets/{hash}/content")
with tarfile.open(fileobj=io.BytesIO(answer.body)) as tar:
    same([(m.name, m.size, m.linkname) for m in tar], [(".", 0, ""), ("./link", 0, "x"), ("./x", 2, ""), ("./zeros", 3000000, "")],
         "a directory is a tar")
with socket.socket(socket.AF_UNIX) as slow:
    slow.connect(s.socket)
    slow.sendall(f"GET /v1/datasets/{hash}/content HTTP/1.0\r\n\r\n".encode())
    some = slow.recv(1000)
    same(s.ask("DELETE", f"/v1/datasets/{hash}", status=409).json["code"], "PINGO_ECLAIMED", "which is held while it is sent")
    while more := slow.recv(1 << 20):
        some += more
ok(some.endswith(answer.body), "to its end", len(some))
eventually(lambda: s.ask("POST", f"/v1/datasets/{hash}/release").status == 200 and s.ask("DELETE", f"/v1/datasets/{hash}").status in (202, 409) and
           s.ask("DELETE", f"/v1/datasets/{hash}").json.get("code") != "PINGO_ECLAIMED", "and no longer")
ok('"a__b_.tar"' in answer.headers["Content-Disposition"], "whose name is safe", answer.headers["Content-Disposition"])

# ---- errors ----------------------------------------------------------------------------------------

problem = s.post("/v1/workflows", '{"name": "x", "actions": [{"id": 1, "nme": "a"}]}', status=422).json
ok(problem["errors"][0]["line"] == 1 and problem["errors"][0]["pointer"] == "/actions/0/nme" or
   any(e["pointer"].startswith("/actions/0") for e in problem["errors"]), "what is wrong in a text has its place", problem)
same(problem["code"], "PINGO_EWORKFLOW", "and the error its name")
s.post("/v1/workflows", "", status=422)
s.post("/v1/workflows", "{", status=422)
s.post("/v1/workflows", b"\xff\x00", status=422)
same(s.ask("POST", "/v1/workflows", "x", {"Content-Type": "text/html"}).status, 415, "another type is none")
same(s.ask("POST", "/v1/workflows", "x", {"Content-Encoding": "gzip"}).status, 415, "and no body that is packed")
answer = s.ask("PUT", "/v1/workflows")
same((answer.status, answer.headers["Allow"]), (405, "GET, HEAD, POST"), "another method is none, and which are is told")
same(s.get("/v1/nothing", status=None).status, 404, "another path is none")
same(s.get("/v1/workflows?limit=x", status=400).json["detail"][:5], "limit", "what is wrong in a query is told")

same(s.get("/v1/workflows", {"Accept": "text/html"}, 406).json["detail"], "this is application/json, and Accept does not take that",
     "what the client does not take is not sent")
s.get(log, {"Accept": "application/json"}, 406)
s.get(log, {"Accept": "text/*;q=0.1, application/json"}, 200)
s.get("/v1/workflows", {"Accept": "application/json;q=0, */*"}, 406)
submissions = s.get("/v1/workflows").json["items"]
s.post("/v1/workflows", json.dumps(wide := {"name": "wide", "actions": [action(1, "hold", "sleep 1000; : >output"),
                                                                        action(2, "then", ": >output", 1)]}), {"Accept": "text/html"}, 406)
same(s.get("/v1/workflows").json["items"], submissions, "and nothing is done for who does not take the answer")

# ---- what failed, and what was used ------------------------------------------------------------------

whole = "from=1970-01-01"
told = s.get(f"/v1/errors?{whole}").json["items"]
same(told, s.pingo_json("errors", "--since", "1970-01-01"), "failures are as errors --json prints them")
same({e["text"]: e["failed"] for e in told if e["exitCode"] == 3}, {"no": 1}, "the failure is there, with its last words")
for by in ("node", "executor", "user", "name"):
    same(s.get(f"/v1/errors?{whole}&by={by}").json["items"], s.pingo_json("errors", "--since", "1970-01-01", "--by", by), f"by {by}")
for step in ("30m", "1d"):
    rows = s.get(f"/v1/errors?by=executor&step={step}").json["items"]
    same(sum(r["failed"] for r in rows), sum(e["failed"] for e in told), f"a histogram by {step}")
ok(any(e["isOther"] for e in s.get("/v1/errors?limit=1").json["items"]) == (len(told) > 1), "what is beyond the limit comes together")
bad = next(e for e in told if e["exitCode"] == 3)
listed = s.get(f"/v1/errors/{bad['error']}/attempts").json["items"]
same(listed, s.pingo_json("errors", "--since", "1970-01-01", "--list", "--error", str(bad["error"])), "attempts of one are as errors --list prints them")
same([(a["workflow"], a["id"], a["epoch"]) for a in listed], [(e["workflow"], e["id"], e["epoch"]) for e in bad["examples"]], "its examples are among them")
same(s.get("/v1/errors/99999999/attempts", status=404).json["detail"].split(";")[0], "there is no error 99999999", "an error that is none is not found")
everything = s.pingo_json("errors", "--since", "1970-01-01", "--list")
same(s.get("/v1/errors/attempts").json["items"], everything, "all that failed are as errors --list prints them")
same(s.get(f"/v1/errors/attempts?error={bad['error']}").json["items"], listed, "or those of one")
today, node = listed[0]["ended"][:10], listed[0]["node"]
same(s.get(f"/v1/errors/attempts?from={today}&node={urllib.parse.quote(node)}").json["items"],
     s.pingo_json("errors", "--list", "--since", today, "--node", node), "those of a day and a node")
same(s.get("/v1/errors/attempts?from=2001-01-01&to=2001-01-02").json["items"], [], "of another day there is none")
paged, at = [], s.get("/v1/errors/attempts?limit=1").json
while at["items"]:
    paged += at["items"]
    at = s.get(f"/v1/errors/attempts?limit=1&cursor={at['next']}").json if at["next"] else {"items": []}
same(paged, everything, "page by page")
later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3 * 86400))
same(s.get(f"/v1/errors?to={later}").json["items"], [], "without from it is the day before the end")
s.get("/v1/errors/attempts?error=0", status=400)
s.get("/v1/errors?by=colour", status=400)
s.get("/v1/errors?step=30m&from=2020-01-01", status=400)
used = s.get("/v1/usage").json["items"]
ends = s.pingo_json("errors", "--since", "1970-01-01", "--by", "user")
same([(u["value"], u["ended"], u["failed"], u["lostMs"]) for u in used], [(e["value"], e["ended"], e["failed"], e["wallMs"]) for e in ends],
     "what was used, by user")
ok(used[0]["wallMs"] >= 100 and used[0]["wallMs"] > used[0]["lostMs"], "with what was not lost", used)
same(sum(u["wallMs"] for u in s.get("/v1/usage?by=executor&step=1d").json["items"]), used[0]["wallMs"], "and by executor and day")

# ---- users -------------------------------------------------------------------------------------------

same(s.get("/v1/shares").json["items"], s.pingo_json("shares"), "shares are as shares --json prints them")
carol = s.ask("PUT", "/v1/shares/carol%20x", '{"weight": 3, "maxSlots": 2, "maxBytes": "10 GiB"}', status=200).json
same((carol["user"], carol["weight"], carol["maxSlots"], carol["maxActions"], carol["maxBytes"]), ("carol x", 3, 2, None, 10 << 30), "they are set")
carol = s.ask("PUT", "/v1/shares/carol%20x", '{"maxSlots": null}', status=200).json
same((carol["weight"], carol["maxSlots"]), (3, None), "what is not named stays, null is no quota")
for body in ('{"weight": 0}', '{"weight": 10001}', '{"maxSlots": -1}', '{"maxBytes": "much"}', '{"wieght": 1}', "[]"):
    s.ask("PUT", "/v1/shares/carol", body, status=400)
same(s.ask("PUT", "/v1/shares/carol", '{"weight": 10001}', status=400).json["detail"], 'weight is a number from 1 to 10000, or null, not "10001"', "what would be right is told")

# ---- tokens, and what who has one may ------------------------------------------------------------------

made = s.post("/v1/tokens", '{"name": "look", "user": "victor"}', status=201)
same((made.json["name"], made.json["user"], made.json["role"], made.headers["Cache-Control"]), ("look", "victor", "viewer", "no-store"), "a token is made")
s.post("/v1/tokens", '{"name": "look"}', status=409)
for body in ('{"name": ""}', '{"name": "a", "role": "king"}', '{"name": "a", "expiresAt": "soon"}', '{"nmae": "a"}', '{"name": "a", "expiresAt": "2001-01-01"}', '{"name": "a", "expiresAt": "1970-01-01"}'):
    s.post("/v1/tokens", body, status=400)
same([(t["name"], t["usedAt"]) for t in s.get("/v1/tokens?all=1").json["items"] if t["user"] == "victor" or t["name"] == "a"], [("look", None)],
     "nobody has used it yet, and what was wrong has left none")
viewer = {"Authorization": "Bearer " + made.json["token"]}
send = {"Authorization": "Bearer " + s.post("/v1/tokens", '{"name": "send", "user": "sue", "role": "submitter", "expiresAt": null}', status=201).json["token"]}
same({t["name"]: (t["user"], t["role"], t["expiresAt"] is None, t["usedAt"]) for t in s.get("/v1/tokens").json["items"]},
     {"look": ("victor", "viewer", False, None), "send": ("sue", "submitter", True, None)}, "they are listed, and nobody used them yet")
# Quotas, each alone: who is over one is told which, and nothing is left of what he sent.
def sends(name, n):
    return s.post("/v1/workflows", json.dumps({"name": name, "actions": [action(i, f"a{i}", f"echo {name} {i} >output") for i in range(1, n + 1)]}), send)
def beyond(name, n, detail):
    answer, had = sends(name, n), s.get("/v1/workflows?user=sue").json["items"]
    same((answer.status, answer.json.get("code"), answer.json.get("detail")), (429, "PINGO_EQUOTA", detail), f"{name}: beyond a quota")
    ok(name not in [w["name"] for w in had], f"{name}: nothing is left of it", had)
s.ask("PUT", "/v1/shares/sue", '{"maxActions": 2}', status=200)
beyond("three at once", 3, "sue may have 2 actions that wait, and has 0: no room for 3 more")
two = sends("two at once", 2).json["workflow"]
eventually(lambda: s.get(f"/v1/workflows/{two}").json["state"] == "FINISHED", "two of two are run")
s.ask("PUT", "/v1/shares/sue", '{"maxActions": null, "maxBytes": 4}', status=200)
held = sum(row["bytes"] for row in s.get("/v1/shares").json["items"] if row["user"] == "sue")
beyond("more results", 1, f"sue may have 4 bytes of results and pins, and has {held}: release some first")
s.post(f"/v1/workflows/{two}/release", headers=send, status=200)
one = sends("one slot", 2).json["workflow"]
eventually(lambda: s.get(f"/v1/workflows/{one}").json["state"] == "FINISHED", "with results released there is room again")
s.ask("PUT", "/v1/shares/sue", '{"maxBytes": null, "maxSlots": 1}', status=200)
slots = s.post("/v1/workflows", json.dumps({"name": "slots", "actions": [action(i, f"a{i}", f"while ! test -e {s.dir}/slot{i}; do sleep 0.02; done; echo {i} >output") for i in (1, 2)]}), send, status=201).json["workflow"]
states = lambda: sorted(a["state"] for a in s.get(f"/v1/workflows/{slots}/actions").json["items"])
eventually(lambda: "RUNNING" in states(), "one of two runs")
eventually(lambda: s.get("/readyz").status == 200 and s.pingo("tick") is not None, "a round more")
same(states(), ["READY", "RUNNING"], "with a quota of one slot the other waits")
for i in (1, 2):
    open(f"{s.dir}/slot{i}", "wb").close()
eventually(lambda: s.get(f"/v1/workflows/{slots}").json["state"] == "FINISHED", "and has it after that")
s.ask("PUT", "/v1/shares/sue", '{"maxSlots": null}', status=200)

# A plug-in would run as the server does.
plug = os.path.join(s.dir, "plug")
subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-xc", "-", "-o", plug + ".so"], check=True, text=True,
               input=f'#include <stdio.h>\n__attribute__((constructor)) static void load(void) {{ fclose(fopen("{plug}.loaded", "w")); }}')
for who in (viewer, send):
    for name in (plug + ".so", f"{plug}.so:seed=1", "./plug.so"):
        same(s.get(f"/v1/pool/decide?algorithm={quote(name)}", who, 403).json["detail"], "plug-ins are loaded for admins alone", "who is no admin has no plug-in loaded")
    s.get("/v1/pool/decide?algorithm=random:seed=1", who, 200)
ok(not os.path.exists(plug + ".loaded"), "and none was")
told = s.get(f"/v1/pool/decide?algorithm={quote(plug)}.so", status=400).json["detail"]
ok("it does not export pingo_decision_plugin" in told, "what is no plug-in is the fault of who asks", told)
told = s.get(f"/v1/pool/decide?algorithm={quote(plug)}", status=400).json["detail"]
ok(told.startswith("the plug-in cannot be loaded: "), "as is one that is not there", told)
ok(os.path.exists(plug + ".loaded"), "but for an admin")

content = f"/v1/datasets/{split}/content"
for path in (log, content):
    s.get(path, viewer, 200)
for target, headers in (("/v1/tokens", viewer), ("/v1/tokens", send)):
    s.get(target, headers, 403)
s.ask("PATCH", "/v1/settings", '{"serve.private": "on"}', status=200)
for path in (log, log + "?follow=1", content, log.replace("stdout", "stderr"), log.replace("stdout", "attempts/1/stdout")):
    same(s.get(path, viewer, 403).status, 403, f"serve.private: viewers do not read {path.split('/', 4)[-1]}")
    refusal = 404 if path == content else 403  # a dataset of somebody else is as one that nobody has
    same(s.get(path, send, refusal).status, refusal, "nor does a submitter, of others'")
    s.get(path, status=200)
s.get(f"/v1/workflows/{first}/actions/1", viewer, 403)
s.ask("PATCH", "/v1/settings", '{"serve.private": null}', status=200)
s.get(f"/v1/workflows/{first}/actions/1", viewer, 200)
s.get(log, send, 200)
os.mkdir(os.path.join(s.dir, "free"))
os.symlink(os.path.join(s.dir, "text.txt"), os.path.join(s.dir, "free", "link"))
spew("free/in.txt", "x")
s.ask("PATCH", "/v1/settings", json.dumps({"serve.inputRoots": os.path.join(s.dir, "free")}), status=200)


def naming(path, **more):
    return json.dumps({"name": "naming", "actions": [action(1, "n", "cp in/f output", inputs=[{"name": "f", "path": path}], **more)]})


os.mkdir(os.path.join(s.dir, "free", "new"))
for body, status in ((naming(f"{s.dir}/free/in.txt"), 201), (naming(f"{s.dir}/text.txt"), 403), (naming(f"{s.dir}/free/link"), 403),
                     (naming(f"{s.dir}/free/../text.txt"), 403), (naming(f"{s.dir}/freely"), 403), (naming("/etc/passwd"), 403),
                     (naming(f"{s.dir}/free/in.txt", isManaged=False, outputPath=f"{s.dir}/out"), 403), (naming(f"{s.dir}/free/in.txt", isManaged=False, outputPath=f"{s.dir}/free/new/out"), 201)):
    same(s.post("/v1/workflows", body, send).status, status, f"serve.inputRoots: {json.loads(body)['actions'][0]['inputs'][0]['path'][len(s.dir):]} is {status}")
spew("free/tool", "#!/bin/sh\n")
spew("tool", "#!/bin/sh\n")
for name in ("free/tool", "tool"):
    os.chmod(os.path.join(s.dir, name), 0o755)
os.symlink(os.path.join(s.dir, "tool"), os.path.join(s.dir, "free", "linked"))
for more, status in (({"tools": ["/bin/sh", "wc", f"{s.dir}/free/tool"]}, 201), ({"tools": [f"{s.dir}/tool"]}, 403), ({"tools": [f"{s.dir}/free/linked"]}, 403),
                     ({"tools": ["tool"], "env": {"PATH": f"/usr/bin:{s.dir}"}}, 403), ({"tools": ["tool"], "env": {"PATH": f"/usr/bin:{s.dir}/free:/bin"}}, 201),
                     ({"versions": [[f"{s.dir}/tool"]]}, 403), ({"env": {"PATH": f"/usr/bin:/bin:{s.dir}"}}, 201)):
    same(s.post("/v1/workflows", naming(f"{s.dir}/free/in.txt", **more), send).status, status, f"serve.inputRoots: {json.dumps(more).replace(s.dir, '')} is {status}")
named = s.post("/v1/workflows?tag=named", naming(f"{s.dir}/free/in.txt"), send, 201).json["workflow"]
s.post(f"/v1/workflows/{named}/rerun", headers=send, status=201)
own = {"Authorization": "Bearer " + s.post("/v1/tokens", '{"name": "own", "role": "submitter"}', status=201).json["token"]}  # of who submits by the socket
below = s.submit(json.loads(naming("free/in.txt")))
same(s.post(f"/v1/workflows/{below}/rerun", headers=own, status=201).status, 201, "serve.inputRoots: relative paths start where they did")
below = s.submit(json.loads(naming("text.txt")))
same("serve.inputRoots" in s.post(f"/v1/workflows/{below}/rerun", headers=own, status=403).json["detail"], True, "and lead where they may not")
os.mkdir(os.path.join(s.dir, "nothing"))
s.ask("PATCH", "/v1/settings", json.dumps({"serve.inputRoots": os.path.join(s.dir, "nothing")}), status=200)
s.post(f"/v1/workflows/{named}/rerun", headers=send, status=403)
s.post(f"/v1/workflows/{named}/rerun", status=201)
os.rename(f"{s.dir}/free/in.txt", f"{s.dir}/free/was.txt")
os.symlink(f"{s.dir}/text.txt", f"{s.dir}/free/in.txt")
s.ask("PATCH", "/v1/settings", json.dumps({"serve.inputRoots": os.path.join(s.dir, "free")}), status=200)
same(s.post(f"/v1/workflows/{named}/rerun", headers=send, status=403).status, 403, "serve.inputRoots: what is submitted again names what it may by now, links too")
s.post("/v1/plan", naming("/etc/passwd"), send, 403)
s.post("/v1/plan", naming("/etc/passwd"), status=200)
s.ask("PATCH", "/v1/settings", '{"serve.inputRoots": null}', status=200)
lock = sqlite3.connect(os.path.join(s.dir, ".pingo", "pingo.db"), isolation_level=None)
lock.execute("BEGIN IMMEDIATE")
same(s.post(f"/v1/workflows/{second}/kill", headers=viewer, status=403).status, 403, "who is refused does not wait for the store's lock, which is let go after it")
lock.execute("ROLLBACK")
lock.close()
s.ask("DELETE", f"/v1/datasets/{split}", headers=send, status=403)
refused = eventually(lambda: len(r := {(a["user"], a["verb"]): a["result"] for a in s.get("/v1/audit").json["items"] if a["result"].startswith("refused: ")}) and
                     {("sue", "removeDataset"), ("victor", "killWorkflow")} <= set(r) and r,
                     "refusals are noted")
ok(refused[("victor", "killWorkflow")] == "refused: the role does not allow it" and "of somebody else" in refused[("sue", "removeDataset")] and
   ("sue", "submitWorkflow") in refused, "what is refused stands in the audit, by whomever", refused)
same(s.ask("DELETE", "/v1/tokens/look", status=200).json, {"revoked": "look"}, "a token is revoked")
s.get("/v1/workflows", viewer, 401)
s.ask("DELETE", "/v1/tokens/look", status=404)
noted = {(a["verb"], a["object"]) for a in s.get("/v1/audit").json["items"]}
ok({("token create", "look"), ("token revoke", "look")} <= noted, "and all that stands in the audit", noted)

# ---- changes ---------------------------------------------------------------------------------------

held = s.submit(wide)
same(s.post(f"/v1/workflows/{held}/pause", status=200).json, {"workflow": held, "state": "PAUSED", "changed": True}, "pause")
same(s.post(f"/v1/workflows/{held}/pause", status=200).json["changed"], False, "once")
same(s.post(f"/v1/workflows/{held}/resume", status=200).json["state"], "RUNNING", "resume")
same(s.ask("PATCH", f"/v1/workflows/{held}", '{"priority": -1}', status=200).json["priority"], -1, "another priority")
same(s.post(f"/v1/workflows/{held}/actions/2/kill", status=202).json["killed"], 1, "an action is killed")
same(s.post(f"/v1/workflows/{held}/kill", status=202).json["killed"], 1, "and all of a workflow")
same(s.wait(held)["state"], "KILLED", "it ends")
some = s.submit(wide)
s.post(f"/v1/workflows/{some}/kill?action=nobody", status=404)
same(s.post(f"/v1/workflows/{some}/kill?action=2&action=2", status=202).json["killed"], 1, "some are killed, each once")
s.post(f"/v1/workflows/{some}/kill?action=2", status=409)
s.post(f"/v1/workflows/{some}/kill", status=202)
s.post(f"/v1/workflows/{held}/kill", status=409)
s.ask("PATCH", f"/v1/workflows/{held}", '{"priority": 1}', status=409)
same(s.post(f"/v1/workflows/{first}/keep", status=200).json, {"kept": 1}, "results are pinned")
count = s.pingo_json("datasets", "count")[0]["hash"]
same(s.ask("PUT", f"/v1/datasets/{count}/keep", status=200).json, {"kept": 0}, "which they are then")
unpinned = s.ask("DELETE", f"/v1/datasets/{count}/keep", status=200).json
same([unpinned["released"], unpinned["wanted"]], [1, 1], "the pin is taken off")
same(s.get(f"/v1/datasets/{count}").json["state"], "LEAF", "and nothing else: it stays a result")
s.post(f"/v1/workflows/{second}/release", status=200)
s.post(f"/v1/datasets/{count}/release", status=200)
same(s.ask("DELETE", f"/v1/datasets/{split}", status=202).json["hashes"], [split], "a dataset is deleted")
s.ask("DELETE", f"/v1/datasets/{split}", status=409)
key = {"Idempotency-Key": "k1"}
keyed = s.post("/v1/workflows", json.dumps(wide), key, 201)
again = s.post("/v1/workflows", json.dumps(wide), key, 200)
same((again.json["workflow"], again.json["found"], again.headers["Location"]),
     (keyed.json["workflow"], True, keyed.headers["Location"]), "a key submits once")
same(s.post("/v1/workflows", json.dumps(words), key).status, 422, "and stands for one request")
s.post(f"/v1/workflows/{keyed.json['workflow']}/kill", status=202)
settings = s.ask("PATCH", "/v1/settings", '{"executor.slots": "3", "pool.budget": "1 GiB"}', status=200).json["items"]
same({r["key"]: r["value"] for r in settings}["executor.slots"], "3", "settings are changed")
same(s.pingo("config", "pool.budget").strip(), {r["key"]: r["value"] for r in settings}["pool.budget"], "for all")
s.ask("PATCH", "/v1/settings", '{"executor.slots": "4", "pool.budget": "much"}', status=400)
same(s.pingo("config", "executor.slots").strip(), "3", "or none of them")
s.ask("PATCH", "/v1/settings", '{"pool.budget": null, "executor.slots": "2"}', status=200)
s.ask("PATCH", "/v1/settings", '{"no.such": "3"}', status=404)
s.ask("PATCH", "/v1/settings", "[]", status=400)
same(s.get("/v1/settings").json["items"], s.pingo_json("config"), "they are as config --json prints them")

# ---- priorities --------------------------------------------------------------------------------------

calm = Server("--port", "0", "--no-run")
calm.pingo("config", "executor.slots", "1")
sender = {"Authorization": "Bearer " + calm.post("/v1/tokens", '{"name": "send", "user": "sue", "role": "submitter"}', status=201).json["token"]}
late = [calm.post("/v1/workflows", json.dumps({"name": f"w{i}", "actions": [action(n, f"a{n}", f"echo {i}{n} >output; sleep 0.05") for n in (1, 2)]}),
                  sender, 201).json["workflow"] for i in range(3)]
mine = f"/v1/workflows/{late[2]}"
calm.ask("PATCH", mine, '{"priority": 4}', sender, 403)
same(calm.get(mine).json["priority"], 0, "a priority is not for submitters, though it is theirs")
for body in ("{}", '{"priority": null}', '{"priority": "high"}', '{"priority": 1.5}', '{"priority": 1000000001}', '{"priotity": 1}', "[]"):
    calm.ask("PATCH", mine, body, status=400)
calm.ask("PATCH", "/v1/workflows/999", '{"priority": 1}', status=404)
same(calm.ask("PATCH", mine, '{"priority": 4}', status=200).json, calm.get(mine).json, "an admin sets it, and has it told")
same(calm.get(mine).json["priority"], 4, "as it is now")
same(calm.ask("PATCH", f"/v1/workflows/{late[0]}", '{"priority": -2}', status=200).json["priority"], -2, "it may be below 0")
ok(("set the priority of", f"workflow {late[2]}") in (seen := {(a["verb"], a["object"]) for a in calm.get("/v1/audit").json["items"]}), "it stands in the audit", seen)
calm.pingo("run", "--all", "-q")
began = sorted((a["started"], w) for w in late for a in calm.get(f"/v1/workflows/{w}/attempts").json["items"])
same([w for _, w in began], [w for w in (late[2], late[1], late[0]) for _ in (1, 2)], "and is the order in which they start")
calm.end()

# ---- what changes ------------------------------------------------------------------------------------

same([s.ask("HEAD", "/v1/events", status=200).body for _ in range(2)], [b"", b""], "of a stream HEAD has the head alone, and leaves the connection")
stream = s.stream("/v1/events")
begun = next(stream)
same((begun[1], begun[0]), ("begin", str(begun[2]["number"])), "a stream tells where it begins")
streamed = s.submit({"name": "streamed", "actions": [action(1, "s", "echo streamed >output")]})
told = []
for number, kind, data in stream:
    same({c["kind"] for c in data}, {kind}, f"changes of {kind}")
    told += [(kind, c["workflow"], c["action"], c["to"]) for c in data]
    if ("workflow", streamed, None, "FINISHED") in told:
        break
stream.close()
ok(("action", streamed, 1, "FINISHED") in told, "what happens to its actions is told", told)
ok(any(kind == "dataset" for kind, *_ in told), "and to its datasets", told)
resumed = s.stream(f"/v1/events?workflow={streamed}&kind=workflow", {"Last-Event-ID": begun[0]})
next(resumed)
number, kind, data = next(resumed)
same((kind, [c["to"] for c in data]), ("workflow", ["FINISHED"]), "a stream is resumed, and an object told once, as it is now")
resumed.close()
s.get("/v1/events?kind=no", status=400)

# ---- monitoring --------------------------------------------------------------------------------------


def settled():
    """Nothing that was killed is still ending."""
    return all(a["ended"] for w in s.get("/v1/workflows?limit=1000").json["items"] for a in s.get(f"/v1/workflows/{w['workflow']}/attempts").json["items"])



eventually(settled, "all that was killed has ended")


def numbers(accept=None):
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in s.get("/metrics", accept).body.decode().splitlines() if not line.startswith("#")}


def let_go_once_wanted(lock):
    """Whoever waits for a store's lock says so by one of the other kind."""
    waits = re.compile(rf"OFDLCK .*:{os.fstat(lock.fileno()).st_ino} ")
    eventually(lambda: waits.search(open("/proc/locks").read()), "somebody waits for the lock")
    time.sleep(0.3)
    fcntl.flock(lock, fcntl.LOCK_UN)


waited = 'pingo_write_lock_wait_seconds_total{writer="changes"}'
before = numbers()[waited]
with open(os.path.join(s.dir, ".pingo", "lock"), "r+b") as held:
    fcntl.flock(held, fcntl.LOCK_EX)
    threading.Thread(target=let_go_once_wanted, args=(held,)).start()
    s.ask("PUT", "/v1/shares/ann", '{"weight": 1}', status=200)
ok(0.05 < numbers()[waited] - before < 30, "who has waited for the store's lock is told")
same(numbers()["pingo_decision_seconds_count"], 0, "no decision was due")
hand = s.submit({"name": "hand", "actions": [action(1, "hand", "sleep 1000; : >output")]})
eventually(lambda: numbers().get('pingo_executor_slots{executor="local",kind="running"}') == 1, "what an executor has in hand is told")
s.post(f"/v1/workflows/{hand}/kill", status=202)
eventually(lambda: 'pingo_executor_slots{executor="local",kind="running"}' not in numbers(), "until it has ended")
eventually(settled, "and has")
answer = s.get("/metrics")
classic = answer.body.decode()
same(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8", "numbers for Prometheus")
value = {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in classic.splitlines() if not line.startswith("#")}
ends = s.pingo_json("errors", "--since", "1970-01-01", "--by", "executor")[0]
same(sum(v for k, v in value.items() if k.startswith('pingo_attempts_total{executor="local"')), ends["ended"], "all that ended is counted")
same(value['pingo_attempts_total{executor="local",reason="command"}'], sum(e["failed"] for e in s.pingo_json("errors", "--since", "1970-01-01") if e["category"] == "command"), "by what it failed of")
same(value['pingo_pool_used_bytes'], s.get("/v1/pool").json["usedBytes"], "the pool is as /v1/pool says")
same(value['pingo_actions{state="READY"}'], 0, "nothing is ready")
ok(value['pingo_http_requests_total{route="getWorkflow",code="2xx"}'] > 5 and value['pingo_http_requests_total{route="none",code="4xx"}'] >= 1 and
   value['pingo_http_request_seconds_count{route="listWorkflows"}'] > 5 and value['pingo_tick_seconds_count'] > 0, "requests and rounds are counted", classic)
answer = s.get("/metrics", {"Accept": "application/openmetrics-text; version=1.0.0; charset=utf-8; q=0.75, text/plain;version=0.0.4;q=0.5, */*;q=0.1"})
same(answer.headers["Content-Type"].split(";")[0], "application/openmetrics-text", "OpenMetrics for who asks for it")
try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_parse
    families = {f.name: f for f in open_parse(answer.body.decode())}
    ok({"pingo_attempts", "pingo_build", "pingo_tick_seconds", "pingo_regret_seconds"} <= set(families), "which a strict parser takes", sorted(families))
except ImportError:
    absent("prometheus_client", "OpenMetrics is not parsed")
where = subprocess.run([f"{ROOT}/test/serve/promtool", os.path.join(os.path.dirname(PINGO), "tools")], capture_output=True, text=True)
if where.returncode == 0:
    said = subprocess.run([where.stdout.strip(), "check", "metrics"], input=classic, capture_output=True, text=True, timeout=60)
    same((said.returncode, said.stdout + said.stderr), (0, ""), "promtool has nothing against the other")
else:
    absent("promtool", "Prometheus' text is not checked")

# ---- WES: more of it in wes.t ------------------------------------------------------------------------

wes = "/ga4gh/wes/v1/runs"
form = "".join(f'--b\r\nContent-Disposition: form-data; name="{n}"{f}\r\n\r\n{v}\r\n' for n, f, v in (
    ("workflow_type", "", "PINGO"), ("workflow_type_version", "", "1"), ("workflow_url", "", "w"),
    ("workflow_attachment", '; filename="w"', json.dumps({"name": "run", "actions": [action(1, "run", "sleep 1000; : >output")]}))))
run = s.post(wes, form + "--b--\r\n", {"Content-Type": "multipart/form-data; boundary=b"}, 200).json["run_id"]
for path in ("", f"/{run}", f"/{run}/status", f"/{run}/tasks", f"/{run}/tasks/1"):
    s.get(wes + path)
same(s.post(f"{wes}/{run}/cancel", status=200).json, {"run_id": run}, "a run of WES is submitted, seen and cancelled")

# ---- again ------------------------------------------------------------------------------------------

again = s.post(f"/v1/workflows/{broken}/rerun", status=201)
same(again.headers["Location"], f"/v1/workflows/{again.json['workflow']}", "one that failed is submitted again")
same(s.wait(again.json["workflow"])["summary"], {"compute": 2, "reuse": 0, "join": 0, "skip": 0}, "and made again")
same(s.post(f"/v1/workflows/{first}/rerun", status=201).json["summary"], {"compute": 0, "reuse": 1, "join": 0, "skip": 1},
     "its inputs lie where they lay, and what is there is reused")
part = s.post("/v1/workflows?target=1", json.dumps({"name": "part", "actions": [action(1, "one", "echo of part >output"), action(2, "two", "cat in/p1 in/p1 >output", 1)]}), status=201).json["workflow"]
s.wait(part)
same(s.post(f"/v1/workflows/{part}/rerun", status=201).json["summary"], {"compute": 0, "reuse": 1, "join": 0, "skip": 1}, "for the targets that it had")

# ---- whatever is asked -------------------------------------------------------------------------------

texts = st.one_of(st.text(max_size=40), st.sampled_from(
    ["", "0", "-1", "1", "last", "99999999999999999999", "..", ".", "%", "'; DROP TABLE workflow; --", "\u202ereversed",
     "<img src=x onerror=alert(1)>", "a" * 3000, "*", "[", "true", "2026-11-20", "0x10", "1e9", "\ud7ff", "RUNNING,"]))
streams = {"streamEvents"}


def attack(method, path, operation):
    names = [p["name"] for p in operation["parameters"] if p["in"] == "query"]

    @hypothesis.settings(max_examples=12, deadline=None, database=None, derandomize=True,
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(st.data())
    def run(data):
        target = re.sub(r"\{\w+\}", lambda _: quote(data.draw(texts), safe="") or "x", path)
        query = data.draw(st.lists(st.tuples(st.sampled_from(names + ["unknown"]), texts), max_size=4))
        query = [(n, v) for n, v in query if n not in ("follow",)]
        body = data.draw(st.one_of(st.none(), st.binary(max_size=60), texts.map(lambda t: json.dumps({"name": t, "actions": []}).encode()),
                                   st.dictionaries(texts, texts, max_size=3).map(lambda d: json.dumps(d).encode())))
        headers = {"Content-Type": "application/json"} if body is not None else {}
        target += "?" + urllib.parse.urlencode(query) if query else ""
        answer = s.raw(method, target, body, headers)
        wrong = s.wrong(method, target, answer)
        assert not wrong, wrong
        assert answer.status < 500, f"{method} {target} {body}: {answer!r}"

    try:
        run()
        return None
    except Exception as e:  # whatever it is, it is told
        return str(e)


for path, methods in s.document["paths"].items():
    for method, operation in methods.items():
        if operation["operationId"] not in streams:
            wrong = attack(method.upper(), path, operation)
            ok(not wrong, f"{operation['operationId']} stands hostile values", wrong)
ok(s.answers(), "and the server is still there")

code = s.post("/v1/page/code", status=201).json["code"]
bearer = {"Authorization": f"Bearer {code}"}
s.post("/v1/page/token", headers=bearer, status=201)
s.post("/v1/page/token", headers=bearer, status=401)

# ---- the page, and its files, which are packed and may be kept -------------------------------------------

gzipped = {"Accept-Encoding": "gzip"}  # Python says identity by itself
if s.get("/", gzipped, None).status == 200:
    index = gzip.decompress(s.get("/", gzipped).body).decode()
    app = re.search(r'src="(page/\w+/app.js)"', index).group(1)
    files = [app] + [app.replace("app.js", name) for name in re.findall(r"from '\./([\w./-]+)'", gzip.decompress(s.get(f"/{app}", gzipped).body).decode())]
    answers = [s.get(f"/{name}", gzipped) for name in files]
    same([a.headers["content-encoding"] for a in answers], ["gzip"] * len(files), "files of the page are packed")
    ok(all("immutable" in a.headers["cache-control"] for a in answers), "and may be kept for ever")
    s.get(f"/{app}".replace("/app.js", "x/app.js"), gzipped, 404)
    policy = {p.split()[0]: p.split()[1:] for p in s.get("/", gzipped).headers["content-security-policy"].split("; ")}
    same([policy[k] for k in ("default-src", "script-src", "connect-src", "frame-ancestors", "require-trusted-types-for")],
         [["'none'"], ["'self'"], ["'self'"], ["'none'"], ["'script'"]], "the policy of the page")
    same(s.get("/", gzipped).headers["cache-control"], "no-cache", "which is asked for each time")
    for taken, status in {"gzip, br": 200, "*": 200, "br, gzip;q=0.5": 200, "identity": 406, "gzip;q=0": 406, "gzip; q=0.0, br": 406, "br": 406, "": 406}.items():
        same(s.get(f"/{app}", {"Accept-Encoding": taken}, status).status, status, f"Accept-Encoding: {taken}: {status}")
    with_hosts = [name for name in files if re.search(rb"https?://(?!www\.w3\.org/)", gzip.decompress(s.get(f"/{name}", gzipped).body))]
    same([name for name in with_hosts if "/lib/" not in name], [], "no file of ours names another host")
    same(s.get("/", headers={"If-None-Match": s.get("/", gzipped).headers["etag"]}, status=304).status, 304, "the first is asked for again, and known")
    sizes = [os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(os.path.join(os.environ.get("BUILD", f"{ROOT}/build"), "page/files"))
             for name in names if name.endswith(".gz")]
    ok(0 < sum(sizes) <= 100_000, f"all of the page is {sum(sizes)} bytes, at most 100 kB")
else:
    ok("npm" in s.get("/", gzipped, 404).body.decode(), "without its libraries there is no page, and it is said what to do")
    s.called |= {"getPage", "getPageFile", "getPageModule"}

# ---- what is documented ------------------------------------------------------------------------------

page = open(f"{ROOT}/man/pingo-api.7").read()
prose = re.sub(r"\n\.\w+ ", " ", page)
for path in sorted({p for _, p in routes if p.startswith("/v1/")}):
    first, last = re.match(r"(/v1/\w+).*?(\w*)\}?$", path).groups()
    ok(first in page and re.search(rf"\b{last}\b", prose), f"pingo-api(7) speaks of {path}")
examples = re.findall(r'\.\\" api: (\w+)\n\.Bd.*?\n(.*?)\.Ed', page, re.S)
ok(len(examples) >= 2, "and shows how it is used")
for name, text in examples:
    script = re.sub(r"^\$ ", "", text.replace("\\e\n", "\\\n"), flags=re.M)
    said = subprocess.run(["sh", "-ec", script], cwd=s.dir, capture_output=True, text=True, timeout=60)
    ok(said.returncode == 0, f"its example {name} works", said.stdout + said.stderr)

missing = sorted(set(ids) - s.called - streams)
same(missing, [], "every operation was asked, and answered well, once")
s.ask("PATCH", "/v1/settings", '{"pool.budget": "1"}', status=200)
eventually(lambda: numbers()["pingo_decision_seconds_count"] > 0, "a decision is timed")
stream = s.stream("/v1/events")
next(stream)
s.process.terminate()
same([kind for _, kind, _ in stream], ["bye"], "a stream is told that the server stops")
same(s.stop(), 0, "which it does")
done()
