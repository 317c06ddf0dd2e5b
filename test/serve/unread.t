#!/usr/bin/python3
"""Clients that ask and do not read: a log that is followed, a log, contents of a dataset and changes.  The server keeps little
of it, answers others meanwhile, and ends them."""
import os
import re
import socket
import time

from client import LIMIT, Server, action, done, eventually, ok, same

BYTES = 40_000_000
CLIENTS = 4  # of each kind


def memory_kib(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def ask(server, target):
    client = socket.socket(socket.AF_UNIX)
    client.connect(server.socket)
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return client


def left(client):
    """The bytes until the server ends it; None: it does not."""
    client.settimeout(LIMIT)
    n = 0
    try:
        while got := client.recv(1 << 20):
            n += len(got)
    except ConnectionResetError:
        pass
    except TimeoutError:
        return None
    return n


s = Server("--port", "0")
w = s.submit({"name": "long", "actions": [action(1, "long", f"head -c {BYTES} /dev/zero | tr '\\\\0' x | tee output")]})
same(s.wait(w)["state"], "FINISHED", "there is much to read")
dataset = s.get(f"/v1/workflows/{w}/actions/1").json["hash"]
targets = {"a log": f"/v1/workflows/{w}/actions/1/stdout?tail=1G", "a log that is followed": f"/v1/workflows/{w}/actions/1/stdout?follow=1",
           "contents": f"/v1/datasets/{dataset}/content"}
whole = {what: len(s.get(target).body) for what, target in targets.items()}
before, open_before = memory_kib(s), descriptors(s)
clients = {what: [ask(s, target) for _ in range(CLIENTS)] for what, target in targets.items()}
eventually(lambda: descriptors(s) >= open_before + len(targets) * CLIENTS, "all are connected")
end, most, asked, answered = time.monotonic() + 2 * LIMIT, 0, 0, 0
while descriptors(s) > open_before + 1 and time.monotonic() < end:
    asked += 1
    answered += s.get(f"/v1/workflows/{w}").status == 200
    most = max(most, memory_kib(s))
    time.sleep(0.2)
ok(time.monotonic() < end, "the server ends them", f"{open_before} descriptors before, {descriptors(s)} still")
ok(answered == asked > 0, "others are answered meanwhile", answered, asked)
ok(most - before < 32 << 10, "and little of it is kept", f"{before} KiB before, {most} at most")
for what, each in clients.items():
    got = [left(client) for client in each]
    ok(whole[what] > 1_000_000 and all(n is not None and n < whole[what] for n in got), f"{what}: it did not get all", whole[what], got)
same(s.stop(), 0, "a clean end")
done()
