#!/usr/bin/python3
"""A service of users' names (LDAP, say) that does not answer keeps those waiting whose name it is, not all."""
import os
import shutil
import tempfile
import threading

from client import LIMIT, Server, Unix, done, eventually, preload, same

directory = tempfile.mkdtemp(prefix="pingo-names-")
os.environ["NAMES_HELD"] = os.path.join(directory, "held")
preload("names", directory)
s = Server("--port", "0")
del os.environ["LD_PRELOAD"]
known = Unix(s.socket)  # who it is was looked up already


def ask(connection, target):
    connection.request("GET", target)
    response = connection.getresponse()
    response.read()
    return response.status


same(ask(known, "/v1/me"), 200, "somebody is known")
open(os.environ["NAMES_HELD"], "w").close()
answers = []
new = threading.Thread(target=lambda: answers.append(ask(Unix(s.socket), "/v1/me")))
new.start()
eventually(lambda: os.path.exists(os.environ["NAMES_HELD"] + ".by"), "it is being looked up")
for connection, target, who in ((known, "/v1/me", "who is known"), (Unix(s.socket), "/healthz", "who need not be")):
    same((ask(connection, target), answers), (200, []), f"{who} is answered meanwhile")
os.unlink(os.environ["NAMES_HELD"])
new.join(LIMIT)
same(answers, [200], "and then the other")
same(s.stop(), 0, "the server ends well")
shutil.rmtree(directory)
done()
