"""Without a sandbox, no code of a learner runs."""

from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.course import isolation
from hotloop.course.isolation import ALLOW_UNCONFINED, choose
from hotloop.sandbox import level
from hotloop.sandbox.launch import launch
from hotloop.sandbox.unconfined import launch_plain

REASON = "bubblewrap is missing: sudo apt-get install bubblewrap"


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level, "level", lambda: ("none", REASON))
    monkeypatch.delenv(ALLOW_UNCONFINED, raising=False)


@pytest.mark.usefixtures("no_sandbox")
def test_it_refuses_and_says_what_mends_it() -> None:
    chosen = choose()
    assert chosen.launch is None
    assert REASON in chosen.refusal
    assert ALLOW_UNCONFINED in chosen.refusal


@pytest.mark.usefixtures("no_sandbox")
def test_only_the_very_word_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALLOW_UNCONFINED, "yes")
    assert choose().launch is None
    monkeypatch.setenv(ALLOW_UNCONFINED, "1")
    assert choose().launch is launch_plain
    assert not choose().confined


@pytest.mark.slow
@pytest.mark.usefixtures("no_sandbox")
def test_all_tasks_are_pending_and_no_cell_runs(course: Any, make: SimpleNamespace) -> None:
    proof = course.root / "was_run"
    course.submit("ada", make.lab(setup=f"open({str(proof)!r}, 'w')"))
    graded = course.grade(isolation=isolation.choose)
    code = [r for r in graded.results if r.task != "explain"]
    assert {(r.verdict, r.points, r.pending == r.possible) for r in code} == {
        ("not_measured", 0.0, True)
    }
    assert all(REASON in r.sentence for r in code)
    assert not proof.exists()


@pytest.mark.sandbox
def test_where_there_is_a_sandbox_it_is_used() -> None:
    assert choose().name == "bubblewrap"
    assert choose().launch == launch


@pytest.mark.sandbox
def test_only_what_is_not_measured_is_forked() -> None:
    found = choose()
    assert found.launch_for((), measured=True) == launch
    assert found.launch_for((), measured=False) == isolation.zygote(()).launch
    assert found.launch_for(("numpy",), measured=False) == isolation.zygote(("numpy",)).launch
