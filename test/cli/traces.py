#!/usr/bin/python3
"""traces.py PINGO WORKFLOW... - reads the traces of workflows as others do: pandas the tables, each value as what it is;
whoever draws trace events by the rules of their format; whoever validates WfFormat.  Ends with a traceback where one
cannot.  WFFORMAT_SCHEMA=FILE: also by the schema of WfCommons itself."""
import io
import json
import os
import subprocess
import sys

import jsonschema
import pandas

HERE = os.path.dirname(os.path.abspath(__file__))
PINGO = sys.argv[1]
INSTANTS, DURATIONS = ["submit", "start", "complete"], ["duration", "realtime", "%cpu", "peak_rss"]
SAID = ["COMPLETED", "FAILED", "ABORTED", "CACHED", "RUNNING", "SUBMITTED"]


def told(*words):
    return subprocess.run([PINGO, *words], check=True, capture_output=True, encoding="utf-8").stdout


def once(pairs):
    keys = [k for k, _ in pairs]
    assert len(set(keys)) == len(keys), f"a key stands twice in {keys}"
    return dict(pairs)


def document(*words):
    def refuse(value):
        raise AssertionError(f"{value} is no JSON")
    return json.loads(told(*words), object_pairs_hook=once, parse_constant=refuse)


def names_of(workflow):
    return {row["id"]: row["name"] for row in document("status", workflow, "--json")["actions"]}


# A name may look like what pandas takes for nothing, and a hash like a number: that they are texts is said.
def csv(workflow, names):
    table = pandas.read_csv(io.StringIO(told("trace", workflow)), dtype={"hash": str, "name": str},
                            na_values=[""], keep_default_na=False)
    assert table["task_id"].dtype == "int64", table.dtypes
    for column in INSTANTS + DURATIONS + ["exit", "attempt", "peak_vmem", "rchar", "wchar"]:
        assert table[column].dtype in ("int64", "float64"), f"{column}: {table[column].dtype}"
    assert table[["peak_vmem", "rchar", "wchar"]].isna().all(axis=None)
    assert set(table["status"]) <= set(SAID), table["status"]
    assert dict(zip(table["task_id"], table["name"])).items() <= names.items(), table["name"]
    ended = table[table["status"].isin(["COMPLETED", "FAILED"])]
    assert len(ended) > 0
    for column in INSTANTS:
        instants = pandas.to_datetime(ended[column], unit="ms", utc=True)
        age = pandas.Timestamp.now(tz="UTC") - instants
        assert (age > pandas.Timedelta(0)).all() and (age < pandas.Timedelta(days=1)).all(), instants
    assert (ended["duration"] == ended["complete"] - ended["submit"]).all()
    assert (ended["realtime"] >= 0).all() and (ended["peak_rss"] > 0).all()
    assert (ended[ended["status"] == "COMPLETED"]["exit"] == 0).all()
    assert (ended[ended["status"] == "FAILED"]["exit"] != 0).all()
    # The attempts of an action are counted from 1, in order of time.
    for _, tries in table[table["attempt"].notna()].groupby("task_id"):
        assert list(tries["attempt"]) == list(range(1, len(tries) + 1)) and tries["submit"].is_monotonic_increasing
    return table


def errors(*words):
    table = pandas.read_csv(io.StringIO(told("errors", *words, "--csv")), na_values=[""], keep_default_na=False,
                            dtype={"text": str, "value": str, "name": str})
    rows = document("errors", *words, "--json")
    assert len(table) == len(rows) > 0, f"{len(table)} rows of {len(rows)}"
    for column in table.columns:
        values = [row[column] for row in rows]
        known = [v for v in values if v is not None]
        read = table[column]
        assert list(read.isna()) == [v is None for v in values], f"{column}: {list(read)} of {values}"
        if known and all(isinstance(v, bool) for v in known):
            assert read.dtype == ("bool" if len(known) == len(values) else "object"), f"{column}: {read.dtype}"
        elif known and all(isinstance(v, (int, float)) for v in known):
            assert read.dtype in ("int64", "float64"), f"{column}: {read.dtype}"
        if column in ("from", "until", "first", "last", "handed", "started", "ended") and known and isinstance(known[0], str):
            assert pandas.to_datetime(read).dtype == "datetime64[ns, UTC]", column
        assert list(read.dropna()) == known, f"{column}: {list(read)} of {values}"


def chrome(workflow, names, table):
    told_of = document("trace", workflow, "--format", "chrome")
    assert told_of["displayTimeUnit"] in ("ms", "ns")
    events = told_of["traceEvents"]
    processes = {}
    for e in events:
        # https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
        assert e["ph"] in ("X", "B", "M"), e
        assert isinstance(e["name"], str) and type(e["pid"]) is int and type(e["tid"]) is int, e
        assert isinstance(e.get("args", {}), dict) and isinstance(e.get("cat", ""), str), e
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "process_labels", "process_sort_index", "thread_name",
                                 "thread_sort_index") and e["args"], e
            processes[e["pid"]] = e["args"]["name"]
            continue
        assert e["pid"] in processes, f"{e} is of no process"  # it is named first
        assert isinstance(e["ts"], (int, float)) and e["ts"] >= 0, e
        assert (isinstance(e["dur"], (int, float)) and e["dur"] >= 0) if e["ph"] == "X" else "dur" not in e, e
        assert e.get("cname", "terrible") in ("terrible", "bad", "good"), e
        assert e["name"] == names[e["args"]["id"]], e
    # On a thread no slice crosses another, and what has only begun is the last.
    slices = [e for e in events if e["ph"] != "M"]
    for where in {(e["pid"], e["tid"]) for e in slices}:
        until = 0
        for e in sorted((e for e in slices if (e["pid"], e["tid"]) == where), key=lambda e: e["ts"]):
            assert until is not None and e["ts"] >= until, f"{e} begins before {until}"
            until = e["ts"] + e["dur"] if e["ph"] == "X" else None
    started = table[table["start"].notna() & table["attempt"].notna()]
    assert sorted(e["args"]["id"] for e in slices) == sorted(started["task_id"])
    assert sorted(e["dur"] for e in slices if e["ph"] == "X") == sorted(
        1000 * (started["complete"] - started["start"]).dropna())


def wfformat(workflow, names):
    told_of = document("trace", workflow, "--format", "wfformat")
    with open(f"{HERE}/wfformat.json", encoding="utf-8") as text:
        schemas = [json.load(text)]
    if "WFFORMAT_SCHEMA" in os.environ:
        with open(os.environ["WFFORMAT_SCHEMA"], encoding="utf-8") as text:
            schemas.append(json.load(text))
    for schema in schemas:
        jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(told_of)
    # What no schema tells: what is named is there, once, and edges are told from both sides.
    specification = told_of["workflow"]["specification"]
    tasks, files = ({x["id"]: x for x in specification[k]} for k in ("tasks", "files"))
    assert len(tasks) == len(specification["tasks"]) and len(files) == len(specification["files"])
    assert {int(i): t["name"] for i, t in tasks.items()} == names
    for i, task in tasks.items():
        assert all(i in tasks[p]["children"] for p in task["parents"]), task
        assert all(i in tasks[c]["parents"] for c in task["children"]), task
        assert set(task["inputFiles"] + task["outputFiles"]) <= set(files), task
    execution = told_of["workflow"].get("execution", {"tasks": []})
    measured = [t["id"] for t in execution["tasks"]]
    assert len(set(measured)) == len(measured) and set(measured) <= set(tasks)
    machines = {m["nodeName"] for m in execution.get("machines", [])}
    for t in execution["tasks"]:
        assert set(t.get("machines", [])) <= machines, t
    return {int(i) for i in measured}


for number in sys.argv[2:]:
    known = names_of(number)
    rows = csv(number, known)
    chrome(number, known, rows)
    done = wfformat(number, known)
    made = set(rows[rows["status"].isin(["COMPLETED", "CACHED"])]["task_id"])
    assert made <= done and not (done - made) & set(rows["task_id"]), f"{done}\n{rows.to_csv()}"
for by in ([], ["--by", "name"], ["--by", "name", "--step", "1d"], ["--by", "user", "--step", "30m"], ["--by", "code"],
           ["--by", "node"], ["--list"]):
    errors(*by)
