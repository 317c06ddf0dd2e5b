"""A chain of 100,000 actions, and one action with 100,000 parents: nothing may recurse by depth,
or be quadratic in a row's length."""
import os
import statistics

import graph
from measure import TOOLS, fresh, new_store, pingo, remove, run, seconds


def bench(name, shape, complete):
    directory = fresh("shapes")
    graph.write(shape, directory)
    new_store(directory)
    workflow = os.path.join(directory, "workflow.json")
    print("%s, %d actions" % (name, len(shape)))

    def step(what, command, times=1):
        results = [run(command, directory) for _ in range(times)]
        print("  %-42s %9.1f ms  %6.0f MB" % (what, 1000 * statistics.median(seconds(results)),
                                             max(r[1] for r in results) / 1e6), flush=True)

    step("pingo validate", pingo(directory, "validate", workflow))
    step("pingo plan, all new", pingo(directory, "plan", workflow))
    if complete:
        step("computed by an executor of small files",
             [os.path.join(TOOLS, "prepare"), os.path.join(directory, ".pingo"), workflow])
        step("pingo run, nothing to do, the first time", pingo(directory, "run", "-q", workflow))
        step("pingo run, nothing to do, 5 times more", pingo(directory, "run", "-q", workflow), 5)
    else:
        step("pingo submit, all new", pingo(directory, "submit", workflow))
        step("pingo submit, all being computed", pingo(directory, "submit", workflow))
        step("pingo kill", pingo(directory, "kill", "1"))
    remove(directory)


bench("one action with 100,000 parents", graph.fan(100001), True)
bench("chain", graph.chain(100000), False)
