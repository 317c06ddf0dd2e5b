#!/usr/bin/env python3
"""The library and the second implementation agree: on the golden vectors, on the
example that pingo-hash(7) prints, and on 5,000 random workflows and trees, or as many
as there is time for: AGREE_SECONDS (10; 0: all of them, however long that takes).
Prints TAP.  The program is $PINGO, or pingo in $BUILD, or build/pingo."""
import json
import multiprocessing
import os
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
VECTORS = os.path.join(SOURCE, "test/data/hash")
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import pingo_hash  # noqa: E402

PINGO = os.path.abspath(os.environ.get("PINGO")
                        or os.path.join(SOURCE, os.environ.get("BUILD", "build"), "pingo"))
WORKFLOWS = 5000
WORKFLOWS_AT_LEAST = 200  # however slow the machine is
SECONDS = float(os.environ.get("AGREE_SECONDS", "10"))
WORKERS = min(4, os.cpu_count() or 1)
TREES = 40
count = 0


def ok(good, name, said=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good and said:
        print("\n".join("# " + line for line in str(said).split("\n")))
    return good


def pingo(*arguments):
    """What the program prints, as JSON; or the text of what went wrong."""
    done = subprocess.run([PINGO, "hash", "--json", *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.decode('utf-8', 'replace')}"
    return json.loads(done.stdout)


def second(path, base, root=""):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    hashes = pingo_hash.Workflow(document, base, root).hash_all()
    return [{"id": action["id"], "name": action["name"], "hash": hashes[action["id"]].hex()}
            for action in document["actions"]]


# ---- golden vectors ----------------------------------------------------------------


def golden(name):
    with open(os.path.join(VECTORS, name + ".hashes"), encoding="utf-8") as file:
        return {int(id): hash for id, hash in (line.split() for line in file)}


def check_vectors(root):
    base = root + "/golden"
    for file in sorted(os.listdir(VECTORS)):
        name, kind = os.path.splitext(file)
        if kind != ".json":
            continue
        shutil.copy(os.path.join(VECTORS, file), base)
        found = {a["id"]: a["hash"] for a in second(base + "/" + file, "/golden", root)}
        ok(found == golden(name), f"{file}: the second implementation gives the golden hashes")
        if name in ("places", "versions"):
            continue  # paths of the machine count here; the unit tests take a root
        said = pingo(base + "/" + file)
        good = isinstance(said, list) and {a["id"]: a["hash"] for a in said} == golden(name)
        ok(good, f"{file}: so does pingo", said)


# ---- the manual -----------------------------------------------------------------------


def undump(text):
    """The bytes of a hex dump."""
    lines = re.findall(r"^[0-9a-f]{8}  ((?:[0-9a-f]{2} ?| )+) \|", text, re.M)
    return bytes.fromhex("".join(lines))


def check_manual(root):
    with open(os.path.join(SOURCE, "man/pingo-hash.7"), encoding="utf-8") as file:
        page = file.read()
    displays = re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", page, re.M | re.S)
    example, first, first_hash, other, other_hash, tree, tree_hash = displays
    with open(os.path.join(VECTORS, "example.json"), encoding="utf-8") as file:
        ok(json.load(file) == json.loads(example), "the manual's workflow is example.json")
    hashes = golden("example")
    for name, dump, hash, expected in (
            ("first", first, first_hash, hashes[1]), ("second", other, other_hash, hashes[2])):
        ok(hash.strip() == expected, f"the manual's hash of the {name} action")
        ok(pingo_hash.sha256(undump(dump)).hex() == expected, f"and its {name} description")
        ok(f", {len(undump(dump))} bytes" in page, "and its length")
    ok(pingo_hash.sha256(undump(tree)).hex() == tree_hash.strip(), "the manual's tree")
    ok(pingo_hash.content(root + "/golden/d") == (b"t", bytes.fromhex(tree_hash.strip())),
       "has the hash that the second implementation gives it")
    said = pingo("--input", root + "/golden/d")
    ok(isinstance(said, dict) and said["hash"] == tree_hash.strip(), "and pingo", said)


# ---- random workflows ---------------------------------------------------------------------


def random_text(r, most=12):
    letters = string.ascii_letters + " /'\"\\\n\t-_.é\u0001\u007f\u00df\u4e16\U0001f600"
    return "".join(r.choice(letters) for _ in range(r.randint(1, most)))


def random_name(r):
    first = string.ascii_letters + string.digits + "_"
    return r.choice(first) + "".join(r.choice(first + ".-") for _ in range(r.randint(0, 5)))


def spell(r, value):
    """JSON in one of its spellings: order of keys, white space, escapes."""
    def space():
        return r.choice(["", "", " ", "\n", "\t "])
    if isinstance(value, dict):
        pairs = list(value.items())
        r.shuffle(pairs)
        inner = ",".join(f"{space()}{spell(r, k)}{space()}:{space()}{spell(r, v)}"
                         for k, v in pairs)
        return "{" + inner + space() + "}"
    if isinstance(value, list):
        return "[" + ",".join(space() + spell(r, v) + space() for v in value) + "]"
    if isinstance(value, str) and r.random() < 0.2:
        return '"' + "".join(f"\\u{u:04X}" for c in value for u in units(c)) + '"'
    return json.dumps(value, ensure_ascii=r.random() < 0.5)


def units(c):
    data = c.encode("utf-16-be")
    return [int.from_bytes(data[i:i + 2], "big") for i in range(0, len(data), 2)]


class Maker:
    def __init__(self, r, directory):
        self.r = r
        self.directory = directory
        self.files = []
        self.outputs = 0
        os.makedirs(directory, exist_ok=True)
        for i in range(6):
            self.files.append(self.make_file(f"file{i}"))
        for i in range(3):
            self.files.append(self.make_tree(f"tree{i}"))
        os.makedirs(directory + "/bin")
        for name in ("alpha", "beta"):
            self.make_file("bin/" + name)
            os.chmod(f"{directory}/bin/{name}", r.choice([0o755, 0o700, 0o711]))
        for name, to in (("teller", ""), ("mutterer", " >&2")):
            with open(f"{directory}/bin/{name}", "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\nprintf "%s|" "$@" "$LANG" "$TZ" "$HOME" "$GLOBAL"' + to)
            os.chmod(f"{directory}/bin/{name}", 0o755)

    def make_file(self, name):
        path = f"{self.directory}/{name}"
        with open(path, "wb") as file:
            file.write(self.r.randbytes(self.r.choice([0, 1, 63, 64, 5000, 70000])))
        os.chmod(path, self.r.choice([0o644, 0o755, 0o600]))
        # The last one is after 2262, when 64 bits of nanoseconds are used up.
        begin, end = self.r.choice([(-2 * 10**9, 10**9), (-10**18, 2 * 10**18),
                                    (94 * 10**17, 13 * 10**18)])
        os.utime(path, ns=(0, self.r.randrange(begin, end)))
        return name

    def make_tree(self, name, depth=0):
        os.mkdir(f"{self.directory}/{name}")
        for i in range(self.r.randint(0, 6)):
            inner = f"{name}/{i}{random_name(self.r)}"
            kind = self.r.randrange(4 if depth < 4 else 3)
            if kind == 0:
                os.symlink(self.r.choice(["x", "./.", "a/../b", "." * 3]),
                           f"{self.directory}/{inner}")
            elif kind == 3:
                self.make_tree(inner, depth + 1)
            else:
                self.make_file(inner)
        return name

    def path(self, name):
        r = self.r
        return r.choice([name, "./" + name, "a//../" + name, f"{self.directory}/{name}"])

    def input(self, name):
        r = self.r
        kind = r.randrange(5)
        if kind == 0:
            return {"name": name, "uri": random_text(r), "version": random_text(r)}
        if kind == 1:
            return {"name": name, "path": random_name(r), "sha256": r.randbytes(32).hex()}
        given = {"name": name, "path": self.path(r.choice(self.files))}
        if kind == 2:
            given["identity"] = "stat"
        elif r.random() < 0.3:
            given["identity"] = "content"
        return given

    def command_line(self):
        r = self.r
        action = {"type": "command-line", "command": random_text(r, 30)}
        if r.random() < 0.5:
            action["command"] = ["x" + random_text(r)] + [random_text(r) for _ in range(r.randrange(4))]
        if r.random() < 0.5:
            action["env"] = {random_name(r).replace(".", "_").replace("-", "_").lstrip(string.digits)
                             + "_": r.choice(["", random_text(r)]) for _ in range(r.randrange(4))}
        if r.random() < 0.3 and isinstance(action["command"], str):
            action["shell"] = r.choice(["bash", "sh", ["/bin/sh", "-c"], ["x", random_text(r)]])
        if r.random() < 0.3:
            action["output"] = random_name(r) + "_"
        if r.random() < 0.3:
            action["stdout"] = r.random() < 0.5
        if r.random() < 0.3:
            action.setdefault("env", {})["PATH"] = \
                f"{self.directory}/none:bin:{self.directory}/bin:/bin"
            action["tools"] = r.sample(["alpha", "beta", "sh", f"{self.directory}/bin/beta"],
                                       r.randint(1, 3))
        return action

    def map_reduce(self):
        r = self.r
        version = r.choice([1, 2])
        action = {"type": f"map-reduce-{version}", "mapper": "a.Map"}
        for key in ("reducer", "inputFormat", "outputFormat", "outputKey", "mapOutputValue"):
            if r.random() < 0.3:
                action[key] = r.choice(["b.C", "D$E", "F"])
        if version == 1 and r.random() < 0.5:
            action.update(streaming=True, mapper=r.choice(["x" + random_text(r), ["x", random_text(r)]]))
        if r.random() < 0.3:
            action["reduces"] = r.choice([1, 2, 1000])
        if r.random() < 0.3:
            action["configuration"] = {"p." + random_name(r): "v" + random_name(r)
                                       for _ in range(r.randrange(3))}
        if r.random() < 0.3:
            action["input"] = []
        return action

    def action(self, id, ids):
        r = self.r
        action = r.choice([self.command_line, self.command_line, self.command_line, self.map_reduce,
                           lambda: {"type": "external",
                                    "description": "x" + random_text(r, 40)}])()
        action.update(id=id, name="n" + random_text(r))
        names = list({random_name(r): 0 for _ in range(8)})
        parents = [{"id": r.choice(ids)} for _ in range(r.choice([0, 1, 1, 2, 3, 11]))] if ids else []
        if len(parents) < len(names) and r.random() < 0.6:
            for parent in parents:
                parent["as"] = "r" + names.pop()[:60]
        if parents or r.random() < 0.1:
            action["parentActions"] = parents
        if r.random() < 0.5:
            action["inputs"] = [self.input(r.choice(["", "d/", "e/f.g/"]) + "i" + name[:60])
                                for name in names[:r.randrange(4)]]
        if r.random() < 0.3:
            action["salt"] = r.choice(["", random_text(r)])
        if r.random() < 0.1:
            self.outputs += 1
            action.update(isManaged=False, outputPath=self.path(f"out{self.outputs}"))
        if r.random() < 0.04:
            tool = f"{self.directory}/bin/" + r.choice(["teller", "mutterer"])
            words = [[tool] + [random_text(r) for _ in range(r.randrange(3))] for _ in range(2)]
            action["versions"] = words + r.sample(words, r.randrange(2))
        if r.random() < 0.1:
            action.update(labels={random_name(r): random_text(r)}, sandbox=r.random() < 0.5,
                          executor="local", executorOptions={random_text(r): 1.5, "q": "x"})
        if r.random() < 0.2:
            action.update(retries=r.randrange(5), resources={"cpus": r.randint(1, 4)})
        return action

    def workflow(self):
        r = self.r
        ids, actions = [], []
        for _ in range(r.randint(1, 8)):
            id = r.choice([r.randrange(100), r.randrange(2**53)])
            if id not in ids:
                actions.append(self.action(id, ids))
                ids.append(id)
        r.shuffle(actions)
        document = {"name": random_text(r), "actions": actions}
        if r.random() < 0.3:
            document["env"] = {"GLOBAL": random_text(r), "Z": ""}
        if r.random() < 0.2:
            document.update(shell=r.choice(["bash", "sh", ["x", "-c"]]), labels={"a": "b"},
                            executorOptions={"a": 1})
        return spell(r, document)


def agree_on_many(job):
    """How many agreed, and what was said where they did not."""
    seed, directory, most, until = job
    os.makedirs(directory)
    maker = Maker(random.Random(seed), directory)
    file = directory + "/workflow.json"
    agreed = 0
    while agreed < most and (agreed * WORKERS < WORKFLOWS_AT_LEAST or time.monotonic() < until):
        with open(file, "w", encoding="utf-8") as out:
            out.write(maker.workflow())
        said, expected = pingo(file), second(file, directory)
        if said != expected:
            return agreed, f"SEED={seed}: {said}"
        agreed += 1
    return agreed, ""


def check_random(directory):
    # A seed of its own each time finds more; the one that failed is told and can be given again.
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(10**9)))
    print(f"# SEED={seed}")
    until = time.monotonic() + (SECONDS or 10**9)
    jobs = [(seed + i, f"{directory}/{i}", WORKFLOWS // WORKERS, until) for i in range(WORKERS)]
    with multiprocessing.Pool(WORKERS) as pool:
        results = pool.map(agree_on_many, jobs)
    wrong = [said for _, said in results if said]
    print(f"# {sum(n for n, _ in results)} workflows")
    ok(not wrong, "random workflows", "\n".join(wrong))
    maker = Maker(random.Random(seed), directory + "/trees")
    directory = maker.directory
    trees = [maker.make_tree(f"more{i}") for i in range(TREES)] + maker.files
    wrong = [tree for tree in trees
             if pingo("--input", f"{directory}/{tree}") !=
             {"path": f"{directory}/{tree}",
              "hash": pingo_hash.content(f"{directory}/{tree}")[1].hex()}]
    ok(not wrong, f"{len(trees)} random files and trees", f"SEED={seed}: {wrong}")


def main():
    if not os.access(PINGO, os.X_OK):
        print(f"Bail out! there is no {PINGO}: run make first, or set PINGO")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        scratch = os.path.realpath(scratch)
        root = scratch + "/root"
        os.makedirs(root)
        subprocess.run(["sh", VECTORS + "/originals.sh", root], check=True)
        check_vectors(root)
        check_manual(root)
        os.makedirs(scratch + "/random")
        check_random(scratch + "/random")
    print(f"1..{count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
