"""Collecting: a learner's hand-in comes from nobody else, and the right one of them counts."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from sqlalchemy.exc import SAWarning
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.course import collect as collecting
from hotloop.course import hand_in_seal
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.attempts.store import store
from hotloop.course.collect import collect
from hotloop.course.config import CONFIG_FILE, course_api, load_config, make_folder
from hotloop.course.hand_in import TIMESTAMP, time_of
from hotloop.course.lateness import LateRules
from hotloop.course.worth import LateHandIns, noted_late
from hotloop.judge.files import lay_out

# What nbgrader and its own dependencies do to each other, when they collect.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{kind}")
    for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
]

MODULES = ("ssa_passes", "tvm_passes")
MODULE = MODULES[0]
DUE = datetime(2026, 5, 1, 12)
BEFORE, AFTER = DUE - timedelta(hours=1), DUE + timedelta(hours=1)
ZERO = 'c.LateSubmissionPlugin.penalty_method = "zero"\n'
PLUGIN = """
from nbgrader.plugins import BasePlugin

class ByHour(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return {}

c.AssignLatePenalties.plugin_class = ByHour
"""
BY_HOUR = PLUGIN.format("2 * (total_seconds_late // 3600)")
FAULTY = PLUGIN.format("1 / 0")


@dataclass
class Exchange:
    """A course with its exchange. owners: of folders in it, by inode; all others are mallory's."""

    root: Path
    owners: dict[int, str] = field(default_factory=dict[int, str])

    @property
    def inbound(self) -> Path:
        return self.root / "exchange" / "class" / "inbound"

    def sends(self, name: str, at: datetime, by: str = "", what: str = "x", **more: str) -> Path:
        """Lay a hand-in as `nbgrader submit` does. by: the account; name's by default."""
        folder = self.inbound / f"{name}+{more.pop('module', MODULE)}+{at:%Y-%m-%d %H:%M:%S} UTC+r"
        self._lay(folder, at, what)
        self.owners[folder.stat().st_ino] = by or name
        return folder

    def serves(self, name: str, at: datetime, what: str = "x") -> Path:
        """Lay a hand-in as the service does; it is the service's."""
        start = f"{name}+{MODULE}+{at:%Y-%m-%d %H:%M:%S.%f} UTC"
        files = {"lab.ipynb": what.encode(), "timestamp.txt": f"{at} UTC".encode()}
        end = hand_in_seal.seal(hand_in_seal.key(self.root), start, files)
        self._lay(folder := self.inbound / f"{start}+{end}", at, what)
        self.owners[folder.stat().st_ino] = "judge"
        return folder

    def _lay(self, folder: Path, at: datetime, what: str) -> None:
        lay_out({"lab.ipynb": what.encode(), "timestamp.txt": f"{at} UTC".encode()}, folder)

    def has(self, name: str, module: str = MODULE) -> str:
        """Return the text of what was collected, or ""."""
        path = self.root / "submitted" / name / module / "lab.ipynb"
        return path.read_text() if path.exists() else ""

    def says(self, settings: str) -> None:
        with (self.root / "nbgrader_config.py").open("a") as stream:
            stream.write(settings)

    def extends(self, name: str, by: timedelta) -> None:
        with Gradebook(load_config(self.root).CourseDirectory.db_url) as gradebook:
            gradebook.add_student(name)
            gradebook.add_submission(MODULE, name).extension = by
            gradebook.db.commit()


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with released modules that are due, to be copied."""
    root = tmp_path_factory.mktemp("collecting") / "course"
    make_folder(root, "class")
    with (root / CONFIG_FILE).open("a") as stream:
        stream.write("c.Exchange.root = str(Path(__file__).parent / 'exchange')\n")
    (root / "exchange" / "class" / "inbound").mkdir(parents=True)
    (root / "exchange").chmod(0o777)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        with Gradebook(load_config(root).CourseDirectory.db_url) as gradebook:
            for module in MODULES:
                gradebook.add_assignment(module, duedate=DUE)
                gradebook.add_notebook("lab", module)
                gradebook.add_grade_cell("a", "lab", module, max_score=10, cell_type="code")
    return root


@pytest.fixture
def exchange(empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exchange:
    made = Exchange(Path(shutil.copytree(empty, tmp_path / "course")))
    monkeypatch.setattr(
        collecting, "account", lambda status: made.owners.get(status.st_ino, "mallory")
    )
    return made


# --- whose it is ----------------------------------------------------------------------------------


def renamed(exchange: Exchange) -> None:
    ours = exchange.serves("mallory", BEFORE, "forged")
    ours.rename(exchange.inbound / ours.name.replace("mallory", "ken"))


def changed(exchange: Exchange) -> None:
    (exchange.serves("ken", BEFORE, "x") / "lab.ipynb").write_text("forged")


def added(exchange: Exchange) -> None:
    (exchange.serves("ken", BEFORE, "forged") / "more.py").write_text("x")


def linked_into(exchange: Exchange) -> None:
    (exchange.serves("ken", BEFORE, "forged") / "more").symlink_to("/etc")


def later(exchange: Exchange) -> None:
    ours = exchange.serves("ken", BEFORE, "forged")
    ours.rename(exchange.inbound / ours.name.replace("11:00", "11:30"))


def sealed_by_hand(exchange: Exchange) -> None:
    exchange.sends("ken", BEFORE, by="mallory", what="forged").rename(
        exchange.inbound / f"ken+{MODULE}+{BEFORE} UTC+{'A' * 24}"
    )


def link_to_own(exchange: Exchange) -> None:
    """A link belongs to who has made it, and not to whose folder it leads to."""
    theirs = exchange.root / "home_of_ken"
    lay_out({"lab.ipynb": b"forged"}, theirs)
    exchange.owners[theirs.stat().st_ino] = "ken"
    (exchange.inbound / f"ken+{MODULE}+2026-04-01 00:00:00 UTC+r").symlink_to(theirs)


def file(exchange: Exchange) -> None:
    path = exchange.inbound / f"ken+{MODULE}+2026-04-01 00:00:00 UTC+r"
    path.write_text("forged")
    exchange.owners[path.stat().st_ino] = "ken"


def other_account(exchange: Exchange) -> None:
    exchange.sends("ken", BEFORE, by="mallory", what="forged")


def unknown_account(exchange: Exchange) -> None:
    exchange.sends("ken", BEFORE, by="the account 4242", what="forged")


def no_time(exchange: Exchange) -> None:
    lay_out({"lab.ipynb": b"forged"}, exchange.inbound / f"ken+{MODULE}+yesterday+r")


def far_time(exchange: Exchange) -> None:
    lay_out({"lab.ipynb": b"forged"}, exchange.inbound / f"ken+{MODULE}+99999-01-01 00:00 UTC+r")


FORGERIES = [
    renamed, changed, added, linked_into, later, sealed_by_hand, link_to_own, file, other_account,
    unknown_account, no_time, far_time,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("forge", FORGERIES)
def test_what_somebody_else_has_made_is_a_problem_by_name(
    exchange: Exchange, forge: Callable[[Exchange], None]
) -> None:
    """Also if it is the newest: what the learner has sent is collected all the same."""
    exchange.sends("ken", BEFORE - timedelta(days=60), what="ken's")
    exchange.sends("ada", BEFORE, what="ada's")
    forge(exchange)
    result = collect(exchange.root, MODULE)
    (name,) = result.problems
    assert name.startswith(f"ken+{MODULE}+")
    assert (exchange.has("ken"), exchange.has("ada")) == ("ken's", "ada's")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", ".", "..", ".hidden"])
def test_no_name_leads_out_of_the_course(exchange: Exchange, name: str) -> None:
    exchange.says("c.ExchangeCollect.check_owner = False\n")
    exchange.sends(name, BEFORE, what="forged")
    assert len(collect(exchange.root, MODULE).problems) == 1
    assert not list(exchange.root.rglob("submitted/**/lab.ipynb"))


@pytest.mark.slow
def test_hand_ins_of_both_ways_are_collected_without_a_warning(
    exchange: Exchange, caplog: pytest.LogCaptureFixture
) -> None:
    people = ["ada", "o'neil", "a+b", "jürgen", "ken (1)", "x" * 60]
    for number, name in enumerate(people):
        (exchange.serves if number % 2 else exchange.sends)(name, BEFORE, what=name)
    result = collect(exchange.root, MODULE)
    assert result.problems == {}
    assert [exchange.has(name) for name in people] == people
    assert not [one for one in caplog.records if one.levelname in ("WARNING", "ERROR")]


@pytest.mark.slow
def test_a_hub_of_one_account_believes_names(exchange: Exchange) -> None:
    exchange.sends("ada", BEFORE, by="jovyan")
    command = CliRunner().invoke(app, ["course", "collect", "--course", str(exchange.root)])
    assert command.exit_code == 1
    assert "check_owner = False" in command.stdout
    exchange.says("c.ExchangeCollect.check_owner = False\n")
    assert collect(exchange.root, MODULE).problems == {}
    assert exchange.has("ada") == "x"


@pytest.mark.slow
def test_nbgraders_own_api_does_the_same(exchange: Exchange) -> None:
    exchange.sends("ada", BEFORE)
    exchange.serves("bob", BEFORE)
    api = course_api(load_config(exchange.root))
    assert api.collect(MODULE)["success"]
    other_account(exchange)
    result = api.collect(MODULE)
    assert not result["success"]
    assert "it is not ken's: mallory has made it" in result["log"]
    assert [exchange.has(name) for name in ("ada", "bob", "ken")] == ["x", "x", ""]


@pytest.mark.slow
def test_nbgraders_own_command_does_the_same(exchange: Exchange) -> None:
    """With this machine's own accounts."""
    exchange.serves("ada", BEFORE)
    exchange.sends("ken", BEFORE)
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "collect", MODULE],
        cwd=exchange.root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode != 0
    assert "cheating" not in done.stderr
    assert f"ken+{MODULE}" in done.stderr
    assert (exchange.has("ada"), exchange.has("ken")) == ("x", "")


def test_a_key_that_this_account_may_not_read_is_said(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuses)
    with pytest.raises(UserError, match="let them run as one account"):
        hand_in_seal.key(exchange.root)


def test_the_key_is_made_once_and_is_nobody_elses(exchange: Exchange) -> None:
    first = hand_in_seal.key(exchange.root)
    assert (len(first), hand_in_seal.key(exchange.root)) == (32, first)
    assert (exchange.root / hand_in_seal.FILE).stat().st_mode & 0o077 == 0


# --- which one counts -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "counts"),
    [("", "late"), (ZERO, "early"), (BY_HOUR, "early"), (FAULTY, "early")],
)
def test_a_late_one_that_loses_points_replaces_none_in_time(
    exchange: Exchange, settings: str, counts: str
) -> None:
    exchange.says(settings)
    exchange.sends("ada", BEFORE, what="early")
    exchange.sends("ada", AFTER, what="late")
    (done,) = collect(exchange.root, MODULE).collected
    assert exchange.has("ada") == counts
    assert (done.late is None) == (counts == "late")


@pytest.mark.slow
def test_so_it_is_when_the_early_one_was_collected_before(exchange: Exchange) -> None:
    exchange.says(ZERO)
    exchange.sends("ada", BEFORE, what="early")
    collect(exchange.root, MODULE)
    exchange.sends("ada", AFTER, what="late")
    (done,) = collect(exchange.root, MODULE).collected
    assert (exchange.has("ada"), done.state) == ("early", "unchanged")
    # The instructor takes it; and what was taken stays.
    collect(exchange.root, MODULE, take_late=["ada"])
    assert exchange.has("ada") == "late"
    collect(exchange.root, MODULE)
    assert exchange.has("ada") == "late"


@pytest.mark.slow
def test_a_late_one_alone_counts_and_one_in_time_by_extra_time_does(exchange: Exchange) -> None:
    exchange.says(ZERO)
    exchange.sends("ada", AFTER, what="late")
    exchange.extends("bob", timedelta(days=1))
    exchange.sends("bob", BEFORE, what="early")
    exchange.sends("bob", AFTER, what="later")
    collect(exchange.root, MODULE)
    assert (exchange.has("ada"), exchange.has("bob")) == ("late", "later")


@pytest.mark.slow
def test_a_learner_of_the_service_has_chosen(exchange: Exchange) -> None:
    exchange.says(ZERO)
    exchange.sends("ada", BEFORE, what="early")
    exchange.serves("ada", AFTER, what="chosen")
    collect(exchange.root, MODULE)
    assert exchange.has("ada") == "chosen"


@pytest.mark.slow
def test_where_the_better_total_counts_a_late_one_follows_a_grading(exchange: Exchange) -> None:
    """Both are to be graded, and the course has room for one at a time."""
    exchange.says(ZERO)
    recorded = store(exchange.root)
    recorded.write(lambda c: within.note(c, noted_late(LateHandIns.BETTER, "agreed", "")))
    exchange.sends("ada", BEFORE, what="early")
    exchange.serves("ada", AFTER, what="late")
    (done,) = collect(exchange.root, MODULE).collected
    assert (exchange.has("ada"), done.late is None) == ("early", False)
    (done,) = collect(exchange.root, MODULE).collected
    assert (exchange.has("ada"), done.state) == ("early", "unchanged")
    graded = time_of(exchange.root / "submitted" / "ada" / MODULE / TIMESTAMP)
    recorded.add(Attempt("ada", MODULE, "", "", {}, now(), 1.0, {}, handed_in=graded))
    (done,) = collect(exchange.root, MODULE).collected
    assert (exchange.has("ada"), done.late) == ("late", None)


@pytest.mark.slow
def test_nbgraders_setting_for_dates_holds(exchange: Exchange) -> None:
    exchange.says("c.ExchangeCollect.before_duedate = True\n")
    exchange.sends("ada", BEFORE, what="early")
    exchange.serves("ada", AFTER, what="late")
    collect(exchange.root, MODULE)
    assert exchange.has("ada") == "early"


@pytest.mark.slow
def test_the_newest_is_collected_again_and_again(exchange: Exchange) -> None:
    states = []
    for number, hours in enumerate((3, 2, 2, 5)):
        if number != 2:
            exchange.sends("ada", DUE - timedelta(hours=hours), what=str(number))
        (done,) = collect(exchange.root, MODULE).collected
        states.append((done.state, exchange.has("ada")))
    assert states == [("new", "0"), ("newer", "1"), ("unchanged", "1"), ("unchanged", "1")]


# --- what is copied -------------------------------------------------------------------------------


@pytest.mark.slow
def test_links_are_not_followed_and_pipes_left_out(exchange: Exchange, tmp_path: Path) -> None:
    """What they lead to, the instructor may read and the learner may not."""
    (tmp_path / "secret").write_text("the key")
    folder = exchange.sends("ada", BEFORE)
    (folder / "work.py").symlink_to(tmp_path / "secret")
    (folder / "more").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe")
    assert collect(exchange.root, MODULE).problems == {}
    copied = exchange.root / "submitted" / "ada" / MODULE
    assert (copied / "work.py").is_symlink()
    assert (copied / "more").is_symlink()
    assert not (copied / "pipe").exists()


@pytest.mark.slow
def test_a_full_disk_loses_nothing_and_stops_nobody(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ada", "bob"):
        exchange.sends(name, BEFORE - timedelta(hours=1), what="first")
    collect(exchange.root, MODULE)
    for name in ("ada", "bob"):
        exchange.sends(name, BEFORE, what="second")
    copytree = shutil.copytree

    def full(source: Any, target: Any, **how: Any) -> Any:
        if "ada" in str(source):
            raise OSError(28, "No space left on device")
        return copytree(source, target, **how)

    monkeypatch.setattr(shutil, "copytree", full)
    result = collect(exchange.root, MODULE)
    assert (exchange.has("ada"), exchange.has("bob")) == ("first", "second")
    (why,) = result.problems.values()
    assert "No space left" in why


@pytest.mark.slow
def test_one_that_is_too_large_is_a_problem(exchange: Exchange) -> None:
    exchange.says("c.CourseDirectory.max_dir_size = 1\n")
    exchange.sends("ada", BEFORE, what="x" * 3000)
    exchange.sends("bob", BEFORE)
    (why,) = collect(exchange.root, MODULE).problems.values()
    assert "max_dir_size" in why
    assert (exchange.has("ada"), exchange.has("bob")) == ("", "x")


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_command_collects_all_modules(exchange: Exchange) -> None:
    exchange.says(ZERO)
    for module in MODULES:
        exchange.sends("ada", BEFORE, module=module, what="early")
    exchange.sends("ada", AFTER, what="late")
    other_account(exchange)
    words = ["course", "collect", "--course", str(exchange.root)]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert [(one["module"], one["state"]) for one in document["collected"]] == [
        (module, "new") for module in MODULES
    ]
    assert document["collected"][0]["late"] == AFTER.replace(tzinfo=UTC).isoformat()
    (name,) = document["problems"]
    assert name.startswith("ken+")
    shown = CliRunner().invoke(app, words).stdout
    assert "--late ada" in " ".join(shown.split())
    taken = CliRunner().invoke(app, [*words, MODULE, "--late", "ada"])
    assert exchange.has("ada") == "late", taken.output


def test_a_module_that_was_not_released_is_said(exchange: Exchange) -> None:
    words = ["course", "collect", "ssa_pases", "--course", str(exchange.root), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "did you mean ssa_passes" in done.stderr + done.stdout


@pytest.mark.slow
def test_without_an_exchange_it_is_said(exchange: Exchange) -> None:
    shutil.rmtree(exchange.inbound)
    done = CliRunner().invoke(app, ["course", "collect", "--course", str(exchange.root)])
    assert done.exit_code == 2
    assert "was any released" in done.output


# --- what it costs --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "at", "said"),
    [
        (ZERO, BEFORE, ""),
        (ZERO, AFTER, "it counts zero points"),
        ("", AFTER, "that costs nothing"),
        (BY_HOUR, AFTER, "that costs 2 of 10 points"),
        (BY_HOUR, DUE + timedelta(days=9), "it counts zero points"),
        (FAULTY, AFTER, "what that costs, your course has not said"),
    ],
)
def test_what_it_costs_is_what_grading_takes(
    exchange: Exchange, settings: str, at: datetime, said: str
) -> None:
    exchange.says(settings)
    assert LateRules(exchange.root).consequence(MODULE, "ada", at.replace(tzinfo=UTC)) == said


@pytest.mark.slow
def test_dates_at_the_end_of_time_are_dates(exchange: Exchange) -> None:
    with Gradebook(load_config(exchange.root).CourseDirectory.db_url) as gradebook:
        gradebook.find_assignment(MODULE).duedate = datetime(9999, 12, 31, 23, 59)
        gradebook.db.commit()
    exchange.extends("ada", timedelta(days=2))
    rules = LateRules(exchange.root)
    assert not rules.is_late(MODULE, "ada", datetime.now(UTC))
    assert rules.due("no_such_module", "ada") is None
