"""A generated history is run for real under a budget; then what was measured is simulated.

The simulator takes the history that the store tells (sizes and mean times as they were measured) and
the same budget.  Real times vary and real decisions come a little later, for some actions are
handed out ahead and several may end before one tick, so the two are close, not equal; in
test/unit/engine/test_agreement.c, where times do not vary, they are equal.  On the clock there is
besides what the simulator knows nothing of: a process and some commits for each submission.
"""
import json
import os
import sqlite3
import subprocess
import sys
import time

from measure import PINGO, fresh, new_store, pingo, remove

TIME_SCALE, SIZE_SCALE = 0.001, 0.0002  # a mean action takes 60 ms and makes 100 kB
RESULTS_SMALLER = 50  # results are kept for good: as large as the rest, they would soon fill the budget
PERCENT = 10
CASES = [("uniform-n", "chain"), ("zipf-h", "chain"), ("iter-n", "chain"), ("uniform-n", "lru")]
SETTINGS = {"iter-n": ["workflows=50"]}
COMMON = ["actions=200", "new=4", "previous=4"]


def say(command, cwd):
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s ended with status %d:\n%s" % (" ".join(command), done.returncode, done.stderr[-2000:]))
    return done.stdout


def make_history(directory, family):
    """Writes history.jsonl with small results, and its workflow files.  Returns the budget in bytes."""
    settings = [word for pair in SETTINGS.get(family, COMMON) for word in ("--set", pair)]
    submissions = [json.loads(line) for line in
                   say([PINGO, "generate", "--family", family, *settings], directory).splitlines()]
    wanted = {a["hash"] for s in submissions for a in s["actions"] if a.get("leaf")}
    bytes_of = {}
    for submission in submissions:
        for action in submission["actions"]:
            if "sizeBytes" in action and action["hash"] in wanted:
                action["sizeBytes"] //= RESULTS_SMALLER
            bytes_of.setdefault(action["hash"], action.get("sizeBytes", 0))
    with open(os.path.join(directory, "history.jsonl"), "w", encoding="utf-8") as lines:
        for submission in submissions:
            lines.write(json.dumps(submission) + "\n")
    say([PINGO, "generate", "--from", "history.jsonl", "--workflows", "runs", "--time-scale", str(TIME_SCALE),
         "--size-scale", str(SIZE_SCALE)], directory)
    others = sum(size for key, size in bytes_of.items() if key not in wanted)
    return int(others * SIZE_SCALE * PERCENT / 100)


def run_all(directory):
    began = time.perf_counter()
    for name in sorted(os.listdir(os.path.join(directory, "runs"))):
        say(pingo(directory, "run", "-q", os.path.join("runs", name)), directory)
    return time.perf_counter() - began


def look(directory):
    """What the store did: compute time, how many actions ran, the hashes of what went."""
    db = sqlite3.connect(os.path.join(directory, ".pingo", "pingo.db"))
    ms, ran = db.execute("SELECT sum(compute_ms), count(*) FROM dataset WHERE made_ms IS NOT NULL").fetchone()
    went = [row[0].hex() for row in db.execute("SELECT hash FROM eviction WHERE rescued_ms IS NULL")]
    db.close()
    return ms, ran, went


def simulate(directory, algorithm, budget):
    """The same of the simulator; from the store and from its export, which must give the same."""
    words = ["--json", "--algorithm", algorithm, "-b", str(budget)]
    with open(os.path.join(directory, "own.jsonl"), "w", encoding="utf-8") as lines:
        lines.write(say(pingo(directory, "history", "--export"), directory))
    own = json.loads(say(pingo(directory, "simulate", "--store", "--trace", "trace", *words), directory))[0]
    exported = json.loads(say([PINGO, "simulate", "own.jsonl", *words], directory))[0]
    if {**own, "history": ""} != {**exported, "history": ""}:
        sys.exit("simulate --store and simulate of the export differ:\n%s\n%s" % (own, exported))
    with open(os.path.join(directory, "trace"), encoding="utf-8") as lines:
        events = [json.loads(line) for line in lines]
    return own, [e["hash"] for e in events if e["event"] == "evict"]


def common(some, others):
    """How many evictions are in both, counted as often as they occur."""
    return sum(min(some.count(key), others.count(key)) for key in set(some))


def bench(family, algorithm):
    directory = fresh("agree")
    budget = make_history(directory, family)
    new_store(directory, slots=1)
    say(pingo(directory, "config", "pool.budget", str(budget)), directory)
    say(pingo(directory, "config", "decision.algorithm", algorithm), directory)
    wall = run_all(directory)
    ms, ran, went = look(directory)
    own, evicted = simulate(directory, algorithm, budget)
    both = common(went, evicted)
    print("%s, %s, budget %d %% (%.1f MB), %d submissions, %d evictions in both:" %
          (family, algorithm, PERCENT, budget / 1e6, len(os.listdir(os.path.join(directory, "runs"))), both))
    columns = (("for real", wall, ms, ran, len(went)),
               ("simulated", own["actualMs"] / 1000, own["computeMs"], own["computed"], len(evicted)))
    print("  %-10s %12s %13s %8s %12s %10s" % ("", "on the clock", "compute time", "rho", "actions ran", "evictions"))
    for name, clock, time_ms, n, victims in columns:
        print("  %-10s %10.2f s %11.2f s %8.3f %12d %10d" %
              (name, clock, time_ms / 1000, time_ms / own["idealMs"], n, victims))
    print("  %-10s %12.3f %13.3f %8s %12.3f %10.3f" %
          ("ratio", *(real / max(1e-9, other) for real, other in zip(columns[0][1:3], columns[1][1:3])), "",
           *(real / max(1, other) for real, other in zip(columns[0][3:], columns[1][3:]))), flush=True)
    remove(directory)


for case in CASES:
    bench(*case)
