#!/usr/bin/python3
"""The disk of the store is full while a server works on it: who submits is told, who reads reads on, what makes room is done, what
ended meanwhile is not lost, and with room again all goes on by itself."""
import atexit
import json
import os
import signal
import subprocess
import tempfile

from client import Server, Unix, action, done, eventually, ok, same

disk = tempfile.mkdtemp(prefix="pingo-disk-")
if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0755", "pingo-test", disk], check=False).returncode != 0:
    os.rmdir(disk)
    print("1..0 # SKIP a small file system cannot be mounted here", flush=True)
    raise SystemExit(0)


def leave():
    subprocess.run(["umount", "--lazy", disk], check=False)  # who ended may not have let go of it yet
    os.rmdir(disk)


atexit.register(leave)  # after the server has ended


def fill_up():
    """Whatever others write: not a byte is left.  Meanwhile the server does not, or what it gives up would be filled as well."""
    s.process.send_signal(signal.SIGSTOP)
    with open(filler, "ab", buffering=0) as out:
        try:
            while True:
                out.write(b"\1" * 4096)
        except OSError:
            pass
    s.process.send_signal(signal.SIGCONT)


def text(name, *actions):
    return json.dumps({"name": name, "actions": actions})


tempfile.tempdir = disk
s = Server()
filler, gate = os.path.join(disk, "filler"), os.path.join(s.dir, "gate")
first = s.post("/v1/workflows", text("first", action(1, "one", "head -c 1000000 /dev/zero >output")), status=201).json["workflow"]
eventually(lambda: s.get(f"/v1/workflows/{first}").json["state"] == "FINISHED", "the first ends")
tagged = ("/v1/workflows?once=true&tag=daily", text("tagged", action(1, "t", "echo tagged >output")))
known = s.post(*tagged, status=201).json["workflow"]
waits = s.post("/v1/workflows", text("waits", action(1, "gated", f"while ! test -e {gate}; do sleep 0.1; done; echo late >output"), action(2, "then", "cat in/p1 >output", 1)), status=201).json["workflow"]
held = s.post("/v1/workflows", text("held", action(1, "held", "sleep 100000; : >output")), status=201).json["workflow"]
eventually(lambda: all(s.get(f"/v1/workflows/{w}/actions/1").json["state"] == "RUNNING" for w in (waits, held)), "two actions run")

fill_up()
same(s.post(f"/v1/workflows/{held}/kill").status, 202, "what runs is ended: the store has some space in reserve for that")
fill_up()
large = s.post("/v1/workflows", text("large", *(action(i, f"a{i}", f"echo {i} >output # {'x' * 1000}") for i in range(1, 1001))))
same(large.status, 507, "a workflow of a megabyte is refused: insufficient storage")
ok("disk of the store is full" in large.json["detail"], "and why is said", large)
same(s.post("/v1/workflows", text("small", action(1, "s", "echo small >output"))).status, 507, "so is a small one")
os.truncate(filler, os.path.getsize(filler) - 1572864)  # the reserve, and as much again before it; and some to take
taken, refused = [], None
for n in range(2000):
    answer = s.post("/v1/workflows", text(f"small {n}", action(1, "s", f"while ! test -e {gate}; do sleep 0.1; done; echo {n} >output")))
    if answer.status == 507:
        refused = answer
        break
    taken += [answer.json["workflow"]] if answer.status == 201 else ok(False, "a small one is taken or refused", answer)
ok(refused and taken and "full: what is left is kept" in refused.json["detail"], "small ones are taken as long as there is room for them, and then refused, before there is none", len(taken), refused)
again = s.post(*tagged)
same((again.status, again.json.get("workflow")), (200, known), "what was submitted before is told all the same")
print(f"# taken: {len(taken)}; {refused.json['detail']}", flush=True)
same({w["workflow"] for w in s.get("/v1/workflows?limit=1000").json["items"]}, {first, known, waits, held, *taken}, "who reads reads on: what was taken is there, what was refused is not")
same(s.get("/readyz").status, 200, "the server goes on")
ended = taken.pop()
same(s.post(f"/v1/workflows/{ended}/kill").status, 202, "a workflow is ended even now: what is refused leaves the reserve alone")
s.get("/metrics")
open(gate, "wb").close()

os.unlink(filler)
for workflow in (waits, *taken):
    eventually(lambda w=workflow: s.get(f"/v1/workflows/{w}").json["state"] == "FINISHED", f"{workflow} ends well")
eventually(lambda: s.get(f"/v1/workflows/{held}").json["state"] != "RUNNING", "what was ended has")
ok(True, "with room again what ended meanwhile is settled, and what was taken is run")
again = s.post("/v1/workflows", text("again", action(1, "again", "echo again >output")), status=201).json["workflow"]
eventually(lambda: s.get(f"/v1/workflows/{again}").json["state"] == "FINISHED", "the next one ends well")
same([s.get(f"/v1/workflows/{w}").json["state"] for w in (held, ended)], ["KILLED"] * 2, "and what was ended has")

# Who reads takes none of the room that there is hardly.
wide = s.post("/v1/workflows", text("wide", *(action(i, f"a{i}", f"echo {i} >output # {'x' * 100000}") for i in range(1, 16))), status=201).json["workflow"]
eventually(lambda: s.get(f"/v1/workflows/{wide}").json["state"] == "FINISHED", "a workflow with a long text ends")
with open(filler, "wb") as out:
    out.write(b"\1" * (os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize - 6_000_000))
free, slow = os.statvfs(disk).f_bavail, Unix(s.socket)
slow.request("GET", f"/v1/workflows/{wide}/text")
answer = slow.getresponse()
ok(os.statvfs(disk).f_bavail > free - 100, "what is sent stays in memory where the disk is nearly full", free, os.statvfs(disk).f_bavail)
same(len(json.loads(answer.read())["actions"]), 15, "and comes whole")
slow.close()
os.unlink(filler)

# An output that the disk has no room for, and nothing that may go for it.
with open(filler, "wb") as out:
    out.write(b"\1" * 14000000)
large = s.post("/v1/workflows", text("large", action(1, "large", "head -c 9000000 /dev/zero >output")), status=201).json["workflow"]
eventually(lambda: "nothing in the pool may go" in open(s.log).read(), "the server says what is wanted")
same(s.get(f"/v1/workflows/{large}/actions/1").json["state"], "READY", "an output that has no room waits")
os.unlink(filler)
eventually(lambda: s.get(f"/v1/workflows/{large}").json["state"] == "FINISHED", "the large one ends well")
same(open(s.log).read().count("nothing in the pool may go"), 1, "and comes with the room that the server has asked for, once")
same(s.stop(), 0, "the server ends well")
s.pingo("fsck")
ok(True, "fsck is clean")
done()
