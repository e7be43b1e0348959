"""A Keras model for two servers, and TensorFlow Serving's requests for Triton: task 12."""

import json
import re
import shutil
import tempfile
from pathlib import Path

import keras_model

### TASK triton_ensemble.saved_model
def to_saved_model(seed, target):
    """Write load(seed) as a zip of a SavedModel: saved_model.pb lies at its top."""
    raise NotImplementedError("triton_ensemble.saved_model")


def to_onnx(seed, target):
    """Write load(seed) as an ONNX file, by tf2onnx."""
    raise NotImplementedError("triton_ensemble.saved_model")


### TASK triton_ensemble.saved_model rest
def to_triton(path, body, signature):
    """A TensorFlow Serving request in Triton's protocol: [path, body], or None."""
    raise NotImplementedError("triton_ensemble.saved_model")


def from_triton(request, answer):
    """Triton's answer, JSON, as TensorFlow Serving would say it to `request`, JSON."""
    raise NotImplementedError("triton_ensemble.saved_model")
