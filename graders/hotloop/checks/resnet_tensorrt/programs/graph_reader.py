"""Reads rewritten models beside their sources, and says what is wrong. It runs none of them.

A file holds many pairs, as JSON: [source, rewritten], each in base64. The answer is about the first
pair that is wrong: its place, counted from 0, and a sentence's beginning; or None.
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
    """Models whose normalizations were to be folded.

    versions: by how much model_version grows for each node that is gone; not looked at for 0.
    """
    return _first(path, graph_folds.mismatch, versions)


def about_cleaned(path: str, versions: int = 0) -> Wrong | None:
    """Models that were to lose what does nothing. versions: as above."""
    return _first(path, graph_noops.mismatch, versions)


def about_cleaned_again(path: str, versions: int = 0) -> Wrong | None:
    """Models that had lost it already. versions: as above."""
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
