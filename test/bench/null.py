"""A workflow of 100,000 actions is run again with nothing to do, in turns with make and ninja."""
import os

import graph
from measure import TOOLS, fresh, in_turns, new_store, pingo, remove, report, run

ROUNDS = 9


def bench(nodes):
    directory = fresh("null")
    shape = graph.layered(nodes)
    graph.write(shape, directory)
    graph.make_up_to_date(shape, directory)
    new_store(directory)
    workflow = os.path.join(directory, "workflow.json")
    took, peak = run([os.path.join(TOOLS, "prepare"), os.path.join(directory, ".pingo"), workflow], directory)
    print("%d actions were computed by an executor that makes small files at once: %.1f s, %.0f MB"
          % (nodes, took, peak / 1e6), flush=True)
    # None of them may have anything to do.
    run(["make", "-q"], directory)
    run(["sh", "-c", "ninja -n | grep -q 'no work to do'"], directory)
    run(pingo(directory, "plan", "--check", workflow), directory)
    changed = os.path.join(directory, "changed.json")
    with open(workflow, encoding="utf-8") as text, open(changed, "w", encoding="utf-8") as copy:
        copy.write(text.read())

    def submit_changed():
        """The same actions in a text that the store has not seen: it must be parsed and hashed."""
        with open(changed, "a", encoding="utf-8") as text:
            text.write("\n")
        return run(pingo(directory, "submit", changed), directory)

    results = in_turns({
        "make": lambda: run(["make"], directory),
        "pingo run": lambda: run(pingo(directory, "run", "-q", workflow), directory),
        "pingo submit": lambda: run(pingo(directory, "submit", workflow), directory),
        "pingo submit, new text": submit_changed,
        "ninja": lambda: run(["ninja"], directory),
    }, ROUNDS)
    report("nothing to do, %d actions, layered, width 1,000, two parents (%d rounds in turns)"
           % (nodes, ROUNDS), results, "make")
    remove(directory)


bench(100000)
