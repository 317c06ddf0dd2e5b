#!/usr/bin/env python3
"""archive.py - moving to the archive, what is asked of a store with much in it, and summaries against what they sum.

    python3 test/bench/archive.py [ATTEMPTS...]     by default 100000 1000000; $PINGO names the program

A store with one real submission of 20 actions, a tree, which is copied by SQL until there are so many attempts, on 40 machines: 33,333
end each day, so what is larger reaches further back, as an archive grows.  5 % failed, each day in eight of 32 ways on as many
machines, so that one row of half hours stands for four that failed, as in the paper of PanDA.  Prints how fast they move, how
long the store's lock was held at most, and how long another process that writes all the time, as any of Pingo's does, waited
for it (2,000,000 and more move beside such a one alone); the median of eleven of each request in ms, of a
program that ends with it and of a server that was there before; then each request's ratio of the largest store to the
smallest, which are asked in turns, and what more matches costs.
Summaries are compared with rows twice: inside one process that asks SQLite what ended in two days by error, of rows that lie
in the order of time and hold nothing else, half hours and days; and as requests."""
import fcntl
import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HALF_HOUR, DAY = 1800000, 86400000
ACTIONS, ERRORS, NODES, A_DAY = 20, 32, 40, 33333
KEPT_DAYS = 90  # of half hours
FIRST_ERROR = 100
program = os.environ.get("PINGO", "build/pingo")
# {d}: a day begins; {c}, {e}: one and two days later; {h}, {i}: half an hour into these two, and before they end, so that no
# whole day is asked for; {t}, {u}: half an hour.  In each store as much matches.
REQUESTS = {
    "nothing": (["version"], "/healthz"),
    "a workflow": (["status", "{w}", "--json"], "/v1/workflows/{w}"),
    "its attempts": (["status", "--attempts", "{w}", "--json"], "/v1/workflows/{w}/attempts"),
    "a page of workflows": (["status", "--limit", "50", "--after", "", "--json"], "/v1/workflows?limit=50"),
    "a page of failures": (["errors", "--list", "--since", "2000-01-01", "--limit", "50", "--after", "", "--json"], None),
    "failures of half an hour": (["errors", "--list", "--since", "{t}", "--until", "{u}", "--limit", "50", "--after", "", "--json"], None),
    "one error's attempts": (["errors", "--list", "--error", "%d" % FIRST_ERROR, "--limit", "50", "--after", "", "--json"],
                             "/v1/errors/%d/attempts?limit=50" % FIRST_ERROR),
    "errors of a day": (["errors", "--since", "{d}", "--until", "{c}", "--json"], "/v1/errors?from={d}&to={c}"),
    "2 days by name: rows": (["errors", "--since", "{d}", "--until", "{e}", "--by", "name", "--json"], "/v1/errors?by=name&from={d}&to={e}"),
    "2 days by code: half hours": (["errors", "--since", "{h}", "--until", "{i}", "--json"], "/v1/errors?from={h}&to={i}"),
    "2 days by code: days": (["errors", "--since", "{d}", "--until", "{e}", "--json"], "/v1/errors?from={d}&to={e}"),
    "2 days by node: days": (["errors", "--since", "{d}", "--until", "{e}", "--by", "node", "--json"], "/v1/errors?by=node&from={d}&to={e}"),
}
MORE = {  # what matches more and more, and how much
    "failures listed": [(n, ["errors", "--list", "--since", "2000-01-01", "--limit", str(n), "--after", "", "--json"], None)
                        for n in (10, 100, 1000)],
    "days by name: rows": [(n, ["errors", "--since", "{d}", "--until", "{d+%d}" % n, "--by", "name", "--json"],
                            "/v1/errors?by=name&from={d}&to={d+%d}" % n) for n in (1, 2, 4, 8, 16)],
    "days by node: days": [(n, ["errors", "--since", "{d}", "--until", "{d+%d}" % n, "--by", "node", "--json"],
                            "/v1/errors?by=node&from={d}&to={d+%d}" % n) for n in (1, 2, 4, 8, 16)],
}


def pingo(directory, *words):
    r = subprocess.run([program, "-C", directory, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if r.returncode:
        sys.exit("pingo %s: %d\n%s" % (" ".join(words), r.returncode, r.stderr.decode()))
    return r.stdout


def database(directory):
    return os.path.join(directory, ".pingo", "pingo.db")


def make(directory, n):
    pingo(directory, "init")
    pingo(directory, "config", "sandbox", "off")
    pingo(directory, "config", "archive.afterDays", "never")
    path = os.path.join(directory, "w.json")
    with open(path, "w", encoding="ascii") as out:
        json.dump({"name": "w", "actions": [{"id": i, "name": "a%d" % i, "type": "command-line", "command": "echo %d >output" % i,
                                             "parentActions": [{"id": i // 2}] if i > 1 else []} for i in range(1, ACTIONS + 1)]}, out)
    pingo(directory, "run", "-q", path)
    db = sqlite3.connect(database(directory), isolation_level=None)
    db.executescript("PRAGMA foreign_keys=0; PRAGMA synchronous=0; PRAGMA cache_size=-200000; BEGIN;")
    now, count = int(time.time() * 1000), n // ACTIONS - 1

    def columns(table, **other):
        names = [r[1] for r in db.execute("PRAGMA table_info(%s)" % table)]
        return ", ".join(other.get(c, "x." + c) for c in names)
    first = now - n // A_DAY * DAY - DAY
    at = "(%d + i * %d / %d)" % (first, n // A_DAY * DAY, count)
    each = " WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < %d) SELECT %%s FROM i CROSS JOIN %%s x" % count
    db.executemany("INSERT INTO error(id, digest, category, reason, text, first_ms, last_ms) VALUES(?, randomblob(32), 1, 0, ?, ?, ?)",
                   [(FIRST_ERROR + i, "bad %d" % i, first, now) for i in range(ERRORS)])
    last, failed = db.execute("SELECT max(id) FROM action").fetchone()[0], "(x.action + i) % 20 = 0"
    db.execute("INSERT INTO attempt" + each % (columns(
        "attempt", action="x.action + i * %d" % last, handed_ms=at, started_ms=at, ended_ms=at,
        host=f"'n' || iif({failed}, (i % 8 * 5 + i / {A_DAY // ACTIONS} * 3) % {NODES}, (x.action + i) % {NODES})",
        error=f"iif({failed}, {FIRST_ERROR} + (i % 8 * 7 + i / {A_DAY // ACTIONS} * 11) % {ERRORS}, 0)"), "attempt"))
    db.execute("INSERT INTO action" + each % (columns("action", id="x.id + i * %d" % last, workflow="x.workflow + i"), "action"))
    db.execute("INSERT INTO dependency" + each % (columns("dependency", parent="x.parent + i * %d" % last, child="x.child + i * %d" % last), "dependency"))
    db.execute("INSERT INTO progress" + each % (columns("progress", workflow="x.workflow + i"), "progress"))
    db.execute("INSERT INTO workflow" + each % (columns("workflow", id="x.id + i", ended_ms=at, submitted_ms=at, tag="NULL"), "workflow"))
    for step, table in ((HALF_HOUR, "summary_30m"), (DAY, "summary_day")):
        db.execute("DELETE FROM " + table)
        db.execute("INSERT INTO %s SELECT t.ended_ms / %d, t.error, t.executor, coalesce(t.host, ''), w.user, count(*),"
                   " sum(t.wall_ms), sum(t.user_ms + t.system_ms), sum(t.started_ms - t.handed_ms), 0, 0 FROM attempt t CROSS JOIN"
                   " action a ON a.id = t.action CROSS JOIN workflow w ON w.id = a.workflow WHERE t.ended_ms >= %d GROUP BY 1, 2, 3, 4, 5" %
                   (table, step, 0 if table == "summary_day" else now - KEPT_DAYS * DAY))
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    os.sync()
    return now


def write_all_the_time(directory, answer):
    """Takes the store's lock as the store does: asks again after a while that doubles, up to 8 ms.  Until it is told to end."""
    ended, waits = [], []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
    db = sqlite3.connect(database(directory), isolation_level=None)
    db.executescript("PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=FULL;")
    with open(os.path.join(directory, ".pingo", "lock"), "r+b") as lock:
        os.write(answer, b"+")
        while not ended:
            began, wait = time.perf_counter(), 0.0002
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    fcntl.fcntl(lock, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 1, 0))
                    time.sleep(wait)
                    wait = min(2 * wait, 0.006)
            fcntl.fcntl(lock, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_UNLCK, 0, 0, 1, 0))
            waits.append(time.perf_counter() - began)
            db.execute("INSERT OR REPLACE INTO meta VALUES('bench', %d)" % len(waits))
            fcntl.flock(lock, fcntl.LOCK_UN)
            time.sleep(0.005)
        fcntl.flock(lock, fcntl.LOCK_EX)
        db.close()
    waits.sort()
    os.write(answer, json.dumps([len(waits), 1000 * waits[len(waits) * 99 // 100], 1000 * waits[-1]]).encode())
    os._exit(0)


def move(directory, beside):
    if beside:
        ours, theirs = os.pipe()
        writer = os.fork()
        if not writer:
            write_all_the_time(directory, theirs)
        os.close(theirs)
        os.read(ours, 1)
    begin = time.perf_counter()
    moved = json.loads(pingo(directory, "archive", "--now", "--before", "0s", "--json"))
    seconds = time.perf_counter() - begin
    print("%d attempts moved in %.1f s%s: %.0f a second; the lock was held %d ms at most; files sealed: %d" %
          (moved["attempts"], seconds, " beside a writer" if beside else "", moved["attempts"] / seconds, moved["heldMs"],
           moved["sealed"]))
    if beside:
        os.kill(writer, signal.SIGTERM)
        with os.fdopen(ours) as said:
            print("  it wrote %d times, and waited %.0f ms at p99, %.0f ms at most" % tuple(json.load(said)))
        os.waitpid(writer, 0)
    sys.stdout.flush()


class Server:
    running = []

    def __init__(self, directory):
        self.path = os.path.join(directory, ".pingo", "serve.sock")
        self.process = subprocess.Popen([program, "-C", directory, "serve", "--no-run", "--no-tcp"], stderr=subprocess.PIPE, text=True)
        Server.running.append(self)
        for line in self.process.stderr:
            if line.startswith("serving"):
                break
        self.connect()

    def connect(self):
        self.client = http.client.HTTPConnection("localhost")
        self.client.sock = socket.socket(socket.AF_UNIX)
        self.client.sock.connect(self.path)

    def ask(self, target):
        try:
            begin = time.perf_counter()
            self.client.request("GET", target)
            answer = self.client.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):  # nobody asked for long
            self.connect()
            return self.ask(target)
        answer.read()
        if answer.status != 200:
            sys.exit("GET %s: %d" % (target, answer.status))
        return 1000 * (time.perf_counter() - begin)

    def close(self):
        Server.running.remove(self)
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.process.stderr.close()


class Store:
    def __init__(self, directory, n, now):
        self.directory, self.n, self.server = directory, n, None
        # Of a store with more days than that, there are 16 from then on, and half hours of all of them.
        day = (now - DAY - min(20, (n // A_DAY + 2) // 2) * DAY) // DAY * DAY

        def iso(ms):
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ms / 1000))
        self.day = day
        self.of = {"{w}": str(n // ACTIONS // 2), "{t}": iso(day + DAY // 2), "{u}": iso(day + DAY // 2 + HALF_HOUR),
                   "{d}": iso(day), "{c}": iso(day + DAY), "{e}": iso(day + 2 * DAY),
                   "{h}": iso(day + HALF_HOUR), "{i}": iso(day + 2 * DAY - HALF_HOUR)}
        self.of.update({"{d+%d}" % i: iso(day + i * DAY) for i in (1, 2, 4, 8, 16)})

    def words(self, text):
        for name, value in self.of.items():
            text = text.replace(name, value)
        return text

    def cold(self, words):
        words = [self.words(w) for w in words]
        begin = time.perf_counter()
        pingo(self.directory, *words)
        return 1000 * (time.perf_counter() - begin)

    def warm(self, target):
        return self.server.ask(self.words(target))


def asked(stores, times, requests):
    """Each request of one store after the other, so that all meet the same machine: {name: [(cold, warm) of each store]}."""
    took = {name: [([], []) for _ in stores] for name in requests}
    for _ in range(times):
        for name, (words, target) in requests.items():
            for (cold, warm), store in zip(took[name], stores):
                cold.append(store.cold(words))
                if target and store.server:
                    warm.append(store.warm(target))
    return {name: [[statistics.median(ms) if ms else None for ms in each] for each in of] for name, of in took.items()}


def shown(ms, unit=" ms"):
    return "       -" if ms is None else "%8.2f%s" % (ms, unit)


def compare(db, what, named, least):
    """named: {source: SQL that ends with the period}; all give the same answer."""
    took, answers = {}, set()
    for name, (sql, since, until) in named.items():
        each = []
        for _ in range(11):
            begin = time.perf_counter()
            rows = db.execute(sql, (since, until)).fetchall()
            each.append((time.perf_counter() - begin) * 1000)
        answers.add(json.dumps(rows))
        took[name] = statistics.median(each)
    print("  %s, as a query%s:" % (what, "" if len(answers) == 1 else " (THEY DIFFER)"))
    for (name, ms), goal in zip(took.items(), least):
        print("    from %-12s %8.2f ms, %6.1f x faster than from rows%s" %
              (name, ms, took["rows"] / ms, " (goal: %d)" % goal if goal else ""))


def summed(store, days):
    db = sqlite3.connect("file:%s?mode=ro" % database(store.directory), uri=True)
    db.execute("PRAGMA temp_store=MEMORY")
    day, end = store.day // DAY, store.day // DAY + days
    db.execute("CREATE TEMP TABLE ends(ended_ms, action, epoch, error, executor, node, wall_ms,"
               " PRIMARY KEY(ended_ms, action, epoch)) WITHOUT ROWID")
    db.execute("INSERT INTO temp.ends SELECT ended_ms, action, epoch, error, executor, host, wall_ms FROM attempt"
               " WHERE ended_ms >= ? AND ended_ms < ?", (day * DAY, end * DAY))
    periods = (("rows", "temp.ends", "ended_ms", DAY), ("half hours", "summary_30m", "step", DAY // HALF_HOUR), ("days", "summary_day", "step", 1))
    counts = [db.execute("SELECT count(*) FROM %s WHERE %s >= ? AND %s < ?" % (table, key, key), (day * n, end * n)).fetchone()[0]
              for _, table, key, n in periods]
    print("  %d days: %d rows, %d of half hours (%.1f x fewer), %d of days (%.1f x)" %
          (days, counts[0], counts[1], counts[0] / counts[1], counts[2], counts[0] / counts[2]))
    for what, more in (("all that ended, by error", ""), ("all that failed, by error; rows by their index", "AND error > 0")):
        if more:
            periods = (("rows", "attempt INDEXED BY attempt_failed", "ended_ms", DAY), *periods[1:])
        compare(db, what, {name: ("SELECT error, sum(%s), sum(wall_ms) FROM %s WHERE %s >= ? AND %s < ? %s GROUP BY 1 ORDER BY 1" %
                                  ("1" if name == "rows" else "n", table, key, key, more), day * n, end * n)
                           for name, table, key, n in periods}, (0, 4, 40))
    db.close()


def summed_as_requests(asked_of):
    for i, what in enumerate(("a program", "a server")):
        rows, halves, days = (asked_of[name][0][i] for name in REQUESTS if name.startswith(("2 days by name", "2 days by code")))
        print("  failures of 2 days, as a request to %s: from rows %.2f ms, from half hours %.2f ms (%.1f x), from days %.2f ms (%.1f x)" %
              (what, rows, halves, rows / halves, days, rows / days))


def more_and_more(store):
    for what, of in MORE.items():
        said = []
        for n, words, target in of:
            cold = statistics.median(store.cold(words) for _ in range(7))
            warm = statistics.median(store.warm(target) for _ in range(7)) if target else None
            said.append("%d: %.1f%s" % (n, cold, "" if warm is None else "/%.2f" % warm))
        print("  %s: %s ms" % (what, ", ".join(said)))


def one_size(top, n):
    directory = os.path.join(top, "alone%d" % n)
    os.mkdir(directory)
    begin = time.perf_counter()
    now = make(directory, n)
    print("%d attempts: made in %.0f s" % (n, time.perf_counter() - begin), flush=True)
    if n < 2000000:
        beside = os.path.join(top, "beside%d" % n)
        shutil.copytree(directory, beside, symlinks=True, ignore=shutil.ignore_patterns("*.sock"))
        os.sync()  # as Pingo leaves a database: else its first checkpoint would wait until all of it is on the disk
        move(beside, True)
        shutil.rmtree(beside)
    store = Store(directory, n, now)
    store.server = Server(directory)
    before = asked([store], 11, REQUESTS)
    store.server.close()
    summed(store, 2)
    summed_as_requests(before)
    sys.stdout.flush()
    size = os.path.getsize(database(directory))
    move(directory, n >= 2000000)
    store.server = Server(directory)
    after = asked([store], 11, REQUESTS)
    files = json.loads(pingo(directory, "archive", "--json"))
    print("  database %.0f MB, month files %.0f MB (%d, the largest of %.0f MB)" %
          (size / 1e6, sum(f["bytes"] for f in files) / 1e6, len(files), max(f["bytes"] for f in files) / 1e6))
    for name, ((cold, warm),) in after.items():
        print("  %-29s %s, before it moved %s; of a server %s, %s" %
              (name, shown(cold), shown(before[name][0][0]), shown(warm), shown(before[name][0][1])))
    if n // A_DAY > 20:
        more_and_more(store)
    sys.stdout.flush()
    return store


def main():
    sizes = [int(a) for a in sys.argv[1:]] or [100000, 1000000]
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_WORK")) as top:
        try:
            stores = [one_size(top, n) for n in sizes]
            print("once more, in turns:")
            for name, each in asked(stores, 41, REQUESTS).items():
                for i, what in enumerate(("a program", "a server")):
                    ms = [of[i] for of in each]
                    if ms[0] is not None:
                        print("  %-29s %-9s %.2f x from %d to %d attempts (%s ms)" %
                              (name, what, ms[-1] / ms[0], sizes[0], sizes[-1], ", ".join("%.2f" % m for m in ms)))
        finally:
            for server in list(Server.running):
                server.close()


main()
