"""Submissions to a real slurmrestd, in turns with curl on one kept-alive connection.

All nodes are busy, so nothing starts.  Pingo's time is from its start (it plans the workflow, records each attempt and
arms it in the pool) to the moment at which Slurm's controller has taken the last one, by its log; "while it submits" is
from the first one on.  Slurm's packages are needed (make deps-slurm).
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

from measure import fresh, in_turns, new_store, pingo, remove, report, run

HERE = os.path.dirname(os.path.abspath(__file__))
CLUSTER = os.path.join(HERE, "..", "slurm", "cluster")
COUNT = int(os.environ.get("BENCH_SUBMISSIONS", "1000"))
TAKEN = re.compile(r"^\[([\d-]+T[\d:]+\.\d+)\] _slurm_rpc_submit_batch_job: JobId=", re.M)
BODY = {"script": "#!/bin/sh\nexec /bin/true\n",
        "job": {"name": "bare", "environment": {"PATH": "/bin"}, "current_working_directory": "/", "tasks": 1,
                "standard_output": "/dev/null", "standard_error": "/dev/null", "memory_per_node": 10}}
# The same in v0.0.40 and later.
LATER = {"job": {**BODY["job"], "script": BODY["script"], "environment": ["PATH=/bin"],
                 "memory_per_node": {"set": True, "infinite": False, "number": 10}}}


class Cluster:
    def __init__(self):
        self.directory = fresh("slurm")
        self.command("up", "--while", str(os.getpid()))
        self.env = dict(re.findall(r"^export (\w+)='?(.*?)'?$", self.command("env"), re.M))
        os.environ["SLURM_CONF"] = self.env["SLURM_CONF"]
        self.socket = self.env["REST_UNIX"][len("unix:"):]
        self.log = os.path.join(self.directory, "log", "controller")
        self.fill()

    def fill(self):
        """All nodes are busy."""
        subprocess.run(["sbatch", "--parsable", "--exclusive", "--nodes=3", "--output=/dev/null", "--wrap",
                        "sleep 100000"], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def command(self, verb, *words):
        result = subprocess.run([CLUSTER, verb, self.directory, *words], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False)
        if result.returncode:
            print("not measured: %s" % result.stdout.decode().strip())
            sys.exit(0)
        return result.stdout.decode()

    def taken(self, since):
        """When the controller took submissions, in seconds since 1970."""
        with open(self.log, "rb") as log:
            log.seek(since)
            times = TAKEN.findall(log.read().decode(errors="replace"))
        return [time.mktime(time.strptime(t[:19], "%Y-%m-%dT%H:%M:%S")) + float(t[19:]) for t in times]

    def empty(self):
        subprocess.run(["scancel", "--me"], check=True)
        self.command("wipe")
        self.fill()


class Curl:
    """So many requests by one process, one after the other."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.config = os.path.join(cluster.directory, "curl")
        api = cluster.env["REST_API"]
        request = ['unix-socket = "%s"' % cluster.socket, "url = http://localhost/slurm/%s/job/submit" % api,
                   'header = "Content-Type: application/json"', 'header = "X-SLURM-USER-NAME: %s"' %
                   cluster.env["REST_USER"], "data = " + json.dumps(json.dumps(BODY if api <= "v0.0.38" else LATER)), "output = /dev/null"]
        with open(self.config, "w", encoding="ascii") as file:
            file.write("\nnext\n".join(["\n".join(request)] * COUNT) + "\n")

    def __call__(self):
        before = os.path.getsize(self.cluster.log)
        result = run(["curl", "-sS", "-K", self.config], self.cluster.directory)
        assert len(self.cluster.taken(before)) == COUNT
        self.cluster.empty()
        return result


class Pingo:
    def __init__(self, cluster, bundle):
        self.cluster, self.bundle, self.rates, self.calls = cluster, bundle, [], 0

    def submitted(self, since):
        """Of all actions: the times at which submissions were taken."""
        listed = subprocess.run(["squeue", "-h", "-r", "-t", "PENDING", "-o", "%i"], stdout=subprocess.PIPE, check=True).stdout
        return self.cluster.taken(since) if len(listed.split()) >= COUNT else None

    def __call__(self):
        directory = fresh("submit")
        with open(os.path.join(directory, "w.json"), "w", encoding="ascii") as file:
            json.dump({"name": "w", "actions": [{"id": i, "name": "a%d" % i, "type": "command-line", "shell": "sh",
                                                 "command": "echo %d >output" % i} for i in range(COUNT)]}, file)
        new_store(directory, slots=2)
        for key, value in {"executor": "slurm", "executor.slurm.url": self.cluster.env["REST_UNIX"],
                           "executor.slurm.bundle": str(self.bundle), "executor.slurm.maxJobs": str(COUNT)}.items():
            run(pingo(directory, "config", "--no-check", key, value), directory)
        before, start, times = os.path.getsize(self.cluster.log), time.time(), None
        with subprocess.Popen(pingo(directory, "run", "-q", "w.json"), cwd=directory,
                              stderr=subprocess.DEVNULL) as process:
            while not times and process.poll() is None:
                time.sleep(0.2)
                times = self.submitted(before)
            process.send_signal(signal.SIGKILL)
        assert times, "not all were submitted"
        self.calls = len(times)
        if self.calls > 1:
            self.rates.append(COUNT / max(0.001, times[-1] - times[0]))
        self.cluster.empty()
        remove(directory)
        return times[-1] - start, 0


def main():
    cluster = Cluster()
    contestants = {"curl": Curl(cluster), "Pingo, a job each": Pingo(cluster, 1),
                   "Pingo, arrays": Pingo(cluster, 1000)}
    results = in_turns(contestants, 3, warm_up=False)
    report("%d submissions to slurmrestd" % COUNT, results, "curl")
    for name, values in results.items():
        print("  %-20s %6.0f a second" % (name, COUNT / sorted(v[0] for v in values)[1]))
    for name, contestant in contestants.items():
        rates = sorted(getattr(contestant, "rates", []))
        if rates:
            print("  %-20s %6.0f a second while it submits, in %d submissions" %
                  (name, rates[len(rates) // 2], contestant.calls))
    cluster.command("down")
    remove(cluster.directory)


main()
