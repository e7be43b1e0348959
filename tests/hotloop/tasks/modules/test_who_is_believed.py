"""Whom a check believes: each that asks a process with the candidate's code says why it may.

A process that runs the candidate's code says what the candidate likes. An answer to a hidden
question may come from there, and is compared; that something was called, counted or left out may
not. The lists below are complete, or a test fails.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from hotloop.judge.check import CheckFunction
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import ANSWERS, APART, REPEATED, Process, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.task import find
from hotloop.tasks import curriculum

INSTRUMENTED: dict[str, str] = {}
"""Checks that believe what they cannot know, with the reason; `instrumented` says so everywhere."""

BELIEVED = {
    "control_flow_export.package": (ANSWERS, "correct", "fast_cpu"),
    "mixture_of_experts.exchange": (APART, "correct", "traffic"),
    "portable_trainer.all_reduce": (APART, "ring", "bytes", "tree", "steps"),
    "portable_trainer.backends": (REPEATED, "one_graph"),
    "portable_trainer.checkpoint": (APART, "killed"),
    "portable_trainer.ranks": (APART, "data_parallel", "lost", "fully_sharded"),
    "portable_trainer.survive": (APART, "faults", "killed", "several"),
    "sparse_attention_op.cpu_kernel": (APART, "alone"),
    "sparse_attention_op.native_op": (ANSWERS, "found", "correct", "shapes"),
    # `tensorrt` only compiles, in a process that loads no plugin.
    "sparse_attention_op.plugin": (
        *(ANSWERS, "described", "planned", "carried", "enqueued", "tensorrt"),
    ),
    "sparse_attention_op.plugin_python": (
        *(ANSWERS, "described", "planned", "carried", "enqueued"),
    ),
    # The machine that is measured is simulated in the judge.
    "transformer_compilation.cold_start": (ANSWERS, "measured"),
    "transformer_compilation.decode_step": (REPEATED, "correct", "launches"),
    "transformer_compilation.few_graphs": (REPEATED, "correct", "graphs", "padding"),
}
"""Other checks that ask a process with the candidate's code: by task, why it may be believed, and
which checks."""

CHECKS: dict[str, CheckFunction] = {
    f"{module.id}.{task.id}.{name}": check
    for module in curriculum.modules()
    for task in module.tasks
    if task.kind == "code"
    for name, check in find(module.id, task.id).checks.items()
}


def test_the_list_of_instrumented_checks_is_complete() -> None:
    assert {k for k, check in CHECKS.items() if check.instrumented} == set(INSTRUMENTED)


@pytest.mark.slow
def test_the_list_of_checks_that_ask_beside_the_candidates_code_is_complete() -> None:
    found = {
        key: " and ".join(sorted({program.believed for program in asked}))
        for key, check in CHECKS.items()
        if (asked := [p for p in programs_of(check) if p.believed])
    }
    believed = {f"{task}.{name}": why for task, (why, *names) in BELIEVED.items() for name in names}
    assert {k: v for k, v in found.items() if k not in INSTRUMENTED} == believed


def programs_of(check: CheckFunction) -> Iterator[Program]:
    """Yield every program of ours that a check can reach from its code and its fields."""
    seen: dict[int, object] = {}
    waiting: list[object] = [check]
    while waiting:
        this = waiting.pop()
        if id(this) in seen:
            continue
        seen[id(this)] = this
        if isinstance(this, Program):
            yield this
        else:
            waiting += _parts(this)


def _parts(of: object) -> Iterator[object]:
    if isinstance(of, partial):
        yield from (of.func, *of.args, *of.keywords.values())
    elif isinstance(of, MethodType):
        yield from (of.__self__, of.__func__)
    elif isinstance(of, FunctionType):
        if of.__module__.startswith("hotloop.tasks.modules"):
            yield from _named(of.__code__, of.__globals__)
        yield from (cell.cell_contents for cell in of.__closure__ or ())
    elif is_dataclass(of) and not isinstance(of, type):
        yield from (getattr(of, field.name) for field in fields(of))
        yield from (getattr(of, name) for name in dir(type(of)) if _is_ours(type(of), name))
    elif isinstance(of, list | tuple):
        yield from of
    elif isinstance(of, dict):
        yield from of.values()
    elif isinstance(of, type) and of.__module__.startswith("hotloop.tasks.modules"):
        yield from (value for value in vars(of).values() if isinstance(value, FunctionType))


def _is_ours(kind: type, name: str) -> bool:
    value = getattr(kind, name, None)
    return isinstance(value, FunctionType) and value.__module__.startswith(
        ("hotloop.tasks.modules", "hotloop.judge.checks")
    )


def _named(code: CodeType, names: dict[str, Any]) -> Iterator[object]:
    """Yield what the code's names stand for: globals, and attributes of modules of checks."""
    for name in code.co_names:
        value = names.get(name)
        if isinstance(value, ModuleType):
            if value.__name__.startswith("hotloop.tasks.modules"):
                yield from (getattr(value, each) for each in code.co_names if hasattr(value, each))
        elif value is not None:
            yield value
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _named(inner, names)


def test_a_program_that_gets_a_file_of_the_submission_has_to_say_why_it_is_believed(
    tmp_path: Path,
) -> None:
    (tmp_path / "answer.py").write_text("x = 1", encoding="utf-8")
    files = SubmissionFiles(tmp_path)
    given = GivenFile("answer.py", files.content("answer.py"))
    session = cast(Any, SimpleNamespace(files=files))
    process = Process(Program({}, "ours.py"), cast(Any, None), session)
    with pytest.raises(JudgeFault, match=r"ours\.py does not say why it may be believed"):
        process.ask("load", given)
