"""A curriculum of one track with one module, and questions of both."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hotloop.core import paths
from hotloop.learn.bank.catalog import CatalogEntry, catalog
from hotloop.tasks import curriculum

from ...small_module import small_module

CURRICULUM = {
    "title": "t",
    "tiers": ["beginner", "intermediate", "advanced"],
    "tracks": [
        {"id": "a", "title": "A", "summary": "s", "modules": ["first"]},
        {"id": "b", "title": "B", "summary": "s", "modules": []},
    ],
    "roles": [
        {"id": "trainer", "title": "Trainer", "modules": ["first"]},
        {"id": "compilers", "title": "Compilers", "modules": [], "tracks": ["a"]},
    ],
    "concepts": [{"id": "c", "title": "C", "summary": "s"}],
}

NUMERIC: dict[str, Any] = {
    "ask": "{rows} rows of {width} numbers in float32: how many bytes?",
    "parameters": {"rows": [8, 16], "width": [1024, 65536]},
    "formula": "rows * width * 4",
    "unit": "bytes",
    "explain": "Rows times width times four bytes.",
}

QUESTION: dict[str, Any] = {
    "id": "bytes_of_a_batch",
    "level": "beginner",
    "title": "Bytes of a batch",
    "minutes": 5,
    "links": ["first.task"],
    "prompt": "How many bytes? Say `how` {it} is = #counted: ~ and <why>.",
    "probes": ["counts", "units"],
    "strategy": ["rows first", "then width"],
    "say": "Count the rows, then the width.",
    "answer": "Rows times width times 4.\n\nThat is all.",
    "weak_answers": [{"says": "a few", "reveals": "does not count"}],
    "follow_ups": ["in bfloat16?", "with padding?"],
    "rubric": {mark: f"mark {mark}" for mark in range(5)},
    "opinion": ["Counting beats guessing."],
}

CHINESE: dict[str, Any] = {
    "id": "bytes_of_a_batch",
    "title": "一个批次有多少字节",
    "prompt": "有多少字节?\n说明怎样计算。",
    "probes": ["会计数", "懂单位"],
    "strategy": ["先数行", "再乘宽度"],
    "say": "先数行，再乘宽度。",
    "answer": "行数乘宽度乘 4。",
    "weak_answers": [{"says": "几个", "reveals": "没有计数"}],
    "follow_ups": ["bfloat16 呢?", "有填充呢?"],
    "rubric": {mark: f"{mark} 分" for mark in range(5)},
    "opinion": ["计数胜过猜测。"],
}


def write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The curriculum's folder."""
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    folder = tmp_path / "curriculum"
    write(folder / "curriculum.yaml", CURRICULUM)
    write(folder / "first" / "module.yaml", small_module("first"))
    caches = (curriculum.curriculum, curriculum.load_module, catalog)
    for cache in caches:
        cache.cache_clear()
    yield folder
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def ask(tree: Path) -> Callable[..., CatalogEntry]:
    """Returns a function that writes the module's only question, with changes, and reads it."""

    def asked(**changes: object) -> CatalogEntry:
        question = {key: v for key, v in (QUESTION | changes).items() if v is not None}
        write(tree / "first" / "questions.yaml", {"questions": [question]})
        catalog.cache_clear()
        return catalog()[0]

    return asked


@pytest.fixture
def translate(tree: Path) -> Callable[..., None]:
    """Returns a function that writes the question's translation, with changes."""

    def translated(**changes: object) -> None:
        said = {key: v for key, v in (CHINESE | changes).items() if v is not None}
        write(tree / "first" / "questions.zh.yaml", {"questions": [said]})

    return translated


@pytest.fixture
def numbers() -> dict[str, Any]:
    """The numeric part of a question."""
    return dict(NUMERIC)
