"""Wrong answers that are diffs: they apply, or the error names the line that does not."""

import shutil
import subprocess
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.tasks import patches
from hotloop.tasks.markers import MarkerError

NAME = "solutions/demo/kernel.py"
RIGHT = "".join(f"line {number}\n" for number in range(1, 21))
HEADER = "Leaves out the third line.\n\nfails: copy.correct\n\n"
PATCHES = sorted(paths.solutions().glob("*/wrong/*.patch"))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with one source."""
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    (tmp_path / NAME).parent.mkdir(parents=True)
    (tmp_path / NAME).write_text(RIGHT)
    return tmp_path


def patch_of(tree: Path, wrong: str) -> Path:
    path = tree / "mistake.patch"
    path.write_text(HEADER + patches.difference(NAME, RIGHT, wrong))
    return path


def applied(patch: Path) -> dict[str, str]:
    return patches.patched(patch, patches.from_solutions)


@pytest.mark.parametrize(
    "wrong",
    [
        RIGHT.replace("line 3\n", ""),
        RIGHT.replace("line 1\n", "line 0\nline 1\n"),
        RIGHT.replace("line 2\n", "other\n").replace("line 18\n", "other\nother\n"),
        RIGHT + "line 21\n",
        "",
    ],
    ids=["removed", "before the first", "two hunks", "behind the last", "everything"],
)
def test_what_was_different_is_different_again(tree: Path, wrong: str) -> None:
    if not wrong:
        wrong = "\n"
    assert applied(patch_of(tree, wrong)) == {NAME: wrong}


def test_a_new_file_is_made_of_an_empty_place(tree: Path) -> None:
    """A hunk without context lines starts after the line that it names."""
    wrong = RIGHT.replace("line 7\n", "line 7\nline 7b\n")
    patch = tree / "mistake.patch"
    patch.write_text(f"{HEADER}--- a/{NAME}\n+++ b/{NAME}\n@@ -7,0 +8,1 @@\n+line 7b\n")
    assert applied(patch) == {NAME: wrong}


@pytest.mark.parametrize(
    ("changed", "line", "said"),
    [
        (RIGHT.replace("line 2\n", "line two\n"), 9, "line 2 of solutions/demo/kernel.py"),
        (RIGHT[: RIGHT.index("line 5")], 12, "line 5 of solutions/demo/kernel.py"),
    ],
    ids=["another line", "an end that comes earlier"],
)
def test_what_does_not_fit_is_named_with_its_line(
    tree: Path, changed: str, line: int, said: str
) -> None:
    patch = patch_of(tree, RIGHT.replace("line 3\n", ""))
    (tree / NAME).write_text(changed)
    with pytest.raises(MarkerError) as raised:
        applied(patch)
    assert str(raised.value).startswith(f"{patch}:{line}: {said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEADER, "no unified diff"),
        (f"{HEADER}--- a/{NAME}\n+++ b/{NAME}\n@@ -1,2 +1,2 @@\n line 1\n", "no unified diff"),
        (
            f"{HEADER}--- a/solutions/x\n+++ b/solutions/x\n@@ -1 +1 @@\n-a\n+b\n",
            "solutions/x, which is not there",
        ),
    ],
    ids=["no diff", "cut off", "no such file"],
)
def test_what_is_no_patch_of_a_source_is_refused(tree: Path, text: str, said: str) -> None:
    patch = tree / "mistake.patch"
    patch.write_text(text)
    with pytest.raises(MarkerError, match=said):
        applied(patch)


@pytest.fixture
def committed(tree: Path) -> Path:
    """A patch of the last commit's source, as `git diff` writes it."""
    patch = patch_of(tree, RIGHT.replace("line 3\n", ""))
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "A source.")):
        subprocess.run(["git", *command], cwd=tree, check=True)
    (tree / NAME).write_text(RIGHT.replace("line 3\n", ""))
    diff = subprocess.run(["git", "diff"], cwd=tree, check=True, capture_output=True, text=True)
    (tree / NAME).write_text(RIGHT)
    patch.write_text(HEADER + diff.stdout)
    return patch


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@needs_git
def test_a_patch_is_carried_over_a_change_beside_it(tree: Path, committed: Path) -> None:
    changed = "line 0\n" + RIGHT.replace("line 5\n", "line five\n")
    (tree / NAME).write_text(changed)
    assert not patches.fits(committed)
    committed.write_text(patches.rebased(committed))
    assert committed.read_text().startswith(HEADER)
    assert applied(committed) == {NAME: changed.replace("line 3\n", "")}


@needs_git
def test_a_patch_of_lines_that_changed_is_refused(tree: Path, committed: Path) -> None:
    (tree / NAME).write_text(RIGHT.replace("line 3\n", "line three\n"))
    with pytest.raises(MarkerError, match="has changed in the lines"):
        patches.rebased(committed)


every_patch = pytest.mark.parametrize(
    "patch", PATCHES, ids=lambda path: f"{path.parts[-3]}.{path.stem}"
)


@every_patch
def test_it_fits_the_reference_line_by_line(patch: Path) -> None:
    assert patches.fits(patch)


@needs_git
@every_patch
def test_git_applies_it(patch: Path) -> None:
    checked = subprocess.run(
        ["git", "apply", "--check", patch], cwd=paths.root(), capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
