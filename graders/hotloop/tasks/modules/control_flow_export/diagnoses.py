"""Four recorded failures: the cause of each, the line, and the name in the log that shows it.

The right answers are sealed in the key.
"""

from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisLine, DiagnosisWord
from hotloop.judge.constants import constant
from hotloop.tasks.modules.control_flow_export.given_files import PROGRAMS

CAUSES = ("branch_on_data", "fixed_size", "no_fake_kernel", "recompiles", "size_from_data")

DIAGNOSIS = Diagnosis(
    PROGRAMS / "diagnosis_key.json",
    "failure",
    (
        DiagnosisWord(
            "cause",
            "the cause is not {}: read the last error again, not the longest one",
            CAUSES,
        ),
        DiagnosisLine(
            "line",
            "the cause is right, but line {} is not where it is",
            first=lambda: constant("LOG_LINE", 1, range(2, 1000)),
        ),
        DiagnosisWord("name", "cause and line are right, but the log does not name {} there"),
    ),
)
