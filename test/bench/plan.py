"""Planning 100,000 and 1,000,000 actions that a store has never seen: is it linear, and how large?"""
import os
import statistics
import subprocess

import graph
from measure import TOOLS, fresh, in_turns, new_store, pingo, remove, run, seconds

ROUNDS = 3
SIZES = (100000, 1000000)


def main():
    directory = fresh("plan")
    new_store(directory)
    files = {}
    for nodes in SIZES:
        files[nodes] = os.path.join(directory, "%d.json" % nodes)
        graph.write_pingo(graph.layered(nodes), files[nodes])
    print("planning by the library alone: text -> workflow -> hashes -> plan")
    for nodes in SIZES:
        print(subprocess.run([os.path.join(TOOLS, "plan"), files[nodes]], check=True,
                             stdout=subprocess.PIPE, text=True).stdout, end="", flush=True)
    results = in_turns({
        nodes: (lambda path=path: run(pingo(directory, "plan", path), directory))
        for nodes, path in files.items()
    }, ROUNDS, warm_up=False)
    print("pingo plan, in an empty store (%d rounds in turns)" % ROUNDS)
    for nodes in SIZES:
        print("  %8d actions  %9.1f ms  %6.0f MB"
              % (nodes, 1000 * statistics.median(seconds(results[nodes])),
                 max(r[1] for r in results[nodes]) / 1e6))
    small, large = (statistics.median(seconds(results[nodes])) for nodes in SIZES)
    print("  10 times the actions take %.1f times as long" % (large / small))
    remove(directory)


main()
