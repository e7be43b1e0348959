"""What to do next, as lines of a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from hotloop.learn.learning.next_steps import NextStep


def numbered(steps: Sequence[NextStep]) -> Iterator[Text]:
    """Yield a heading and a line for each step, with its command below; nothing without steps."""
    if steps:
        yield Text("What to do next", "bold")
    for number, step in enumerate(steps, 1):
        yield Text.assemble(f"{number}. {step.what}: {step.why}.\n   ", (step.command, "cyan"))
