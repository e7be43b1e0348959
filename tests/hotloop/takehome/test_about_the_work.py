"""The report is about the work: its lines, what the judge says of them, and questions on them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.core.verdict import Verdict
from hotloop.curriculum import load_module
from hotloop.takehome.pack import make_pack
from hotloop.takehome.report import Report
from hotloop.takehome.reporting import make_report

from .conftest import MADE, ROLE, Hired
from .made_reports import MODULE, all_of, handed_in, record, rung, with_cell

CUDA_ROLE = ROLE.replace("role: gpu_engineer", "role: cuda_engineer").replace(
    "  - {task: triton_forward, weight: 3, minutes: 90}\n", "  - {task: cuda_block, weight: 3}\n"
)


@pytest.fixture(scope="module")
def three(hired: Hired, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Of one role: right, with a race, and with a wrong recurrence that its cell raises at."""
    import shutil

    from hotloop.takehome.team import Team

    folder = tmp_path_factory.mktemp("three")
    team = Team(Path(shutil.copytree(hired.team.folder, folder / "team")))
    path = team.role_path("cuda_engineer")
    path.parent.mkdir()
    path.write_text(CUDA_ROLE)
    role = team.role("cuda_engineer")
    (file,) = load_module(MODULE).task("cuda_block").files

    def graded(name: str, change: Callable[[dict[str, bytes]], None], *records: object) -> Report:
        pack = make_pack(team, role, name, now=MADE)
        submission = handed_in(team, pack, folder / name, change)
        found = {"online_pass": all_of("online_pass"), "cuda_block": all_of("cuda_block")}
        return make_report(submission, team, {**found, **{r.task: r for r in records}})  # type: ignore[attr-defined]

    def without_barriers(files: dict[str, bytes]) -> None:
        files[file] = files[file].replace(b"__syncthreads();", b"")

    def raises(files: dict[str, bytes]) -> None:
        files["lab.ipynb"] = with_cell(
            files["lab.ipynb"], "online_pass_solution", "def online(x):\n    return x.item()\n"
        )

    raced = record(
        "cuda_block",
        [
            rung("correct"),
            rung(
                "clean",
                Verdict.WRONG_ANSWER,
                sentence=f"{file}:12 and {file}:14: a race in shared memory",
            ),
        ],
    )
    broken = record(
        "online_pass",
        [rung("correct", Verdict.RUNTIME_ERROR, sentence="RuntimeError in line 2 of its cell.")],
    )
    return {
        "right": graded("right", lambda _files: None),
        "race": graded("race", without_barriers, raced),
        "broken": graded("broken", raises, broken),
    }


def test_three_candidates_get_three_lists(three: dict[str, Report]) -> None:
    asked = {name: [one.key for one in report.follow_ups] for name, report in three.items()}
    assert all(len(keys) == len(set(keys)) == 6 for keys in asked.values()), asked
    assert len({frozenset(keys) for keys in asked.values()}) == 3, asked
    quoted = [{one.code for one in report.follow_ups if one.code} for report in three.values()]
    assert all(quoted)
