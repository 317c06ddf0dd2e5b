"""The simulator: many small runs, and one run of 1,000,000 actions in 100,000 submissions.

Nothing else simulates such histories, so a figure stands beside what the project allows itself, and
that of a large history beside the one of a tenth of it: time should grow with what the submissions mention."""
import os

from measure import PINGO, fresh, remove, run

LARGE = int(os.environ.get("BENCH_ACTIONS", "1000000"))
ROUNDS = 3
MEGABYTES = 1000
SMALL = ["--family", "uniform-n", "--seeds", "6", "-b", "5%,10%,25%,50%",
         "--algorithm", "random,lru,most-commonly-used,largest-first,gdsf,dtr,chain,clairvoyant"]


def of_size(family, n):
    settings = {"uniform-n": "actions=%d" % n,
                "iter-n": "workflows=%d,stages-min=18,stages-max=28" % (n // 10)}[family]
    return ["--family", "%s:%s" % (family, settings), "-b", "10%", "--algorithm", "chain"]


def show(name, results, seconds):
    """The fastest round and the largest peak, and what part they are of what the project allows itself."""
    fastest, peak = min(r[0] for r in results), max(r[1] for r in results)
    print("  %-44s %8.2f s (%.2f of %d s)  %6.0f MB (%.2f of %d MB)"
          % (name, fastest, fastest / seconds, seconds, peak / 1e6, peak / 1e6 / MEGABYTES, MEGABYTES),
          flush=True)
    return fastest


def simulate(words):
    return run([PINGO, "simulate", "--csv", *words], directory)


directory = fresh("simulate")
print("histories of 2,400 actions in 300 submissions", flush=True)
show("8 algorithms, 4 budgets, 6 seeds", [simulate(SMALL) for _ in range(ROUNDS)], 10)
for family in ("iter-n", "uniform-n"):
    print("%s, one algorithm, one budget" % family, flush=True)
    tenth, whole = (
        show("%d submissions, %d actions" % (n // 10, n), [simulate(of_size(family, n))], 60)
        for n in (LARGE // 10, LARGE))
    print("  10 times the actions take %.1f times as long" % (whole / tenth), flush=True)
remove(directory)
