"""`hotloop cuda run`, with --check and without, as a learner types it."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

KERNELS = Path(__file__).parent / "kernels"
Source = Callable[..., Path]

PTX = """\
__global__ void k(int* x) {
  asm("mov.u32 %0, %laneid;" : "=r"(*x));
}
int main() {}
"""


def cuda(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hotloop.cli", "cuda", *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def document(*words: str | Path, code: int) -> Any:
    done = cuda(*words, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_run_prints_what_the_program_prints_and_ends_as_it_does(source: Source) -> None:
    path = source("#include <cstdio>\nint main(int n, char** a) { std::puts(a[n - 1]); return 7; }")
    done = cuda("run", path, "--arg", "one", "--arg", "two words")
    assert (done.returncode, done.stdout.strip()) == (7, "two words")
    told = document("run", path, "--arg", "three", code=7)
    assert (told["status"], told["output"], told["findings"]) == (7, "three\n", [])


@pytest.mark.slow
def test_run_takes_several_files_folders_and_macros(source: Source, tmp_path: Path) -> None:
    source("#pragma once\nint other();\n", "headers/other.h")
    source('#include "other.h"\n#include <cstdio>\nint main() { std::printf("%d", other()); }')
    source('#include "other.h"\nint other() { return VALUE; }\n', "other.cu")
    words = [tmp_path / "program.cu", tmp_path / "other.cu", "-I", tmp_path / "headers"]
    done = cuda("run", *words, "-D", "VALUE=42")
    assert (done.returncode, done.stdout.strip()) == (0, "42")


@pytest.mark.slow
def test_check_of_a_clean_program(tmp_path: Path) -> None:
    picture = tmp_path / "lines.svg"
    program = KERNELS / "right" / "transpose_padded.cu"
    done = cuda("run", program, "--picture", picture)
    assert done.returncode == 0, done.stdout
    assert "Clean in 4 orders of its threads." in done.stdout
    assert "transpose_padded.cu:12" in done.stdout
    assert "no bank conflicts" in done.stdout
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.slow
def test_check_of_a_broken_program_names_kind_and_lines() -> None:
    program = KERNELS / "broken" / "missing_syncthreads.cu"
    done = cuda("run", "--check", program)
    assert done.returncode == 1
    assert "race: Data race on " in done.stdout
    assert f"{program}:8" in done.stdout.replace("\n", "")
    assert f"{program}:9" in done.stdout.replace("\n", "")
    told = document("run", "--check", program, code=1)
    (finding,) = told["findings"]
    assert (told["clean"], finding["kind"], finding["kernel"]) == (False, "race", "reverse")
    assert {w["line"]["line"] for w in finding["witnesses"]} == {8, 9}
    assert all(w["thread"] is not None for w in finding["witnesses"])
    assert [r["order"] for r in told["runs"]] == ["forward", "reverse", "random:1", "random:2"]
    assert told["launches"][0]["block"] == [64, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (PTX, 2, "error: invalid % escape"),
        (
            "#include <cstdio>\n#include <mma.h>\nint main() {}\n",
            2,
            "nvcuda::wmma is not simulated",
        ),
        ("__global__ void k() {\n  nothing();\n}\nint main() {}\n", 2, "undeclared identifier"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--check",)], ids=["run", "check"])
def test_a_source_that_cannot_be_built_is_told_with_its_line(
    source: Source, options: tuple[str, ...], text: str, line: int, what: str
) -> None:
    path = source(text)
    done = cuda("run", path, *options, "--json")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert f"{path}:{line}:" in error
    assert what in error


@pytest.mark.slow
def test_a_missing_file_is_a_users_mistake(tmp_path: Path) -> None:
    done = cuda("run", "--check", tmp_path / "no.cu")
    assert done.returncode == 2
    assert "does not exist" in re.sub(r"[\s│]+", " ", done.stderr)
    assert "Traceback" not in done.stderr


def test_a_check_takes_no_order_because_it_runs_several(source: Source) -> None:
    told = document("run", source("int main() {}"), "--check", "--order", "reverse", code=2)
    assert told["error"].startswith("--order does not go with --check")


@pytest.mark.slow
def test_a_time_limit_ends_a_run(source: Source) -> None:
    path = source("__global__ void k() { for (;;) {} }\nint main() { k<<<1, 1>>>(); }")
    told = document("run", path, "--timeout", "1", code=124)
    assert [f["kind"] for f in told["findings"]] == ["timeout"]
