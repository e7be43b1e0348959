import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from hotloop.takehome import submission
from hotloop.takehome.archive import Refusal, RefusedSubmission
from hotloop.takehome.pack import Pack
from hotloop.takehome.submission import given_files, open_submission
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import TeamError

from .conftest import MADE, RECEIVED, Hired


@pytest.fixture
def folder(own_team: Hired, unpack: Callable[[Pack], Path]) -> Path:
    return unpack(own_team.packs[0])


def refused(path: Path, hired: Hired, **how: object) -> Refusal:
    with pytest.raises(RefusedSubmission) as caught:
        open_submission(path, hired.team, **how)  # type: ignore[arg-type]
    assert caught.value.sentence.endswith((".", "`."))
    return caught.value.code


def test_given_files_come_from_the_pack(own_team: Hired, folder: Path) -> None:
    """Files that no chosen task asks to edit are graded as in the pack."""
    given = given_files(own_team.team, own_team.packs[0].manifest)
    (folder / "operator_trials.py").write_text("raise SystemExit")
    (folder / "helper.py").write_text("x = 1\n")
    found = open_submission(make_submission(folder), own_team.team, received=RECEIVED)
    assert set(found.work.files) == {*given, "helper.py"}
    assert found.work.files["operator_trials.py"] == given["operator_trials.py"]
    assert found.handed_in == ("helper.py", "lab.ipynb", "softmax_triton.py")
    assert found.altered == ("operator_trials.py",)


def test_outputs_never_arrive(own_team: Hired, folder: Path) -> None:
    found = open_submission(make_submission(folder), own_team.team, received=RECEIVED)
    notebook = json.loads(found.work.files["lab.ipynb"])
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])


def test_a_notebook_is_repaired_as_in_a_class(own_team: Hired, folder: Path) -> None:
    """A deleted check is restored, a changed one is as it was handed out, and both are told."""
    path = folder / "lab.ipynb"
    notebook = json.loads(path.read_text())
    checks = {c["id"]: c for c in notebook["cells"] if c["id"] in ("online_pass", "triton_forward")}
    notebook["cells"].remove(checks["online_pass"])
    handed_out = "".join(checks["triton_forward"]["source"])
    checks["triton_forward"]["source"] = "print('passed')"
    path.write_text(json.dumps(notebook))
    found = open_submission(make_submission(folder), own_team.team, received=RECEIVED)
    changed, missing = found.work.notes
    assert changed.startswith("The cell “triton_forward” was changed")
    assert missing == "The cell “online_pass” was missing and was put back."
    graded = {c["metadata"].get("nbgrader", {}).get("grade_id"): c["source"]
              for c in json.loads(found.work.files["lab.ipynb"])["cells"]}  # fmt: skip
    assert graded["triton_forward"] == handed_out
    assert "online_pass" in graded


def test_the_window(own_team: Hired, folder: Path) -> None:
    path, team = make_submission(folder), own_team.team
    pack = own_team.packs[0].manifest
    assert refused(path, own_team, received=MADE - timedelta(hours=1)) is Refusal.TOO_EARLY
    assert refused(path, own_team, received=MADE + timedelta(days=15)) is Refusal.EXPIRED
    late = MADE + timedelta(days=5)
    assert open_submission(path, team, received=late).received == late
    team.start(pack.pack, MADE)
    assert refused(path, own_team, received=late) is Refusal.OUTSIDE_WINDOW
    team.extend(pack.pack, MADE + timedelta(days=20))
    assert open_submission(path, team, received=late)
    assert refused(path, own_team, received=MADE + timedelta(days=21)) is Refusal.EXPIRED


def test_one_hand_in_counts(own_team: Hired, folder: Path) -> None:
    team, pack = own_team.team, own_team.packs[0].manifest.pack
    path = make_submission(folder)
    first = open_submission(path, team, received=RECEIVED)
    kept = team.keep(first, path)
    assert team.keep(first, path) == kept
    assert team.submissions(pack) == [kept]
    # The same zip again, long after the end, is what was taken in time.
    assert open_submission(kept, team).received == RECEIVED
    (folder / "helper.py").write_text("x = 1\n")
    again = make_submission(folder)
    assert refused(again, own_team, received=RECEIVED) is Refusal.REPLAYED
    team.extend(pack, RECEIVED + timedelta(days=1))
    second = open_submission(again, team, received=RECEIVED + timedelta(hours=1))
    team.keep(second, again)
    assert len(team.submissions(pack)) == 2
    (folder / "helper.py").write_text("x = 2\n")
    assert refused(make_submission(folder), own_team, received=RECEIVED) is Refusal.REPLAYED


def test_two_hand_ins_at_once_do_not_both_count(own_team: Hired, folder: Path) -> None:
    team = own_team.team
    path = make_submission(folder)
    first = open_submission(path, team, received=RECEIVED)
    other = path.with_name("other.zip")
    path.rename(other)
    (folder / "helper.py").write_text("x = 1\n")
    second_path = make_submission(folder)
    second = open_submission(second_path, team, received=RECEIVED)
    team.keep(first, other)
    with pytest.raises(TeamError, match=r"already: `hotloop takehome extend .* --until DATE`"):
        team.keep(second, second_path)


def test_it_came_by_another_candidates_link(own_team: Hired, folder: Path) -> None:
    path = make_submission(folder)
    mine, other = (pack.manifest.pack for pack in own_team.packs)
    assert open_submission(path, own_team.team, received=RECEIVED, expected_pack=mine)
    how = {"received": RECEIVED, "expected_pack": other}
    assert refused(path, own_team, **how) is Refusal.WRONG_PACK


def test_after_forgetting_nothing_is_known(own_team: Hired, folder: Path) -> None:
    path = make_submission(folder)
    own_team.team.forget(own_team.packs[0].manifest.pack, "vera")
    assert refused(path, own_team, received=RECEIVED) is Refusal.UNKNOWN_PACK


def test_opening_keeps_nothing(own_team: Hired, folder: Path) -> None:
    path = make_submission(folder)
    before = {p: p.read_bytes() for p in own_team.team.folder.rglob("*") if p.is_file()}
    open_submission(path, own_team.team, received=RECEIVED)
    after = {p: p.read_bytes() for p in own_team.team.folder.rglob("*") if p.is_file()}
    assert after == before


def test_work_on_a_task_that_is_no_more_is_kept(
    own_team: Hired, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer Hotloop may be installed: then grading says what is missing."""
    (folder / "softmax_triton.py").write_text("mine = 1\n")
    path = make_submission(folder)

    def without(name: str) -> NoReturn:
        raise KeyError(f"there is no module {name!r}")

    monkeypatch.setattr(submission.curriculum, "load_module", without)
    found = open_submission(path, own_team.team, received=RECEIVED)
    assert found.work.files["softmax_triton.py"] == b"mine = 1\n"
    own_team.team.keep(found, path)
    assert own_team.team.submissions(own_team.packs[0].manifest.pack)
