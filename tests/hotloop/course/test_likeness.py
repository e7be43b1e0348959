"""Likeness after removing the starter: ignores names and layout, but not the code."""

import json
import time
from pathlib import Path

import pytest

from hotloop.course.alike.likeness import RUN, likeness, print_of, subtrees, token_runs, tokens
from hotloop.course.alike.parts import LONGEST, Language, parts
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.reference_files import sources

INDEPENDENT = Path(__file__).parents[2] / "benchmarks" / "independent" / "online_pass"

CODE = """
def scaled(rows, factor):
    '''Says what it does.'''
    total = 0.0
    for row in rows:
        value = row["left"] * factor + row["right"]  # a comment
        if value > 10:
            total += helper(value, limit=3).sum(dim=-1)
        else:
            total -= abs(value) / len(rows)
    return total


def helper(value, limit):
    return [value ** power for power in range(limit) if power % 2 == 0][0]
"""
DISGUISED = """
def other(amount, limit):
  return [amount ** n for n in range(limit) if n % 2 == 0][0]

def mine(items, by):
  result = 0.5
  for item in items:
    x = item["first"] * by + item["second"]
    if x > 99:
      result += other(x, limit=7).sum(dim=-1)
    else:
      result -= abs(x) / len(items)
  return result
"""


def test_names_order_layout_and_numbers_do_not_hide_a_copy() -> None:
    found = likeness(print_of(CODE, "python"), print_of(DISGUISED, "python"))
    assert found is not None
    assert found.trees == 1
    assert found.tokens > 0.85


def test_solutions_written_apart_are_not_alike() -> None:
    first, second = (
        (INDEPENDENT / f"{name}.py").read_text() for name in ("state_object", "base_two")
    )
    found = likeness(print_of(first, "python"), print_of(second, "python"))
    assert found is not None
    assert found.score < 0.3


def test_the_starter_is_taken_off() -> None:
    starter, own = "\n".join(CODE.split("\n")[:12]), CODE.split("\n\n\n")[1]
    whole = print_of(CODE, "python", [starter])
    given, mine = print_of(starter, "python"), print_of(own, "python")
    assert given.trees
    assert mine.trees
    assert whole.trees == mine.trees
    assert not whole.runs.keys() & given.runs.keys()
    # All of the candidate's own runs stay, except those that the starter has too.
    assert whole.runs.keys() >= mine.runs.keys() - given.runs.keys()
    assert len(mine.runs.keys() - given.runs.keys()) > 20
    assert len(whole.runs.keys() - mine.runs.keys()) < RUN


def test_what_is_short_cannot_be_compared() -> None:
    short = print_of("def f(x):\n    return x + 1\n", "python")
    assert likeness(short, print_of(CODE, "python")) is None


def test_what_does_not_parse_is_compared_by_tokens() -> None:
    broken = print_of(CODE + "\ndef (", "python")
    assert broken.trees is None
    found = likeness(broken, print_of(DISGUISED, "python"))
    assert found is not None
    assert found.trees is None
    assert found.score == found.tokens > 0.8


def test_cuda_is_compared_by_tokens() -> None:
    source = sources("fused_softmax")["softmax.cu"].read_text()
    renamed = source.replace("maximum", "highest").replace("//", "// says")
    found = likeness(print_of(source, "cuda"), print_of(renamed, "cuda"))
    assert found is not None
    assert found.tokens > 0.95


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "x = " + "(" * 5000,
        "x = " + "-" * 20000 + "1",
        "'''",
        "\ud800".encode("utf-8", "replace").decode(),
    ],
)
def test_hostile_text_is_no_error(text: str) -> None:
    subtrees(text)
    assert token_runs(text, "python") is not None


def test_a_notebook_is_compared_cell_by_cell() -> None:
    module = curriculum.load_module("fused_softmax")
    found = parts(
        render.submission(module.id), module, ["online_pass", "triton_forward", "explain"]
    )
    assert [(part.name, part.tasks) for part in found] == [
        ("lab.ipynb · online_pass", ("online_pass",)),
        ("softmax_triton.py", ("triton_forward",)),
    ]
    assert "def online_softmax" in found[0].text
    assert "softmax_chain" not in found[0].text


def test_a_notebook_that_is_none_has_no_parts() -> None:
    module = curriculum.load_module("fused_softmax")
    assert parts({"lab.ipynb": b"[1"}, module, ["online_pass"]) == []


def _notebook(*cells: tuple[str, str]) -> dict[str, bytes]:
    document = {
        "cells": [
            {"cell_type": "code", "source": source, "metadata": {"nbgrader": {"grade_id": name}}}
            for name, source in cells
        ]
    }
    return {"lab.ipynb": json.dumps(document).encode()}


def test_empty_lines_take_no_time() -> None:
    files = _notebook(("online_pass_solution", "\n" * 200_000 + "x = 1"))
    started = time.monotonic()
    assert len(parts(files, load_module("fused_softmax"), ["online_pass"])) == 1
    assert time.monotonic() - started < 2


SPACES = " " * 20_000
SLOW = {
    "cuda": [
        "a" + SPACES + "b" + SPACES + "()" + SPACES + "'",
        "a" + SPACES + "=",
        'R"a(' * LONGEST,
    ],
    "python": [" \n" * 30_000 + "x", "x\nb'''\n" * LONGEST, 'x = "' + "\\N{" * 21_845],
}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["cuda", "python"])
def test_no_text_holds_up_the_grader(language: Language) -> None:
    for text in SLOW[language]:
        started = time.process_time()
        token_runs.__wrapped__(text[:LONGEST], language)
        assert time.process_time() - started < 20


def test_spaces_change_no_token() -> None:
    wider = CODE.replace(" ", "   ").replace("\n", "  \n\n")
    assert list(tokens(wider, "python")) == list(tokens(CODE, "python"))


def test_a_cell_that_was_copied_makes_no_further_part() -> None:
    files = _notebook(*[("online_pass_solution", f"x_{n} = 1") for n in range(200)])
    (found,) = parts(files, load_module("fused_softmax"), ["online_pass"])
    assert "x_0 = 1" in found.text
    assert "x_199 = 1" in found.text
