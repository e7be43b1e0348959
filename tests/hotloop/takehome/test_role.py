import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.pack.notice import draft
from hotloop.takehome.role import DEFAULT_MINUTES, read_role, starting_text
from hotloop.tasks import curriculum

from .conftest import ABOUT, PEOPLE, ROLE

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)


def written(folder: Path, text: str) -> Path:
    path = folder / "takehome.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_role_is_read(tmp_path: Path) -> None:
    role = read_role(written(tmp_path, ROLE))
    assert [task.id for task in role.chosen()] == ["online_pass", "triton_forward", "explain"]
    tasks = role.pack_tasks(1.5)
    assert tasks["triton_forward"].minutes == 135
    assert tasks["online_pass"].minutes == 25 * 1.5
    assert role.rule == "optional"
    assert role.expires_at(NOW) == NOW + timedelta(days=14)


def test_a_date_ends_with_its_day(tmp_path: Path) -> None:
    role = read_role(written(tmp_path, ROLE.replace("expires: 14", "expires: 2030-01-31")))
    assert role.expires_at(NOW) == datetime(2030, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("find", "becomes", "line", "says"),
    [
        ("window_hours: 72", "window_hour: 72", 9, "unknown key 'window_hour'"),
        ("task: online_pass, weight: 1", "task: online_pas, weight: 1", 6, "has no task"),
        ("weight: 3", "weight: 0", 7, "greater than 0"),
        ("weight: 3", "weight: true", 7, "not true or false"),
        ("minutes: 90", "minutes: yes", 7, "not true or false"),
        ("window_hours: 72", "window_hours: true", 9, "not true or false"),
        ("format: 1", "format: 1\nkeep_days: true", 2, "not true or false"),
        ("format: 1", "format: 1\naccommodation: true", 2, "not true or false"),
        ("weight: 3, minutes: 90", "weight: 3, minutes: many", 7, "integer"),
        ("module: fused_softmax", "module: fused_sofmax", 4, "there is no module"),
        ("expires: 14", "expires: soon", 10, "expires"),
        ("expires: 14", "expires: 0", 10, "1 to 366 days"),
        ("expires: 14", "expires: 2030-02-31", 10, "'2030-02-31' cannot be read as a value"),
        ("role: gpu_engineer", "role: ../../etc", 2, "role"),
        ("title: GPU engineer, inference", "title: ''", 3, "title"),
        ("format: 1", "format: 2", 1, "format"),
        ("format: 1", "format: 1\nwork_log: maybe", 2, "work_log"),
        ("format: 1", "format: 1\ninstall: x $(rm -rf .)", 2, "install"),
        ("format: 1", "format: 1\nwheel: ../hotloop-1-py3-none-any.whl", 2, "wheel"),
        ("format: 1", "format: 1\nwheel: hotloop_solutions-1-py3-none-any.whl", 2, "wheel"),
        (
            "format: 1",
            "format: 1\ninstall: hotloop\nwheel: hotloop-1-py3-none-any.whl",
            1,
            "`wheel` or `install`, not both",
        ),
        ("format: 1", "format: 1\naccommodation: 0.5", 2, "accommodation"),
        ("format: 1", "format: 1\nwritten: {triton_masked: {}}", 2, "not among this role's"),
        ("task: triton_forward", "task: online_pass", 5, "there twice"),
        ("expires: 14", "expires: 14\nexpires: 15", 11, "there twice"),
        ("contact: hiring@example.org\n", "", 1, "contact"),
        ("contact: hiring@example.org", "contact: ''", 14, "contact"),
        ("contact: hiring@example.org", "contact: the team", 14, "an e-mail address or an https"),
        ("privacy_notice: >-", "help: >-", 14, "there twice"),
        (PEOPLE.splitlines()[2], "", 14, "80 characters"),
        ("format: 1", "format: 1\nreviewers: 0", 2, "reviewers"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(
    tmp_path: Path, find: str, becomes: str, line: int, says: str
) -> None:
    path = written(tmp_path, ROLE.replace(find, becomes, 1))
    with pytest.raises(CurriculumError) as caught:
        read_role(path)
    message = next(text for text in str(caught.value).splitlines() if says in text)
    number = int(message.removeprefix(f"{path}:").split(":")[0])
    assert abs(number - line) <= 1, message


@pytest.mark.parametrize("text", ["", "- format: 1\n"])
def test_a_file_without_keys_is_no_role(tmp_path: Path, text: str) -> None:
    with pytest.raises(CurriculumError, match=r"takehome.yaml:1: keys with values belong here"):
        read_role(written(tmp_path, text))


@pytest.mark.parametrize("module", [module.id for module in curriculum.modules()])
def test_what_init_writes_is_a_role(tmp_path: Path, module: str) -> None:
    found = curriculum.load_module(module)
    text = starting_text("role-1", 'Speed: "fast" # & {slow}', found, about=ABOUT)
    role = read_role(written(tmp_path, text))
    assert role.title == 'Speed: "fast" # & {slow}'
    assert role.chosen()
    assert not role.lacking()
    assert sum(task.minutes for task in role.pack_tasks(1).values()) <= DEFAULT_MINUTES
    assert any(task.kind == "code" for task in role.chosen())
    # The others are in the file as comments.
    assert all(f"task: {task.id}," in text for task in found.tasks)


def test_init_asks_for_the_tasks_that_a_module_names_for_take_homes(tmp_path: Path) -> None:
    found = curriculum.load_module("unknown_machine")
    role = read_role(written(tmp_path, starting_text("r", "x", found, about=ABOUT)))
    assert [task.id for task in role.chosen()] == ["walk"]


def test_no_role_is_without_contact_and_notice(tmp_path: Path) -> None:
    for key in ("contact", "privacy_notice"):
        text = re.sub(rf"(?m)^{key}:.*\n(?:  .*\n)*", "", ROLE)
        assert text != ROLE
        with pytest.raises(CurriculumError, match=key):
            read_role(written(tmp_path, text))


def test_the_draft_of_a_notice_names_who_and_whom_to_write_to(tmp_path: Path) -> None:
    text = draft("Müller & Söhne: GmbH", "https://example.org/jobs#write")
    found = curriculum.load_module("fused_softmax")
    about = ("https://example.org/jobs#write", text)
    role = read_role(written(tmp_path, starting_text("r", "x", found, about=about)))
    assert (role.contact, role.privacy_notice) == about
    for word in ("Müller & Söhne: GmbH", "Article 6", "copy", "deleted", "people decide"):
        assert word in text
