"""Take-home exercises on the command line, as a team and a candidate use them."""

import json
import os
import re
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app, lab
from hotloop.cli.work import Work
from hotloop.learn.pack import work_log

pytest.importorskip("cryptography", reason="the group `takehome` is not installed")

from hotloop.cli.takehome import new
from hotloop.takehome.role import WHEEL, TakehomeRole
from hotloop.takehome.team import Team, TeamError

from ..takehome.small_wheel import small_wheel

NAME = "=HYPERLINK(1) Ada <b>Lovelace</b>"


pytestmark = pytest.mark.usefixtures("installs")


def run(*words: str | Path, code: int = 0) -> Any:
    done = CliRunner().invoke(app, ["takehome", *map(str, words), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


@pytest.fixture(autouse=True)
def company(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who hires, as a shell would say it."""
    monkeypatch.setenv("HOTLOOP_COMPANY", "Example Inc.")
    monkeypatch.setenv("HOTLOOP_CONTACT", "hiring@example.org")


@pytest.fixture
def team(tmp_path: Path) -> Path:
    folder = tmp_path / "team"
    run("init", folder, "--module", "fused_softmax", "--role", "engineer", "--title", "An engineer")
    return folder


@pytest.mark.slow
def test_a_day(team: Path, tmp_path: Path) -> None:
    made = run("new", "engineer", "--name", NAME, "--team", team)
    pseudonym = made["pseudonym"]
    assert Path(made["file"]).name == "pack.zip"
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / pseudonym
    begun = run("status", folder)
    assert begun["pseudonym"] == pseudonym
    assert 13 * 24 < begun["hours_left"] < 14 * 24 + 1
    assert begun["window_hours"] == 72
    assert begun["contact"] == "hiring@example.org"
    assert begun["hours_since_first_entry"] is None
    assert {row["task"] for row in begun["tasks"]} > {"online_pass", "cuda_block"}
    assert next(row["gpu"] for row in begun["tasks"] if row["task"] == "cuda_block")
    done = run("submit", folder)
    assert "lab.ipynb" in done["files"]
    assert done["work_log"] is True
    assert Path(done["submission"]).is_file()
    assert run("submit", folder, "--without-work-log")["work_log"] is False

    listed = run("status", team)["packs"]
    assert [(row["pseudonym"], row["state"]) for row in listed] == [(pseudonym, "sent")]
    run("extend", pseudonym, "--until", "2040-01-01", "--team", team)
    assert run("status", team)["packs"][0]["until"].startswith("2040-01-02T00:00")
    reveal = ("scorecard", pseudonym, "--reveal", "--team", team)
    assert "not filed yet" in run(*reveal, code=2)["error"]
    card = team / "reports" / listed[0]["pack"] / "scorecard.json"
    card.parent.mkdir()
    card.write_text("{}")
    assert run(*reveal)["name"] == NAME
    assert run("forget", pseudonym, "--yes", "--team", team)["forgotten"] == [pseudonym]
    assert run("status", team)["packs"] == []
    assert not [path for path in team.rglob("*") if pseudonym in path.name]


def test_new_says_what_the_pack_installs(team: Path) -> None:
    role = team / "roles" / "engineer" / "takehome.yaml"
    role.write_text(role.read_text() + "install: hotloop[course] @ git+https://example.org/h.git\n")
    made = run("new", "engineer", "--name", "C", "--team", team)
    assert made["installs"] == "hotloop[course] @ git+https://example.org/h.git"


@pytest.mark.parametrize("there", [[], ["README.md"]], ids=["empty", "a clone"])
def test_new_makes_the_teams_folder_where_there_is_none(
    there: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty folder, or in one below a folder with other things; later commands find it."""
    for name in there:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    team = tmp_path / "team" if there else tmp_path
    made = run("new", "fused_softmax", "--name", "A. B.")
    assert made["team"] == str(team)
    assert (team / "keys").is_dir()
    assert (team / ".gitignore").read_text() == "*\n"
    again = run("new", "fused_softmax", "--name", "C. D.")
    assert again["team"] == made["team"]
    listed = run("status")["packs"]
    assert [row["pseudonym"] for row in listed] == [made["pseudonym"], again["pseudonym"]]
    said = " ".join(
        CliRunner()
        .invoke(app, ["takehome", "new", "fused_softmax", "--name", "E. F."])
        .stdout.split()
    )
    assert "a team's folder was made" not in said


def test_new_makes_no_team_for_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (
        "did you mean fused_softmax" in run("new", "fused_softmx", "--name", "x", code=2)["error"]
    )
    assert "--name" in run("new", "fused_softmax", code=2)["error"]
    monkeypatch.delenv("HOTLOOP_CONTACT")
    assert "HOTLOOP_CONTACT" in run("new", "fused_softmax", "--name", "x", code=2)["error"]
    assert list(tmp_path.iterdir()) == []


def test_new_asks_for_the_name_at_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []

    def prompt(text: str, *, err: bool) -> str:
        assert err
        asked.append(text)
        return "A. B."

    monkeypatch.setattr(new.typer, "prompt", prompt)
    monkeypatch.setattr(new, "at_terminal", lambda: True)
    assert run("new", "fused_softmax")["pseudonym"]
    assert asked == ["The candidate's name, which is sealed"]


def test_new_makes_the_wheel_that_pip_does_not_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, and not where the role says what pip installs."""
    monkeypatch.chdir(tmp_path)
    built: list[Path] = []

    def make(folder: Path) -> Path:
        built.append(folder)
        return small_wheel(folder)

    def required(team: Team, role: TakehomeRole) -> None:
        if not role.wheel:
            raise TeamError("pip finds none.")
        assert (team.folder / role.wheel).is_file()

    monkeypatch.setattr("hotloop.takehome.own_wheel.make", make)
    monkeypatch.setattr("hotloop.takehome.installable.require", required)
    first = run("new", "fused_softmax", "--name", "A. B.")
    assert first["installs"] == f"./{WHEEL}[course,cuda]"
    assert run("new", "fused_softmax", "--name", "C. D.")["installs"] == first["installs"]
    assert built == [tmp_path]
    role = tmp_path / "roles" / "fused_softmax" / "takehome.yaml"
    assert role.read_text().count(f"wheel: {WHEEL}") == 1
    role.write_text(role.read_text().replace(f"wheel: {WHEEL}", "install: hotloop"))
    assert run("new", "fused_softmax", "--name", "E. F.", code=2)["error"] == "pip finds none."


def test_init_puts_the_wheel_where_new_roles_find_it(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    small_wheel(tmp_path / "dist")
    words = ("--module", "fused_softmax", "--wheel", tmp_path / "dist")
    run("init", tmp_path / "t", *words)
    written = (tmp_path / "t" / "roles" / "fused_softmax" / "takehome.yaml").read_text()
    assert f"\nwheel: {WHEEL}\n" in written
    assert (tmp_path / "t" / WHEEL).is_file()
    made = run("new", "fused_softmax", "--name", "A", "--team", tmp_path / "t")
    with zipfile.ZipFile(made["file"]) as pack:
        assert f"{made['pseudonym']}/{WHEEL}" in pack.namelist()
    other = tmp_path / "hotloop-9.9-py3-none-any.whl"
    other.write_bytes(b"x")
    said = run("init", tmp_path / "u", "--module", "fused_softmax", "--wheel", other, code=2)
    assert "is not called" in said["error"]


def test_opening_the_lab_begins_the_work_log(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = run("new", "engineer", "--name", NAME, "--team", team)
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / made["pseudonym"]
    monkeypatch.setattr(lab.subprocess, "call", lambda *_args, **_more: 0)
    done = CliRunner().invoke(app, ["lab", str(folder)])
    assert done.exit_code == 0, done.output
    lines = (folder / "work_log.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["opened"]


def test_people_can_read_it(team: Path) -> None:
    made = run("new", "engineer", "--name", "A. B.", "--team", team)
    for words in (
        ["status", str(team)],
        ["forget", made["pseudonym"], "--yes", "--team", str(team)],
    ):
        done = CliRunner().invoke(app, ["takehome", *words])
        assert done.exit_code == 0
        assert made["pseudonym"] in done.stdout


def test_whoever_has_a_link_is_told_of_the_window(team: Path, tmp_path: Path) -> None:
    made = run("new", "engineer", "--name", "A. B.", "--team", team)
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / made["pseudonym"]
    began = datetime.now(UTC) - timedelta(hours=71)
    entry = work_log.WorkLogEntry(kind="opened", at=began)
    (folder / work_log.NAME).write_text(f"{entry.model_dump_json()}\n")
    for command in ("status", "submit"):
        done = CliRunner().invoke(app, ["takehome", command, str(folder)])
        said = " ".join(done.stdout.split())
        assert "you have 72 hours from the download: the page behind the link says until" in said
        assert ("The work log began 71 hours ago." in said) is (command == "status")


def test_a_window_as_long_as_the_pack_is_open_is_no_window(team: Path, tmp_path: Path) -> None:
    role = team / "roles" / "engineer" / "takehome.yaml"
    role.write_text(role.read_text().replace("window_hours: 72", "window_hours: 800"))
    made = run("new", "engineer", "--name", "A. B.", "--team", team)
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(tmp_path)
    done = CliRunner().invoke(app, ["takehome", "status", str(tmp_path / made["pseudonym"])])
    assert "days are left." in done.stdout
    assert "hours from the" not in done.stdout


@pytest.mark.slow
def test_a_module_without_a_role_gets_one(team: Path) -> None:
    made = run("new", "profile_training_loop", "--name", "A. B.", "--team", team)
    assert made["role"] == "profile_training_loop"
    assert (team / "roles" / "profile_training_loop" / "takehome.yaml").is_file()
    again = run("new", "profile_training_loop", "--name", "C. D.", "--team", team)
    assert again["role"] == made["role"]
    assert made["same_for_all"] == []
    assert again["pseudonym"] != made["pseudonym"]


@pytest.mark.slow
def test_the_module_of_a_role_names_it(team: Path) -> None:
    assert run("new", "fused_softmax", "--name", "A. B.", "--team", team)["role"] == "engineer"


@pytest.mark.slow
def test_deleting_asks_first(team: Path) -> None:
    made = run("new", "engineer", "--name", "A. B.", "--team", team)
    words = ["takehome", "forget", made["pseudonym"], "--team", str(team)]
    done = CliRunner().invoke(app, words, input="n\n")
    assert done.exit_code == 2
    assert len(run("status", team)["packs"]) == 1
    assert run("forget", "--due", "--team", team)["forgotten"] == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["new", "enginer", "--name", "x"], "did you mean engineer"),
        (["new", "engineer", "--name", ""], "1 to 200"),
        (["scorecard", "quiet-otter-41", "--reveal"], "No pack here"),
        (["forget"], "Name a candidate"),
    ],
)
def test_mistakes_are_sentences(team: Path, words: list[str], says: str) -> None:
    assert says in run(*words, "--team", team, code=2)["error"]


def test_a_faulty_role_is_named_with_its_line(team: Path) -> None:
    path = team / "roles" / "engineer" / "takehome.yaml"
    path.write_text(path.read_text().replace("window_hours: 72", "window_hours: many"))
    said = run("new", "engineer", "--name", "A. B.", "--team", team, code=2)["error"]
    line = path.read_text().splitlines().index("window_hours: many") + 1
    assert f"takehome.yaml:{line}: window_hours" in said


@pytest.mark.parametrize("role", ["../x", "A", "", "a b"])
def test_a_role_is_no_path(team: Path, role: str) -> None:
    words = ["init", team, "--module", "fused_softmax", "--role", role]
    if role:
        assert "no role's id" in run(*words, code=2)["error"]
    else:
        assert Path(run(*words)["role"]).parent.name == "fused_softmax"


def test_outside_of_a_pack_and_of_a_team(tmp_path: Path) -> None:
    assert "no pack in" in run("submit", tmp_path, code=2)["error"]
    assert "no pack in" in run("status", tmp_path, code=2)["error"]
    assert "no team's folder" in run("new", "x", "--name", "y", "--team", tmp_path, code=2)["error"]


@pytest.mark.parametrize("folder", ["/etc/passwd", "/proc/foo", "/nonexist\x7f/" + "x" * 300])
def test_where_no_team_can_be_made_is_told(folder: str) -> None:
    said = run("init", folder, "--module", "fused_softmax", code=2)["error"]
    assert said.startswith(folder)
    assert said.count("\n") == 0


def test_a_role_is_made_for_a_company_that_can_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOTLOOP_COMPANY", "HOTLOOP_CONTACT"):
        monkeypatch.delenv(name)
    words = ["init", tmp_path / "team", "--module", "fused_softmax"]
    assert "--contact hiring@example.org" in run(*words, code=2)["error"]
    assert not (tmp_path / "team").exists()
    named = ["--company", "Acme Ltd.", "--contact", "jobs@acme.example"]
    first = Path(run(*words, *named)["role"]).read_text()
    assert 'contact: "jobs@acme.example"' in first
    assert "Acme Ltd. is responsible" in first
    # The next role begins with the same ones.
    second = Path(run(*words, "--role", "another")["role"]).read_text()
    assert first[first.index("contact:") :] == second[second.index("contact:") :]


def test_another_role_is_noted(team: Path) -> None:
    run("init", team, "--module", "fused_softmax", "--role", "perf")
    lines = (team / "audit.jsonl").read_text().splitlines()
    said = [json.loads(line)["what"] for line in lines]
    assert said == ["made the folder and its keys", "made the role engineer", "made the role perf"]


@pytest.mark.slow
def test_shares_are_said_so_that_they_add_up(team: Path, tmp_path: Path) -> None:
    role = team / "roles" / "engineer" / "takehome.yaml"
    text = role.read_text()
    begin, end = text.index("tasks:\n"), text.index("# Hours from")
    tasks = "".join(
        f"  - {{task: {name}, weight: {weight}}}\n"
        for name, weight in (("online_pass", 12), ("triton_forward", 12), ("explain", 10))
    )
    role.write_text(f"{text[:begin]}tasks:\n{tasks}{text[end:]}")
    made = run("new", "engineer", "--name", "Ada", "--team", team)
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / made["pseudonym"]
    done = CliRunner().invoke(app, ["takehome", "status", str(folder)])
    for said in (done.stdout, (folder / "INSTRUCTIONS.md").read_text()):
        shares = [int(share) for share in re.findall(r"(\d+) %", said)]
        assert shares[:3] == [35, 35, 30]


@pytest.mark.slow
def test_a_deadline_is_the_end_of_a_day_or_a_time(team: Path) -> None:
    pseudonym = run("new", "engineer", "--name", "Ada", "--team", team)["pseudonym"]

    def until(text: str, code: int = 0) -> Any:
        return run("extend", pseudonym, "--until", text, "--team", team, code=code)

    today = datetime.now(UTC).date()
    assert until(f"{today}")["until"].startswith(f"{today + timedelta(days=1)}T00:00")
    assert until("2040-01-31T18:00")["until"].startswith("2040-01-31T18:00")
    for text, says in (
        (f"{today - timedelta(days=1)}", "is over"),
        ("2040-02-31", "no day"),
        ("31.1.2040", "no day"),
        ("9999-12-31", "no day"),
    ):
        assert says in until(text, code=2)["error"]


@pytest.mark.slow
def test_what_is_damaged_hides_nobody_else(team: Path) -> None:
    made = [run("new", "engineer", "--name", name, "--team", team) for name in ("A", "B", "C")]
    packs = team / "packs"
    (packs / made[0]["pack"] / "record.json").write_text("{")
    (packs / made[1]["pack"] / "manifest.json").write_text("{")
    log = team / "audit.jsonl"
    log.write_bytes(log.read_bytes().replace(b"made pack", b"lost pack", 1))
    found = run("status", team, code=1)
    assert [row["pseudonym"] for row in found["packs"]] == [made[2]["pseudonym"]]
    assert set(found["damaged"]) == {made[0]["pack"], made[1]["pseudonym"]}
    assert "record.json is damaged" in found["damaged"][made[0]["pack"]]
    assert found["audit_breaks"] == ["line 4 does not follow from the line before it"]


@pytest.mark.slow
def test_a_second_pack_for_one_name_must_be_meant(team: Path) -> None:
    words = ("new", "engineer", "--name", NAME, "--team", team)
    first = run(*words)
    said = run(*words, code=2)["error"]
    assert "--again" in said
    assert first["pseudonym"] not in said
    assert len(run("status", team)["packs"]) == 1
    assert run(*words, "--again")["pseudonym"] != first["pseudonym"]


@pytest.mark.slow
def test_a_file_whose_name_is_no_text_is_left_out_and_named(team: Path, tmp_path: Path) -> None:
    made = run("new", "engineer", "--name", "Ada", "--team", team)
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / made["pseudonym"]
    (folder / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    assert len(run("submit", folder)["left_out"]) == 1
    done = CliRunner().invoke(app, ["takehome", "submit", str(folder)])
    assert done.exit_code == 0, done.output
    assert "left out" in done.output


@pytest.mark.slow
def test_check_judges_what_the_take_home_asks(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    role = team / "roles" / "engineer" / "takehome.yaml"
    kept = [
        line.removeprefix("# ") if "{task: explain" in line else line
        for line in role.read_text().splitlines()
        if "{task:" not in line or "online_pass" in line or "explain" in line
    ]
    role.write_text("\n".join(kept) + "\n")
    made = run("new", "engineer", "--name", "Ada", "--team", team)
    with zipfile.ZipFile(made["file"]) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / made["pseudonym"]
    asked: list[tuple[Path, list[str]]] = []

    def judge(work: Work, _seed: str, *, nsight: bool) -> dict[str, Any]:
        assert not nsight
        asked.append((work.folder, work.keys))
        return {}

    monkeypatch.setattr("hotloop.cli.check._judge", judge)
    monkeypatch.setattr("hotloop.cli.check.require_sandbox", lambda: None)
    monkeypatch.chdir(folder)
    for words in ([], ["."], [str(folder)]):
        done = CliRunner().invoke(app, ["check", *words, "--json"])
        assert done.exit_code == 0, done.output
    assert asked == [(folder, ["fused_softmax.online_pass"])] * 3
