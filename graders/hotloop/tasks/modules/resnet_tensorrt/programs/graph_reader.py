"""Compare rewritten models with their sources, and report what is wrong. Runs none of them.

A file holds many pairs, as JSON: [source, rewritten], each in base64. The answer describes the
first wrong pair: its index, from 0, and a message fragment; or None.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import graph_folds
import graph_noops
import onnx
from google.protobuf.message import DecodeError

Mismatch = Callable[[onnx.ModelProto, onnx.ModelProto], str | None]
Wrong = tuple[int, str]


def about_folded(path: str, versions: int = 0) -> Wrong | None:
    """Check models whose normalizations should be folded.

    versions: by how much model_version must grow for each removed node; 0 to ignore it.
    """
    return _first(path, graph_folds.mismatch, versions)


def about_cleaned(path: str, versions: int = 0) -> Wrong | None:
    """Check models whose no-op nodes should be removed. versions: as above."""
    return _first(path, graph_noops.mismatch, versions)


def about_cleaned_again(path: str, versions: int = 0) -> Wrong | None:
    """Check models that were rewritten a second time. versions: as above."""
    return _first(path, graph_noops.mismatch_of_another, versions)


def _first(path: str, mismatch: Mismatch, versions: int) -> Wrong | None:
    for place, (source, made) in enumerate(json.loads(Path(path).read_text())):
        try:
            model = onnx.load_model_from_string(base64.b64decode(made))
        except DecodeError:
            return place, "what was written is no ONNX model"
        before = onnx.load_model_from_string(base64.b64decode(source))
        said = mismatch(before, model) or _other_version(before, model, versions)
        if said is not None:
            return place, said
    return None


def _other_version(before: onnx.ModelProto, made: onnx.ModelProto, versions: int) -> str | None:
    gone = len(before.graph.node) - len(made.graph.node)
    want = before.model_version + versions * gone
    if not versions or made.model_version == want:
        return None
    return f"its model_version is {made.model_version} and should be {want}"
