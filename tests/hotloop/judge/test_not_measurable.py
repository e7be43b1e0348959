"""What a machine lacks for each check is found, with the remedy."""

import pytest

from hotloop.core import extras
from hotloop.judge import not_measurable as module
from hotloop.judge.not_measurable import lacking
from hotloop.judge.spec import CheckSpec, TaskSpec

CHECKS = {"plain": CheckSpec(), "built": CheckSpec(("compiler",)), "xla": CheckSpec(("xla",))}
SPEC = TaskSpec("f", ("f.py",), CHECKS)


def test_nothing_lacks_where_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(extras, "missing", lambda _name: ())
    assert lacking(SPEC) == {}


def test_each_gap_is_one_of_its_check_and_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda _name: None)
    monkeypatch.setattr(extras, "missing", lambda name: (f"the_{name}",))
    found = lacking(SPEC)
    assert set(found) == {"built", "xla"}
    assert "apt-get install g++" in found["built"]
    assert "hotloop[xla]" in found["xla"]
