"""Opens a practice page in the browser, and serves it until Ctrl-C."""

import threading
import time
import webbrowser
from contextlib import suppress
from typing import Annotated
from urllib.parse import urlencode

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, log
from hotloop.core.user_error import UserError
from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.practice import store
from hotloop.learn.practice.server import PracticeServer
from hotloop.learn.practice.state import PracticeRecord

Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the page, or only print its address.")
]


def practice_record() -> PracticeRecord:
    """Return the practice record of this machine. Raises UserError if its file cannot be read."""
    try:
        return store.read().state
    except CurriculumError as error:
        raise UserError(f"{error}. Nothing was changed: fix the file or move it away.") from None


def served(page: str, wish: dict[str, str | None], browser: bool, **counts: int) -> CommandResult:
    """Return an answer with the page's address, which serves the page after printing it.

    wish: selections on the page at the start. counts: added to the document of --json.
    """
    fragment = urlencode({name: value for name, value in wish.items() if value is not None})
    server = PracticeServer(f"{page}#{fragment}")
    return CommandResult(
        {"url": server.address, "record": str(store.path()), **counts},
        Text(server.address, no_wrap=True, overflow="ignore"),
        Text("Ctrl-C ends it. Whoever has the address can read and change your record."),
        then=lambda _as_json: _serve(server, browser),
    )


def _serve(server: PracticeServer, browser: bool) -> int:
    """Serve until Ctrl-C."""
    with server, suppress(KeyboardInterrupt):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        if browser and not webbrowser.open(server.ticket):
            log("There is no browser here: open the address yourself.")
        while True:
            time.sleep(3600)  # on Windows Ctrl-C does not end the wait for an event or a lock
    log(f"Stopped. Your record is {store.path()}.")
    return 0
