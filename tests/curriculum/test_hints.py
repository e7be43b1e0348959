"""The third hint shows the structure of an answer, and never a line of it."""

import re

import pytest

from hotloop.tasks import curriculum
from hotloop.tasks.markers import parse, regions
from hotloop.tasks.reference_files import sources

SHORTEST = 16
"""Characters without spaces: shorter lines, such as `total += x`, are in every answer."""

MODULES = [module.id for module in curriculum.modules()]


def bare(line: str) -> str:
    """Without comment and spaces."""
    return re.sub(r"\s+", "", re.sub(r"(#|//).*$", "", line))


def tells(line: str) -> bool:
    """A call without arguments, or the beginning of one, does not."""
    whole = len(line) >= SHORTEST and re.search(r"[^\w,]", line) is not None
    return whole and not line.endswith("(") and re.fullmatch(r"[\w.:]+\(\);?", line) is None


def answers(module: str) -> dict[str, set[str]]:
    """Lines of the reference by task, without those that are given."""
    found: dict[str, set[str]] = {}
    for path in sources(module).values():
        if path.suffix in {".safetensors", ".gz", ".npz", ".onnx", ".sqlite"}:
            continue
        for region in regions(parse(path.read_text(encoding="utf-8"), str(path))):
            given = {bare(line) for line in region.with_stub()}
            lines = {bare(line) for line in region.body} - given
            found.setdefault(region.task, set()).update(filter(tells, lines))
    return found


@pytest.mark.parametrize("module", MODULES)
def test_no_third_hint_holds_a_line_of_the_answer(module: str) -> None:
    written = answers(module)
    assert sum(map(len, written.values())) > 50
    for task in curriculum.load_module(module).tasks:
        hint = re.sub(r"\s+", "", task.hints[2])
        told = [line for line in written.get(f"{module}.{task.id}", ()) if line in hint]
        assert told == [], task.id


def test_a_line_of_an_answer_is_found() -> None:
    line = bare("    total = total * torch.exp(maximum - shift)  # rescale")
    assert tells(line)
    assert line in re.sub(r"\s+", "", "```python\ntotal = total * torch.exp(maximum - shift)\n```")
