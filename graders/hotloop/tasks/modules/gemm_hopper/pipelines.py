"""The given pipelines, and the key to their diagnosis: the kind of finding, and the line to change.

`tests/hotloop/tasks/modules/gemm_hopper/` has the checker find each fault, and nothing once its
line is repaired.
"""

from __future__ import annotations

from pathlib import Path

from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisLine, DiagnosisWord

NAMES = tuple("abcdefghi")
KINDS = ("hang", "race", "tx_count", "mbarrier", "fence", "in_flight", "swizzle", "clean")

diagnosis = Diagnosis(
    Path(__file__).parent / "pipelines_key.json",
    "pipeline",
    (
        DiagnosisWord(
            "cause",
            "it is not {}: follow one slot through two rounds, and ask what each wait knows",
            KINDS,
        ),
        DiagnosisLine(
            "line",
            "the cause is right, but not because of line {}: which line has to change?",
        ),
    ),
    names=NAMES,
    files=lambda: NAMES,
)
