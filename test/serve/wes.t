#!/usr/bin/python3
"""GA4GH WES of a real server: every answer is as the specification says, a real client works with it, and no body of a
request does what it should not."""
import json
import os
import sqlite3
import subprocess
import sys

import jsonschema

from client import PINGO, ROOT, Server, absent, action, done, eventually, ok, same

BASE = "/ga4gh/wes/v1"
with open(os.environ.get("WES_SPEC", f"{ROOT}/test/serve/wes/told.json")) as text:
    if "WES_SPEC" in os.environ:
        import yaml
        spec = yaml.safe_load(text)
        spec["components"]["schemas"]["Service"] = {"required": ["id", "name", "type", "organization", "version"]}
    else:
        spec = json.load(text)


def modern(schema):
    """A schema of OpenAPI 3.0 as one of JSON Schema."""
    if isinstance(schema, list):
        return [modern(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("$ref", "").startswith("https:"):  # of another specification: service-info
        return {"$ref": "#/components/schemas/Service"}
    new = {k: modern(v) for k, v in schema.items() if k != "nullable"}
    return {"anyOf": [new, {"type": "null"}]} if schema.get("nullable") else new


components = modern(spec["components"])
s = Server("--port", "0")
driven = set()


def as_told(method, path, answer):
    """What of an answer is not as the specification says; None: nothing."""
    operation = spec["paths"][path][method.lower()]
    told = {str(k): v for k, v in operation["responses"].items()}.get(str(answer.status))
    if not told:
        return f"{answer.status} is not told: {answer!r}"
    driven.add((method, path, answer.status))
    schema = modern(told["content"]["application/json"]["schema"])
    try:
        jsonschema.Draft202012Validator(dict(schema, components=components)).validate(answer.json)
    except (jsonschema.ValidationError, ValueError) as e:
        return f"{e}\n{answer!r}"
    if answer.status >= 400 and not (answer.json["msg"] == answer.json["detail"] and answer.json["status_code"] == answer.status):
        return f"an error without words: {answer!r}"
    return None


def ask(method, path, query="", status=200, body=None, headers=None, **parts):
    target = BASE + path.format(**parts) + query
    answer = s.ask(method, target, body, headers)
    wrong = as_told(method, path, answer) or (None if answer.status == status else f"status {answer.status}, not {status}: {answer!r}")
    ok(not wrong, f"{method} {path.format(**parts)}{query} is {status}", wrong)
    return answer.json


def form(parts, boundary="b0undary", begin="", end="\r\n"):
    """parts: (name, filename or None, text)"""
    body = begin
    for name, filename, text in parts:
        file = f'; filename="{filename}"' if filename is not None else ""
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{text}\r\n'
    return body + f"--{boundary}--{end}", {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def wish(workflow, **more):
    text = workflow if isinstance(workflow, str) else json.dumps(workflow)
    fields = {"workflow_params": "{}", "workflow_type": "PINGO", "workflow_type_version": "1", "workflow_url": "w.json"}
    fields.update(more)
    return [(k, None, v) for k, v in fields.items()] + [("workflow_attachment", "w.json", text)]


def run(workflow, status=200, **more):
    body, headers = form(wish(workflow, **more))
    answer = ask("POST", "/runs", status=status, body=body, headers=headers)
    return answer.get("run_id")


# ---- runs come, run, and are looked at --------------------------------------------------------------

info = ask("GET", "/service-info")
same((info["type"]["artifact"], info["supported_wes_versions"], list(info["workflow_type_versions"])), ("wes", ["1.1.0"], ["PINGO"]), "the service says what it is")
good = {"name": "good", "actions": [action(1, "a", "echo said; echo a >output"), action(2, "b", "cat in/p1 >output", 1)]}
first = run(good, tags='{"tag": "monday"}')
s.wait(first)
same(ask("GET", "/runs/{run_id}/status", run_id=first), {"run_id": first, "state": "COMPLETE"}, "a run is complete")
log = ask("GET", "/runs/{run_id}", run_id=first)
same((log["state"], log["run_log"]["name"], [o["name"] for o in log["outputs"].values()]), ("COMPLETE", "good", ["b"]), "its results are told")
tasks = ask("GET", "/runs/{run_id}/tasks", run_id=first)
same([(t["id"], t["name"], t["exit_code"]) for t in tasks["task_logs"]], [("1", "a", 0), ("2", "b", 0)], "its tasks too")
same(ask("GET", "/runs/{run_id}/tasks/{task_id}", run_id=first, task_id="1"), tasks["task_logs"][0], "and one of them")
same(s.get(tasks["task_logs"][0]["stdout"].split("localhost", 1)[1]).body, b"said\n", "a log lies where the address says")
bad = run({"name": "bad", "actions": [action(1, "bad", "echo no >&2; exit 3"), action(2, "b", ": >output", 1)]})
s.wait(bad)
same(ask("GET", "/runs/{run_id}/status", run_id=bad)["state"], "EXECUTOR_ERROR", "one that failed by itself")
same(s.get(ask("GET", "/runs/{run_id}", run_id=bad)["run_log"]["stderr"].split("localhost", 1)[1]).body, b"no\n", "its log is that of what failed")
empty = run({"name": "empty", "actions": [action(1, "empty", "true")]})
s.wait(empty)
long = {"name": "long", "actions": [action(1, "long", "sleep 1000; : >output")]}
held = run(long)
eventually(lambda: ask("GET", "/runs/{run_id}/status", run_id=held)["state"] == "RUNNING", "it runs")
s.post(f"/v1/workflows/{held}/pause", status=200)
same(ask("GET", "/runs/{run_id}/status", run_id=held)["state"], "PAUSED", "one is paused")
for _ in range(2):
    same(ask("POST", "/runs/{run_id}/cancel", run_id=held), {"run_id": held}, "cancelled, once or twice")
eventually(lambda: ask("GET", "/runs/{run_id}/status", run_id=held)["state"] == "CANCELED", "and has ended")
seen, token = [], ""
while True:
    page = ask("GET", "/runs", f"?page_size=2&page_token={token}")
    seen += [(r["run_id"], r["tags"]) for r in page["runs"]]
    token = page["next_page_token"]
    if not token:
        break
same([r for r, _ in seen], [held, empty, bad, first], "all runs are on the pages, once")
same(dict(seen)[first], {"tag": "monday"}, "with their tags")
for path in ("/runs/{run_id}", "/runs/{run_id}/status", "/runs/{run_id}/tasks"):
    ask("GET", path, status=404, run_id="999")
ask("GET", "/runs/{run_id}/tasks/{task_id}", status=404, run_id=first, task_id="9")
ask("POST", "/runs/{run_id}/cancel", status=404, run_id="999")
ask("GET", "/runs", "?page_size=x", status=400)
ask("GET", "/runs", "?page_token=x", status=400)
ask("GET", "/service-info", status=401, headers={"Authorization": "Bearer pingo_none"})
# What became of a run that failed is read behind the list of runs: that it cannot be is told, not guessed.
store = sqlite3.connect(os.path.join(s.dir, ".pingo", "pingo.db"), timeout=30, isolation_level=None)
store.execute("ALTER TABLE label RENAME TO label_away")
ask("GET", "/runs", status=500)
for path in ("/runs/{run_id}/status", "/runs/{run_id}"):
    ask("GET", path, status=500, run_id=bad)
ask("GET", "/runs/{run_id}", status=500, run_id=first)
store.execute("ALTER TABLE label_away RENAME TO label")
store.close()
same({r["run_id"]: r["state"] for r in ask("GET", "/runs")["runs"]}, {held: "CANCELED", empty: "SYSTEM_ERROR", bad: "EXECUTOR_ERROR", first: "COMPLETE"}, "it can again")
viewer = {"Authorization": "Bearer " + s.post("/v1/tokens", '{"name": "v"}').json["token"]}
ask("POST", "/runs/{run_id}/cancel", status=403, headers=viewer, run_id=first)

# ---- what is no run ----------------------------------------------------------------------------------

before = s.get("/v1/workflows").json["items"]
for more in ({"workflow_type": "CWL"}, {"workflow_type_version": "2"}, {"workflow_url": "https://example.org/w.json"}, {"workflow_url": "file:///etc/passwd"},
             {"workflow_url": "../w.json"}, {"workflow_params": '{"a": 1}'}, {"workflow_params": "[]"}, {"workflow_engine": "toil"}, {"tags": '{"a": "b"}'}, {"tags": "x"},
             {"workflow_engine_parameters": '{"a": "b"}'}, {"unknown": "x"}):
    run(good, 400, **more)
for text in ("", "{", "\0", '{"name": "x", "actions": []}'):
    body, headers = form(wish(text))
    same(s.ask("POST", BASE + "/runs", body, headers).status // 100, 4, f"no workflow: {text!r}")
two = wish(good) + [("workflow_attachment", "../../etc/cron.d/x", "x")]
for body, headers in (form(two), form(wish(good)[:-1]), form([]), form(wish(good), begin="x\r\n"), form(wish(good), end="\r\nx"), form(wish(good), end="\r\n\r\n"),
                      (form(wish(good))[0][:-30], form([])[1]), (form(wish(good))[0].replace("\r\n", "\n"), form([])[1]),
                      (form(wish(good))[0], {"Content-Type": "multipart/form-data"}), ("", form([])[1])):
    same(s.ask("POST", BASE + "/runs", body, headers).status, 400, "no form")
same(s.ask("POST", BASE + "/runs", "{}").status, 415, "and JSON is none")
same(s.get("/v1/workflows").json["items"], before, "nothing came of it")

# ---- a client of others ------------------------------------------------------------------------------

tools = os.path.join(os.path.dirname(PINGO), "tools", "wes")
wheel = os.path.join(tools, "wes_service-5.0-py3-none-any.whl")
if not os.path.exists(wheel):
    subprocess.run(["python3", "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "--disable-pip-version-check", "-d", tools,
                    "-r", f"{ROOT}/test/serve/wes/requirements.txt"], capture_output=True, timeout=120)


def client(*args):
    """wes-client as people call it, over TCP with a token."""
    port = next(w for w in open(s.log).read().split() if w.startswith("http://127.0.0.1:")).split(":")[2].split("/")[0]
    token = s.post("/v1/tokens", json.dumps({"name": f"c{len(driven)}{args}"[:60], "role": "admin"})).json["token"]
    return subprocess.run(["/usr/bin/python3", "-m", "wes_client.wes_client_main", "--proto", "http", "--host", f"127.0.0.1:{port}",
                           "--auth", f"Authorization: Bearer {token}", *args], env=dict(os.environ, PYTHONPATH=wheel), capture_output=True, text=True, timeout=60)


said = client("--info") if os.path.exists(wheel) else None
if said is None or "ModuleNotFoundError" in said.stderr:
    absent("wes-client", "WES with a client of others")
else:
    same(json.loads(said.stdout)["id"], "pingo", "wes-client asks what the service is") if said.returncode == 0 else ok(False, "wes-client", said.stderr)
    same([r["run_id"] for r in json.loads(client("--list").stdout)["runs"]], [held, empty, bad, first], "it lists")
    same(json.loads(client("--get", first).stdout)["state"], "COMPLETE", "it reads one")
    same(client("--log", bad).stdout, "no\n", "and its log")
    last = run(dict(long, name="last"))
    program = """import json, sys, time
from wes_client.util import WESClient
c = WESClient({"auth": {"Authorization": "Bearer " + sys.argv[2]}, "proto": "http", "host": sys.argv[1]})
def watch(*states):
    end = time.monotonic() + 60
    while c.get_run_status(sys.argv[3])["state"] not in states and time.monotonic() < end: time.sleep(0.05)
watch("RUNNING")
print(json.dumps(c.cancel(sys.argv[3])))
watch("CANCELED")
print(json.dumps(c.get_run_status(sys.argv[3])))"""
    port = next(w for w in open(s.log).read().split() if w.startswith("http://127.0.0.1:")).split(":")[2].split("/")[0]
    token = s.post("/v1/tokens", '{"name": "watch", "role": "submitter"}').json["token"]
    said = subprocess.run(["/usr/bin/python3", "-c", program, f"127.0.0.1:{port}", token, last], env=dict(os.environ, PYTHONPATH=wheel), capture_output=True, text=True, timeout=100)
    same([json.loads(line) for line in said.stdout.splitlines()], [{"run_id": last}, {"run_id": last, "state": "CANCELED"}], "it watches and cancels") or print(said.stderr, file=sys.stderr)

many = s.submit({"name": "many", "actions": [action(i, f"a{i}", f"echo {i} >output") for i in range(1001)]})
same(s.wait(many)["state"], "FINISHED", "many actions are run")
same(len(s.get(f"{BASE}/runs/{many}").json["outputs"]), 1001, "a run's outputs are all told")

missing = {(m.upper(), p) for p, methods in spec["paths"].items() for m in methods} - {(m, p) for m, p, status in driven if status == 200}
same(missing, set(), "every operation of the specification was answered well")
same(s.stop(), 0, "the server stops")
done()
