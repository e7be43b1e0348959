"""Which models are counted where: reported bad ones, valid ones, and those out of scope."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.benchmarks import model_repositories

pytest.importorskip("google.protobuf", reason="protobuf: pip install 'hotloop[serving]'")

SOUND = """name: "NAME"
backend: "python"
input { name: "X" data_type: TYPE_FP32 dims: [ 2 ] }
output { name: "Y" data_type: TYPE_FP32 dims: [ 2 ] }
"""
ENSEMBLE = """platform: "ensemble"
input { name: "X" data_type: TYPE_FP32 dims: [ 2 ] }
output { name: "Y" data_type: TYPE_FP32 dims: [ 2 ] }
ensemble_scheduling { step {
  model_name: "elsewhere" model_version: -1
  input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" }
} }
"""
CORE = model_repositories.LABELED["core"]
FILES = {
    "models/fine/config.pbtxt": SOUND.replace("NAME", "fine"),
    "models/fine/1/config.pbtxt": "no server reads it",
    "models/renamed/config.pbtxt": SOUND.replace("NAME", "other"),
    "models/engine/config.pbtxt": 'platform: "tensorrt_plan"',
    "models/chain/config.pbtxt": ENSEMBLE,
    "alarmed/strange/config.pbtxt": SOUND.replace("NAME", "strange").replace("2", "0", 1),
    f"{CORE}/named/config.pbtxt": SOUND.replace("NAME", "named").replace("TYPE_FP32", "TYPE_X", 1),
    f"{CORE}/overlooked/config.pbtxt": SOUND.replace("NAME", "overlooked"),
}


def test_each_is_counted_where_it_belongs(tmp_path: Path) -> None:
    clone = tmp_path / "server"
    for name, text in FILES.items():
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(text)
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *command], check=True)
    target = tmp_path / "result.json"
    model_repositories.main([str(clone), "--result", str(target)])
    result = json.loads(target.read_text())
    assert result["rows"] == [{"bad models": "core", "cases": 2, "named": 1}]
    said = result["sound"].pop("said")
    assert result["sound"] == {
        "models": 5,
        "in_scope": 4,
        "other_name": 1,
        "incomplete": 1,
        "alarms": 1,
    }
    assert len(said) == 1
    assert said[0].startswith("server/alarmed/strange: ")
