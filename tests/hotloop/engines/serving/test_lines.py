"""A program that answers lines: questions of any length, silence, and its end."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.lines import LineProgram, LineProgramFailed

PROGRAM = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked == "end":
        sys.exit("it has had enough")
    if isinstance(asked, float):
        time.sleep(asked)
    print(json.dumps({"same": asked, "arguments": sys.argv[1:]}), flush=True)
"""
Begin = Callable[..., LineProgram]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Starts the program with this interpreter instead of the server environment's."""
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    python = SimpleNamespace(python=Path(sys.executable), variables=dict)
    programs: list[LineProgram] = []

    def run(*arguments: str) -> LineProgram:
        programs.append(LineProgram(cast(ServingEnvironment, cast(Any, python)), script, arguments))
        return programs[-1]

    yield run
    for program in programs:
        program.close()


def test_questions_and_answers(begin: Begin) -> None:
    program = begin("one", "two")
    for asked in ("ünïcödé\nin two lines", {"texts": ["x" * 300_000]}, None, [1, 2.5]):
        assert program.ask(asked) == {"same": asked, "arguments": ["one", "two"]}


def test_what_it_said_last_is_told(begin: Begin) -> None:
    program = begin()
    with pytest.raises(LineProgramFailed, match="it has had enough"):
        program.ask("end")
    with pytest.raises(LineProgramFailed):
        program.ask("more")


def test_a_late_answer_is_never_that_to_another_question(begin: Begin) -> None:
    """The first asker got a failure; the next one must not get the late answer."""
    program = begin()
    assert program.ask("ready")["same"] == "ready"
    with pytest.raises(LineProgramFailed, match=r"no answer within 0\.2 s"):
        program.ask(0.5, timeout_s=0.2)
    with pytest.raises(LineProgramFailed):
        program.ask("another", timeout_s=5.0)


def test_it_ends_with_its_context(begin: Begin) -> None:
    with begin() as program:
        assert program.ask(1)["same"] == 1
    with pytest.raises((LineProgramFailed, ValueError)):
        program.ask(2)
