#!/usr/bin/env python3
"""Computes the hashes of a workflow's actions: a second implementation of
pingo-hash(7), written from that page alone, with nothing but the standard
library.  It shares no code and no structure with libpingo, and it does not
check the workflow: what it is given is taken to be valid.

  pingo_hash.py [--base DIR] [--root DIR] FILE     [{"id","name","hash"}, ...]
  pingo_hash.py --input PATH                       the content hash of a file or tree
  pingo_hash.py --description ID ... FILE          the description of one action, raw

--base: where relative paths start (else the directory of FILE).
--root: absolute paths are looked up below it, so that paths that enter the
        hash can be the same on every machine.
"""
import argparse
import hashlib
import json
import os
import stat
import struct
import subprocess
import sys

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
CONSTANTS = {"PATH": DEFAULT_PATH, "LANG": "C.UTF-8", "TZ": "UTC"}
COMMAND_LINE_DEFAULTS = {"output": "output", "stdout": False}
MAP_REDUCE_DEFAULTS = {"map-reduce-1": {"configuration": {}, "reduces": 1, "streaming": False},
                       "map-reduce-2": {"configuration": {}, "reduces": 1}}
MAP_REDUCE_KEYS = ("combiner", "configuration", "input", "inputFormat", "jar", "libs", "mapOutputKey",
                   "mapOutputValue", "mapper", "outputFormat", "outputKey", "outputValue",
                   "partitioner", "reducer", "reduces", "streaming")


def sha256(data):
    return hashlib.sha256(data).digest()


def number(n):
    return struct.pack("<I", n)


def text(value):
    data = value if isinstance(value, bytes) else value.encode("utf-8")
    return number(len(data)) + data


def record(tag, payload):
    return tag + number(len(payload)) + payload


def key_bytes(value):
    return value.encode("utf-8")


def normal(base, path):
    """Absolute and lexically normal."""
    parts = []
    for part in (path if path.startswith("/") else base + "/" + path).split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


# ---- content ---------------------------------------------------------------------


def file_hash(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.digest()


def leads_out(target, depth):
    if target.startswith(b"/"):
        return True
    for part in target.split(b"/"):
        if part == b"..":
            depth -= 1
            if depth < 0:
                return True
        elif part not in (b"", b"."):
            depth += 1
    return False


def listing(directory, depth=0):
    out = b""
    for name in sorted(os.listdir(directory)):
        path = directory + b"/" + name
        mode = os.lstat(path).st_mode
        if stat.S_ISREG(mode):
            kind, rest = b"x" if mode & 0o100 else b"f", file_hash(path)
        elif stat.S_ISLNK(mode):
            target = os.readlink(path)
            if leads_out(target, depth):
                raise SystemExit(f"{path!r} leads out of the tree")
            kind, rest = b"l", text(target)
        elif stat.S_ISDIR(mode):
            kind, rest = b"d", listing(path, depth + 1)
        else:
            raise SystemExit(f"{path!r} is a special file")
        out += kind + text(name) + rest
    return out + b"e"


def content(path):
    """The kind and the hash of a file or tree."""
    path = os.fsencode(path)
    if os.path.isdir(path):
        return b"t", sha256(b"pingo-tree-1\n" + listing(path))
    return b"f", file_hash(path)


# ---- actions ---------------------------------------------------------------------


class Workflow:
    def __init__(self, document, base, root):
        self.document = document
        self.base = base
        self.root = root
        self.actions = {action["id"]: action for action in document["actions"]}
        self.hashes = {}

    def real(self, path):
        return self.root + path

    def env(self, action):
        return {**self.document.get("env", {}), **action.get("env", {})}

    def fields(self, action):
        if action["type"] == "external":
            return {"description": action["description"]}
        if action["type"] in MAP_REDUCE_DEFAULTS:
            return {**MAP_REDUCE_DEFAULTS[action["type"]],
                    **{key: action[key] for key in MAP_REDUCE_KEYS if key in action}}
        given = {key: action[key] for key in ("output", "stdout") if key in action}
        if isinstance(action["command"], str):
            given["shell"] = action.get("shell", self.document.get("shell", "bash"))
        return {"command": action["command"], "env": self.env(action),
                **COMMAND_LINE_DEFAULTS, **given}

    def field_record(self, key, value):
        if isinstance(value, bool):
            kind, values = b"b", ["true" if value else "false"]
        elif isinstance(value, int):
            kind, values = b"n", [str(value)]
        elif isinstance(value, str):
            kind, values = b"s", [value]
        elif isinstance(value, list):
            kind, values = b"l", value
        else:
            kind = b"o"
            values = [x for name in sorted(value, key=key_bytes) for x in (name, value[name])]
        return record(b"F", text(key) + kind + b"".join(text(v) for v in values))

    def input_record(self, given):
        if "uri" in given:
            kind, rest = b"u", text(given["uri"]) + text(given["version"])
        elif "sha256" in given:
            kind, rest = b"f", bytes.fromhex(given["sha256"])
        elif given.get("identity") == "stat":
            path = normal(self.base, given["path"])
            st = os.stat(self.real(path))
            kind, rest = b"s", f"{path} {st.st_size} {st.st_mtime_ns}".encode("utf-8")
        else:
            kind, rest = content(self.real(normal(self.base, given["path"])))
        return record(b"I", text(given["name"]) + kind + rest)

    def find_tool(self, name, path):
        if "/" in name:
            return self.real(name)
        for directory in path.split(":"):
            candidate = self.real(directory + "/" + name)
            if directory.startswith("/") and os.path.isfile(candidate) \
                    and os.stat(candidate).st_mode & 0o111:
                return candidate
        raise SystemExit(f"{name}: no such tool")

    def tool_record(self, name, action):
        env = self.env(action) if action["type"] == "command-line" else {}
        found = self.find_tool(name, env.get("PATH", DEFAULT_PATH))
        return record(b"X", text(name) + file_hash(found))

    def version_output(self, argv, action):
        env = self.env(action) if action["type"] == "command-line" else {}
        env = {**CONSTANTS, **env, "HOME": "/dev/null"}
        done = subprocess.run(argv, executable=self.find_tool(argv[0], env["PATH"]), env=env,
                              cwd="/", stdin=subprocess.DEVNULL, capture_output=True, check=True)
        return done.stdout or done.stderr

    def version_record(self, argv, action):
        said = self.version_output(argv, action)
        return record(b"V", number(len(argv)) + b"".join(text(v) for v in argv) + sha256(said))

    def description(self, action):
        out = [b"pingo-action-2\n", record(b"T", key_bytes(action["type"]))]
        fields = self.fields(action)
        out += [self.field_record(key, fields[key]) for key in sorted(fields, key=key_bytes)]
        if "salt" in action:
            out.append(record(b"S", key_bytes(action["salt"])))
        if not action.get("isManaged", True):
            out.append(record(b"O", key_bytes(normal(self.base, action["outputPath"]))))
        out += [self.input_record(given) for given in
                sorted(action.get("inputs", []), key=lambda given: key_bytes(given["name"]))]
        out += [self.tool_record(name, action)
                for name in sorted(set(action.get("tools", [])), key=key_bytes)]
        commands = {tuple(argv) for argv in action.get("versions", [])}
        out += [self.version_record(argv, action)
                for argv in sorted(commands, key=lambda argv: [key_bytes(v) for v in argv])]
        parents = action.get("parentActions", [])
        width = len(str(len(parents)))
        roles = [(key_bytes(parent.get("as", str(i + 1).zfill(width))), parent["id"])
                 for i, parent in enumerate(parents)]
        out += [record(b"P", text(role) + self.hashes[id]) for role, id in sorted(roles)]
        return b"".join(out)

    def order(self):
        """Parents before children; nothing recurses."""
        waiting = {id: len(action.get("parentActions", []))
                   for id, action in self.actions.items()}
        children = {}
        for id, action in self.actions.items():
            for parent in action.get("parentActions", []):
                children.setdefault(parent["id"], []).append(id)
        ready = [id for id, n in waiting.items() if n == 0]
        while ready:
            id = ready.pop()
            yield id
            for child in children.get(id, []):
                waiting[child] -= 1
                if waiting[child] == 0:
                    ready.append(child)

    def hash_all(self):
        for id in self.order():
            self.hashes[id] = sha256(self.description(self.actions[id]))
        return self.hashes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base")
    parser.add_argument("--root", default="")
    parser.add_argument("--input")
    parser.add_argument("--description", type=int)
    parser.add_argument("file", nargs="?")
    options = parser.parse_args()
    if options.input is not None:
        print(content(options.input)[1].hex())
        return
    base = options.base or os.path.dirname(os.path.abspath(options.file))
    with open(options.file, encoding="utf-8") as file:
        workflow = Workflow(json.load(file), base, options.root)
    hashes = workflow.hash_all()
    if options.description is not None:
        sys.stdout.buffer.write(workflow.description(workflow.actions[options.description]))
        return
    print(json.dumps([{"id": action["id"], "name": action["name"],
                       "hash": hashes[action["id"]].hex()}
                      for action in workflow.document["actions"]], indent=1))


if __name__ == "__main__":
    main()
