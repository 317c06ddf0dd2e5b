#!/usr/bin/python3
"""documents.py PINGO DIRECTORY - checks each document in the directory, named COMMAND.SOMETHING, against the JSON Schema
of `pingo help --schema COMMAND`; says what is wrong, and ends with status 1 then.  Of long arrays the first and the last
elements are looked at."""
import json
import os
import subprocess
import sys

import jsonschema

MOST = 50


def shorten(value):
    if isinstance(value, list):
        kept = value if len(value) <= 2 * MOST else value[:MOST] + value[-MOST:]
        return [shorten(v) for v in kept]
    if isinstance(value, dict):
        return {k: shorten(v) for k, v in value.items()}
    return value


def once(pairs):
    keys = [k for k, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key stands twice in " + ", ".join(keys))
    return dict(pairs)


def validator_of(pingo, command, known={}):
    if command not in known:
        told = subprocess.run([pingo, "help", "--schema", command], check=False, capture_output=True)
        if told.returncode == 2:  # it has no --json: the word was for another program
            known[command] = None
            return None
        schema = json.loads(told.stdout, object_pairs_hook=once)
        jsonschema.Draft202012Validator.check_schema(schema)
        known[command] = jsonschema.Draft202012Validator(schema)
    return known[command]


def leaves(error):
    """The most telling of what is wrong, where a document may be one of several."""
    best = jsonschema.exceptions.best_match(iter([error]))
    return "%s: %s" % ("/".join(map(str, best.absolute_path)) or "the whole", best.message[:300])


def main():
    pingo, directory = sys.argv[1:]
    wrong = checked = 0
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            text = file.read()
        if not text:
            continue
        command = name.split(".")[0]
        validator = validator_of(pingo, command)
        if validator is None:
            continue
        checked += 1
        try:
            document = json.loads(text, object_pairs_hook=once)
            errors = [leaves(e) for e in validator.iter_errors(shorten(document))]
        except ValueError as error:
            errors = [str(error)]
        for error in errors:
            wrong += 1
            print("pingo %s --json: %s\n  in %s" % (command, error, text[:200].replace("\n", " ")))
    if os.environ.get("DOCUMENTS_SAY"):
        print("%d documents" % checked)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
