"""What the reference passes make of programs: text in, text out, in files that the lesson quotes.

A file of curriculum/tvm_passes/golden names its passes, as "# RUN: file.function", and has the text
of a module before and after them.
"""

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.author import quoting
from hotloop.core import paths

FILES = sorted((paths.curriculum() / "tvm_passes" / "golden").glob("*.txt"))
PAIRS = [
    (path, name)
    for path in FILES
    for name in re.findall(r"^# RUN: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
]
NAMED: Callable[[Any], str] = lambda value: str(getattr(value, "stem", value))  # noqa: E731
# A partition is not a pass: its file asks first whether a module is divided already.
PASSES = [(path, name) for path, name in PAIRS if name != "accelerator.divided"]


@pytest.fixture
def reference() -> Iterator[Callable[[str], Any]]:
    """A function that returns a function of the reference's files, by `file.function`."""

    def function(name: str) -> Any:
        file, _, what = name.partition(".")
        return getattr(importlib.import_module(file), what)

    folder, known = paths.solutions() / "tvm_passes", set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield function
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - known:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == folder:
                del sys.modules[name]


def module_of(path: Path, section: str) -> Any:
    """The module of a section; a single function is its "main"."""
    import tvm
    from tvm.script import from_source

    name = f"{path.relative_to(paths.root())}:{section}"
    parsed = from_source(quoting.source(name, path))
    return parsed if isinstance(parsed, tvm.IRModule) else tvm.IRModule({"main": parsed})


@pytest.mark.parametrize(("path", "name"), PAIRS, ids=NAMED)
def test_a_pass_makes_the_golden_text(
    path: Path, name: str, reference: Callable[[str], Any]
) -> None:
    """Both texts are printed by TVM, so that only lines and spaces may be set otherwise."""
    made = reference(name)(module_of(path, "before"))
    assert made.script() == module_of(path, "after").script()


@pytest.mark.parametrize(("path", "name"), PASSES, ids=NAMED)
def test_a_pass_leaves_its_own_result(
    path: Path, name: str, reference: Callable[[str], Any]
) -> None:
    after = module_of(path, "after").script()
    assert reference(name)(module_of(path, "after")).script() == after
