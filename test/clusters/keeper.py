"""What the scripts that start a real cluster on this machine share (test/slurm/cluster, test/hadoop/up).

One process, the keeper, is the parent of all daemons of a cluster, adopts what its children leave behind, and so ends
what it started and nothing else.  All that a cluster keeps is in one directory, all that it listens on is on 127.0.0.1
and there, so several stand side by side.
"""
import ctypes
import json
import os
import random
import signal
import socket
import sys
import time

LIMIT = 300  # seconds until what was started must answer, and all must have ended


class Failure(Exception):
    pass


def wait_until(what, condition, seconds=LIMIT):
    end, nap = time.monotonic() + seconds, 0.01
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(nap)
        nap = min(nap * 1.3, 0.2)


# ---- processes, by their parents ------------------------------------------------------------------------------

def parents():
    """pid => its parent's, of all processes that are not dead."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state not in "ZX":
            found[int(name)] = int(parent)
    return found


def below(*roots):
    """All descendants of these processes."""
    of = parents()
    found, todo = set(), set(roots)
    while todo:
        todo = {pid for pid, parent in of.items() if parent in todo} - found
        found |= todo
    return found


def send(sign, pids):
    for pid in pids:
        try:
            os.kill(pid, sign)
        except ProcessLookupError:
            pass


def said_in(path, key):
    """The sum of the lines `key: N kB` of a file of /proc."""
    try:
        with open(path, encoding="ascii") as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(key + ":"))
    except (OSError, ValueError):
        return 0


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def open_files(pid):
    found = set()
    try:
        names = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return found
    for name in names:
        try:
            found.add(os.readlink(f"/proc/{pid}/fd/{name}"))
        except OSError:
            pass  # it was closed meanwhile
    return found


# ---- the cluster, as it is on disk ----------------------------------------------------------------------------

class Cluster:
    """A directory; whoever calls the script has one, and so has the keeper."""

    def __init__(self, directory):
        self.dir = os.path.abspath(directory)
        self.socket = f"{self.dir}/run/keeper.sock"

    def read(self, name):
        with open(f"{self.dir}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()

    def write(self, name, data, mode=0o600):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with os.fdopen(os.open(f"{self.dir}/{name}", flags, mode), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def ports(self):
        """name => port."""
        return json.loads(self.read("etc/ports"))

    def ask(self, *words):
        """The keeper's answer."""
        with socket.socket(socket.AF_UNIX) as conn:
            conn.settimeout(4 * LIMIT)
            try:
                conn.connect(self.socket)
            except OSError as error:
                raise Failure(f"{self.dir}: no cluster is up there") from error
            try:
                conn.sendall(json.dumps(words).encode())
                conn.shutdown(socket.SHUT_WR)
                answer = b"".join(iter(lambda: conn.recv(65536), b""))
            except ConnectionError:
                answer = b""
        if not answer:
            raise Failure(f"{self.dir}: its keeper is gone")
        ok, text = json.loads(answer)
        if not ok:
            raise Failure(text)
        return text

    def is_up(self):
        try:
            self.ask("ping")
        except Failure:
            return False
        return True

    def must_be_startable(self):
        if len(self.dir) > 80:
            raise Failure(f"{self.dir}: too long for the names of sockets; at most 80 bytes")
        if self.is_up():
            raise Failure(f"{self.dir}: a cluster is up there")
        os.makedirs(self.dir, exist_ok=True)


# ---- the keeper -----------------------------------------------------------------------------------------------

class Keeper:
    """The parent of all daemons of a cluster.  A kind of cluster says: configure(), names() of its daemons in the order
    of their start, command(name), answers(name), is_of(name, pid) for what a node runs, and what `verbs` it has
    besides."""

    verbs = ()
    nodes = ()     # names whose processes `lose` ends
    awaited = ()   # daemons that others talk to at once: they must answer before the next is started
    gentle = ()    # daemons that write down what they know when they are asked to end

    def __init__(self, cluster, options):
        self.cluster, self.options = cluster, options
        self.pids = {}  # name => pid
        self.reserved = []

    def reserve_ports(self, names):
        """Ports that no other cluster takes, and, being below those that the kernel gives to connections, nothing
        else soon.  Names in the abstract space hold them, as long as this process lives."""
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
            first = int(file.read().split()[0])
        ports = list(range(10000, max(first, 30000)))
        random.shuffle(ports)
        found = {}
        for name in names:
            while name not in found:
                if not ports:
                    raise Failure("there are no free ports")
                port, held = ports.pop(), socket.socket(socket.AF_UNIX)
                try:
                    held.bind(f"\0pingo-port-{port}")
                    with socket.socket() as probe:
                        probe.bind(("127.0.0.1", port))
                except OSError:
                    held.close()
                    continue
                self.reserved.append(held)
                found[name] = port
        return found

    # ---- daemons ----

    def reap(self):
        try:
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                self.pids = {name: p for name, p in self.pids.items() if p != pid}
        except ChildProcessError:
            pass

    def launch(self, name):
        self.reap()
        if name in self.pids:
            raise Failure(f"{name} runs")
        words, env = self.command(name)
        log = os.open(f"{self.cluster.dir}/log/{name}.out", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        null = os.open("/dev/null", os.O_RDONLY)
        # Should this process be killed, nothing is left without a parent.
        words = ["/usr/bin/setpriv", "--pdeathsig", "KILL", *words]
        self.pids[name] = os.posix_spawn(words[0], words, env, setsid=True, file_actions=[
            (os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)])
        os.close(log)
        os.close(null)

    def await_answer(self, name):
        def is_there():
            self.reap()
            if name not in self.pids:
                text = "".join(self.cluster.read(f"log/{log}")[-1500:] for log in (name, f"{name}.out")
                               if os.path.exists(f"{self.cluster.dir}/log/{log}"))
                raise Failure(f"{name} ended at once:\n{text}")
            return self.answers(name)
        wait_until(f"{name} answers", is_there, self.options.get("limit", LIMIT))

    def start(self, *names):
        for name in names:
            if name not in self.names():
                raise Failure(f"{name}: there are {', '.join(self.names())}")
        for name in names:
            self.launch(name)
            if name in self.awaited:
                self.await_answer(name)
        for name in names:
            self.await_answer(name)
        return ""

    def pid_of(self, name):
        self.reap()
        if name not in self.names():
            raise Failure(f"{name}: there are {', '.join(self.names())}")
        if name not in self.pids:
            raise Failure(f"{name} does not run")
        return self.pids[name]

    def end(self, pids, what):
        """kill -9, and seen gone; what they leave behind lives on as a child of this process."""
        def are_gone():
            send(signal.SIGKILL, pids)
            self.reap()
            return not any(os.path.exists(f"/proc/{pid}") for pid in pids)
        wait_until(f"{what} ends", are_gone)

    def kill(self, *names):
        self.end([self.pid_of(name) for name in names], " ".join(names))
        return ""

    def signal(self, sign, *names):
        send(getattr(signal, f"SIG{sign}"), [self.pid_of(name) for name in names])
        return ""

    def of_node(self, name):
        roots = {pid for pid in below(os.getpid()) if self.is_of(name, pid)}
        return (roots | below(*roots) | {self.pids.get(name)}) - {None}

    def lose(self, *nodes):
        for name in nodes:
            if name not in self.nodes:
                raise Failure(f"{name}: there are {', '.join(self.nodes)}")
            lost = self.of_node(name)
            send(signal.SIGSTOP, lost)  # all at once: a runner would tell of its command's end
            self.end(lost, name)
            wait_until(f"{name} ends", lambda name=name: not self.of_node(name))
        return ""

    def status(self):
        self.reap()
        mine = below(os.getpid()) | {os.getpid()}
        kept = sum(said_in(f"/proc/{pid}/smaps_rollup", "Pss") for pid in mine)
        lines = [f"{name}: {'process ' + str(self.pids[name]) if name in self.pids else 'dead'}" for name in self.names()]
        return "\n".join(lines + [f"{len(mine)} processes, {kept // 1024} MB"]) + "\n"

    def ping(self):
        return ""

    def down(self):
        gentle = [self.pids[name] for name in self.gentle if name in self.pids]
        if gentle:
            send(signal.SIGTERM, gentle)
            send(signal.SIGCONT, gentle)
            try:
                wait_until("the gentle end", lambda: self.reap() or not set(gentle) & set(self.pids.values()), 5)
            except Failure:
                pass
        def are_gone():
            left = below(os.getpid())
            send(signal.SIGKILL, left)
            self.reap()
            return not left
        wait_until("the end", are_gone)
        return ""

    # ---- service ----

    def is_wanted(self):
        """Who removed the directory could never end it."""
        watched = self.options["while"]
        return (not watched or os.path.exists(f"/proc/{watched}")) and os.path.exists(self.cluster.socket)

    def serve(self, listener):
        """Answers until it is down."""
        verbs = {name: getattr(self, name) for name in ("ping", "status", "kill", "lose", "signal", "start", "down", *self.verbs)}
        while True:
            self.reap()
            if not self.is_wanted():
                self.down()
                return
            try:
                conn, _ = listener.accept()
            except TimeoutError:
                continue
            with conn:
                verb = ""
                try:
                    conn.settimeout(5)
                    verb, *words = json.loads(b"".join(iter(lambda: conn.recv(65536), b"")))
                    answer = [True, verbs[verb](*words)]
                except (Failure, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                    answer = [False, str(error) or repr(error)]
                if verb == "down" and answer[0]:
                    os.unlink(self.cluster.socket)
                try:
                    conn.sendall(json.dumps(answer).encode())
                except OSError:
                    pass
                if verb == "down" and answer[0]:
                    return

    def main(self, tell):
        """In its own process: starts all, says "" or why not to the descriptor, and serves."""
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        if prctl(36, 1, 0, 0, 0) != 0:  # PR_SET_CHILD_SUBREAPER
            raise Failure("this kernel lets no process adopt others")
        said = ""
        try:
            for name in ("etc", "run", "log"):
                os.makedirs(f"{self.cluster.dir}/{name}", mode=0o700, exist_ok=True)
            self.configure()
            if os.path.exists(self.cluster.socket):
                os.unlink(self.cluster.socket)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(self.cluster.socket)
            listener.listen(16)
            listener.settimeout(0.5)
            self.start(*self.names())
        except (Failure, OSError) as error:
            said = str(error)
        if said:
            self.down()
        os.write(tell, said.encode())
        os.close(tell)
        if not said:
            self.serve(listener)


# ---- verbs ----------------------------------------------------------------------------------------------------

def take_options(options, words, usage):
    """--NAME VALUE, --NAME alone where it is yes or no, and --NAME VALUE again and again where it is a list."""
    words = list(words)
    while words:
        name = words.pop(0)
        kind = options.get(name[2:])
        if name[:2] != "--" or kind is None or (not isinstance(kind, bool) and not words):
            raise Failure(f"{name}: {usage}")
        if isinstance(kind, bool):
            options[name[2:]] = True
        elif isinstance(kind, list):
            kind.append(words.pop(0))
        else:
            options[name[2:]] = type(kind)(words.pop(0))
    return options


def up(keeper):
    """Starts a keeper in a process of its own; returns when all daemons answer: seconds, and what it keeps."""
    cluster = keeper.cluster
    began = time.monotonic()
    out, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null, log = os.open("/dev/null", os.O_RDONLY), os.open(f"{cluster.dir}/keeper.log", os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(null, 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            tell = os.dup2(tell, 3, inheritable=False)
            os.closerange(4, 1024)
            os.chdir(cluster.dir)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            try:
                keeper.main(tell)
            except BaseException as error:  # pylint: disable=broad-except
                print(repr(error), file=sys.stderr, flush=True)
            finally:
                os._exit(0)
        os._exit(0)
    os.wait()
    os.close(tell)
    with os.fdopen(out, encoding="utf-8") as pipe:
        said = pipe.read()
    if said or not cluster.is_up():
        raise Failure(said or f"{cluster.dir}: the keeper is gone: {cluster.read('keeper.log')}")
    return time.monotonic() - began, cluster.ask("status").splitlines()[-1]


def down(cluster):
    began = time.monotonic()
    cluster.ask("down")
    print(f"down in {time.monotonic() - began:.2f} s")
