"""Serves the practice page to the learner on this machine, and stores the record.

The server listens on 127.0.0.1 only. Other accounts of the machine and other pages in the browser
can also reach that address. Therefore everything is below a secret path, a request must name this
machine as its host (a foreign name that resolves to 127.0.0.1 is rejected), and requests by another
page's script are rejected by their origin.
"""

import secrets
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank.catalog import catalog
from hotloop.learn.learning import next_steps
from hotloop.learn.learning.standing import overview
from hotloop.learn.practice import data, store, verdicts
from hotloop.learn.practice.store import Outdated
from hotloop.tasks import curriculum

PAGE = Path(__file__).with_name("page")
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
POLICY = "default-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
MOST_BYTES = 32 << 20
"""Limit of a record; a mark takes about 200 bytes."""
IDLE_S = 10.0


class PracticeServer(ThreadingHTTPServer):
    """Serves everything below a secret path.

    Every account on the machine can read the browser's command line. The browser is therefore
    opened with a ticket, which works once and redirects to that path.
    """

    def __init__(self, page: str) -> None:
        """page: where the ticket leads, such as `index.html#track=dl_compilers`."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.secret = secrets.token_urlsafe(24)
        self._ticket = secrets.token_urlsafe(24)
        self._page = page
        self._scripts = data.scripts(curriculum.modules(), catalog())
        self._files = {
            str(path.relative_to(PAGE)): path for path in PAGE.rglob("*.*") if path.suffix in TYPES
        }
        # URLs have no `local/`, so that these pages are next to the scripts, as on the site.
        self._files |= {p.name: p for p in (PAGE / "local").glob("*.html")}

    @property
    def address(self) -> str:
        """The page's URL. It works as long as the server runs, for anyone who knows it."""
        return f"{self._root}/{self.secret}/{self._page}"

    @property
    def ticket(self) -> str:
        """A URL that redirects to the page once."""
        return f"{self._root}/{self._ticket}"

    def redeemed(self, ticket: str) -> str | None:
        """Return the page's path if this is the unused ticket, else None."""
        if not self._ticket or not secrets.compare_digest(ticket.encode(), self._ticket.encode()):
            return None
        self._ticket = ""
        return f"/{self.secret}/{self._page}"

    def content(self, name: str) -> str | None:
        """Return the text of a page or script, or None if there is none of that name."""
        if name == "record.js":
            stored = store.read()
            record = {"text": stored.text, "version": stored.version, "path": str(store.path())}
            return data.script("hotloop.record", record)
        if name == "next.js":
            return _next()
        if name in self._scripts:
            return self._scripts[name]()
        if name in self._files:
            # Raises CurriculumError if the record cannot be read, so that the page shows why.
            store.read()
            return self._files[name].read_text(encoding="utf-8")
        return None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connection errors: the browser may close a connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def _root(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


def _next() -> str:
    """Return the script with what `hotloop progress` says: what is next, and each task's state."""
    lines = verdicts.read().lines
    standing = overview(store.read().state, lines, datetime.now(UTC))
    steps = [asdict(step) for step in next_steps.steps(standing)]
    states = {key: line.words for key, line in verdicts.latest(lines).items()}
    return data.script("hotloop.next", steps) + data.script("hotloop.states", states)


class _Handler(BaseHTTPRequestHandler):
    server: PracticeServer  # pyright: ignore[reportIncompatibleVariableOverride]
    timeout = IDLE_S

    def do_GET(self) -> None:
        """Answer with a page, a script or the record."""
        if (name := self._name()) is None:
            return
        try:
            if name == "record":
                stored = store.read()
                self._answer(HTTPStatus.OK, stored.text, ".json", {"ETag": stored.version})
            elif (content := self.server.content(name)) is not None:
                self._answer(HTTPStatus.OK, content, Path(name).suffix)
            else:
                self._answer(HTTPStatus.NOT_FOUND, "There is no such page.")
        except CurriculumError as error:
            self._answer(HTTPStatus.CONFLICT, str(error))

    def do_PUT(self) -> None:
        """Store the record, unless it was written since the version that `If-Match` names."""
        if (name := self._name()) is None:
            return
        size = self.headers.get("Content-Length", "")
        if name != "record" or not size.isdecimal() or int(size) > MOST_BYTES:
            self._answer(HTTPStatus.BAD_REQUEST, f"a record has at most {MOST_BYTES} bytes.")
            return
        try:
            text = self.rfile.read(int(size)).decode()
            stored = store.replace(text, self.headers.get("If-Match", ""))
        except Outdated:
            self._answer(HTTPStatus.PRECONDITION_FAILED, "The record was written since then.")
        except (ValidationError, UnicodeDecodeError) as error:
            self._answer(HTTPStatus.BAD_REQUEST, f"this is no record: {error}")
        except CurriculumError as error:
            self._answer(HTTPStatus.CONFLICT, str(error))
        except OSError as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, f"{store.path()}: {error}")
        else:
            self._answer(HTTPStatus.OK, "", headers={"ETag": stored.version})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing: the terminal shows the address, which must stay visible."""

    def _name(self) -> str | None:
        """Return the requested name below the secret path.

        Returns None after answering with an error or, for a ticket, a redirect.
        """
        host = self.headers.get("Host", "")
        origin = self.headers.get("Origin")
        if host.rpartition(":")[0] not in {"127.0.0.1", "localhost"}:
            self._answer(HTTPStatus.FORBIDDEN, "This host is not served here.")
            return None
        if origin != f"http://{host}" and (origin is not None or self.command != "GET"):
            self._answer(HTTPStatus.FORBIDDEN, "Only the practice page may ask.")
            return None
        secret, _, name = urlsplit(self.path).path.removeprefix("/").partition("/")
        if secrets.compare_digest(secret.encode(), self.server.secret.encode()):
            return name
        if self.command == "GET" and (page := self.server.redeemed(secret)):
            self._answer(HTTPStatus.SEE_OTHER, "", headers={"Location": page})
        else:
            self._answer(HTTPStatus.NOT_FOUND, "Open the address that hotloop interview printed.")
        return None

    def _answer(
        self,
        status: HTTPStatus,
        text: str,
        suffix: str = ".txt",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        body = text.encode()
        self.send_response(status)
        kind = TYPES.get(suffix, "text/plain")
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
