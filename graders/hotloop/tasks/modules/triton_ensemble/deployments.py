"""Four recorded slow deployments: the cause, the step, and the share of latency that shows it.

The script that recorded them computed the right answers and sealed them in the key.
"""

from hotloop.judge.checks.diagnosis import Diagnosis, DiagnosisFigure, DiagnosisWord
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

CAUSES = ("delay", "row_by_row", "oversubscribed", "outside")
MODELS = ("preprocess", "bert", "postprocess", None)
"""None: the time is lost outside of these models."""

EVIDENCE = ("queue_us", "input_us", "infer_us", "output_us", "outside_us")

DIAGNOSIS = Diagnosis(
    PROGRAMS / "diagnosis_key.json",
    "deployment",
    (
        DiagnosisWord(
            "cause",
            "the cause is not {}: what has grown against the healthy one at that load?",
            CAUSES,
        ),
        DiagnosisWord("model", "the cause is right, but it does not lie in {}", MODELS),
        DiagnosisFigure(
            choices=EVIDENCE,
            value="share",
            label="the share of {} in the client's latency",
            absolute=0.005,
        ),
    ),
    entry="diagnosis",
)
