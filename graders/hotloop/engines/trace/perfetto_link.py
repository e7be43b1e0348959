"""Opens a trace in Perfetto's viewer: from disk, or passed on by the notebook's page.

The viewer runs in the browser. A file that it opens stays on the computer; so does one that another
page passes to it by window messages, as the button does (perfetto.dev, "Deep linking to the
Perfetto UI").
"""

import base64
import gzip
import itertools
import json
from html import escape
from pathlib import Path

from hotloop.core.graded_run import while_graded
from hotloop.engines.trace.error import TraceError
from hotloop.engines.trace.source import open_ordinary

URL = "https://ui.perfetto.dev"
MOST_EMBEDDED = 2 << 20
"""Most bytes of a compressed file that a notebook page may embed."""

_MOST_PACKED = 64 << 20  # a larger file is not compressed at all
_NUMBERS = itertools.count(1)


class PerfettoLink:
    """Opens one file in Perfetto: a notebook shows a link, and a button for a small file."""

    def __init__(self, path: Path, content: bytes | None) -> None:
        self.path = path
        self.content = content
        """The file compressed with gzip, or None if it is too large for a page."""

    def __str__(self) -> str:
        return (
            f"Open {URL}, choose “Open trace file” and pick {self.path}. "
            "The file stays on your computer."
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        steps = (
            f'<ol><li>Open <a href="{URL}" target="_blank" rel="noopener noreferrer">'
            f"ui.perfetto.dev</a>.</li><li>Choose “Open trace file” and pick "
            f"<code>{escape(str(self.path))}</code>.</li></ol>"
            "<p>Perfetto reads the file in your browser; nothing is uploaded.</p>"
        )
        if self.content is None or while_graded():
            return steps
        return steps + self._button()

    def _button(self) -> str:
        name = f"hotloop-perfetto-{next(_NUMBERS)}"
        packed = base64.b64encode(self.content or b"").decode()
        title = json.dumps(self.path.name).replace("<", "\\u003c").replace("&", "\\u0026")
        script = (
            _SCRIPT.replace("@NAME@", name)
            .replace("@TITLE@", title)
            .replace("@URL@", URL)
            .replace("@DATA@", packed)
        )
        return (
            f'<p><button id="{name}" type="button">Open this trace in Perfetto</button> '
            f'<span id="{name}-status" role="status"></span></p><script>{script}</script>'
        )


def perfetto(path: str | Path, *, most_embedded: int = MOST_EMBEDDED) -> PerfettoLink:
    """Return a link that opens this trace in Perfetto. Raises TraceError if the file is missing."""
    path = Path(path)
    with open_ordinary(path) as file:
        content = file.read(_MOST_PACKED + 1) or b""
    if not content:
        raise TraceError(path, "the file is empty", "Export the trace again.")
    return PerfettoLink(path.absolute(), _packed(content, most_embedded))


def _packed(content: bytes, most: int) -> bytes | None:
    if len(content) > _MOST_PACKED:
        return None
    packed = content if content.startswith(b"\x1f\x8b") else gzip.compress(content, mtime=0)
    return packed if len(packed) <= most else None


# The viewer replies PONG once it listens; messages before that are lost.
_SCRIPT = """
(() => {
  const button = document.getElementById("@NAME@");
  const status = document.getElementById("@NAME@-status");
  const packed = "@DATA@";
  button.onclick = () => {
    const blob = new Blob([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))]);
    const viewer = window.open("@URL@");
    if (!viewer) {
      status.textContent = "The browser blocked the new window: use the link above.";
      return;
    }
    const ping = setInterval(() => viewer.postMessage("PING", "@URL@"), 100);
    const stop = () => { clearInterval(ping); removeEventListener("message", connect); };
    const connect = (event) => {
      if (event.source !== viewer || event.origin !== "@URL@" || event.data !== "PONG") return;
      stop();
      blob.arrayBuffer().then((buffer) => viewer.postMessage(
        {perfetto: {buffer, title: @TITLE@, fileName: @TITLE@}}, "@URL@"));
    };
    addEventListener("message", connect);
    setTimeout(stop, 60000);
  };
})();
"""
