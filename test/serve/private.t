#!/usr/bin/python3
"""With serve.private on, nobody but its user and admins reads anything of a submission: every GET of the document is
asked by others, and what only vera knows is in no answer."""
import json
import os
import re
import subprocess
import urllib.parse

from client import PINGO, Server, Unix, action, done, eventually, ok, same

s = Server("--port", "0")
MARK = "Verasecret"


def token(user, role):
    text = json.dumps({"name": user, "user": user, "role": role})
    return {"Authorization": "Bearer " + s.post("/v1/tokens", text, status=201).json["token"]}


def submit(who, workflow, query=""):
    return s.post("/v1/workflows" + query, json.dumps(workflow), who, 201).json["workflow"]


vera, sue, victor, admin = token("vera", "submitter"), token("sue", "submitter"), token("victor", "viewer"), {}
path = os.path.join(s.dir, MARK + ".txt")
with open(path, "w") as out:
    out.write(MARK + "\n")
given = {"inputs": [{"name": "in", "path": path}], "env": {MARK: MARK}, "labels": {"k": MARK}}
shared, passing = "echo common >output", "echo passing >output"
with open(os.path.join(s.dir, "sues.txt"), "w") as out:
    out.write("sues\n")
hers = submit(vera, {"name": MARK, "actions": [
    action(1, MARK + "-a", f"cat in/in >output; echo {MARK}; echo {MARK} >&2", **given),
    action(2, MARK + "-b", f"echo {MARK} >output; cat in/p1 >>output", 1, **given),
    action(3, MARK + "-shared", shared, labels={"k": MARK}),
    action(4, MARK + "-passing", passing, labels={"k": MARK})]}, "?tag=" + MARK)
same(s.wait(hers)["state"], "FINISHED", "vera's is run")
broken = submit(vera, {"name": MARK + "-broken", "actions": [action(1, MARK + "-bad", f"echo {MARK} is no good >&2; exit 3", **given), action(2, "after", "true >output", 1)]})
same(s.wait(broken)["state"], "FAILED", "and another fails")
own = submit(sue, {"name": "sues", "actions": [
    action(1, "one", "cat in/in >output; echo sues", inputs=[{"name": "in", "path": os.path.join(s.dir, "sues.txt")}]), action(2, "common", shared),
    action(3, "passing", passing), action(4, "made", "cat in/p1 in/p3 >output", 1, 3, labels={"k": "sues"})]})
same(s.wait(own)["state"], "FINISHED", "sue's is run, and uses what vera's has made")
datasets = [d["hash"] for d in s.get("/v1/datasets?all=1").json["items"]]
sues = [d["hash"] for d in s.get(f"/v1/datasets?workflow={own}&all=1").json["items"]]
ok(len(datasets) >= 5 and len(sues) == 4, "datasets are there", datasets, sues)
errors = [e["error"] for e in s.get("/v1/errors?from=1970-01-02").json["items"]]
ok(errors, "and a failure")
s.ask("PATCH", "/v1/settings", '{"serve.private": "on"}', status=200)

# ---- every GET -----------------------------------------------------------------------------------------

VALUES = {"workflow": [hers, broken, own, "last"], "run": [hers, broken, own], "action": [1, 2, 3, MARK + "-a"], "task": [1, 2, 3], "epoch": [1],
          "dataset": datasets, "error": errors, "version": ["0"], "folder": ["parts"], "file": ["app.js"]}
QUERIES = {"/v1/workflows": ["user=vera", "name=" + MARK, "tag=" + MARK, "limit=1"], "/v1/datasets": ["all=1", "user=vera", f"workflow={hers}", "workflow=Verasecre", "name=*", "sort=value"],
           "/v1/errors": ["from=1970-01-02", "from=1970-01-02&by=name", "from=1970-01-02&user=vera", "from=1970-01-02&step=1d"],
           "/v1/usage": ["from=1970-01-02"], "/v1/pool/decide": ["free=1T"], "/v1/workflows/{workflow}/graph": ["around=1"],
           "/v1/workflows/{workflow}/actions/{action}/stdout": ["follow=1", "tail=9"], "/v1/workflows/{workflow}/actions/{action}/stderr": ["follow=1"]}


def filled(path):
    """A pattern with all values of its parts."""
    name = path[path.find("{") + 1:path.find("}")] if "{" in path else None
    if not name:
        return [path]
    return [p for value in VALUES[name] for p in filled(path.replace("{%s}" % name, urllib.parse.quote(str(value)), 1))]


s.ask("DELETE", f"/v1/datasets/{s.get(f'/v1/datasets?workflow={broken}&all=1').json['items'][0]['hash']}")
routes = sorted(p for p, methods in s.document["paths"].items() if "get" in methods and p != "/v1/events")
told, leaks, forbidden = set(), [], 0
for route in routes:
    for target in filled(route):
        for query in [""] + QUERIES.get(route, []):
            asked = target + (query and "?" + query)
            for who, headers in (("sue", sue), ("victor", victor), ("", admin)):
                answer = s.raw("GET", asked, headers=headers)
                has_it = MARK.encode() in answer.body or MARK in str(answer.headers)
                wrong = s.wrong("GET", asked, answer)
                if wrong or answer.status >= 500:
                    leaks.append(f"{who} {asked}: {wrong or answer!r}")
                if not who and has_it and answer.status == 200:
                    told.add(route)
                elif who and has_it and not (answer.status >= 400 and MARK in asked):
                    leaks.append(f"{who} {asked}: {answer!r}"[:600])
                forbidden += bool(who) and answer.status == 403
same(leaks, [], f"nothing of vera's is in any answer to others, {len(routes)} routes")
ok(len(told) >= 20, f"an admin reads it by {len(told)} of them", sorted(told))
ok(forbidden > 100, f"{forbidden} answers were 403")

# ---- what changes ----------------------------------------------------------------------------------------

stream = Unix(s.socket)
stream.request("GET", "/v1/events", headers={**victor, "Last-Event-ID": "0"})
response = stream.getresponse()
last = submit(sue, {"name": "end", "actions": [action(1, "end", "echo end >output")]})
said = b""
while f'"workflow":{last}'.encode() not in said.replace(b" ", b""):
    said += response.readline()
stream.close()
ok(MARK.encode() not in said, "that something has changed is told, and no more", said)
s.wait(last)

# ---- what a plan is compared with ------------------------------------------------------------------------

near = json.dumps({"name": "near", "actions": [action(1, MARK + "-a", "echo near >output")]})
why = {who: s.post("/v1/plan?why=1", near, headers, 200).json["actions"][0]["why"] for who, headers in (("sue", sue), ("admin", admin))}
same((why["sue"]["nearest"], why["sue"]["differences"]), (None, []), "what differs from vera's is not told")
ok(why["admin"]["nearest"]["workflow"] == hers and why["admin"]["differences"], "but to an admin", why["admin"])
same(s.post("/v1/plan", near, sue, 200).json["actions"][0]["why"], None, "and to nobody who did not ask")

# ---- what is one's own is told ---------------------------------------------------------------------------

by_name = {d["name"]: d["hash"] for d in s.get("/v1/datasets?all=1").json["items"]}
common, used = by_name[MARK + "-shared"], by_name[MARK + "-passing"]
same([w["workflow"] for w in s.get("/v1/workflows", sue).json["items"]], [last, own], "sue sees what is hers")
same([r["run_id"] for r in s.get("/ga4gh/wes/v1/runs", sue).json["runs"]], [str(last), str(own)], "by WES, too")
for target in (f"/v1/workflows/{own}", f"/v1/workflows/{own}/text", f"/v1/workflows/{own}/actions/1", f"/v1/workflows/{own}/actions/1/why",
               f"/v1/workflows/{own}/actions/1/attempts", *(f"/v1/datasets/{d}" for d in sues if d != used)):
    same(s.get(target, sue).status, 200, f"she reads {target[:40]}")
same(sorted(d["hash"] for d in s.get(f"/v1/datasets?workflow={own}", sue).json["items"]), sorted(set(sues) - {used}), "what she has made or wants is listed")
names = {d["name"] for d in s.get(f"/v1/datasets?workflow={own}", sue).json["items"]}
same(names, {"one", "", "made"}, "of what vera has made she does not know how it was called")


def found(query, headers=sue):
    page = s.get(f"/v1/datasets?{query}", headers).json
    return sorted(d["hash"] for d in page["items"]), page["next"]


same(found("name=V*"), ([], None), "nor can she ask for the name")
same(found("label=k%3DV*"), ([], None), "or for a label")
ok(common in found("name=V*", admin)[0] and common in found("label=k%3DV*", admin)[0], "by which an admin finds it")
for query in ("name=*", "sort=name", "sort=user", "sort=workflow"):
    same(found(query), (sorted(by_name[n] for n in ("one", "made", "end")), None), f"{query}: she is told what she has made")
first = s.get("/v1/datasets?sort=name&limit=1").json  # an admin's: whoever wrote the cursor, what others made is no place in her list
same((first["items"][0]["user"], s.get("/v1/datasets?sort=name&cursor=" + first["next"], sue, 400).status), ("vera", 400), "which begins behind none of vera's")
same(found("label=k%3D*"), ([by_name["made"]], None), "by label, too")
ran = [s.get(f"/v1/workflows/{own}/actions/{i}/ran", who).json for i, who in ((1, sue), (2, sue), (2, admin))]
same([(r["ranWorkflow"], r["ranId"]) for r in ran], [(own, 1), (None, None), (hers, 3)], "nor whose run it was")
url = re.search(r"http://127\.0\.0\.1:\d+/", open(s.log).read()).group()
log = subprocess.run([PINGO, "--server", url, "log", str(own), "2"], env={**os.environ, "PINGO_TOKEN": sue["Authorization"].split()[1]}, capture_output=True, text=True)
same((log.returncode, log.stdout, log.stderr), (0, "", "the logs are empty, or older than pool.logDays\n"), "which pingo log does not take for none")
same(s.raw("GET", f"/v1/datasets/{common}/content", headers=sue).body, b"common\n", "but reads what is a result of hers as well")
same(s.get(f"/v1/datasets/{used}", sue, 404).status, 404, "and what only passed through is vera's")

# Whether others have a dataset whose hash begins so is not told: what is not hers is not there, however she asks.
hidden = [d for d in datasets if s.ask("GET", f"/v1/datasets/{d}", None, sue).status == 404]
ok(used in hidden and len(hidden) >= 2, "what she cannot read is not there for her", hidden)


def unsaid(answer, text):
    return answer.status, json.dumps(answer.json).replace(text, "it")


NONE = "0123456789abcdef" * 4
for method, path in (("GET", "/v1/datasets/{}"), ("GET", "/v1/datasets/{}/content"), ("GET", "/v1/datasets/{}/provenance"), ("GET", "/v1/evictions?dataset={}"),
                     ("DELETE", "/v1/datasets/{}"), ("PUT", "/v1/datasets/{}/keep"), ("DELETE", "/v1/datasets/{}/keep")):
    says = {unsaid(s.ask(method, path.format(text), None, sue), text) for h in [*hidden, NONE] for text in (h, h[:8], h[:20])}
    ok(len(says) == 1 and next(iter(says))[0] == 404, f"{method} {path}: what is not hers is as what nobody has", says)
same(s.get(f"/v1/datasets/{common[:12]}", sue).json["hash"], common, "hers are found by their first digits, whatever others have")
bad = submit(sue, {"name": "bad", "actions": [action(1, "bad", "echo sorry >&2; exit 1")]})
s.wait(bad)
log = f"/v1/workflows/{bad}/actions/1/stderr"
same((s.raw("GET", log, headers=sue).body, s.get(log, victor, 403).status), (b"sorry\n", 403), "her logs are hers, too")
same([e["text"] for e in s.get("/v1/errors", sue).json["items"]], ["sorry"], "and her failures")
same(s.get("/v1/workflows", victor).json["items"], [], "who has submitted nothing sees nothing")
same(s.get("/v1/datasets", victor).json["items"], [], "and no dataset")
same(s.get("/v1/workflows?user=vera", sue, 403).status, 403, "and may not ask for others'")
same(len(s.get("/v1/workflows").json["items"]), 5, "an admin sees all")
tagged = {"name": "tagged", "actions": [action(1, "tagged", "echo tagged >output"), action(2, MARK, "echo end >output", labels={"k": MARK})]}
submit(vera, tagged, "?tag=nightly&once=1")
same(found("label=k%3DV*"), ([], None), "what vera calls what sue has made is not told either")
same(s.post("/v1/workflows?tag=nightly&once=1", json.dumps(tagged), sue, 403).status, 403, "nor is one found by the tag that vera gave it")
same(s.post("/v1/workflows?tag=nightly&once=1", json.dumps(tagged), vera, 200).status, 200, "which finds it for her")
tom = token("tom", "submitter")  # of whose refusals there are few, so that each has a row
same(s.post("/v1/workflows?tag=nightly&once=1", json.dumps(tagged), tom, 403).status, 403, "by nobody else")
ok(eventually(lambda: any(r["user"] == "tom" and "(serve.private)" in r["result"] for r in s.get("/v1/audit").json["items"]), "a row of tom's"),
   "the audit says why that was refused")
done()
