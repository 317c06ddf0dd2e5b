#!/usr/bin/python3
"""A server for the tests of lib/http: what it answers, and how badly, is told by the path.  It says its port (or, with
a path as its argument, that it listens on that socket), then serves until its input ends or it is killed."""
import os
import socket
import sys
import threading
import time

lock = threading.Lock()
counts = {}  # path => how often it was asked for
connections = 0


def read_request(file):
    line = file.readline().decode("latin-1").split()
    headers, length = {}, 0
    while len(line) == 3:
        header = file.readline().decode("latin-1").rstrip("\r\n")
        if not header:
            break
        name, _, value = header.partition(":")
        headers[name.lower()] = value.strip()
    length = int(headers.get("content-length", 0))
    return (line[0], line[1], headers, file.read(length)) if len(line) == 3 else None


def reply(status, body, *headers):
    head = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


def answer(conn, method, path, headers, body):
    """False: the connection ends."""
    with lock:
        counts[path] = n = counts.get(path, 0) + 1
    word, _, rest = path[1:].partition("/")
    if word == "echo":
        said = " ".join([method, path, headers.get("x-word", "-"), headers.get("expect", "-"), str(len(body))])
        conn.sendall(reply(200, said.encode() + b"\n" + body))
    elif word == "status":
        conn.sendall(reply(int(rest), b"", f"Location: /echo"))
    elif word == "redirect":
        conn.sendall(reply(307, b"elsewhere", "LOCATION:  http://127.0.0.1:1/there?a=b "))
    elif word == "sum":  # of what was sent
        conn.sendall(reply(201, str(sum(body)).encode()))
    elif word == "bytes":
        conn.sendall(reply(200, bytes(i % 251 for i in range(int(rest)))))
    elif word == "halt":  # not a byte more
        conn.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\nsome")
        time.sleep(60)
    elif word == "connections":
        conn.sendall(reply(200, str(connections).encode()))
    elif word == "count":
        conn.sendall(reply(200, str(counts.get("/" + rest, 0)).encode()))
    elif word == "truncated":  # less than was promised
        conn.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\nten bytes.")
        return False
    elif word == "longer":  # more than was promised
        conn.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 4\r\n\r\nfour and then some HTTP/1.1 500 x\r\n\r\n")
        return False
    elif word == "huge":
        conn.sendall(b"HTTP/1.1 200 x\r\n" + (b"" if rest == "endless" else b"Content-Length: 1000000000\r\n") + b"\r\n")
        while True:
            conn.sendall(b"x" * 65536)
    elif word == "headers":
        conn.sendall(b"HTTP/1.1 200 x\r\n")
        while True:
            conn.sendall(b"X-More: " + b"y" * 1000 + b"\r\n")
    elif word == "slow":  # a byte now and then
        conn.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 100\r\n\r\n")
        for _ in range(100):
            time.sleep(0.05)
            conn.sendall(b"s")
    elif word == "silent":
        time.sleep(60)
    elif word == "garbage":
        conn.sendall(b"\0\1\2 no http at all\n\n\n")
        return False
    elif word == "slam":
        return False
    elif word == "third":  # only the third try is answered
        if n < 3:
            return False
        conn.sendall(reply(200, b"at last"))
    elif word == "chunked":
        conn.sendall(b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n" + (b"zz\r\n" if rest else b"0\r\n\r\n"))
    elif word == "once":  # answers, and is gone without a word
        conn.sendall(reply(200, b"once"))
        return False
    else:
        conn.sendall(reply(404, b""))
    return True


def serve(conn):
    global connections
    with lock:
        connections += 1
    try:
        with conn, conn.makefile("rb") as file:
            while True:
                request = read_request(file)
                if not request or not answer(conn, *request):
                    return
    except OSError:
        pass


def accept_all(server):
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


if len(sys.argv) > 1:
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[1])
else:
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
server.listen(64)
threading.Thread(target=accept_all, args=(server,), daemon=True).start()
os.write(1, b"%d\n" % (0 if len(sys.argv) > 1 else server.getsockname()[1]))
sys.stdin.read()
os._exit(0)
