"""Run a candidate's file in ONNX Runtime, unchanged or with other attributes."""

from __future__ import annotations

import lab_function
import onnx
from onnx import helper
from ort_session import LOADED, load, opened, run

__all__ = ["load", "load_with", "load_with_ours", "run"]


def load_with(path: str, block: int, causal: int) -> None:
    """Load the file with these attributes in each hotloop.lab node, in place of the file's."""
    model = onnx.load(path)
    for node in model.graph.node:
        if node.domain == lab_function.DOMAIN:
            others = [a for a in node.attribute if a.name not in ("block", "causal")]
            ours = [helper.make_attribute("block", block), helper.make_attribute("causal", causal)]
            del node.attribute[:]
            node.attribute.extend([*others, *ours])
    LOADED[:] = [opened(model.SerializeToString(), {})]


def load_with_ours(path: str) -> None:
    """Load the file with the judge's function as the body of the hotloop.lab node."""
    LOADED[:] = [opened(lab_function.given_to(onnx.load(path)).SerializeToString(), {})]
