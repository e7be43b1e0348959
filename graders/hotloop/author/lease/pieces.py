"""What there is to do on a device, in the order in which a lease does it.

A piece is the smallest unit that is worth something by itself: one solution of one task, one
exploit, one profile, one step of the self-test.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from importlib.util import find_spec
from typing import Any

from hotloop.author import evidence, exploits
from hotloop.author.lease.journal import Journal
from hotloop.author.lease.profiles import PROFILES
from hotloop.author.selftest.steps import SHORT, STEPS
from hotloop.core import extras
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module, RecordedRun, Task
from hotloop.tasks.measured_code import digest_of_file, measured_code
from hotloop.tasks.problem import CheckEntry

TYPICAL_S = 35.0
"""Seconds of judging one speed on an H200 (tests/gpu/README.md), where no run has the piece's."""

CORRECT_S = 22.0
"""The same of one check of correctness: without the 13 seconds of windows."""

STEP_S = 13.0
"""Seconds of a step of the self-test there: thirteen took 172 s."""

START_S = 5.0
"""Seconds for starting a piece's process and a judge, which are no part of a judging's seconds."""

LONGEST_S = 330.0


TOO_LARGE = {"xla": "JAX's plugin for CUDA, half a gigabyte"}
"""Groups whose wheels for a GPU no lease can bring, and why: what needs them is run where they are
installed already."""

WITH_TENSORRT = {"resnet_tensorrt.engine", "yolo_on_mobile.speed"}
"""Tasks whose checks on a GPU need TensorRT, of which no group of packages has wheels: they are
larger than a lease can bring, too."""

MEASURED = "measured"
"""The figure of an entry that is the digest of what its run file had."""


class Stage(IntEnum):
    """A later stage begins when nothing of the earlier ones fits into the time."""

    SELFTEST = 0
    REFERENCE = 1
    EXPLOIT = 2
    WRONG = 3
    PROFILE = 4


class Need(IntEnum):
    """Why a piece is to be done, from the most pressing; NONE if it is done."""

    NEVER_RUN = 0
    CHANGED = 1
    OTHER_CODE = 2
    OTHER_VERSIONS = 3
    NONE = 4

    @property
    def words(self) -> str:
        """For tables."""
        return (
            "never run",
            "its run file was changed since",
            "ran with other code",
            "ran with other versions",
            "done",
        )[self]


@dataclass(frozen=True)
class Piece:
    """One unit of work.

    points: of the checks that have no present run; new_points: of those that never had one.
    waits: how much waits for it: provisional levels and, where the module has no run of this
    device, its page. known: `seconds` are of an earlier
    run and no typical ones. lacking: packages that this machine lacks. in_vain: how often the
    present code was tried without a result.
    """

    name: str
    stage: Stage
    need: Need
    code: str
    seconds: float
    known: bool = False
    module: str = ""
    points: int = 0
    new_points: int = 0
    waits: int = 0
    in_vain: int = 0
    extras: tuple[str, ...] = ()
    lacking: tuple[str, ...] = field(default=())

    @property
    def limit_s(self) -> float:
        """Most seconds that its process may take."""
        if self.stage is Stage.SELFTEST:
            return STEPS[int(self.name.rpartition(" ")[2])].limit_s
        return min(LONGEST_S, max(90.0, 3 * self.seconds)) if self.known else LONGEST_S

    @property
    def rank(self) -> tuple[float, ...]:
        """Sort key: what was tried in vain comes last, then the most points in the least time."""
        worth = (self.points + self.new_points) * (1 + self.waits) / self.seconds
        return (self.stage, self.in_vain, self.need, -worth, self.seconds)


def to_do(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces that are not done and that this machine can do, in order."""
    left = [piece for piece in pieces if piece.need is not Need.NONE and not piece.lacking]
    return sorted(left, key=lambda piece: piece.rank)


def all_pieces(
    device: str,
    journal: Journal,
    versions: Mapping[str, str] | None = None,
    *,
    has: Collection[str] | None = None,
) -> list[Piece]:
    """Return every piece of this device, done or not.

    versions: of the libraries and the driver on the device's machine; None if they are unknown,
    so that no piece is to be done again for them. has: packages of that machine that no lease can
    bring; None if it is this machine, where they are looked for.
    """
    modules = [module for module in curriculum.modules() if _gpu_tasks(module)]
    runs = {module.id: evidence.run_on(module.id, device) for module in modules}
    found = [*_selftest(journal)]
    for module in modules:
        found += _solutions(module, runs[module.id], journal, versions, has)
    found += _exploits(journal, versions, has)
    found += _profiles(journal, versions)
    return found


def _selftest(journal: Journal) -> Iterator[Piece]:
    """Yield the short form's steps. They are about this machine, so they are never done already."""
    for number in SHORT:
        name = f"selftest {number}"
        entry = journal.entries.get(name)
        seconds = STEP_S if entry is None else max(1.0, entry.seconds)
        yield Piece(name, Stage.SELFTEST, Need.NEVER_RUN, "", seconds, entry is not None)


def _gpu_tasks(module: Module) -> list[tuple[Task, list[CheckEntry]]]:
    found = [(task, [c for c in task.checks if c.needs_gpu]) for task in module.tasks]
    return [(task, checks) for task, checks in found if checks]


def _solutions(
    module: Module,
    run: RecordedRun | None,
    journal: Journal,
    versions: Mapping[str, str] | None,
    has: Collection[str] | None,
) -> Iterator[Piece]:
    from hotloop.tasks.render import wrong_answers  # imports nbformat, which takes seconds

    code = f"{measured_code(module.id)} {evidence.measured_by()}"
    wrong = wrong_answers(module.id)
    for task, checks in _gpu_tasks(module):
        provisional = sum(c.threshold is not None and c.threshold.provisional for c in checks)
        speeds = sum(check.threshold is not None for check in checks)
        groups = _groups(module, checks)
        lacking = _lacking(groups, has)
        if f"{module.id}.{task.id}" in WITH_TENSORRT:
            there = find_spec("tensorrt") is not None if has is None else "tensorrt" in has
            lacking += () if there else ("TensorRT",)
        names = [evidence.REFERENCE, *(w.name for w in wrong if w.task == task.id)]
        for candidate in names:
            reference = candidate == evidence.REFERENCE
            name = f"evidence {module.id}.{task.id} {candidate}"
            seconds, known = _seconds(run, task.id, candidate, journal, name)
            if not known:
                seconds = START_S + (TYPICAL_S * speeds or CORRECT_S)
            entry = journal.entries.get(name)
            digest = "" if entry is None else entry.figures.get(MEASURED, "")
            changed = digest not in ("", digest_of_measured(run, task.id, candidate))
            need, points, new = _need(run, task.id, checks, candidate, versions, changed)
            yield Piece(
                name=name,
                stage=Stage.REFERENCE if reference else Stage.WRONG,
                need=need,
                code=code,
                seconds=seconds,
                known=known,
                module=module.id,
                points=points if reference else 1,
                new_points=new if reference else 0,
                waits=provisional + (run is None) if reference else 0,
                in_vain=_in_vain(journal, name, code),
                extras=groups,
                lacking=lacking,
            )


def _groups(module: Module, checks: Iterable[CheckEntry]) -> tuple[str, ...]:
    """Return the groups of packages that the checks need, by their names in pyproject.toml."""
    needs = [module.needs if check.needs is None else check.needs for check in checks]
    return tuple(sorted({need for some in needs for need in some}))


def _lacking(groups: Iterable[str], has: Collection[str] | None) -> tuple[str, ...]:
    if has is not None:
        large = [group for group in groups if group in TOO_LARGE]
        return tuple(TOO_LARGE[g] for g in large if not set(extras.IMPORTED[g]) <= set(has))
    known = [group for group in groups if group in extras.IMPORTED]
    return tuple(package for group in known for package in extras.missing(group))


def _need(
    run: RecordedRun | None,
    task: str,
    checks: Sequence[CheckEntry],
    candidate: str,
    versions: Mapping[str, str] | None,
    changed: bool,
) -> tuple[Need, int, int]:
    """Return the most pressing need of any check, the points of all with one, and of new ones."""
    ids = {check.id for check in checks}
    measured = [] if run is None else [
        (m, run.made_by(m)) for m in run.measurements
        if (m.task, m.candidate) == (task, candidate) and m.check in ids
    ]  # fmt: skip
    decided = {m.check: (m, by) for m, by in measured if not m.verdict.pending}
    # Where one is refused, those after it are not reached, and there is nothing more to find out.
    right = (Verdict.PASSED, Verdict.PARTIAL)
    refused = any(m.verdict not in right for m, _ in decided.values())
    needs: dict[str, Need] = {}
    for check in checks:
        if check.id not in decided:
            needs[check.id] = Need.NONE if refused else Need.NEVER_RUN
            continue
        measurement, by = decided[check.id]
        assert run is not None
        if not evidence.is_present(run, measurement):
            needs[check.id] = Need.OTHER_CODE
        elif _differ({**by.libraries, "driver": by.driver}, versions):
            needs[check.id] = Need.OTHER_VERSIONS
        else:
            needs[check.id] = Need.CHANGED if changed else Need.NONE
    points = sum(check.points for check in checks if needs[check.id] is not Need.NONE)
    new = sum(check.points for check in checks if needs[check.id] is Need.NEVER_RUN)
    return min(needs.values()), points, new


def digest_of_measured(run: RecordedRun | None, task: str, candidate: str) -> str:
    """Return the SHA-256 of what a run has of a solution: numbers are taken, never typed."""
    measured = [
        m.model_dump(mode="json", exclude={"earlier"})
        for m in (run.measurements if run is not None else [])
        if (m.task, m.candidate) == (task, candidate)
    ]
    return hashlib.sha256(json.dumps(measured, sort_keys=True).encode()).hexdigest()


def _differ(then: Mapping[str, str], now: Mapping[str, str] | None) -> bool:
    """Return whether a version that is known of both times has changed."""
    return any(then.get(name, version) != version for name, version in (now or {}).items())


def _seconds(
    run: RecordedRun | None, task: str, candidate: str, journal: Journal, name: str
) -> tuple[float, bool]:
    """Return what the piece took before, from the journal or the run, else what is typical."""
    entry = journal.entries.get(name)
    if entry is not None and entry.outcome in ("done", "open"):
        return max(1.0, entry.seconds), True
    took = [
        m.judging_s
        for m in (run.measurements if run is not None else [])
        if (m.task, m.candidate) == (task, candidate) and m.judging_s is not None
    ]
    return (START_S + sum(took), True) if took else (START_S + TYPICAL_S, False)


def _in_vain(journal: Journal, name: str, code: str) -> int:
    entry = journal.entries.get(name)
    if entry is None or entry.code != code or entry.outcome == "done":
        return 0
    return entry.tries


def _exploits(
    journal: Journal, versions: Mapping[str, str] | None, has: Collection[str] | None
) -> Iterator[Piece]:
    for exploit in exploits.load_all():
        if "gpu" not in exploit.marks:
            continue
        file = digest_of_file(exploit.path).hex()[:12]
        code = f"{file} {measured_code(exploit.module)} {evidence.measured_by()}"
        task = curriculum.load_module(exploit.module).task(exploit.task_id)
        check = next(each for each in task.checks if each.id == exploit.check)
        module = curriculum.load_module(exploit.module)
        groups = _groups(module, [check])
        lacking = _lacking(groups, has)
        yield _noted(
            f"exploit {exploit.name}", Stage.EXPLOIT, code, journal, versions,
            module=exploit.module, points=check.points, extras=groups, lacking=lacking,
        )  # fmt: skip


def _profiles(journal: Journal, versions: Mapping[str, str] | None) -> Iterator[Piece]:
    for profile in PROFILES:
        code = measured_code(profile.module)
        yield _noted(
            f"profile {profile.name}", Stage.PROFILE, code, journal, versions,
            module=profile.module, points=1,
        )  # fmt: skip


def _noted(
    name: str,
    stage: Stage,
    code: str,
    journal: Journal,
    versions: Mapping[str, str] | None,
    **more: Any,
) -> Piece:
    """Return a piece whose outcome is in the journal only."""
    entry = journal.entries.get(name)
    seconds = START_S + TYPICAL_S if entry is None else max(1.0, entry.seconds)
    if entry is None or entry.outcome != "done":
        need = Need.NEVER_RUN
    elif entry.code != code:
        need = Need.OTHER_CODE
    else:
        need = Need.OTHER_VERSIONS if _differ(entry.versions, versions) else Need.NONE
    return Piece(
        name=name, stage=stage, need=need, code=code, seconds=seconds, known=entry is not None,
        in_vain=_in_vain(journal, name, code), **more,
    )  # fmt: skip
