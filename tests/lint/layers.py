#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the tree's layers, the libraries' doors and the files' sizes.

    layers.py [ROOT]

A file includes its own layer or a lower one. A library is included only behind its door. A file
above 500 lines, or a header above 150, says why in its header comment, in a line "Length: ...".
Prints what is wrong, a line each, and exits with 1; nothing and 0 when all is well.
"""
import os
import pathlib
import re
import sys

# Lowest first, as ARCHITECTURE.md's table of rooms. The longest matching prefix is a file's room.
LAYERS = [
    ("engine/base/", 0),
    ("engine/zfs/name.", 1),  # what a dataset's name may be: a definition is held against it
    ("engine/plan/", 2),
    ("engine/zfs/", 3),
    ("engine/io/", 4),  # io/files/ and io/verify/ are parts of it, and it calls them
    ("engine/told.", 4),  # what an imported one lacks
    ("engine/sample.", 4),  # what one measurement fills
    ("engine/target/", 5),
    ("engine/analysis/", 6),
    ("engine/result.", 6),  # what the analysis reads; it names its run as run.h has it
    ("engine/run.h", 6),
    ("engine/forecast.", 6),
    ("engine/", 7),
    ("server/codec/", 8),
    ("server/import/", 8),
    ("server/", 9),
    ("web/", 10),
    ("api/", 11),
    ("server/main.c", 12),
    ("tests/", 13),
]

# Header or text that gives a library away -> the files that may have it.
DOORS = {
    r"#include <liburing": ["engine/io/uring", "engine/io/files/uring_files.c"],
    r"#include <blkid": ["engine/target/"],
    r"#include <gsl/": ["engine/analysis/"],
    r"#include <seccomp": ["engine/base/sandbox.c"],
    r"#include <jansson": ["server/codec/", "server/import/", "api/"],
    r"#include <expat": ["server/import/import_diskspd"],
    r"#include <microhttpd": ["api/http.c", "api/admit.c", "api/answer.c", "api/waiters.c", "api/events.c"],
    r"#include \"server/codec/json\.h\"": ["server/codec/", "server/import/", "api/"],
    r"\"[^\"]*/gnuplot[^\"]*\"": ["web/chart.c"],
    # Who starts processes; of those, zfs and zpool are started by one file alone.
    r"\bchild_start\(": ["engine/base/child", "engine/zfs/command.c", "server/engine_talk.c", "web/chart.c"],
    r"\bbin/(zfs|zpool)\"": ["engine/zfs/command.c"],
    r"\b(system|popen|strcpy|strcat|sprintf|strtok|atoi|alloca)\(": [],
}

MAX_LINES = {".c": 500, ".h": 150, ".py": 500, ".js": 500, ".css": 800}


def layer_of(path):
    best = max((p for p, _ in LAYERS if path.startswith(p)), key=len, default=None)
    return None if best is None else dict(LAYERS)[best]


def strip_comments(text):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    return re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)


def check_source(path, text):
    own = layer_of(path)
    code = strip_comments(text)
    for number, line in enumerate(code.split("\n"), 1):
        include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if include:
            other = layer_of(include.group(1))
            if other is None:
                yield f"{path}:{number}: include of {include.group(1)}: not a path from the root"
            elif own is not None and other > own:
                yield f"{path}:{number}: upward include of {include.group(1)}"
        if path.startswith("tests/"):
            continue  # a test may open any door
        for pattern, allowed in DOORS.items():
            if re.search(pattern, line) and not any(path.startswith(a) for a in allowed):
                where = ", ".join(allowed) or "nowhere"
                yield f"{path}:{number}: {line.strip()}: allowed in {where}"


def check_size(path, text):
    limit = MAX_LINES.get(pathlib.PurePath(path).suffix)
    lines = text.count("\n")
    if limit and lines > limit and not re.search(r"^\W*Length: \S", text[:3000], re.M):
        yield f"{path}: {lines} lines, more than {limit}, and no reason in its header"


def files_of(root):
    """But for what is built, and git's own, which come and go while others look."""
    for folder, folders, names in os.walk(root):
        if pathlib.Path(folder) == root:
            folders[:] = [name for name in folders if name not in ("build", ".git")]
        yield from (pathlib.Path(folder, name) for name in names)


def check(root):
    for file in sorted(files_of(root)):
        path = file.relative_to(root).as_posix()
        if file.suffix not in MAX_LINES:
            continue
        text = file.read_text(encoding="utf-8")
        if file.suffix in (".c", ".h"):
            yield from check_source(path, text)
        yield from check_size(path, text)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    problems = list(check(root))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
