"""Fair shares with the real engine: Jain's index over four users of whom the fourth comes SECONDS later (Columbus 6.6: three
minutes), and how long who comes new waits beside 100,000 ready actions of another: shares.py [SECONDS [ACTIONS]].

Starts are read from the store, as its attempts have them; an index of 1 is all alike."""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

from measure import fresh, pingo, remove

LATER = int(sys.argv[1]) if len(sys.argv) > 1 else 180
MANY = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
SLOTS = 4
MEAN = 0.5  # seconds that each action takes
TOGETHER = 60  # seconds in which all four have work
NEW = 10


def say(where, *words):
    subprocess.run(pingo(where, *words), check=True, stdout=subprocess.DEVNULL)


def store(name):
    where = fresh(name)
    for words in (["init"], ["config", "sandbox", "off"], ["config", "executor.slots", str(SLOTS)]):
        say(where, *words)
    return where


def submit(where, user, n, first=0):
    path = os.path.join(where, f"{user}{first}.json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"name": user, "actions": [{"id": i, "name": f"{user}{i}", "type": "command-line", "command": f"sleep {MEAN}; echo {user} {i} >output"}
                                             for i in range(first, first + n)]}, out)
    say(where, "submit", "-q", "--user", user, path)


def ask(where, sql, *values):
    db = sqlite3.connect(os.path.join(where, ".pingo", "pingo.db"), timeout=60)
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def starts(where, users, since_ms, until_ms):
    rows = ask(where, "SELECT w.user, count(*) FROM attempt t JOIN action a ON a.id = t.action JOIN workflow w ON w.id = a.workflow"
                      " WHERE t.started_ms >= ? AND t.started_ms < ? GROUP BY w.user", since_ms, until_ms)
    return [dict(rows).get(user, 0) for user in users]


def jain(shares):
    return sum(shares) ** 2 / (len(shares) * sum(n * n for n in shares))


def running(where):
    return subprocess.Popen(pingo(where, "run", "--all", "-q"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def leave(where, scheduler):
    scheduler.send_signal(signal.SIGINT)
    scheduler.wait()
    for (workflow,) in ask(where, "SELECT id FROM workflow WHERE ended_ms IS NULL"):
        say(where, "kill", "-q", str(workflow))
    remove(where)


def four():
    where = store("shares-four")
    each = int((LATER + 3 * TOGETHER) * SLOTS / MEAN / 2)
    for user in "abc":
        submit(where, user, each)
    scheduler = running(where)
    time.sleep(LATER)
    three_ms = int(time.time() * 1000)
    submit(where, "d", each)
    came_ms = int(time.time() * 1000)
    time.sleep(TOGETHER)
    until_ms = int(time.time() * 1000)
    before, after = starts(where, "abc", 0, three_ms), starts(where, "abcd", came_ms, until_ms)
    print(f"three users, {LATER} s: {before} starts, Jain's index {jain(before):.4f}")
    print(f"the fourth comes, {TOGETHER} s: {after} starts, Jain's index {jain(after):.4f} (goal: 0.95)", flush=True)
    leave(where, scheduler)


def newcomer():
    where = store("shares-newcomer")
    submit(where, "a", MANY)
    scheduler = running(where)
    while sum(starts(where, "a", 0, 1 << 62)) < 2 * SLOTS:
        time.sleep(0.1)
    waits = []
    for i in range(NEW):
        submit(where, "b", 1, i)
        submitted_ms, started_ms = ask(where, "SELECT max(submitted_ms), NULL FROM workflow")[0]
        while started_ms is None:
            time.sleep(0.05)
            (started_ms,) = ask(where, "SELECT min(t.started_ms) FROM attempt t JOIN action a ON a.id = t.action JOIN workflow w ON w.id = a.workflow"
                                       " WHERE w.submitted_ms >= ? AND w.user = 'b'", submitted_ms)[0]
        waits.append((started_ms - submitted_ms) / 1000 / MEAN)
    ordered = sorted(waits)
    print(f"beside {MANY:,} of another, who comes new waits {ordered[NEW // 2]:.2f} mean actions at the median, {ordered[-1]:.2f} at most,"
          f" {waits[0]:.2f} the first time (goal: 1)", flush=True)
    leave(where, scheduler)


four()
newcomer()
