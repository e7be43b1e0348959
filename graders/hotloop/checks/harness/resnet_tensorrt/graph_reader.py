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

Complaint = Callable[[onnx.ModelProto, onnx.ModelProto], str | None]
Wrong = tuple[int, str]


def about_folded(path: str) -> Wrong | None:
    """Models whose normalizations were to be folded."""
    return _first(path, graph_folds.complaint)


def about_cleaned(path: str) -> Wrong | None:
    """Models that were to lose what does nothing."""
    return _first(path, graph_noops.complaint)


def about_cleaned_again(path: str) -> Wrong | None:
    """Models that had lost it already."""
    return _first(path, graph_noops.complaint_of_another)


def _first(path: str, complaint: Complaint) -> Wrong | None:
    for place, (source, made) in enumerate(json.loads(Path(path).read_text())):
        try:
            model = onnx.load_model_from_string(base64.b64decode(made))
        except DecodeError:
            return place, "what was written is no ONNX model"
        said = complaint(onnx.load_model_from_string(base64.b64decode(source)), model)
        if said is not None:
            return place, said
    return None
