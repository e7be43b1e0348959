"""Problems of public sets, judged from the user's own clone: KernelBench and GPU MODE."""

from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
"""Files that run beside a problem, or beside a submission, in a confined process."""

SUBMISSION = "submission.py"
"""What a submission is called where it is judged."""

TIMED = "hotloop_baseline.py"
"""The one of them that a submission is timed against."""
