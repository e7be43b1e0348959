"""Questions that are hard to export: they contain every special character of some format."""

from collections.abc import Callable
from typing import Any

import pytest

from hotloop.learn.bank.catalog import CatalogEntry


@pytest.fixture
def entry(
    ask: Callable[..., CatalogEntry], translate: Callable[..., None], numbers: dict[str, Any]
) -> CatalogEntry:
    """A question in two languages and with numbers."""
    translate(numeric={"ask": "{rows} 行，每行 {width} 个数", "explain": "相乘。"})
    return ask(
        title="Bytes: {a} = #b ~ c",
        prompt=(
            'Is {x} = #1 ~ `a->b` <b> & "c": \\n, \\d?\n\nSecond :: paragraph //.\n\n'
            "```cuda\nif (a<b) {\n\n  c = 1; // #2\n}\n```\n"
        ),
        answer="if a < b and `c & d`: {1} → 2\n\n// not a comment\n$CATEGORY: no\n\n=~%50%",
        numeric=numbers,
    )
