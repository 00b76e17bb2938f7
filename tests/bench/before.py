# SPDX-License-Identifier: MIT
"""before.py ROOT: bench/before with tools that only print, in place of two builds of shoal."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile

# One line of shell for each id that a tool knows; another exits as shoal does.
OLD = {
    "kernels": """rows '{"kernel": "block_strangers", "best_ns": 2.0}, {"loose": "x", "loose_ms": 8}'""",
    "skin": """rows '{"skin": 0.01, "ms_per_step": 3}, {"skin": 0.02, "ms_per_step": 5}'""",
    "V8": "rows '{\"engine\": \"grid\", \"scenes\": 10000}'",
    "L3": "exec sleep 60",
    "L4": "kill -TERM $PPID; exec sleep 60",
}
NEW = {
    "kernels": """rows '{"kernel": "block_nonadjacent", "best_ns": 1.0}, {"fat": "x", "fat_ms": 4}'""",
    "neighbour_list": """rows '{"list_margin": 0.01, "ms_per_step": 3},
                               {"list_margin": 0.02, "ms_per_step": 5}'""",
    "V8": OLD["V8"],
    "L3": OLD["L3"],
    "L4": OLD["L4"],
}


def load(root):
    loader = importlib.machinery.SourceFileLoader("before", os.path.join(root, "bench/before"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("before", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def tool(path, ids):
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\nrows() { printf '{\"experiments\": [{\"rows\": [%s]}]}' \"$1\"; }\n"
                   "case $2 in\n")
        for name, line in ids.items():
            file.write("%s) %s ;;\n" % (name, line))
        file.write("*) exit 64 ;;\nesac\n")
    os.chmod(path, 0o755)
    return path


def run(before, *words):
    """(exit code, what it printed, what it said on the way)."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("new", "old"):
            os.mkdir(os.path.join(place, name))
        before.PLACE = place
        before.place_of = lambda commit: os.path.join(place, "old")
        before.build_old = lambda where: tool(os.path.join(place, "old-tool"), OLD)
        before.build = lambda where, source: tool(os.path.join(place, "new-tool"), NEW)
        before.is_busy = lambda: False
        sys.argv = ["before", "HEAD", *words]
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            try:
                code = before.main()
            except SystemExit as end:
                code = end.code
        return code, out.getvalue(), said.getvalue()


def main():
    before = load(sys.argv[1])
    results = []

    def check(what, good, *seen):
        results.append(good)
        if not good:
            print("FAIL: %s:" % what, *seen)

    code, out, said = run(before, "--ids", "kernels skin V8 V9", "--repeats", "2")
    check("rows under old names are found", "only in" not in out and out.count("list_margin=") == 2
          and " 2.000  [2.000, 2.000]  kernels, block_nonadjacent: best_ns" in out
          and "kernels, x: fat_ms" in out, out)
    check("a run without times is a time", "V8: seconds of the run" in out, out)
    check("each id says what a turn takes", said.count(" takes ") == 3, said)
    check("an unknown id is said", "V9 left out: old: not known" in said, said)
    check("rows are counted", "5 rows" in out, out)

    code, out, said = run(before, "--ids", "kernels L3", "--repeats", "2", "--budget", "0.2")
    check("what does not fit is left out, and said",
          "L3 left out: old: a run takes more than" in said and "kernels takes" in said, said)
    check("the others have all repeats", "repeat 2 of 2" in said and "2 rows" in out, out, said)

    code, out, said = run(before, "--ids", "kernels L4 neighbour_list", "--repeats", "1")
    check("a signal leaves what was measured", code == 1 and "2 rows" in out
          and "ended early by SIGTERM" in out and "neighbour_list" not in said, out, said)
    print("Pass: %d, fail: %d, skip: 0." % (results.count(True), results.count(False)))
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
