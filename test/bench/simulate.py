"""The simulator: many small runs, and one run of 1,000,000 actions in 100,000 submissions.

Nothing else simulates such histories, so a figure stands beside what is allowed, and that of a large
history beside the one of a tenth of it: time should grow with what the submissions mention."""
import os

from measure import PINGO, fresh, in_turns, remove, run

LARGE = int(os.environ.get("BENCH_ACTIONS", "1000000"))
ROUNDS = 3
SMALL = ["-f", "uniform-n", "--seeds", "6", "-b", "5%,10%,25%,50%",
         "-a", "random,lru,most-commonly-used,largest-first,gdsf,dtr,chain,clairvoyant"]


def of_size(family, n):
    settings = {"uniform-n": "actions=%d" % n,
                "iter-n": "workflows=%d,stages-min=18,stages-max=28" % (n // 10)}[family]
    return ["-f", "%s:%s" % (family, settings), "-b", "10%", "-a", "chain"]


def show(name, results, seconds, megabytes):
    """The fastest round and the largest peak, and what part they are of what is allowed."""
    fastest, peak = min(r[0] for r in results), max(r[1] for r in results)
    print("  %-44s %8.2f s (%.2f of what is allowed)  %6.0f MB (%.2f)"
          % (name, fastest, fastest / seconds, peak / 1e6, peak / 1e6 / megabytes), flush=True)
    return fastest


def simulate(words):
    return lambda: run([PINGO, "simulate", "--csv", *words], directory)


directory = fresh("simulate")
results = in_turns({"small": simulate(SMALL)}, ROUNDS, warm_up=False)
print("histories of 2,400 actions in 300 submissions", flush=True)
show("8 algorithms, 4 budgets, 6 seeds", results["small"], 10, 1000)
for family in ("iter-n", "uniform-n"):
    print("%s, one algorithm, one budget" % family, flush=True)
    tenth, whole = (
        show("%d submissions, %d actions" % (n // 10, n),
             in_turns({"it": simulate(of_size(family, n))}, 1, warm_up=False)["it"], 60, 1000)
        for n in (LARGE // 10, LARGE))
    print("  10 times the actions take %.1f times as long" % (whole / tenth), flush=True)
remove(directory)
