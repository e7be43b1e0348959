from hotloop.core.verdict import Verdict
from hotloop.verdicts.meanings import MEANINGS


def test_each_verdict_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Verdict)
