"""The judge's programs for module triton_ensemble, and the served networks."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths

PROGRAMS = Path(__file__).parent / "programs"
MODEL = paths.curriculum() / "triton_ensemble" / "model"
TOKENIZER = MODEL / "tokenizer.json"
NETWORKS = (MODEL / "model.onnx", MODEL / "model_2.onnx")
"""Versions 1 and 2."""

CLASSIFIER = paths.exercises() / "triton_ensemble" / "classifier.py"
"""The network served on a GPU, with its unbatched baseline."""
