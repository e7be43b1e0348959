"""The site builds without a warning, from pages and data only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop import curriculum, exploits, site


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the clone, so that nothing is written into the clone itself."""
    clone = Path(__file__).resolve().parents[2]
    root = tmp_path_factory.mktemp("clone")
    shutil.copytree(clone / "site", root / "site")
    (root / "tests").mkdir()
    shutil.copytree(clone / "tests" / "benchmarks", root / "tests" / "benchmarks")
    # Lessons include code from these.
    for tree in ("curriculum", "solutions", "exercises"):
        (root / tree).symlink_to(clone / tree)
    site.gather(root)
    return root


def test_it_builds_strictly(gathered: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", "build/mkdocs.yml"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, check=False, cwd=gathered, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    for page in ("index.html", "threat-model/index.html", "benchmarks/index.html"):
        assert (gathered / "build" / "site" / page).is_file()
    assert sorted(path.name for path in (gathered / "site").iterdir()) == ["mkdocs.yml", "pages"]


def test_every_module_has_a_page_with_all_its_rungs(gathered: Path) -> None:
    for module in curriculum.modules():
        page = (gathered / "build" / "pages" / "modules" / module.id / "index.md").read_text()
        for task in module.tasks:
            assert f"`{module.id}.{task.id}`" in page
            assert all(f"| {rung.id} | {rung.points} |" in page for rung in task.rungs)


def test_the_threat_model_lists_every_exploit(gathered: Path) -> None:
    page = (gathered / "build" / "pages" / "threat-model.md").read_text()
    assert site.EXPLOITS_PLACE not in page
    assert all(f"| `{exploit.name}` |" in page for exploit in exploits.load_all())


def test_without_a_gpu_run_the_page_says_not_yet_measured() -> None:
    assert "On a GPU: not yet measured." in site.runs_section([])


def test_a_lesson_tells_speeds_and_leaves_the_other_verdicts_to_the_modules_page() -> None:
    runs = curriculum.runs("fused_softmax")
    whole, speeds = site.runs_section(runs), site.runs_section(runs, speeds_only=True)
    assert "| reference | online_pass | correct |" in whole
    assert "| reference | compiled_chain | fast_cpu |" in speeds
    assert "| correct |" not in speeds


def test_a_benchmark_without_a_result_says_so(tmp_path: Path) -> None:
    script = tmp_path / "speed.py"
    script.write_text('"""How fast?\n\nMore words.\n"""\n\n\ndef main() -> None: ...\n')
    assert site.NOT_MEASURED in site.benchmarks_page(tmp_path)
    (tmp_path / "results").mkdir()
    result = {"device": "D", "date": "2026-01-01", "rows": [{"true_ratio": 0.9, "wrong": 0}]}
    (tmp_path / "results" / "speed.json").write_text(json.dumps(result))
    page = site.benchmarks_page(tmp_path)
    assert site.NOT_MEASURED not in page
    assert "| true ratio | wrong |\n| --- | --- |\n| 0.9 | 0 |" in page


def test_a_result_that_does_not_say_where_it_is_from_is_refused(tmp_path: Path) -> None:
    (tmp_path / "speed.py").write_text('"""How fast?"""\n\n\ndef main() -> None: ...\n')
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "speed.json").write_text(json.dumps({"rows": [{"wrong": 0}]}))
    with pytest.raises(ValueError, match="device"):
        site.benchmarks_page(tmp_path)
