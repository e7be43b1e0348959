"""Whether this machine can confine learners' code, and what to do where it cannot."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from hotloop.course.kernel import Launch
from hotloop.local_judging import ALLOW_UNCONFINED

if TYPE_CHECKING:
    from hotloop.sandbox.zygote.zygote import Zygote


@dataclass(frozen=True)
class Isolation:
    """name: as records state it. launch: None where running a learner's code is refused.

    refusal: one sentence that says why, and the command that fixes it. preloading: gives a launch
    from a process that has imported some packages already.
    """

    name: str
    launch: Launch | None
    refusal: str = ""
    preloading: Callable[[tuple[str, ...]], Launch] | None = None

    def launch_for(self, preload: tuple[str, ...], *, measured: bool) -> Launch | None:
        """How a kernel is started: from a process that has imported `preload` already.

        One that is measured is executed anew, as the baseline is that it is compared with: forked
        processes of one program differed more in speed than executed ones.
        """
        if measured or self.preloading is None:
            return self.launch
        return self.preloading(preload)

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
        return Isolation(name, launch, preloading=lambda names: zygote(names).launch)
    if os.environ.get(ALLOW_UNCONFINED) == "1":
        return Isolation("none", launch_plain)
    return Isolation(
        "none",
        None,
        "Not run: this machine cannot confine a learner's code. "
        f"{reason} (To run it unconfined all the same, set {ALLOW_UNCONFINED}=1.)",
    )


@cache
def zygote(preload: tuple[str, ...]) -> Zygote:
    """The one of this process that has imported what a kernel needs, and `preload` besides.

    It starts with the first kernel, and ends with the process.
    """
    from hotloop.sandbox.zygote.zygote import KERNEL, Zygote

    return Zygote((*KERNEL, *preload))
