"""Passes on what a server prints, line by line, while it prints it."""

import codecs
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol, TextIO

_EVERY_S = 0.2


class Printing(Protocol):
    """Something that says what has been printed so far, first byte to last."""

    def output(self) -> bytes:
        """All of it."""
        ...


class Follower:
    """Remembers how much was passed on."""

    def __init__(self, source: Printing, *targets: TextIO) -> None:
        self._source = source
        self._targets = targets
        self._seen = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""

    def pass_on(self, last: bool = False) -> None:
        """Whole lines that are new; with `last`, also one that has no end."""
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
    """Pass on to standard error, and to a file if one is given, until the block is left."""
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
