# SPDX-License-Identifier: GPL-3.0-or-later
"""The layer check finds what it is there to find."""
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).with_name("layers.py")


def run(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = subprocess.run([sys.executable, SCRIPT, tmp_path], capture_output=True, text=True)
    return done.returncode, done.stdout


def test_a_downward_include_is_fine(tmp_path):
    assert run(tmp_path, {"server/store.c": '#include "engine/base/file.h"\n'}) == (0, "")


def test_an_upward_include_fails(tmp_path):
    status, out = run(tmp_path, {"engine/run.c": '#include "server/store.h"\n'})
    assert status == 1
    assert "engine/run.c:1: upward include of server/store.h" in out


def test_engine_base_may_not_see_the_engine(tmp_path):
    status, _ = run(tmp_path, {"engine/base/file.c": '#include "engine/run.h"\n'})
    assert status == 1


def test_the_rooms_of_the_engine_are_layers_too(tmp_path):
    def status(file, included):
        return run(tmp_path / file.replace("/", "_") / included, {file: f'#include "{included}"\n'})[0]

    assert status("engine/plan/a.c", "engine/io/histogram.h") == 1
    assert status("engine/plan/a.c", "engine/zfs/pool.h") == 1
    assert status("engine/plan/a.c", "engine/zfs/name.h") == 0
    assert status("engine/zfs/a.c", "engine/io/measure.h") == 1
    assert status("engine/io/a.c", "engine/target/target.h") == 1
    assert status("engine/io/a.c", "engine/sample.h") == 0
    assert status("engine/target/a.c", "engine/analysis/cells.h") == 1
    assert status("engine/target/a.c", "engine/zfs/dataset.h") == 0
    assert status("engine/analysis/a.c", "engine/run_parts.h") == 1
    assert status("server/codec/a.c", "server/store.h") == 1


def test_main_may_see_all(tmp_path):
    assert run(tmp_path, {"server/main.c": '#include "api/http.h"\n'})[0] == 0


def test_a_test_may_see_all_but_is_seen_by_none(tmp_path):
    test = {"tests/unit/engine/test_run.c": '#include "api/http.h"\n#include "tests/unit/x.h"\n'}
    assert run(tmp_path, test) == (0, "")
    assert run(tmp_path, {"engine/run.c": '#include "tests/unit/x.h"\n'})[0] == 1


def test_an_include_that_is_no_path_from_the_root_fails(tmp_path):
    assert run(tmp_path, {"engine/run.c": '#include "run.h"\n'})[0] == 1


def test_a_comment_is_no_include(tmp_path):
    text = '/*\n#include "api/http.h"\n*/\n'
    assert run(tmp_path, {"engine/run.c": text}) == (0, "")


def test_a_library_behind_another_door_fails(tmp_path):
    status, out = run(tmp_path, {"server/store.c": "#include <jansson.h>\n"})
    assert status == 1
    assert "jansson" in out


def test_a_process_is_started_behind_its_door(tmp_path):
    text = "int f(void)\n{\n\treturn child_start(&options, &pid);\n}\n"
    assert run(tmp_path, {"engine/zfs/command.c": text})[0] == 0
    assert run(tmp_path, {"engine/zfs/pool.c": text})[0] == 1
    assert run(tmp_path, {"server/store.c": 'const char *p = "/usr/sbin/zfs";\n'})[0] == 1


def test_a_forbidden_function_fails(tmp_path):
    assert run(tmp_path, {"web/chart.c": 'int f(void)\n{\n\treturn system("x");\n}\n'})[0] == 1


def test_length_at_the_limit_and_one_above(tmp_path):
    assert run(tmp_path, {"engine/a.c": "\n" * 500})[0] == 0
    status, out = run(tmp_path, {"engine/a.c": "\n" * 501})
    assert status == 1
    assert "501 lines" in out


def test_a_reason_in_the_header_allows_length(tmp_path):
    text = "/*\n * Length: one table of many rows.\n */\n" + "\n" * 500
    assert run(tmp_path, {"engine/a.c": text})[0] == 0
