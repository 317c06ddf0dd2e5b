"""How good the algorithms are: rho of each on each workload, and how far the default is from the best.

Under the conditions of the engine (it decides whenever a dataset is published, results count), and under those
of the thesis (at the end of a workflow, results outside).  BENCH_TRACES: a directory with recorded runs in
WfFormat, one application a directory; those are submitted in each of the five ways as well.
BENCH_SEEDS: how many histories of each workload, 3 by default."""
import glob
import json
import os
import subprocess
import sys

from measure import PINGO, WORK, fresh, remove

SEEDS = int(os.environ.get("BENCH_SEEDS", "3"))
TRACES = os.environ.get("BENCH_TRACES")
FAMILIES = ("uniform-n", "uniform-h", "recent-h", "zipf-h", "iter-n", "iter-h")
KINDS = ("growth", "sweep", "users", "code-change", "targets")
CONDITIONS = (("as the engine does it", []),
              ("at the end of a workflow, results outside",
               ["--decide", "workflow-end", "--leaves", "outside"]))
DEFAULT, BESIDES = "chain", ("clairvoyant", "bound")


def say(*command):
    done = subprocess.run([PINGO, *command], cwd=WORK, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit("%s ended with status %d:\n%s" % (" ".join(command), done.returncode, done.stderr))
    return done.stdout


def import_runs(directory):
    """{name: histories} of the runs of each application, and of all together."""
    files = {}
    for name in sorted(os.listdir(TRACES)):
        found = sorted(glob.glob(os.path.join(TRACES, name, "**", "*.json"), recursive=True))
        if found:
            files[name] = found
    files["all"] = [file for found in files.values() for file in found]
    workloads = {}
    for name, found in files.items():
        for kind in KINDS:
            histories = [os.path.join(directory, "%s-%s-%d.jsonl" % (name, kind, seed))
                         for seed in range(1, SEEDS + 1)]
            for seed, history in enumerate(histories, 1):
                say("import", "wfformat", "--as", kind, "--seed", str(seed), "-o", history, *found)
            workloads["%s, %s" % (name, kind)] = ["--together", *histories]
    return workloads


def mean_rho(words):
    """{algorithm: mean of rho over budgets and seeds}, and the bound's."""
    names = [algorithm["name"] for algorithm in json.loads(say("decide", "--list", "--json"))]
    rows = json.loads(say("simulate", "--json", "--bound", "-b", "2%,5%,10%",
                          "--algorithm", ",".join([*names, "clairvoyant"]), *words))
    found = {}
    for row in rows:
        found.setdefault(row["algorithm"], []).append(row["rho"])
        if row["algorithm"] == DEFAULT and row["boundMs"] is not None:
            found.setdefault("bound", []).append(row["boundMs"] / max(1, row["idealMs"]))
    return {name: sum(values) / len(values) for name, values in found.items()}


def show(workloads, words):
    head = None
    for name, which in workloads.items():
        rho = mean_rho([*which, *words])
        if head is None:
            head = list(rho)
            print("  %-24s %s  %s against the best other" %
                  ("", " ".join("%*s" % (max(6, len(a)), a) for a in head), DEFAULT))
        best = min(value for a, value in rho.items() if a != DEFAULT and a not in BESIDES)
        print("  %-24s %s  %+.1f %%" %
              (name, " ".join("%*.3f" % (max(6, len(a)), rho.get(a, float("nan"))) for a in head),
               100 * (rho[DEFAULT] / best - 1)), flush=True)


directory = fresh("algorithms")
workloads = {name: ["--family", name, "--seeds", str(SEEDS)] for name in FAMILIES}
if TRACES:
    workloads.update(import_runs(directory))
for title, words in CONDITIONS:
    print("rho, the mean of budgets of 2, 5 and 10 %% and of %d seeds; decisions %s" % (SEEDS, title))
    show(workloads, words)
remove(directory)
