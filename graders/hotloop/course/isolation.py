"""Whether this machine can confine learners' code, and what to do where it cannot."""

from __future__ import annotations

import os
from dataclasses import dataclass

from hotloop.course.kernel import Launch
from hotloop.judge.local import ALLOW_UNCONFINED


@dataclass(frozen=True)
class Isolation:
    """name: as records state it. launch: None where running a learner's code is refused.

    refusal: one sentence that says why, and the command that mends it.
    """

    name: str
    launch: Launch | None
    refusal: str = ""

    @property
    def confined(self) -> bool:
        """True when workers have a file system of their own."""
        return self.name != "none"


def choose() -> Isolation:
    """The sandbox; or none at all, only where the environment asks for that in so many words."""
    from hotloop.sandbox.launch import launch
    from hotloop.sandbox.level import level
    from hotloop.sandbox.plain import launch_plain

    name, reason = level()
    if name != "none":
        return Isolation(name, launch)
    if os.environ.get(ALLOW_UNCONFINED) == "1":
        return Isolation("none", launch_plain)
    return Isolation(
        "none",
        None,
        "Not run: this machine cannot confine a learner's code. "
        f"{reason} (To run it unconfined all the same, set {ALLOW_UNCONFINED}=1.)",
    )
