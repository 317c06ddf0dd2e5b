#!/usr/bin/python3
"""What is submitted is answered when it is on the disk: not before, and all that waits for it by few syncs; where the disk
fails, nobody is told that it is there."""
import json
import os
import tempfile
import threading

from client import Server, Unix, action, done, eventually, ok, preload, same

CLIENTS = 12


def post(server, i, answers):
    connection = Unix(server.socket)
    connection.request("POST", f"/v1/workflows?baseDir={server.dir}", json.dumps({"name": f"w{i}", "actions": [action(1, "a", f": {i} >output")]}),
                       {"Content-Type": "application/json", "Idempotency-Key": f"key-{i}"})
    response = connection.getresponse()
    answers[i] = (response.status, json.loads(response.read()))
    connection.close()


def touch(name):
    open(os.environ[name], "w").close()


def begin(server, numbers):
    answers = {}
    threads = [threading.Thread(target=post, args=(server, i, answers)) for i in numbers]
    for thread in threads:
        thread.start()
    return threads, answers


def names(server):
    return sorted(w["name"] for w in server.get("/v1/workflows?limit=100").json["items"])


with tempfile.TemporaryDirectory() as made:
    for name in ("SYNC_HELD", "SYNC_BROKEN", "SYNC_COUNT"):
        os.environ[name] = os.path.join(made, name)
    s = Server("--no-run")
    s.stop()
    preload("sync", made)
    s.start("--no-run")
    del os.environ["LD_PRELOAD"]
    s.submit({"name": "first", "actions": [action(1, "a", ": >output")]})

    before = os.path.getsize(os.environ["SYNC_COUNT"])
    touch("SYNC_HELD")
    threads, answers = begin(s, range(CLIENTS))
    eventually(lambda: len(names(s)) == CLIENTS + 1, "all are taken in while the disk stands still")
    same(answers, {}, "nobody has an answer while the disk stands still")
    os.unlink(os.environ["SYNC_HELD"])
    for thread in threads:
        thread.join()
    same(sorted(status for status, _ in answers.values()), [201] * CLIENTS, "all have one when it goes on")
    same(sorted({answer["workflow"] for _, answer in answers.values()}), list(range(2, CLIENTS + 2)), "each of his own workflow")
    syncs = os.path.getsize(os.environ["SYNC_COUNT"]) - before
    ok(1 <= syncs <= 3, f"{CLIENTS} submissions by {syncs} syncs")

    touch("SYNC_BROKEN")
    threads, answers = begin(s, [100])
    threads[0].join()
    same([answers[100][0], "synced" in answers[100][1]["detail"]], [500, True], "a disk that fails: who submits is told")
    os.unlink(os.environ["SYNC_BROKEN"])
    threads, answers = begin(s, [100])
    threads[0].join()
    ok(answers[100][0] in (200, 201), "and does it again by its key", answers)
    same(names(s).count("w100"), 1, "it is there once")

    threads, answers = begin(s, range(200, 200 + CLIENTS))
    for thread in threads:
        thread.join()
    s.process.kill()
    s.process.wait()
    s.hang_up()
    s.start("--no-run")
    same([n for n in names(s) if n.startswith("w2") and len(n) == 4], [f"w{i}" for i in range(200, 200 + CLIENTS)], "what was answered is there after kill -9")
    same(s.stop(), 0, "a clean end")
    done()
