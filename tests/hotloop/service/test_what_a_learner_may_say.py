"""What a task is judged with comes from the course: a learner's request names none of it."""

import json
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.judge.client import JudgeProcess
from hotloop.judge.job import Job
from hotloop.learn.remote import judge_remotely
from hotloop.learn.remote.request import RemoteRequest, WholeRequest
from hotloop.service.course import people
from hotloop.service.course.lti import scores
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.render import render
from hotloop.tasks.variants import Variant, of_class, plain

from . import quick
from .conftest import School, request
from .test_hand_ins import course, prepared

__all__ = ["course", "prepared"]

MODULE, NAME = "fused_softmax", "triton_forward"
DRAWN = of_class(MODULE, "autumn")
ZEROS = Variant(MODULE, {**DRAWN.constants, "TOTAL": 0.0, "SHARPNESS": 0.0}, DRAWN.names)

MAY_SAY = {"module", "task", "files", "nsight"}
"""Of what a job of the judge has, what a learner says."""


@pytest.fixture
def school(opened: Callable[..., School], course: Path) -> School:
    """A service whose course has a variant."""
    source = course / "source" / MODULE
    source.mkdir(parents=True)
    (source / "variant.json").write_text(json.dumps(DRAWN.to_json()))
    (source / "softmax_triton.py").write_text("# as it was handed out\n")
    return opened(course=course)


def account(school: School, who: str = "ada") -> int:
    person = people.bearer(school.service.engine, school.tokens[who])
    assert person is not None
    return person.account


def claimed(school: School) -> WholeRequest:
    """Let a worker judge one job, and return what it was told to judge."""
    told: list[WholeRequest] = []

    def judge(held: Any, *_: Any) -> list[Any]:
        told.append(WholeRequest.model_validate_json(held.document))
        return [quick.record(told[0].module, task) for task in told[0].tasks]

    assert school.worker(judge=judge).one(JudgeProcess())
    return told[0]


@pytest.mark.slow
def test_nothing_that_parameterizes_a_judging_is_taken(school: School) -> None:
    names = {f.name for f in fields(Job)} - MAY_SAY | {"given", "levels", "terms", "constants"}
    for name, value in product(sorted(names), [None, "ab" * 16, 0, {}, ZEROS.to_json()]):
        answer = school.put("ada", **{name: value})
        assert answer.status_code == 422, (name, value)
        assert f"{name}: a request does not say this" in answer.json()["detail"]
    assert {"variant", "seed", "device", "budget_s", "checks", "spec", "given", "source"} <= names
    assert school.put("grace", variant=ZEROS.to_json()).status_code == 422
    assert school.judged() == 0


def test_a_request_says_what_is_sent_and_no_more() -> None:
    assert set(RemoteRequest.model_fields) == {
        *("format", "hotloop", "module", "files", "tasks"),
        *("made_for", "nsight"),
    }


@pytest.mark.slow
def test_the_service_takes_the_variant_of_its_course(school: School) -> None:
    school.stored(module=MODULE, tasks=[NAME], made_for=DRAWN.digest)
    told = claimed(school)
    assert told.variant == DRAWN.to_json()
    assert set(told.given) == {"softmax_triton.py"}
    # Another module of the same course has none.
    school.stored()
    assert claimed(school).variant is None


@pytest.mark.parametrize("made_for", ["", ZEROS.digest])
def test_a_folder_for_another_variant_is_told_so(school: School, made_for: str) -> None:
    answer = school.put(module=MODULE, tasks=[NAME], made_for=made_for)
    assert answer.status_code == 422
    assert "another variant of fused_softmax than this course has" in answer.json()["detail"]


def test_a_damaged_variant_of_the_course_is_no_verdict(school: School, course: Path) -> None:
    (course / "source" / MODULE / "variant.json").write_text("{")
    answer = school.put(module=MODULE, tasks=[NAME])
    assert answer.status_code == 503
    assert "tell your instructor" in answer.json()["detail"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "points"),
    [
        ({"variant": DRAWN.digest}, 14.0),
        ({"variant": ZEROS.digest}, 0.0),
        ({"variant": ""}, 0.0),
        ({"variant": DRAWN.digest, "seeded": True}, 0.0),
    ],
)
def test_only_what_was_judged_in_the_variant_of_the_course_counts(
    school: School, changes: dict[str, Any], points: float
) -> None:
    found = quick.record(MODULE, NAME)
    found = replace(found, circumstances=replace(found.circumstances, **changes))
    school.stored(module=MODULE, tasks=[NAME])
    assert school.worker(judge=lambda *_: [found]).one(JudgeProcess())
    assert scores.standing(school.service.engine, account(school), MODULE, None).points == points


@pytest.mark.slow
def test_what_was_given_up_stays_open(school: School) -> None:
    """A fault of the service is no score, in a class with a variant too."""
    school.stored(module=MODULE, tasks=[NAME])

    def fails(*_: Any) -> list[Any]:
        raise RuntimeError("the machine is broken")

    while school.worker(judge=fails).one(JudgeProcess()):
        pass
    found = scores.standing(school.service.engine, account(school), MODULE, None)
    assert (found.points, found.open) == (0.0, load_module(MODULE).task(NAME).points)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": "ab" * 16}, "leave --seed out"),
        ({"given": {"a.py": "ab" * 32}}, "A take-home is not judged by a class's service"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_client_says_so_before_it_asks(changes: dict[str, Any], said: str, scheme: str) -> None:
    asked = WholeRequest.model_validate(request(**changes))
    with pytest.raises(UserError, match=said):
        judge_remotely.ask(f"{scheme}://nobody.example", asked, print)


def test_the_client_says_for_what_its_folder_is_made() -> None:
    asked = WholeRequest.model_validate(request(variant=DRAWN.to_json()))
    assert asked.of_learner().made_for == DRAWN.digest
    asked = WholeRequest.model_validate(request(variant=plain("ssa_passes").to_json()))
    assert asked.of_learner().made_for == ""


def test_check_with_a_seed_is_not_sent_to_a_service(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    for name, data in render("ssa_passes").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    words = ["check", "ssa_passes.fold", str(folder), "--seed", "ab" * 16]
    found = CliRunner().invoke(app, [*words, "--on", "https://nobody.example"])
    assert found.exit_code == 2
    assert "draws its own inputs" in found.output.replace("\n", " ")
