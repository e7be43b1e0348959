"""Step 12: judge end to end a correct kernel, a wrong one and an exploit."""

from typing import Any

from hotloop.author.selftest.step_results import StepFailed, StepResult
from hotloop.core import paths
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess

MODULE, TASK, CHECK = "fused_softmax", "triton_forward", "gpu_correct"
WRONG = "unmasked_tail"
EXPLOIT = "gpu/right_in_the_simulator_only"


def verdicts() -> StepResult:
    """Judge all three as `hotloop check` does. Raises StepFailed for an unexpected verdict."""
    if not paths.in_clone():
        return StepResult("Left out: solutions and exploits are in a clone only.")
    # Imports libraries that a GPU machine may lack.
    from hotloop.author import exploits
    from hotloop.tasks.render import submission, wrong_answers

    wrong = next(each for each in wrong_answers(MODULE) if each.name == WRONG)
    with JudgeProcess() as judge:
        right = _judged(submission(MODULE), judge)
        other = _judged(submission(MODULE, wrong.path), judge)
        [exploit] = exploits.load_all([EXPLOIT])
        held = exploits.attack(exploit, judge, checks=[exploit.check])
    figures: dict[str, Any] = {
        "right": [right.verdict, right.sentence],
        "wrong": [other.verdict, other.sentence],
        EXPLOIT: [str(held.verdict), held.sentence],
    }
    _require(right.verdict is Verdict.PASSED, "The reference does not pass", figures)
    _require(other.verdict is Verdict.WRONG_ANSWER, "A wrong kernel is not called so", figures)
    defended = held.standing is exploits.Defense.DEFENDED
    _require(defended, f"{EXPLOIT} is {held.standing}", figures)
    return StepResult("The reference passes, a wrong kernel and an exploit do not.", figures)


def _judged(files: dict[str, bytes], judge: JudgeProcess) -> Record:
    from hotloop.tasks.local_judging import judge_submission

    return judge_submission(files, MODULE, [TASK], [CHECK], judge=judge)[TASK]


def _require(holds: bool, otherwise: str, figures: dict[str, Any]) -> None:
    if not holds:
        raise StepFailed(f"{otherwise}.", "the figures hold what the judge said", **figures)
