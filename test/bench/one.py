"""One action of a large workflow is looked at by a cold process; and one dataset with many readers is lost.

    BENCH_ACTIONS=1000000 sh run.sh one
"""
import os
import subprocess
import time

import graph
from measure import fresh, in_turns, new_store, pingo, remove, report, run

ROUNDS = 9
ACTIONS = int(os.environ.get("BENCH_ACTIONS", "1000000"))
READERS = int(os.environ.get("BENCH_READERS", "20000"))


def look(nodes):
    directory = fresh("one")
    graph.write(graph.layered(nodes), directory)
    new_store(directory)
    took, peak = run(pingo(directory, "submit", os.path.join(directory, "workflow.json")), directory)
    size = os.path.getsize(os.path.join(directory, ".pingo", "pingo.db"))
    print("%d actions, layered, are submitted: %.1f s, %.0f MB of memory, a database of %.0f MB"
          % (nodes, took, peak / 1e6, size / 1e6), flush=True)
    commands = {name: lambda words=words: run(pingo(directory, *words), directory, check=False) for name, words in {
        "version": ("--version",),
        "status": ("status", "1", "n%d" % (nodes // 2)),
        "status, by id": ("status", "1", str(nodes // 2), "--json"),
        "why": ("why", "1", "n%d" % (nodes // 2)),
        "log": ("log", "1", "n%d" % (nodes // 2)),
        "log --command": ("log", "--command", "1", "n7"),
        "path": ("path", "1", "n%d" % (nodes // 2)),
        "provenance": ("provenance", "1", "n%d" % (nodes // 2)),
    }.items()}
    commands["kill"] = kills(directory, nodes)
    report("one of %d actions (%d rounds in turns)" % (nodes, ROUNDS), in_turns(commands, ROUNDS), "version")
    remove(directory)


def kills(directory, nodes):
    """Another one of the last layer each time."""
    left = iter(range(nodes - 1, 0, -1))
    return lambda: run(pingo(directory, "kill", "1", "n%d" % next(left)), directory)


def lose(readers):
    directory = fresh("lost")
    new_store(directory, 1)
    reader = '{"id": %d, "name": "r%d", "type": "command-line", "command": "cat in/up > output; : %d",' \
             ' "parentActions": [{"id": 0, "as": "up"}]}'
    with open(os.path.join(directory, "w.json"), "w", encoding="utf-8") as text:
        text.write('{"name": "w", "actions": [{"id": 0, "name": "up", "type": "command-line",'
                   ' "command": "echo up > output"},\n%s]}\n'
                   % ",\n".join(reader % (i, i, i) for i in range(1, readers + 1)))
    run(pingo(directory, "run", "-q", "-t", "up", "w.json"), directory)
    run(pingo(directory, "submit", "w.json"), directory)
    found = subprocess.run(pingo(directory, "path", "1", "up"), check=True, capture_output=True, text=True)
    os.unlink(found.stdout.strip())
    took, _ = run(pingo(directory, "tick"), directory)
    print("%d readers of a lost input are planned again by one tick: %.2f s" % (readers, took), flush=True)
    remove(directory)


start = time.perf_counter()
lose(READERS)
look(ACTIONS)
print("  (%.0f s in all)" % (time.perf_counter() - start))
