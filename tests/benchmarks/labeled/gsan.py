"""Tests of GSan, Triton's own race detector: their launches in the interpreter, watched.

Its failure tests have a race between two programs each; the launches of its other tests have none.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
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


class Anything:
    """Stands for what only GSan, or a compiled kernel, has: whatever a test asks of it holds."""

    def __getattr__(self, _name: str) -> Anything:
        return self

    def _itself(self, *_arguments: object, **_named: object) -> Anything:
        return self

    def _holds(self, _other: object) -> bool:
        return True

    __call__ = __getitem__ = __add__ = __mul__ = __mod__ = __rmod__ = _itself
    __contains__ = __eq__ = __ne__ = __ge__ = _holds

    def __hash__(self) -> int:
        return 0


ANYTHING = Anything()


def anything(*_arguments: object, **_named: object) -> Anything:
    """Stands for a function of GSan's."""
    return ANYTHING


def cases(root: Path) -> Iterator[Case]:
    """Yield the cases of a checkout of triton-lang/triton."""
    os.environ["TRITON_INTERPRET"] = "1"
    failures = module(root / TESTS / "test_gsan_failures.py")
    for name in failures.CASE_INFO:
        call = lambda n=name: failures._run_case(n)  # noqa: E731
        yield Case(f"test_gsan_failures.py: {name}", faulty=True, run=lambda c=call: watch(c))
    right = module(root / TESTS / "test_gsan.py")
    for name, test in list(vars(right).items()):
        if not name.startswith("test_"):
            continue
        for values in parameters(test):
            said = f"test_gsan.py: {name}" + "".join(f" {v}" for v in values.values())
            call = lambda t=test, v=values: t(**fixtures(t), **v)  # noqa: E731
            yield Case(said, faulty=False, run=lambda c=call: watch(c))


def module(path: Path) -> ModuleType:
    """Import a file of tests. A size that only another version of Triton has is 1."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    while True:
        try:
            spec.loader.exec_module(made)
        except ImportError as problem:
            lacks = re.match(r"cannot import name '(\w+)' from '([\w.]+)'", str(problem))
            if not lacks:
                raise
            setattr(sys.modules[lacks[2]], lacks[1], 1)
        else:
            return made


def parameters(test: Callable[..., None]) -> Iterator[dict[str, Any]]:
    """Yield the arguments that a test's marks name."""
    marks = [m for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
    lists = [
        [dict(zip(mark.args[0].split(", "), one.values, strict=True)) for one in mark.args[1]]
        for mark in marks
    ]
    for chosen in product(*lists):
        values = {name: value for each in chosen for name, value in each.items()}
        yield {name: values[name] for name in inspect.signature(test).parameters if name in values}


def fixtures(test: Callable[..., None]) -> dict[str, Any]:
    """Return ANYTHING for each other argument of a test."""
    marked = next(parameters(test))
    return {name: ANYTHING for name in inspect.signature(test).parameters if name not in marked}


def watch(call: Callable[[], None]) -> Sequence[str]:
    """Return the races that the launches of a call have, in several orders of the programs."""
    import triton_races

    from hotloop.worker import triton_compat

    triton_compat.correct_interpreter()

    def launch() -> None:
        # What a test asks of GSan's own memory cannot hold here.
        with on_cpu(), suppress(AssertionError):
            call()

    with triton_races.programs() as launches:
        try:
            found = [triton_races.report(launch, order)[0] for order in range(ORDERS)]
        except Exception as problem:
            raise NotRun(*reason(problem)) from problem
    if not launches:
        raise NotRun("nothing is launched")
    return ["race"] if any(found) else []


def reason(problem: BaseException) -> tuple[str, str]:
    """Return why the interpreter cannot run a test."""
    while problem.__cause__ is not None:
        problem = problem.__cause__
    said = str(problem).partition("\n")[0]
    kind = "Gluon, which needs a GPU" if "active drivers" in said else "the interpreter lacks it"
    return kind, said


@contextmanager
def on_cpu() -> Generator[None]:
    """Make tensors of a GPU in the CPU's memory; leave out what only GSan and a GPU have."""
    import torch
    from triton.experimental.gsan import _testing_utils
    from triton.runtime.interpreter import GridExecutor

    launch = GridExecutor.__call__

    def launched(executor: GridExecutor, *given: object, **named: object) -> Anything:
        launch(executor, *given, **named)
        return ANYTHING

    with ExitStack() as stack:
        for name in CREATORS:
            made = getattr(torch, name)
            local = lambda *a, of=made, **o: of(*a, **(o | {"device": "cpu"}))  # noqa: E731
            stack.enter_context(patch.object(torch, name, local))
        stack.enter_context(patch.object(torch.cuda, "use_mem_pool", lambda _: nullcontext()))
        stack.enter_context(patch.object(torch.cuda, "synchronize", lambda *_: None))
        stack.enter_context(patch.object(GridExecutor, "__call__", launched))
        tests = [m for n, m in sys.modules.items() if n.startswith("test_gsan")]
        for one in (*tests, _testing_utils):
            for name in ("shadow_cell_from_address", "thread_state_from_smid", "ScalarClock"):
                if hasattr(one, name):
                    stack.enter_context(patch.object(one, name, anything))
            if hasattr(one, "nanosleep"):
                stack.enter_context(patch.object(one, "nanosleep", lambda _: None))
            if hasattr(one, "create_mem_pool"):
                stack.enter_context(patch.object(one, "create_mem_pool", lambda: None))
        yield
