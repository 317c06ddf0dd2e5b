#!/usr/bin/python3
"""Each operation of the document that changes something stands in the audit once: who asked, by which way, what he did and to
what.  One that changes nothing does not.  An operation that is in no table here fails the test."""
import json

from client import Server, action, done, eventually, ok, same

s = Server("--port", "0", "--no-run")
given = {"name": "sues", "actions": [action(1, "one", "echo one >output"), action(2, "two", "cat in/p1 >output", 1)]}
ready = {"name": "ready", "actions": [action(1, "ready", "echo ready >output"), action(2, "more", "echo more >output")]}


def headers_of(user, role):
    text = json.dumps({"name": "of-" + user, "user": user, "role": role})
    return {"Authorization": "Bearer " + s.post("/v1/tokens", text, status=201).json["token"]}


sue, ann = headers_of("sue", "submitter"), headers_of("ann", "admin")
WHO = {"sue": sue, "ann": ann}
first = s.post("/v1/workflows", json.dumps(given), sue, 201).json["workflow"]
s.pingo("run", "--all", "-q")
last, before = (s.get(f"/v1/datasets?workflow={first}&name={name}&all=1").json["items"][0]["hash"] for name in ("two", "one"))
other = s.post("/v1/workflows", json.dumps(ready), sue, 201).json["workflow"]
another = s.post("/v1/workflows", json.dumps({"name": "other", "actions": [action(1, "other", "echo other >output")]}), sue, 201).json["workflow"]
form = "".join((*(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in (
    ("workflow_params", "{}"), ("workflow_type", "PINGO"), ("workflow_type_version", "1"), ("workflow_url", "w.json"))),
    f'--x\r\nContent-Disposition: form-data; name="workflow_attachment"; filename="w.json"\r\n\r\n{json.dumps(given)}\r\n--x--\r\n'))
multipart = {"Content-Type": "multipart/form-data; boundary=x"}

# Who, the request, and the row: what he did, and to what (of the answer, where it is a function).
WRITES = {
    "submitWorkflow": ("sue", "POST", "/v1/workflows", json.dumps(given), {}, "submit", lambda a: f"workflow {a['workflow']}"),
    "RunWorkflow": ("sue", "POST", "/ga4gh/wes/v1/runs", form, multipart, "submit", lambda a: f"workflow {a['run_id']}"),
    "rerunWorkflow": ("sue", "POST", f"/v1/workflows/{first}/rerun", None, {}, "submit", lambda a: f"workflow {a['workflow']}"),
    "setPriority": ("ann", "PATCH", f"/v1/workflows/{other}", '{"priority": 3}', {}, "set the priority of", f"workflow {other}"),
    "pauseWorkflow": ("sue", "POST", f"/v1/workflows/{other}/pause", None, {}, "pause", f"workflow {other}"),
    "resumeWorkflow": ("sue", "POST", f"/v1/workflows/{other}/resume", None, {}, "resume", f"workflow {other}"),
    "killAction": ("sue", "POST", f"/v1/workflows/{other}/actions/1/kill", None, {}, "kill", f"workflow {other}"),
    "killWorkflow": ("sue", "POST", f"/v1/workflows/{other}/kill", None, {}, "kill", f"workflow {other}"),
    "CancelRun": ("sue", "POST", f"/ga4gh/wes/v1/runs/{another}/cancel", None, {}, "kill", f"workflow {another}"),
    "keepWorkflow": ("sue", "POST", f"/v1/workflows/{first}/keep", None, {}, "keep", f"workflow {first}"),
    "unpinDataset": ("sue", "DELETE", f"/v1/datasets/{last}/keep", None, {}, "unpin", f"dataset {last}"),
    "keepDataset": ("sue", "PUT", f"/v1/datasets/{last}/keep", None, {}, "keep", f"dataset {last}"),
    "releaseDataset": ("sue", "POST", f"/v1/datasets/{last}/release", None, {}, "release", f"dataset {last}"),
    "releaseWorkflow": ("sue", "POST", f"/v1/workflows/{first}/release", None, {}, "release", f"workflow {first}"),
    "removeDataset": ("ann", "DELETE", f"/v1/datasets/{before}", None, {}, "remove", f"dataset {before}"),
    "setShare": ("ann", "PUT", "/v1/shares/sue", '{"weight": 2}', {}, "set the share of", "sue"),
    "createToken": ("ann", "POST", "/v1/tokens", '{"name": "new", "user": "sue", "role": "viewer"}', {}, "token create", "new"),
    "revokeToken": ("ann", "DELETE", "/v1/tokens/new", None, {}, "token revoke", "new"),
    "changeSettings": ("ann", "PATCH", "/v1/settings", '{"executor.slots": "3"}', {}, "set", "executor.slots"),
}
ALSO = {"rerunWorkflow": ("submit again", f"workflow {first}")}  # of which of them it was made
READS = {
    "planWorkflow": ("sue", "POST", "/v1/plan", json.dumps(given), {}),
    "validateWorkflow": ("sue", "POST", "/v1/validate", json.dumps(given), {}),
}
PAGES = {"createPageCode", "createPageToken"}  # for who has the socket: they change nothing in the store


def rows():
    return s.get("/v1/audit?limit=1000").json["items"]


def ask(name, method, target, body, headers):
    before = rows()
    answer = s.ask(method, target, body, {**WHO[name], **headers})
    after = rows()
    same(after[len(after) - len(before):], before, f"{method} {target[:40]}: what stood in the audit stands there")
    return answer, after[:len(after) - len(before)]


same([s.ask("GET", "/v1/me", headers=WHO[name]).json for name in ("sue", "ann")], [{"user": "sue", "role": "submitter"}, {"user": "ann", "role": "admin"}], "who asks is told as whom")
changing = {operation["operationId"] for methods in s.document["paths"].values() for method, operation in methods.items() if method != "get"}
same(changing, set(WRITES) | set(READS) | PAGES, "these operations are all that are no GET")
for name, (who, method, target, body, headers, verb, what) in WRITES.items():
    answer, new = ask(who, method, target, body, headers)
    if not ok(200 <= answer.status < 300, f"{name} is done", answer):
        continue
    same({(r["user"], r["way"], r["result"]) for r in new}, {(who, "token of-" + who, "done")}, f"{name} stands in the audit: who, and how he came in")
    wanted = [(verb, what(answer.json) if callable(what) else what), *([ALSO[name]] if name in ALSO else [])]
    same([(r["verb"], r["object"]) for r in new], wanted, f"{name} stands in the audit: what he did, and to what, once")
for name, (who, *request) in READS.items():
    answer, new = ask(who, *request)
    same((answer.status // 100, new), (2, []), f"{name} changes nothing, and does not stand there")
s.ask("POST", "/v1/workflows?baseDir=/tmp", json.dumps(given), WHO["sue"], 403)
why = "refused: baseDir is for clients of the socket: give absolute paths"
ok(eventually(lambda: why in [r["result"] for r in rows()], "a row of that"), "what is refused stands there with its reason")
done()
