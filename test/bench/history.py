"""Loading a history of 1,000,000 distinct actions and 100,000 submissions, from text and from a store."""
import json
import os
import sqlite3
import subprocess
import sys

from measure import TOOLS, WORK, fresh, in_turns, new_store, remove, report, run

SUBMISSIONS = int(os.environ.get("BENCH_SUBMISSIONS", "100000"))
NEW, OLD = 10, 5
BATCH = 5000
ROUNDS = 3


def tell(*command):
    print(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout, end="",
          flush=True)


def text():
    directory = fresh("history")
    lines = os.path.join(directory, "history.jsonl")
    tool = os.path.join(TOOLS, "bench_history")
    subprocess.run([tool, "write", lines, str(SUBMISSIONS), str(NEW), str(OLD)], check=True)
    print("from text, %.0f MB of lines" % (os.path.getsize(lines) / 1e6))
    for _ in range(ROUNDS):
        tell(tool, "read", lines)
    results = in_turns({
        "pingo": lambda: run([tool, "read", lines], directory),
        "python3, json.loads": lambda: run([sys.executable, __file__, lines], directory),
        "jq": lambda: run(["jq", "-c", "empty", lines], directory),
    }, ROUNDS, warm_up=False)
    report("the same lines, only parsed by others (%d rounds in turns)" % ROUNDS, results, "pingo")
    remove(directory)


def made(store):
    """As though every dataset had been made.  What is kept of the actions for running them is not
    needed for the history and would double the size of the database: its room is used again."""
    db = sqlite3.connect(os.path.join(store, "pingo.db"))
    db.execute("PRAGMA foreign_keys = OFF")
    with db:
        db.execute("INSERT INTO object(id, directory, mark, size_bytes) SELECT id, 0, 0,"
                   " id * 7919 % 1000000007 FROM dataset WHERE made_ms IS NULL")
        db.execute("UPDATE dataset SET made_ms = 1, object = id,"
                   " compute_ms = id * 104729 % 600000, action = NULL WHERE made_ms IS NULL")
        for table in ("claim", "dependency", "action"):
            db.execute("DELETE FROM " + table)
    db.close()


def store():
    directory = fresh("history")
    new_store(directory)
    inside = os.path.join(directory, ".pingo")
    for first in range(0, SUBMISSIONS, BATCH):
        n = min(BATCH, SUBMISSIONS - first)
        subprocess.run([os.path.join(TOOLS, "submit_many"), inside, str(n), str(NEW), str(OLD),
                        str(first)], check=True)
        made(inside)
    print("from a store, database of %.0f MB"
          % (os.path.getsize(os.path.join(inside, "pingo.db")) / 1e6))
    for _ in range(ROUNDS):
        tell(os.path.join(TOOLS, "bench_history"), "store", inside)
    remove(directory)


def parse(path):
    kept = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kept.append(len(json.loads(line)["actions"]))
    return len(kept)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        parse(sys.argv[1])
    else:
        text()
        store()
