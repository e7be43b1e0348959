"""A suite on a cluster that a stand-in for Ray plays; `test_suite.py` has one on a real one."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hotloop.author.external import judging, suite
from hotloop.author.external.judging import ExternalJob
from hotloop.author.external.suite import Progress, SuiteResult
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict

from ...course.test_ray_tasks import Cluster, NodeDied

PROBLEMS = Path(__file__).parent / "problems"
NAMES = ("7_Scaled_softmax", "8_Always_zero", "9_Mean_and_order")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A set of three problems, and a submission to each: the problem's own code."""
    level, mine = tmp_path / "level1", tmp_path / "mine"
    level.mkdir()
    mine.mkdir()
    for name in NAMES:
        text = (PROBLEMS / f"{name}.py").read_text()
        (level / f"{name}.py").write_text(text)
        (mine / f"{name}.py").write_text(text.replace("class Model(", "class ModelNew("))
    return level, mine


def test_what_a_cluster_has_judged_is_kept_if_a_node_is_lost(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level, mine = folders
    judged: list[str] = []
    ends, kept = ["problem_8_always_zero"], ["problem_7_scaled_softmax", "problem_9_mean_and_order"]

    @contextmanager
    def connected(_address: str) -> Generator[Cluster]:
        yield Cluster()

    def judge(job: ExternalJob, _process: Any) -> Record:
        if job.name in ends:
            raise NodeDied("its node has no memory left")
        judged.append(job.name)
        checks = [CheckRecord(name, Verdict.PASSED, "Right.") for name in ("correct", "gpu_fast")]
        nothing = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
        return Record("m", "t", Verdict.PASSED, "", tuple(checks), nothing)

    def row(problem: Any, file: Path, record: Record) -> SuiteResult:
        verdict = record.verdict.value
        return SuiteResult(
            problem.title, str(file), suite.digest(file), verdict, "", "", "", "", 0.0
        )

    monkeypatch.setattr(judging, "connected", connected)
    monkeypatch.setattr(judging, "alive", lambda _ray: [])
    monkeypatch.setattr(judging, "judge", judge)
    monkeypatch.setattr(judging, "node_judge", lambda: None)
    monkeypatch.setattr(SuiteResult, "of", row)
    told: list[Progress] = []

    def run() -> list[SuiteResult]:
        results = tmp_path / "results.jsonl"
        return suite.run(
            suite.problems(level), mine, results, lambda now, _row: told.append(now), "auto"
        )

    with pytest.raises(UserError, match=r"could not judge 1 of 3 submissions .*lost 4 times"):
        run()
    assert judged == kept
    last = ends.pop()
    assert [each.verdict for each in run()] == ["passed"] * 3
    assert judged == [*kept, last]
    assert [(now.done, now.of) for now in told] == [(1, 3), (2, 3), (3, 3)]
    assert [now.left_s is None for now in told] == [False, False, True]
