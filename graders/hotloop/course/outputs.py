"""Collects a cell's outputs: limited in size, sanitized, and in notebook format."""

from typing import Any, cast

from nbformat import NotebookNode

from hotloop.course import nodes
from hotloop.course.channels import Reply
from hotloop.course.sanitize import harmless_data
from hotloop.tasks.notebook_cells import writable

MAX_TEXT = 64 * 1024
"""Most characters of text to keep per cell."""
MAX_DISPLAY = 2 << 20
"""Most characters of pictures and tables to keep per cell."""
CUT = "\n… the output was cut here: a cell may show {limit} characters of it.\n"


class Outputs:
    """The outputs of one cell so far."""

    def __init__(self, max_text: int = MAX_TEXT, max_display: int = MAX_DISPLAY) -> None:
        self.nodes: list[NotebookNode] = []
        self.was_cut = False
        self._limit = max_text
        self._text_left = max_text
        self._display_left = max_display

    def add(self, reply: Reply) -> None:
        """Keep the part of a message that belongs in a notebook; drop the rest."""
        content = reply.content
        if reply.kind == "stream":
            self.stream(str(content.get("name", "")), str(content.get("text", "")))
        elif reply.kind in {"display_data", "execute_result"}:
            self._display(content.get("data"))
        elif reply.kind == "error":
            self._error(content)

    def stream(self, name: str, text: str) -> None:
        """Append text to standard output or standard error."""
        shown = self._take_text(text)
        if not shown:
            return
        name = "stderr" if name == "stderr" else "stdout"
        last = self.nodes[-1] if self.nodes else None
        if last is not None and last.output_type == "stream" and last.name == name:
            last.text += shown
            return
        self.nodes.append(nodes.stream(name, shown))

    def lost(self) -> None:
        """Note that output was not received, because it was too much at once."""
        self._note_cut(True)

    def failure(self, name: str, message: str) -> None:
        """Add an error of the platform, such as a timeout; it is never cut."""
        self.nodes.append(nodes.error(name, message, [f"{name}: {message}"]))

    def _display(self, data: Any) -> None:
        if not isinstance(data, dict):
            return
        shown = harmless_data(cast(dict[str, Any], data))
        size = sum(map(len, shown.values()))
        if not shown or size > self._display_left:
            self._note_cut(bool(shown))
            return
        self._display_left -= size
        self.nodes.append(nodes.display(shown))

    def _error(self, content: dict[str, Any]) -> None:
        lines = content.get("traceback")
        trace = "\n".join(map(str, cast(list[Any], lines))) if isinstance(lines, list) else ""
        name, message = (writable(str(content.get(key, ""))[:1000]) for key in ("ename", "evalue"))
        self.nodes.append(nodes.error(name, message, self._take_text(trace).split("\n")))

    def _take_text(self, text: str) -> str:
        text = writable(text)
        shown = text[: self._text_left]
        self._text_left -= len(shown)
        if len(shown) == len(text):
            return shown
        if self.was_cut:
            return shown
        self.was_cut = True
        return shown + CUT.format(limit=self._limit)

    def _note_cut(self, needed: bool) -> None:
        if needed and not self.was_cut:
            self.was_cut = True
            self.nodes.append(nodes.stream("stdout", CUT.format(limit=self._limit)))
