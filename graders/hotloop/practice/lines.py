"""Where a session's lines come from: a person at the terminal, or a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

Status = Callable[[], str]
"""What the prompt says at this moment."""


class Lines(Protocol):
    """Asks for one line. EOFError when there are no more, KeyboardInterrupt on Ctrl-C."""

    def ask(self, prompt: str, status: Status | None = None) -> str:
        """The line that is given, without its end."""
        ...


class Typed:
    """Lines of a person. The status in the prompt is told anew every half second."""

    def ask(self, prompt: str, status: Status | None = None) -> str:
        """Wait for a line."""
        if status is None:
            return self._session.prompt(f"{prompt}> ")
        # Not a toolbar, which terminals that don't tell where their cursor is never show.
        return self._session.prompt(lambda: f"{status()} {prompt}> ", refresh_interval=0.5)

    @cached_property
    def _session(self) -> PromptSession[str]:
        # Here, so that what asks nobody starts without it.
        from prompt_toolkit import PromptSession

        return PromptSession()


class Scripted:
    """Lines of a text, the same that a person would type; each is shown where it is asked for."""

    def __init__(self, lines: Iterable[str], console: Console) -> None:
        self._lines = iter(lines)
        self._console = console

    def ask(self, prompt: str, status: Status | None = None) -> str:
        """The next line of the script."""
        del status
        line = next(self._lines, None)
        if line is None:
            raise EOFError
        line = line.rstrip("\r\n")
        self._console.print(Text.assemble((f"{prompt}> ", "dim"), line))
        return line
