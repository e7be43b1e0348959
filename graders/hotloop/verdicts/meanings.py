"""What each verdict means, and what to do about it, for who cannot open the site's page."""

from collections.abc import Mapping

from hotloop.core.verdict import Verdict

MEANINGS: Mapping[Verdict, str] = {
    Verdict.PASSED: "All checks passed.",
    Verdict.PARTIAL: "Some checks passed; look at the first check that did not.",
    Verdict.WRONG_ANSWER: (
        "An output differs from the reference, was not written or written outside of its bounds, "
        "has another form than the check reads, or depends on a race. The sentence says which."
    ),
    Verdict.TOO_SLOW: "Correct, but slower than required, or it moves more bytes than allowed.",
    Verdict.UNDECIDED: "The timing was too noisy to decide. Check again on an idle machine.",
    Verdict.COMPILE_ERROR: "The code did not build. The sentence has the compiler's first error.",
    Verdict.RUNTIME_ERROR: "The code raised an error, named in the sentence.",
    Verdict.TIMEOUT: "The code took longer than the task's limit.",
    Verdict.MEMORY_LIMIT: "The code took more memory than the task's limit.",
    Verdict.OUTPUT_LIMIT: "The code printed or wrote more than the limit.",
    Verdict.IMPLAUSIBLE: "Faster than the device can be: the work was not done in the timed call.",
    Verdict.TAMPERED: "The process ran while it was frozen, or broke the judge's protocol.",
    Verdict.NOT_MEASURED: (
        "This machine cannot measure it; its points stay pending. `hotloop doctor` says what is "
        "missing."
    ),
    Verdict.JUDGE_ERROR: "The judge itself failed; no points are lost. Run the check again.",
}
