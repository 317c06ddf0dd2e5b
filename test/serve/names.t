#!/usr/bin/python3
"""A service of users' names (LDAP, say) that does not answer keeps those waiting whose name it is, not all."""
import os
import shutil
import tempfile
import threading
import time

from client import LIMIT, Server, Unix, done, ok, preload, same

directory = tempfile.mkdtemp(prefix="pingo-names-")
os.environ["NAMES_HELD"] = os.path.join(directory, "held")
preload("names", directory)
s = Server("--port", "0")
del os.environ["LD_PRELOAD"]
known = Unix(s.socket)  # who it is was looked up already


def ask(connection, target):
    begun = time.monotonic()
    connection.request("GET", target)
    response = connection.getresponse()
    response.read()
    return response.status, time.monotonic() - begun


same(ask(known, "/v1/me")[0], 200, "somebody is known")
open(os.environ["NAMES_HELD"], "w").close()
threading.Timer(8, os.unlink, [os.environ["NAMES_HELD"]]).start()
answers = []
new = threading.Thread(target=lambda: answers.append(ask(Unix(s.socket), "/v1/me")))
new.start()
time.sleep(0.5)  # it is being looked up
for connection, target, who in ((known, "/v1/me", "who is known"), (Unix(s.socket), "/healthz", "who need not be")):
    status, seconds = ask(connection, target)
    ok(status == 200 and seconds < 5, f"{who} is answered meanwhile", status, seconds)
new.join(LIMIT)
same([status for status, _ in answers], [200], "and then the other")
same(s.stop(), 0, "the server ends well")
shutil.rmtree(directory)
done()
