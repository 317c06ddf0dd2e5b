#!/usr/bin/python3
"""A server that may have few descriptors: it takes as many clients as it has files for, and who finds none free is told to come again."""
import collections
import os
import resource
import socket
import time

from client import LIMIT, Server, action, done, ok, same

MOST, OWN, CLIENTS = 1024, 256, 500
BYTES = 3_000_000  # more than lies in the buffers of a socket

resource.setrlimit(resource.RLIMIT_NOFILE, (MOST, MOST))
s = Server("--port", "0")
w = s.submit({"name": "w", "actions": [action(1, "file", f"head -c {BYTES} /dev/zero | tee output"), action(2, "folder", "mkdir output; echo >output/a")]})
same(s.wait(w)["state"], "FINISHED", "there is something to read")
file, folder = (f"/v1/datasets/{s.get(f'/v1/workflows/{w}/actions/{a}').json['hash']}/content" for a in (1, 2))


def ask(target):
    client = socket.socket(socket.AF_UNIX)
    client.connect(s.socket)
    client.settimeout(LIMIT)
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    return client


def left(client):
    """The status, and of a busy server whether it says when to come again; and the bytes of a body."""
    head, _, body = client.recv(1 << 16).partition(b"\r\n\r\n")
    n = len(body)
    while got := client.recv(1 << 20):
        n += len(got)
    client.close()
    return head[9:12], b"\r\nRetry-After: " in head, n


def size(place):
    try:
        return os.stat(place).st_size
    except FileNotFoundError:  # the server has closed it since
        return None


s.hang_up()
clients = [ask(file) for _ in range(CLIENTS)]
time.sleep(0.5)  # they are answered as far as they can be
places = f"/proc/{s.process.pid}/fd"
files = [int(fd) for fd in os.listdir(places) if size(f"{places}/{fd}") == BYTES]
ok(files and max(files) < MOST - OWN, "files for clients leave room for what the server opens for itself", sorted(files))
answers = collections.Counter(left(client) for client in clients)
same(set(answers), {(b"200", False, BYTES), *(a for a in answers if a[:2] == (b"503", True))}, "whoever asks for a file has it, or is told when to come again")
ok(answers[b"200", False, BYTES] >= MOST - OWN - CLIENTS - 100, "as many as there is room for have it", answers)

s.get("/healthz")  # has a connection
fds = {int(fd) for fd in os.listdir(places)}
full = min(set(range(MOST)) - fds)
for what, method, target in (("a file", "GET", file), ("a directory", "GET", folder), ("a log", "GET", f"/v1/workflows/{w}/actions/1/stdout"),
                             ("a body", "POST", "/v1/validate")):
    resource.prlimit(s.process.pid, resource.RLIMIT_NOFILE, (full, MOST))
    answer = s.ask(method, target, "{}" if method == "POST" else None)
    ok(answer.status == 503 and answer.headers["Retry-After"], f"{what}: no more can be opened, and when to come again is told", answer)
    resource.prlimit(s.process.pid, resource.RLIMIT_NOFILE, (MOST, MOST))
    s.get("/healthz")
same([s.get(target).status for target in (file, folder)], [200, 200], "then it can")
same(s.stop(), 0, "and it ends well")
done()
