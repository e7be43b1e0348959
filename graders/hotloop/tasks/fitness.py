"""Which speed checks this machine can decide: those in which the reference is fast enough here.

A level that the reference reaches on the machine of a recorded run may be out of reach on another.
`hotloop author selftest` judges each reference's speed checks several times here. A check in which
the reference does not earn full points nearly always is unfit on this machine, and `not_measured`
from then on, so that a machine's weakness costs nobody points.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name, kind
from hotloop.tasks import curriculum, unfit
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.task_spec import unfit_file

TIMES = 10
FEWEST_FULL = 0.9
"""Share of the tries in which the reference must earn full points."""


@dataclass
class FitnessTrial:
    """Results of one speed check on the reference.

    name: module.task.check. missing: why nothing could be measured here; empty otherwise.
    """

    name: str
    results: list[CheckRecord] = field(default_factory=list[CheckRecord])
    missing: str = ""

    @property
    def full(self) -> int:
        """The number of tries in which the reference earned all points."""
        return sum(result.earned >= 1 for result in self.results)

    @property
    def fit(self) -> bool:
        """True if the reference earned full points often enough."""
        return bool(self.results) and self.full >= FEWEST_FULL * len(self.results)

    @property
    def ratios(self) -> list[float]:
        """Measured speedups, sorted."""
        return sorted(r.evidence["ratio"] for r in self.results if "ratio" in r.evidence)

    @property
    def verdicts(self) -> dict[str, int]:
        """How often each verdict occurred."""
        names = [result.verdict.value for result in self.results]
        return {name: names.count(name) for name in sorted(set(names))}

    @property
    def sentence(self) -> str:
        """Why an unfit check is not measured, for a learner."""
        return (
            f"Speed cannot be judged on this machine ({device_name()}): the reference itself "
            f"earned full points in only {self.full} of {len(self.results)} tries."
        )


def speed_checks(module: curriculum.Module, tasks: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return by task the checks that measure speed on this machine's device. tasks: only these."""
    wanted = set(tasks)
    on_gpu = kind() == "cuda"
    by_task = {
        task.id: [r.id for r in task.checks if r.threshold and (on_gpu or not r.needs_gpu)]
        for task in module.tasks
        if task.kind == "code" and (not wanted or task.id in wanted)
    }
    return {task: checks for task, checks in by_task.items() if checks}


def judge_reference(
    module: str,
    checks: Mapping[str, Sequence[str]],
    times: int,
    on_progress: Callable[[str], None] = lambda _text: None,
) -> list[FitnessTrial]:
    """Judge the module's reference `times` times in these checks, given by task.

    What an earlier self-test found about them is forgotten first, and what this one finds written.
    """
    from hotloop.tasks.render import submission  # imports nbformat, which takes seconds

    files = submission(module)
    trials = {
        (task, check): FitnessTrial(f"{module}.{task}.{check}")
        for task, names in checks.items()
        for check in names
    }
    remember(trials.values())
    with JudgeProcess() as judge:
        for turn in range(times):
            for task, names in checks.items():
                left = [name for name in names if not trials[task, name].missing]
                if not left:
                    continue
                on_progress(f"{module}.{task}, try {turn + 1} of {times}")
                record = judge_submission(files, module, [task], left, judge=judge)[task]
                for name in left:
                    _add(trials[task, name], record.check(name))
    remember(trials.values())
    return list(trials.values())


def _add(trial: FitnessTrial, result: CheckRecord) -> None:
    """Keep the result; a check whose software is missing is not tried again."""
    if result.verdict is Verdict.NOT_MEASURED:
        trial.missing = result.sentence
    else:
        trial.results.append(result)


def remember(trials: Iterable[FitnessTrial]) -> None:
    """Write which of these checks are unfit; what is known of other checks stays."""
    path = unfit_file()
    known = dict(unfit.read(path))
    for trial in trials:
        known.pop(trial.name, None)
        if trial.results and not trial.fit:
            known[trial.name] = trial.sentence
    unfit.write(path, known)
