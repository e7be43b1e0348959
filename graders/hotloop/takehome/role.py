"""A role that a team hires for: `takehome.yaml`, one per role.

    format: 1
    role: gpu_engineer
    title: GPU engineer, inference
    module: fused_softmax
    tasks:
      - {task: online_pass, weight: 1}
      - {task: triton_forward, weight: 3, minutes: 90}
    window_hours: 72
    expires: 14
    assistants: expected
    help:
      allowed: [documentation, search engines]
      forbidden: [another person's code]
    contact: hiring@example.org
    privacy_notice: |
      Example Inc. is responsible for your data. …

minutes: a candidate's time for the task; default: the module's.
expires: days after the pack is made, or a date; work is accepted until the end of that day (UTC).
window_hours: from the first download, if the portal has recorded one. accommodation: factor on
minutes and window for every candidate of the role; a candidate can be given another one. written:
rubric for marking a task, in place of the module's. Tasks that the judge judges can have one too,
for the conversation; that mark does not count in the score. assistants: rule on AI assistants. If
they are `expected`, the candidate can hand in notes or a transcript, and a person marks how they
steered the assistants and verified their work. wheel: a file in the team's folder, which is part of
each pack and which the candidate's pip installs. install: what pip installs instead:
`hotloop[course] @ git+https://…`. Without either, pip gets this version from the candidate's
package index. keep_days: days from `expires` until submissions are due for deletion. contact,
privacy_notice: what candidates read before their time starts. reviewers: how many people mark each
work, none of whom sees another one's marks; the name is sealed until all have filed theirs.
"""

import json
import textwrap
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints, field_validator, model_validator

from hotloop import __version__
from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.yaml_lines import CurriculumError, load, place
from hotloop.learn.pack.manifest import Assistants, PackTask, RoleId, WorkLogRule
from hotloop.learn.pack.notice import Contact, PrivacyNotice
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module, Rubric, Task
from hotloop.tasks.problem import refuse_repeats

NAME = "takehome.yaml"


def _no_truth(value: object) -> object:
    """Reject booleans: YAML's `true` would count as 1."""
    if isinstance(value, bool):
        raise ValueError("a number belongs here, not true or false")
    return value


Real = Annotated[float, BeforeValidator(_no_truth)]
Whole = Annotated[int, BeforeValidator(_no_truth)]
Accommodation = Annotated[Real, Field(ge=1, le=10)]
Requirement = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 @:/._+=<>~!,\[\]-]*$")
]
"""A pip requirement, without characters that are special to make or in shell quotes."""

WheelName = Annotated[
    str, StringConstraints(pattern=r"^hotloop-[A-Za-z0-9_.+]+-py3-none-any\.whl$")
]

_WORK_LOG: Mapping[object, WorkLogRule] = {True: "yes", False: "no", "optional": "optional"}


class RoleTask(Strict):
    """One task of the role."""

    task: Identifier
    weight: Annotated[Real, Field(gt=0, le=1000)] = 1.0
    minutes: Annotated[Whole, Field(ge=1, le=6000)] | None = None


class Help(Strict):
    """What candidates may and may not use, in the team's words."""

    allowed: list[Text] = Field(default_factory=list)
    forbidden: list[Text] = Field(default_factory=list)


LAST_YEAR = 2200
"""Latest year of a deadline: keep_days are added to it, and datetime has a maximum."""


class TakehomeRole(Strict):
    """Content of takehome.yaml."""

    format: Literal[1]
    role: RoleId
    title: Text
    module: Identifier
    tasks: Annotated[list[RoleTask], Field(min_length=1)]
    window_hours: Annotated[Real, Field(gt=0, le=24 * 366)]
    expires: int | date
    accommodation: Accommodation = 1.0
    help: Help = Field(default_factory=Help)
    assistants: Assistants = "declared"
    work_log: bool | Literal["optional"] = "optional"
    written: dict[Identifier, Rubric] = Field(default_factory=dict)
    wheel: WheelName | None = None
    install: Requirement | None = None
    keep_days: Annotated[Whole, Field(ge=1, le=3660)] = 180
    contact: Contact
    privacy_notice: PrivacyNotice
    reviewers: Annotated[Whole, Field(ge=1, le=5)] = 1

    @field_validator("expires", mode="before")
    @classmethod
    def _days_or_date(cls, value: object) -> object:
        is_days = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 366
        is_date = isinstance(value, date) and not isinstance(value, datetime)
        if not is_days and not is_date:
            raise ValueError("1 to 366 days, or a date such as 2030-01-31")
        if isinstance(value, date) and value.year > LAST_YEAR:
            raise ValueError(f"a date up to the year {LAST_YEAR}")
        return value

    @field_validator("tasks")
    @classmethod
    def _nothing_twice(cls, tasks: list[RoleTask]) -> list[RoleTask]:
        refuse_repeats("task", [task.task for task in tasks])
        return tasks

    @model_validator(mode="after")
    def _one_way_to_install(self) -> Self:
        if self.wheel and self.install:
            raise ValueError("`wheel` or `install`, not both: either says what pip installs")
        return self

    @property
    def rule(self) -> WorkLogRule:
        """The rule on work logs."""
        return _WORK_LOG[self.work_log]

    def definition(self) -> Module:
        """Return the module. Raises KeyError if it does not exist."""
        return curriculum.load_module(self.module)

    def chosen(self) -> list[Task]:
        """Return the role's tasks, in the module's order."""
        wanted = {task.task for task in self.tasks}
        return [task for task in self.definition().tasks if task.id in wanted]

    def lacking(self) -> dict[str, list[str]]:
        """Return tasks that cannot be passed, with the tasks they build on that the role lacks."""
        names = {task.task for task in self.tasks}
        lacking = {task.id: [n for n in task.builds_on if n not in names] for task in self.chosen()}
        return {name: missing for name, missing in lacking.items() if missing}

    def pack_tasks(self, accommodation: float) -> dict[str, PackTask]:
        """Return weights and minutes with accommodation, in the module's order."""
        settings = {task.task: task for task in self.tasks}
        return {
            task.id: PackTask(
                weight=settings[task.id].weight,
                minutes=(settings[task.id].minutes or task.minutes) * accommodation,
            )
            for task in self.chosen()
        }

    def expires_at(self, now: datetime) -> datetime:
        """Return when a pack that is made now expires."""
        if isinstance(self.expires, int):
            return now + timedelta(days=self.expires)
        return datetime.combine(self.expires + timedelta(days=1), time(), UTC)


def read_role(path: Path) -> TakehomeRole:
    """Read a role from a file. Raises CurriculumError with file and line if it is invalid."""
    role = load(path, TakehomeRole)
    try:
        module = role.definition()
    except KeyError as error:
        raise CurriculumError(f"{place(path, ['module'])}: {error.args[0]}") from None
    known = [task.id for task in module.tasks]
    for number, task in enumerate(role.tasks):
        if task.task not in known:
            where = place(path, ["tasks", number, "task"])
            raise CurriculumError(
                f"{where}: {module.id} has no task {task.task!r}: it has {', '.join(known)}"
            )
    for name in role.written:
        if name not in [task.task for task in role.tasks]:
            where = place(path, ["written", name])
            raise CurriculumError(f"{where}: {name!r} is not among this role's tasks")
    return role


DEFAULT_MINUTES = 150
"""A candidate's total time in a generated role. Most candidates have a job."""


def default_tasks(module: Module) -> list[Task]:
    """Choose the most important tasks that fit into DEFAULT_MINUTES, with those they build on.

    Tasks that the module names for take-homes come first. They are returned in the module's order.
    Written tasks are added if time is left.
    """
    chosen: set[str] = set()
    by_importance = sorted(
        module.tasks,
        key=lambda task: (
            task.id not in module.take_home,
            task.kind == "written",
            -task.importance,
            task.minutes,
        ),
    )
    for task in by_importance:
        wanted = chosen | _with_basis(module, task)
        if sum(module.task(name).minutes for name in wanted) <= DEFAULT_MINUTES:
            chosen = wanted
    return [task for task in module.tasks if task.id in chosen]


def _with_basis(module: Module, task: Task) -> set[str]:
    return {task.id}.union(*(_with_basis(module, module.task(name)) for name in task.builds_on))


WHEEL = f"hotloop-{__version__}-py3-none-any.whl"
"""File name of this version's wheel."""


def starting_text(
    role: str,
    title: str,
    module: Module,
    asked: Sequence[Task] = (),
    wheel: str = "",
    *,
    about: tuple[str, str],
) -> str:
    """Return a takehome.yaml to start with.

    asked: tasks to use instead of the default ones. wheel: file name of the team's wheel, or "".
    about: contact and privacy notice.
    """
    contact, privacy_notice = about
    chosen = {task.id for task in asked or default_tasks(module)}
    lines = [_task_line(task) for task in module.tasks if task.id in chosen]
    others = [f"# {_task_line(task)}" for task in module.tasks if task.id not in chosen]
    if others:
        lines += [_OTHERS, *others]
    quoted = json.dumps(title, ensure_ascii=False)  # YAML reads it back, whatever characters it has
    return _STARTING.format(
        role=role,
        title=quoted,
        module=module.id,
        tasks="\n".join(lines),
        wheel=f"wheel: {wheel}" if wheel else f"# wheel: {WHEEL}",
        contact=json.dumps(contact, ensure_ascii=False),
        privacy_notice=textwrap.indent(privacy_notice, "  "),
    )


def _task_line(task: Task) -> str:
    return f"  - {{task: {task.id}, weight: {task.points}, minutes: {task.minutes}}}"


_OTHERS = "# Not asked, so that all of it takes two hours and a half. Put others in their place:"


_STARTING = """\
# What this take-home asks. `hotloop takehome init` has written it; strike out what you do not need.
format: 1
role: {role}
title: {title}
module: {module}
# Fewer tasks are kinder: candidates do this beside their work. weight: of the score; minutes: a
# candidate's time, as it is told to them.
tasks:
{tasks}
# Hours from the first download, where the portal has seen one.
window_hours: 72
# Days after the pack is made, or a date such as 2030-01-31.
expires: 14
# Factor on everybody's minutes and window; `new --accommodation` gives one candidate more.
accommodation: 1.0
help:
  allowed:
    - documentation, papers, search engines
  forbidden:
    - code that another person wrote for this exercise
# AI assistants. forbidden; declared: allowed, and the notebook says what for; expected: candidates
# work with theirs, can hand in notes or a transcript, and a person marks how they steered it.
# `hotloop takehome baseline {role}` measures what an assistant alone scores on this role.
assistants: declared
# true: asked for; false: none is written; optional: the candidate decides.
work_log: optional
# Days until what was handed in is due to be deleted.
keep_days: 180
# People who mark each work, none of whom sees another one's marks before filing. The name is sealed
# until all of them have filed.
reviewers: 1
# Where candidates reach a person: for questions, for more time or another form, for their data.
contact: {contact}
# What they read about their data before their time starts. Have whoever is responsible for data
# protection at your company read it, and change what is not so there.
privacy_notice: |
{privacy_notice}
# What `make lab` installs for candidates: a wheel in the team's folder, which each pack brings
# along, or what you name. Without either it is `hotloop` in your version, from their package index.
# `hotloop takehome new` tries it, and makes no pack that could not be worked in.
{wheel}
# install: "hotloop[course] @ git+https://…"
"""
