"""The base install works on any system: without the judge's packages and Linux's features.

Tests simulate macOS and Windows by a process that refuses what these systems lack.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hotloop.cli.commands import GROUPS, HOTLOOP
from hotloop.core import paths
from hotloop.tasks import curriculum

HEAVY = ("torch", "triton", "numpy", "pyseccomp", "jupytext", "nbformat", "unidiff", "nbgrader")
CUDA = ("wasmtime", "ziglang")
NOT_EVERYWHERE = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
NOT_IN_OS = (
    "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getuid", "memfd_create",
    "mkfifo", "pipe2", "sched_getaffinity", "sched_setaffinity", "setsid", "statvfs",
)  # fmt: skip

REFUSING = """
import fcntl, os, pathlib, subprocess, sys, sysconfig, tempfile, types
windows = types.ModuleType("msvcrt", "A stand-in for the lock that Windows has.")
windows.LK_LOCK, windows.LK_UNLCK = fcntl.LOCK_EX, fcntl.LOCK_UN
windows.locking = lambda handle, how, count: fcntl.flock(handle, how)
sysconfig.get_config_vars()  # of the system that this really is
for name in {modules!r}:
    sys.modules[name] = None
for name in {attributes!r}:
    delattr(os, name)
sys.platform = {platform!r}
if {platform!r} == "elsewhere":
    sys.modules["msvcrt"], os.name = windows, "nt"
    import hotloop.core.whole_file
    os.name = "posix"
from hotloop.cli import main
sys.argv = ["hotloop", *sys.argv[1:]]
main()
"""
ELSEWHERE = REFUSING.format(
    modules=HEAVY + CUDA + NOT_EVERYWHERE, attributes=NOT_IN_OS, platform="elsewhere"
)
PLAIN_LINUX = REFUSING.format(modules=HEAVY + CUDA, attributes=(), platform="linux")
BESIDE_CUDA = tuple(name for name in HEAVY if name != "numpy")
# wasmtime finds its library by the platform's name.
WITH_CUDA = "import numpy, wasmtime\n" + REFUSING.format(
    modules=BESIDE_CUDA + NOT_EVERYWHERE, attributes=NOT_IN_OS, platform="elsewhere"
)


@dataclass(frozen=True)
class Client:
    """A learner's machine. home: folder of their records. bin: searched first for programs."""

    program: str
    home: Path

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HOTLOOP_NO", "XDG"))}
        path = f"{self.home / 'bin'}{os.pathsep}{kept['PATH']}"
        # The encoding of a pipe on many Windows systems.
        return {**kept, "XDG_DATA_HOME": str(self.home), "PATH": path, "PYTHONIOENCODING": "cp1252"}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", self.program, *words],
            check=False,
            cwd=self.home,
            env=self.environment(),
            capture_output=True,
            encoding="utf-8",
        )

    def answer(self, *words: str, code: int = 0) -> Any:
        done = self.run(*words, "--json")
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def serving(self, *words: str) -> Iterator[tuple[Any, subprocess.Popen[str]]]:
        """Run a command until Ctrl-C; yield its document."""
        process = subprocess.Popen(
            [sys.executable, "-c", self.program, *words, "--json"],
            cwd=self.home,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline()]
            while lines[-1] not in {"}\n", ""}:
                lines.append(process.stdout.readline())
            yield json.loads("".join(lines)), process
        finally:
            process.kill()
            process.communicate()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Client:
    """A machine without Linux and without any package or module that only Linux has."""
    return Client(ELSEWHERE, tmp_path)


@pytest.fixture
def plain_linux(tmp_path: Path) -> Client:
    return Client(PLAIN_LINUX, tmp_path)


@pytest.mark.slow
def test_what_is_refused_is_missed(tmp_path: Path) -> None:
    """Otherwise the tests below would show nothing."""
    for module in ("hotloop.judge.client", "hotloop.sandbox.launch"):
        program = ELSEWHERE.replace("from hotloop.cli import main", f"import {module}")
        assert "ModuleNotFoundError" in Client(program, tmp_path).run().stderr
    program = ELSEWHERE.replace("from hotloop.cli import main", "os.sched_getaffinity(0)")
    assert "AttributeError" in Client(program, tmp_path).run().stderr


COMMANDS = [
    (),
    *((name,) for name in GROUPS[HOTLOOP].names),
    *((group, name) for group in GROUPS if group != HOTLOOP for name in GROUPS[group].names),
]


@pytest.mark.slow
def test_every_command_has_its_help(tmp_path: Path) -> None:
    """All in one process: the first page imports most of them."""
    program = ELSEWHERE.replace(
        "main()",
        f"""
for words in {COMMANDS!r}:
    sys.argv = ["hotloop", *words, "--help"]
    try:
        main()
    except SystemExit as ended:
        print("\\nended", *words, ended.code)
""",
    )
    done = Client(program, tmp_path).run()
    ended = [line for line in done.stdout.splitlines() if line.startswith("ended")]
    assert ended == [" ".join(["ended", *words, "0"]) for words in COMMANDS], done.stderr


@pytest.mark.slow
def test_modules_and_start(elsewhere: Client) -> None:
    known = {module["id"] for module in elsewhere.answer("modules")["modules"]}
    assert known == {module.id for module in curriculum.modules()}
    assert "then hotloop check fused_softmax" in elsewhere.run("start", "fused_softmax", "a").stdout
    started = elsewhere.answer("start", "fused_softmax")
    exercise = paths.exercises() / "fused_softmax"
    assert started["files"]
    for name in started["files"]:
        copied = elsewhere.home / "fused_softmax" / name
        assert copied.read_bytes() == (exercise / name).read_bytes()
    assert {"lesson.md", "figures/row_kernels.svg"} <= set(started["lesson"])
    for name in started["lesson"]:
        assert (elsewhere.home / "fused_softmax" / name).is_file()


@pytest.mark.slow
def test_questions_with_what_a_pipe_cannot_say_on_windows(elsewhere: Client) -> None:
    listed = elsewhere.answer("questions", "--language", "zh", "--all")["questions"]
    [shown] = elsewhere.answer("questions", listed[0]["key"], "--language", "zh")["questions"]
    assert not shown["answer"].isascii()
    assert elsewhere.run("progress").returncode == 0


@pytest.mark.slow
def test_interview_serves_its_page_until_it_is_stopped(elsewhere: Client) -> None:
    with elsewhere.serving("interview", "--no-browser") as (told, process):
        address, _, fragment = told["url"].partition("#")
        assert "language=en" in fragment
        with urllib.request.urlopen(address, timeout=20) as page:
            assert b"<html" in page.read()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "Your record is" in said
    assert Path(told["record"]).is_relative_to(elsewhere.home)


@pytest.mark.slow
def test_placement_and_progress(elsewhere: Client) -> None:
    assert elsewhere.answer("placement")["tracks"]
    assert elsewhere.answer("progress", "--all")["next"]


KEEPING = """
from hotloop.core import whole_file
from hotloop.learn.practice import store
from hotloop.learn.practice.state import PracticeRecord
assert whole_file._wait_for_first_byte  # the lock of Windows
review = {{"question": {key!r}, "mark": 4, "at": "2026-01-02T09:00:00Z", "seconds": 60,
          "language": "en"}}
record = PracticeRecord.model_validate({{"reviews": [review]}})
store.replace(record.model_dump_json(), store.read().version)
from hotloop.cli import main
"""


@pytest.mark.slow
def test_a_mark_is_kept_and_progress_tells_of_it(elsewhere: Client) -> None:
    """What the page does with a mark, under a lock that differs between systems."""
    key = elsewhere.answer("questions", "--all")["questions"][0]["key"]
    program = elsewhere.program.replace("from hotloop.cli import main", KEEPING.format(key=key))
    told = Client(program, elsewhere.home).answer("progress", "--all")
    assert sum(track["questions"]["practised"] for track in told["tracks"]) == 1


@pytest.mark.slow
def test_doctor_says_that_judging_is_elsewhere(elsewhere: Client) -> None:
    found = {f["name"]: f for f in elsewhere.answer("doctor")["findings"]}
    assert found["curriculum"]["state"] == "ok"
    assert "needs Linux" in found["sandbox"]["found"]
    assert "--on" in found["sandbox"]["fix"]
    assert found["cuda"]["fix"].endswith("-m pip install 'hotloop[cuda]'")


@pytest.mark.slow
def test_doctor_on_linux_names_the_group_that_judges(plain_linux: Client) -> None:
    said = plain_linux.answer("doctor")
    found = {f["name"]: f for f in said["findings"]}
    assert found["local"]["fix"].endswith("-m pip install 'hotloop[local]'")
    assert {here for here, _ in map(dict.values, said["points"].values())} == {0}


NEEDS_THE_JUDGE = [
    ("check", "ssa_passes"),
    ("check", "fold", ".", "--from", "."),
    ("doctor", "--gpu"),
    ("author", "evidence", "fused_softmax"),
    ("author", "exploits", "--only", "checker"),
    ("doctor", "--install", "tritonserver"),
]


@pytest.mark.slow
@pytest.mark.parametrize("words", NEEDS_THE_JUDGE, ids=" ".join)
def test_what_needs_the_judge_says_so_in_one_sentence(
    plain_linux: Client, elsewhere: Client, words: tuple[str, ...]
) -> None:
    plain_linux.answer("start", "ssa_passes")
    here = plain_linux.answer(*words, code=2)["error"]
    assert here.endswith(f"{sys.executable} -m pip install 'hotloop[local]'")
    assert "numpy, torch" in here
    assert "--on URL" in here
    there = elsewhere.answer(*words, code=2)["error"]
    assert there.startswith("Judging needs Linux, and this is ")
    assert "--on URL" in there


@pytest.mark.slow
def test_a_notebooks_check_says_it_too(elsewhere: Client, plain_linux: Client) -> None:
    call = "from hotloop import check; check('fused_softmax.online_pass')"
    for client, said in ((elsewhere, "Judging needs Linux"), (plain_linux, "hotloop[local]")):
        program = client.program.replace("from hotloop.cli import main", call)
        [*_, last] = Client(program, client.home).run().stderr.splitlines()
        assert last.startswith("hotloop.core.user_error.UserError: ")
        assert said in last


ASSISTANT = """
import asyncio
from pathlib import Path
from mcp import Client
from hotloop.cli.assistant.server import server

async def talk():
    async with Client(server(Path())) as client:
        for tool in ("next_hint", "check"):
            said = await client.call_tool(tool, {"task": "ssa_passes.fold"})
            print(said.is_error, said.content[0].text.splitlines()[-1])

asyncio.run(talk())
"""


@pytest.mark.slow
def test_an_assistant_is_served_without_the_judge(plain_linux: Client) -> None:
    plain_linux.answer("start", "ssa_passes")
    program = plain_linux.program.replace("from hotloop.cli import main", ASSISTANT)
    hint, check, *_ = Client(program, plain_linux.home).run().stdout.splitlines()
    assert hint.startswith("False ")
    assert check.startswith("True Error executing tool check: Judging on this machine needs ")
    assert "'hotloop[local]'" in check


@pytest.mark.slow
@pytest.mark.parametrize("words", [("cuda", "run", "--check"), ("cuda", "run")], ids=" ".join)
def test_cuda_names_its_group(elsewhere: Client, words: tuple[str, ...]) -> None:
    (elsewhere.home / "a.cu").write_text("int main() {}\n")
    said = elsewhere.answer(*words, "a.cu", code=2)["error"]
    assert said.endswith("-m pip install 'hotloop[cuda]'")


RACE = """
#include <cstdio>
__global__ void add(int* total) { *total += 1; }
int main() {
  int* total;
  cudaMalloc(&total, sizeof(int));
  add<<<1, 64>>>(total);
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""


@pytest.mark.slow
def test_cuda_needs_nothing_else_but_its_group(tmp_path: Path) -> None:
    """The simulator itself: compiled, run, checked."""
    client = Client(WITH_CUDA, tmp_path)
    (tmp_path / "race.cu").write_text(RACE)
    assert client.answer("cuda", "run", "race.cu")["output"] == "no error\n"
    checked = client.answer("cuda", "run", "--check", "race.cu", code=1)
    assert [found["kind"] for found in checked["findings"]] == ["race"]
    assert checked["findings"][0]["witnesses"][0]["line"]["line"] == 3


@pytest.mark.slow
def test_cuda_compile_is_for_linux(elsewhere: Client) -> None:
    (elsewhere.home / "a.cu").write_text("int main() {}\n")
    assert "nvcc needs Linux" in elsewhere.answer("cuda", "compile", "a.cu", code=2)["error"]


@pytest.mark.slow
@pytest.mark.sandbox
def test_another_machine_judges(elsewhere: Client) -> None:
    """With an ssh that runs the command on this machine, which has the judge."""
    ssh = elsewhere.home / "bin" / "ssh"
    ssh.parent.mkdir()
    python = shlex.quote(sys.executable)
    ssh.write_text(
        f'#!/bin/sh\npython3() {{ {python} "$@"; }}\nfor last; do :; done\neval "$last"\n'
    )
    ssh.chmod(0o755)
    elsewhere.answer("start", "ssa_passes")
    answer = elsewhere.home / "ssa_passes" / "fold.py"
    stub = "raise NotImplementedError"
    answer.write_text(answer.read_text().replace(stub, f"begun = True\n    {stub}"))
    said = elsewhere.answer("check", "ssa_passes.fold", "ssa_passes", "--on", "ssh://box", code=1)
    [task] = said["tasks"]
    assert task["verdict"] == "wrong_answer"
    assert task["record"]["circumstances"]["isolation"] == "bubblewrap"
    assert "NotImplementedError" in task["sentence"]


KERNEL = "ascii(check('first_kernels.transpose'))"


@pytest.mark.slow
def test_a_cuda_kernel_gets_a_practice_verdict_elsewhere(tmp_path: Path) -> None:
    client = Client(WITH_CUDA, tmp_path)
    told = client.run("start", "first_kernels").stdout
    assert "For practice, bias_gelu, transpose, blur_rows are judged here" in told
    assert "then hotloop check first_kernels.bias_gelu" in told
    said = client.answer("check", "first_kernels.bias_gelu", code=1)
    assert said["tasks"][0]["sentence"].startswith("Not attempted yet")
    solution = paths.solutions() / "first_kernels" / "kernels.cu"
    (tmp_path / "first_kernels" / "kernels.cu").write_bytes(solution.read_bytes())
    said = client.answer("check", "first_kernels")
    assert [task["task"] for task in said["tasks"]] == ["bias_gelu", "transpose", "blur_rows"]
    for task in said["tasks"]:
        assert task["record"]["circumstances"]["practice"]
        assert task["points"] + task["pending"] == task["possible"]
    assert said["practice"].startswith("For practice, never graded")
    assert "Not judged: axpy, row_sums, matmul" in said["practice"]
    assert "For a graded verdict: Judging needs Linux" in said["practice"]
    assert "passed here, rest pending (practice)" in client.run("check", "first_kernels").stdout
    cell = f"import os; os.chdir('first_kernels'); from hotloop import check; print({KERNEL})"
    program = client.program.replace("from hotloop.cli import main", cell)
    assert "passed here" in Client(program, tmp_path).run().stdout
    refused = client.answer("check", "first_kernels.axpy", code=2)["error"]
    assert refused.startswith("Judging needs Linux")


@pytest.mark.slow
def test_what_a_practice_verdict_needs_is_named(elsewhere: Client) -> None:
    elsewhere.answer("start", "first_kernels")
    said = elsewhere.answer("check", "first_kernels.bias_gelu", code=2)["error"]
    assert said.startswith("Judging needs Linux")
    assert "For a practice verdict of bias_gelu here: " in said
    assert said.endswith("-m pip install 'hotloop[cuda]'")
