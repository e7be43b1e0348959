"""What an attacker's program may do: end, hang, answer rubbish."""

import sys
import time
from pathlib import Path

import pytest

from hotloop.author.attack.messages import Answer, Attack
from hotloop.author.attack.program import AttackerFault, AttackerProgram

QUESTION = Attack(
    task="first_kernels.roofline",
    entry="roofline",
    attempt=0,
    seed=1,
    files={"lab.ipynb": "x" * 300_000},  # more than a pipe holds
    reference={},
    checks={"correct": 6.0},
    entries={"correct": "roofline"},
    source="/",
    last=[],
)

ANSWER = 'print(json.dumps({"files": {"lab.ipynb": "1"}, "why": "no reason"}), flush=True)'


def attacker(tmp_path: Path, code: str, patience_s: float = 20.0) -> AttackerProgram:
    path = tmp_path / "attacker.py"
    path.write_text(f"import json, sys, time\n{code}\n", encoding="utf-8")
    return AttackerProgram(f"{sys.executable} {path}", patience_s)


def test_it_is_asked_again_and_again(tmp_path: Path) -> None:
    with attacker(tmp_path, f"for line in sys.stdin:\n    {ANSWER}") as program:
        for _ in range(3):
            answer = program.ask(QUESTION)
    assert answer == Answer(files={"lab.ipynb": "1"}, why="no reason")


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("sys.exit(3)", "ended"),
        ("sys.stdin.readline(); print('I think', flush=True)", "not valid"),
        ("sys.stdin.readline(); print('{}', flush=True)", "not valid"),
        ("""sys.stdin.readline(); print('{"files": {}, "why": "x", "more": 1}')""", "not valid"),
        ("""sys.stdin.readline(); print('{"files": {"../x": ""}, "why": "x"}')""", "not valid"),
        ("""sys.stdin.readline(); print('{"files": {"/x": ""}, "why": "x"}')""", "not valid"),
        ("sys.stdin.readline(); print('{\"files\"', end='', flush=True)", "ended"),
        ("sys.stdin.readline()\nwhile True: sys.stdout.write('x' * (1 << 20))", "longer"),
    ],
)
def test_what_is_no_answer_is_a_fault_of_the_attacker(
    tmp_path: Path, code: str, fault: str
) -> None:
    with attacker(tmp_path, code) as program, pytest.raises(AttackerFault, match=fault):
        program.ask(QUESTION)


@pytest.mark.parametrize("code", ["sys.stdin.readline(); time.sleep(60)", "time.sleep(60)"])
def test_one_that_hangs_is_ended_in_time(tmp_path: Path, code: str) -> None:
    started = time.monotonic()
    with attacker(tmp_path, code, 1.0) as program, pytest.raises(AttackerFault, match="within"):
        program.ask(QUESTION)
    assert time.monotonic() - started < 15


def test_after_a_fault_it_starts_anew(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = (
        f"import os\nif not os.path.exists({str(mark)!r}):\n    open({str(mark)!r}, 'w')\n"
        f"    sys.exit(1)\nfor line in sys.stdin:\n    {ANSWER}"
    )
    with attacker(tmp_path, code) as program:
        with pytest.raises(AttackerFault):
            program.ask(QUESTION)
        assert program.ask(QUESTION).why == "no reason"


def test_a_command_that_does_not_exist_is_a_fault() -> None:
    with AttackerProgram("/no/such/program", 1.0) as program, pytest.raises(AttackerFault):
        program.ask(QUESTION)
