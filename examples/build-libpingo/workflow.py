#!/usr/bin/env python3
"""Writes, to standard output, the workflow that compiles libpingo itself.

    python3 workflow.py [SOURCE_DIRECTORY [MAKE_VARIABLE=VALUE ...]] >workflow.json
    pingo run workflow.json

It asks make which commands it would run, and makes an action of each: one for each source, one
for the archive.  An action sees only what it declares, so a compilation declares its source and
every header that the compiler says it reads (gcc -MM), each by its path as its name: in/ is then a
tree as the compiler wants it.  The compiler itself is a tool.  What an object depends on is then its
hash: change one header and exactly the objects that include it are compiled again; go back to an
older version and nothing is.
"""
import json
import os
import shlex
import subprocess
import sys

# The directory in which make, or an attempt, runs must not be in the objects.
PREFIX_MAP = "-ffile-prefix-map="


def output_of(command, tree, environment=None):
    return subprocess.run(command, cwd=tree, env=environment, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def ask_make(tree, variables):
    """The commands of make: ({object: (source, words)}, words of ar), in make's own order."""
    environment = dict(os.environ, CFLAGS=PREFIX_MAP + tree + "=.")
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    printed = output_of(["make", "--no-print-directory", "-nB", "BUILD=build", *variables,
                         "build/libpingo.a"], tree, environment)
    compilations, archive = {}, None
    for line in printed.splitlines():
        words = shlex.split(line)
        if "-c" in words and words[-1].endswith(".c"):
            compilations[words[words.index("-o") + 1]] = (words[-1], words)
        elif "build/libpingo.a" in words and any(word.endswith(".o") for word in words):
            archive = words
    return compilations, archive


def flags_of(words):
    """The compiler and its flags, without names of files and without make's dependency files."""
    flags = [word for word in words[:-1] if word not in ("-MMD", "-MP", "-c")]
    at = flags.index("-o")
    return flags[:at] + flags[at + 2:]


def headers_of(tree, compilations):
    """{source: files of the tree that its compilation reads}: one run of the compiler for each set
    of flags.  Headers of the system are taken for part of it, as -MM itself takes most of them."""
    by_flags, reads = {}, {}
    for source, words in compilations.values():
        by_flags.setdefault(tuple(flags_of(words)), []).append(source)
    for flags, sources in by_flags.items():
        rules = output_of([*flags, "-MM", *sources], tree).replace("\\\n", " ")
        for rule in rules.splitlines():
            files = [path for path in rule.split(":", 1)[1].split() if not os.path.isabs(path)]
            reads[files[0]] = files
    return reads


def name_of(path):
    return path.replace("/", "-")


def tree_of_links(paths):
    """Shell lines that lay out in/ROLE again as the tree in which the paths mean something: roles have
    no folders."""
    directories = sorted({os.path.dirname(path) for path in paths})
    lines = ["mkdir -p " + shlex.join(directories)]
    for path in paths:
        lines.append('ln -s "$PWD"/in/%s %s' % (name_of(path), shlex.quote(path)))
    return lines


def tools_of(compiler, tree):
    """The compiler is a driver: the programs that do its work belong to its identity as well."""
    tools = [compiler]
    for program in ("cc1", "as"):
        path = output_of([compiler, "-print-prog-name=" + program], tree).strip()
        if os.path.isabs(path) or program == "as":
            tools.append(path)
    return tools


def compile_action(number, tree, compilation, files, tools):
    source, words = compilation
    flags = ['%s"$PWD"=.' % PREFIX_MAP if word.startswith(PREFIX_MAP) else shlex.quote(word)
             for word in flags_of(words)]
    return {"id": number, "name": source, "type": "command-line",
            "inputs": [{"name": path, "path": os.path.join(tree, path)} for path in files],
            "tools": tools,
            "command": "cd in\n" + " ".join(flags + ["-c", "-o", "../output", shlex.quote(source)])}


def archive_action(number, archive, ids):
    """ar's D leaves out times and owners, so that equal objects make equal archives."""
    objects = [word for word in archive if word.endswith(".o")]
    command = tree_of_links(objects) + [shlex.join([archive[0], "rcsD", "output", *objects])]
    return {"id": number, "name": "libpingo.a", "type": "command-line",
            "parentActions": [{"id": ids[path], "as": name_of(path)} for path in objects],
            "tools": [archive[0]], "command": "\n".join(command)}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    tree = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../.."))
    compilations, archive = ask_make(tree, sys.argv[2:])
    if not compilations or archive is None:
        sys.exit("workflow.py: make says nothing about how libpingo.a is built in " + tree)
    reads = headers_of(tree, compilations)
    tools = {}
    actions, ids = [], {}
    for number, (path, compilation) in enumerate(compilations.items(), 1):
        compiler = compilation[1][0]
        if compiler not in tools:
            tools[compiler] = tools_of(compiler, tree)
        ids[path] = number
        actions.append(compile_action(number, tree, compilation, reads[compilation[0]],
                                      tools[compiler]))
    actions.append(archive_action(len(actions) + 1, archive, ids))
    json.dump({"name": "libpingo", "actions": actions}, sys.stdout, indent=1)
    print()


main()
