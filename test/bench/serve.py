#!/usr/bin/env python3
"""serve.py - pingo serve: requests a second and how long they take, idle and while actions run; small submissions; memory of
1,000 streams, and the time of a clean stop with them.  Ratios within the run tell more than the figures of a loaded machine.

usage: serve.py [seconds a row]          ($PINGO names the program; wrk is needed)"""
import atexit, http.client, json, os, re, resource, select, shutil, signal, socket, subprocess, sys, tempfile, threading, time

shutil.which("wrk") or sys.exit("wrk is not installed: make deps-bench")
pingo = os.environ.get("PINGO", "build/pingo")
seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
streams = 1000
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))


def well(*words):
    return subprocess.run([pingo, "-C", base, *words], check=True, capture_output=True, text=True).stdout


def workflow(name, n, command):
    path = os.path.join(base, name + ".json")
    with open(path, "w") as out:
        json.dump({"name": name, "actions": [{"id": i, "name": f"a{i}", "type": "command-line", "command": f"{command} # {i}"} for i in range(n)]}, out)
    return path


def memory_kib(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def cpu(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wrk(what, path, connections=16, pid=None):
    pid = pid or server.pid
    before, begun = cpu(pid), time.time()
    said = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-H", f"Authorization: Bearer {token}", path if "://" in path else url + path],
                          check=True, capture_output=True, text=True).stdout
    share = (cpu(pid) - before) / (time.time() - begun)
    rate, p50, p99 = (re.search(p, said)[1] for p in (r"Requests/sec:\s+([\d.]+)", r"(?m)^\s+50%\s+(\S+)", r"(?m)^\s+99%\s+(\S+)"))
    bad = "  NOT ALL WERE ANSWERED WELL" if "Non-2xx" in said else ""
    print(f"{what:44} {float(rate):9.0f}/s  p50 {p50:>8}  p99 {p99:>8}  {1e6 * share / float(rate):6.1f} us CPU each{bad}", flush=True)
    return float(rate)


def beside_nginx(rounds=3):
    """GET of a few bytes, of us and of nginx with one worker, which takes them from its configuration, in turns."""
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if not nginx:
        return print("nginx is not installed: make deps-bench")
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    with open(os.path.join(base, "nginx.conf"), "w") as out:
        out.write("daemon off; master_process off; pid nginx.pid; error_log stderr crit; events {} http { access_log off; keepalive_requests 1000000000;"
                  + "".join(f" {part}_temp_path {part};" for part in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
                  + f" server {{ listen 127.0.0.1:{port}; return 200 ok; }} }}")
    peer = subprocess.Popen([nginx, "-p", base, "-c", "nginx.conf", "-e", "stderr"], stderr=subprocess.DEVNULL)
    while peer.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    rates = [(wrk("GET /healthz (the loop)", "/healthz"), wrk("  the same of nginx", f"http://127.0.0.1:{port}/", pid=peer.pid)) for _ in range(rounds)]
    peer.terminate()
    peer.wait()
    ratio("to nginx", *(sorted(r)[rounds // 2] for r in zip(*rates)))


def first(what, path):
    c = http.client.HTTPConnection(url.split("/")[2])
    begun = time.time()
    c.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    n = len(c.getresponse().read())
    print(f"{what:44} {1000 * (time.time() - begun):9.1f} ms, {n / 1000:.0f} kB", flush=True)


def ratio(what, a, b):
    print(f"{'  ' + what:44} {a / b:9.2f} x", flush=True)


def syncs():
    """How often a second the disk takes a few KiB for good: no submission alone can be faster."""
    with open(os.path.join(base, "sync"), "wb", buffering=0) as out:
        begun = time.time()
        for _ in range(100):
            out.write(bytes(8192))
            os.fdatasync(out.fileno())
        return 100 / (time.time() - begun)


def submissions(clients=16, each=40):
    def go(k):
        c = http.client.HTTPConnection(url.split("/")[2])
        for i in range(each):
            c.request("POST", "/v1/workflows", json.dumps({"name": "s", "actions": [{"id": 1, "name": "s", "type": "command-line", "command": f"echo {k} {i} >output"}]}),
                      {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
            answer = c.getresponse()
            answer.read()
            answer.status == 201 or sys.exit(f"a submission was answered {answer.status}")
    threads = [threading.Thread(target=go, args=(k,)) for k in range(clients)]
    begun = time.time()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    rate = clients * each / (time.time() - begun)
    print(f"{'small submissions, 16 clients, each kept':44} {rate:9.0f}/s", flush=True)
    return rate


def run_beside(rounds=5, actions=2000):
    """`pingo run` alone and while 100 clients read ten times a second each, in turns; the ratio of the medians."""
    took = {False: [], True: []}
    with open(os.path.join(base, "delay.lua"), "w") as out:
        out.write("function delay() return 100 end\n")
    for i in range(2 * rounds):
        path = workflow(f"beside{i}", actions, f"true >output; # {i}")
        readers = i % 2 and subprocess.Popen(["wrk", "-t1", "-c100", "-d600s", "-s", os.path.join(base, "delay.lua"), "-H", f"Authorization: Bearer {token}", url + "/v1/workflows"],
                                             stdout=subprocess.DEVNULL)
        begun = time.time()
        well("run", "-q", path)
        took[bool(i % 2)].append(time.time() - begun)
        if readers:
            readers.kill()
            readers.wait()
    alone, beside = (sorted(took[key])[rounds // 2] for key in (False, True))
    print(f"{f'pingo run of {actions} actions':44} {alone:9.2f} s, beside 100 that read {beside:.2f} s")
    return beside, alone


with tempfile.TemporaryDirectory(prefix="pingo-bench-") as base:
    well("init")
    well("config", "sandbox", "off")
    token = re.search(r"pingo_\w+", well("token", "create", "bench", "--role", "submitter"))[0]
    well("run", "-q", workflow("small", 10, "echo >output"))
    begun = time.time()
    server = subprocess.Popen([pingo, "-C", base, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True)
    atexit.register(lambda: server.kill())  # whichever there is
    for line in server.stderr:
        url = re.search(r"http://127\.0\.0\.1:\d+(?=/)", line)[0] if "TCP:" in line else locals().get("url")
        if line.startswith("serving"):
            break
    print(f"{'start':44} {time.time() - begun:9.2f} s,  {memory_kib(server.pid) / 1024:.1f} MiB")
    beside_nginx()
    one = wrk("GET of a submission, 16 clients", "/v1/workflows/1")
    alone = wrk("GET of a submission, 1 client", "/v1/workflows/1", 1)
    ratio("a list, to that", wrk("GET of a list, 16 clients", "/v1/workflows"), one)
    ratio("errors of a day, to that", wrk("GET of errors, 16 clients", "/v1/errors"), one)
    ratio("/metrics, to that", wrk("GET /metrics, 16 clients", "/metrics"), one)
    well("submit", workflow("many", 100000, "true >output"))
    ratio("while actions run, to idle", wrk("GET of a submission, 1 client, actions run", "/v1/workflows/1", 1), alone)
    well("kill", "2")
    for what in ("groups", "states"):
        first(f"GET {what} of 100,000 actions, first", f"/v1/workflows/2/{what}")
        wrk(f"GET {what} of 100,000 actions, 1 client", f"/v1/workflows/2/{what}", 1)
    well("submit", workflow("follow", 1, "echo begun; sleep 600"))
    time.sleep(2)
    before = memory_kib(server.pid)
    all_streams = []
    port = int(url.rsplit(":", 1)[1])
    for _ in range(streams):
        s = socket.create_connection(("127.0.0.1", port))
        s.sendall(f"GET /v1/workflows/3/actions/0/stdout?follow=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        all_streams.append(s)
    for s in all_streams:
        said = b""
        while b"begun" not in said:
            said += s.recv(4096) or sys.exit(f"a stream ended: {said}")
    after, busy, begun = memory_kib(server.pid), cpu(server.pid), time.time()
    time.sleep(seconds)
    print(f"{streams} streams{'':32} {(after - before) / 1024:9.1f} MiB, {100 * (cpu(server.pid) - busy) / (time.time() - begun):.1f} % of a core when quiet")
    begun = time.time()
    server.send_signal(signal.SIGTERM)
    left = set(all_streams)
    while left:
        for s in select.select(list(left), [], [], 10)[0]:
            if not s.recv(65536):
                left.discard(s)
                s.close()
    server.wait(20)
    print(f"clean stop with them{'':24} {time.time() - begun:9.2f} s")
    well("kill", "3")
    well("run", "-q")
    server = subprocess.Popen([pingo, "-C", base, "serve", "--port", str(port), "--no-run"], stderr=subprocess.PIPE, text=True)
    for line in server.stderr:
        if line.startswith("serving"):
            break
    ratio("beside 100 that read, to alone", *run_beside())
    ratio("submissions to what the disk syncs", submissions(), syncs())
    server.send_signal(signal.SIGTERM)
    server.wait(20)
