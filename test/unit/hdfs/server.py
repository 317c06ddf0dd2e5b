#!/usr/bin/python3
"""Two NameNodes of one file system in memory, and a DataNode behind each, for what real ones cannot be made to do.  Says
their two ports, then serves until its input ends.  With arguments CERT KEY it speaks TLS.

PUT /fault/N/WORD/OP/TIMES: the NameNode N does WORD to the next TIMES requests with that OP ("-": any).  /count/OP ("-": any): how many came.  /dead/N: so many DataNodes are dead."""
import hashlib
import json
import os
import socket
import ssl
import sys
import threading
import time
import unicodedata
from urllib.parse import parse_qs, quote, unquote, urlsplit

lock = threading.Lock()
faults = []  # [NameNode, word, op, times]
counts = {}
dead = [0]  # DataNodes
ids = [16384]


def new_id():
    ids[0] += 1
    return ids[0]


files = {"/": {"id": new_id(), "data": None, "mode": "755"}}  # data None: a directory


class Refused(Exception):
    def __init__(self, status, name, message="no"):
        super().__init__(message)
        self.status, self.body = status, {"RemoteException": {"exception": name, "javaClassName": "x." + name, "message": message + "\n\tat java"}}


def status(path, suffix=""):
    f = files.get(path) or refuse(404, "FileNotFoundException", "File does not exist: " + path)
    return {"fileId": f["id"], "length": len(f["data"] or b""), "modificationTime": f.get("mtime", 1700000000000 + f["id"]), "childrenNum": 0, "replication": 1,
            "permission": f["mode"], "type": "DIRECTORY" if f["data"] is None else "FILE", "pathSuffix": suffix}


def refuse(*words):
    raise Refused(*words)


def below(path):
    return path.rstrip("/") + "/"


def names(path):
    return sorted({p[len(below(path)):].split("/")[0] for p in files if p.startswith(below(path)) and p != path})


def make(path):
    while path not in files:
        files[path] = {"id": new_id(), "data": None, "mode": "755"}
        path = os.path.dirname(path)


def do(op, path, q):
    if op == "GETFILESTATUS":
        return {"FileStatus": status(path)}
    if op == "LISTSTATUS_BATCH":
        status(path)
        left = [n for n in names(path) if n > q.get("startAfter", "")]
        return {"DirectoryListing": {"partialListing": {"FileStatuses": {"FileStatus": [status(below(path) + n, n) for n in left[:3]]}},
                                     "remainingEntries": len(left[3:])}}
    if op == "MKDIRS":
        make(path)
        return {"boolean": True}
    if op == "RENAME":
        to = q["destination"]
        status(path)
        if q.get("renameoptions") != "NONE":
            refuse(400, "IllegalArgumentException")
        if to in files:
            refuse(403, "FileAlreadyExistsException", to)
        status(os.path.dirname(to))
        for p in [p for p in files if p == path or p.startswith(below(path))]:
            files[to + p[len(path):]] = files.pop(p)
        return None
    if op == "DELETE":
        gone = [p for p in files if p == path or p.startswith(below(path))]
        for p in gone:
            del files[p]
        return {"boolean": bool(gone)}
    if op == "SETPERMISSION":
        status(path)
        files[path]["mode"] = q["permission"]
        return None
    if op == "SETTIMES":
        status(path)
        files[path]["mtime"] = int(q["modificationtime"])
        return None
    if op == "GETCONTENTSUMMARY":
        status(path)
        all_of_it = [f["data"] for p, f in files.items() if p == path or p.startswith(below(path))]
        size = sum(len(d or b"") for d in all_of_it)
        return {"ContentSummary": {"directoryCount": sum(d is None for d in all_of_it), "fileCount": sum(d is not None for d in all_of_it),
                                   "length": size, "spaceConsumed": size, "spaceQuota": 6 if path.endswith("/limited") else -1}}
    if op == "GETDELEGATIONTOKEN":
        return {"Token": {"urlString": "a-token"}}
    return refuse(400, "UnsupportedOperationException", op)


def fault_of(nn, op):
    with lock:
        counts[op] = counts.get(op, 0) + 1
        for f in faults:
            if f[0] == nn and f[2] in ("-", op) and f[3] > 0:
                f[3] -= 1
                return f[1]
    return ""


def reply(status, body=b"", *headers):
    if isinstance(body, dict):
        body = json.dumps(body).encode()
    head = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


REFUSALS = {"standby": (403, "StandbyException"), "safemode": (403, "SafeModeException"), "retriable": (403, "RetriableException"),
            "quota": (403, "DSQuotaExceededException"), "full": (403, "IOException"), "lost-block": (403, "IOException"), "denied": (403, "AccessControlException")}
GARBAGE = [b"", b"{}", b"[]", b"null", b"{\"FileStatus\":7}", b"{\"FileStatus\":{\"type\":\"FILE\",\"fileId\":-1,\"length\":1e99}}", b"\xff\0", b"{" * 100000,
           b"There is no active RM right now.", b'{"DirectoryListing":{"partialListing":{"FileStatuses":{"FileStatus":[]}},"remainingEntries":9}}'] + [
           b'{"DirectoryListing":{"partialListing":{"FileStatuses":{"FileStatus":[{"pathSuffix":"%s","type":"FILE","fileId":1,"length":1,"modificationTime":1}]}},"remainingEntries":%d}}' % one
           for one in ((b"../x", 0), (b".", 0), (b"..", 0), (b"a", 9))]


def name_node(nn, scheme, method, path, q, fault):
    op = q.get("op", "")
    if fault in REFUSALS:
        message = {"full": "could only be written to 0 of the 1 minReplication nodes. There are 1 datanode(s) running",
                   "lost-block": "No active nodes contain this block"}.get(fault, fault)
        raise Refused(*REFUSALS[fault], message)
    if fault == "401":
        return reply(401, b"<html>", "WWW-Authenticate: Negotiate")
    if fault.startswith("garbage"):
        return reply(200, GARBAGE[int(fault[7:])])
    if fault == "simple":  # a cluster that asks nobody who he is
        return reply(200, {"Token": None})
    if fault == "502":
        return reply(502, b"<html>")
    if op in ("CREATE", "OPEN", "GETFILECHECKSUM"):
        if op != "CREATE":
            status(path)
        query = "&".join(f"{k}={v}" for k, v in q.items())
        to = {"httpfs": f"{scheme}://127.0.0.1:{ports[nn]}/x?data=true", "nowhere": "ftp://x/", "dead": "http://127.0.0.1:1/x"}.get(
            fault, f"{scheme}://127.0.0.1:{ports[nn]}/data{nn}/webhdfs/v1{quote(unicodedata.normalize('NFC', path))}?{query}")  # as Java writes it
        return reply(307, b"", f"Location: {to}")
    answer = do(op, path, q)
    return reply(200, answer if answer is not None else b"")


def data_node(method, path, q, body, fault):
    op = q["op"]
    if fault in REFUSALS:
        raise Refused(*REFUSALS[fault], fault)
    if op == "CREATE":
        if path in files:
            refuse(403, "FileAlreadyExistsException", path)
        make(os.path.dirname(path))
        half = body[:len(body) // 2] if fault in ("cut", "short") else body
        files[path] = {"id": new_id(), "data": half, "mode": q.get("permission", "644")}
        return None if fault in ("cut", "lost") else reply(201)
    if op == "GETFILECHECKSUM":
        return reply(200, {"FileChecksum": {"algorithm": "MD5", "bytes": hashlib.md5(files[path]["data"]).hexdigest()}})
    data = files[path]["data"][int(q["offset"]):int(q["offset"]) + int(q["length"])]
    if fault == "cut":
        return reply(200, data)[:-(len(data) + 1) // 2]
    return reply(200, data + (b"more" if fault == "more" else b""))


def answer(nn, scheme, method, url, body):
    """What to send, and whether the connection ends."""
    parts = urlsplit(url)
    q = {k: v[0] for k, v in parse_qs(parts.query, keep_blank_values=True).items()}
    path = unquote(parts.path)
    word = path.split("/")
    if word[1] == "fault":
        with lock:
            faults.append([int(word[2]), word[3], word[4], int(word[5])])
        return reply(200), False
    if word[1] == "dead":
        dead[0] = int(word[2])
        return reply(200), False
    if word[1] == "jmx":
        return reply(200, {"beans": [{"NumDeadDataNodes": dead[0], "NumStaleDataNodes": 0}]}), False
    if word[1] == "clear":
        with lock:
            faults.clear()
            counts.clear()
        return reply(200), False
    if word[1] == "count":
        return reply(200, str(sum(counts.values()) if word[2] == "-" else counts.get(word[2], 0)).encode()), False
    is_data = word[1].startswith("data")
    fault = fault_of(nn, ("DATA-" if is_data else "") + q.get("op", ""))
    if fault == "slam":
        return b"", True
    if fault == "hang":
        time.sleep(60)
    try:
        with lock:
            if is_data:
                said = data_node(method, "/" + path.split("/", 4)[4], q, body, fault)
            else:
                said = name_node(nn, scheme, method, path[len("/webhdfs/v1"):] or "/", q, fault)
    except Refused as e:
        said = reply(e.status, e.body)
    if said is None or fault in ("lost", "cut"):
        return said if fault == "cut" and said else b"", True
    return said, is_data


def serve(conn, nn, scheme):
    try:
        with conn, conn.makefile("rb") as file:
            while True:
                line = file.readline().decode("latin-1").split()
                length, chunk = 0, True
                while len(line) == 3 and chunk:
                    chunk = file.readline().strip()
                    if chunk.lower().startswith(b"content-length:"):
                        length = int(chunk.split(b":")[1])
                if len(line) != 3:
                    return
                said, ends = answer(nn, scheme, line[0], line[1], file.read(length))
                conn.sendall(said)
                if ends:
                    return
    except OSError:
        pass


def accept_all(server, nn):
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    while True:
        conn = server.accept()[0]
        try:
            conn = context.wrap_socket(conn, server_side=True) if context else conn
        except OSError:
            continue
        threading.Thread(target=serve, args=(conn, nn, "https" if context else "http"), daemon=True).start()


ports = []
for n in range(2):
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(64)
    ports.append(s.getsockname()[1])
    threading.Thread(target=accept_all, args=(s, n), daemon=True).start()
os.write(1, b"%d %d\n" % tuple(ports))
sys.stdin.read()
os._exit(0)
