#!/usr/bin/python3
"""A client that takes a directory slowly, by a thin line, has all of it; who is told what changes, and does not read, is another thing."""
import time

from client import Server, Unix, action, done, eventually, same

RATE = 500_000  # bytes a second

s = Server("--port", "0")
w = s.submit({"name": "w", "actions": [action(1, "folder", "mkdir output; for i in $(seq 800); do head -c 3000 /dev/zero >output/$i; done")]})
same(s.wait(w)["state"], "FINISHED", "there is a directory")
target = f"/v1/datasets/{s.get(f'/v1/workflows/{w}/actions/1').json['hash']}/content"
whole = len(s.get(target).body)
connection = Unix(s.socket)
connection.request("GET", target)
answer = connection.getresponse()
n, begun = 0, time.monotonic()
while got := answer.read(20_000):
    n += len(got)
    time.sleep(max(0, n / RATE - (time.monotonic() - begun)))
same(n, whole, "it comes whole, however slowly")

def ask_for_content():
    client = Unix(s.socket)
    client.request("GET", target)
    return client, client.getresponse().status


# Each of them is a process and a handle of the store: there is an end to them before there is one to the descriptors for all else.
clients = [ask_for_content() for _ in range(40)]
same([status for _, status in clients], 32 * [200] + 8 * [503], "many who do not read: some are told to come again")
same(s.wait(s.submit({"name": "beside", "actions": [action(1, "beside", "echo >output")]}))["state"], "FINISHED", "all else is done")
for client, _ in clients:
    client.close()
eventually(lambda: s.get(target, status=None).status == 200, "there is room again")
same(s.stop(), 0, "the server ends well")
done()
