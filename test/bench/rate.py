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
    """sandbox None: the default.  shell None: Pingo's, which costs more than that of make and ninja."""

    def __init__(self, name, shape, sandbox=None, shell="sh"):
        super().__init__("%s-%s-%s" % (name, sandbox, shell), shape)
        self.sandbox, self.shell = sandbox, shell

    def __call__(self):
        directory = self.directory()
        graph.write_pingo(self.shape, os.path.join(directory, "workflow.json"), self.shell)
        new_store(directory, slots=2)
        if self.sandbox:
            run(pingo(directory, "config", "sandbox", self.sandbox), directory)
        result = run(pingo(directory, "run", "-q", "workflow.json"), directory)
        status = json.loads(subprocess.run(pingo(directory, "status", "last", "--json"), check=True,
                                           stdout=subprocess.PIPE).stdout)
        assert status["state"] == "FINISHED"
        assert all(a["state"] == "FINISHED" and a["attempts"] == 1 for a in status["actions"])
        assert all(a["confined"] is False for a in status["actions"]) or self.sandbox != "off"
        return result


def ratio(results, of, to):
    """How much faster the first is, in the middle of all rounds."""
    return statistics.median(b / a for a, b in zip(seconds(results[of]), seconds(results[to])))


def bench(name, shape, rounds):
    runs = {"ninja -j2": Ninja("ninja", shape), "pingo run": Pingo("pingo", shape),
            "pingo, sandbox off": Pingo("pingo", shape, sandbox="off"),
            "pingo, bash": Pingo("pingo", shape, shell=None)}
    results = in_turns(runs, rounds)
    report("%d trivial actions, %s, two at once (%d rounds in turns)" % (len(shape), name, rounds),
           results, "ninja -j2")
    theirs, mine = seconds(results["ninja -j2"]), seconds(results["pingo run"])
    print("  actions a second: ninja %.0f, pingo %.0f; pingo's rate is %.2f x ninja's, "
          "%.2f x its own without the sandbox; with bash %.2f x ninja's (medians of rounds)"
          % (len(shape) / statistics.median(theirs), len(shape) / statistics.median(mine),
             ratio(results, "pingo run", "ninja -j2"), ratio(results, "pingo run", "pingo, sandbox off"),
             ratio(results, "pingo, bash", "ninja -j2")), flush=True)
    for each in runs.values():
        each.remove()


bench("flat", graph.flat(1000), 9)
bench("layered, width 100, two parents", graph.layered(1000, 100), 9)
bench("layered, width 1,000, two parents", graph.layered(10000), 3)
