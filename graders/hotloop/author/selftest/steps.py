"""The steps in order; each tests something that the following steps rely on."""

from collections.abc import Callable
from dataclasses import dataclass

from hotloop.author.selftest import gpu_memory, judging, machine, other_processes, timing, workers
from hotloop.author.selftest.step_results import StepResult


@dataclass(frozen=True)
class SelfTestStep:
    """A step. limit_s: time limit of its process.

    look: returns its result or raises `StepFailed`. needed: if it is broken, no later step runs.
    alone: it holds the machine's lease exclusively; the last step does not, since its judges take
    the lease themselves.
    """

    number: int
    name: str
    limit_s: float
    look: Callable[[], StepResult]
    needed: bool = False
    alone: bool = True


STEPS = tuple(
    SelfTestStep(number, name, limit_s, look, needed=number <= 2, alone=0 < number < 12)
    for number, (name, limit_s, look) in enumerate(
        (
            ("machine", 30, machine.machine),
            ("driver", 20, machine.driver),
            ("memory of its own", 25, gpu_memory.own_memory),
            ("lending memory", 40, gpu_memory.lending),
            ("PyTorch, Triton and nvcc in the sandbox", 90, workers.frameworks),
            ("freezing", 30, workers.freezing),
            ("management library", 15, machine.management),
            ("neighbors", 45, other_processes.probe),
            ("late work", 45, workers.late_work),
            ("the protocol's cost", 45, timing.protocol),
            ("a known length", 45, timing.known_length),
            ("a window of each task", 150, timing.windows),
            ("a right and a wrong kernel, an exploit", 120, judging.verdicts),
        )
    )
)
"""The limits are for a machine on which something hangs; a good run of all takes four minutes."""

SHORT = (0, 1, 2, 3, 4, 10)
"""The steps without which no run is worth anything: equipment, driver, memory, lending, frameworks
in the sandbox, and whether a known length is measured as long as it is."""
