"""Trivial actions at two slots, every state durable, in turns with ninja -j2 on the same graph.

Each round has a directory of its own, and all are removed in the end: some file systems are slow
at making files where others were just removed, which would be measured with it.
"""
import json
import os
import statistics
import subprocess

import graph
from measure import fresh, in_turns, new_store, pingo, remove, report, run, seconds


class Round:
    """Runs a graph in a new directory each time."""

    def __init__(self, name, shape):
        self.name, self.shape, self.directories = name, shape, []

    def directory(self):
        self.directories.append(fresh("rate-%s-%d" % (self.name, len(self.directories))))
        graph.write(self.shape, self.directories[-1])
        return self.directories[-1]

    def remove(self):
        for directory in self.directories:
            remove(directory)


class Ninja(Round):
    def __call__(self):
        directory = self.directory()
        os.makedirs(os.path.join(directory, "o"))
        result = run(["ninja", "-j2", "--quiet"], directory)
        assert len(os.listdir(os.path.join(directory, "o"))) == len(self.shape)
        return result


class Pingo(Round):
    def __call__(self):
        directory = self.directory()
        new_store(directory, slots=2)
        result = run(pingo(directory, "run", "-q", "workflow.json"), directory)
        status = json.loads(subprocess.run(pingo(directory, "status", "last", "--json"), check=True,
                                           stdout=subprocess.PIPE).stdout)
        assert status["state"] == "FINISHED"
        assert all(a["state"] == "FINISHED" and a["attempts"] == 1 for a in status["actions"])
        return result


def bench(name, shape, rounds):
    ninja, ours = Ninja("ninja", shape), Pingo("pingo", shape)
    results = in_turns({"ninja -j2": ninja, "pingo run": ours}, rounds)
    report("%d trivial actions, %s, two at once (%d rounds in turns)" % (len(shape), name, rounds),
           results, "ninja -j2")
    theirs, mine = seconds(results["ninja -j2"]), seconds(results["pingo run"])
    print("  actions a second: ninja %.0f, pingo %.0f; pingo's rate is %.2f x ninja's (median of rounds)"
          % (len(shape) / statistics.median(theirs), len(shape) / statistics.median(mine),
             statistics.median(n / p for n, p in zip(theirs, mine))), flush=True)
    ninja.remove()
    ours.remove()


bench("flat", graph.flat(1000), 9)
bench("layered, width 100, two parents", graph.layered(1000, 100), 9)
bench("layered, width 1,000, two parents", graph.layered(10000), 3)
