"""Whether the notebook is being graded: feedback pages keep text and tables but no pictures."""

import os


def while_graded() -> bool:
    """True in the grader's run of a notebook."""
    return bool(os.environ.get("HOTLOOP_JUDGE"))
