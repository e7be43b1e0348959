"""`hotloop demo`: a whole course, graded in front of you."""

from __future__ import annotations

from hotloop.cli.answer import Json, answering


def run(as_json: Json = False) -> None:
    """Autograde bundled submissions."""
    with answering(as_json):
        pass
