import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from hotloop.core import paths
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import CurriculumError
from hotloop.tasks.problem import Score, settle

from ..small_module import small_module

CURRICULUM = {
    "title": "t",
    "tiers": ["beginner"],
    "tracks": [{"id": "a", "title": "A", "summary": "s", "modules": ["later", "second", "first"]}],
    "concepts": [{"id": "c", "title": "C", "summary": "s"}],
}


def _module(name: str) -> dict[str, Any]:
    checks = [
        {"id": "correct", "points": 4, "what": "right"},
        {"id": "fast", "points": 6, "needs_gpu": True, "what": "fast"},
    ]
    return small_module(name, checks=checks)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A curriculum of two modules; it also names a third one that does not exist yet."""
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    _write(tmp_path / "curriculum" / "curriculum.yaml", CURRICULUM)
    for name in ("first", "second"):
        _write(tmp_path / "curriculum" / name / "module.yaml", _module(name))
    curriculum.curriculum.cache_clear()
    curriculum.load_module.cache_clear()
    yield tmp_path
    curriculum.curriculum.cache_clear()
    curriculum.load_module.cache_clear()


def _write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(data, sort_keys=False))


def _rewrite(tree: Path, **changes: object) -> None:
    """Change keys of the first module's only task."""
    data = _module("first")
    data["tasks"][0].update(changes)
    _write(tree / "curriculum" / "first" / "module.yaml", data)


def test_modules_come_in_the_curriculums_order(tree: Path) -> None:
    assert [module.id for module in curriculum.modules()] == ["second", "first"]


def test_a_module_that_the_curriculum_does_not_name_comes_last(tree: Path) -> None:
    _write(tree / "curriculum" / "another" / "module.yaml", _module("another"))
    assert [m.id for m in curriculum.modules()] == ["second", "first", "another"]


def test_an_unknown_module_is_a_key_error_that_names_the_known(tree: Path) -> None:
    with pytest.raises(KeyError, match=r"no module 'later'; there are: first, second"):
        curriculum.load_module("later")


def test_an_unknown_task_is_a_key_error_that_names_the_known(tree: Path) -> None:
    with pytest.raises(KeyError, match="no task 'nothing'; it has task"):
        curriculum.load_module("first").task("nothing")


def test_points_and_minutes_are_sums(tree: Path) -> None:
    module = curriculum.load_module("first")
    assert (module.points, module.minutes, module.task("task").points) == (10, 5, 10)


def test_an_unknown_key_is_refused_with_file_and_line(tree: Path) -> None:
    _rewrite(tree, hnts=["a"])
    path = tree / "curriculum" / "first" / "module.yaml"
    line = next(i for i, t in enumerate(path.read_text().splitlines(), 1) if "hnts" in t)
    with pytest.raises(CurriculumError) as raised:
        curriculum.load_module("first")
    assert str(raised.value).startswith(f"{path}:{line}: unknown key 'tasks.0.hnts'")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hints": ["a", "b"]}, "hints"),
        ({"difficulty": 6}, "difficulty"),
        ({"kind": "written"}, "rubric"),
        ({"entry": None}, "entry"),
        ({"checks": [{"id": "correct", "points": 1, "what": "w"}] * 2}, "is there twice"),
        ({"id": "Not an id"}, "pattern"),
    ],
)
def test_a_faulty_task_is_refused(tree: Path, changes: dict[str, object], words: str) -> None:
    _rewrite(tree, **changes)
    with pytest.raises(CurriculumError, match=words):
        curriculum.load_module("first")


def _check(**more: object) -> dict[str, object]:
    return {"id": "traffic", "points": 4, "what": "Reads once.", **more}


def _limits(*pairs: tuple[float, float], plus: float = 0) -> dict[str, object]:
    limits = [{"factor": factor, "plus": plus, "earned": earned} for factor, earned in pairs]
    return {"of": "the fewest bytes", "limits": limits}


def _levels(*pairs: tuple[float, float]) -> list[dict[str, float]]:
    return [{"ratio": ratio, "earned": earned} for ratio, earned in pairs]


@pytest.mark.parametrize(
    ("check", "place", "words"),
    [
        ({"counted": _limits()}, "counted.limits", "at least 1 item"),
        ({"counted": _limits((1.5, 0.5), (1.05, 1.0))}, "counted.limits", "higher `factor`"),
        ({"counted": _limits((1.05, 1.0), (1.5, 1.0))}, "counted.limits", "lower `earned`"),
        ({"counted": _limits((1.05, 1.5))}, "earned", "less than or equal to 1"),
        ({"counted": _limits((0.0, 1.0))}, "factor", "greater than 0"),
        ({"counted": _limits((1.05, 0.9), (1.5, 0.5))}, "limits", "the first limit earns 1.0"),
        ({"counted": {"of": "x", "levels": _levels((1, 0.5))}}, "levels", "last level earns 1.0"),
        ({"counted": _limits((math.inf, 1.0))}, "factor", "finite number"),
        ({"counted": _limits((math.nan, 1.0))}, "factor", "finite number"),
        ({"counted": _limits((1.05, 1.0), plus=math.inf)}, "plus", "finite number"),
        ({"counted": {"of": "x", "levels": _levels((math.inf, 1.0))}}, "ratio", "finite number"),
        ({"threshold": {"against": "x", "levels": _levels((math.inf, 1))}}, "ratio", "finite"),
        ({"counted": {"of": "x", "levels": _levels((2, 1.0), (1, 0.5))}}, "levels", "higher"),
        ({"counted": {"of": "x"}}, "counted", "either `limits`"),
        ({"counted": {"of": "x", "limit": []}}, "counted.limit", "unknown key"),
        ({"counted": {"limits": [{"factor": 2, "earned": 1}]}}, "counted.of", "missing"),
        ({"threshold": {"against": "x", "levels": _levels((2, 0.5), (2, 1))}}, "levels", "higher"),
        (
            {
                "counted": _limits((1.05, 1.0)),
                "threshold": {"against": "x", "levels": _levels((2, 1))},
            },
            "checks.0",
            "not from both",
        ),
    ],
)
def test_levels_that_contradict_each_other_are_refused_with_file_and_line(
    tree: Path, check: dict[str, object], place: str, words: str
) -> None:
    _rewrite(tree, checks=[_check(**check)])
    path = tree / "curriculum" / "first" / "module.yaml"
    with pytest.raises(CurriculumError) as raised:
        curriculum.load_module("first")
    said = str(raised.value)
    assert place in said
    assert words in said
    line = int(said.removeprefix(f"{path}:").partition(":")[0])
    lines = path.read_text(encoding="utf-8").splitlines()
    assert line > next(n for n, text in enumerate(lines, 1) if text.endswith("checks:"))


@pytest.mark.parametrize(
    ("counted", "sentence"),
    [
        (
            _limits((1.05, 1.0), (1.5, 0.5)),
            "At most 1.05× the fewest bytes for all points; 1.5× for 50% of the points.",
        ),
        (
            _limits((10, 1.0), plus=8),
            "At most 10× the fewest bytes, plus 8, for all points.",
        ),
        (
            {"of": "vLLM's requests", "levels": _levels((0.97, 0.4), (1.4, 1.0))},
            "At least 1.4× vLLM's requests for all points; 0.97× for 40% of the points.",
        ),
    ],
)
def test_what_a_count_earns_is_said_where_the_check_says_what_it_asks(
    tree: Path, counted: dict[str, object], sentence: str
) -> None:
    _rewrite(tree, checks=[_check(counted=counted)])
    (check,) = curriculum.load_module("first").task("task").checks
    assert check.asked == f"Reads once. {sentence}"


def test_a_check_needs_what_its_module_needs_unless_it_says_less(tree: Path) -> None:
    data = _module("first") | {"needs": ["serving"]}
    data["tasks"][0]["checks"][0]["needs"] = []
    _write(tree / "curriculum" / "first" / "module.yaml", data)
    module = curriculum.load_module("first")
    assert [module.needs_of(check) for check in module.task("task").checks] == [[], ["serving"]]
    second = curriculum.load_module("second")
    assert [second.needs_of(check) for check in second.task("task").checks] == [[], []]


@pytest.mark.parametrize("needs", [["serving", "serving"], ["a_submarine"], "serving"])
def test_faulty_needs_are_refused(tree: Path, needs: object) -> None:
    path = tree / "curriculum" / "first" / "module.yaml"
    _write(path, _module("first") | {"needs": needs})
    with pytest.raises(CurriculumError, match="need"):
        curriculum.load_module("first")


def test_the_folders_name_is_the_modules_id(tree: Path) -> None:
    _write(tree / "curriculum" / "first" / "module.yaml", _module("second"))
    with pytest.raises(CurriculumError, match=r"id is 'second' and must be the folder's 'first'"):
        curriculum.load_module("first")


def test_a_module_without_runs_has_none(tree: Path) -> None:
    assert curriculum.runs("first") == []


def test_runs_are_read_in_the_order_of_their_names(tree: Path) -> None:
    run = {
        "format": 1,
        "module": "first",
        "kind": "cpu",
        "driver": "",
        "date": "2026-01-02",
        "libraries": {"torch": "2.13.0"},
        "isolation": "bubblewrap",
        "ceilings": {},
        "measurements": [
            {
                "candidate": "reference",
                "task": "task",
                "check": "correct",
                "verdict": "passed",
                "earned": 1.0,
                "sentence": "Right.",
            }
        ],
    }
    for name in ("b", "a"):
        _write(tree / "curriculum" / "first" / "runs" / f"{name}.json", {**run, "device": name})
    found = curriculum.runs("first")
    assert [r.device for r in found] == ["a", "b"]
    assert found[0].measurements[0].verdict is Verdict.PASSED


# --- points ---------------------------------------------------------------------------------------


def _record(*checks: tuple[str, Verdict, float], task: str = "task") -> Record:
    circumstances = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
    judged = tuple(CheckRecord(name, verdict, "", earned) for name, verdict, earned in checks)
    return Record("first", task, Verdict.PARTIAL, "", judged, circumstances)


def _settled(record: Record | None) -> Score:
    return settle(curriculum.load_module("first"), "task", record)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (None, Score(0, 10, 10)),
        (_record(("correct", Verdict.PASSED, 1.0)), Score(4, 6, 10)),
        (
            _record(("correct", Verdict.PASSED, 1.0), ("fast", Verdict.NOT_MEASURED, 0.0)),
            Score(4, 6, 10),
        ),
        (
            _record(("correct", Verdict.PASSED, 1.0), ("fast", Verdict.PARTIAL, 0.5)),
            Score(7, 0, 10),
        ),
        (
            _record(("correct", Verdict.WRONG_ANSWER, 0.0), ("fast", Verdict.WRONG_ANSWER, 0.0)),
            Score(0, 0, 10),
        ),
        # A pending check earns nothing, whatever it claims; nor does a check that the task lacks.
        (
            _record(("correct", Verdict.JUDGE_ERROR, 1.0), ("fast", Verdict.UNDECIDED, 1.0)),
            Score(0, 10, 10),
        ),
        (
            _record(("bonus", Verdict.PASSED, 1.0), ("judge", Verdict.JUDGE_ERROR, 0.0)),
            Score(0, 10, 10),
        ),
    ],
)
def test_points_come_from_checks(tree: Path, record: Record | None, expected: Score) -> None:
    assert _settled(record) == expected


def test_a_record_about_something_else_earns_nothing(tree: Path) -> None:
    with pytest.raises(ValueError, match=r"about first\.other"):
        _settled(_record(task="other"))


@pytest.mark.slow
def test_what_is_named_after_a_gpu_needs_one() -> None:
    """Otherwise `hotloop doctor` would say that a machine without a GPU lacks nothing."""
    forgotten = [
        f"{module.id}.{task.id}.{check.id}"
        for module in curriculum.modules()
        for task in module.tasks
        for check in task.checks
        if check.id.startswith("gpu_") and not check.needs_gpu
    ]
    assert forgotten == []
