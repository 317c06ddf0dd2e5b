#!/usr/bin/python3
"""A client that takes a directory slowly, by a thin line, has all of it; who is told what changes, and does not read, is another thing."""
import time

from client import Server, Unix, action, done, same

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
same(s.stop(), 0, "the server ends well")
done()
