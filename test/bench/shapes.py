"""A chain of 100,000 actions, and one action with 100,000 parents: nothing may recurse by depth,
or be quadratic in a row's length."""
import os

import graph
from measure import TOOLS, fresh, new_store, pingo, remove, run


def bench(name, shape, complete):
    directory = fresh("shapes")
    graph.write(shape, directory)
    new_store(directory)
    workflow = os.path.join(directory, "workflow.json")
    print("%s, %d actions" % (name, len(shape)))

    def step(what, command):
        took, peak = run(command, directory)
        print("  %-36s %9.1f ms  %6.0f MB" % (what, 1000 * took, peak / 1e6), flush=True)

    step("pingo validate", pingo(directory, "validate", workflow))
    step("pingo plan, all new", pingo(directory, "plan", workflow))
    if complete:
        step("computed by an executor of small files",
             [os.path.join(TOOLS, "prepare"), os.path.join(directory, ".pingo"), workflow])
        step("pingo run, nothing to do", pingo(directory, "run", "-q", workflow))
    else:
        step("pingo submit, all new", pingo(directory, "submit", workflow))
        step("pingo submit, all known", pingo(directory, "submit", workflow))
        step("pingo kill", pingo(directory, "kill", "1"))
    remove(directory)


bench("one action with 100,000 parents", graph.fan(100001), True)
bench("chain", graph.chain(100000), False)
