"""Selects how learners' code is isolated on this machine, or why it cannot be."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from hotloop.course.kernel import Launch
from hotloop.tasks.local_judging import ALLOW_UNCONFINED

if TYPE_CHECKING:
    from hotloop.sandbox.zygote.zygote import Zygote


@dataclass(frozen=True)
class Isolation:
    """An isolation level. name: as in records. launch: None if running learners' code is refused.

    refusal: one sentence with the reason and the command to fix it. preloading: returns a launch
    function for a process that has imported some packages already.
    """

    name: str
    launch: Launch | None
    refusal: str = ""
    preloading: Callable[[tuple[str, ...]], Launch] | None = None

    def launch_for(self, preload: tuple[str, ...], *, measured: bool) -> Launch | None:
        """Return how to start a kernel: from a process that has imported `preload` already.

        A kernel whose speed is measured is executed anew, like the baseline it is compared with:
        forked processes of one program differed more in speed than executed ones.
        """
        if measured or self.preloading is None:
            return self.launch
        return self.preloading(preload)

    @property
    def confined(self) -> bool:
        """True if workers have their own file system."""
        return self.name != "none"


def choose() -> Isolation:
    """Return the sandbox; or no isolation, only if an environment variable requests it."""
    from hotloop.sandbox.launch import launch
    from hotloop.sandbox.level import level
    from hotloop.sandbox.unconfined import launch_plain

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
    """Return this process's zygote, with a kernel's imports and `preload`.

    It starts with the first kernel, and ends with the process.
    """
    from hotloop.sandbox.zygote.zygote import KERNEL, Zygote

    return Zygote((*KERNEL, *preload))
