"""Whether a notebook's cells run for a judge: what only shows something does nothing then."""

import os

JUDGE = "HOTLOOP_JUDGE"
"""Environment variable: the socket of the judge that a check of the notebook serves."""

REPLAY = "HOTLOOP_REPLAY"
"""Environment variable: cells run again for what they define; a check does nothing."""


def while_graded() -> bool:
    """True in the grader's kernel, and in a worker that runs the cells of a notebook."""
    return bool(os.environ.get(JUDGE) or os.environ.get(REPLAY))
