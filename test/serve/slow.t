#!/usr/bin/python3
"""A client that takes a directory slowly, by a thin line, has all of it; who is told what changes, and does not read, is another thing."""
import time

from client import Server, Unix, action, done, eventually, ok, same

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

# What is large waits for its client in a file.
large = s.submit({"name": "large", "actions": [action(i, f"a{i}", f"echo {i} >output # {'x' * 10000}") for i in range(2000)]})
text = s.get(f"/v1/workflows/{large}/text")
same([text.headers["Content-Length"], len(text.json["actions"])], [str(len(text.body)), 2000], "a text of 20 MB comes whole")
tag = {"If-None-Match": text.headers["ETag"]}
same(s.get(f"/v1/workflows/{large}/text", tag, status=304).body, b"", "and once")
clients = [Unix(s.socket) for _ in range(40)]
for client in clients:
    client.request("GET", f"/v1/workflows/{large}/text")
    same(client.getresponse().status, 200, "one of those who do not read on")
with open(f"/proc/{s.process.pid}/status", encoding="utf-8") as status:
    rss = int(next(line for line in status if line.startswith("VmRSS")).split()[1])
ok(rss < 400_000, "nobody's memory holds for them what they asked for", f"{rss} KiB")
for client in clients:
    client.close()
same(s.stop(), 0, "the server ends well")
done()
