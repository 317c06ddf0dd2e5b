"""Graphs for the benchmarks: the same one as a Pingo workflow, a Makefile and a build.ninja.

A graph is a list of lists: the parents of each node, by number, parents before children.
Every node runs the same command in all three: the shell's empty command, told the node's
number (so that no two nodes are equal) and its inputs, with its output redirected.

    python3 graph.py SHAPE NODES DIRECTORY [WIDTH]

writes workflow.json, Makefile and build.ninja of one graph; shapes are layered, flat, chain, fan.
"""
import os
import sys


def layered(nodes, width=1000):
    """Layers of `width` nodes, each with two parents in the layer before."""
    graph = []
    for i in range(nodes):
        layer, place = divmod(i, width)
        above = (layer - 1) * width
        graph.append([above + place, above + (place + 1) % width] if layer else [])
    return graph


def flat(nodes, _width=0):
    return [[] for _ in range(nodes)]


def chain(nodes, _width=0):
    return [[i - 1] if i else [] for i in range(nodes)]


def fan(nodes, _width=0):
    """One node that has all the others as parents."""
    return [[] for _ in range(nodes - 1)] + [list(range(nodes - 1))]


SHAPES = {"layered": layered, "flat": flat, "chain": chain, "fan": fan}


def leaves(graph):
    has_child = bytearray(len(graph))
    for parents in graph:
        for parent in parents:
            has_child[parent] = 1
    return [i for i in range(len(graph)) if not has_child[i]]


def write_pingo(graph, path, shell="sh"):
    """With the shell that make and ninja use, for like with like; None: Pingo's default."""
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"name": "bench", %s"actions": [\n' % ('"shell": "%s", ' % shell if shell else ""))
        for i, parents in enumerate(graph):
            more = ""
            if parents:
                more = ', "parentActions": [%s]' % ", ".join('{"id": %d}' % p for p in parents)
            out.write('%s{"id": %d, "name": "n%d", "type": "command-line", "command": ": %d%s >output"%s}'
                      % (",\n" if i else "", i, i, i, " in/*" if parents else "", more))
        out.write("\n]}\n")


def command(i, parents):
    return ": %d%s >o/%d" % (i, "".join(" o/%d" % p for p in parents), i)


def write_make(graph, path):
    with open(path, "w", encoding="utf-8") as out:
        out.write(".PHONY: all\nall: %s\n" % " ".join("o/%d" % i for i in leaves(graph)))
        for i, parents in enumerate(graph):
            out.write("o/%d: %s\n\t%s\n" % (i, " ".join("o/%d" % p for p in parents), command(i, parents)))


def write_ninja(graph, path):
    with open(path, "w", encoding="utf-8") as out:
        out.write("rule node\n  command = : $id $in >$out\n")
        for i, parents in enumerate(graph):
            out.write("build o/%d: node %s\n  id = %d\n" % (i, " ".join("o/%d" % p for p in parents), i))


def write(graph, directory):
    os.makedirs(directory, exist_ok=True)
    write_pingo(graph, os.path.join(directory, "workflow.json"))
    write_make(graph, os.path.join(directory, "Makefile"))
    write_ninja(graph, os.path.join(directory, "build.ninja"))


def murmur_hash(text):
    """MurmurHash64A with ninja's seed: how .ninja_log knows a command."""
    data, mask, m = text.encode(), (1 << 64) - 1, 0xC6A4A7935BD1E995
    h = 0xDECAFBADDECAFBAD ^ (len(data) * m & mask)
    whole = len(data) & ~7
    for at in range(0, whole, 8):
        k = int.from_bytes(data[at:at + 8], "little") * m & mask
        h = (h ^ ((k ^ k >> 47) * m & mask)) * m & mask
    if whole < len(data):
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 47) * m & mask
    return h ^ h >> 47


def make_up_to_date(graph, directory):
    """Leaves the directory as make and ninja would after a complete build: every output, in order,
    and ninja's log of what made it.  Running 100,000 commands would only take longer."""
    os.makedirs(os.path.join(directory, "o"), exist_ok=True)
    with open(os.path.join(directory, ".ninja_log"), "w", encoding="utf-8") as log:
        log.write("# ninja log v5\n")
        for i, parents in enumerate(graph):
            path = os.path.join(directory, "o/%d" % i)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644))
            inputs = " ".join("o/%d" % p for p in parents)
            hashed = murmur_hash(": %d %s >o/%d" % (i, inputs, i))
            log.write("0\t1\t%d\to/%d\t%x\n" % (os.stat(path).st_mtime_ns, i, hashed))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in SHAPES:
        sys.exit(__doc__)
    write(SHAPES[sys.argv[1]](int(sys.argv[2]), *map(int, sys.argv[4:])), sys.argv[3])
