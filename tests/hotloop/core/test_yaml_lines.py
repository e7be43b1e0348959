import time
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from hotloop.core.yaml_lines import CurriculumError, load


class _Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    count: int


class _Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    items: list[_Inner]


GOOD = """\
title: a
items:
  - name: x
    count: 1
  - name: y
    count: 2
"""


def _error(tmp_path: Path, text: str, name: str = "data.yaml") -> str:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(CurriculumError) as raised:
        load(path, _Outer)
    return str(raised.value).replace(str(tmp_path) + "/", "")


def test_reads_yaml_and_json(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD)
    (tmp_path / "a.json").write_text('{"title": "a", "items": [{"name": "x", "count": 1}]}')
    assert [i.count for i in load(tmp_path / "a.yaml", _Outer).items] == [1, 2]
    assert [i.count for i in load(tmp_path / "a.json", _Outer).items] == [1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            GOOD + "    color: red\n",
            "data.yaml:7: unknown key 'items.1.color': remove it, or fix its spelling",
        ),
        (GOOD.replace("    count: 2\n", ""), "data.yaml:5: the key 'items.1.count' is missing"),
        (GOOD.replace("count: 1", "count: many"), "data.yaml:4: items.0.count: …"),
        (GOOD + "title: b\n", "data.yaml:7: the key 'title' is there twice"),
        ("title: a\nitems: [1, 2\n", "data.yaml:3: not YAML: …"),
        ("title: a\nitems:\n  - x\n", "data.yaml:3: items.0: keys with values belong here"),
        ('{\n "title": "a",\n "items": [],\n "more": 1\n}\n', "data.json:4: unknown key 'more'…"),
    ],
)
def test_a_fault_is_told_where_it_stands(tmp_path: Path, text: str, said: str) -> None:
    """A “…” marks where a library's own words follow."""
    found = _error(tmp_path, text, said.partition(":")[0])
    assert found.startswith(said[:-1]) if said.endswith("…") else found == said


def test_every_fault_has_a_line_of_its_own(tmp_path: Path) -> None:
    text = GOOD.replace("count: 1", "count: many") + "extra: 1\n"
    lines = _error(tmp_path, text).splitlines()
    assert [line.split(": ")[0] for line in lines] == ["data.yaml:4", "data.yaml:7"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CurriculumError, match=r"nowhere\.yaml:1: cannot be read"):
        load(tmp_path / "nowhere.yaml", _Outer)


def test_what_aliases_repeat_is_looked_at_once(tmp_path: Path) -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    text = "\n".join(["a0: &a0 [x, x]", *rows, ""])
    started = time.monotonic()
    assert "data.yaml:1: unknown key 'a0'" in _error(tmp_path, text)
    assert time.monotonic() - started < 5


def test_what_holds_itself_is_no_crash(tmp_path: Path) -> None:
    assert "data.yaml:2: items" in _error(tmp_path, "title: a\nitems: &x [*x]\n")
    deep = "title: a\nitems: " + "[" * 5000 + "]" * 5000
    assert _error(tmp_path, deep).startswith("data.yaml:")


@pytest.mark.parametrize(
    "value",
    [
        "2030-02-31",
        "2030-01-01T25:00:00",
        "2030-01-01 10:00:00 +99:99",
        "0000-01-01",
        "0x_",
        "9" * 5000,
        "!!int x",
        "!!int ''",
        "!!bool x",
        "!!timestamp x",
    ],
)
def test_a_value_that_cannot_be_has_its_line(tmp_path: Path, value: str) -> None:
    said = _error(tmp_path, GOOD.replace("count: 1", f"count: {value}"))
    assert said.startswith("data.yaml:4: not YAML: ")
    assert "cannot be read as a value" in said
    assert len(said) < 300


def test_a_day_that_no_calendar_has_is_repeated_as_it_was_written(tmp_path: Path) -> None:
    assert _error(tmp_path, "title: 2030-02-31\nitems: []\n") == (
        "data.yaml:1: not YAML: '2030-02-31' cannot be read as a value: "
        "day is out of range for month"
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "[1, 2]\n", "word\n"])
def test_what_has_no_keys_is_told_in_plain_words(tmp_path: Path, text: str) -> None:
    assert _error(tmp_path, text) == "data.yaml:1: keys with values belong here"
