"""A ruling's sentence says which of several things it is about, and so does any exception."""

from collections.abc import Generator
from contextlib import contextmanager

from hotloop.core.record import NOT_ATTEMPTED
from hotloop.core.verdict import Ruling


@contextmanager
def labelled(label: str, about: object = None) -> Generator[None]:
    """Put `label` before a ruling's sentence; not before one that nothing was tried at all.

    Any other exception gets it as a note, which `blame` puts into the sentence. about: what the
    ruling keeps for `hotloop repro`.
    """
    try:
        yield
    except Ruling as ruling:
        if about is not None:
            ruling.about = about
        if ruling.sentence.startswith(NOT_ATTEMPTED):
            raise
        ruling.sentence = f"{label}: {ruling.sentence}"
        raise
    except Exception as error:
        error.add_note(label)
        raise
