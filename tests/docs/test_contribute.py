"""The code on the page for contributors does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.launcher import Launcher
from hotloop.judge.rung import judge_rungs
from hotloop.judge.session import Session

PAGE = Path(__file__).parents[2] / "site" / "pages" / "contribute.md"
IMPORTS = """
from hotloop.judge.questions import ask_plainly
from hotloop.judge.rung import rung
from hotloop.judge.session import Session
from hotloop.core.verdict import Ruling, Verdict
"""


@pytest.mark.parametrize(
    ("body", "verdict", "sentence"),
    [
        ("sorted(numbers)", Verdict.PASSED, "Sorted."),
        ("numbers", Verdict.WRONG_ANSWER, "[3, 1, 2] became [3, 1, 2]: sort it."),
    ],
)
def test_a_rung_of_ones_own(body: str, verdict: Verdict, sentence: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(@rung.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    exec(IMPORTS + code, names)
    (tmp_path / "answer.py").write_text(f"def ordered(numbers):\n    return {body}\n")
    session = Session(
        Candidate("ordered", "answer.py", "json"),
        files=tmp_path,
        launcher=Launcher("none"),
        connect=lambda: None,
        budget=Budget(60),
        device="cpu",
    )
    try:
        (record,) = judge_rungs({"sorted": names["sorted_output"]}, session)  # type: ignore[dict-item]
    finally:
        session.close()
    assert (record.verdict, record.sentence) == (verdict, sentence)
