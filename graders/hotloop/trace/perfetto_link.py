"""Opens a trace in Perfetto's viewer: from disk, or handed over by the notebook's own page.

The viewer is a page that runs in the browser. A file that it opens stays on the computer; so does
one that another page hands to it by a message between windows, which is how the button works
(perfetto.dev, "Deep linking to the Perfetto UI").
"""

import base64
import gzip
import itertools
import json
from html import escape
from pathlib import Path

from hotloop.trace.error import TraceError
from hotloop.trace.graded import while_graded
from hotloop.trace.source import open_ordinary

URL = "https://ui.perfetto.dev"
MOST_EMBEDDED = 2 << 20
"""Bytes of a compressed file that the page of a notebook may carry."""

_MOST_PACKED = 64 << 20  # a larger file is not even tried
_NUMBERS = itertools.count(1)


class PerfettoLink:
    """How to open one file in Perfetto; a notebook shows a link, and a button if it is small."""

    def __init__(self, path: Path, content: bytes | None) -> None:
        self.path = path
        self.content = content
        """The file compressed by gzip, or None if it is too large for a page."""

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
            f'<span id="{name}-said" role="status"></span></p><script>{script}</script>'
        )


def perfetto(path: str | Path, *, most_embedded: int = MOST_EMBEDDED) -> PerfettoLink:
    """How to open this trace in Perfetto. TraceError if there is no such file."""
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


# The other window says PONG when it listens; what is sent before that is lost.
_SCRIPT = """
(() => {
  const button = document.getElementById("@NAME@");
  const said = document.getElementById("@NAME@-said");
  const packed = "@DATA@";
  button.onclick = () => {
    const blob = new Blob([Uint8Array.from(atob(packed), (c) => c.charCodeAt(0))]);
    const viewer = window.open("@URL@");
    if (!viewer) {
      said.textContent = "The browser blocked the new window: use the link above.";
      return;
    }
    const ping = setInterval(() => viewer.postMessage("PING", "@URL@"), 100);
    const stop = () => { clearInterval(ping); removeEventListener("message", heard); };
    const heard = (event) => {
      if (event.source !== viewer || event.origin !== "@URL@" || event.data !== "PONG") return;
      stop();
      blob.arrayBuffer().then((buffer) => viewer.postMessage(
        {perfetto: {buffer, title: @TITLE@, fileName: @TITLE@}}, "@URL@"));
    };
    addEventListener("message", heard);
    setTimeout(stop, 60000);
  };
})();
"""
