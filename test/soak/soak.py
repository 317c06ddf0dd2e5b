#!/usr/bin/python3
"""Crashes and races, again and again: soak.py [SECONDS [SEED]].

Each round makes a random workflow, lets several schedulers run it and a second submission of it at
once, and meanwhile sends INT, TERM, KILL, STOP and later CONT to schedulers, supervisors and workers
at random moments.  Then one last `pingo run` must end as if nothing had happened: every action FINISHED, the result right to the byte, fsck
clean, and no action run more often than the kills explain.  The first broken promise ends it, and
leaves the round's directory and seed for a look; with PINGO_SOAK_KEEP set, its processes as well.
$PINGO names the program.
"""
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PINGO = os.path.abspath(os.environ.get("PINGO", "build/pingo"))
LIMIT = 600  # seconds that one command may take: for what hangs, not for what is slow


def pingo(where, *words, check=True):
    done = subprocess.run([PINGO, *words], cwd=where, stdin=subprocess.DEVNULL, timeout=LIMIT,
                          capture_output=True, text=True)
    if check and done.returncode != 0:
        raise AssertionError(f"pingo {' '.join(words)}: {done.returncode}\n{done.stderr}")
    return done.stdout


def make_workflow(rng, where):
    """A random DAG; every action notes that it ran.  Returns what each output must be."""
    actions, expected = [], {}
    for number in range(1, rng.randint(20, 120) + 1):
        parents = sorted(rng.sample(range(1, number), min(number - 1, rng.randint(0, 3))))
        roles = [f"p{i}" for i in range(len(parents))]
        nap = rng.choice(["", "", "", "sleep 0.05; ", "sleep 0.3; "])
        command = (f"echo {number} >>'{where}/ran'; {nap}"
                   f"cat {' '.join('in/' + r for r in roles) or '/dev/null'} | sha256sum >output; "
                   f"echo {number} >>output")
        actions.append({"id": number, "name": f"a{number}", "type": "command-line", "command": command,
                        "parentActions": [{"id": p, "as": r} for p, r in zip(parents, roles)]})
        digest = hashlib.sha256(b"".join(expected[p] for p in parents)).hexdigest()
        expected[number] = f"{digest}  -\n{number}\n".encode()
    with open(f"{where}/w.json", "w", encoding="utf-8") as file:
        json.dump({"name": "soak", "actions": actions}, file)
    return expected


def helpers(where, name=b"pingo-"):
    """The helper processes of this name that work for a store below a directory."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read()
        except OSError:
            continue
        first = words.split(b"\0")[0]
        if os.path.basename(first).startswith(name) and os.fsencode(where) in words:
            found.append(int(pid))
    # A worker's child is called as it is until it is the command: killed then, the command was ended.
    return [pid for pid in found if parent(pid) not in found or name != b"pingo-worker"]


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def end_all(where):
    """Ends whatever still works in a directory or for its store."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd").startswith(where):
                kill(int(pid), signal.SIGKILL)
        except OSError:
            continue
    for pid in helpers(where):
        kill(pid, signal.SIGKILL)


def go_on(stopped, everybody=False):
    """Continues those whose time has come."""
    for at, pid in list(stopped):
        if everybody or time.monotonic() >= at:
            kill(pid, signal.SIGCONT)
            stopped.remove((at, pid))


def disturb(rng, where, runners, stopped):
    """One blow.  Returns how many attempts it may have cost, at most."""
    kind = rng.random()
    if kind < 0.2:
        victims = helpers(where, b"pingo-supervisor")
    elif kind < 0.4:
        victims = helpers(where, b"pingo-worker")
    else:
        victims = [r.pid for r in runners if r.poll() is None]
    if not victims:
        return 0
    victim = rng.choice(victims)
    blow = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGINT, signal.SIGTERM,
                       signal.SIGSTOP, signal.SIGSTOP])
    kill(victim, blow)
    if blow == signal.SIGSTOP:
        stopped.append((time.monotonic() + rng.choice([0.05, 0.3, 1, 6]), victim))
    return 1


def run_round(rng, where):
    pingo(where, "init")
    slots = rng.randint(1, 4)
    pingo(where, "config", "executor.slots", str(slots))
    pingo(where, "config", "sandbox", "off")  # commands note outside that they ran
    expected = make_workflow(rng, where)
    workflow = pingo(where, "submit", "w.json").strip()
    second = pingo(where, "submit", "w.json").strip()
    runners, stopped, blows = [], [], 0
    with open(f"{where}/said", "w", encoding="utf-8") as said:
        for _ in range(rng.randint(2, 16)):
            while sum(r.poll() is None for r in runners) < rng.randint(1, 4):
                which = rng.choice([[workflow], [workflow], [second], [], ["--all"]])
                runners.append(subprocess.Popen([PINGO, "run", "-q", *which], cwd=where, stdout=said,
                                                stderr=said, stdin=subprocess.DEVNULL))
            time.sleep(rng.uniform(0, 0.4))
            blows += disturb(rng, where, runners, stopped)
            go_on(stopped)
        go_on(stopped, everybody=rng.random() < 0.7)
        for runner in runners:
            if rng.random() < 0.5 and runner.poll() is None:
                runner.kill()
                blows += 1
        while stopped:
            time.sleep(0.05)
            go_on(stopped)
        for runner in runners:
            runner.wait(LIMIT)
    pingo(where, "run", "-q", workflow, second)
    check_round(where, workflow, expected, blows * slots)
    return len(expected), blows


def check_round(where, workflow, expected, spare):
    status = json.loads(pingo(where, "status", workflow, "--json"))
    assert status["state"] == "FINISHED", f"the workflow is {status['state']}"
    wrong = [a["name"] for a in status["actions"] if a["state"] != "FINISHED"]
    assert not wrong, f"not FINISHED: {wrong}"
    for action, text in expected.items():
        with open(pingo(where, "path", workflow, str(action)).strip(), "rb") as file:
            assert file.read() == text, f"the output of {action} is wrong"
    findings = json.loads(pingo(where, "fsck", "--json"))
    assert findings["clean"], f"fsck: {findings['findings']}"
    with open(f"{where}/ran", encoding="ascii") as file:
        runs = file.read().split()
    missing = set(map(str, expected)) - set(runs)
    assert not missing, f"never run: {missing}"
    assert len(runs) - len(expected) <= spare, f"{len(runs)} runs of {len(expected)} actions, {spare} explained"
    again = json.loads(pingo(where, "plan", "--json", "w.json"))["summary"]
    assert again["compute"] == 0, f"a plan would compute {again['compute']} again"


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 1000000
    end, rounds, actions, blows = time.monotonic() + seconds, 0, 0, 0
    while rounds == 0 or time.monotonic() < end:
        where = tempfile.mkdtemp(prefix="pingo-soak-")
        try:
            did = run_round(random.Random(seed), where)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            print(f"seed {seed}: {error}\nthe round is kept in {where}", file=sys.stderr)
            if not os.environ.get("PINGO_SOAK_KEEP"):
                end_all(where)
            return 1
        end_all(where)
        subprocess.run(["chmod", "-R", "u+w", where], check=False)
        shutil.rmtree(where, ignore_errors=True)
        rounds, actions, blows, seed = rounds + 1, actions + did[0], blows + did[1], seed + 1
        print(f"seed {seed - 1}: well; {rounds} rounds, {actions} actions, {blows} blows so far", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
