"""Running without a sandbox: watched, complete, and reported as level "none"."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.sandbox import processes
from hotloop.sandbox.process import Confined
from hotloop.sandbox.unconfined import launch_plain

from ..waiting import until
from .conftest import MIB, Make


@pytest.fixture
def begin(confinement: Make) -> Iterator[Callable[..., Confined]]:
    running: list[Confined] = []

    def launched(code: str, **changes: object) -> Confined:
        running.append(launch_plain(confinement(code, **changes)))
        return running[-1]

    yield launched
    for confined in running:
        confined.kill()


def test_it_says_that_nothing_is_confined(begin: Callable[..., Confined]) -> None:
    confined = begin("raise SystemExit(3)")
    assert confined.level == "none"
    assert confined.wait(20) == 3
    assert confined.death is None


def test_files_are_in_the_working_directory(
    begin: Callable[..., Confined], submission: Path
) -> None:
    (submission / "answer.py").write_text("value = 42")
    confined = begin("import os, answer; print(answer.value, os.getcwd())", files=submission)
    assert confined.wait(20) == 0
    value, folder = confined.output().decode().split()
    assert value == "42"
    assert Path(folder) != submission
    assert not Path(folder).exists()


def test_hotloop_can_be_imported(begin: Callable[..., Confined]) -> None:
    confined = begin(
        "import hotloop.core.wire, os; print(os.environ['GIVEN'])", environment={"GIVEN": "1"}
    )
    assert (confined.wait(20), confined.output()) == (0, b"1\n")


@pytest.mark.slow
def test_limits(begin: Callable[..., Confined]) -> None:
    memory = begin("kept = []\nwhile True: kept.append(bytearray(8 << 20))", memory_bytes=128 * MIB)
    output = begin("while True: print('x' * 1000)", output_bytes=5000)
    wall = begin("import time; time.sleep(60)", wall_s=0.3)
    for confined in (memory, output, wall):
        confined.wait(30)
    assert memory.death is Verdict.MEMORY_LIMIT
    assert output.death is Verdict.OUTPUT_LIMIT
    assert len(output.output()) == 5000
    assert wall.death is Verdict.TIMEOUT


def test_kill_ends_the_tree(begin: Callable[..., Confined]) -> None:
    confined = begin("""
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork()
if os.fork() == 0:
    os.setpgid(0, 0)     # out of the group, still in the tree
os.write(1, b"x")
time.sleep(60)
""")
    until(lambda: confined.output() == b"xxxx", 20)
    tree = processes.tree(confined.pid)
    assert len(tree) == 4
    confined.freezer.freeze()
    confined.kill()
    states = {found.state for pid in tree if (found := processes.stat(pid))}
    assert states <= {"Z"}


def test_the_environment_is_the_graders(begin: Callable[..., Confined]) -> None:
    confined = begin("import sys; print(sys.prefix)")
    assert (confined.wait(20), confined.output().decode().strip()) == (0, sys.prefix)


def test_no_descriptor_is_inherited_unasked(begin: Callable[..., Confined]) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    confined = begin(f"import os\ntry: os.fstat({writing})\nexcept OSError: print('closed')")
    assert (confined.wait(20), confined.output()) == (0, b"closed\n")
    os.close(reading)
    os.close(writing)
