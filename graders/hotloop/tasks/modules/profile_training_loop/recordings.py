"""Four recorded slow runs: their causes, and the events that are evidence of them.

The script that recorded them computed the right answers and sealed them in the key.
"""

from itertools import permutations

from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisFigure, DiagnosisWord
from hotloop.judge.constants import constant
from hotloop.tasks.modules.profile_training_loop.given_files import PROGRAMS

ORDERS = tuple(map("".join, permutations("abcd")))
CAUSES = ("loader", "sync", "launch", "allocator")

DIAGNOSIS = Diagnosis(
    PROGRAMS / "diagnosis_key.json",
    "recording",
    (
        DiagnosisWord(
            "cause",
            "the cause is not {}: compare the trace with the healthy one again",
            CAUSES,
        ),
        DiagnosisFigure(
            "event",
            "the cause is right, but {} is not where the lost time lies",
            value="share",
            label="the share of {}",
            relative=0.1,
            factor=lambda: constant("HOURS", 1, range(1, 131)),
        ),
    ),
    files=lambda: tuple(constant("FILES", "abcd", ORDERS)),
)
