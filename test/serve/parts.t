#!/usr/bin/python3
"""Answers that leave in parts are whole: files, documents and streams, where the system takes a part of each piece at once
and the rest, all of it, before libuv tells."""
import os
import subprocess
import tempfile

from client import Server, action, done, ok, preload, same

with tempfile.TemporaryDirectory() as made:
    flags = subprocess.run(["pkg-config", "--cflags", "libuv"], check=True, capture_output=True, text=True).stdout.split()
    preload("parts", made, *flags)
    s = Server("--port", "0")
    del os.environ["LD_PRELOAD"]
    printed = "".join(f"{i}\n" for i in range(200000)).encode()[:1000000]
    w = s.submit({"name": "long", "actions": [action(1, "long", "seq 0 1000000 | head -c 1000000; : >output")]})
    s.wait(w)
    many = s.submit({"name": "many", "actions": [action(i, f"a{i}", f": {i} >output") for i in range(2000)]})
    s.wait(many)
    for k in range(10):
        ok(s.get(f"/v1/workflows/{w}/actions/1/stdout").body == printed, f"a file, {k + 1}: to the byte")
    ok(s.get(f"/v1/workflows/{w}/actions/1/stdout?follow=1").body == printed, "a stream: to the byte")
    text = s.get(f"/v1/workflows/{many}/text")
    same([len(text.json["actions"]), s.get(f"/v1/workflows/{many}/text").body == text.body], [2000, True], "a document, twice")
    same(len(s.get(f"/v1/workflows/{many}/states").json["states"]), 2000, "a document that is made")
    ok(s.process.poll() is None, "the server is there as before", open(s.log).read())
    done()
