"""Trivial actions at two slots, every state durable, in turns with ninja -j2 on the same graph."""
import json
import os
import statistics
import subprocess

import graph
from measure import fresh, in_turns, new_store, pingo, remove, report, run, seconds


def by_ninja(shape):
    directory = fresh("rate-ninja")
    graph.write(shape, directory)
    os.makedirs(os.path.join(directory, "o"))
    result = run(["ninja", "-j2", "--quiet"], directory)
    assert len(os.listdir(os.path.join(directory, "o"))) == len(shape)
    return result


def by_pingo(shape):
    directory = fresh("rate-pingo")
    graph.write(shape, directory)
    new_store(directory, slots=2)
    result = run(pingo(directory, "run", "-q", os.path.join(directory, "workflow.json")), directory)
    status = json.loads(subprocess.run(pingo(directory, "status", "last", "--json"), check=True,
                                       stdout=subprocess.PIPE).stdout)
    assert status["state"] == "FINISHED"
    assert all(a["state"] == "FINISHED" and a["attempts"] == 1 for a in status["actions"])
    return result


def bench(name, shape, rounds):
    results = in_turns({"ninja -j2": lambda: by_ninja(shape), "pingo run": lambda: by_pingo(shape)},
                       rounds)
    report("%d trivial actions, %s, two at once (%d rounds in turns)" % (len(shape), name, rounds),
           results, "ninja -j2")
    rates = {key: len(shape) / statistics.median(seconds(values)) for key, values in results.items()}
    ratios = [n / p for n, p in zip(seconds(results["ninja -j2"]), seconds(results["pingo run"]))]
    print("  actions a second: ninja %.0f, pingo %.0f; pingo's rate is %.2f x ninja's (median of rounds)"
          % (rates["ninja -j2"], rates["pingo run"], statistics.median(ratios)), flush=True)
    remove(fresh("rate-ninja"))
    remove(fresh("rate-pingo"))


bench("flat", graph.flat(1000), 9)
bench("layered, width 1,000, two parents", graph.layered(10000), 3)
