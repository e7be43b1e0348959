"""The judge's programs for module triton_ensemble, and the served networks."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hotloop.core import paths
from hotloop.engines.serving.network_file import onnx_file

PROGRAMS = Path(__file__).parent / "programs"
MODEL = paths.curriculum() / "triton_ensemble" / "model"
TOKENIZER = MODEL / "tokenizer.json"
NETWORKS = (partial(onnx_file, MODEL), partial(onnx_file, MODEL, "second."))
"""Versions 1 and 2, made when they are called."""

CLASSIFIER = paths.exercises() / "triton_ensemble" / "classifier.py"
"""The network served on a GPU, with its unbatched baseline."""
