"""Short commands on a real Hadoop, in turns with YARN's distributed shell, an application for each command.

Pingo's time is that of `pingo run`: each action is recorded, runs once in a container, and its output is published in the
pool in HDFS.  The shell's commands write nothing, and it gets fewer of them, for each costs a master; they are all
submitted at once.  Hadoop's jars are needed (make deps-hadoop).
"""
import json
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request

from measure import fresh, in_turns, new_store, pingo, remove, run, seconds

UP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hadoop", "up")
COUNT = int(os.environ.get("BENCH_ACTIONS", "1000"))
SHELLS = int(os.environ.get("BENCH_SHELLS", "10"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "2"))
MASTER = "org.apache.hadoop.yarn.applications.distributedshell.ApplicationMaster"


class Cluster:
    def __init__(self):
        self.directory = os.environ.get("PINGO_TEST_HADOOP")
        self.is_ours = not self.directory
        if self.is_ours:
            self.directory = fresh("hadoop")
            self.command("start", "--while", str(os.getpid()))
        self.env = dict(re.findall(r"^export (\w+)='?(.*?)'?$", self.command("env"), re.M))
        self.user = self.env["HADOOP_USER"]

    def command(self, verb, *words):
        result = subprocess.run([UP, verb, self.directory, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if result.returncode:
            print("not measured: %s" % result.stdout.decode().strip())
            sys.exit(0)
        return result.stdout.decode()

    def ask(self, method, url, body=None):
        request = urllib.request.Request("http://%s%suser.name=%s" % (url, "&" if "?" in url else "?", self.user), method=method,
                                         data=body, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            text = reply.read()
        return json.loads(text) if text else {}

    def rm(self, method, path, document=None):
        return self.ask(method, self.env["RM_HTTP"] + "/ws/v1/cluster/" + path, json.dumps(document).encode() if document is not None else None)


class Shell:
    """So many applications, all at once."""

    def __init__(self, cluster):
        self.cluster, self.n = cluster, 0

    def submit(self):
        cluster, self.n = self.cluster, self.n + 1
        path, text = "/user/bench/script%d.%d" % (os.getpid(), self.n), b"echo well\n"
        where = cluster.env["NN_HTTP"] + "/webhdfs/v1" + path
        reply = cluster.ask("PUT", where + "?op=CREATE&noredirect=true&overwrite=true")
        cluster.ask("PUT", reply["Location"][len("http://"):], text)
        status = cluster.ask("GET", where + "?op=GETFILESTATUS")["FileStatus"]
        name = cluster.rm("POST", "apps/new-application", {})["application-id"]
        environment = {"CLASSPATH": "<CPS>".join(["{{CLASSPATH}}", "./*", *cluster.env["HADOOP_JARS"].split(":")]),
                       "DISTRIBUTEDSHELLSCRIPTLOCATION": cluster.env["NN_RPC"] + path, "DISTRIBUTEDSHELLSCRIPTLEN": str(len(text)),
                       "DISTRIBUTEDSHELLSCRIPTTIMESTAMP": str(status["modificationTime"])}
        cluster.rm("POST", "apps", {
            "application-id": name, "application-name": "shell", "queue": "default", "max-app-attempts": 1, "resource": {"memory": 256, "vCores": 1},
            "am-container-spec": {"commands": {"command": "{{JAVA_HOME}}/bin/java -Xmx128m %s --container_memory 128 --container_vcores 1"
                                               " --num_containers 1 --priority 0 1><LOG_DIR>/out 2><LOG_DIR>/err" % MASTER},
                                  "environment": {"entry": [{"key": k, "value": v} for k, v in environment.items()]}}})
        return name

    def __call__(self):
        start = time.perf_counter()
        names = [self.submit() for _ in range(SHELLS)]
        for name in names:
            while (app := self.cluster.rm("GET", "apps/" + name)["app"])["state"] not in ("FINISHED", "FAILED", "KILLED"):
                time.sleep(0.2)
            assert app["finalStatus"] == "SUCCEEDED", app["diagnostics"]
        return time.perf_counter() - start, 0


class Pingo:
    def __init__(self, cluster):
        self.cluster, self.n, self.applications = cluster, 0, []

    def __call__(self):
        env, self.n = self.cluster.env, self.n + 1
        directory = fresh("run")
        with open(os.path.join(directory, "w.json"), "w", encoding="ascii") as file:
            json.dump({"name": "w", "actions": [{"id": i, "name": "a%d" % i, "type": "command-line", "shell": "sh", "resources": {"memoryMB": 64},
                                                 "command": "echo %d >output" % i} for i in range(COUNT)]}, file)
        pool = "webhdfs://%s@%s/user/bench/%d.%d" % (self.cluster.user, env["NN_HTTP"], os.getpid(), self.n)
        new_store(directory, pool=pool)
        for key, value in {"rm": env["RM_HTTP"], "fs": env["NN_RPC"], "amClasspath": env["HADOOP_JARS"], "pollSeconds": "1"}.items():
            run(pingo(directory, "config", "--no-check", "executor.hadoop." + key, value), directory)
        run(pingo(directory, "config", "--no-check", "executor", "hadoop"), directory)
        result = run(pingo(directory, "run", "-q", "w.json"), directory)
        status = subprocess.run(pingo(directory, "status", "--attempts", "--json", "last"), stdout=subprocess.PIPE, check=True).stdout
        self.applications.append(len(set(re.findall(rb'"job":"([^"]*)"', status))))
        remove(directory)
        return result


def main():
    cluster = Cluster()
    contestants = {"distributed shell": Shell(cluster), "Pingo": Pingo(cluster)}
    counts = {"distributed shell": SHELLS, "Pingo": COUNT}
    load = os.getloadavg()[0]
    results = in_turns(contestants, ROUNDS, warm_up=False)
    print("%d short commands on YARN, %d by its distributed shell; load before: %.1f on %d processors" % (COUNT, SHELLS, load, os.cpu_count()))
    rates = {name: [counts[name] / t for t in seconds(values)] for name, values in results.items()}
    for name, values in rates.items():
        print("  %-22s %7.2f a second (%.2f to %.2f), %.1f s for %d, %d MB" % (
            name, statistics.median(values), min(values), max(values), statistics.median(seconds(results[name])), counts[name],
            max(r[1] for r in results[name]) / 1e6))
    print("  Pingo's rate is %.1f x the shell's; its masters (applications) for %d commands: %s" % (
        statistics.median(a / b for a, b in zip(rates["Pingo"], rates["distributed shell"])), COUNT, contestants["Pingo"].applications))
    if cluster.is_ours:
        cluster.command("stop")
        remove(cluster.directory)


main()
