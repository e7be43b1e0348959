"""Copies a server's output line by line while it runs."""

import codecs
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol, TextIO

_EVERY_S = 0.2


class Printing(Protocol):
    """A source with an output log."""

    def output(self) -> bytes:
        """Return everything printed so far."""
        ...


class Follower:
    """Copies output to its targets, and remembers how much it has copied."""

    def __init__(self, source: Printing, *targets: TextIO) -> None:
        self._source = source
        self._targets = targets
        self._seen = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""

    def pass_on(self, last: bool = False) -> None:
        """Copy new complete lines; if `last`, also an incomplete one at the end."""
        new = self._source.output()[self._seen :]
        self._seen += len(new)
        text = self._rest + self._decoder.decode(new, last)
        end = len(text) if last else text.rfind("\n") + 1
        self._rest = text[end:]
        if not text[:end]:
            return
        for target in self._targets:
            target.write(text[:end])
            target.flush()


@contextmanager
def following(source: Printing, file: TextIO | None = None) -> Generator[None]:
    """Copy to standard error, and to `file` if given, until the block ends."""
    follower = Follower(source, *filter(None, (sys.stderr, file)))
    ended = threading.Event()

    def follow() -> None:
        while not ended.wait(_EVERY_S):
            follower.pass_on()

    thread = threading.Thread(target=follow, name="hotloop-log", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        follower.pass_on(last=True)
