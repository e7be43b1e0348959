"""Labels exceptions with the case, question or file that they are about."""

from collections.abc import Generator
from contextlib import contextmanager

from hotloop.core.record import NOT_ATTEMPTED
from hotloop.core.verdict import Ruling


@contextmanager
def labeled(label: str, about: object = None) -> Generator[None]:
    """Prefix a Ruling's sentence with `label`, unless it says that nothing was attempted.

    Any other exception gets the label as a note, which `exception_attribution` puts into its
    sentence.

    about: what the Ruling keeps for `hotloop check --repro`.
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
