"""client.py - a server on a store of its own, and a client that believes nothing: whatever it is answered must be as
/openapi.json says, down to the schema.

Tests import it; $PINGO names the program.  What it starts it ends, by pid."""
import atexit
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PINGO = os.path.abspath(os.environ.get("PINGO", os.path.join(ROOT, "build", "pingo")))
for name in ("PINGO_DIR", "NO_COLOR"):
    os.environ.pop(name, None)

LIMIT = 600  # seconds that anything may take: for what hangs, not for what is slow


# ---- TAP ------------------------------------------------------------------------------------------

count = failures = 0


def ok(is_good, what, *why):
    global count, failures
    count += 1
    failures += not is_good
    print(f"{'ok' if is_good else 'not ok'} {count} - {what}", flush=True)
    for text in () if is_good else why:
        print("# " + str(text)[:4000].replace("\n", "\n# "), flush=True)
    return is_good


def same(got, wanted, what):
    return ok(got == wanted, what, f"got:    {got!r}", f"wanted: {wanted!r}")


def absent(tool, what):
    """A tool is not there: that is told, and a failure where everything must be (CI=true)."""
    if os.environ.get("CI") == "true":
        ok(False, f"{tool} is there", what)
    else:
        ok(True, f"{what} # SKIP {tool} is not there")
        print(f"SKIPPED: {what}: {tool} is not there", file=sys.stderr, flush=True)


def done():
    print(f"1..{count}", flush=True)
    sys.exit(failures > 0)


def eventually(fn, what):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        got = fn()
        if got:
            return got
        time.sleep(0.02)
    raise RuntimeError(f"never: {what}")


# ---- a store and its server -----------------------------------------------------------------------

class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=LIMIT)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(LIMIT)
        self.sock.connect(self.path)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:600]!r}"


def preload(name, directory, *flags):
    """test/serve/NAME.c, made in the directory, is in what is started, until $LD_PRELOAD goes."""
    library = os.path.join(directory, name + ".so")
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", *flags, "-o", library, os.path.join(ROOT, "test/serve", name + ".c"), "-ldl"], check=True)
    os.environ["LD_PRELOAD"] = library


class Server:
    def __init__(self, *options):
        self.dir = tempfile.mkdtemp(prefix="pingo-serve-")
        self.log = os.path.join(self.dir, "log")
        self.socket = os.path.join(self.dir, ".pingo", "serve.sock")
        self.operations, self.called, self.connection = [], set(), None
        self.pingo("init")
        self.pingo("config", "executor.slots", "2")
        self.pingo("config", "sandbox", "off")
        self.start(*options)
        atexit.register(self.end)

    def start(self, *options):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([PINGO, "serve", *options], cwd=self.dir, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)
        eventually(self.answers, "the server answers")
        self.document = self.raw("GET", "/openapi.json").json
        self.operations = [
            (method.upper(), re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"), operation)
            for path, methods in self.document["paths"].items() for method, operation in methods.items()]

    def answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("the server ended: " + open(self.log).read())
        try:
            return self.raw("GET", "/healthz").status == 200
        except OSError:
            return False

    def stop(self):
        self.hang_up()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT)

    def end(self):
        atexit.unregister(self.end)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.hang_up()
        lock = os.path.join(self.dir, ".pingo", "pool", "executor", "local.lock")
        for path in subprocess.run(["find", self.dir, "-path", "*/executor/local.lock"], capture_output=True,
                                   text=True).stdout.split():
            lock = f":{os.stat(path).st_ino}"
            for line in open("/proc/locks"):
                words = line.split()
                if words[1] == "FLOCK" and words[5].endswith(lock) and int(words[4]) > 1:
                    os.kill(int(words[4]), signal.SIGKILL)
        subprocess.run(["chmod", "-R", "u+w", self.dir])
        shutil.rmtree(self.dir, ignore_errors=True)

    # The program itself.
    def pingo(self, *args, check=True):
        said = subprocess.run([PINGO, *args], cwd=self.dir, capture_output=True, text=True, timeout=LIMIT)
        if check and said.returncode != 0:
            raise RuntimeError(f"pingo {args}: {said.stderr}")
        return said.stdout

    def pingo_json(self, *args):
        return json.loads(self.pingo(*args, "--json"))

    # ---- requests

    def hang_up(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def raw(self, method, target, body=None, headers=None):
        fresh = not self.connection
        self.connection = self.connection or Unix(self.socket)
        try:
            self.connection.request(method, target, body, headers or {})
            response = self.connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            self.hang_up()
            if fresh:
                raise
            return self.raw(method, target, body, headers)
        except BaseException:
            self.hang_up()
            raise
        if response.will_close:
            self.hang_up()
        return answer

    def operation(self, method, path):
        for m, pattern, operation in self.operations:
            if m == ("GET" if method == "HEAD" else method) and pattern.match(path):
                return operation
        return None

    def wrong(self, method, target, answer):
        """What of an answer is not as the document says; None: nothing."""
        operation = self.operation(method, urllib.parse.urlsplit(target).path)
        if not operation:
            return None if answer.status in (404, 405) else f"no such operation, and yet {answer!r}"
        responses = operation["responses"]
        told = responses.get(str(answer.status)) or responses.get(f"{answer.status // 100}XX")
        if not told:
            return f"status {answer.status} is not told: {answer!r}"
        if "$ref" in told:
            told = self.document["components"]["responses"][told["$ref"].split("/")[-1]]
        if "ETag" in answer.headers and answer.status in (200, 206) and "ETag" not in told.get("headers", {}):
            return f"a tag of which nothing is told: {answer!r}"
        if method == "HEAD" or answer.status == 304:
            return f"a body: {answer!r}" if answer.body else None
        kind = (answer.headers["Content-Type"] or "").split(";")[0]
        if kind not in told.get("content", {}):
            return f"type {kind} is not told: {answer!r}"
        if 200 <= answer.status < 300:
            self.called.add(operation["operationId"])
        if not kind.endswith("json"):
            return None
        schema = dict(told["content"][kind]["schema"], components=self.document["components"])
        try:
            jsonschema.Draft202012Validator(schema).validate(answer.json)
        except (jsonschema.ValidationError, ValueError) as e:
            return f"{method} {target}: {e}"
        return None

    def ask(self, method, target, body=None, headers=None, status=None):
        """A request whose answer must be as the document says, and of this status."""
        headers = dict(headers or {})
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        answer = self.raw(method, target, body, headers)
        wrong = self.wrong(method, target, answer)
        if wrong or (status and answer.status != status):
            ok(False, f"{method} {target}", wrong or f"status {answer.status}, not {status}: {answer!r}")
        return answer

    def get(self, target, headers=None, status=200):
        return self.ask("GET", target, None, headers, status)

    def post(self, target, body=None, headers=None, status=None):
        return self.ask("POST", target, body, headers, status)

    def stream(self, target, headers=None):
        """The events of a stream as (id, event, data), until it ends."""
        connection = Unix(self.socket)
        connection.request("GET", target, None, headers or {})
        response = connection.getresponse()
        if response.status != 200 or response.headers["Content-Type"] != "text/event-stream":
            raise RuntimeError(f"no stream: {response.status} {response.read()!r}")
        self.called.add("streamEvents")
        event = {}
        try:
            for line in response:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name:
                    event[name] = value
                elif "data" in event:
                    yield event.get("id"), event.get("event"), json.loads(event["data"])
                    event = {}
        finally:
            connection.close()

    def submit(self, workflow, query="", status=201):
        return self.post(f"/v1/workflows?baseDir={self.dir}{query}", json.dumps(workflow), status=status).json["workflow"]

    def wait(self, workflow):
        while True:
            answer = self.get(f"/v1/workflows/{workflow}", {"Prefer": "wait=20"}).json
            if answer["state"] not in ("RUNNING", "PAUSED"):
                return answer


def action(number, name, command, *parents, **more):
    return {"id": number, "name": name, "type": "command-line", "command": command,
            "parentActions": [{"id": p, "as": f"p{p}"} for p in parents], **more}
