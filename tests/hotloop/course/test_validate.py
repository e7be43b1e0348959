"""nbgrader's Validate button: stock execution in the learner's own kernel, with `check` in it."""

import json
from pathlib import Path
from typing import Any

import pytest
from nbgrader.validator import Validator

from hotloop.tasks import render

MODULE = "fused_softmax"


def validate(folder: Path, files: dict[str, bytes]) -> Any:
    """Run Validate on the notebook's first task only."""
    notebook = json.loads(files["lab.ipynb"])
    first = ("online_pass", "online_pass_solution")
    notebook["cells"] = [
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") in first
        or "import torch" in "".join(cell["source"])
    ]
    path = folder / "lab.ipynb"
    path.write_text(json.dumps(notebook))
    return Validator().validate(str(path))


@pytest.mark.slow
def test_validate_tells_right_from_not_done(tmp_path: Path) -> None:
    (failed,) = validate(tmp_path, render.untouched(MODULE))["failed"]
    assert "online_pass" in failed["source"]
    assert "stderr" not in failed["raw_error"]
    assert validate(tmp_path, render.submission(MODULE)) == {}
