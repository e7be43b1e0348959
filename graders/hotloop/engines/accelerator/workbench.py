"""What a page asks about a machine: its manual, a program's run; plain data in and out.

    {"ask": "machine", "seed": 12}
    {"ask": "naive", "seed": 12, "kernel": "walk", "items": 256}
    {"ask": "run", "seed": 12, "kernel": "walk", "items": 256, "language": "assembly" or "python",
     "source": "…", "files": {"scheduler.py": "…"}}

A program in Python is a module with `build(items)`, which returns the program's text; `files` are
modules that it may import. The page's worker calls `answer` with the text of each request.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import random
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import timeline
from hotloop.engines.accelerator.kernel import Work
from hotloop.engines.accelerator.kernels import BY_NAME
from hotloop.engines.accelerator.manual import manual
from hotloop.engines.accelerator.program import Rejected, assemble, disassemble
from hotloop.engines.accelerator.run import Fault, TooSlow, run
from hotloop.engines.accelerator.scale import score

SLOWEST = 2
"""A program may take as many times the cycles of the naive one."""

FILE = "program.py"
MOST_PRINTED = 4000
"""Characters of a generator's output that an answer shows."""


class _Problem(Exception):
    """What keeps a program from running. line: of its source, where known."""

    def __init__(self, text: str, line: int | None = None) -> None:
        super().__init__(text)
        self.line = line


def answer(request: str) -> str:
    """Return the answer to a request, both in JSON; a program's problem is `{"problem": …}`."""
    try:
        document = _answer(json.loads(request))
    except _Problem as problem:
        document = {"problem": str(problem), "line": problem.line}
    return json.dumps(document)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    seed = int(request["seed"])
    if request["ask"] == "machine":
        counts = {name: kernel(seed).items for name, kernel in BY_NAME.items()}
        return {"manual": manual(machines.draw(seed)), "kernels": counts}
    name, items = str(request["kernel"]), int(request["items"])
    if request["ask"] == "naive":
        return {"program": disassemble(BY_NAME[name](seed).naive(items))}
    printed, text = "", str(request["source"])
    if request["language"] == "python":
        printed, text = _generate(text, request.get("files", {}), items)
    return {**_run(seed, name, items, text), "printed": printed}


@cache
def _naive(seed: int, name: str, items: int) -> tuple[Work, int]:
    """Return the input of a seed and count, always the same, and the naive program's cycles."""
    kernel = BY_NAME[name](seed)
    work = kernel.draw(items, random.Random(1))
    result = run(machines.draw(seed), kernel.naive(items), work.memory, work.writable, 10**9)
    return work, result.cycles


def _run(seed: int, name: str, items: int, text: str) -> dict[str, Any]:
    machine = machines.draw(seed)
    work, naive = _naive(seed, name, items)
    try:
        program = assemble(text, machine)
    except Rejected as error:
        raise _Problem(f"{error}.", _line(str(error))) from None
    try:
        result = run(machine, program, work.memory, work.writable, SLOWEST * naive, record=True)
    except TooSlow:
        said = f"It takes more than {SLOWEST * naive} cycles, {SLOWEST} times the naive program's."
        raise _Problem(said) from None
    except Fault as error:
        bundle = int(str(error).removeprefix("bundle ").partition(",")[0])
        line = timeline.lines(text)[bundle]
        raise _Problem(f"Line {line}: {error}.", line) from None
    bound = BY_NAME[name](seed).bound(work)
    return {
        "mismatch": work.mismatch(result.memory),
        "naive": naive,
        "bound": bound,
        "score": score(result.cycles, naive, bound),
        "run": timeline.facts(result, machine, program, text, bound=bound),
    }


def _line(error: str) -> int | None:
    number = error.removeprefix("line ").partition(":")[0]
    return int(number) if number.isdigit() else None


def _generate(source: str, files: Mapping[str, str], items: int) -> tuple[str, str]:
    """Return what the generator prints, and the program's text. Raises _Problem."""
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**files, FILE: source}.items():
            Path(folder, Path(name).name).write_text(text, encoding="utf-8")
        own = {Path(name).stem for name in (*files, FILE)}
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        module = ModuleType(Path(FILE).stem)
        module.__file__ = str(Path(folder, FILE))
        sys.modules[module.__name__] = module  # dataclasses look it up there
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, module.__file__, "exec"), module.__dict__)  # noqa: S102
                text = module.__dict__["build"](items)
        except KeyError as error:
            if error.args != ("build",):
                raise _failure(error, module.__file__) from None
            raise _Problem("There is no function `build(items)`.") from None
        except Exception as error:  # noqa: BLE001
            raise _failure(error, module.__file__) from None
        finally:
            sys.path.remove(folder)
            for name in own:
                sys.modules.pop(name, None)
    if not isinstance(text, str):
        raise _Problem(f"`build` returns {type(text).__name__}, not a text.")
    return printed.getvalue()[:MOST_PRINTED], text


def _failure(error: Exception, file: str) -> _Problem:
    """Name the deepest line of the learner's file in which a generator failed."""
    frames = traceback.extract_tb(error.__traceback__)
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == file), None)
    if isinstance(error, SyntaxError) and error.filename == file:
        line = error.lineno
    where = f"Line {line}: " if line else ""
    return _Problem(f"{where}{type(error).__name__}: {error}", line)
