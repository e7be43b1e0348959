"""Displays the files that a learner handed in with the notebook, in feedback and formgrader.

Names and contents are untrusted. They are escaped, and characters that could mislead a browser or
reader (control characters, changes of text direction) become visible marks.
"""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from hotloop.core.untrusted_text import readable
from hotloop.course.hand_in import is_notebook, ordinary_files
from hotloop.tasks.problem import JudgedTask

MAX_LINES = 800
MAX_LINE = 400
"""Most characters of a line to show."""
MAX_OTHERS = 20
"""Most files to show that no task asks for."""

STYLE = """
.hl-file{border:1px solid #8b949e66;border-radius:6px;margin:.5em 0;padding:.4em .8em}
.hl-file summary{cursor:pointer;display:list-item;overflow-wrap:anywhere}
.hl-file pre{font:13px/1.45 ui-monospace,monospace;overflow-x:auto;white-space:pre;margin:.5em 0 0;
padding:0;border:0;background:none;counter-reset:line;max-height:40em}
.hl-file code{background:none;color:inherit;padding:0;white-space:pre;overflow-wrap:normal}
.hl-line::before{counter-increment:line;content:counter(line);display:inline-block;width:3.5em;
margin-right:1em;text-align:right;opacity:.6;user-select:none}
"""
"""Line numbers come from a CSS counter, so that they are not copied with the code."""

_NOTEBOOK = ".ipynb"


def read(folder: Path) -> dict[str, bytes]:
    """Read the files in a submission's folder by relative path, without the notebook."""
    files, _ = ordinary_files(folder)
    return {name: data for name, data in files.items() if not is_notebook(name)}


def of_task(task: JudgedTask, files: Mapping[str, bytes]) -> list[str]:
    """Return HTML for each file, other than the notebook, that the task asks to edit."""
    return [
        listing(name, files[name]) if name in files else _frame(name, "not handed in")
        for name in task.files
        if not name.endswith(_NOTEBOOK)
    ]


def others(
    files: Mapping[str, bytes], released: Mapping[str, bytes], task_files: set[str]
) -> list[str]:
    """Return HTML for files that no task asks for and that were not handed out."""
    names = [name for name in files if name not in task_files and name not in released]
    shown = [listing(name, files[name]) for name in names[:MAX_OTHERS]]
    left = len(names) - len(shown)
    return [*shown, f"<p>{left} more are not shown.</p>"] if left else shown


def listing(name: str, data: bytes) -> str:
    """Return a collapsed file with line numbers; a long one is cut, with a note."""
    if b"\0" in data:
        return _frame(name, f"{len(data)} bytes, not text")
    lines = lines_of(data)
    count = f"{len(lines)} line{'' if len(lines) == 1 else 's'}"
    note = f"{count}, the first {MAX_LINES} are shown" if len(lines) > MAX_LINES else count
    return _frame(name, note, "\n".join(map(_line, lines[:MAX_LINES])))


def lines_of(data: bytes) -> list[str]:
    """Return a file's lines, numbered as compilers do; none of an empty file."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n")
    return text.split("\n") if text else []


def _line(line: str) -> str:
    shown = line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}… (line of {len(line)} cut)"
    return f'<span class="hl-line">{_plain(shown)}</span>'


def _frame(name: str, note: str, lines: str = "") -> str:
    head = f"<code>{_plain(name)}</code> ({note})"
    if not lines:
        return f'<p class="hl-file">{head}</p>'
    return (
        f'<details class="hl-file"><summary>{head}</summary>'
        f"<pre><code>{lines}</code></pre></details>"
    )


def _plain(text: str) -> str:
    return escape(readable(text))
