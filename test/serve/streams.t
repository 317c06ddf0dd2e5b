#!/usr/bin/python3
"""3,000 streams of events at once, or as many as a server has places for here: each is told what changes, and a server that
is told to stop says goodbye to each of them, closes it and ends well; what else is on its way is cut."""
import http.client
import resource
import selectors
import signal
import socket
import time

from client import LIMIT, Server, Unix, action, done, eventually, ok, same

STREAMS, PLACES = 3000, 4400  # descriptors that a server with so many places wants

soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
if soft != resource.RLIM_INFINITY and soft < PLACES:
    most = PLACES if hard == resource.RLIM_INFINITY else min(PLACES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    if most < PLACES:  # a server keeps some of them for its own files
        STREAMS = most // 4 * 3 - 300
        print(f"# {most} descriptors: no more than {STREAMS} streams", flush=True)


def read_all(streams, is_done):
    """Reads each until it is as wanted or was ended; those that are not, and were not.  Who says nothing for LIMIT seconds is
    waited for no longer."""
    with selectors.DefaultSelector() as select:
        for client in streams:
            if not is_done(streams[client]):
                select.register(client, selectors.EVENT_READ)
        while select.get_map() and (ready := select.select(LIMIT)):
            for key, _ in ready:
                client = key.fileobj
                try:
                    got = client.recv(1 << 16)
                except ConnectionResetError:
                    got = b""
                    streams[client] += b"(reset)"
                streams[client] += got
                if not got:
                    ended.add(client)
                if not got or is_done(streams[client]):
                    select.unregister(client)
        return [streams[key.fileobj] for key in select.get_map().values()]


def has_begun(said):
    return b"event: begin\n" in said


s = Server("--port", "0")
streams, ended = {}, set()  # what each has said, and which were ended
for _ in range(STREAMS):
    client = socket.socket(socket.AF_UNIX)
    client.connect(s.socket)
    client.settimeout(LIMIT)
    client.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    streams[client] = b""
    if len(streams) % 500 == 0:  # no more than 1,024 may wait to be answered first
        read_all(streams, has_begun)
silent = read_all(streams, has_begun)
ok(not silent and not ended, f"{STREAMS} streams begin", len(silent), len(ended), silent[:1])
w = s.submit({"name": "told", "actions": [action(1, "told", "echo >output")]})
same(s.wait(w)["state"], "FINISHED", "beside them a workflow runs")
told = f'"workflow":{w},'.encode()
silent = read_all(streams, lambda said: told in said and b"FINISHED" in said)
ok(not silent and not ended, "each is told of it", len(silent), len(ended), silent[:1])

ahead = s.stream("/v1/events", {"Last-Event-ID": "999999"})
same([next(ahead)[1], next(ahead)[1]], ["begin", "reset"], "who was told more than the store knows of, which was put back, begins anew")
ahead.close()

w = s.submit({"name": "long", "actions": [action(1, "folder", "mkdir output; head -c 20000000 /dev/zero >output/zeros"),
                                          action(2, "says", "echo said; sleep 100000", 1)]})
eventually(lambda: s.get(f"/v1/workflows/{w}/actions/2").json["state"] == "RUNNING", "one action runs")
folder = s.get(f"/v1/workflows/{w}/actions/1").json["hash"]
parts = {}
for what, target in (("a tar", f"/v1/datasets/{folder}/content"), ("a log", f"/v1/workflows/{w}/actions/2/stdout?follow=1")):
    connection = Unix(s.socket)
    connection.request("GET", target)
    parts[what] = connection.getresponse()
    parts[what].read(5)

s.hang_up()
begun = time.monotonic()
s.process.send_signal(signal.SIGTERM)
silent = read_all(streams, lambda said: False)
closed = time.monotonic() - begun
ok(not silent and len(ended) == STREAMS, "the server is told to stop: it closes each", len(silent), silent[:1])
ill = [said[-200:] for said in streams.values() if said.count(b"event: bye\n") != 1 or not said.endswith(b"0\r\n\r\n")]
ok(not ill, "after a goodbye, and whole", len(ill), ill[:1])
for what, part in parts.items():
    try:
        ok(False, f"{what} that is not whole does not end as if it were", len(part.read()))
    except http.client.IncompleteRead:
        ok(True, f"{what} that is not whole does not end as if it were")
same(s.process.wait(LIMIT), 0, "and it ends well")
print(f"# all closed after {closed:.3f} s, ended after {time.monotonic() - begun:.3f} s", flush=True)
done()
