"""Predictions of a process's imports, from the source that it will run."""

from pathlib import Path

import pytest

from hotloop.sandbox.preload import COMPILER, imported, preloaded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1", ()),
        ("import torch", ("torch",)),
        ("from torch import nn\nimport numpy as np", ("numpy", "torch")),
        ("    import numpy", ("numpy",)),
        ("import torchvision\n# import torch\nimport numpyro", ()),
        ("import torch\nf = torch.compile(g)", ("torch", *COMPILER)),
        ("f = torch.compile(g)", ()),
    ],
)
def test_what_a_text_imports(text: str, expected: tuple[str, ...]) -> None:
    assert imported([text]) == expected


def test_files_are_looked_at_without_trust(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"import torch\n\xff")
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "notes.txt").write_text("import numpy")
    assert preloaded([tmp_path, tmp_path / "nowhere"]) == ("torch",)
