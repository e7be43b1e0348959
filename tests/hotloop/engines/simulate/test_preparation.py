"""The C and C++ library is built once, by one process, before or while somebody waits for it."""

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hotloop.cli import start
from hotloop.core.verdict import Verdict
from hotloop.engines.simulate import build, preparation
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.engines.simulate.toolchain import FILE_STREAMS, machine
from hotloop.judge.client import JudgeProcess
from hotloop.tasks import curriculum
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.render import submission


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOTLOOP_SIMULATOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(machine, "_SHIPPED", tmp_path / "wheel")
    return tmp_path / "cache"


def make(folder: Path) -> None:
    folder.mkdir(parents=True)
    time.sleep(0.05)
    (folder / FILE_STREAMS).touch()


def test_many_that_want_it_at_once_build_it_once(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds: list[Path] = []

    def count(folder: Path) -> None:
        builds.append(folder)
        make(folder)

    monkeypatch.setattr(machine, "_build_libraries", count)
    assert not machine.has_libraries()
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: machine.prepare(), range(4)))
    assert len(builds) == 1
    assert set(folders) == {cache / f"wasm-libraries-{machine.version()}"}
    assert machine.has_libraries()


def test_a_build_that_failed_is_tried_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path) -> None:
        folder.mkdir()
        raise ToolMissing("no room")

    monkeypatch.setattr(machine, "_build_libraries", fail)
    with pytest.raises(ToolMissing):
        machine.prepare()
    assert not machine.has_libraries()
    assert list(cache.glob("wasm-*/*")) == []
    monkeypatch.setattr(machine, "_build_libraries", make)
    machine.prepare()
    assert machine.has_libraries()


def test_without_room_it_says_how_much_is_missing_and_where(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(3 << 20))
    with pytest.raises(ToolMissing, match=rf"{cache} has 3 MB of free space, .* takes 120: make"):
        machine.prepare()


def test_a_compiler_that_fails_says_what_it_said(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_command: Any, **_more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 1, "", "error: NoSpaceLeft\n")

    monkeypatch.setattr(subprocess, "run", fail)
    monkeypatch.setattr(machine, "version", lambda: "0")
    with pytest.raises(ToolMissing, match=r"was not built: error: NoSpaceLeft$"):
        machine.prepare()


def test_what_the_wheel_brings_is_not_built(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_build_libraries", lambda _folder: pytest.fail("it was built"))
    shipped = cache.with_name("wheel") / f"wasm-libraries-{machine.version()}"
    make(shipped)
    assert machine.library("libc.a") == shipped / "libc.a"
    machine.ship(cache.with_name("next"))
    assert (cache.with_name("next") / shipped.name / FILE_STREAMS).exists()


@pytest.mark.slow
def test_who_waits_is_told_every_second(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build_slowly(folder: Path) -> None:
        (cache / "zig" / "o" / "0").mkdir(parents=True)
        time.sleep(1.5)
        make(folder)

    monkeypatch.setattr(machine, "_build_libraries", build_slowly)
    told: list[str] = []
    machine.prepare(told.append)
    assert told[0].endswith("about a minute: 0 % after 1 s")


def test_it_begins_in_the_background_only_where_it_is_missing(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: begun.append(command))
    monkeypatch.setattr(build, "is_prepared", lambda: False)
    assert preparation.begin()
    assert begun == [[sys.executable, "-P", "-m", "hotloop.engines.simulate.preparation"]]
    monkeypatch.setattr(build, "is_prepared", lambda: True)
    assert not preparation.begin()
    assert cache.is_dir()
    assert len(begun) == 1


def test_where_there_is_no_room_nothing_begins_and_it_is_said(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "_NEEDED_BYTES", 1 << 60)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("it began"))
    monkeypatch.setattr(build, "is_prepared", lambda: False)
    module = curriculum.load_module("first_kernels")
    [line] = start._preparation(module)  # pyright: ignore[reportPrivateUsage]
    assert f"cannot be built yet: {cache} has" in line
    assert start._preparation(curriculum.load_module("ssa_passes")) == []  # pyright: ignore[reportPrivateUsage]


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(900)
def test_the_first_check_of_a_home_has_all_its_time_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Building takes longer than the task may; and what is built is the same everywhere."""
    usual = machine.prepare()
    monkeypatch.setenv("HOTLOOP_SIMULATOR_CACHE", str(tmp_path / "cache"))
    files = submission("first_kernels")
    with JudgeProcess() as judge:
        record = judge_submission(
            files, "first_kernels", ["bias_gelu"], ["correct"], judge=judge, budget_s=20
        )["bias_gelu"]
    [correct] = record.checks
    assert correct.verdict is Verdict.PASSED, correct.sentence
    for file in machine.prepare().iterdir():
        assert file.read_bytes() == (usual / file.name).read_bytes()
