#!/usr/bin/python3
"""The document of the API is one that others' tools take: a well-known linter has nothing against it."""
import os
import shutil
import subprocess

from client import PINGO, ROOT, Server, absent, done, ok, same

tools = os.path.join(os.path.dirname(PINGO), "serve-tools")
linter = os.path.join(tools, "node_modules", ".bin", "redocly")
if not os.path.exists(linter) and shutil.which("npm"):
    os.makedirs(tools, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(f"{ROOT}/test/serve/lint/{name}", tools)
    try:  # 200 MB, once
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=tools, timeout=400, check=True)
    except (OSError, subprocess.SubprocessError):
        shutil.rmtree(os.path.join(tools, "node_modules"), ignore_errors=True)
if os.path.exists(linter):
    s = Server("--no-run", "--no-tcp")
    document = os.path.join(s.dir, "openapi.json")
    with open(document, "wb") as out:
        out.write(s.raw("GET", "/openapi.json").body)

    def lint():
        return subprocess.run([linter, "lint", "--config", f"{ROOT}/test/serve/lint/redocly.yaml", document], capture_output=True, text=True, timeout=200,
                              env=dict(os.environ, REDOCLY_TELEMETRY="off", REDOCLY_SUPPRESS_UPDATE_NOTICE="true", CI="true"))

    said = lint()
    same(said.returncode, 0, "redocly has nothing against the document") or print(said.stdout + said.stderr)
    with open(document, "w") as out:
        out.write('{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/x": {"get": {}}}}')
    ok(lint().returncode != 0, "and against another it has")
else:
    absent("redocly", "the document of the API is not linted")
done()
