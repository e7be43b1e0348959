"""The answer is the same in another process.

Values that depend on the process, such as Python's `hash` of a string, differ between two.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import Plain, ask_plainly, require_plain_or_files
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Stable(Check):
    """arguments: generates one call's arguments from a secret generator.

    The candidate must be a function in a file.
    """

    arguments: Callable[[np.random.Generator], tuple[Plain, ...]]
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    timeout_s: float = 30.0

    def __call__(self, session: Session) -> str:
        """Make the same call in two processes and compare the answers."""
        arguments = self.arguments(session.rng())
        with ours("the arguments"):
            require_plain_or_files(arguments, "a call")
        workers = (session.worker(), session.another_worker())
        first, second = (
            ask_plainly(worker, arguments, session.timeout(self.timeout_s)) for worker in workers
        )
        if first != second:
            raise Ruling(
                Verdict.WRONG_ANSWER,
                "A second process answers differently: nothing may depend on the process.",
            )
        return "Two processes give the same answers."
