"""What stands for an ATS, Greenhouse and a mail server in tests: servers that record and check."""

import base64
import hashlib
import hmac
import json
import socketserver
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """A receiver of requests. statuses: of the next answers; 204 after them."""

    port: int = 0
    statuses: list[int] = field(default_factory=list[int])
    requests: list[tuple[str, str, dict[str, str], bytes]] = field(
        default_factory=list[tuple[str, str, dict[str, str], bytes]]
    )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def events(self, secret: str) -> list[dict[str, Any]]:
        """Return the events that came, each once, after checking their signatures."""
        seen: dict[str, dict[str, Any]] = {}
        for method, _, headers, body in self.requests:
            assert method == "POST"
            assert is_signed(secret, headers, body)
            seen[headers["webhook-id"]] = json.loads(body)
        return list(seen.values())


def is_signed(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Check as the specification tells receivers to, without any code of ours."""
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        return False
    name, at = headers["webhook-id"], headers["webhook-timestamp"]
    key = base64.b64decode(secret.split("_", 1)[1])
    signed = b".".join([name.encode(), at.encode(), body])
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = [one.split(",", 1) for one in headers["webhook-signature"].split()]
    return any(version == "v1" and hmac.compare_digest(one, wanted) for version, one in given)


@contextmanager
def receiver() -> Generator[Receiver]:
    """Run a receiver of HTTP requests."""
    seen = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen.requests.append((self.command, self.path, headers, body))
            self.send_response(seen.statuses.pop(0) if seen.statuses else 204)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = answer  # noqa: N815
        do_PATCH = answer  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    seen.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield seen
    server.shutdown()
    server.server_close()


@dataclass
class Mails:
    """A mail server. is_full: it refuses every mail."""

    port: int = 0
    is_full: bool = False
    texts: list[str] = field(default_factory=list[str])


@contextmanager
def mail_server() -> Generator[Mails]:
    """Run a server that takes mail by SMTP."""
    mails = Mails()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 stub")
            while line := self.rfile.readline():
                word = line.split()[0].upper() if line.split() else b""
                if word == b"QUIT":
                    return self.say("221 bye")
                if word == b"RCPT" and mails.is_full:
                    self.say("452 full")
                elif word == b"DATA":
                    self.say("354 go on")
                    lines = list(iter(self.rfile.readline, b".\r\n"))
                    mails.texts.append(b"".join(lines).decode())
                    self.say("250 taken")
                else:
                    self.say("250 well")
            return None

        def say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    mails.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield mails
    server.shutdown()
    server.server_close()
