"""Running and timing programs, one after the other in turns.

The machine may be shared and noisy, so only figures that were taken in turns (A B A B ...) in one
run are compared; what is printed are medians, the range, and the median of the rounds' ratios.
"""
import os
import shutil
import statistics
import sys
import time

PINGO = os.environ["PINGO"]
WORK = os.environ["BENCH_WORK"]
TOOLS = os.environ["BENCH_TOOLS"]


def run(command, cwd, check=True):
    """Runs a command to its end.  Returns (seconds, peak resident bytes of it and its children).

    time(1) stands between: a program that this one starts itself would be booked at least our own
    memory, which Linux hands on."""
    log, peak = os.path.join(WORK, "stderr"), os.path.join(WORK, "peak")
    null = os.open(os.devnull, os.O_RDWR)
    errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    start = time.perf_counter()
    whole = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", cwd,
             "time", "-q", "-o", peak, "-f", "%M", *command]
    pid = os.posix_spawn("/bin/sh", whole, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1),
        (os.POSIX_SPAWN_DUP2, errors, 2)])
    _, status = os.waitpid(pid, 0)
    seconds = time.perf_counter() - start
    os.close(null)
    os.close(errors)
    if check and status != 0:
        with open(log, encoding="utf-8", errors="replace") as text:
            sys.exit("%s ended with status %d:\n%s" % (" ".join(command), status, text.read()[-2000:]))
    with open(peak, encoding="ascii") as text:
        return seconds, int(text.read()) * 1024


def in_turns(contestants, rounds, warm_up=True):
    """contestants: {name: function that returns what run() returns}.  Returns {name: [...]}."""
    results = {name: [] for name in contestants}
    for turn in range(rounds + (1 if warm_up else 0)):
        for name, function in contestants.items():
            result = function()
            if turn or not warm_up:
                results[name].append(result)
    return results


def seconds(results):
    return [r[0] for r in results]


def report(title, results, against):
    """Prints a line for each contestant, with its ratio to `against`."""
    print(title)
    for name, values in results.items():
        times = seconds(values)
        ratios = [a / b for a, b in zip(times, seconds(results[against]))]
        print("  %-22s %9.1f ms (%.1f to %.1f)  %6.0f MB  %5.2f x %s"
              % (name, 1000 * statistics.median(times), 1000 * min(times), 1000 * max(times),
                 max(r[1] for r in values) / 1e6, statistics.median(ratios), against))
    sys.stdout.flush()


def fresh(name):
    """An empty directory of this name."""
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def remove(path):
    # Published datasets are read-only directories where they are directories; ours are files.
    shutil.rmtree(path, ignore_errors=True)


def pingo(store, *arguments):
    """A command line of pingo for a store in this directory."""
    return [PINGO, "-C", store, *arguments]


def new_store(directory, slots=None, pool=None):
    run([PINGO, "init", *(["--pool", pool] if pool else [])], directory)
    if slots is not None:
        run(pingo(directory, "config", "executor.slots", str(slots)), directory)
