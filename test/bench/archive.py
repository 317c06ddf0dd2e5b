#!/usr/bin/env python3
"""archive.py - moving to the archive, what is asked of a store with much in it, and summaries against what they sum.

    python3 test/bench/archive.py [ATTEMPTS...]     by default 100000 1000000; $PINGO names the program

A store with one real submission of 20 actions, which is copied by SQL until there are so many attempts (5 % failed in 32
ways on 40 machines, over 60 days).  Prints how fast they move, how long the store's lock was held at most, and how long
another process that writes all the time, as any of Pingo's does, waited for it; the median of eleven of each request in
ms, with what a program that asks nothing takes; then each request's ratio of the largest store to the smallest, which are
asked in turns.  Summaries
are compared inside one process that asks SQLite: what failed in 28 days by error, from rows, half hours and days."""
import fcntl
import json
import os
import shutil
import signal
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HALF_HOUR, DAY = 1800000, 86400000
ACTIONS, ERRORS, NODES, PERIOD = 20, 32, 40, 28
FIRST_ERROR = 100
program = os.environ.get("PINGO", "build/pingo")
REQUESTS = {
    "nothing": ["version"],
    "a workflow": ["status", "{w}", "--json"],
    "its attempts": ["status", "--attempts", "{w}", "--json"],
    "a page of workflows": ["status", "--limit", "50", "--after", "", "--json"],
    "a page of failures": ["errors", "--list", "--since", "2000-01-01", "--limit", "50", "--after", "", "--json"],
    "failures of a time": ["errors", "--list", "--since", "{t}", "--until", "{u}", "--limit", "50", "--after", "", "--json"],
    "errors of a day": ["errors", "--since", "{d}", "--until", "{t}", "--json"],
    "of 28 days, by machine": ["errors", "--since", "{m}", "--until", "{t}", "--by", "node", "--json"],
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
        json.dump({"name": "w", "actions": [{"id": i, "name": "a%d" % i, "type": "command-line", "command": "echo %d >output" % i}
                                            for i in range(1, ACTIONS + 1)]}, out)
    pingo(directory, "run", "-q", path)
    db = sqlite3.connect(database(directory), isolation_level=None)
    db.executescript("PRAGMA foreign_keys=0; PRAGMA synchronous=0; PRAGMA cache_size=-200000; BEGIN;")
    now, count = int(time.time() * 1000), n // ACTIONS - 1

    def columns(table, **other):
        names = [r[1] for r in db.execute("PRAGMA table_info(%s)" % table)]
        return ", ".join(other.get(c, "x." + c) for c in names)
    at = "(%d - 60 * %d + i * (59 * %d / %d))" % (now, DAY, DAY, count)
    each = " WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < %d) SELECT %%s FROM i CROSS JOIN %%s x" % count
    db.executemany("INSERT INTO error(id, digest, category, reason, text, first_ms, last_ms) VALUES(?, randomblob(32), 1, 0, ?, ?, ?)",
                   [(FIRST_ERROR + i, "bad %d" % i, now - 60 * DAY, now) for i in range(ERRORS)])
    last = db.execute("SELECT max(id) FROM action").fetchone()[0]
    db.execute("INSERT INTO attempt" + each % (columns(
        "attempt", action="x.action + i * %d" % last, handed_ms=at, started_ms=at, ended_ms=at,
        host=f"'n' || ((x.action + i) % {NODES})",
        error=f"iif((x.action + i) % 20 = 0, {FIRST_ERROR} + (x.action + i) / 20 % {ERRORS}, 0)"), "attempt"))
    db.execute("INSERT INTO action" + each % (columns("action", id="x.id + i * %d" % last, workflow="x.workflow + i"), "action"))
    db.execute("INSERT INTO progress" + each % (columns("progress", workflow="x.workflow + i"), "progress"))
    db.execute("INSERT INTO workflow" + each % (columns("workflow", id="x.id + i", ended_ms=at, submitted_ms=at, tag="NULL"), "workflow"))
    for step, table in ((HALF_HOUR, "summary_30m"), (DAY, "summary_day")):
        db.execute("DELETE FROM " + table)
        db.execute("INSERT INTO %s SELECT t.ended_ms / %d, t.error, t.executor, coalesce(t.host, ''), w.user, count(*),"
                   " sum(t.wall_ms), sum(t.user_ms + t.system_ms), sum(t.started_ms - t.handed_ms), 0, 0 FROM attempt t CROSS JOIN"
                   " action a ON a.id = t.action CROSS JOIN workflow w ON w.id = a.workflow GROUP BY 1, 2, 3, 4, 5" % (table, step))
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
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


def ask_once(directory, n, now, name):
    def iso(ms):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ms / 1000))
    t = (now // DAY - 30) * DAY
    # What matches of a time is as much in each store.
    of = {"w": n // ACTIONS // 2, "t": iso(t), "u": iso(t + HALF_HOUR * 1000000 // n), "d": iso(t - DAY), "m": iso(t - 28 * DAY)}
    words = [w.format(**of) for w in REQUESTS[name]]
    begin = time.perf_counter()
    pingo(directory, *words)
    return 1000 * (time.perf_counter() - begin)


def asked(stores, times):
    """stores: (directory, attempts, now); each request of one after the other, so that all meet the same machine."""
    took = {name: [[] for _ in stores] for name in REQUESTS}
    for _ in range(times):
        for name, each in took.items():
            for ms, (directory, n, now) in zip(each, stores):
                ms.append(ask_once(directory, n, now, name))
    return {name: [statistics.median(ms) for ms in each] for name, each in took.items()}


def summed(directory, now):
    """Of whole days, so that all three say the same."""
    db = sqlite3.connect("file:%s?mode=ro" % database(directory), uri=True)
    end = now // DAY - 20
    took, answers = {}, set()

    def ask(name, table, step, select, more=""):
        sql = "SELECT %s FROM %s WHERE %s >= ? AND %s < ? %s GROUP BY 1 ORDER BY 1" % (select, table, step[0], step[0], more)
        each = []
        for _ in range(7):
            begin = time.perf_counter()
            rows = db.execute(sql, ((end - PERIOD) * step[1], end * step[1])).fetchall()
            each.append((time.perf_counter() - begin) * 1000)
        answers.add(json.dumps([[str(v) for v in r] for r in rows]))
        took[name] = statistics.median(each)
    ask("rows", "attempt", ("ended_ms", DAY), "error, count(*), sum(wall_ms)")
    ask("half hours", "summary_30m", ("step", DAY // HALF_HOUR), "error, sum(n), sum(wall_ms)")
    ask("days", "summary_day", ("step", 1), "error, sum(n), sum(wall_ms)")
    of_rows, of_halves, of_days = (db.execute("SELECT count(*) FROM " + t).fetchone()[0] for t in ("attempt", "summary_30m", "summary_day"))
    print("  %d rows, %d of half hours, %d of days; all of %d days by error%s:" %
          (of_rows, of_halves, of_days, PERIOD, "" if len(answers) == 1 else " (THEY DIFFER)"))
    for name, ms in took.items():
        print("    from %-12s %8.2f ms, %6.1f x faster than from rows" % (name, ms, took["rows"] / ms))
    answers.clear()
    ask("rows", "attempt INDEXED BY attempt_failed", ("ended_ms", DAY), "error, count(*), sum(wall_ms)", "AND error > 0")
    ask("half hours", "summary_30m", ("step", DAY // HALF_HOUR), "error, sum(n), sum(wall_ms)", "AND error > 0")
    ask("days", "summary_day", ("step", 1), "error, sum(n), sum(wall_ms)", "AND error > 0")
    print("  what failed alone, which has an index among the rows%s:" % ("" if len(answers) == 1 else " (THEY DIFFER)"))
    for name, ms in took.items():
        print("    from %-12s %8.2f ms, %6.1f x faster than from rows" % (name, ms, took["rows"] / ms))
    db.close()


def main():
    sizes, stores = [int(a) for a in sys.argv[1:]] or [100000, 1000000], []
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_WORK")) as top:
        for n in sizes:
            beside = os.path.join(top, "beside%d" % n)
            directory = os.path.join(top, "alone%d" % n)
            for d in (beside, directory):
                os.mkdir(d)
                now = make(d, n)
            move(beside, True)
            shutil.rmtree(beside)
            before = asked([(directory, n, now)], 11)
            summed(directory, now)
            size = os.path.getsize(database(directory))
            move(directory, False)
            after = asked([(directory, n, now)], 11)
            stores.append((directory, n, now))
            files = sum(f["bytes"] for f in json.loads(pingo(directory, "archive", "--json")))
            print("  database %.0f MB, month files %.0f MB" % (size / 1e6, files / 1e6))
            for name, ms in after.items():
                print("  %-23s %7.1f ms, before it moved %7.1f ms" % (name, ms[0], before[name][0]))
        print("once more, in turns:")
        for name, ms in asked(stores, 41).items():
            print("  %-23s %.2f x from %d to %d attempts (%s ms)" %
                  (name, ms[-1] / ms[0], sizes[0], sizes[-1], ", ".join("%.1f" % m for m in ms)))


main()
