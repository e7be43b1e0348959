"""Collects hand-ins from nbgrader's exchange: whose they are, and which of a learner's counts.

nbgrader's command, its formgrader and its Python API all use the class in
`ExchangeFactory.collect`, so that each of them does as `hotloop course collect` does.
"""

import logging
import os
import shutil
import stat
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from glob import escape
from pathlib import Path
from typing import Any, Literal, cast

from nbgrader import utils
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import parse_utc

from hotloop.core.untrusted_text import readable
from hotloop.core.user_error import UserError
from hotloop.course import hand_in_seal
from hotloop.course.attempts.database import zone
from hotloop.course.attempts.store import store
from hotloop.course.config import course_api, load_config
from hotloop.course.hand_in import SUBMITTED, TIMESTAMP, time_of
from hotloop.course.lateness import LateRules
from hotloop.course.ownership import account
from hotloop.course.timestamps import moment

State = Literal["new", "newer", "unchanged"]


@dataclass(frozen=True)
class Sent:
    """A hand-in in the exchange. at: the time in its name, with time zone."""

    student: str
    module: str
    at: datetime
    folder: Path


@dataclass(frozen=True)
class Collected:
    """What was done with a learner's hand-in. late: of the newest one, if an earlier one counts."""

    student: str
    module: str
    at: datetime
    state: State
    late: datetime | None = None


@dataclass
class CollectionResult:
    """The result of collecting one module. problems: by the name of a hand-in's folder."""

    collected: list[Collected] = field(default_factory=list[Collected])
    problems: dict[str, str] = field(default_factory=dict[str, str])


def sent(
    inbound: Path, module: str, student: str = "", times_in: str = "UTC"
) -> Iterator[Sent | str]:
    """Yield a module's hand-ins; for a folder whose name says no time, its name.

    Yields nothing if this account cannot list the folder. student: only theirs; "" for all.
    times_in: the zone in which nbgrader writes times here.
    """
    for folder in sorted(inbound.glob(f"{escape(student) or '*'}+{escape(module)}+*")):
        # Only the last signs count: a learner's name may have others.
        for count in (3, 2):
            parts = folder.name.rsplit("+", count)
            if len(parts) == count + 1 and parts[1] == module:
                if (at := moment(parts[2], times_in)) is None:
                    continue
                if student in ("", parts[0]):
                    yield Sent(parts[0], module, at.replace(tzinfo=UTC), folder)
                break
        else:
            yield folder.name


def why_not_theirs(one: Sent, key: bytes, *, believes_names: bool) -> str:
    """Return why a hand-in is not of the learner whose name it has; "" if it is."""
    if not one.student or one.student.startswith("."):
        return "its name has no learner"
    try:
        # Of the folder itself, and not of what a link leads to.
        status = one.folder.lstat()
        if not stat.S_ISDIR(status.st_mode):
            return "it is no folder"
        by = account(status)
        if believes_names or by == one.student or hand_in_seal.is_sealed(key, one.folder):
            return ""
    except OSError as error:
        return f"it cannot be read: {error}"
    return f"it is not {one.student}'s: {by} has made it"


class OwnCollect(ExchangeCollect):
    """`ExchangeCollect` that takes a learner's hand-in from nobody else.

    A folder in the exchange belongs to whose name it has, or was laid and sealed by the class's
    service; every other one is a problem by name, and whatever else its learner has sent is
    collected. With `c.ExchangeCollect.check_owner = False`, as a hub needs on which all learners
    have one account, the name is believed.

    Of a learner's hand-ins the newest counts. One that is late and loses points for it replaces
    none that was in time: a learner of the service has asked for that, and for those of the
    exchange the instructor does, in `take_late`. Where the better total counts, it is collected
    after the one in time was graded.
    """

    take_late: Collection[str] = ()

    def init_src(self) -> None:
        """Find the hand-ins. Raises ExchangeError if there is no exchange."""
        own = cast(Any, self)
        course = own.coursedir
        if not course.course_id:
            own.fail("No course id specified. Re-run with --course flag.")
        self._root = Path(course.root)
        self._inbound = Path(own.root, course.course_id, "inbound")
        if not os.access(self._inbound, os.R_OK | os.X_OK, effective_ids=True):
            own.fail(f"{self._inbound} is no folder that this account can read: was any released?")
        self.result = CollectionResult()
        self._key = hand_in_seal.key(self._root)
        self._rules = LateRules(self._root)
        self._chosen = self._choose(self._theirs())

    def copy_files(self) -> None:
        """Copy what is new into the course. Raises ExchangeError at the end for problems."""
        for newest, chosen in self._chosen:
            try:
                state = self._collect(chosen)
            except OSError as error:
                self._is_problem(chosen.folder, f"it cannot be copied: {error}")
                continue
            late = newest.at if newest is not chosen else None
            done = Collected(chosen.student, chosen.module, chosen.at, state, late)
            self.result.collected.append(done)
            self.log.info("%s: %s", chosen.folder.name, state)
        if self.result.problems:
            cast(Any, self).fail(f"{len(self.result.problems)} problems, which are named above")

    def _theirs(self) -> Iterator[Sent]:
        own = cast(Any, self)
        course = own.coursedir
        student = "" if course.student_id in ("", "*") else str(course.student_id)
        for one in sent(self._inbound, str(course.assignment_id), student, zone(self._root)):
            if isinstance(one, str):
                self._is_problem(self._inbound / one, "its name has no time")
            elif why := why_not_theirs(one, self._key, believes_names=not own.check_owner):
                self._is_problem(one.folder, why)
            else:
                yield one

    def _choose(self, theirs: Iterable[Sent]) -> list[tuple[Sent, Sent]]:
        """Return of each learner the newest hand-in, and the one that counts."""
        by_student: defaultdict[str, list[Sent]] = defaultdict(list)
        for one in theirs:
            by_student[one.student].append(one)
        return [
            (newest := max(all_sent, key=lambda one: one.at), self._that_counts(newest, all_sent))
            for _, all_sent in sorted(by_student.items())
        ]

    def _that_counts(self, newest: Sent, all_sent: Iterable[Sent]) -> Sent:
        rules, student = self._rules, newest.student
        if not rules.is_late(newest.module, student, newest.at):
            return newest
        wanted = student in self.take_late or (
            not rules.better_counts and hand_in_seal.is_sealed(self._key, newest.folder)
        )
        is_free = rules.cost(newest.module, student, newest.at) == 0
        if not cast(Any, self).before_duedate and (wanted or is_free):
            return newest
        in_time = [one for one in all_sent if not rules.is_late(one.module, student, one.at)]
        before = max(in_time, key=lambda one: one.at, default=newest)
        return newest if rules.better_counts and self._is_graded(before) else before

    def _is_graded(self, one: Sent) -> bool:
        graded = (
            parse_utc(attempt.handed_in).replace(tzinfo=UTC)
            for attempt in store(self._root).history(one.student, one.module)
            if attempt.handed_in
        )
        return any(abs(at - one.at) < timedelta(seconds=1) for at in graded)

    def _collect(self, one: Sent) -> State:
        """Copy a hand-in unless the course has it, or a later one that counts."""
        target = self._root / SUBMITTED / one.student / one.module
        is_known = target.is_dir()
        if is_known:
            text = time_of(target / TIMESTAMP)
            before = parse_utc(text).replace(tzinfo=UTC) if text else None
            if not cast(Any, self).update or (before is not None and before >= one.at):
                return "unchanged"
        part = target.with_name(f".{target.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._copy(one.folder, part)
            # The old one is removed only now, so that a full disk loses nothing.
            if is_known:
                shutil.rmtree(target)
            part.rename(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return "newer" if is_known else "new"

    def _copy(self, folder: Path, target: Path) -> None:
        """Copy as nbgrader does, but links as links: what they lead to, the learner may not read.

        Raises OSError if it is larger than the course allows. Files that this account cannot read
        are left out, and are a problem.
        """
        course = cast(Any, self).coursedir
        size, largest = cast(Any, self).get_size(str(folder)), 1000 * course.max_dir_size
        if size > largest:
            raise OSError(f"{size} bytes, and `c.CourseDirectory.max_dir_size` allows {largest}")
        ignore: Callable[[str, list[str]], list[str]] = cast(Any, utils).ignore_patterns(
            exclude=course.ignore,
            include=course.include,
            max_file_size=course.max_file_size,
            log=self.log,
        )

        def left_out(place: str, names: list[str]) -> set[str]:
            strange = {name for name in names if not _is_ordinary(Path(place, name))}
            return strange | set(ignore(place, [name for name in names if name not in strange]))

        try:
            shutil.copytree(folder, target, symlinks=True, ignore=left_out)
        except shutil.Error as error:
            paths = ", ".join(str(Path(one[0]).relative_to(folder)) for one in error.args[0])
            self._is_problem(folder, f"collected, but for what cannot be read: {paths}")
        if course.groupshared:
            _share(target)

    def _is_problem(self, folder: Path, why: str) -> None:
        name, why = readable(folder.name), readable(why)
        self.result.problems[name] = why
        self.log.error("%s: %s", name, why)


def _is_ordinary(path: Path) -> bool:
    kind = path.lstat().st_mode
    return stat.S_ISREG(kind) or stat.S_ISDIR(kind) or stat.S_ISLNK(kind)


def _share(folder: Path) -> None:
    """Let the course's group write, as nbgrader does with `groupshared`."""
    for place, _, names in os.walk(folder):
        Path(place).chmod((Path(place).stat().st_mode | 0o2770) & 0o2777)
        for path in (Path(place, name) for name in names):
            if not path.is_symlink():
                path.chmod((path.stat().st_mode | 0o660) & 0o777)


def collect(
    root: Path, module: str, student: str = "", take_late: Collection[str] = ()
) -> CollectionResult:
    """Collect a module's hand-ins, all of them or one learner's.

    Raises UserError if there is no exchange, or one that is not in a folder.
    """
    from nbgrader.exchange import ExchangeError

    api: Any = course_api(load_config(root))
    api.coursedir.assignment_id = module
    api.coursedir.student_id = student or "*"
    own = api.exchange.Collect(coursedir=api.coursedir, authenticator=api.authenticator, parent=api)
    if not isinstance(own, OwnCollect):
        raise UserError(f"This course has an exchange of its own: run `nbgrader collect {module}`.")
    own.update, own.take_late = True, take_late
    # All that nbgrader's command would log is in the result.
    own.log = logging.getLogger("hotloop.course.collect")
    own.log.setLevel(logging.CRITICAL + 1)
    try:
        own.start()
    except ExchangeError as error:
        if not hasattr(own, "result"):
            raise UserError(f"Nothing is collected: {error}") from None
    return own.result
