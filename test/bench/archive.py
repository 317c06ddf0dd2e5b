#!/usr/bin/env python3
"""archive.py - moving to the archive, and what is asked of a store with much in it.

    python3 test/bench/archive.py PINGO [ATTEMPTS...]     by default 100000 1000000

A store with one real submission of 20 actions, which is copied by SQL until there are so many attempts (5 % failed, over 60
days).  Prints how fast they move, how long the store's lock was held at most, and the median of eleven of each request in ms,
with what a program that asks nothing takes; then each request's ratio of the largest store to the smallest."""
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

DAY = 86400000
ACTIONS = 20
REQUESTS = {
    "nothing": ["version"],
    "a workflow": ["status", "{w}", "--json"],
    "its attempts": ["status", "--attempts", "{w}", "--json"],
    "a page of workflows": ["status", "--limit", "50", "--after", "", "--json"],
    "a page of failures": ["errors", "--list", "--since", "2000-01-01", "--limit", "50", "--after", "", "--json"],
    "failures of an hour": ["errors", "--list", "--since", "{t}", "--until", "{u}", "--limit", "50", "--after", "", "--json"],
}


def pingo(program, directory, *words):
    r = subprocess.run([program, "-C", directory, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if r.returncode:
        sys.exit("pingo %s: %d\n%s" % (" ".join(words), r.returncode, r.stderr.decode()))
    return r.stdout


def make(program, directory, n):
    pingo(program, directory, "init")
    pingo(program, directory, "config", "sandbox", "off")
    pingo(program, directory, "config", "archive.afterDays", "never")
    path = os.path.join(directory, "w.json")
    with open(path, "w", encoding="ascii") as out:
        json.dump({"name": "w", "actions": [{"id": i, "name": "a%d" % i, "type": "command-line", "command": "echo %d >output" % i}
                                            for i in range(1, ACTIONS + 1)]}, out)
    pingo(program, directory, "run", "-q", path)
    db = sqlite3.connect(os.path.join(directory, ".pingo", "pingo.db"), isolation_level=None)
    db.executescript("PRAGMA foreign_keys=0; PRAGMA synchronous=0; PRAGMA cache_size=-200000; BEGIN;")
    now, count = int(time.time() * 1000), n // ACTIONS - 1

    def columns(table, **other):
        names = [r[1] for r in db.execute("PRAGMA table_info(%s)" % table)]
        return ", ".join(other.get(c, "x." + c) for c in names)
    at = "(%d - 60 * %d + i * (59 * %d / %d))" % (now, DAY, DAY, count)
    each = " WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < %d) SELECT %%s FROM i CROSS JOIN %%s x" % count
    db.execute("INSERT INTO error(id, digest, category, reason, text) VALUES(32, randomblob(32), 1, 0, 'bad')")
    last = db.execute("SELECT max(id) FROM action").fetchone()[0]
    db.execute("INSERT INTO attempt" + each % (columns(
        "attempt", action="x.action + i * %d" % last, handed_ms=at, started_ms=at, ended_ms=at,
        error="iif((x.action + i) %% 20 = 0, 32, 0)" .replace("%%", "%")), "attempt"))
    db.execute("INSERT INTO action" + each % (columns("action", id="x.id + i * %d" % last, workflow="x.workflow + i"), "action"))
    db.execute("INSERT INTO progress" + each % (columns("progress", workflow="x.workflow + i"), "progress"))
    db.execute("INSERT INTO workflow" + each % (columns("workflow", id="x.id + i", ended_ms=at, submitted_ms=at, tag="NULL"), "workflow"))
    db.execute("COMMIT")
    db.close()
    return now


def asked(program, directory, workflow, now):
    took = {}
    hour = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now / 1000 - 30 * 86400 + s)) for s in (0, 60)]
    for name, words in REQUESTS.items():
        words = [w.format(w=workflow, t=hour[0], u=hour[1]) for w in words]
        each = []
        for _ in range(11):
            begin = time.perf_counter()
            pingo(program, directory, *words)
            each.append((time.perf_counter() - begin) * 1000)
        took[name] = statistics.median(each)
    return took


def main():
    program, sizes, all_took = os.path.abspath(sys.argv[1]), [int(a) for a in sys.argv[2:]] or [100000, 1000000], []
    for n in sizes:
        with tempfile.TemporaryDirectory() as directory:
            now = make(program, directory, n)
            before = asked(program, directory, n // ACTIONS // 2, now)
            size = os.path.getsize(os.path.join(directory, ".pingo", "pingo.db"))
            begin = time.perf_counter()
            moved = json.loads(pingo(program, directory, "archive", "--now", "--before", "0s", "--json"))
            seconds = time.perf_counter() - begin
            print("%d attempts moved in %.1f s: %.0f a second; the lock was held %d ms at most; files sealed: %d" %
                  (moved["attempts"], seconds, moved["attempts"] / seconds, moved["heldMs"], moved["sealed"]))
            after = asked(program, directory, n // ACTIONS // 2, now)
            all_took.append(after)
            files = sum(f["bytes"] for f in json.loads(pingo(program, directory, "archive", "--json")))
            print("  database %.0f MB, month files %.0f MB" % (size / 1e6, files / 1e6))
            for name, ms in after.items():
                print("  %-20s %7.1f ms, before it moved %7.1f ms" % (name, ms, before[name]))
    for name in REQUESTS:
        print("%-20s %.2f x from %d to %d attempts" % (name, all_took[-1][name] / all_took[0][name], sizes[0], sizes[-1]))


main()
