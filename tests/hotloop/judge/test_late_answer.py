"""After a timeout, a late answer is not taken for the answer to the next question."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.questions import ask_all_plainly
from hotloop.judge.session import Session

CANDIDATE = """
import time

def same(n):
    time.sleep(0.8 * (n == 1))
    return n
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "isolation", ["none", pytest.param("bubblewrap", marks=pytest.mark.sandbox)]
)
def test_the_next_check_gets_its_own_answer(
    isolation: str, tmp_path: Path, session_over: Callable[..., Session]
) -> None:
    (tmp_path / "late.py").write_text(CANDIDATE)
    session = session_over(tmp_path, isolation=isolation)
    session = session.about(Candidate("same", "late.py", "json"))
    assert ask_all_plainly(session.worker(), [[7]], 30) == [7]
    with pytest.raises(Ruling) as caught:
        ask_all_plainly(session.worker(), [[1]], 0.3)
    assert caught.value.verdict is Verdict.TIMEOUT
    assert ask_all_plainly(session.worker(), [[2]], 30) == [2]
