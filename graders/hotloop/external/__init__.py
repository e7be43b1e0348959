"""Problems of public sets, judged from the user's own clone: KernelBench and GPU MODE."""

from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
"""Files that run beside a problem, or beside a submission, in a confined process."""
