"""Tests of GSan, Triton's own race detector: their launches in the interpreter, watched.

Its failure tests have a race between two programs each; the launches of its other tests have none.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from case import Case, NotRun

TESTS = Path("python") / "test" / "gsan"
ORDERS = 5
CREATORS = ("arange", "empty", "full", "ones", "tensor", "zeros")
"""Functions of torch by which the tests make tensors on a GPU."""


class _Launched(Exception):
    """A test has come to what it reads of GSan's own memory, behind its launches."""


def cases(root: Path) -> Iterator[Case]:
    """Yield the cases of a checkout of triton-lang/triton."""
    os.environ["TRITON_INTERPRET"] = "1"
    failures = module(root / TESTS / "test_gsan_failures.py")
    for name in failures.CASE_INFO:
        call = lambda n=name: failures._run_case(n)  # noqa: E731
        yield Case(f"test_gsan_failures.py: {name}", faulty=True, run=lambda c=call: watch(c))
    right = module(root / TESTS / "test_gsan.py")
    for name, test in vars(right).items():
        if not name.startswith("test_"):
            continue
        for values in parameters(test):
            said = f"test_gsan.py: {name}" + "".join(f" {v}" for v in values.values())
            call = lambda t=test, v=values: t(**v)  # noqa: E731
            yield Case(said, faulty=False, run=lambda c=call: watch(c))


def module(path: Path) -> ModuleType:
    """Import a file of tests."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    spec.loader.exec_module(made)
    return made


def parameters(test: Callable[..., None]) -> Iterator[dict[str, Any]]:
    """Yield a test's arguments: the values of its marks, and None for fixtures."""
    fixtures = dict.fromkeys(inspect.signature(test).parameters)
    marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
    lists = [
        [dict(zip(mark.args[0].split(", "), one.values, strict=True)) for one in mark.args[1]]
        for mark in marks
    ]
    for chosen in product(*lists):
        yield fixtures | {name: value for each in chosen for name, value in each.items()}


def watch(call: Callable[[], None]) -> Sequence[str]:
    """Return the races that the launches of a call have, in several orders of the programs."""
    from hotloop.worker import triton_compat, triton_watch

    triton_compat.correct_interpreter()
    found: list[str] = []
    for order in range(ORDERS):
        with on_cpu(), triton_watch.watched(order) as races:
            try:
                call()
            except _Launched:
                pass
            except Exception as problem:
                if not races:
                    raise NotRun(*reason(problem)) from problem
        found += [str(race["kind"]) if "kind" in race else "race" for race in races]
    return sorted(set(found))


def reason(problem: BaseException) -> tuple[str, str]:
    """Return why the interpreter cannot run a test."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    kind = f"the interpreter cannot run it: {type(problem).__name__}"
    return kind, str(problem).partition("\n")[0]


@contextmanager
def on_cpu() -> Generator[None]:
    """Make tensors of a GPU in the CPU's memory; leave out what only GSan and a GPU have."""
    import torch

    def launched(*_: Any, **__: Any) -> None:
        raise _Launched

    with ExitStack() as stack:
        for name in CREATORS:
            made = getattr(torch, name)
            local = lambda *a, of=made, **o: of(*a, **(o | {"device": "cpu"}))  # noqa: E731
            stack.enter_context(patch.object(torch, name, local))
        stack.enter_context(patch.object(torch.cuda, "use_mem_pool", lambda _: nullcontext()))
        stack.enter_context(patch.object(torch.cuda, "synchronize", lambda *_: None))
        tests = [m for n, m in sys.modules.items() if n.startswith("test_gsan")]
        tests.append(sys.modules["triton.experimental.gsan._testing_utils"])
        for one in tests:
            for name in ("shadow_cell_from_address", "thread_state_from_smid"):
                if hasattr(one, name):
                    stack.enter_context(patch.object(one, name, launched))
            if hasattr(one, "nanosleep"):
                stack.enter_context(patch.object(one, "nanosleep", lambda _: None))
            if hasattr(one, "create_mem_pool"):
                stack.enter_context(patch.object(one, "create_mem_pool", lambda: None))
        yield
