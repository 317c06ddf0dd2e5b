"""A decision among 1,000,000 stored datasets: all that the history knows, and half of it."""
import os
import subprocess

from measure import TOOLS

STORED = int(os.environ.get("BENCH_DATASETS", "1000000"))
VICTIMS = 1000

for known in (STORED, 2 * STORED):
    print("a decision that picks %d of %d stored datasets, %d known; in brackets: of what is allowed"
          % (VICTIMS, STORED, known), flush=True)
    subprocess.run([os.path.join(TOOLS, "bench_decide"), str(STORED), str(VICTIMS), str(known)],
                   check=True)
