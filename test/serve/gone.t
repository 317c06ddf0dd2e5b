#!/usr/bin/python3
"""Clients that go without a word: whose machine has lost its power or its network sends no end.  The system asks them, and the
server does not keep a place for what will never come."""
import re
import socket

from client import LIMIT, Server, done, eventually, same

KEEPALIVE = "02"  # a timer of Linux (tcp(7), /proc/net/tcp)


def timers(port):
    """Of the connections of a server."""
    with open("/proc/net/tcp", encoding="ascii") as lines:
        rows = [line.split() for line in list(lines)[1:]]
    return [row[5][:2] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "01"]


s = Server("--port", "0")
with open(s.log, encoding="utf-8") as log:
    port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", log.read())[1])
token = s.pingo("token", "create", "follower").strip()
client = socket.create_connection(("127.0.0.1", port), LIMIT)
client.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
same(client.recv(12), b"HTTP/1.1 200", "a stream begins")
same(eventually(lambda: [t for t in timers(port) if t != "01"], "all of it is taken"), [KEEPALIVE], "and its client is asked whether it is there")
same(s.stop(), 0, "the server ends well")
done()
