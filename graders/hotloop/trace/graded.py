"""Whether the notebook runs to be graded: its feedback page keeps words and tables, no pictures."""

import os


def while_graded() -> bool:
    """True in the grader's own run of a notebook."""
    return bool(os.environ.get("HOTLOOP_JUDGE"))
